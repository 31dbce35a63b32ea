"""Random trees with everything that export and TIGER-XML can represent; helpers to read and write them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hypothesis import strategies as st

from spindle.errors import TreebankError
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
from spindle.trees import SecondaryEdge, Tree
from support.strategies import FORMS, texts, tokens, trees

Reader = Callable[[Source, ReadingReport], Iterator[Tree | TreebankError]]

# `--` means "not given" in these formats, so only a form can have this value.
VALUES = texts(" ").filter(lambda text: text != "--")
MAYBE = st.just("") | VALUES
ODD_FORMS = ("%%", "%% a", "#", "#5", "#500", "#501", "#999", "#BOS", "#EOS", "#BOS 1", "#FORMAT", " ", "a b")

ODD_COMMENTS = ("", "--", "export_id = 7", "export_words = 7", "tiger_id = 7", "tiger_function = X")


@st.composite
def graph_trees(draw: st.DrawFn) -> Tree:
    """A tree with an id, edge labels, lemmas, morphology, secondary edges and comments."""
    forms = st.sampled_from((*FORMS, *ODD_FORMS)) | texts(" ")
    words = tokens(forms, MAYBE, MAYBE, MAYBE, MAYBE)
    tree = draw(trees(labels=MAYBE, tokens=words, functions=MAYBE))
    edges = []
    if tree.labels:
        vertices = st.integers(0, len(tree) + len(tree.labels) - 1)
        labels = MAYBE.filter(lambda label: not label.startswith("%%"))
        parents = st.integers(0, len(tree.labels) - 1)
        edges = draw(st.lists(st.builds(SecondaryEdge, labels, vertices, parents), max_size=3))
    comments = draw(st.lists(st.sampled_from(ODD_COMMENTS) | texts(" "), max_size=3))
    return tree.replace(id=draw(texts(" ")), comments=tuple(comments), secondary=tuple(sorted(edges)))


def read(reader: Reader, text: str) -> tuple[list[Tree], list[TreebankError], dict[str, int]]:
    """Read a text; return the trees, the errors and the counts of the remarks."""
    report = ReadingReport()
    items = list(reader(Source.from_text(text, "test"), report))
    return (
        [item for item in items if isinstance(item, Tree)],
        [item for item in items if isinstance(item, TreebankError)],
        dict(report.counts),
    )


def shape(tree: Tree) -> str:
    """Return a tree in brackets, with positions instead of words: `S(0 NP(1 2))`."""
    size = len(tree)
    texts = [str(position) for position in range(size)] + list(tree.labels)
    for node in reversed(range(len(tree.labels))):
        texts[size + node] += f"({' '.join(texts[child] for child in tree.children[node])})"
    return texts[size] if tree.labels else texts[0]


def read_only(reader: Reader, text: str) -> Tree:
    """Return the only tree of a text; reading must give no errors and no remarks."""
    trees, errors, counts = read(reader, text)
    assert (errors, counts) == ([], {})
    assert len(trees) == 1
    return trees[0]
