"""The plan of a corpus: partitions, each of which becomes one part of the output.

The same files and the same size give the same plan, on any machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from spindle.errors import SpindleError
from spindle.pipeline.inputs import InputKind, guess_kind
from spindle.scale.borders import (
    FindBorder,
    blank_line_border,
    can_be_cut,
    line_border,
    region_border,
    row_borders,
)
from spindle.scale.files import CorpusFile
from spindle.tables.parquet import row_groups
from spindle.text import Lines
from spindle.treebanks.source import SAMPLE_BYTES

DEFAULT_SIZE = "4MB"
MIN_SIZE = SAMPLE_BYTES
"""A partition of raw text has at least a piece, because borders are looked for piece by piece."""
DELIMITERS = {InputKind.CSV: ",", InputKind.TSV: "\t"}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kMGT]?)i?B?", re.IGNORECASE)
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


class Slice(NamedTuple):
    """A part of a file: its bytes from `start` to `end`, or the whole file if `end` is None.

    `end` is None for a file that cannot be cut: compressed files, treebanks, and text in an encoding in which
    a byte does not show whether it ends a line.
    """

    file: CorpusFile
    kind: InputKind
    text_encoding: str | None
    start: int = 0
    end: int | None = None
    head: int = 0
    """The length of the head of the file, which belongs to every slice: the names of CSV columns."""
    groups: tuple[int, ...] = ()
    """The row groups of a Parquet file; `start` and `end` say about where they are."""

    @property
    def size(self) -> int:
        """The number of bytes, as they are stored."""
        return (self.file.size if self.end is None else self.end) - self.start

    def to_json(self) -> list[object]:
        """Return the slice as it is written in the manifest."""
        return [self.file.name, self.start, self.file.size if self.end is None else self.end]


@dataclass(frozen=True)
class Partition:
    """What one worker parses at a time, and one part of the output."""

    number: int
    slices: tuple[Slice, ...]

    @property
    def size(self) -> int:
        """The number of bytes of input."""
        return sum(one.size for one in self.slices)


@dataclass(frozen=True)
class Cutting:
    """How files are cut: what they hold, and about how many bytes a partition has."""

    size: int
    kind: InputKind | None = None
    lines: Lines = Lines.AUTO
    format: str | None = None
    text_encoding: str | None = None

    def plan(self, files: Iterable[CorpusFile]) -> Iterator[Partition]:
        """Yield the partitions. Small files share a partition; large ones are cut."""
        number = total = 0
        waiting: list[Slice] = []
        for one in (one for file in files for one in self.slices(file)):
            if waiting and total + one.size > self.size:
                yield Partition(number, tuple(waiting))
                number, total, waiting = number + 1, 0, []
            waiting.append(one)
            total += one.size
        if waiting:
            yield Partition(number, tuple(waiting))

    def slices(self, file: CorpusFile) -> Iterator[Slice]:
        """Yield the slices of a file, of which each fits into a partition if the file can be cut."""
        kind = self.kind or guess_kind(file.name, self.format)
        encoding = self._encoding(file, kind)
        whole = Slice(file, kind, encoding)
        if encoding is None or file.is_compressed or not can_be_cut(encoding):
            yield whole
            return
        if kind is InputKind.PARQUET:
            yield from self._groups(whole)
            return
        if kind in DELIMITERS:
            head, *inner = [*row_borders(file, self.size, encoding, DELIMITERS[kind]), file.size]
            whole = whole._replace(head=head if inner else 0)
            borders = [0, *inner] if inner else [0, head]
        else:
            borders = [0, *self._borders(file, kind, encoding), file.size]
        for start, end in pairwise(borders):
            if start < end or not file.size:
                yield whole._replace(start=start, end=end)

    def _groups(self, whole: Slice) -> Iterator[Slice]:
        """Yield slices of row groups, which are not cut."""
        found = row_groups(whole.file.source(None))
        total, done, start, waiting = max(sum(found), 1), 0, 0, []
        for number, size in enumerate(found):
            waiting.append(number)
            done += size
            end = whole.file.size * done // total
            if end - start >= self.size or number + 1 == len(found):
                yield whole._replace(start=start, end=end, groups=tuple(waiting))
                start, waiting = end, []

    def _encoding(self, file: CorpusFile, kind: InputKind) -> str | None:
        """Return the text encoding of a file; its parts alone might look like another."""
        if kind is InputKind.TREES:  # its reader has an opinion of its own
            return self.text_encoding
        if kind is InputKind.PARQUET:
            return "utf-8"
        return file.source(self.text_encoding).detected_encoding()

    def _borders(self, file: CorpusFile, kind: InputKind, encoding: str) -> Iterator[int]:
        find = self._find(kind, encoding)
        # the border is behind the place, so that the place is a little before the end of a partition
        step = max(self.size // SAMPLE_BYTES, 1) * SAMPLE_BYTES
        at = step
        while at < file.size:
            border = find(file, at - SAMPLE_BYTES)
            if border is None or border >= file.size:
                return
            yield border
            at = max(at + step, (border // SAMPLE_BYTES + 2) * SAMPLE_BYTES)

    def _find(self, kind: InputKind, encoding: str) -> FindBorder:
        if kind is InputKind.TEXT:
            return region_border(encoding, self.lines)
        return blank_line_border if kind is InputKind.CONLLU else line_border


def check_size(size: int | str) -> int:
    """Return a number of bytes, written as a number or like `4MB`.

    >>> check_size("4MB"), check_size(1_000_000)
    (4000000, 1000000)
    """
    match = _SIZE.fullmatch(str(size).strip())
    found = int(float(match[1]) * _UNITS[match[2].lower()]) if match else 0
    if found < MIN_SIZE:
        raise SpindleError(
            f"a partition cannot have the size {str(size)!r}",
            hint=f"give at least {MIN_SIZE:,} bytes, for example 4MB",
        )
    return found
