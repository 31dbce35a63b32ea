"""Treebank files, read and written by name: what the API, the command line and training share."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import chain, islice
from os import walk
from pathlib import Path
from typing import Literal, NoReturn, Protocol, TextIO, TypeVar

from spindle.errors import Hint, Setting, TreebankError, UnknownFormat, UnreadableFile, WrongType
from spindle.treebanks.compression import COMPRESSIONS
from spindle.treebanks.corpus_folder import corpus_parts
from spindle.treebanks.formats import (
    DEPENDENCY_FORMATS,
    NAMES,
    TREE_FORMATS,
    Format,
    Sentence,
    Writer,
    format_by_ending,
    guess_format,
)
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source, open_output
from spindle.trees import Dependencies, Tree

OnError = Literal["stop", "skip"]
SKIPPED = "sentence skipped"
TEXT_ENDING = ".txt"
"""The ending of the text that a file of annotations refers to."""
CUT_SHORT = "file not read to its end"
INDEX_SUFFIX = ".spindle-index"
"""The ending of the index of a file, which stands beside it."""
Item = TypeVar("Item")
_logger = logging.getLogger(__name__)


class Progress(Protocol):
    """Passes sentences on and shows how much of the sources has been read."""

    def __call__(self, items: Iterable[Item], sources: list[Source], /) -> Iterator[Item]:
        """Yield the items; `Source.position` tells how far the reader is."""


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────


def read_trees(
    name: str | Path | list[Source],
    format: str | None = None,
    text_encoding: str | None = None,
    on_error: OnError = "stop",
    report: ReadingReport | None = None,
    progress: Progress | None = None,
) -> Iterator[Tree]:
    """Yield the trees of a file (compressed or not), a folder of files, or `-` for standard input.

    `format` and `text_encoding` are guessed unless they are given. A malformed tree raises a `TreebankError`;
    with `on_error="skip"` it is counted in `report` and the next tree is read. The same holds for a file that
    cannot be read to its end. `progress` may wrap the iterator, for a progress bar.
    """
    return _read(sources(name, text_encoding), TREE_FORMATS, format, on_error, report, progress)


def read_dependencies(
    name: str | Path | list[Source],
    format: str | None = None,
    text_encoding: str | None = None,
    on_error: OnError = "stop",
    report: ReadingReport | None = None,
    progress: Progress | None = None,
) -> Iterator[Dependencies]:
    """Yield the sentences of a CoNLL file; the parameters are those of `read_trees`."""
    return _read(sources(name, text_encoding), DEPENDENCY_FORMATS, format, on_error, report, progress)


def holds_dependencies(
    name: str | Path | list[Source], format: str | None = None, text_encoding: str | None = None
) -> bool:
    """Return whether a file, or the first file of a folder, contains dependencies instead of trees."""
    found = format or guess_format(sources(name, text_encoding)[0])
    return found in DEPENDENCY_FORMATS


def parse_tree(text: str, format: str | None = None) -> Tree:
    """Return the only tree in a string; the format is guessed unless it is given."""
    if not isinstance(text, str):
        raise WrongType(f"a tree is read from a string, not from {type(text).__name__}")
    trees = list(read_trees([Source.from_text(text)], format))
    if len(trees) != 1:
        raise TreebankError(f"expected one tree, found {len(trees)}", file="<text>")
    return trees[0]


def sources(name: str | Path | list[Source], text_encoding: str | None = None) -> list[Source]:
    """Return one source for a file, or one for each file below a folder, in natural order.

    The folder of a parsed corpus has its parts.
    """
    if isinstance(name, list):
        return name
    if not isinstance(name, str | Path):
        hint = "give a path; `parse_tree` reads a tree from a string"
        raise WrongType(f"cannot read from {type(name).__name__}", hint=hint)
    name = str(name)
    if name == "-" or not Path(name).is_dir():
        return [Source(name, text_encoding)]
    parts = corpus_parts(name, text_encoding)
    if parts is not None:
        return parts
    files: list[Path] = []
    for folder, folders, names in walk(name, onerror=_raise_unreadable):
        folders[:] = [inner for inner in folders if not inner.startswith(".")]
        paths = (Path(folder, inner) for inner in names if _is_visible(inner))
        files += (path for path in paths if path.is_file())
    if not files:
        raise UnreadableFile("the folder has no files", file=name)
    return [Source(str(path), text_encoding) for path in sorted(files, key=natural_order)]


def _is_visible(name: str) -> bool:
    """Return whether a file of a folder may be a treebank: hidden files and indexes are none."""
    return not name.startswith(".") and not name.endswith(INDEX_SUFFIX)


def apply_error_policy(
    items: Iterable[Item | TreebankError], on_error: OnError, report: ReadingReport, skipped: str = SKIPPED
) -> Iterator[Item]:
    """Yield what `items` has beside errors; raise the first error, or count errors in `report` and skip them.

    `skipped` is the kind of remark under which errors are counted.
    """
    for item in items:
        if not isinstance(item, TreebankError):
            yield item
        elif on_error == "stop":
            if isinstance(items, Generator):
                items.close()  # closes the file now: the traceback of the error would keep it open
            raise item
        else:
            report.add(CUT_SHORT if isinstance(item, UnreadableFile) else skipped, item)


def _read(
    sources: list[Source],
    formats: dict[str, Format[Sentence]],
    format: str | None,
    on_error: OnError,
    report: ReadingReport | None,
    progress: Progress | None,
) -> Iterator[Sentence]:
    sentences = _sentences(sources, formats, format, on_error, report or ReadingReport())
    return progress(sentences, sources) if progress else sentences


def _sentences(
    sources: list[Source],
    formats: dict[str, Format[Sentence]],
    format: str | None,
    on_error: OnError,
    report: ReadingReport,
) -> Iterator[Sentence]:
    for source in sources:
        source.head()  # raises for a file that cannot be opened, whatever the error policy
        found = format or guess_format(source)
        reader = _choose(formats, found, source.name)
        _logger.debug("%s: read as %s", source.name, found)
        yield from apply_error_policy(reader.read(source, report), on_error, report)


def _raise_unreadable(error: OSError) -> NoReturn:
    """Raise for a folder that cannot be listed; `os.walk` would skip it silently."""
    raise UnreadableFile(error.strerror or str(error), file=str(error.filename))


def natural_order(path: Path) -> list[tuple[int, str]]:
    """Sort key that puts `cdb_2.xml` before `cdb_10.xml`."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", str(path))]


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────


