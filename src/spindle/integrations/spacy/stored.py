"""The analyses of a spaCy document: how they are stored in it, and how they are found again.

A sentence is stored as plain lists in `doc.user_data`, as the value of the attribute `span._.spindle`. So
spaCy itself carries it through `to_bytes`, `DocBin`, `Doc.from_docs` and other processes. Trees are built
from the lists when an attribute is used, and kept as long as the document lives.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

from spindle.errors import TreeError
from spindle.pipeline import Analysis, Candidate
from spindle.trees import Leaf, Node, Token, Tree
from spindle.trees.nodes import ROOT
from spindle.trees.wrapper import WRAPPER_LABELS

NAME = "spindle"
"""The extension attribute of spans that holds the record of a sentence."""

Record = Mapping[str, Any]
Vertex = Node | Leaf


def record_of(analysis: Analysis, words: Sequence[int]) -> Record:
    """Return the record of a sentence; `words` are the places of its words among its tokens."""
    return {"words": tuple(words), "trees": [_tree_record(one) for one in analysis.candidates]}


def _tree_record(candidate: Candidate) -> Record:
    tree = candidate.tree
    record: dict[str, Any] = {
        "labels": tree.labels,
        "parents": tree.parents,
        "leaf_parents": tree.leaf_parents,
        "tags": tuple([token.tag for token in tree.tokens]),
        "heads": tree.heads,
    }
    if any(tree.functions) or any(token.function for token in tree.tokens):
        record["functions"] = tree.functions
        record["edges"] = tuple([token.function for token in tree.tokens])
    if candidate.confidences is not None:
        record["confidences"] = candidate.confidences
    if candidate.score is not None:
        record["score"] = candidate.score
    return record


def store(doc: Any, start: int, end: int, record: Record) -> None:
    """Store the record of the sentence from token `start` up to token `end`."""
    last = doc[end - 1]
    doc.user_data["._.", NAME, doc[start].idx, last.idx + len(last)] = record


def forget(doc: Any) -> None:
    """Remove all records of a document."""
    _known.pop(doc, None)
    for key in [key for key in doc.user_data if _is_ours(key)]:
        del doc.user_data[key]


@dataclass(frozen=True, eq=False)
class ParsedSentence:
    """The trees of a sentence; `words` are the numbers of its words among the tokens of the document.

    Tokens that are only white space are no words. `tree` is the best tree without its wrapper.
    """

    start: int
    end: int
    words: tuple[int, ...]
    trees: tuple[Tree, ...]
    tree: Tree
    scores: tuple[float | None, ...]
    confidences: tuple[float, ...] | None

    @cached_property
    def chains(self) -> dict[tuple[int, int], list[Vertex]]:
        """The constituents that cover words `i` up to `j` of the sentence without a gap, the topmost first.

        Every word is a constituent.
        """
        found: dict[tuple[int, int], list[Vertex]] = {}
        for node in self.tree.nodes():
            if node.is_continuous:
                found.setdefault(node.span, []).append(node)
        for leaf in self.tree.leaves:
            found.setdefault(leaf.span, []).append(leaf)
        return found

    def tokens_of(self, span: tuple[int, int]) -> tuple[int, int]:
        """Return the tokens of the document that words `i` up to `j` of the sentence cover."""
        return self.words[span[0]], self.words[span[1] - 1] + 1

    def words_in(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the words between two tokens of the document; None if there is white space only."""
        found = [rank for rank, word in enumerate(self.words) if start <= word < end]
        return (found[0], found[-1] + 1) if found else None

    def confidence(self, vertex: Vertex) -> float | None:
        """Return the confidence of a node, if it is known."""
        if self.confidences is None or isinstance(vertex, Leaf):
            return None
        return self.confidences[vertex.number]


def sentences(doc: Any) -> list[ParsedSentence]:
    """Return the parsed sentences of a document, in order."""
    # merging tokens, or reading other data into the document, changes one of these numbers
    state = len(doc), len(doc.user_data)
    known = _known.get(doc)
    if known is not None and known[0] == state:
        return known[1]
    layout = _Layout.of(doc)
    # `span.as_doc(copy_user_data=True)` also copies the records of other sentences
    keys = sorted(
        (key for key in doc.user_data if _is_ours(key) and key[2] >= 0 and key[3] <= len(layout.text)),
        key=lambda key: key[2:],
    )
    found = [_sentence(doc, layout, key[2], key[3], doc.user_data[key]) for key in keys]
    _known[doc] = state, found
    return found


