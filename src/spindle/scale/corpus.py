"""Parsing a corpus: from files to a folder with the parts of the output, and a manifest."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from spindle.models.bundled import find_model
from spindle.outputs import only_writer
from spindle.pipeline import ParsingFace, load
from spindle.pipeline.inputs import InputKind
from spindle.pipeline.row_columns import usual_one_row
from spindle.scale.engines import AnyTask, Engine, open_engine
from spindle.scale.files import find_files
from spindle.scale.jobs import Before, CorpusError, Counted, Failure, Job, ParseSettings, Record, Task
from spindle.scale.manifest import NAME, Journal, Manifest, Totals
from spindle.scale.memory import Memory, predict_memory
from spindle.scale.models import name_model
from spindle.scale.partitions import DEFAULT_SIZE, Cutting, Partition, check_size
from spindle.scale.run import Limits, Run
from spindle.scale.settings import check_settings
from spindle.scale.tables import TABLES, columns_of, format_for, row_builder
from spindle.scale.worker import count_partition, parse_partition
from spindle.tables import TableFormat
from spindle.text import Lines

NUMBERED = ("json", "conllu", "export", "tigerxml", *TABLES)
"""Output formats with the number of every sentence: the sentences before a partition must be counted."""
DIED = "the process ended while it parsed this partition"


@dataclass
class Listener:
    """Is told how a run goes; all methods may be left as they are."""

    def planned(
        self, partitions: int, done: int, size: int, size_done: int, memory: Memory, workers: int
    ) -> None:
        """The corpus is cut: the numbers of partitions and of bytes, and those that are done already."""

    def counted(self, partitions: int, done: int) -> None:
        """Some of the partitions were counted, which outputs with numbers need."""

    def tokens(self, count: int) -> None:
        """The local engine has parsed a sentence of a partition that is not finished."""

    def finished(self, record: Record, size: int) -> None:
        """A partition is finished."""

    def failed(self, failure: Failure, tries: int, is_given_up: bool) -> None:
        """A try of a partition failed."""

    def note(self, text: str) -> None:
        """Something happened that a person should know."""

    def tick(self) -> None:
        """Some time has passed."""


@dataclass
class Corpus:
    """A parsed corpus: the paths of the parts that are finished, and what was counted."""

    folder: Path
    parts: tuple[Path, ...]
    totals: Totals
    failed: dict[int, dict[str, Any]] = field(default_factory=dict)
    """The partitions that were given up: their numbers, errors and tries."""
    partitions: int = 0

    @property
    def is_finished(self) -> bool:
        """Whether all parts are there."""
        return len(self.parts) == self.partitions


def parse_corpus(
    inputs: str | Path | Sequence[str | Path],
    output: str | Path,
    model: str | Path | Sequence[str | Path] | None = None,
    *,
    engine: str | Engine = "local",
    scheduler: str | None = None,
    workers: int | None = None,
    threads: int | None = None,
    partition_size: int | str = DEFAULT_SIZE,
    to: str | None = None,
    input: InputKind | str | None = None,
    lines: Lines | str = Lines.AUTO,
    tags: str | None = None,
    format: str | None = None,
    text_encoding: str | None = None,
    k: int = 1,
    scores: bool = False,
    max_length: int = 400,
    text_field: str | None = None,
    tokens_field: str | None = None,
    tags_field: str | None = None,
    id_field: str | None = None,
    columns: Sequence[str] | None = None,
    one_row: str | None = None,
    prefix: str | None = None,
    tries: int = 3,
    straggler_seconds: float = Limits.straggler_seconds,
    reconnect_seconds: float = Limits.reconnect_seconds,
    listener: Listener | None = None,
) -> Corpus:
    """Parse files into the folder `output`, partition by partition, on an engine: local, dask or ray.

    `inputs` are files, folders, globs and URLs. The parts of the output, joined in order, are what one
    process writes. A folder that has some parts already is completed, if the same inputs, model and options
    made it. A partition that fails is tried `tries` times, and then reported in `Corpus.failed`; the others
    are parsed.
    """
    listener = listener or Listener()
    names = [inputs] if isinstance(inputs, str | Path) else list(inputs)
    models = (model,) if model is None or isinstance(model, str | Path) else tuple(model)
    paths, model_name = [find_model(one) for one in models], name_model(models)
    parser = load(list(paths)) if len(paths) > 1 else load(paths[0])
    files = find_files(names)
    kind = None if input is None else InputKind(input)
    size = check_size(partition_size)
    partitions = list(Cutting(size, kind, Lines(lines), format, text_encoding).plan(files))
    settings = ParseSettings(
        to or _usual_format(parser, partitions),
        *(str(Lines(lines)), tags, format, text_encoding, k, scores, max_length),
        *(text_field, tokens_field, tags_field, id_field),
        *(None if columns is None else tuple(columns), one_row, prefix),
    )
    check_settings(settings, parser, partitions)
    if settings.to in TABLES and settings.one_row is None:
        settings = replace(settings, one_row=usual_one_row(_reads_tables(partitions)))
    builder = row_builder(settings, parser)
    folder = Path(output).resolve()
    with ExitStack() as stack:
        _make_folder(folder)
        stack.enter_context(only_writer(folder / NAME))
        made_by: dict[str, Any] = {"model": model_name.fingerprint, "inputs": len(files)}
        made_by |= _options(settings, kind, size)
        made_by |= {f"input {n} ({one.name})": [one.size, one.digest()] for n, one in enumerate(files, 1)}
        manifest = Manifest.opened(folder, made_by)
        job = Job(str(folder), model_name, settings, threads)
        if builder is not None and settings.to != TableFormat.JSONL:
            first = ((one.file, one) for partition in partitions for one in partition.slices if not one.start)
            columns_found, schema = columns_of(first, settings, parser, builder)
            job = replace(job, names=columns_found, schema=schema)
        form = format_for(job, parser, builder)
        manifest.head, manifest.tail = form.head, form.tail
        name = engine if isinstance(engine, str) else engine.name
        memory = predict_memory(parser, paths, name, threads, size)
        del parser
        runner = _Runner(
            manifest, partitions, job, Limits(tries, straggler_seconds, reconnect_seconds), listener
        )
        runner.prepare()
        todo = runner.todo()
        if isinstance(engine, str) and todo:
            engine = open_engine(
                engine, scheduler=scheduler, workers=workers, threads=threads, on_tokens=listener.tokens
            )
            stack.callback(engine.close)
        left = sum(one.size for one in todo)
        whole = sum(one.size for one in partitions)
        count = engine.workers if isinstance(engine, Engine) else 0
        listener.planned(len(partitions), len(partitions) - len(todo), whole, whole - left, memory, count)
        if isinstance(engine, Engine) and todo:
            limit = engine.memory_limit
            if limit and memory.private + memory.shared > limit:
                listener.note(f"a worker may use only {limit / 1e6:,.0f} MB: give it more, or fewer threads")
            runner.run(engine, todo)
        return runner.result()


def _usual_format(parser: ParsingFace, partitions: list[Partition]) -> str:
    if _reads_tables(partitions):
        return str(TableFormat.JSONL)
    return "bracket" if parser.settings.mode == "continuous" else "discbracket"


def _reads_tables(partitions: list[Partition]) -> bool:
    return any(one.kind.is_table for partition in partitions for one in partition.slices)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CorpusError(f"{folder}: cannot be made: {error.strerror or error}") from None


def _options(settings: ParseSettings, kind: InputKind | None, size: int) -> dict[str, Any]:
    """Return the options that decide about the output, by the names of the parameters."""
    from spindle import __version__

    options = {"version of Spindle": __version__, "partition_size": size, "input": kind, **asdict(settings)}
    return {name: value for name, value in options.items() if value not in (None, False)}


class _Runner:
    """Parses what is missing in a folder, and keeps the manifest."""

    def __init__(
        self, manifest: Manifest, partitions: list[Partition], job: Job, limits: Limits, listener: Listener
    ) -> None:
        self._manifest, self._partitions, self._job = manifest, partitions, job
        self._limits, self._listener = limits, listener
        self._journal: Journal | None = None
        self._is_local = False

    def prepare(self) -> None:
        """Check what the folder has, and write the manifest."""
        self._manifest.remove_leftovers()
        if lost := self._manifest.keep_whole_parts():
            self._listener.note(f"{lost:,} parts are missing or have another size; they are made again")
        for number, count in self._manifest.starts.items():
            if count >= self._limits.tries:
                self._manifest.failed[number] = {"error": DIED, "tries": count}
        self._manifest.end_journal(self._partitions)

    def todo(self) -> list[Partition]:
        """Return the partitions without a part, but those that are given up."""
        done = self._manifest.records.keys() | self._manifest.failed.keys()
        return [one for one in self._partitions if one.number not in done]

    def result(self) -> Corpus:
        """Return what the folder has now."""
        manifest = self._manifest
        parts = (manifest.records[number].part for number in sorted(manifest.records))
        paths = tuple(manifest.folder / part for part in parts)
        return Corpus(manifest.folder, paths, manifest.totals, manifest.failed, len(self._partitions))

    def run(self, engine: Engine, todo: list[Partition]) -> None:
        """Parse partitions; the manifest is complete at the end, whatever happens."""
        self._is_local = engine.is_local
        by_number = {one.number: one for one in todo}
        with self._manifest.journal() as self._journal:
            try:
                tasks = self._tasks(engine, todo)
                for record in Run(engine, parse_partition, self, self._limits).results(tasks):
                    assert isinstance(record, Record)
                    self._manifest.records[record.number] = record
                    self._manifest.starts.pop(record.number, None)
                    self._journal.write({"record": record.to_json()})
                    self._listener.finished(record, by_number[record.number].size)
            except BaseException as stop:
                if self._is_local:
                    self._stopped(stop)
                raise
            finally:
                self._manifest.end_journal(self._partitions)

    def _tasks(self, engine: Engine, todo: list[Partition]) -> Iterator[Task]:
        before = self._before(engine) if self._job.settings.to in NUMBERED else {}
        last = len(self._partitions) - 1
        for one in todo:
            yield Task(self._job, one, one.number == last, before.get(one.number))

    def _before(self, engine: Engine) -> dict[int, Before]:
        """Count the sentences and characters before every partition, on the engine."""
        counted: dict[int, Counted] = {}
        tasks = (Task(self._job, one) for one in self._partitions[:-1])
        for found in Run(engine, count_partition, _Counting(self), self._limits).results(tasks):
            assert isinstance(found, Counted)
            counted[found.number] = found
            self._listener.counted(len(self._partitions), len(counted))
        return numbers_before(self._partitions, counted)

    # ── what the run reports ─────────────────────────────────────────────────────────────────────────

    def started(self, task: AnyTask) -> None:
        """Note the start in the journal, if this process could end with the partition."""
        if self._is_local and self._journal is not None:
            self._journal.write({"start": task.number})
            self._manifest.starts[task.number] += 1
            self._at = task.number

    def _stopped(self, stop: BaseException) -> None:
        """Take a start back: the process was interrupted, and the partition is not to blame."""
        number = getattr(self, "_at", None)
        if number is not None and self._manifest.starts[number] > 0:
            self._manifest.starts[number] -= 1

    def failed(self, failure: Failure, tries: int, is_given_up: bool) -> None:
        """Note a failed try."""
        event = {
            "time": time.time(),
            "number": failure.number,
            "error": failure.error,
            "worker": failure.worker,
        }
        self._manifest.events.append(event)
        if self._journal is not None:
            self._journal.write({"event": event})
        if self._is_local:
            self._manifest.starts[failure.number] -= 1
        if is_given_up:
            self._manifest.failed[failure.number] = {"error": failure.error, "tries": tries}
        self._listener.failed(failure, tries, is_given_up)

    def note(self, text: str) -> None:
        """Pass a notice on."""
        self._listener.note(text)

    def tick(self) -> None:
        """Pass the time on."""
        self._listener.tick()


class _Counting:
    """Watches the counting of partitions: no start is noted, and a partition that fails ends the run."""

    def __init__(self, runner: _Runner) -> None:
        self._runner = runner
        self.note, self.tick = runner.note, runner.tick

    def started(self, task: AnyTask) -> None:
        """Do nothing."""

    def failed(self, failure: Failure, tries: int, is_given_up: bool) -> None:
        """Raise an error if the partition cannot be counted: the numbers after it are unknown."""
        if is_given_up:
            raise CorpusError(
                f"partition {failure.number} cannot be counted: {failure.error}",
                hint="write bracket or discbracket, which have no numbers",
            )


def numbers_before(partitions: Sequence[Partition], counted: dict[int, Counted]) -> dict[int, Before]:
    """Return what is before every partition: sentences of the corpus, characters of each file."""
    found: dict[int, Before] = {}
    sentences, characters, name = 0, 0, ""
    for partition in partitions:
        starts = []
        here = counted.get(partition.number)
        for at, one in enumerate(partition.slices):
            if one.file.name != name or one.start == 0:
                name, characters = one.file.name, 0
            starts.append(characters)
            characters += here.characters[at] if here else 0
        found[partition.number] = Before(sentences, tuple(starts))
        sentences += here.sentences if here else 0
    return found
