"""Sentences to parse, read from files: raw text, words, tagged words, CoNLL rows, or trees."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from spindle.errors import TreebankError
from spindle.pipeline.sentence import Sentence, split_text
from spindle.text import ENGLISH, TokenizationStyle
from spindle.treebanks import ReadingReport, Source
from spindle.treebanks.files import OnError, Progress, read_dependencies, read_trees
from spindle.treebanks.formats import DEPENDENCY_FORMATS, TREE_FORMATS, format_by_ending
from spindle.trees import Dependencies, Token

UNDECODED = "line with bytes that are not in the text's encoding"
UNTAGGED = "sentence with a word that has no tag, tagged anew"
EMPTY = Sentence(())
"""The sentence of an empty line."""
_BLANKS = re.compile(r"[ \t]+")


class InputKind(StrEnum):
    """What a file of sentences holds."""

    TEXT = "text"
    """Raw text; a sentence ends at the end of its line at the latest."""
    TOKENS = "tokens"
    """Words separated by blanks, one sentence a line."""
    TAGGED = "tagged"
    """The same with words written as `word_TAG`."""
    CONLLU = "conllu"
    """CoNLL-U or CoNLL-X rows."""
    TREES = "trees"
    """A treebank, of which the words are taken."""


def guess_kind(name: str, format: str | None = None) -> InputKind:
    """What a file holds, by the format that is given or by the ending of its name."""
    format = format or format_by_ending(name)
    if format in TREE_FORMATS or Path(name).is_dir():
        return InputKind.TREES
    return InputKind.CONLLU if format in DEPENDENCY_FORMATS else InputKind.TEXT


@dataclass(frozen=True)
class InputReader:
    """Reads sentences; `progress` may wrap the items of a file, for a progress bar.

    Malformed input is handled as `on_error` says and recorded in `report`.
    """

    style: TokenizationStyle = ENGLISH
    format: str | None = None
    text_encoding: str | None = None
    on_error: OnError = "stop"
    report: ReadingReport = field(default_factory=ReadingReport)
    progress: Progress | None = None
    on_lines: Callable[[Source], None] = lambda _: None
    """Called with a source whose lines are about to be read; `Source.is_ready` tells if the next is there."""

    def read_file(self, name: str, kind: InputKind) -> Iterator[Sentence]:
        """Yield the sentences of a file; an empty line yields a sentence without words."""
        how = (self.format, self.text_encoding, self.on_error, self.report, self.progress)
        if kind is InputKind.TREES:
            return map(Sentence.of, read_trees(name, *how))
        if kind is InputKind.CONLLU:
            return map(_from_rows, read_dependencies(name, *how))
        return self._read_lines(name, kind)

    def _read_lines(self, name: str, kind: InputKind) -> Iterator[Sentence]:
        source = Source(name, self.text_encoding)
        self.on_lines(source)
        lines = source.lines(keep_undecoded=True)
        if self.progress is not None:
            lines = self.progress(lines, [source])
        for number, line in enumerate(lines, start=1):
            if error := source.undecoded(line, number):
                self.report.add(UNDECODED, error)
                line = line.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            yield from self.read_line(line.removesuffix("\n"), kind, name, number)

    def read_line(self, line: str, kind: InputKind, name: str, number: int = 1) -> Iterator[Sentence]:
        """Yield the sentences of one line; `name` and `number` locate it in messages."""
        if kind is InputKind.TEXT:
            yield from split_text(line, self.style) or [EMPTY]
            return
        words = [word for word in _BLANKS.split(line) if word]
        if kind is InputKind.TOKENS:
            yield Sentence(tuple([Token(word) for word in words]))
            return
        sentence = Sentence(tuple(map(_tagged, words)))
        if not sentence.is_tagged:
            bare = next(token.form for token in sentence.tokens if not token.tag)
            hint = "write every word as word_TAG"
            self.report.add(
                UNTAGGED, TreebankError(f"{bare!r} has no tag", file=name, line=number, hint=hint)
            )
        yield sentence


def _tagged(word: str) -> Token:
    form, mark, tag = word.rpartition("_")
    return Token(form, tag) if mark and form else Token(word)


def _from_rows(rows: Dependencies) -> Sentence:
    tokens = tuple([Token(word.form, word.xpos or word.upos, word.lemma, word.feats) for word in rows.words])
    # Spindle's own comments describe the trees of this file, not the trees that will be parsed
    comments = [one for one in rows.comments if not one.startswith(("sent_id =", "spindle ", "spindle_"))]
    return Sentence(tokens, rows.id, tuple(comments))
