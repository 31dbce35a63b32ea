"""Heads in trees: the example of the paper, the special cases of Collins, and unusual trees."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spindle.heads.finder
from spindle.errors import TreeError
from spindle.heads import HeadFinder, available_rules, explain, find_heads, load_rules
from spindle.treebanks.files import parse_tree
from spindle.trees import Token, Tree
from spindle.trees.punctuation import is_punctuation
from support.strategies import deep_tree, headed_trees, labels, tokens, trees


def head_words(text: str, rules: str) -> list[str]:
    """Return the head word of every node, from the top."""
    tree = find_heads(parse_tree(text), load_rules(rules))
    assert tree.heads is not None
    return [tree.tokens[head].form for head in tree.heads]


def test_the_english_tree_of_the_paper() -> None:
    text = (
        "(S (NP (DT The) (NN public)) (VP (VBZ is) (ADVP (RB still)) (ADJP (JJ cautious))) (. .))"  # Figure 1
    )
    assert head_words(text, "collins") == ["is", "public", "is", "still", "cautious"]


@pytest.mark.parametrize("rules", ["negra", "negra-semantic"])
def test_the_german_tree_of_the_paper(rules: str) -> None:
    text = "(VROOT (S (NP (PPER 0=Es) (NP (PIAT 2=nichts) (NN 3=Interessantes))) (VVFIN 1=kam)) ($. 4=.))"
    assert head_words(text, rules) == ["kam", "kam", "Interessantes", "Interessantes"]


@pytest.mark.parametrize(
    ("noun_phrase", "head"),
    [
        ("(NP (NNP Anna) (NN dog) (POS 's))", "'s"),  # 1: a final POS
        ("(NP (DT the) (NN dog) (NNS toys) (PP (IN of)))", "toys"),  # 2: the rightmost noun
        ("(NP (POS 's) (JJR bigger) (PRP it))", "bigger"),
        ("(NP (NP (DT this)) (, ,) (NP (DT that)))", "this"),  # 3: the leftmost NP
        ("(NP (DT the) ($ $) (CD 5))", "$"),  # 4
        ("(NP (DT the) (CD 5) (JJ big))", "5"),  # 5
        ("(NP (DT the) (JJ big) (QP (RB very)) (DT this))", "very"),  # 6
        ("(NP (DT this) (PRP it) (. .))", "it"),  # 7: the last word
        ("(NML (NN air) (NN traffic) (JJ new))", "traffic"),
    ],
)
def test_the_noun_phrase_of_collins(noun_phrase: str, head: str) -> None:
    assert head_words(noun_phrase, "collins")[0] == head


@pytest.mark.parametrize(
    ("phrase", "head"),
    [
        ("(NP (NN bread) (CC and) (NN butter))", "bread"),
        ("(NP (NN bread) (, ,) (CC and) (NN butter))", "bread"),
        ("(NP (NN bread) (CONJP (RB as) (IN well)) (NN butter))", "bread"),
        ("(NP (NN salt) (, ,) (NN bread) (CC and) (NN butter))", "bread"),
        ("(NP (CC and) (NN butter))", "butter"),
        ("(NP (, ,) (CC and) (NN butter))", "butter"),
        ("(NP (NN bread) (CC and) (JJ good) (NN butter))", "butter"),
        ("(NP (NP (-NONE- *)) (CC and) (NN butter))", "butter"),
        ("(UCP (NP (NN bread)) (CC and) (ADJP (JJ good)))", "bread"),
    ],
)
def test_coordination_of_collins(phrase: str, head: str) -> None:
    assert head_words(phrase, "collins")[0] == head


def test_a_full_stop_never_heads_the_german_sentence() -> None:
    for words in (
        "($. .) (NE Potsdam)",
        "(XX Ui) ($. .)",
        "($*LRB* -) (S (VVFIN kommt)) ($. .)",
        "($, ,) ($. .)",
    ):
        heads = head_words(f"(VROOT {words})", "negra")
        assert heads[0] in ("Potsdam", "Ui", "kommt", ",")


def test_a_trace_heads_only_where_there_is_nothing_else() -> None:
    clause = "(SBAR (WHNP-1 (-NONE- 0)) (S (NP (-NONE- *T*-1)) (VP (VBZ works))))"
    assert head_words(clause, "collins") == ["works", "0", "works", "*T*-1", "works"]


def test_edges_come_first_where_asked() -> None:
    tokens = (
        Token("Hans", "NE", function="HD"),
        Token("kommt", "VVFIN", function="SB"),
        Token(".", "$.", function="HD"),
    )
    tree = Tree(tokens, ("S",), (-1,), (0, 0, 0))
    assert HeadFinder(load_rules("negra"))(tree).heads == (1,)
    assert HeadFinder(load_rules("negra"), edges_first=True)(tree).heads == (0,)
    assert HeadFinder(load_rules("alpino"))(tree).heads == (0,)  # no hd edge, no rule


def test_the_table_by_edges() -> None:
    tokens = (
        Token("der", "ART", function="NK"),
        Token("Kanzler", "NN", function="NK"),
        Token("Gerhard", "NE", function="PNC"),
        Token("Schröder", "NE", function="PNC"),
    )
    tree = Tree(tokens, ("NP", "PN"), (-1, 0), (0, 0, 1, 1), ("", "NK"))
    assert find_heads(tree, load_rules("tiger-edges")).heads == (1, 3)
    coordinated = (
        Token("Ein-", "TRUNC", function="CJ"),
        Token("und", "KON", function="CD"),
        Token("Ausgang", "NN", function="CJ"),
    )
    assert find_heads(Tree(coordinated, ("CNP",), (-1,), (0, 0, 0)), load_rules("tiger-edges")).heads == (2,)


def test_unknown_labels_are_counted_wherever_they_had_to_be_decided_on() -> None:
    finder = HeadFinder(load_rules("collins"))
    for _ in range(2):
        finder(parse_tree("(S (FOO-SBJ (NN a) (NN b)) (FOO (NN a)) (BAR (NN a) (, ,)) (VP (VB go)))"))
        finder(parse_tree("(FOO (NN a) (NN b))"))
    assert finder.unknown == {"FOO": 4}
    finder = HeadFinder(load_rules("rightmost-word"))
    assert finder(parse_tree("(FOO (NN a) (NN b) (. .))")).heads == (1,)
    assert not finder.unknown


@pytest.mark.parametrize(
    ("text", "heads"),
    [
        ("(S (. ¿) (NN a) (NN b) (. ?))", (0, 3, 1, 2)),
        ("(S (-NONE- *) (. ¿) (NN a) (. ?) (-NONE- *))", (1, 3, 2, 2)),
        ("(S (X (. ¿)) (NN a) (X (. ?)))", (0, 2, 1, 1)),
        ("(S (-NONE- *) (-NONE- *))", (0, 1, 0, 1)),
    ],
)
def test_the_outermost_child_may_be_punctuation_as_in_the_paper(text: str, heads: tuple[int, ...]) -> None:
    names = ("leftmost", "rightmost", "leftmost-word", "rightmost-word")
    tree = parse_tree(text)
    found = [find_heads(tree, load_rules(name)).heads for name in names]
    assert tuple(one[0] for one in found if one) == heads


@pytest.mark.parametrize(
    ("language", "tags"),
    [
        ("Basque", "PUNT PUNT_PUNT PUNT_KOMA BEREIZ"),
        ("Hebrew", "yyDOT yyCM yyQUOT yyELPS"),
        ("Hungarian", "PUNC"),
        ("Korean", "sf sp sl sr"),
        ("Polish", "interp"),
        ("Swedish", "MAD MID PAD"),
    ],
)
def test_punctuation_of_the_treebanks_of_the_paper_is_passed_over(language: str, tags: str) -> None:
    for tag in tags.split():
        tree = Tree((Token("x", tag), Token("y", "N"), Token("z", tag)), ("S",), (-1,), (0, 0, 0))
        for name in ("leftmost-word", "rightmost-word"):
            assert find_heads(tree, load_rules(name)).heads == (1,), (language, tag)


def test_the_empty_outermost_label_is_looked_up_as_root() -> None:
    assert head_words("((NP (NN end)) (S (VP (VB go))))", "collins")[0] == "go"
    finder = HeadFinder(load_rules("korean"))
    finder(parse_tree("((NP (NN end)) (S (VP (VB go))))"))
    assert finder.unknown == {"": 1}


def test_untagged_punctuation_is_told_by_its_form() -> None:
    tree = Tree((Token("…"), Token("go"), Token("on")), ("S",), (-1,), (0, 0, 0))
    assert find_heads(tree, load_rules("leftmost-word")).heads == (1,)


def test_odd_shapes() -> None:
    rules = load_rules("collins")
    assert find_heads(Tree((Token("Yes", "UH"),), (), (), (-1,)), rules).heads == ()
    assert find_heads(deep_tree(5000), rules).heads == (0,) * 5000


def test_every_decision_is_explained() -> None:
    tree = parse_tree(
        "(ROOT (S (NP (NN bread) (CC and) (NN butter)) (VP (VBZ is)) (XX (UH a) (UH b)) (. .)))"
    )
    fired = list(explain(tree, load_rules("collins")))
    assert [(one.label, one.verdict.reason) for one in fired] == [
        ("ROOT", "only child"),
        ("S", "leftmost TO IN VP S SBAR ADJP UCP NP"),
        ("NP", "rightmost of NN NNP NNPS NNS NML NX POS JJR, then the conjunct before CC"),
        ("VP", "only child"),
        ("XX", "no rule for the label: leftmost"),
    ]
    assert [one.vertex for one in fired] == [len(tree) + 1, len(tree) + 3, 0, 3, 4]
    assert [one.verdict.unknown for one in fired] == [False, False, False, False, True]
    verdicts = [
        one.verdict.reason for one in explain(parse_tree("(PP (UH a) (UH b))"), load_rules("collins"))
    ]
    assert verdicts == ["nothing matched: rightmost"]
    words = tuple(Token(form, "UH", function="HD") for form in "ab")
    (by_edge,) = explain(Tree(words, ("NP",), (-1,), (0, 0)), load_rules("negra"), edges_first=True)
    assert by_edge.verdict.reason == "edge HD"


EDGES = st.sampled_from(["HD", "hd", "NK", "CJ", "SB", ""])
FINDERS = {name: HeadFinder(load_rules(name)) for name in available_rules()}
FINDERS["edges"] = HeadFinder(load_rules("negra"), edges_first=True)


@given(
    trees(
        labels=st.sampled_from(["S", "NP", "NP-SBJ", "CS", "np", "smain", "CNP"]) | labels(),
        tokens=tokens(
            tags=st.sampled_from(["", "NN", "VVFIN", "CC", "POS", "$.", "-NONE-"]), functions=EDGES
        ),
        functions=EDGES,
    ),
    st.sampled_from(sorted(FINDERS)),
)
def test_looking_up_finds_what_the_rules_say(tree: Tree, name: str) -> None:
    """Cached decisions equal those of the rules, and never prefer a trace."""
    finder = FINDERS[name]
    heads = list(range(len(tree) + len(tree.labels)))
    for fired in reversed(list(explain(tree, finder.rules, finder.edges_first))):
        heads[len(tree) + fired.node] = heads[fired.vertex]
    found = finder(tree)
    assert found.heads == tuple(heads[len(tree) :])
    for node in found.nodes():
        assert node.head is not None
        below = [tree.tokens[position] for position in node.positions]
        head = tree.tokens[node.head]
        if not all(token.is_empty for token in below):
            assert not head.is_empty
        # only a rule that names punctuation can choose it, and no rule for these labels does
        if finder.rules.skips_punctuation and not all(
            token.is_empty or is_punctuation(token) for token in below
        ):
            assert not is_punctuation(head)


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spindle.heads.finder, "_MAX_CACHED", 100)
    finder = HeadFinder(load_rules("rightmost"))
    for number in range(1000):
        name = f"X{number}"
        assert finder(Tree((Token("a", name), Token("b", name)), (name,), (-1,), (0, 0))).heads == (1,)
        assert len(finder._cases) + len(finder._leaves) + len(finder._children) <= 103


@given(headed_trees())
def test_a_tree_with_heads_is_the_tree_replaced(tree: Tree) -> None:
    assert tree.heads is not None
    bare = tree.replace(heads=None)
    assert bare.with_heads(tree.heads).heads == tree.heads
    assert bare.with_heads(tree.heads) == bare
    assert bare.heads is None
    with pytest.raises(TreeError):
        bare.with_heads((*tree.heads, 0))