def write_trees(
    trees: Iterable[Tree],
    target: str | Path | TextIO,
    format: str | None = None,
    text_encoding: str | None = None,
) -> int:
    """Write trees to a file or an open text stream and return their number.

    The default format follows the file's ending, the default encoding is UTF-8. A stream has an encoding of
    its own; it is not closed. The name `-` is standard output.
    """
    return _write(_checked(trees, Tree), target, TREE_FORMATS, format, text_encoding)


def write_dependencies(
    sentences: Iterable[Dependencies],
    target: str | Path | TextIO,
    format: str | None = None,
    text_encoding: str | None = None,
) -> int:
    """Write sentences to a CoNLL file; the parameters are those of `write_trees`."""
    return _write(_checked(sentences, Dependencies), target, DEPENDENCY_FORMATS, format, text_encoding)


def _checked(given: Iterable[Item], kind: type[Item]) -> Iterator[Item]:
    """Yield sentences that are to be written; refuse what is no sentence."""
    name = kind.__name__
    if isinstance(given, kind):
        raise WrongType(f"one {name} was given, but several are expected", hint="give a list of them")
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise WrongType(f"a list of {name} objects is expected, not {type(given).__name__}")
    for number, one in enumerate(given, start=1):
        if not isinstance(one, kind):
            raise WrongType(f"sentence {number} to write is {type(one).__name__}, not {name}")
        yield one


def writable(
    trees: Iterable[Tree | TreebankError], name: str | Path, format: str | None = None
) -> Iterator[Tree | TreebankError]:
    """Yield the trees that the format can represent, and an error for each tree that it cannot."""
    target = TREE_FORMATS.get(format or format_by_ending(str(name)) or "")
    for number, tree in enumerate(trees, start=1):
        if target and isinstance(tree, Tree) and (error := target.refusal(tree)):
            error.file = "<stdout>" if name == "-" else str(name)
            error.sentence = tree.id or str(number)
            yield error
        else:
            yield tree


