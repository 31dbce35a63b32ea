"""The report of a training on the terminal: a progress bar, and the score at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Self

from spindle.cli.common import note, notes_above, shows_progress

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from spindle.pipeline import Parser
    from spindle.training.seeds import SeedRuns


def show_training(output: str, training: Callable[[TrainingBar], Parser]) -> None:
    """Run a training with a progress bar, and report the result."""
    with _resumable([output]), TrainingBar() as bar:
        parser = training(bar)
    _note_score(output, parser)


def show_seeds(output: str, seeds: Sequence[int], training: Callable[[TrainingBar], SeedRuns]) -> None:
    """Run the trainings of several seeds with a progress bar, and report the results and their spread."""
    from spindle.training.seeds import seeded

    outputs = [str(seeded(Path(output), seed)) for seed in seeds]
    with _resumable(outputs), TrainingBar() as bar:
        runs = training(bar)
    for name, parser in zip(outputs, runs.parsers.values(), strict=True):
        _note_score(name, parser)
    for name, title in {"f1": "F1", "disc_f1": "disc. F1"}.items():
        if name in runs.figures:
            note(f"{len(seeds)} seeds: dev {title} {runs.figures[name]}")


@contextmanager
def _resumable(outputs: Sequence[str]) -> Iterator[None]:
    """Say how to continue if the training is interrupted."""
    try:
        yield
    except KeyboardInterrupt:
        checkpoints = [f"{output}.checkpoint" for output in outputs if Path(f"{output}.checkpoint").exists()]
        if not checkpoints:
            raise KeyboardInterrupt("no stage was finished; the same command starts anew") from None
        done = f"{checkpoints[0]} has the finished stages and epochs"
        raise KeyboardInterrupt(f"{done}; the same command with --resume continues") from None


def _note_score(output: str, parser: Parser) -> None:
    scores = parser.card.scores
    if "f1" in scores:
        note(f"{output}: dev F1 {scores['f1']:.2f}  {scores['signature']}")
    else:
        note(f"{output} is written; without --dev it has no scores")


UNITS = {"jackknifing": "folds", "teacher": "batches"}
"""What stages count that do not count their epochs."""


class TrainingBar:
    """Shows messages and figures as lines, and on a terminal a progress bar below them."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._start = monotonic()

    def __enter__(self) -> Self:
        if shows_progress():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

            bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f} %"),
                TextColumn("{task.fields[figures]}"),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._progress = self._stack.enter_context(bar)
            self._stack.enter_context(notes_above(bar))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def is_shown(self) -> bool:
        """Whether there is a bar: on a terminal."""
        return self._progress is not None

    def say(self, text: str) -> None:
        """Print a line above the bar."""
        note(text)

    def stage(self, name: str) -> None:
        """Start a new bar."""
        if self._progress is None:
            note(f"training: {name}")
            return
        if self._task is not None:
            self._progress.remove_task(self._task)
        self._task = self._progress.add_task(name, total=None, figures="")
        self._start = monotonic()

    def progress(self, done: int, of: int, loss: float | None) -> None:
        """Move the bar."""
        if self._progress is None or self._task is None:
            return
        if done < (self._progress.tasks[-1].completed or 0):  # another epoch
            self._progress.reset(self._task)
            self._start = monotonic()
        if loss is None:
            unit = UNITS.get(self._progress.tasks[-1].description.rpartition(": ")[2], "epochs")
            figures = f"{done:,} of {of:,} {unit}"
        else:  # from the parser
            speed = done / max(monotonic() - self._start, 0.1)
            figures = f"{done:,} of {of:,} sentences, {speed:,.0f}/s, loss {loss:.4g}"
        self._progress.update(self._task, completed=done, total=of, figures=figures)

    def epoch(self, record: dict[str, Any]) -> None:
        """Print the figures of an epoch."""
        from spindle.training.listener import epoch_line

        self.say(epoch_line(record))
