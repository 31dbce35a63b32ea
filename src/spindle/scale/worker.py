"""What a worker does: it reads a partition, parses it, and puts a part of the output in its place.

A part is written under a temporary name, synced and renamed, so that it exists as a whole or not at all. It
depends on its partition alone: any worker writes the same bytes, and a part that is written twice is the same
part.
"""

from __future__ import annotations

import io
import json
import os
import resource
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, TypeVar

from spindle.errors import ModelError, SpindleError, TreebankError, UnreadableFile
from spindle.outputs import replacing
from spindle.pipeline import Analysis, ParsingFace, Sentence
from spindle.pipeline.inputs import InputKind, keeps_tags
from spindle.pipeline.outputs import OutputFormat
from spindle.pipeline.row_columns import RowBuilder
from spindle.scale.jobs import CorpusError, Counted, Failure, Job, Record, Task, worker_name
from spindle.scale.models import model_of
from spindle.scale.partitions import Slice
from spindle.scale.tables import format_for, input_reader, read_slice, row_builder
from spindle.tables import TableFormat
from spindle.tables.parquet import write_row_groups
from spindle.treebanks import ReadingReport, Source
from spindle.treebanks.files import CUT_SHORT

ENDINGS = {
    "bracket": ".ptb",
    "discbracket": ".dbr",
    "export": ".export",
    "tigerxml": ".tigerxml",
    "conllu": ".conllu",
    "json": ".jsonl",
    "jsonl": ".jsonl",
    "csv": ".csv",
    "tsv": ".tsv",
    "parquet": ".parquet",
}
"""The endings of the parts, by output format."""
ERRORS = ".errors.jsonl"
NOT_PARSED, NOT_WRITTEN = "sentence that could not be parsed", "tree that could not be written"

Outcome = TypeVar("Outcome")
OnTokens = Callable[[int], None]


def part_name(number: int, to: str) -> str:
    """Return the name of a part; names sort like the parts, up to a hundred thousand of them.

    >>> part_name(7, "bracket")
    'part-00007.ptb'
    """
    return f"part-{number:05d}{ENDINGS[to]}"


_turn = threading.Lock()
"""One partition at a time: the threads of a worker are used inside of it."""
_given = threading.local()


@contextmanager
def threads_of_worker(threads: int, name: str | None) -> Iterator[None]:
    """Parse on the threads that an engine has given to this worker, which has this name there."""
    _given.threads, _given.name = threads, name
    try:
        yield
    finally:
        del _given.threads, _given.name


def _threads(job: Job) -> int | None:
    return getattr(_given, "threads", job.threads)


def _name() -> str:
    return getattr(_given, "name", None) or worker_name()


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class _Errors:
    """The broken sentences of a partition: a line of JSON for each."""

    lines: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    slice: Slice | None = None

    def add(self, kind: str, error: Exception, words: Iterable[str] = ()) -> None:
        """Note a broken sentence."""
        self.counts[kind] += 1
        found: dict[str, Any] = {"kind": kind, "error": str(error)}
        if self.slice is not None:
            found |= {"file": self.slice.file.name, "from_byte": self.slice.start}
        if isinstance(error, TreebankError):
            found |= {"line": error.line, "error": SpindleError.message(error, str(error.hint))}
            found |= {name: one for name in ("sentence", "row") if (one := getattr(error, name, None))}
        if text := " ".join(words):
            found["words"] = text
        self.lines.append(json.dumps(found, ensure_ascii=False) + "\n")


class _CountingSource(Source):
    """A source that counts the characters of its pieces."""

    characters = 0

    def pieces(self) -> Iterator[str]:
        """Yield the text in pieces, and count its characters."""
        for piece in super().pieces():
            self.characters += len(piece)
            yield piece


def open_slice(one: Slice) -> Source:
    """Return the source of a slice."""
    if one.end is None:
        return one.file.source(one.text_encoding)
    if one.groups:
        return one.file.source(one.text_encoding)
    data = one.file.read(one.start, one.end)
    if len(data) != one.size:
        raise CorpusError(f"{one.file.name}: the file has become shorter since the run was planned")
    if one.head and one.start:
        return Source.from_bytes(one.file.read(0, one.head) + data, one.file.name, one.text_encoding)
    return _CountingSource.from_bytes(data, one.file.name, one.text_encoding, one.start)


