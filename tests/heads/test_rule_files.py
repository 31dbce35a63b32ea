"""Rule files: bundled, written by users, malformed."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spindle
from spindle.errors import HeadRuleError
from spindle.heads import HeadFinder, HeadRules, Step, available_rules, format_rules, load_rules, parse_rules
from spindle.heads.steps import can_be_named
from support.strategies import texts

# The labels and tags of the treebanks. A table that names another label contains a typing error.
PENN = """
    ADJP ADVP CONJP FRAG INTJ LST NAC NP NX PP PRN PRT QP RRC S SBAR SBARQ SINV SQ UCP VP WHADJP
    WHADVP WHNP WHPP X XS CC CD DT EX FW IN JJ JJR JJS LS MD NN NNS NNP NNPS NCD PDT POS PRP PRP$ RB
    RBR RBS RP SYM TO UH VB VBD VBG VBN VBP VBZ WDT WP WP$ WRB AUX AUXG $ : NML JJP ADV POSSP TYPO
    EDITED TITLE HEADING CAPTION CIT ROOT TOP S1
"""
GERMAN = """
    AA AP AVP CAC CAP CAVP CCP CH CNP CO CPP CS CVP CVZ DL ISU MPN MTA NM NP PN PP QL S VP VZ VROOT
    ROOT TOP NUR CD NR -- ADJA ADJD ADV APPR APPRART APPO APZR ART CARD FM ITJ KON KOKOM KOUI KOUS
    NN NE PDS PDAT PIS PIAT PIDAT PPER PPOSS PPOSAT PRELS PRELAT PRF PWS PWAT PWAV PROAV PTKA PTKZU
    PRTZU PTKNEG PTKVZ PTKANT TRUNC VVFIN VVIMP VVINF VVIZU VVPP VAFIN VAIMP VAINF VAPP VMFIN VMINF
    VMPP XY $. $, $( $[ $*LRB*
"""
FRENCH = """
    SENT ROOT AP AdP COORD NP PP VN VPinf VPpart Srel Ssub Sint MWD MWA MWC MWN MWV MWP MWPRO MWCL
    MWADV MWI MWET A ADJ ADJWH ADV ADVWH C CC CS CL CLS CLR CLO D DET DETWH ET I N NC NPP P P+D
    P+PRO PONCT PRO PROREL PROWH V VIMP VINF VPP VPR VS
"""
SWEDISH = """
    AP AVP NP PP VP S XP ROOT PSEUDO HD ++ PR AT DT IM IV UK FV VG MS +F XX SP ES AA KA MA OA RA TA
    VA XA +A AG AN YY VO TT SS OO MAD MID PAD KN SN HP RG PM IE PC
"""
KOREAN = "S Q NP VP VNP AP DP IP NNG NNB JKS JKO JKB JX EC EF ETM MAG XSV"
CHINESE = """
    ROOT TOP PAIR ADJP ADVP CLP CP DNP DP DVP FRAG INTJ IP LCP LST NP PP PRN QP UCP VP VCD VCP VRD
    VSB VNV VPT WHNP WHPP AD BA CC CD CS DEC DEG DER DEV DT IJ JJ LB LC M MSP NN NR NT OD P PN PU SB
    SP VA VC VE VV
"""
ALPINO = """
    advp ahi ap conj cp detp du inf mwu np oti pp ppart ppres rel root smain ssub sv1 svan ti top
    vroot whq whrel whsub adj bw let lid n spec tsw tw vg vnw vz ww adv comp det noun num prep verb
"""
INVENTORIES = {
    "collins": PENN,
    "collins-modified": PENN,
    "yamada-matsumoto": PENN,
    "negra": GERMAN,
    "negra-released": GERMAN + " CAR",
    "negra-semantic": GERMAN,
    "tiger-edges": GERMAN,
    "french": FRENCH,
    "french-spmrl": FRENCH + " " + " ".join(f"{tag}+" for tag in FRENCH.split()),
    "swedish": SWEDISH,
    "korean": KOREAN,
    "chinese": CHINESE,
    "alpino": ALPINO,
    "leftmost": "",
    "rightmost": "",
    "leftmost-word": "",
    "rightmost-word": "",
}


@pytest.mark.parametrize("name", available_rules())
def test_every_bundled_table_loads_and_is_documented(name: str) -> None:
    rules = load_rules(name)
    assert rules.name == name
    assert rules.title
    assert rules.source.endswith(".")
    assert rules.purpose


@pytest.mark.parametrize("name", INVENTORIES)
def test_a_table_names_only_labels_of_its_treebanks(name: str) -> None:
    rules = load_rules(name)
    named = set(rules.steps) | rules.conjunctions
    named |= {label for steps in rules.steps.values() for step in steps for label in step.labels}
    assert named <= set(INVENTORIES[name].split())


def test_all_tables_are_there() -> None:
    assert {*INVENTORIES, "icelandic", "indonesian"} == set(available_rules())


def test_a_table_like_another_has_its_rules_except_for_its_own() -> None:
    negra, semantic = load_rules("negra"), load_rules("negra-semantic")
    differing = {label for label in negra.steps if negra.steps[label] != semantic.steps[label]}
    assert set(negra.steps) == set(semantic.steps)
    assert differing == {"S", "VP", "VZ"}


def test_the_released_table_for_german_is_true_to_its_source() -> None:
    """`negra` puts two things right; the released table has them as they are."""
    negra, released = load_rules("negra"), load_rules("negra-released")
    differing = {label for label in negra.steps if negra.steps[label] != released.steps[label]}
    assert set(negra.steps) == set(released.steps)
    assert differing == {"NP", "CNP", "PP"}
    phrases = {"(PP (ADV mitten) (APPRART im) (NN Haus))": (1, 0), "(NP (CARD drei) (ADV noch))": (0, 1)}
    for phrase, heads in phrases.items():
        found = [HeadFinder(rules)(spindle.parse_tree(phrase)).heads for rules in (negra, released)]
        assert found == [(head,) for head in heads]


def test_a_user_can_change_one_label(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('like = "collins"\nedges-first = true\n[rules]\n"NP WHNP" = ["rightmost"]\n', "utf-8")
    rules = load_rules(str(file))
    collins = load_rules("collins")
    assert rules.steps == dict(collins.steps) | {"NP": (Step("rightmost"),), "WHNP": (Step("rightmost"),)}
    assert rules.conjunctions == collins.conjunctions
    assert rules.edges_first


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title = ", r"mine.toml: Invalid value \(at end of document\)"),
        ('titel = "x"', "mine.toml: unknown key 'titel'; did you mean 'title'?"),
        ("nonsense = 1", "unknown key 'nonsense'; choose one of title"),
        ("title = 1", "'title' must be a string, not 1"),
        ("edges-first = 1", "'edges-first' must be true or false, not 1"),
        ('otherwise = "left"', "mine.toml: 'otherwise' must be leftmost or rightmost, not 'left'"),
        ('head-edges = ""', "'head-edges' must name an edge"),
        ('like = "nothing"', "'like' must name a bundled table, not 'nothing'"),
        ('rules = "x"', "'rules' must be a table"),
        ('[rules]\nNP = "leftmost"', "rule for NP must be a list of steps, not 'leftmost'"),
        ("[rules]\nNP = []", r"rule for NP must be a list of steps, not \[\]"),
        ('[rules]\nNP = ["leftmost", "left"]', "mine.toml: rule for NP, step 2: a step starts with one of"),
        ('[rules]\n"NP NX" = ["leftmost"]\nNX = ["leftmost"]', "two rules for NX"),
        ('[rules]\n"" = ["leftmost"]', "a rule without a label; an empty label is written ROOT"),
        ('cut-labels-at = "-"\n[rules]\nNP-SBJ = ["leftmost"]', "'NP-SBJ' never matches"),
        ('ignore-case = true\n[rules]\nnp = ["leftmost NN"]', "'NN' never matches"),
    ],
)
def test_a_malformed_file_says_where_and_what(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(HeadRuleError, match=message) as caught:
        load_rules(str(file))
    assert str(caught.value).startswith(str(file))


def test_an_unknown_name_gets_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(HeadRuleError, match=r"'colins'; did you mean collins\?"):
        load_rules("colins")
    with pytest.raises(HeadRuleError, match="'xyz'; choose one of alpino, chinese"):
        load_rules("xyz")
    with pytest.raises(HeadRuleError, match="directory"):
        load_rules(str(tmp_path))
    with pytest.raises(HeadRuleError, match="null byte"):
        load_rules("a\0b")
    (tmp_path / "latin.toml").write_bytes(b'title = "\xe9"')
    with pytest.raises(HeadRuleError, match="not UTF-8"):
        load_rules(str(tmp_path / "latin.toml"))


def test_labels_are_cut_but_not_at_the_start() -> None:
    rules = load_rules("collins")
    labels = ("NP-SBJ=2", "NP=2-SBJ", "ADVP|PRT", "-LRB-", "=", "", "PRP$", "-a=b")
    assert [rules.normalise(label) for label in labels] == [
        *("NP", "NP", "ADVP", "-LRB-", "=", "", "PRP$", "-a=b"),
    ]
    assert load_rules("alpino").normalise("SMAIN") == "smain"


names = texts().filter(lambda text: can_be_named(text) and "~" not in text)
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
steps = st.lists(names.map(lambda name: Step("rightmost", (name,), "of", (name,))), min_size=1, max_size=3)


@given(
    rules=st.builds(
        HeadRules,
        name=st.just("mine"),
        title=words,
        steps=st.dictionaries(names, steps.map(tuple), max_size=4),
        otherwise=st.sampled_from(["leftmost", "rightmost"]),
        source=words,
        purpose=words,
        conjunctions=st.frozensets(names, max_size=3),
        cut_labels_at=st.sampled_from(["", "~"]),
        ignore_case=st.just(False),
        edges_first=st.booleans(),
        head_edges=st.lists(names, min_size=1, max_size=3).map(tuple),
        tags=st.frozensets(names, max_size=3),
        skips_punctuation=st.booleans(),
    )
)
def test_writing_and_reading_a_table_are_inverse(rules: HeadRules) -> None:
    assert parse_rules(format_rules(rules), "mine") == rules


def check_round_trip(rules: HeadRules) -> None:
    """Check every field of rules that were written and read, so that no field can be left out of `==`."""
    restored = parse_rules(format_rules(rules), rules.name)
    for field in fields(HeadRules):
        assert getattr(restored, field.name) == getattr(rules, field.name), field.name
    assert list(restored.steps) == list(rules.steps)
    assert restored == rules
    assert format_rules(restored) == format_rules(rules)


@pytest.mark.parametrize("name", available_rules())
def test_bundled_tables_can_be_written_and_read(name: str) -> None:
    check_round_trip(load_rules(name))


@pytest.mark.parametrize("base", [None, *available_rules()])
def test_user_files_can_be_written_and_read(tmp_path: Path, base: str | None) -> None:
    """A file that sets every key, alone and on top of every bundled table."""
    file = tmp_path / "mine.toml"
    like = [] if base is None else [f"like = {json.dumps(base)}"]
    file.write_text("\n".join([*like, *USER_KEYS]), "utf-8")
    rules = load_rules(str(file))
    assert (rules.name, rules.title, rules.purpose) == (str(file), 'My "rules"\n', "Any treebank")
    assert rules.tags == {"x", "y"}
    assert rules.head_edges == ("oa", "hd")
    assert rules.steps["np"][1] == Step("leftmost", ("n", "adj"), "except", ("hd", "nk"))
    assert base is None or set(load_rules(base).steps) <= set(rules.steps)
    check_round_trip(rules)


USER_KEYS = [
    r'title = "My \"rules\"\n"',
    'source = "Mine."',
    'for = "Any treebank"',
    'tags = "x y"',
    'otherwise = "rightmost"',
    'conjunctions = "conj"',
    'cut-labels-at = ""',
    "edges-first = true",
    'head-edges = "oa hd"',
    "skip-punctuation = false",
    "[rules]",
    '"np ap" = ["only n", "leftmost except n adj with edge hd nk", "final of pos"]',
    'root = ["rightmost"]',
]


@pytest.mark.parametrize(
    ("field", "names"), [("conjunctions", {"a b"}), ("tags", {""}), ("head_edges", ("HD", "h d"))]
)
def test_names_that_a_file_cannot_hold_are_refused(field: str, names: Any) -> None:
    with pytest.raises(HeadRuleError, match=r"which is empty or has blanks"):
        HeadRules("mine", "Mine", {}, **{field: names})
