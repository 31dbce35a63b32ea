"""The output formats of `spindle parse`; every sentence is written as soon as it is parsed.

`spindle.pipeline.table_outputs` has the rows of tables.
A format defines the text of a sentence, the head and the tail of a file, and how the last complete sentence
of an unfinished file is found.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from spindle.errors import Hint, Setting, SpindleError
from spindle.pipeline.analysis import Analysis
from spindle.pipeline.face import ParsingFace
from spindle.pipeline.sentence import Sentence
from spindle.reduction import encode
from spindle.reduction.rows import Header, to_rows
from spindle.treebanks.compression import COMPRESSIONS
from spindle.treebanks.conll import write_conllu
from spindle.treebanks.conllu_tree import write_conllu_tree
from spindle.treebanks.formats import TREE_FORMATS
from spindle.treebanks.source import open_output
from spindle.trees import Tree

# XML forbids these characters; they are replaced, so that no sentence is lost.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class OutputFormat:
    """How analyses are written. `write` returns "" for a sentence that the format cannot represent.

    The unit of a file, by which it is continued, is a sentence or a row of several sentences.
    """

    write: Callable[[Analysis, int], str]
    head: str = ""
    tail: str = ""
    ends: Callable[[bytes], bool] = bool
    """Whether a line is the last one of a unit."""
    keeps_empty: bool = False
    """Whether a sentence without words is written, too."""
    completes: Callable[[Sentence], bool] | None = None
    """Whether a unit ends with a sentence; None if every sentence that is written is a unit."""
    first_rows: int = 0
    """The number of units at the start of a file without a sentence: the row with the names of columns."""
    continue_from: Callable[[Path], None] | None = None
    """Called with an unfinished file that is continued."""

    def counts(self, sentence: Sentence) -> bool:
        """Return whether a unit ends with this sentence."""
        if self.completes is not None:
            return self.completes(sentence)
        return self.keeps_empty or bool(sentence.tokens)


def output_format(name: str, parser: ParsingFace, k: int) -> OutputFormat:
    """Return the format with this name, for the trees of a parser."""
    if name in ("bracket", "discbracket"):
        writer = TREE_FORMATS[name].write
        assert writer is not None
        if k == 1:
            return OutputFormat(
                lambda analysis, _: "".join(writer(_trees(analysis))) or "\n", keeps_empty=True
            )
        # one tree a line, and an empty line after the trees of a sentence
        return OutputFormat(
            lambda analysis, _: "".join(writer(_trees(analysis))) + "\n", ends=_is_empty, keeps_empty=True
        )
    if name == "json":
        return OutputFormat(_write_json, keeps_empty=True)
    if name == "conllu":
        return _conllu(parser)
    if name == "conllu-tree":
        return OutputFormat(
            lambda analysis, number: "".join(write_conllu_tree(_named(analysis, number))), ends=_is_empty
        )
    if name in ("export", "tigerxml"):
        return _graphs(name)
    raise AssertionError(name)


def _is_empty(line: bytes) -> bool:
    return line == b"\n"


def _trees(analysis: Analysis) -> list[Tree]:
    return [candidate.tree for candidate in analysis.candidates]


def _named(analysis: Analysis, number: int) -> Iterator[Tree]:
    """Yield the trees with the id of the sentence, or its number; several trees also have their ranks."""
    name = analysis.sentence.id or str(number)
    for rank, candidate in enumerate(analysis.candidates, start=1):
        yield candidate.tree.replace(id=f"{name}.{rank}" if len(analysis.candidates) > 1 else name)


def _graphs(name: str) -> OutputFormat:
    writer = TREE_FORMATS[name].write
    assert writer is not None
    head, *tail = writer(())

    def write(analysis: Analysis, number: int) -> str:
        trees = _named(analysis, number)
        pieces = list(writer(map(_without_odd_characters, trees) if name == "tigerxml" else trees))
        return "".join(pieces[1 : len(pieces) - len(tail)])

    mark = b"</s>" if name == "tigerxml" else b"#EOS "
    return OutputFormat(write, head, "".join(tail), ends=lambda line: line.lstrip().startswith(mark))


def _without_odd_characters(tree: Tree) -> Tree:
    if not any(_NOT_XML.search(token.form) for token in tree.tokens):
        return tree
    tokens = (
        token._replace(form=_NOT_XML.sub("\N{REPLACEMENT CHARACTER}", token.form)) for token in tree.tokens
    )
    return tree.replace(tokens=tuple(tokens))


def _conllu(parser: ParsingFace) -> OutputFormat:
    header = Header(parser.settings.encoding, parser.settings.conventions.wrapper)

    def write(analysis: Analysis, number: int) -> str:
        trees = _named(analysis, number)
        return "".join(write_conllu(to_rows(encode(tree), header) for tree in trees))

    return OutputFormat(write, f"# {header}\n", ends=_is_empty)


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────────────


def _write_json(analysis: Analysis, number: int) -> str:
    """Return one line with an object; `null` for a sentence without words."""
    if not analysis.candidates:
        return "null\n"
    record = analysis.to_dict()
    record["id"] = record["id"] or str(number)
    return json.dumps(record, ensure_ascii=False) + "\n"


# ── files ────────────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def opened(output: str, format: OutputFormat, resume: bool) -> Iterator[tuple[TextIO, int]]:
    """Open the output; yield the stream and the number of units that the file already has."""
    if not resume or not Path(output).exists():
        with open_output(output, in_place=True) as stream:
            stream.write(format.head)
            yield stream, 0
            stream.write(format.tail)
        return
    done = cut_back(Path(output), format)
    if done and format.continue_from is not None:
        format.continue_from(Path(output))
    with open(output, "a", encoding="utf-8", newline="\n") as stream:
        if not done:
            stream.write(format.head)
        yield stream, done
        stream.write(format.tail)


def is_compressed(output: str) -> bool:
    """Return whether the ending of the file name is that of a compressed file."""
    return Path(output).suffix in COMPRESSIONS


def check_resumable(output: str) -> None:
    """Raise a `SpindleError` for an output that cannot be continued."""
    if is_compressed(output) and Path(output).exists():
        hint = Hint("start anew without {}", Setting.RESUME)
        raise SpindleError(f"{output}: a compressed file cannot be resumed", hint=hint)


def cut_back(path: Path, format: OutputFormat) -> int:
    """Cut a file off after its last complete unit; return the number of units that are left."""
    done = -format.first_rows
    end = at = 0
    with open(path, "r+b") as file:
        for line in file:
            at += len(line)
            if line.endswith(b"\n") and format.ends(line):
                done, end = done + 1, at
        if done <= 0:
            done = end = 0
        file.truncate(end)
        file.flush()
        os.fsync(file.fileno())
    return done
