"""The treebank formats by name, and guessing the format of a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from spindle.errors import Hint, Setting, TreebankError, UnknownFormat
from spindle.treebanks.alpino import read_alpino
from spindle.treebanks.bracket import read_bracket, write_bracket
from spindle.treebanks.compression import COMPRESSIONS
from spindle.treebanks.conll import read_conllu, read_conllx, write_conllu, write_conllx
from spindle.treebanks.discbracket import read_discbracket, write_discbracket
from spindle.treebanks.export import read_export, refuse_odd_edges, write_export, write_export3
from spindle.treebanks.nesting import refuse_discontinuous
from spindle.treebanks.psd import read_psd, refuse_for_psd, write_psd
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
from spindle.treebanks.tigerxml import read_tigerxml, refuse_not_xml, write_tigerxml
from spindle.trees import Dependencies, Tree

Sentence = TypeVar("Sentence", Tree, Dependencies)
Reader = Callable[[Source, ReadingReport], Iterator[Sentence | TreebankError]]
Writer = Callable[[Iterable[Sentence]], Iterator[str]]


@dataclass(frozen=True)
class Format(Generic[Sentence]):
    """A treebank format: its name, file endings, reader and writer."""

    name: str
    endings: tuple[str, ...]
    read: Reader[Sentence]
    write: Writer[Sentence] | None
    refusal: Callable[[Sentence], TreebankError | None] = lambda sentence: None
    """Returns the reason why the format cannot represent a sentence, or None."""


TREE_FORMATS: dict[str, Format[Tree]] = {
    format.name: format
    for format in (
        Format(
            "bracket",
            (".ptb", ".mrg", ".bracket", ".brackets", ".penn", ".parse", ".tree", ".trees"),
            read_bracket,
            write_bracket,
            refuse_discontinuous,
        ),
        Format(
            "psd",
            (".psd",),
            read_psd,
            write_psd,
            refuse_for_psd,
        ),
        Format(
            "discbracket",
            (".dbr", ".discbracket"),
            read_discbracket,
            write_discbracket,
        ),
        Format(
            "export",
            (".export", ".negra"),
            read_export,
            write_export,
            refuse_odd_edges,
        ),
        Format(
            "export3",
            (".export3",),
            read_export,
            write_export3,
            refuse_odd_edges,
        ),
        Format(
            "tigerxml",
            (".tigerxml", ".tiger"),
            read_tigerxml,
            write_tigerxml,
            refuse_not_xml,
        ),
        Format("alpino", (), read_alpino, None),
    )
}
DEPENDENCY_FORMATS: dict[str, Format[Dependencies]] = {
    format.name: format
    for format in (
        Format("conllu", (".conllu",), read_conllu, write_conllu),
        Format("conllx", (".conllx", ".conll", ".conll06"), read_conllx, write_conllx),
    )
}
NAMES = (*TREE_FORMATS, *DEPENDENCY_FORMATS)

_LEAF = re.compile(r"[( ]([^\s()]+)\s*\)")
_INDEXED = re.compile(r"[0-9]+=.")
_TREE_LINE = re.compile(r"^\s*\(", re.MULTILINE)  # Chinese treebanks have markup lines between trees
_PSD_ID = re.compile(r"\(ID [^\s()]+\)")
_TEN_COLUMNS = re.compile(r"^1\t(?:[^\t\n]+\t){8}[^\t\n]+$", re.MULTILINE)


_BY_ENDING = {
    ending: format.name
    for formats in (TREE_FORMATS, DEPENDENCY_FORMATS)
    for format in formats.values()
    for ending in format.endings
}


def format_by_ending(name: str) -> str | None:
    """Return the format of a file's ending, ignoring `.gz`, `.xz` and `.zst`; None if it is unknown."""
    path = Path(name.lower())
    while path.suffix in COMPRESSIONS:
        path = path.with_suffix("")
    return _BY_ENDING.get(path.suffix)


def guess_format(source: Source) -> str:
    """Guess the format of a source from its content, and from its name where the content is ambiguous."""
    found = _guess_by_content(source.sample(), format_by_ending(source.name))
    if found is None:
        name = "<stdin>" if source.name == "-" else source.name
        hint = Hint(f"set {{}} ({', '.join(NAMES)})", Setting.INPUT_FORMAT)
        raise UnknownFormat(f"{name}: cannot tell the format of this file", hint=hint)
    return found


def _guess_by_content(start: str, by_name: str | None) -> str | None:
    text = start.lstrip()
    if text.startswith("<"):
        if "<alpino_ds" in text or "<treebank" in text:
            return "alpino"
        if any(mark in text for mark in ("<corpus", "<subcorpus", "<graph", "<body")):
            return "tigerxml"
        if by_name or not _TREE_LINE.search(text):
            return by_name
    if re.search(r"^#(FORMAT|BOS|BOT)\b", start, re.MULTILINE):
        return by_name if by_name in ("export", "export3") else "export"
    if _TEN_COLUMNS.search(start):
        return by_name if by_name in DEPENDENCY_FORMATS else "conllu"
    if "(" in text:
        if by_name == "psd" or (_PSD_ID.search(text) and by_name is None):
            return "psd"
        # Most leaves decide: an ordinary word may look like 1=2, and a position may be missing.
        indexed = [_INDEXED.match(leaf) is not None for leaf in _LEAF.findall(text)]
        return "discbracket" if 2 * sum(indexed) > len(indexed) else "bracket"
    return by_name
