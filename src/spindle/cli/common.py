"""What the verbs share: messages on standard error, files with a progress bar, the choice of head rules."""

from __future__ import annotations

import logging
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

import click

from spindle.errors import Hint, Setting, SpindleError, TreebankError

if TYPE_CHECKING:
    from rich.progress import Progress

    from spindle.heads import HeadFinder
    from spindle.treebanks import ReadingReport, Source
    from spindle.treebanks.files import OnError
    from spindle.trees import Dependencies, Tree

Item = TypeVar("Item")

REFRESH_SECONDS = 0.1
"""The time between two updates of a progress bar."""
REMARKS_SHOWN = 10
"""The number of remarks of one kind that are printed; later ones are only counted."""

FLAGS = {
    Setting.INPUT_FORMAT: "--from",
    Setting.OUTPUT_FORMAT: "--to",
    Setting.TEXT_ENCODING: "--text-encoding",
    Setting.ERROR_POLICY: "--on-error",
    Setting.MODEL: "--model",
    Setting.PARSER: "--parser",
    Setting.DEVELOPMENT_TREES: "--dev",
    Setting.RESUME: "--resume",
    Setting.TEXT_COLUMN: "--text-field",
    Setting.TOKENS_COLUMN: "--tokens-field",
    Setting.TAGS_COLUMN: "--tags-field",
    Setting.ID_COLUMN: "--id-field",
    Setting.COLUMN_PREFIX: "--prefix",
}
"""The flags of the settings that hints of the library name."""


# ── messages ─────────────────────────────────────────────────────────────────────────────────────────

MESSAGES = logging.getLogger("spindle.cli")
"""The logger of the command line."""
_bars: list[Progress] = []
"""The active progress bar, if any."""


def note(text: str) -> None:
    """Print a notice on standard error, unless `--quiet` was given."""
    MESSAGES.info("%s", text)


def complain(text: str) -> None:
    """Print an error on standard error."""
    MESSAGES.error("%s", text)


def plain(text: str) -> str:
    r"""Return a text without characters that control a terminal; they are shown as escapes.

    >>> plain("NP\x1b[31m\n")
    'NP\\x1b[31m\n'
    """
    if text.isprintable():
        return text
    return "".join([mark if mark.isprintable() or mark in "\n\t" else ascii(mark)[1:-1] for mark in text])


def print_message(text: str) -> None:
    """Print a line on standard error; files and models may not control the terminal."""
    text = plain(text)
    if _bars:  # the console prints it above the bar
        _bars[-1].console.print(f"spindle: {text}", markup=False, highlight=False, soft_wrap=True)
    else:
        click.echo(f"spindle: {text}", err=True)


@contextmanager
def notes_above(bar: Progress) -> Iterator[None]:
    """Let `note` print above a progress bar as long as the bar is shown."""
    _bars.append(bar)
    try:
        yield
    finally:
        _bars.remove(bar)


def error_message(error: SpindleError) -> str:
    """Return the text of an error, with flags in its hint."""
    hint = error.hint
    return error.message(hint.naming(FLAGS[hint.setting]) if isinstance(hint, Hint) else hint)


@contextmanager
def resumable(output: str) -> Iterator[None]:
    """Say on an interruption that `--resume` continues, if the output has been begun."""
    try:
        yield
    except KeyboardInterrupt:
        if not Path(output).exists():
            raise KeyboardInterrupt("nothing was written") from None
        hint = f"{output} has all that is finished; the same command with --resume continues"
        raise KeyboardInterrupt(hint) from None


