"""The outputs of Stanza, CoreNLP, benepar and brat: samples in their documented form, errors, files."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import spindle
from spindle.errors import TreebankError
from spindle.treebanks import ReadingReport, Source, read_trees, write_trees
from spindle.treebanks.annotated import bare
from spindle.treebanks.formats import TREE_FORMATS, guess_format
from spindle.trees import Tree

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
CAT = "(ROOT (S (NP (DT The) (NN cat)) (-LRB- -LRB-) (VP (VBZ sleeps))))"
ES = "(S (NP (PPER 0=Es) (NN 2=nichts)) (VVFIN 1=kam))"


def read(format: str, text: str) -> list[Tree | TreebankError]:
    return list(TREE_FORMATS[format].read(Source.from_text(text, "file"), ReadingReport()))


def strings(trees: list[Tree]) -> list[str]:
    """Return the trees without lemmas and morphology."""
    return [str(bare(tree)) for tree in trees]


# ── samples ──────────────────────────────────────────────────────────────────────────────────────────


def test_corenlp_json() -> None:
    cat, nothing, last = read_trees(SAMPLES / "odd.corenlp.json")
    assert strings([cat, nothing, last]) == [CAT, "(ROOT (NP (NN Nothing) (. .)))", "(X (Y z))"]
    assert [token.lemma for token in cat.tokens] == ["the", "cat", "-lrb-", "sleep"]
    assert (cat.id, nothing.id) == ("", "x 7")
    assert cat.text is None  # the document does not have its text


def test_corenlp_json_with_its_text() -> None:
    text = (
        (SAMPLES / "odd.corenlp.json").read_text().replace('"docId"', '"text": "The cat (sleeps.", "docId"')
    )
    cat = read("corenlp-json", text)[0]
    assert isinstance(cat, Tree)
    assert [cat.text[start:end] for start, end in cat.offsets] == ["The", "cat", "(", "sleeps"]  # type: ignore[index]


def test_corenlp_xml() -> None:
    found = list(read_trees(SAMPLES / "odd.corenlp.xml"))
    assert strings(found) == ["(ROOT (S (NP (NN R&D)) (VP (VBZ works))))", "(X (-LRB- -LRB-))"]
    assert [token.lemma for token in found[0].tokens] == ["R&D", ""]


def test_corenlp_text_of_old_and_new_versions() -> None:
    cat, it, no = read_trees(SAMPLES / "odd.corenlp.txt")
    assert strings([cat, it, no]) == [
        *(CAT, "(ROOT (S (NP (PRP It)) (: ...) (-RSB- ])))", "(NP (DT No) (NN lemma))")
    ]
    assert [token.lemma for token in cat.tokens] == ["the", "cat", "-lrb-", "sleep"]
    assert [token.lemma for token in it.tokens] == ["it", "...", "]"]


def test_stanza() -> None:
    report = ReadingReport()
    cat, es, last = read_trees(SAMPLES / "odd.stanza.json", report=report)
    assert strings([cat, es, last]) == [CAT, ES, "(X (Y z))"]
    assert (cat.id, es.comments) == ("7", ('note=of "ours" \\ {',))
    assert (cat.tokens[1].lemma, cat.tokens[1].morph) == ("cat", "Number=Sing")
    assert cat.text == "The cat (sleeps"
    assert report.counts == {"multiword token range skipped": 1}


def test_conllu_with_trees() -> None:
    cat, es = read_trees(SAMPLES / "odd.conllu-tree.conllu")
    assert strings([cat, es]) == [CAT, "(S (NP (PPER 0=Es) (NN 2=_)) (VVFIN 1=kam))"]
    assert cat.comments == ("newdoc",)
    assert cat.text is not None
    assert [cat.text[start:end] for start, end in cat.offsets] == ["The", "cat", "(", "sleeps"]
    assert [token.lemma for token in es.tokens] == ["es", "kommen", ""]


def test_brat() -> None:
    report = ReadingReport()
    es, foreign, comma = read_trees(SAMPLES / "odd.ann", report=report)
    assert str(es) == "(S (NP-SBJ (PPER 0=Es) (NN 2=nichts)) (VVFIN 1=kam))"
    assert (es.id, es.comments, es.tokens[1].lemma) == ("x 7", ("a remark",), "kommen")
    assert es.tokens[1].function == "HD"
    assert strings([foreign, comma]) == ["( (FM _))", "($, ,)"]
    assert report.counts == {"annotation of another kind left out": 4, "second parent dropped": 1}


def test_strings_of_benepar(tmp_path: Path) -> None:
    """One tree on a line, often without a wrapper; or several lines for a tree, as NLTK prints it."""
    lines = [
        "(S (NP (PRP It)) (VP (VBZ works)) (. .))",
        "(TOP (S (NP (NNP Ann)) (VP (VBD left))))",
        "(UH No)",
    ]
    path = tmp_path / "parsed.txt"
    path.write_text("\n".join(lines) + "\n")
    assert strings(list(read_trees(path))) == lines
    nltk = pytest.importorskip("nltk", reason="needs NLTK")
    path.write_text("\n\n".join(nltk.Tree.fromstring(line).pformat(margin=20) for line in lines) + "\n")
    assert path.read_text().count("\n") > len(lines) + 4
    assert strings(list(read_trees(path))) == lines


# ── Stanza itself ────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def documents() -> Any:
    return pytest.importorskip(
        "stanza.models.common.doc", reason="needs Stanza: pip install 'spindle-parser[stanza]'"
    ).Document


def test_stanza_reads_what_is_written(documents: Any) -> None:
    trees = [spindle.parse_tree(CAT), spindle.parse_tree("(ROOT (NP (NN Nothing) (. .)))")]
    text = "".join(TREE_FORMATS["stanza"].write(trees))  # type: ignore[misc]
    found = documents.from_serialized(text.encode())
    assert [str(sentence.constituency) for sentence in found.sentences] == strings(trees)
    assert [word.text for word in found.sentences[0].words] == ["The", "cat", "(", "sleeps"]
    assert [token.start_char for token in found.sentences[1].tokens] == [17, 25]


def test_what_stanza_writes_is_read(documents: Any) -> None:
    from stanza.models.constituency.tree_reader import read_trees as read_brackets

    words = [{"id": 1, "text": "It", "lemma": "it", "xpos": "PRP", "start_char": 0, "end_char": 2}]
    words.append({"id": 2, "text": "works", "xpos": "VBZ", "start_char": 3, "end_char": 8})
    document = documents([words], text="It works", comments=[["# sent_id = 3"]])
    brackets = "(ROOT (S (NP (PRP It)) (VP (VBZ works))))"
    (document.sentences[0].constituency,) = read_brackets(brackets)
    for format, text in (
        ("stanza", document.to_serialized().decode()),
        ("conllu-tree", f"{document:C}\n"),
        ("bracket", str(document.sentences[0].constituency)),
    ):
        assert guess_format(Source.from_text(text)) == format
        (tree,) = read(format, text)
        assert isinstance(tree, Tree)
        assert str(tree) == brackets
        assert (tree.id, tree.tokens[0].lemma, tree.text) == (
            ("", "", None) if format == "bracket" else ("3", "it", "It works")
        )


# ── errors ───────────────────────────────────────────────────────────────────────────────────────────

SENTENCE = "1\tb\t_\t_\tA\t_\t0\troot\t_\t_\n"


@pytest.mark.parametrize(
    ("format", "text", "message"),
    [
        ("conllu-tree", SENTENCE, "file:1: the sentence has no tree; a comment such as `# constituency"),
        (
            "conllu-tree",
            f"\n# sent_id = 9\n# constituency = (S (A b)\n{SENTENCE}",
            r"file:2 \(sentence 9\): .*\(",
        ),
        (
            "conllu-tree",
            f"# constituency = (S (A b) (A c))\n{SENTENCE}",
            "the tree has 2 words, but the list",
        ),
        ("stanza", '[[{"id": 1, "text": "b"}]]', r"file:1 \(sentence 1\): the sentence has no tree"),
        ("stanza", '{"sentences": [[3]], "comments": [[]]}', "a sentence is not a list of objects"),
        (
            "stanza",
            '{"sentences": [[]], "comments": [[1]]}',
            "`comments` has an item that is not a list of texts",
        ),
        ("stanza", '{"sentences": [], "comments": [[]]}', "comments without a sentence"),
        (
            "corenlp-json",
            '{"sentences": [\n{"index": 0}]}',
            r"file:2 \(sentence 1\): .* no `parse`; run CoreNLP",
        ),
        ("corenlp-json", '{"sentences": [\n3]}', r"file:2 \(sentence 1\): a sentence is not an object"),
        ("corenlp-json", '{"sentences": [{"parse": 3}]}', "parse is not a text"),
        ("corenlp-json", '{"sentences": [{"parse": "(S (A b)"}]}', "not closed"),
        (
            "corenlp-json",
            '{"sentences": [{"parse": "(S (A b))", "tokens": [{}, {}]}]}',
            "the tree has 1 words",
        ),
        ("corenlp-json", '{"sentences": [{"parse": "(S (A b))"},\n{"parse": nul}]}', "file:2: broken JSON"),
        ("corenlp-json", '{"sentences": [\n{"parse": ]}', "file:2: broken JSON: ']' closes nothing"),
        ("corenlp-json", '{"sentences": [', "file:1: broken JSON: the file ends inside a value"),
        ("corenlp-json", "(S (A b))", "file:1: this is not JSON: an object is expected"),
        (
            "corenlp-xml",
            "<root><document/></root>",
            "<root> contains no <sentences>; is this file from CoreNLP?",
        ),
        (
            "corenlp-xml",
            '<r><sentences><sentence id="4"/></sentences></r>',
            r"\(sentence 4\): .* no <parse>; run",
        ),
        ("corenlp-xml", "<r><sentences><sentence><parse>(S</parse></sentence></sentences></r>", "not closed"),
        (
            "corenlp-text",
            "Sentence #3 (2 tokens):\nAb c\n",
            r"file:1 \(sentence 3\): the sentence has no tree; run",
        ),
        ("corenlp-text", "Sentence #3 (2 tokens):\nConstituency parse:\n(S\n\n", "not closed"),
        ("brat", "T1\tA 0 1\tb\n", "file:1: T1 is in no tree: no relation leads to it, and none from it"),
        (
            "brat",
            "T1\tA 0 1\tb\nR1\tx Arg1:T9 Arg2:T1\n",
            "file:2: .* leads from T9 to T1, but there is no T9",
        ),
        ("brat", "T1\tA 0\tb\n", "file:1: 'T1' has no type, spans and text"),
        ("brat", "R1\tA 0\n", "file:1: a relation has no type, Arg1 and Arg2"),
        ("brat", "(S (A b))\n", "is no annotation of brat"),
        ("brat", "T1\tA 0 1\tb\nT1\tA 0 1\tb\n", "file:2: T1 is used twice"),
        (
            "brat",
            "T1\tA 0 1\tb\nT2\tB 0 1\tb\nR1\tx Arg1:T1 Arg2:T2\nR2\tx Arg1:T2 Arg2:T1\n",
            "its own ancestor",
        ),
    ],
)
def test_errors_have_a_place(format: str, text: str, message: str) -> None:
    errors = [str(one) for one in read(format, text) if isinstance(one, TreebankError)]
    assert any(re.search(message, error) for error in errors), errors
    assert all(error.startswith("file") for error in errors)


def test_a_byte_that_cannot_be_decoded_costs_one_sentence() -> None:
    texts = {
        "conllu-tree": f"# constituency = (S (A b))\n{SENTENCE}\n".encode(),
        "corenlp-text": b"Sentence #1 (1 tokens):\nConstituency parse:\n(S (A b))\n\n",
        "brat": b"T1\tA 0 1\tb\n#1\tWord T1\tx\n",
    }
    for format, data in texts.items():
        bad = data.replace(b"b", b"\xff")
        items = list(TREE_FORMATS[format].read(Source.from_bytes(bad + data, "file"), ReadingReport()))
        if format != "brat":
            assert [type(item) for item in items] == [TreebankError, Tree]
        assert "byte 0xff is not utf-8" in str(items[0])
    document = b'{"sentences": [{"parse": "(A \xff)"},\n{"parse": "(A b)"}]}'
    items = list(TREE_FORMATS["corenlp-json"].read(Source.from_bytes(document, "file"), ReadingReport()))
    assert [type(item) for item in items] == [TreebankError, Tree]


@pytest.mark.parametrize("format", ["corenlp-json", "corenlp-xml"])
def test_discontinuous_trees_are_refused(format: str) -> None:
    write = TREE_FORMATS[format].write
    assert write is not None
    with pytest.raises(TreebankError, match="discontinuous"):
        list(write([spindle.parse_tree(ES)]))


def test_a_long_document_is_read_sentence_by_sentence() -> None:
    source = Source.from_text("", "file")
    taken = 0

    def pieces() -> Iterator[str]:
        nonlocal taken
        yield '{"sentences": ['
        while True:
            taken += 1
            yield '{"parse": "(S (A b))"},\n'

    source.pieces = pieces  # type: ignore[method-assign]
    trees = TREE_FORMATS["corenlp-json"].read(source, ReadingReport())
    for _ in range(1000):
        assert isinstance(next(trees), Tree)
    assert taken <= 1001


# ── dependencies beside trees ────────────────────────────────────────────────────────────────────────


def test_dependencies_follow_the_heads() -> None:
    text = "Es kam  nichts."
    tree = spindle.parse_tree("(VROOT (S (NP-SB (PPER 0=Es) (NN 2=nichts)) (VVFIN 1=kam)) ($. 3=.))")
    tree = spindle.find_heads(tree, spindle.load_rules("negra"))
    tree = tree.replace(functions=("", "", "SB")).with_text(text, [(0, 2), (3, 6), (8, 14), (14, 15)])
    (rows,) = TREE_FORMATS["conllu-tree"].write([tree])  # type: ignore[misc]
    assert rows == (
        "# text = Es kam  nichts.\n"
        "# discbracket = (VROOT (S (NP-SB (PPER 0=Es) (NN 2=nichts)) (VVFIN 1=kam)) ($. 3=.))\n"
        "1\tEs\t_\t_\tPPER\t_\t3\tdep\t_\tstart_char=0|end_char=2\n"
        "2\tkam\t_\t_\tVVFIN\t_\t0\troot\t_\tstart_char=3|end_char=6\n"
        "3\tnichts\t_\t_\tNN\t_\t2\tSB\t_\tSpaceAfter=No|start_char=8|end_char=14\n"
        "4\t.\t_\t_\t$.\t_\t2\tdep\t_\tstart_char=14|end_char=15\n\n"
    )
    (bare,) = TREE_FORMATS["conllu-tree"].write([tree.replace(heads=None, text=None, offsets=())])  # type: ignore[misc]
    assert "3\tnichts\t_\t_\tNN\t_\t_\t_\t_\t_\n" in bare


# ── files ────────────────────────────────────────────────────────────────────────────────────────────


def convert(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "spindle", "convert", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_convert_finds_heads_for_dependencies(tmp_path: Path) -> None:
    path = tmp_path / "cat.ptb"
    path.write_text("(S (NP (DT The) (NN cat)) (VP (VBZ sleeps)))\n")
    done = convert(path, "-", "--to", "conllu-tree", "--heads", "collins")
    assert [row.split("\t")[6] for row in done.stdout.splitlines() if row[:1].isdigit()] == ["2", "3", "0"]
    assert done.stderr == ""
    assert "head rules: collins" in convert(path, "-", "--to", "conllu-tree").stderr
    refused = convert(path, "-", "--to", "bracket", "--heads", "collins")
    assert (refused.returncode, "Head rules are for the format conllu-tree" in refused.stderr) == (2, True)


def test_annotations_have_their_text_beside_them(tmp_path: Path) -> None:
    trees = [spindle.parse_tree(ES), spindle.parse_tree("(S (NP (NN Bäume)) (VP (VVFIN wachsen)))")]
    target = tmp_path / "two.ann"
    assert write_trees(trees, target) == 2
    text = (tmp_path / "two.txt").read_text(encoding="utf-8")
    assert text == "Es kam nichts\nBäume wachsen\n"
    for line in target.read_text(encoding="utf-8").splitlines():
        if line.startswith("T"):
            _, columns, words = line.split("\t")
            spans = [span.split() for span in columns.partition(" ")[2].split(";")]
            assert " ".join(text[int(start) : int(end)] for start, end in spans) == words
    assert list(read_trees(target)) == trees
    write_trees(trees[:1], target)  # the pair is replaced
    assert (tmp_path / "two.txt").read_text(encoding="utf-8") == "Es kam nichts\n"


def test_a_text_that_was_there_before_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "cat.ptb").write_text("(S (NP (DT The) (NN cat)) (VP (VBZ sleeps)))\n")
    (tmp_path / "cat.txt").write_text("(NP (NN tree))\n")
    done = convert(tmp_path / "cat.ptb", tmp_path / "cat.ann")
    assert (done.returncode, "cat.txt: exists already" in done.stderr) == (1, True)
    assert not (tmp_path / "cat.ann").exists()
    done = convert(tmp_path / "cat.txt", tmp_path / "cat.ann")
    assert (done.returncode, "cat.txt is the input" in done.stderr) == (2, True)
    assert (tmp_path / "cat.txt").read_text() == "(NP (NN tree))\n"
    shown = convert(tmp_path / "cat.ptb", "-", "--to", "brat")
    assert shown.stdout.startswith("T1\tDT 0 3\tThe\n")


def test_every_sample_survives_every_format(tmp_path: Path) -> None:
    """Words, tags and labels of each format's trees, through each of the others."""
    for sample in ("odd.corenlp.json", "odd.conllu-tree.conllu", "odd.stanza.json", "odd.ann"):
        trees = list(read_trees(SAMPLES / sample, report=ReadingReport(lambda *_: None)))
        for name, format in TREE_FORMATS.items():
            if format.write is None:
                continue
            kept = [tree for tree in trees if format.refusal(tree) is None]
            target = tmp_path / f"{sample}.{name}"
            write_trees(kept, target, name)
            assert strings(list(read_trees(target, name))) == strings(kept), name
