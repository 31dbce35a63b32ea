"""Round trips of every tree of every treebank through all encodings and all formats that can store it."""

from collections.abc import Iterator
from io import StringIO
from itertools import islice
from pathlib import Path

import pytest

from spindle.heads import HeadFinder, guess_rules, load_rules
from spindle.reduction import Encoding, Mode, decode, encode, read_rows, write_rows
from spindle.treebanks import ReadingReport, Source, read_trees
from spindle.treebanks.files import apply_error_policy, sources
from spindle.treebanks.formats import DEPENDENCY_FORMATS, TREE_FORMATS, guess_format
from spindle.treebanks.transforms import PUNCTUATION, apply, plan
from spindle.trees import Dependencies, Tree

FILES = (
    "english-gum/train.ptb",
    "english-gum/dev.ptb",
    "english-craft/train.ptb",
    "english-craft/dev.ptb",
    "dutch-alpino/train.export",
    "dutch-alpino/dev.export",
    "dutch-alpino/dev-100.xml",
    "dutch-alpino/alpino-xml",
    "german-pcc/train.export",
    "german-pcc/dev.export",
    "german-pcc/dev-tigerxml",
    "french-sequoia/train.mrg",
    "french-sequoia/dev.mrg",
    "icelandic-modern/train",
    "icelandic-modern/dev",
    "indonesian/train.bracket",
    "indonesian/dev.bracket",
)


def headed(path: Path) -> Iterator[Tree]:
    sample = list(islice(read_trees(path), 200))
    return map(HeadFinder(load_rules(guess_rules(sample)[0])), read_trees(path))


@pytest.mark.parametrize("file", FILES)
def test_every_tree_in_every_encoding(treebanks: Path, file: str) -> None:
    """The trees keep their functions, traces, wrappers, edge labels and secondary edges."""
    count = 0
    for tree in headed(treebanks / file):
        reduced = encode(tree)
        assert decode(reduced) == tree
        for encoding in Encoding:
            ((read, repairs),) = read_rows(write_rows([reduced], encoding))
            assert read == reduced
            assert not repairs
        count += 1
    assert count > 0


@pytest.mark.parametrize("file", [file for file in FILES if "dev" in file])
@pytest.mark.parametrize("format", DEPENDENCY_FORMATS)
def test_every_tree_through_conll_files(treebanks: Path, file: str, format: str) -> None:
    conll = DEPENDENCY_FORMATS[format]
    trees = list(headed(treebanks / file))
    text = StringIO()
    assert conll.write is not None
    text.writelines(conll.write(write_rows(map(encode, trees), Encoding.DIRECT)))
    sentences = list(conll.read(Source.from_text(text.getvalue()), ReadingReport()))
    rows = [sentence for sentence in sentences if isinstance(sentence, Dependencies)]
    assert rows == sentences
    assert [decode(reduced) for reduced, _ in read_rows(rows)] == trees


@pytest.mark.parametrize("file", [file for file in FILES if "dev" in file])
@pytest.mark.parametrize("punctuation", PUNCTUATION)
def test_every_tree_after_the_usual_transforms(treebanks: Path, file: str, punctuation: str) -> None:
    """Trees as used in training: without functions and traces, for every treatment of punctuation."""
    find_heads = None
    steps = plan(strip=["traces", "functions"], punctuation=punctuation)
    # a sentence that consists of punctuation or traces only is an error, and is skipped
    for stripped in apply_error_policy(apply(steps, read_trees(treebanks / file)), "skip", ReadingReport()):
        find_heads = find_heads or HeadFinder(load_rules(guess_rules([stripped])[0]))
        reduced = encode(find_heads(stripped))
        mode = Mode.CONTINUOUS if stripped.is_continuous else Mode.DISCONTINUOUS
        for encoding in Encoding:
            ((read, repairs),) = read_rows(write_rows([reduced], encoding), mode=mode)
            assert decode(read) == stripped
            assert not repairs


def through(format: str, trees: list[Tree]) -> list[Tree]:
    chosen = TREE_FORMATS[format]
    assert chosen.write is not None
    text = "".join(chosen.write(trees))
    read = []
    for item in chosen.read(Source.from_text(text), ReadingReport()):
        assert isinstance(item, Tree), item
        read.append(item)
    return read


@pytest.mark.parametrize("file", [file for file in FILES if "dev" in file])
def test_every_tree_through_all_discontinuous_formats_in_turn(treebanks: Path, file: str) -> None:
    """All of these formats keep structure, words, tags and labels."""
    trees = [
        tree.replace(
            id="",
            comments=(),
            secondary=(),
            functions=(),
            tokens=tuple(token._replace(lemma="", morph="", function="") for token in tree.tokens),
        )
        for tree in read_trees(treebanks / file)
    ]
    chained = trees
    for format in ("discbracket", "export", "tigerxml", "export3", "discbracket", "tigerxml", "export"):
        chained = [tree.replace(id="", comments=()) for tree in through(format, chained)]
    assert chained == trees


@pytest.mark.parametrize("file", FILES)
def test_every_tree_through_its_own_format(treebanks: Path, file: str) -> None:
    """A file that is read, written in its own format and read again gives equal trees."""
    trees = list(read_trees(treebanks / file))
    format = guess_format(sources(str(treebanks / file))[0])
    assert through("export" if format == "alpino" else format, trees) == trees