def _read(
    source: Source, one: Slice, job: Job, parser: ParsingFace, builder: RowBuilder | None, errors: _Errors
) -> Iterator[Sentence]:
    """Yield the sentences of a slice; what cannot be read is noted."""
    errors.slice = one
    report = ReadingReport(lambda kind, error: errors.add(kind, error))
    reader = input_reader(job.settings, one.text_encoding, parser, report, builder)
    keeps = keeps_tags(one.kind, job.settings.tags, parser.predicts_tags, job.settings.tags_field is not None)
    try:
        for sentence in read_slice(reader, source, one):
            yield sentence if keeps else sentence.without_tags()
    except UnreadableFile as error:
        if isinstance(error.__context__, OSError) and error.__context__.errno is not None:
            raise error.__context__ from None  # the system may do better when it is asked again
        errors.add(CUT_SHORT, error)


# ── parsing ──────────────────────────────────────────────────────────────────────────────────────────


def _analyses(
    parser: ParsingFace, sentences: Iterator[Sentence], job: Job, errors: _Errors, threads: int | None
) -> Iterator[Analysis]:
    """Yield an analysis for every sentence; that of a sentence which cannot be parsed has no tree."""
    waiting: deque[Sentence] = deque()
    settings = job.settings
    is_reading = False

    def read() -> Iterator[Sentence]:
        nonlocal is_reading
        while True:
            is_reading = True
            sentence = next(sentences, None)
            is_reading = False
            if sentence is None:
                return
            waiting.append(sentence)
            yield sentence

    def analyse(given: Iterable[Sentence], batch: int | None = None) -> Iterator[Analysis]:
        return parser.analyse(
            given, threads=threads, longest=settings.max_length, k=settings.k, confidences=settings.scores,
            batch=batch,
        )  # fmt: skip

    while True:
        try:
            for analysis in analyse(read()):
                waiting.popleft()
                yield analysis
            return
        except (MemoryError, OSError):
            raise
        except Exception:
            if is_reading:
                raise
        # one of those that wait is broken: each is parsed alone
        while waiting:
            sentence = waiting.popleft()
            try:
                yield from analyse([sentence], 1)
            except (MemoryError, OSError):
                raise
            except Exception as error:
                errors.add(NOT_PARSED, error, (token.form for token in sentence.tokens))
                yield Analysis(sentence)


# ── a partition ──────────────────────────────────────────────────────────────────────────────────────


def parse_partition(task: Task, on_tokens: OnTokens | None = None) -> Record | Failure:
    """Parse a partition and write its part; return a `Failure` if that is not possible now."""
    return _attempt(lambda: _parse(task, on_tokens or (lambda _: None)), task.number)


def count_partition(task: Task, on_tokens: OnTokens | None = None) -> Counted | Failure:
    """Count what an output with numbers has to know of the partitions before."""
    return _attempt(lambda: _count(task), task.number)


def _attempt(work: Callable[[], Outcome], number: int) -> Outcome | Failure:
    with _turn:
        try:
            return work()
        except (ModelError, CorpusError) as error:
            return Failure(number, str(error), _name(), is_fatal=True)
        except (SpindleError, OSError, MemoryError, RuntimeError, ValueError) as error:
            return Failure(number, str(error) or type(error).__name__, _name())


def _count(task: Task) -> Counted:
    parser = model_of(task.job.model).parser
    builder = row_builder(task.job.settings, parser)
    form = format_for(task.job, parser, builder)
    sentences, characters = 0, []
    for one in task.partition.slices:
        source = open_slice(one)
        for sentence in _read(source, one, task.job, parser, builder, _Errors()):
            sentences += form.counts(sentence)
        characters.append(source.characters if isinstance(source, _CountingSource) else 0)
    return Counted(task.number, sentences, tuple(characters))


