"""The arguments of `spindle parse`: files, `-`, and sentences typed on the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click

from spindle.cli.common import Reporter, note, progress
from spindle.pipeline import ParsingFace, Sentence
from spindle.pipeline.inputs import InputKind, InputReader, guess_kind, keeps_tags
from spindle.pipeline.rows import RowFields
from spindle.tables import TableFormat, read_columns
from spindle.text import Lines
from spindle.treebanks import Source
from spindle.treebanks.files import OnError
from spindle.treebanks.formats import DEPENDENCY_FORMATS

_BLANKS = re.compile(r"[ \t]+")


@dataclass(frozen=True)
class Arguments:
    """Reads the sentences of arguments. A `kind` of None is guessed; if `tags` is None, the kind decides."""

    parser: ParsingFace
    kind: InputKind | None
    tags: str | None
    format: str | None
    encoding: str | None
    on_error: OnError
    reporter: Reporter
    lines: Lines = Lines.AUTO
    fields: RowFields = RowFields()  # noqa: RUF009
    _sources: list[Source] = field(default_factory=list)

    def is_ready(self) -> bool:
        """Return whether the next line is there without waiting."""
        return not self._sources or self._sources[-1].is_ready()

    @property
    def _reader(self) -> InputReader:
        reader = InputReader(
            self.parser.splitter,
            self.lines,
            self.format,
            self.encoding,
            self.on_error,
            self.reporter.report,
            on_lines=self._sources.append,
            fields=self.fields,
        )
        return replace(reader, progress=progress) if self.reporter.shows_progress else reader

    def read(self, argument: str) -> Iterator[Sentence]:
        """Yield the sentences of an argument: of a file, of `-`, or of the argument itself."""
        kind = self._kind(argument)
        if is_text(argument):
            text = argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            return self._with_tags(self._reader.read_argument(text, kind, "<argument>"), kind)
        is_named = kind in (InputKind.TEXT, self.kind) or self.format is not None or self.fields.is_named
        if not is_named:
            note(f"{argument}: read as {kind}; set --input if this is wrong")
        return self._with_tags(self._reader.read_file(argument, kind), kind)

    def check(self, argument: str) -> None:
        """Raise a usage error for options that do not apply to an argument, before anything is written."""
        kind = self._kind(argument)
        if kind.is_table and is_text(argument):
            raise click.UsageError(f"--input {kind} reads files; a sentence is text, tokens or tagged.")
        if kind in (InputKind.TREES, InputKind.CONLLU):
            if is_text(argument):
                raise click.UsageError(f"--input {kind} reads files; a sentence is text, tokens or tagged.")
            if self.format is not None and (self.format in DEPENDENCY_FORMATS) != (kind == InputKind.CONLLU):
                raise click.UsageError(f"--from {self.format} does not go with --input {kind}.")
        elif self.format is not None:
            raise click.UsageError(f"--from {self.format} does not apply to --input {kind}.")
        has_text = kind is InputKind.TEXT or (kind.is_table and self.fields.tokens is None)
        if not has_text and self.lines is not Lines.AUTO:
            what = "--tokens-field" if kind.is_table else f"--input {kind}"
            raise click.UsageError(f"--lines applies to raw text, not to {what}.")
        has_no_tags = kind in (InputKind.TEXT, InputKind.TOKENS) or (kind.is_table and not self.fields.tags)
        if has_no_tags and self.tags == "gold":
            raise click.UsageError(f"--tags gold does not apply to --input {kind}, which has no tags.")

    def schema(self, arguments: Iterable[str]) -> Any:
        """Return the Arrow schema of the columns that are read; None unless a Parquet file has them."""
        argument = next(iter(arguments))
        is_parquet = self._kind(argument) is InputKind.PARQUET
        return read_columns(argument, TableFormat.PARQUET) if is_parquet else None

    def _kind(self, argument: str) -> InputKind:
        return kind_of(argument, self.kind, self.format)

    def _with_tags(self, sentences: Iterator[Sentence], kind: InputKind) -> Iterator[Sentence]:
        keeps = keeps_tags(kind, self.tags, self.parser.predicts_tags, self.fields.tags is not None)
        return sentences if keeps else (sentence.without_tags() for sentence in sentences)


def kind_of(argument: str, kind: InputKind | None, format: str | None) -> InputKind:
    """Return what an argument holds: what `--input` says, or what its form and its ending tell."""
    if kind is not None:
        return kind
    return InputKind.TEXT if is_text(argument) else guess_kind(argument, format)


def is_text(argument: str) -> bool:
    """Return whether an argument is a sentence: it contains a blank or is empty, and is not a file."""
    if argument and not _BLANKS.search(argument):
        return False
    try:
        return not argument or not Path(argument).exists()
    except (OSError, ValueError):  # too long for a name, or with a NUL
        return True
