"""Sentences that a person annotates: a tree and a state for each, in a file that only grows.

The file has one JSON object a line. The first is a header; every other one is a version of a sentence, and
the last version counts. A line that was cut off when the machine stopped is ignored. When a file is opened,
old versions are dropped.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, Literal, TypeAlias

from spindle.errors import SpindleError
from spindle.models.schema import Schema, flag, items, nullable, record, text, whole
from spindle.models.schema import number as finite
from spindle.outputs import replacing
from spindle.trees import Tree
from spindle.web.reading import Refusal

VERSION = 1
MOST_REVISIONS = 1 << 40


def _any_tree(value: Any, place: str) -> None:
    """Accept what `Tree.from_dict` checks."""


_LINE: Schema = record(
    {
        "number": whole(1),
        "tree": _any_tree,
        "done": flag(),
        "maker": text(),
        "confidences": nullable(items(finite(), at_most=1 << 31)),
        "revision": whole(1, MOST_REVISIONS),
    }
)
_DAMAGE = (KeyError, TypeError, AttributeError, ValueError, OverflowError, RecursionError)
"""What reading a line raises that was not written here."""
Order = Literal["confidence", "file"]
"""The least confident sentences first, or the order of the file."""
State = Literal["open", "done", "all"]


@dataclass(frozen=True)
class AnnotatedSentence:
    """A sentence: its tree, who made it, whether a person is done with it, and how sure the model was.

    `revision` counts the versions, so that a page cannot overwrite what another one has saved.
    """

    tree: Tree
    is_done: bool = False
    maker: str = ""
    """The name of the model that made the tree; empty for a person or a file."""
    confidences: tuple[float, ...] | None = None
    """Those of the nodes, if a model made the tree and gives them."""
    revision: int = 1

    @cached_property
    def confidence(self) -> float | None:
        """The confidence of the whole tree."""
        return None if self.confidences is None else sentence_confidence(self.confidences)

    def to_dict(self) -> dict[str, Any]:
        """Return a line of the file."""
        found: dict[str, Any] = {"tree": self.tree.to_dict(), "done": self.is_done, "maker": self.maker}
        return {**found, "confidences": self.confidences, "revision": self.revision}

    @classmethod
    def from_dict(cls, line: Any) -> AnnotatedSentence:
        """Return the sentence of a line."""
        _LINE(line, "the line")
        given = line["confidences"]
        tree = Tree.from_dict(line["tree"])
        "".join(tree.strings()).encode()  # raises an error for half a character, which no answer could hold
        return cls(tree, line["done"], line["maker"], given and tuple(given), line["revision"])


def sentence_confidence(confidences: Sequence[float]) -> float:
    """Return the confidence of a tree: the geometric mean of those of its nodes.

    So long sentences are not less certain because they are long.

    >>> sentence_confidence([0.5, 0.5]), sentence_confidence([])
    (0.5, 1.0)
    """
    if not confidences:
        return 1.0
    return math.exp(sum(math.log(max(one, 1e-6)) for one in confidences) / len(confidences))


Suggestion: TypeAlias = tuple[int, Tree, tuple[float, ...] | None]
"""The number of a sentence, a tree of a model, and the confidences of its nodes."""


@dataclass(eq=False)
class Annotation:
    """The sentences of one file."""

    name: str
    path: Path
    sentences: list[AnnotatedSentence]
    _lock: Lock = field(default_factory=Lock)

    @classmethod
    def create(cls, name: str, path: Path, trees: Iterable[Tree]) -> Annotation:
        """Begin a file."""
        made = cls(name, path, [AnnotatedSentence(tree.replace(heads=None)) for tree in trees])
        made._rewrite()
        return made

    @classmethod
    def read(cls, name: str, path: Path) -> Annotation:
        """Open a file; old versions of its sentences are dropped."""
        found: dict[int, AnnotatedSentence] = {}
        lines = 0
        with open(path, "rb") as file:
            header = _record(file.readline())
            if not isinstance(header, dict) or header.get("version") != VERSION:
                raise SpindleError(f"{path.name}: this is not an annotation of this version of Spindle")
            for lines, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    break  # cut off
                try:
                    one = json.loads(line.decode())
                    sentence = AnnotatedSentence.from_dict(one)
                    found[one["number"]] = sentence
                except (*_DAMAGE, SpindleError) as error:
                    raise SpindleError(f"{path.name}:{lines + 1}: {error}") from None
        if sorted(found) != list(range(1, len(found) + 1)):
            raise SpindleError(f"{path.name}: sentences are missing")
        made = cls(name, path, [found[number] for number in sorted(found)])
        if lines > len(found):
            made._rewrite()
        return made

    def _rewrite(self) -> None:
        with replacing(self.path) as file:
            file.write((json.dumps({"spindle": "annotation", "version": VERSION}) + "\n").encode())
            for number, sentence in enumerate(self.sentences, start=1):
                file.write(_line(number, sentence).encode())

    def to_dict(self) -> dict[str, Any]:
        """Return what a page needs to know."""
        done = sum(one.is_done for one in self.sentences)
        confident = [one.confidence for one in self.sentences if one.confidence is not None]
        return {
            "name": self.name,
            "sentences": len(self.sentences),
            "done": done,
            "words": sum(len(one.tree) for one in self.sentences if one.is_done),
            "confidence": sum(confident) / len(confident) if confident else None,
        }

    def __getitem__(self, number: int) -> AnnotatedSentence:
        if not 1 <= number <= len(self.sentences):
            raise Refusal(404, f"this annotation has {len(self.sentences):,} sentences")
        return self.sentences[number - 1]

    def numbers(self, state: State, order: Order) -> list[int]:
        """Return the numbers of sentences in a state, in an order; those without confidence come last."""
        found = [
            number
            for number, one in enumerate(self.sentences, start=1)
            if state == "all" or one.is_done == (state == "done")
        ]
        if order == "confidence":
            found.sort(key=lambda number: _rank(self.sentences[number - 1]))
        return found

    def trees(self, state: State) -> Iterator[Tree]:
        """Yield the trees of sentences in a state, in the order of the file."""
        return (self[number].tree for number in self.numbers(state, "file"))

    def save(self, number: int, tree: Tree, is_done: bool, revision: int) -> AnnotatedSentence:
        """Store the tree of a person, unless another was stored after `revision`."""
        with self._lock:
            before = self[number]
            if before.revision != revision:
                raise Refusal(409, "this sentence was changed elsewhere since you opened it; open it again")
            if [token.form for token in tree.tokens] != [token.form for token in before.tree.tokens]:
                raise Refusal(400, "the tree has other words than the sentence")
            kept = tree.replace(heads=None, id=before.tree.id, comments=before.tree.comments)
            after = AnnotatedSentence(kept, is_done, revision=revision + 1)
            self._append([(number, after)])
            return after

    def suggest(self, found: Iterable[Suggestion], maker: str) -> int:
        """Store trees of a model for sentences that no person has changed; return how many."""
        with self._lock:
            changed = []
            for number, tree, confidences in found:
                before = self[number]
                if before.is_done or (before.revision > 1 and not before.maker):
                    continue
                tree = tree.replace(heads=None, id=before.tree.id, comments=before.tree.comments)
                rounded = None if confidences is None else tuple([round(one, 4) for one in confidences])
                after = AnnotatedSentence(tree, False, maker, rounded, before.revision + 1)
                changed.append((number, after))
            self._append(changed)
            return len(changed)

    def _append(self, changed: Sequence[tuple[int, AnnotatedSentence]]) -> None:
        """Write new versions, then use them."""
        text = "".join(_line(number, sentence) for number, sentence in changed)
        if text:
            _append(self.path, text)
        for number, sentence in changed:
            self.sentences[number - 1] = sentence


def _rank(sentence: AnnotatedSentence) -> float:
    return 2.0 if sentence.confidence is None else sentence.confidence


def _line(number: int, sentence: AnnotatedSentence) -> str:
    return json.dumps({"number": number, **sentence.to_dict()}, ensure_ascii=False) + "\n"


def _record(line: bytes) -> Any:
    try:
        return json.loads(line.decode())
    except _DAMAGE:
        return None


def _append(path: Path, text: str) -> None:
    """Add text to a file and wait until it is on the disk; a link is not followed."""
    try:
        number = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
        with open(number, "r+b") as file:
            _cut_unfinished_line(file)
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise SpindleError(f"{path.name}: {error.strerror}") from None


def _cut_unfinished_line(file: Any) -> None:
    """Go to the end of a file, without the part of a line that a full disk has left there."""
    end = file.seek(0, os.SEEK_END)
    while end:
        start = max(0, end - 4096)
        file.seek(start)
        at = file.read(end - start).rfind(b"\n")
        if at >= 0:
            end = start + at + 1
            break
        end = start
    file.seek(end)
    file.truncate()
