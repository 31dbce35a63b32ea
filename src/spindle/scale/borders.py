"""Places where a file can be cut so that its parts are read as they are in the whole file.

A border is found near any byte without reading what comes before: planning a corpus of terabytes reads a few
kilobytes per partition. Only CSV has to be read from its start, because nothing else tells whether a line
end is inside a quoted value.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Callable, Iterator

from spindle.scale.files import CorpusFile
from spindle.text.lines import Lines
from spindle.text.splitter import end_of_block, end_of_lines
from spindle.treebanks.limited import MAX_SENTENCE, Limited
from spindle.treebanks.source import SAMPLE_BYTES

_BLANK_LINE = re.compile(rb"\n[ \t\r]*\n")
_OPEN_END = re.compile(rb"\n[ \t\r]*\Z")
_CONTINUATION = re.compile(rb"[\x80-\xbf]{0,3}")
_ONE_BYTE = re.compile(r"iso8859-\d+|cp\d{3,4}|koi8-[rtu]|mac-\w+|ascii")

FindBorder = Callable[[CorpusFile, int], "int | None"]
"""Returns a border of a file behind this byte, a multiple of `SAMPLE_BYTES`; None if there is none."""


def can_be_cut(text_encoding: str) -> bool:
    """Return whether line ends are found in the bytes of a text in this encoding."""
    name = codecs.lookup(text_encoding).name
    return name == "utf-8" or _ONE_BYTE.fullmatch(name) is not None


def line_border(file: CorpusFile, at: int) -> int | None:
    """Return the end of a line."""
    return _first(file, at, re.compile(rb"\n"))


def blank_line_border(file: CorpusFile, at: int) -> int | None:
    """Return the end of an empty line after a line, for CoNLL rows."""
    return _first(file, at, _BLANK_LINE)


def _first(file: CorpusFile, at: int, pattern: re.Pattern[bytes]) -> int | None:
    """Return the end of the first match behind `at`, which may begin in the last line of a piece."""
    rest = b""
    for start in range(at, file.size, SAMPLE_BYTES):
        data = rest + file.read(start, start + SAMPLE_BYTES)
        if match := pattern.search(data):
            return start - len(rest) + match.end()
        open_end = _OPEN_END.search(data)
        rest = open_end[0] if open_end else b""
    return None


def region_border(text_encoding: str, lines: Lines) -> FindBorder:
    """Return the function that finds the end of a region of raw text.

    `TextSplitter.cut` reads a text in pieces of `SAMPLE_BYTES` and ends a region at the last line end, or
    empty line, of a piece. So the pieces before do not matter, as long as the piece shows where the blanks
    before that line end begin.
    """
    find_end = end_of_lines if lines in (Lines.SENTENCE, Lines.PARAGRAPH) else end_of_block
    is_utf_8 = codecs.lookup(text_encoding).name == "utf-8"

    def find(file: CorpusFile, at: int) -> int | None:
        for start in range(at, file.size, SAMPLE_BYTES):
            data = file.read(start, start + SAMPLE_BYTES)
            match = _CONTINUATION.match(data) if is_utf_8 else None
            cut = match.end() if match else 0
            decoder = codecs.getincrementaldecoder(text_encoding)(errors="surrogateescape")
            text = decoder.decode(data[cut:])
            blanks = len(text) - len(text.lstrip())
            if end := find_end(text[blanks:], 0):
                return start + cut + len(text[: blanks + end].encode(text_encoding, "surrogateescape"))
        return None

    return find


def row_borders(file: CorpusFile, size: int, text_encoding: str, delimiter: str) -> Iterator[int]:
    """Yield the end of the row with the names, then borders of CSV rows about `size` bytes apart.

    A row may go over several lines.
    """
    csv.field_size_limit(max(csv.field_size_limit(), MAX_SENTENCE))
    done = border = waiting = 0

    def lines() -> Iterator[str]:
        nonlocal done, waiting
        with file.opened() as stream:
            for data in stream:
                done += len(data)
                text = data.decode(text_encoding, "surrogateescape").replace("\r\n", "\n").replace("\r", "\n")
                parts = text.split("\n")  # a lone carriage return is the end of a line, too
                waiting = len(parts)
                for part in parts[:-1]:
                    waiting -= 1
                    yield f"{part}\n"
                waiting = 0
                if parts[-1]:
                    yield parts[-1]

    limited = Limited(lines(), file.name, "row")
    reader = csv.reader(limited, delimiter=delimiter, strict=True)
    has_names = False
    while True:
        try:
            values = next(reader, None)
        except csv.Error:
            values = ["broken"]  # the row is reported when it is read
        limited.restart()
        if values is None:
            return
        if (not has_names and not values) or waiting > 1:
            continue
        if not has_names:
            has_names = True
            yield done
        elif done - border >= size and done < file.size:
            border = done
            yield border