def _write(
    sentences: Iterable[Sentence],
    target: str | Path | TextIO,
    formats: dict[str, Format[Sentence]],
    format: str | None,
    text_encoding: str | None,
) -> int:
    _check_target(target, text_encoding)
    opened: AbstractContextManager[TextIO]
    if isinstance(target, str | Path):
        name, opened = str(target), open_output(str(target), text_encoding or "utf-8")
    else:
        name, opened = str(getattr(target, "name", "<stream>")), nullcontext(target)
    write = _writer(name, formats, format)
    companion = _companion(target, formats, format or format_by_ending(name))
    written = 0
    # Read the first sentence before the output is opened: unreadable input must not truncate an old file.
    sentences = iter(sentences)
    first = list(islice(sentences, 1))

    def counted() -> Iterator[Sentence]:
        nonlocal written
        for sentence in chain(first, sentences):
            yield sentence
            written += 1

    try:
        with companion as beside, opened as stream:
            for text in write(beside(counted())):
                stream.write(text)
    except UnicodeEncodeError as error:
        character = error.object[error.start]
        is_surrogate = "\ud800" <= character <= "\udfff"
        raise TreebankError(
            f"{character!r} cannot be written as {error.encoding}",
            file=name,
            hint="remove it: it is half of a surrogate pair" if is_surrogate else "write the file as utf-8",
        ) from None
    return written


def text_beside(target: str | Path) -> str:
    """Return the name of the text that a file of annotations refers to.

    >>> text_beside("news.ann.gz")
    'news.txt'
    """
    path = Path(target)
    while path.suffix in COMPRESSIONS:
        path = path.with_suffix("")
    return str(path.with_suffix(TEXT_ENDING))


@contextmanager
def _companion(
    target: str | Path | TextIO, formats: dict[str, Format[Sentence]], format: str | None
) -> Iterator[Callable[[Iterable[Sentence]], Iterable[Sentence]]]:
    """Yield a function that passes sentences on and writes their text beside the target, if there is any."""
    of_sentence = formats[format].text if format in formats else None
    if of_sentence is None or not isinstance(target, str | Path) or str(target) == "-":
        yield lambda sentences: sentences
        return
    text = text_beside(target)
    if Path(text).exists() and not Path(target).exists():
        raise TreebankError(
            "exists already, and the text of the annotations would replace it",
            file=text,
            hint="write to another name",
        )
    with open_output(text) as stream:

        def pass_on(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
            for sentence in sentences:
                stream.write(of_sentence(sentence))
                yield sentence

        yield pass_on


def _check_target(target: object, text_encoding: str | None) -> None:
    """Raise a `WrongType` unless the target is a path or a text stream."""
    if isinstance(target, str | Path):
        return
    if not callable(getattr(target, "write", None)):
        raise WrongType(f"cannot write to {type(target).__name__}", hint="give a path or an open text stream")
    is_binary = isinstance(target, io.RawIOBase | io.BufferedIOBase) or "b" in str(
        getattr(target, "mode", "")
    )
    if is_binary:
        raise WrongType("cannot write to a binary stream", hint='open the file as text (mode "w")')
    if text_encoding is not None:
        raise WrongType("a text stream has an encoding of its own", hint="leave the text encoding out")


def _writer(name: str, formats: dict[str, Format[Sentence]], format: str | None) -> Writer[Sentence]:
    """Return the function that writes this format, or the format of the file's ending."""
    format = format or format_by_ending(name)
    choices = ", ".join(known.name for known in formats.values() if known.write)
    hint = Hint(f"set {{}} ({choices})", Setting.OUTPUT_FORMAT)
    if format is None:
        raise UnknownFormat(f"{name}: cannot tell which format to write", hint=hint)
    write = _choose(formats, format, name).write
    if write is None:
        raise UnknownFormat(f"{name}: {format} can only be read", hint=hint)
    return write


def _choose(formats: dict[str, Format[Sentence]], name: str, file: str) -> Format[Sentence]:
    if name in formats:
        return formats[name]
    if name in NAMES:
        kinds = ("dependencies", "trees") if formats is TREE_FORMATS else ("trees", "dependencies")
        raise UnknownFormat(
            f"{file}: {name} contains {kinds[0]}, not {kinds[1]}",
            hint="`spindle encode` turns trees into dependencies, `spindle decode` turns them back",
        )
    raise UnknownFormat(f"there is no format {name!r}", hint=f"choose one of {', '.join(NAMES)}")