class Notices:
    """Prints at most ten notices of a kind, and at the end how many there were."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def say(self, kind: str, text: str) -> None:
        """Print a notice unless ten of its kind have been printed."""
        self.counts[kind] += 1
        if self.counts[kind] <= REMARKS_SHOWN:
            note(text)
        if self.counts[kind] == REMARKS_SHOWN:
            note(f"more of this kind ({kind}) are only counted")

    def sum_up(self) -> None:
        """Print the counts of the kinds of which some notices were not printed."""
        for kind, count in self.counts.items():
            if count > REMARKS_SHOWN:
                note(f"{kind}: {count}")


class Reporter:
    """Prints the remarks of readers on standard error, and their counts at the end."""

    def __init__(self, output: str = "") -> None:
        from spindle.treebanks import ReadingReport

        self.report: ReadingReport = ReadingReport(self._show)
        self.notices = Notices()
        # Without a bar if the output goes to the same terminal: the bar would overwrite it.
        is_mixed = output == "-" and sys.stdout.isatty()
        self.shows_progress = shows_progress() and not is_mixed

    def _show(self, kind: str, remark: TreebankError) -> None:
        self.notices.say(kind, error_message(remark))

    def sum_up(self) -> None:
        """Print one line for each kind of remark; fail if a file was not read to its end."""
        from spindle.treebanks.files import CUT_SHORT

        for kind, count in self.report.counts.items():
            note(f"{kind}: {count}")
        if self.report.counts[CUT_SHORT]:
            raise click.ClickException("not everything could be read")


# ── files ────────────────────────────────────────────────────────────────────────────────────────────


def check_output(inputs: Iterable[str], output: str) -> None:
    """Raise a usage error if the output would overwrite an input."""
    for name in inputs:
        if name == "-" and output != "-" and _is_standard_input(Path(output)):
            raise click.UsageError(f"{output} is the input; write to another file.")
        if "-" in (name, output) or not Path(name).exists():
            continue
        if Path(output).exists() and Path(output).samefile(name):
            raise click.UsageError(f"{output} is the input; write to another file.")
        if Path(output).resolve().is_relative_to(Path(name).resolve()):
            raise click.UsageError(f"{output} is in the input folder; write to another folder.")


def _is_standard_input(path: Path) -> bool:
    """Return whether this is the file that standard input is read from."""
    try:
        return os.path.samestat(os.fstat(sys.stdin.fileno()), path.stat())
    except (OSError, ValueError):  # there is no such file, or standard input is none
        return False


def output_format(output: str, format: str | None) -> str:
    """Return the named format, or else the format of the file's ending."""
    from spindle.treebanks import formats

    found = format or formats.format_by_ending(output)
    if found is None:
        name = "standard output" if output == "-" else output
        raise click.UsageError(f"Cannot tell which format to write to {name}; set --to.")
    return found


def open_trees(
    name: str, format: str | None, text_encoding: str | None, on_error: OnError, reporter: Reporter
) -> Iterator[Tree]:
    """Yield the trees of a file, with a progress bar, and remarks on standard error."""
    from spindle.treebanks import files

    bar = progress if reporter.shows_progress else None
    return files.read_trees(name, format, text_encoding, on_error, reporter.report, bar)


def open_dependencies(
    name: str, format: str | None, text_encoding: str | None, on_error: OnError, reporter: Reporter
) -> Iterator[Dependencies]:
    """Yield the sentences of a CoNLL file, with a progress bar, and remarks on standard error."""
    from spindle.treebanks import files

    bar = progress if reporter.shows_progress else None
    return files.read_dependencies(name, format, text_encoding, on_error, reporter.report, bar)


# ── heads ────────────────────────────────────────────────────────────────────────────────────────────


def choose_heads(
    trees: Iterator[Tree], heads: str | None, edges_first: bool = False
) -> tuple[HeadFinder, str, Iterator[Tree]]:
    """Return a head finder, the name of its rules, and all the trees.

    Rules that are not named are guessed from the first trees, and the guess is printed.
    """
    from spindle.heads import SAMPLE_TREES, HeadFinder, guess_rules, load_rules

    if heads is None:
        sample = list(islice(trees, SAMPLE_TREES))
        trees = chain(sample, trees)
        heads, reason = guess_rules(sample)
        note(f"head rules: {heads} ({reason})")
    return HeadFinder(load_rules(heads), edges_first=edges_first), heads, trees


def note_unknown_labels(finder: HeadFinder) -> None:
    """Print which labels the head rules do not cover."""
    if message := finder.unknown_message():
        note(message)


# ── progress ─────────────────────────────────────────────────────────────────────────────────────────


def shows_progress() -> bool:
    """Return whether a progress bar can be shown: on a terminal, and unless `--quiet` was given."""
    from spindle.cli.verbosity import is_quiet

    return sys.stderr.isatty() and not is_quiet()


def progress(items: Iterable[Item], sources: list[Source]) -> Iterator[Item]:
    """Yield the items and show on standard error how much of the sources has been read."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    total = sum(Path(source.name).stat().st_size for source in sources if Path(source.name).is_file())
    columns = (
        TextColumn("{task.fields[sentences]:,} sentences"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TextColumn("{task.fields[speed]:,.0f}/s"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    # No redirection: the output of the verb must go to its own stream, not through the bar.
    bar = Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False)
    with bar, notes_above(bar):
        task = bar.add_task("", total=total or None, sentences=0, speed=0.0)
        start = shown = monotonic()
        for count, item in enumerate(items, start=1):
            yield item
            now = monotonic()
            if now - shown > REFRESH_SECONDS:
                shown = now
                done = sum(source.position for source in sources)
                bar.update(task, completed=done, sentences=count, speed=count / (now - start))
