"""What a parser has found, as columns of a table: one row per row that was read, or one per sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

from spindle.errors import SpindleError
from spindle.pipeline.analysis import Analysis
from spindle.pipeline.face import ParsingFace
from spindle.pipeline.sentence import Sentence
from spindle.tables import Row, Shape
from spindle.trees import Tree
from spindle.trees.records import node_records

OneRow: TypeAlias = Literal["document", "sentence"]
"""One row for each row that was read, whose columns have a list with an entry for each sentence; or one row
for each sentence."""
ONE_ROW: tuple[OneRow, ...] = get_args(OneRow)
NUMBER = "number"
"""The column with the number of a sentence in the row that was read, from 1, or in an input without rows; for
rows of sentences only."""


@dataclass(frozen=True)
class Column:
    """A column: its meaning, the shape of its values, and the value for a sentence.

    `of` takes the analysis, which has a tree, and the function that writes a tree.
    """

    meaning: str
    shape: Shape
    of: Callable[[Analysis, Callable[[Tree], str]], Any]
    empty: Any = None
    """The value for a sentence without words."""


def _offsets(analysis: Analysis) -> list[list[int]] | None:
    start = analysis.sentence.text_start
    return [[start + span.start, start + span.end] for span in analysis.sentence.spans] or None


def _constituents(analysis: Analysis) -> list[dict[str, Any]]:
    """Return the records of `Analysis.to_dict` with all fields, and with offsets in the text."""
    best = analysis.candidates[0]
    places = _offsets(analysis)
    records = node_records(best.tree)
    confidences = best.confidences or (None,) * len(records)
    for record, confidence in zip(records, confidences, strict=True):
        first, last = record["tokens"][0], record["tokens"][-1]
        record |= {
            "function": record.get("function", ""),
            "start": None if places is None else places[first][0],
            "end": None if places is None else places[last][1],
            "confidence": None if confidence is None else round(confidence, 4),
        }
    return records


def _heads(analysis: Analysis) -> list[int]:
    return [head + 1 for head in analysis.candidates[0].dtree.heads]


CONSTITUENT: dict[str, Shape] = {
    "label": str,
    "parent": int,
    "tokens": [int],
    "function": str,
    "start": int,
    "end": int,
    "confidence": float,
}
COLUMNS = {
    "sentence": Column("the sentence as it is in the text", str, lambda found, _: found.text, ""),
    "tokens": Column("its words", [str], lambda found, _: [token.form for token in found.tokens], empty=[]),
    "tags": Column("their tags", [str], lambda found, _: [token.tag for token in found.tokens], empty=[]),
    "offsets": Column(
        "the first character of each word in the text, and the one after its last; null if there is no text",
        [[int]],
        lambda found, _: _offsets(found),
        empty=[],
    ),
    "tree": Column(
        "the tree in brackets, discbracket if the model is discontinuous",
        str,
        lambda found, write: write(found.candidates[0].tree),
    ),
    "heads": Column(
        "the head of each word by its number, from 1; 0 for the word without a head",
        [int],
        lambda found, _: _heads(found),
        empty=[],
    ),
    "constituents": Column(
        "all constituents, parents before children: label, number of the parent (from 0, -1 at the top), "
        "positions of the words, function, start and end in the text, confidence",
        [CONSTITUENT],
        lambda found, _: _constituents(found),
        empty=[],
    ),
    "trees": Column(
        "the best trees, the best first",
        [str],
        lambda found, write: [write(one.tree) for one in found.candidates],
        empty=[],
    ),
    "scores": Column(
        "their scores",
        [float],
        lambda found, _: [one.score for one in found.candidates],
        empty=[],
    ),
}
"""The columns that can be added to a table, by name."""
USUAL = ("sentence", "tokens", "tags", "offsets", "tree")
OF_WORDS = ("tags", "tree")
"""The usual columns of a table that has the words already."""
OF_K_BEST = ("trees", "scores")


def usual_columns(
    *, has_words: bool = False, has_tags: bool = False, k: int = 1, scores: bool = False
) -> tuple[str, ...]:
    """Return the names of the columns that are added unless some are named."""
    names = tuple(name for name in OF_WORDS if name != "tags" or not has_tags) if has_words else USUAL
    return (*names, *(OF_K_BEST if k > 1 else ()), *(("constituents",) if scores else ()))


def usual_one_row(reads_tables: bool) -> OneRow:
    """Return what a row is unless it is chosen: that of a table that is read, or else a sentence."""
    return "document" if reads_tables else "sentence"


def check_columns(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of columns; a `SpindleError` for one that does not exist."""
    names = tuple(names)
    if unknown := next((name for name in names if name not in COLUMNS), None):
        raise SpindleError(f"there is no column {unknown!r} to add", hint=f"choose from {', '.join(COLUMNS)}")
    return names


