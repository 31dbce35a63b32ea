"""The treebank formats by name, and guessing the format of a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

from spindle.errors import Hint, Setting, TreebankError, UnknownFormat
from spindle.treebanks.compression import COMPRESSIONS
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
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
    text: Callable[[Sentence], str] | None = None
    """Returns the text of a sentence, if the format annotates a text that is in a file `.txt` of its own."""
    wants_heads: bool = False
    """Whether the format writes the heads of constituents, if they are known."""


def _late(module: str, name: str) -> Callable[..., Any]:
    """Return a function of a format's module that imports the module when it is first called.

    A program needs one or two of the formats, and each takes time to import.
    """

    def call(*arguments: Any) -> Any:
        return getattr(import_module(f"spindle.treebanks.{module}"), name)(*arguments)

    return call


_refuse_odd_edges = _late("export", "refuse_odd_edges")
_refuse_discontinuous = _late("nesting", "refuse_discontinuous")

TREE_FORMATS: dict[str, Format[Tree]] = {
    format.name: format
    for format in (
        Format(
            "bracket",
            (".ptb", ".mrg", ".bracket", ".brackets", ".penn", ".parse", ".tree", ".trees"),
            _late("bracket", "read_bracket"),
            _late("bracket", "write_bracket"),
            _refuse_discontinuous,
        ),
        Format(
            "psd",
            (".psd",),
            _late("psd", "read_psd"),
            _late("psd", "write_psd"),
            _late("psd", "refuse_for_psd"),
        ),
        Format(
            "discbracket",
            (".dbr", ".discbracket"),
            _late("discbracket", "read_discbracket"),
            _late("discbracket", "write_discbracket"),
        ),
        Format(
            "export",
            (".export", ".negra"),
            _late("export", "read_export"),
            _late("export", "write_export"),
            _refuse_odd_edges,
        ),
        Format(
            "export3",
            (".export3",),
            _late("export", "read_export"),
            _late("export", "write_export3"),
            _refuse_odd_edges,
        ),
        Format(
            "tigerxml",
            (".tigerxml", ".tiger"),
            _late("tigerxml", "read_tigerxml"),
            _late("tigerxml", "write_tigerxml"),
            _late("tigerxml", "refuse_not_xml"),
        ),
        Format(
            "conllu-tree",
            (),
            _late("conllu_tree", "read_conllu_tree"),
            _late("conllu_tree", "write_conllu_tree"),
            wants_heads=True,
        ),
        Format(
            "stanza",
            (),
            _late("stanza_json", "read_stanza_json"),
            _late("stanza_json", "write_stanza_json"),
        ),
        Format(
            "corenlp-json",
            (),
            _late("corenlp_json", "read_corenlp_json"),
            _late("corenlp_json", "write_corenlp_json"),
            _refuse_discontinuous,
        ),
        Format(
            "corenlp-xml",
            (),
            _late("corenlp_xml", "read_corenlp_xml"),
            _late("corenlp_xml", "write_corenlp_xml"),
            _late("corenlp_xml", "refuse_for_corenlp_xml"),
        ),
        Format(
            "brat",
            (".ann",),
            _late("brat", "read_brat"),
            _late("brat", "write_brat"),
            text=_late("brat", "brat_text"),
        ),
        Format("alpino", (), _late("alpino", "read_alpino"), None),
        Format("corenlp-text", (), _late("corenlp_text", "read_corenlp_text"), None, _refuse_discontinuous),
    )
}
DEPENDENCY_FORMATS: dict[str, Format[Dependencies]] = {
    format.name: format
    for format in (
        Format("conllu", (".conllu",), _late("conll", "read_conllu"), _late("conll", "write_conllu")),
        Format(
            "conllx",
            (".conllx", ".conll", ".conll06"),
            _late("conll", "read_conllx"),
            _late("conll", "write_conllx"),
        ),
    )
}
NAMES = (*TREE_FORMATS, *DEPENDENCY_FORMATS)

_LEAF = re.compile(r"[( ]([^\s()]+)\s*\)")
_INDEXED = re.compile(r"[0-9]+=.")
_TREE_LINE = re.compile(r"^\s*\(", re.MULTILINE)  # Chinese treebanks have markup lines between trees
_PSD_ID = re.compile(r"\(ID [^\s()]+\)")
_TREE_COMMENT = re.compile(r"^# *(?:constituency|discbracket) *= *\(", re.MULTILINE)
_JSON_SENTENCES = re.compile(r'(?:"sentences"\s*:\s*)?\[\s*([\[{])')
_BRAT = re.compile(r"^(?:T\d+\t\S+ \d+ \d+(?:;\d+ \d+)*\t|R\d+\t\S+ Arg1:)", re.MULTILINE)
_CORENLP_HEADER = re.compile(r"^Sentence #\d+ \(\d+ tokens?\b", re.MULTILINE)
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
    sample = source.sample()
    found = _guess_by_content(sample, format_by_ending(source.name))
    if found is None:
        name = "<stdin>" if source.name == "-" else source.name
        if not sample.strip():
            what = "input" if source.name == "-" else "file"
            raise UnknownFormat(f"{name}: the {what} is empty", hint="name a file with sentences")
        hint = Hint(f"set {{}} ({', '.join(NAMES)})", Setting.INPUT_FORMAT)
        raise UnknownFormat(f"{name}: cannot tell the format of this file", hint=hint)
    return found


def _guess_by_content(start: str, by_name: str | None) -> str | None:
    text = start.lstrip()
    if text.startswith(("{", "[")) and (found := _JSON_SENTENCES.search(text)):
        return "stanza" if found[1] == "[" else "corenlp-json"
    if text.startswith("<"):
        if "<sentences" in text and "<document" in text:
            return "corenlp-xml"
        if "<alpino_ds" in text or "<treebank" in text:
            return "alpino"
        if any(mark in text for mark in ("<corpus", "<subcorpus", "<graph", "<body")):
            return "tigerxml"
        if by_name or not _TREE_LINE.search(text):
            return by_name
    if re.search(r"^#(FORMAT|BOS|BOT)\b", start, re.MULTILINE):
        return by_name if by_name in ("export", "export3") else "export"
    if _TEN_COLUMNS.search(start):
        if _TREE_COMMENT.search(start) and by_name in (None, "conllu"):
            return "conllu-tree"
        return by_name if by_name in DEPENDENCY_FORMATS else "conllu"
    if _BRAT.search(start):
        return "brat"
    if _CORENLP_HEADER.search(start):
        return "corenlp-text"
    if "(" in text:
        if by_name == "psd" or (_PSD_ID.search(text) and by_name is None):
            return "psd"
        # Most leaves decide: an ordinary word may look like 1=2, and a position may be missing.
        indexed = [_INDEXED.match(leaf) is not None for leaf in _LEAF.findall(text)]
        return "discbracket" if 2 * sum(indexed) > len(indexed) else "bracket"
    return by_name