def _parse(task: Task, on_tokens: OnTokens) -> Record:
    started, start, cpu = time.time(), time.perf_counter(), time.process_time()
    loaded = model_of(task.job.model)
    settings = task.job.settings
    part = part_name(task.number, settings.to)
    record = Record(task.number, part, worker=_name(), process=worker_name(), started=started)
    record.loading, record.loading_cpu = loaded.seconds, loaded.cpu
    loaded.seconds = loaded.cpu = 0.0
    builder = row_builder(settings, loaded.parser)
    path = Path(task.job.folder, record.part)
    writer = worker_name().replace(":", "-")
    errors = _Errors()

    def analyses() -> Iterator[Analysis]:
        for analysis in _of_partition(task, loaded.parser, builder, errors):
            yield analysis
            _tally(record, analysis)
            on_tokens(len(analysis.sentence.tokens))

    with replacing(path, writer) as file:
        stream = _Hashing(file)
        form = format_for(task.job, loaded.parser, builder)
        if builder is not None and settings.to == TableFormat.PARQUET:
            done = task.before.sentences if task.before else 0
            write_row_groups(builder.rows(analyses(), done), stream, task.job.schema)
        else:
            _write_lines(task, form, analyses(), stream, errors)
        loaded.check_files()
        record.errors = errors.counts
        _write_errors(path, writer, errors)
    record.bytes, record.sha256 = stream.size, stream.digest.hexdigest()
    _sync(path.parent)
    record.seconds, record.cpu = time.perf_counter() - start, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    record.memory = peak * (1 if sys.platform == "darwin" else 1024)
    record.shared = loaded.mapped
    return record


def _write_lines(
    task: Task, form: OutputFormat, analyses: Iterable[Analysis], stream: _Hashing, errors: _Errors
) -> None:
    """Write sentences; the first part of a corpus has the head of the file, and the last one its tail."""
    stream.write(form.head.encode() if task.number == 0 else b"")
    number = task.before.sentences if task.before else 0
    for analysis in analyses:
        number += form.counts(analysis.sentence)
        try:
            data = form.write(analysis, number).encode()
        except (SpindleError, ValueError) as error:
            errors.add(NOT_WRITTEN, error, (token.form for token in analysis.sentence.tokens))
            data = b""
            with suppress(SpindleError, ValueError):
                data = form.write(Analysis(analysis.sentence), number).encode()
        stream.write(data)
    stream.write(form.tail.encode() if task.is_last else b"")


def _of_partition(
    task: Task, parser: ParsingFace, builder: RowBuilder | None, errors: _Errors
) -> Iterator[Analysis]:
    """Yield the analyses of all slices. The characters before a slice are added to the places of words."""
    before = task.before.characters if task.before else (0,) * len(task.partition.slices)

    def sentences() -> Iterator[Sentence]:
        for one, characters in zip(task.partition.slices, before, strict=True):
            for sentence in _read(open_slice(one), one, task.job, parser, builder, errors):
                moves = characters and sentence.spans and one.kind is InputKind.TEXT
                yield replace(sentence, text_start=sentence.text_start + characters) if moves else sentence

    return _analyses(parser, sentences(), task.job, errors, _threads(task.job))


def _tally(record: Record, analysis: Analysis) -> None:
    record.sentences += 1
    record.tokens += len(analysis.sentence.tokens)
    record.cut += analysis.pieces > 1
    for candidate in analysis.candidates[:1]:
        record.repaired += len(candidate.repairs.tokens)
        record.repairs.update(candidate.repairs.counts)


class _Hashing(io.RawIOBase):
    """A stream that computes size and checksum of what is written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.digest, self.size = sha256(), 0

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: Any) -> int:
        """Write bytes."""
        self.digest.update(data)
        self.size += len(data)
        return self._file.write(data)

    def tell(self) -> int:
        """Return the number of bytes."""
        return self.size


def _write_errors(path: Path, writer: str, errors: _Errors) -> None:
    place = path.with_name(path.name.partition(".")[0] + ERRORS)
    if not errors.lines:
        place.unlink(missing_ok=True)
        return
    with replacing(place, writer) as file:
        file.write("".join(errors.lines).encode(errors="replace"))


def _sync(folder: Path) -> None:
    """Make a new name last beyond a failure of the machine."""
    if sys.platform == "win32":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    except OSError:  # a file system that cannot sync folders
        pass
    finally:
        os.close(number)
