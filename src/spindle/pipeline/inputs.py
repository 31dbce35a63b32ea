"""Sentences to parse, read from files: raw text, words, tagged words, tables, CoNLL rows, or trees."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain
from pathlib import Path

from spindle.errors import TreebankError
from spindle.pipeline.rows import RowFields, row_sentences
from spindle.pipeline.sentence import Sentence, sentence_in
from spindle.tables import SKIPPED, Row, TableFormat, format_of_table, rows_in
from spindle.text import Lines, TextSplitter
from spindle.treebanks import ReadingReport, Source
from spindle.treebanks.files import (
    OnError,
    Progress,
    apply_error_policy,
    read_dependencies,
    read_trees,
    sources,
)
from spindle.treebanks.formats import DEPENDENCY_FORMATS, TREE_FORMATS, format_by_ending
from spindle.trees import Dependencies, Token

UNDECODED = "line with bytes that are not in the text's encoding"
UNTAGGED = "sentence with a word that has no tag, tagged anew"
EMPTY = Sentence(())
"""The sentence of an empty line."""
_BLANKS = re.compile(r"[ \t]+")
_UNDECODED = re.compile("[\ud800-\udfff]")


class InputKind(StrEnum):
    """What a file of sentences holds."""

    TEXT = "text"
    """Raw text, whose lines mean what `Lines` says."""
    TOKENS = "tokens"
    """Words separated by blanks, one sentence a line."""
    TAGGED = "tagged"
    """The same with words written as `word_TAG`."""
    JSONL = "jsonl"
    """A table in JSON Lines: raw text or words in one of its columns, as `RowFields` says."""
    CSV = "csv"
    """A table with commas."""
    TSV = "tsv"
    """A table with tabs."""
    PARQUET = "parquet"
    """A table in Parquet."""
    CONLLU = "conllu"
    """CoNLL-U or CoNLL-X rows."""
    TREES = "trees"
    """A treebank, of which the words are taken."""

    @property
    def is_table(self) -> bool:
        """Whether sentences are in the rows of a table."""
        return self in (InputKind.JSONL, InputKind.CSV, InputKind.TSV, InputKind.PARQUET)


def guess_kind(name: str, format: str | None = None) -> InputKind:
    """What a file holds, by the format that is given or by the ending of its name."""
    format = format or format_by_ending(name)
    if format in TREE_FORMATS or Path(name).is_dir():
        return InputKind.TREES
    if format in DEPENDENCY_FORMATS:
        return InputKind.CONLLU
    table = format_of_table(name)
    return InputKind.TEXT if table is None else InputKind(table)


def keeps_tags(kind: InputKind, tags: str | None, predicts_tags: bool, has_column: bool = False) -> bool:
    """Whether the tags of the input are kept: `tags` is "gold", "predicted", or None.

    None keeps the tags of tagged input and of a table whose column of tags was named (`has_column`); those of
    other input only if the model does not predict tags.
    """
    if tags is not None:
        return tags == "gold"
    return kind is InputKind.TAGGED or (kind.is_table and has_column) or not predicts_tags


@dataclass(frozen=True)
class InputReader:
    """Reads sentences; `progress` may wrap the items of a file, for a progress bar.

    `lines` tells what the end of a line means in raw text. A pipe cannot be looked at in advance, so there
    `Lines.AUTO` is `Lines.PARAGRAPH`: every line is answered when it arrives. Malformed input is handled as
    `on_error` says and recorded in `report`.
    """

    splitter: TextSplitter = TextSplitter()  # noqa: RUF009
    lines: Lines = Lines.AUTO
    format: str | None = None
    text_encoding: str | None = None
    on_error: OnError = "stop"
    report: ReadingReport = field(default_factory=ReadingReport)
    progress: Progress | None = None
    on_lines: Callable[[Source], None] = lambda _: None
    """Called with a source whose lines are about to be read; `Source.is_ready` tells if the next is there."""
    fields: RowFields = RowFields()  # noqa: RUF009
    """The columns of tables."""

    def read_file(self, file: str | Source, kind: InputKind) -> Iterator[Sentence]:
        """Yield the sentences of a file; an empty line yields a sentence without words."""
        how = (self.format, self.text_encoding, self.on_error, self.report, self.progress)
        if kind is InputKind.TREES:
            return map(Sentence.of, read_trees([file] if isinstance(file, Source) else file, *how))
        if kind is InputKind.CONLLU:
            return map(_from_rows, read_dependencies([file] if isinstance(file, Source) else file, *how))
        if kind.is_table:
            return self._read_tables(file, TableFormat(kind))
        source = file if isinstance(file, Source) else Source(file, self.text_encoding)
        return self._read_text(source) if kind is InputKind.TEXT else self._read_lines(source, kind)

    def read_argument(self, text: str, kind: InputKind, name: str) -> Iterator[Sentence]:
        """Yield the sentences of a text; `name` locates it in messages."""
        if kind is not InputKind.TEXT:
            for number, line in enumerate(text.splitlines() or [""], start=1):
                yield self.read_line(line, kind, name, number)
            return
        yield from self._sentences([text], self.lines) if text else [EMPTY]

    def _read_tables(self, file: str | Source, format: TableFormat) -> Iterator[Sentence]:
        for source in [file] if isinstance(file, Source) else sources(file, self.text_encoding):
            source.head()  # raises for a file that cannot be opened, whatever the error policy
            self.on_lines(source)
            sentences = self.read_rows(rows_in(source, format), source.name)
            yield from sentences if self.progress is None else self.progress(sentences, [source])

    def read_rows(self, rows: Iterable[Row | TreebankError], name: str) -> Iterator[Sentence]:
        """Yield the sentences of rows, at least one of each; `name` locates them in messages."""
        return apply_error_policy(self._sentences_of_rows(rows, name), self.on_error, self.report, SKIPPED)

    def _sentences_of_rows(
        self, rows: Iterable[Row | TreebankError], name: str
    ) -> Iterator[Sentence | TreebankError]:
        try:
            for number, row in enumerate(rows, start=1):
                if isinstance(row, TreebankError):
                    yield row
                    continue
                try:
                    found = row_sentences(row, self.fields, lambda text: self._sentences([text], self.lines))
                except TreebankError as error:
                    error.file, error.row = name, number
                    yield error
                else:
                    yield from found
        finally:
            if isinstance(rows, Generator):
                rows.close()  # closes the file now: the traceback of an error would keep it open

    def _read_text(self, source: Source) -> Iterator[Sentence]:
        self.on_lines(source)
        pieces = source.pieces()
        if self.progress is not None:
            pieces = self.progress(pieces, [source])
        pieces = self._decoded(pieces, source)
        first = next(pieces, None)
        if first is None:
            return
        is_blind = self.lines is Lines.AUTO and source.is_arriving
        yield from self._sentences(chain([first], pieces), Lines.PARAGRAPH if is_blind else self.lines)

    def _sentences(self, pieces: Iterable[str], lines: Lines) -> Iterator[Sentence]:
        for region in self.splitter.regions(pieces, lines):
            for words in region.sentences:
                yield sentence_in(region.text, words, region.start) if words else EMPTY

    def _decoded(self, pieces: Iterable[str], source: Source) -> Iterator[str]:
        """Replace undecodable bytes, one character each, and report the lines that have some."""
        number = 1
        for piece in pieces:
            if source.undecoded(piece, number):
                for line in piece.splitlines(keepends=True):
                    if error := source.undecoded(line, number):
                        self.report.add(UNDECODED, error)
                    number += line.endswith("\n")
                piece = _UNDECODED.sub("\N{REPLACEMENT CHARACTER}", piece)
            else:
                number += piece.count("\n")
            yield piece

    def _read_lines(self, source: Source, kind: InputKind) -> Iterator[Sentence]:
        self.on_lines(source)
        lines = source.lines(keep_undecoded=True)
        if self.progress is not None:
            lines = self.progress(lines, [source])
        for number, line in enumerate(lines, start=1):
            if error := source.undecoded(line, number):
                self.report.add(UNDECODED, error)
                line = line.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            yield self.read_line(line.removesuffix("\n"), kind, source.name, number)

    def read_line(self, line: str, kind: InputKind, name: str, number: int = 1) -> Sentence:
        """Return the sentence of a line of words; `name` and `number` locate it in messages."""
        words = [word for word in _BLANKS.split(line) if word]
        if kind is InputKind.TOKENS:
            return Sentence(tuple([Token(word) for word in words]))
        sentence = Sentence(tuple(map(_tagged, words)))
        if not sentence.is_tagged:
            bare = next(token.form for token in sentence.tokens if not token.tag)
            hint = "write every word as word_TAG"
            self.report.add(
                UNTAGGED, TreebankError(f"{bare!r} has no tag", file=name, line=number, hint=hint)
            )
        return sentence


def _tagged(word: str) -> Token:
    form, mark, tag = word.rpartition("_")
    return Token(form, tag) if mark and form else Token(word)


def _from_rows(rows: Dependencies) -> Sentence:
    tokens = tuple([Token(word.form, word.xpos or word.upos, word.lemma, word.feats) for word in rows.words])
    # Spindle's own comments describe the trees of this file, not the trees that will be parsed
    comments = [one for one in rows.comments if not one.startswith(("sent_id =", "spindle ", "spindle_"))]
    return Sentence(tokens, rows.id, tuple(comments))
