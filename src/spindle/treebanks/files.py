"""Treebank files read and written whole: the outer ring, which takes names and options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from os import walk
from pathlib import Path
from typing import Literal, NoReturn

from spindle.errors import TreebankError, UnknownFormat, UnreadableFile
from spindle.treebanks.formats import (
    DEPENDENCY_FORMATS,
    NAMES,
    TREE_FORMATS,
    Format,
    Sentence,
    format_by_ending,
    guess_format,
)
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source, open_output
from spindle.trees import Dependencies, Tree

OnError = Literal["stop", "skip"]
SKIPPED = "sentence skipped"
CUT_SHORT = "file not read to its end"


def read_trees(
    name: str | Path | list[Source],
    format: str | None = None,
    encoding: str | None = None,
    on_error: OnError = "stop",
    remarks: ReadingReport | None = None,
) -> Iterator[Tree]:
    """The trees of a treebank: a file (compressed or not), a folder of files, or `-` for standard input.

    The format is guessed unless it is given. A malformed tree raises a `TreebankError`; with
    `on_error="skip"` it is counted in `remarks` and the next one is read. So is a file that cannot be read
    any further.
    """
    return _read(sources(name, encoding), TREE_FORMATS, format, on_error, remarks or ReadingReport())


def read_dependencies(
    name: str | Path | list[Source],
    format: str | None = None,
    encoding: str | None = None,
    on_error: OnError = "stop",
    remarks: ReadingReport | None = None,
) -> Iterator[Dependencies]:
    """The sentences of a CoNLL file, as `read_trees` reads trees."""
    return _read(sources(name, encoding), DEPENDENCY_FORMATS, format, on_error, remarks or ReadingReport())


def parse_tree(text: str, format: str | None = None) -> Tree:
    """One tree from a string, in any format that can be told from it."""
    trees = list(read_trees([Source.from_text(text)], format))
    if len(trees) != 1:
        raise TreebankError(f"one tree was expected, not {len(trees)}", file="<text>")
    return trees[0]


def write_trees(
    trees: Iterable[Tree], name: str | Path, format: str | None = None, encoding: str = "utf-8"
) -> int:
    """Write trees to a file as they come; gives their number. The name's ending tells the format."""
    return _write(trees, str(name), TREE_FORMATS, format, encoding)


def writable(
    trees: Iterable[Tree | TreebankError], name: str | Path, format: str | None = None
) -> Iterator[Tree | TreebankError]:
    """The trees that the format can hold; an error in the place of each that it cannot."""
    target = TREE_FORMATS.get(format or format_by_ending(str(name)) or "")
    for number, tree in enumerate(trees, start=1):
        if target and isinstance(tree, Tree) and (error := target.refusal(tree)):
            error.file = "<stdout>" if name == "-" else str(name)
            error.sentence = tree.id or str(number)
            yield error
        else:
            yield tree


def write_dependencies(
    sentences: Iterable[Dependencies], name: str | Path, format: str | None = None, encoding: str = "utf-8"
) -> int:
    """Write the rows of sentences to a CoNLL file as they come; gives their number."""
    return _write(sentences, str(name), DEPENDENCY_FORMATS, format, encoding)


def sources(name: str | Path | list[Source], encoding: str | None = None) -> list[Source]:
    """What a name stands for: one source, or one for each file below a folder, in natural order."""
    if isinstance(name, list):
        return name
    name = str(name)
    if name == "-" or not Path(name).is_dir():
        return [Source(name, encoding)]
    files: list[Path] = []
    for folder, folders, names in walk(name, onerror=_cannot_list):
        folders[:] = [inner for inner in folders if not inner.startswith(".")]
        paths = (Path(folder, inner) for inner in names if not inner.startswith("."))
        files += (path for path in paths if path.is_file())
    if not files:
        raise UnreadableFile("the folder has no files", file=name)
    return [Source(str(path), encoding) for path in sorted(files, key=_natural)]


def _cannot_list(error: OSError) -> NoReturn:
    """Files that are not seen would be lost without a word."""
    raise UnreadableFile(error.strerror or str(error), file=str(error.filename))


def _natural(path: Path) -> list[tuple[int, str]]:
    """`cdb_2.xml` before `cdb_10.xml`."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", str(path))]


def _read(
    sources: list[Source],
    formats: dict[str, Format[Sentence]],
    format: str | None,
    on_error: OnError,
    remarks: ReadingReport,
) -> Iterator[Sentence]:
    for source in sources:
        source.head()  # what cannot be opened is no malformed sentence that may be skipped
        reader = _choose(formats, format or guess_format(source), source.name)
        yield from apply_error_policy(reader.read(source, remarks), on_error, remarks)


def apply_error_policy(
    items: Iterable[Sentence | TreebankError], on_error: OnError, remarks: ReadingReport
) -> Iterator[Sentence]:
    """The sentences among what a reader or a transform yields; errors stop, or are counted and skipped."""
    for item in items:
        if not isinstance(item, TreebankError):
            yield item
        elif on_error == "stop":
            raise item
        else:
            remarks.add(CUT_SHORT if isinstance(item, UnreadableFile) else SKIPPED, item)


def _write(
    sentences: Iterable[Sentence],
    name: str,
    formats: dict[str, Format[Sentence]],
    format: str | None,
    encoding: str,
) -> int:
    format = format or format_by_ending(name)
    if format is None:
        written_formats = ", ".join(known.name for known in formats.values() if known.write)
        raise UnknownFormat(
            f"{name}: cannot tell which format to write; name it with --to ({written_formats})"
        )
    write = _choose(formats, format, name).write
    if write is None:
        raise UnknownFormat(f"{name}: {format} can only be read; write another format with --to")
    written = 0
    # What cannot even be read should not cost the file that was there before.
    sentences = iter(sentences)
    first = list(islice(sentences, 1))

    def counted() -> Iterator[Sentence]:
        nonlocal written
        for sentence in chain(first, sentences):
            yield sentence
            written += 1

    try:
        with open_output(name, encoding) as stream:
            for text in write(counted()):
                stream.write(text)
    except UnicodeEncodeError as error:
        raise TreebankError(
            f"{error.object[error.start]!r} cannot be written as {encoding}",
            file=name,
            hint="use --encoding utf-8",
        ) from None
    return written


def _choose(formats: dict[str, Format[Sentence]], name: str, file: str) -> Format[Sentence]:
    if name in formats:
        return formats[name]
    if name in NAMES:
        kinds = ("dependencies", "trees") if formats is TREE_FORMATS else ("trees", "dependencies")
        raise UnknownFormat(
            f"{file}: {name} holds {kinds[0]}, not {kinds[1]}; "
            "`spindle encode` makes dependencies of trees, `spindle decode` makes trees of them again"
        )
    raise UnknownFormat(f"there is no format {name!r}; there are {', '.join(NAMES)}")