def sentence_at(doc: Any, token: int) -> ParsedSentence | None:
    """Return the parsed sentence that a token belongs to."""
    known = sentences(doc)
    at = bisect_right(known, token, key=lambda one: one.start) - 1
    return known[at] if at >= 0 and token < known[at].end else None


# The values must not refer to their keys, or documents would never be freed.
_known: WeakKeyDictionary[Any, tuple[tuple[int, int], list[ParsedSentence]]] = WeakKeyDictionary()


def _is_ours(key: object) -> bool:
    return isinstance(key, tuple) and len(key) == 4 and key[:2] == ("._.", NAME)


@dataclass(frozen=True)
class _Layout:
    """The text of a document and the places of its tokens, computed once for all sentences."""

    text: str
    offsets: list[tuple[int, int]]

    @classmethod
    def of(cls, doc: Any) -> _Layout:
        return cls(doc.text, [(token.idx, token.idx + len(token)) for token in doc])

    def tokens(self, first: int, last: int) -> tuple[int, int] | None:
        """Return the tokens of some characters; None if a token begins before or ends after them."""
        start = bisect_left(self.offsets, first, key=lambda one: one[0])
        end = bisect_left(self.offsets, last, key=lambda one: one[1]) + 1
        if not start < end <= len(self.offsets):
            return None
        is_whole = self.offsets[start][0] == first and self.offsets[end - 1][1] == last
        return (start, end) if is_whole else None


def _sentence(doc: Any, layout: _Layout, first: int, last: int, record: Record) -> ParsedSentence:
    found = layout.tokens(first, last)
    start, end = found or (0, 0)
    if len(record["words"]) != sum(not doc[number].is_space for number in range(start, end)):
        raise TreeError(
            f"the tokens of characters {first} to {last} have changed since they were parsed",
            hint="merge or split tokens before the component `spindle`",
        )
    words = tuple([start + place for place in record["words"]])
    trees = tuple([_tree(doc, layout, words, one) for one in record["trees"]])
    best = record["trees"][0]
    tree, above = _unwrapped(trees[0])
    confidences = best.get("confidences")
    scores = tuple([one.get("score") for one in record["trees"]])
    return ParsedSentence(
        start,
        end,
        words,
        trees,
        tree,
        scores,
        None if confidences is None else tuple(confidences[above:]),
    )


def _tree(doc: Any, layout: _Layout, words: Sequence[int], record: Record) -> Tree:
    edges = record.get("edges") or [""] * len(words)
    found = [doc[word] for word in words]
    heads = record["heads"]
    tree = Tree(
        tuple(
            [
                Token(flat(word.text), tag, function=edge)
                for word, tag, edge in zip(found, record["tags"], edges, strict=True)
            ]
        ),
        tuple(record["labels"]),
        tuple(record["parents"]),
        tuple(record["leaf_parents"]),
        tuple(record.get("functions", ())),
        heads=None if heads is None else tuple(heads),
    )
    return tree.with_text(layout.text, [layout.offsets[word] for word in words])


def flat(form: str) -> str:
    """Return a form without tabs and line breaks, which a tree cannot contain.

    >>> flat("New\\nYork")
    'New York'
    """
    return " ".join(form.split()) if "\n" in form or "\t" in form or "\r" in form else form


def _unwrapped(tree: Tree) -> tuple[Tree, int]:
    """Return the tree without wrappers that have one child, and the number of them."""
    top = 0
    while top < len(tree.labels) and tree.labels[top] in WRAPPER_LABELS and len(tree.children[top]) == 1:
        top += 1  # the number of an only child is one more than that of its parent
    if top == 0:
        return tree, 0
    columns = {
        name: tuple([ROOT if parent < top else parent - top for parent in parents])
        for name, parents in (("parents", tree.parents[top:]), ("leaf_parents", tree.leaf_parents))
    }
    kept = {"labels": tree.labels[top:], "functions": tree.functions[top:]}
    heads = None if tree.heads is None else tree.heads[top:]
    return tree.replace(**kept, **columns, heads=heads), top
