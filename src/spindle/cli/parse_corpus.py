"""`spindle parse --engine`: a corpus into a folder, partition by partition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

from spindle.cli.common import REFRESH_SECONDS, Notices, note, notes_above, shows_progress
from spindle.errors import SpindleError
from spindle.scale.corpus import Listener

if TYPE_CHECKING:
    from rich.progress import Progress

    from spindle.scale.corpus import Corpus
    from spindle.scale.jobs import Failure, Record
    from spindle.scale.memory import Memory

FAILURES_SHOWN = 5


def parse_into_folder(inputs: Sequence[str], output: str, models: Sequence[str], **options: Any) -> None:
    """Parse files into a folder; the options are those of `parse_corpus`. Fails if a part is missing."""
    from spindle.scale import parse_corpus

    bar = CorpusBar()
    try:
        with bar.shown():
            corpus = parse_corpus(inputs, output, models or None, listener=bar, **options)
    except KeyboardInterrupt:
        hint = f"{output} has all parts that are finished; the same command continues"
        raise KeyboardInterrupt(hint) from None
    finally:
        bar.notices.sum_up()
    _report(corpus)


def _report(corpus: Corpus) -> None:
    """Print what was counted; raise an error if partitions were given up."""
    totals = corpus.totals
    parts = _many(len(corpus.parts), "part")
    note(f"{totals.sentences:,} sentences, {totals.tokens:,} tokens in {parts}")
    if totals.repaired:
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in totals.repairs.most_common())
        share = totals.repaired / max(totals.tokens, 1)
        note(f"repaired {totals.repaired:,} tokens ({share:.2%}): {kinds}")
    if totals.cut:
        note(f"sentences longer than --max-length, parsed in pieces: {totals.cut:,}")
    for kind, count in totals.errors.most_common():
        note(f"{kind}: {count:,}; the files *.errors.jsonl have them")
    if corpus.failed:
        shown = list(corpus.failed.items())[:FAILURES_SHOWN]
        told = "; ".join(
            f"partition {number}: {one['error']} ({one['tries']} tries)" for number, one in shown
        )
        more = f"; and {len(corpus.failed) - len(shown):,} more" if len(corpus.failed) > len(shown) else ""
        raise SpindleError(
            f"{len(corpus.failed):,} of {corpus.partitions:,} partitions could not be parsed: {told}{more}",
            hint="the same command tries them again; raise --tries if a worker died",
        )


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


class CorpusBar(Listener):
    """Shows the partitions, tokens per second, the time left and failures."""

    def __init__(self) -> None:
        self.notices = Notices()
        self._bar: Progress | None = None
        self._task: Any = None
        self._tokens = self._open_tokens = self._failures = self._done = self._partitions = 0
        self._start = self._shown = monotonic()

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show a bar, if there is a terminal."""
        if not shows_progress():
            yield
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TextColumn("{task.fields[speed]:,.0f} tokens/s"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[failures]}"),
        )
        console = Console(stderr=True)
        self._bar = Progress(
            *columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
        )
        with self._bar, notes_above(self._bar):
            self._task = self._bar.add_task("planning", total=None, speed=0.0, failures="")
            yield

    def _update(self, **fields: Any) -> None:
        if self._bar is not None:
            self._bar.update(self._task, **fields)

    def planned(
        self, partitions: int, done: int, size: int, size_done: int, memory: Memory, workers: int
    ) -> None:
        """Print what there is to do, and start the clock."""
        self._partitions, self._done = partitions, done
        if done:
            note(f"{done:,} of {_many(partitions, 'part')} done already")
        if workers:
            each = f"each about {memory.private / 1e6:,.0f} MB and {memory.shared / 1e6:,.0f} MB shared"
            note(f"{_many(partitions - done, 'partition')} for {_many(workers, 'worker')}, {each}")
        self._start = monotonic()
        self._update(total=size, completed=size_done, description=self._description)

    @property
    def _description(self) -> str:
        return f"part {self._done:,} of {self._partitions:,}"

    def counted(self, partitions: int, done: int) -> None:
        """Show that sentences are counted before they are parsed."""
        self._update(description=f"counted {done:,} of {partitions:,}")

    def tokens(self, count: int) -> None:
        """Show the speed inside a partition."""
        self._open_tokens += count
        self._show_speed()

    def finished(self, record: Record, size: int) -> None:
        """Show that a part is finished."""
        self._done += 1
        self._tokens += record.tokens
        self._open_tokens = 0
        self._update(advance=size, description=self._description)
        self._show_speed()

    def _show_speed(self) -> None:
        now = monotonic()
        if self._bar is not None and now - self._shown > REFRESH_SECONDS:
            self._shown = now
            self._update(speed=(self._tokens + self._open_tokens) / (now - self._start))

    def failed(self, failure: Failure, tries: int, is_given_up: bool) -> None:
        """Print that a try failed."""
        self._failures += 1
        self._open_tokens = 0
        end = "it is given up" if is_given_up else "it is tried again"
        self.notices.say("failures", f"partition {failure.number}: {failure.error}; {end}")
        self._update(failures=f"{self._failures:,} failures")

    def note(self, text: str) -> None:
        """Print a notice."""
        self.notices.say("notices", text)

    def tick(self) -> None:
        """Show the time that has passed."""
        self._show_speed()