@dataclass
class RowBuilder:
    """Makes rows of analyses: the columns that were read, then the columns that are added.

    A sentence that comes from no table has a row with its id. `prefix` is put before the names of the added
    columns. The sentences of a row must come one after the other.
    """

    write_tree: Callable[[Tree], str]
    columns: Sequence[str] = USUAL
    one_row: OneRow = "document"
    prefix: str = ""
    _waiting: list[list[Any]] = field(default_factory=list, init=False, repr=False)

    @classmethod
    def for_parser(
        cls,
        parser: ParsingFace,
        columns: Iterable[str],
        one_row: OneRow = "document",
        prefix: str = "",
    ) -> RowBuilder:
        """Return a builder that writes trees in brackets, as discbracket if the parser is discontinuous."""
        if one_row not in ONE_ROW:
            raise SpindleError(f"{one_row!r} is no kind of rows", hint=f"choose one of {', '.join(ONE_ROW)}")
        format = "bracket" if parser.settings.mode == "continuous" else "discbracket"
        return cls(lambda tree: tree.to_string(format), check_columns(columns), one_row, prefix)

    @cached_property
    def shapes(self) -> dict[str, Shape]:
        """Return the shapes of the values of the added columns, by full name."""
        is_list = self.one_row == "document"
        shapes: dict[str, Shape] = {} if is_list else {self.prefix + NUMBER: int}
        for name in self.columns:
            shape = COLUMNS[name].shape
            shapes[self.prefix + name] = [shape] if is_list else shape
        return shapes

    def completes(self, sentence: Sentence) -> bool:
        """Return whether a row is complete with this sentence."""
        return self.one_row == "sentence" or sentence.place is None or sentence.place.is_last

    def add(self, analysis: Analysis, number: int) -> Row | None:
        """Return the row that is complete with this analysis; None if more sentences follow in it.

        `number` names a sentence that has no id and is in no table.
        """
        place = analysis.sentence.place
        values = self._values(analysis)
        if self.one_row == "sentence":
            at = number if place is None else place.number
            return self._row(analysis, number, [at if analysis.candidates else None, *values])
        self._waiting.append(values)
        if not self.completes(analysis.sentence):
            return None
        found, self._waiting = self._waiting, []
        if len(found) == 1 and not analysis.candidates:
            found = []
        return self._row(analysis, number, [[values[at] for values in found] for at in range(len(values))])

    def rows(self, analyses: Iterable[Analysis], done: int = 0) -> Iterator[Row]:
        """Yield the rows of analyses, which follow `done` others."""
        for number, analysis in enumerate(analyses, start=done + 1):
            row = self.add(analysis, number)
            if row is not None:
                yield row

    def _values(self, analysis: Analysis) -> list[Any]:
        columns = [COLUMNS[name] for name in self.columns]
        if not analysis.candidates:
            return [column.empty for column in columns]
        return [column.of(analysis, self.write_tree) for column in columns]

    def _row(self, analysis: Analysis, number: int, values: list[Any]) -> Row:
        place = analysis.sentence.place
        kept = {"id": analysis.sentence.id or str(number)} if place is None else place.row
        return {**kept, **dict(zip(self.shapes, values, strict=True))}
