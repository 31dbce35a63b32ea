"""What the verbs share: options for reading files, a progress bar, and remarks on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

import click

from spindle.errors import TreebankError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem
    from rich.progress import Progress

    from spindle.heads import HeadFinder
    from spindle.treebanks import ReadingReport, Source
    from spindle.treebanks.files import OnError
    from spindle.trees import Dependencies, Tree

Command = TypeVar("Command", bound=Callable[..., Any])
Item = TypeVar("Item")

TREES = ("bracket", "psd", "discbracket", "export", "export3", "tigerxml", "alpino")
DEPENDENCIES = ("conllu", "conllx")
SAMPLE = 200
"""How many trees are looked at to guess which head rules fit the labels."""
REFRESHED = 0.1
"""After how many seconds a progress bar moves on."""
SHOWN = 10
"""How many remarks of one kind are shown one by one; all are counted."""


FILE = click.Path(readable=False, allow_dash=True)
"""A file name that shells can complete. Whether it can be opened is seen, and said, when it is."""


def reading_options(*formats: str, encoding_name: str = "--encoding") -> Callable[[Command], Command]:
    """`--from`, the text encoding, and `--on-error`.

    Verbs that need `--encoding` for something else have the text encoding as `--text-encoding` only.
    """
    names = {"--text-encoding", encoding_name}

    def add(command: Command) -> Command:
        command = click.option(
            "--on-error",
            type=click.Choice(["stop", "skip"]),
            default="stop",
            show_default=True,
            help="What to do about a malformed sentence: stop, or report and count it and go on.",
        )(command)
        command = click.option(
            *sorted(names),
            "text_encoding",
            metavar="NAME",
            callback=_check_encoding,
            help="Text encoding of the input, e.g. latin-1. [default: utf-8]",
        )(command)
        return click.option(
            "--from", "from_", type=click.Choice(formats), help="Input format. [default: guessed]"
        )(command)

    return add


def _check_encoding(context: click.Context, option: click.Parameter, name: str | None) -> str | None:
    if name is None:
        return None
    from spindle.treebanks.source import check_encoding

    try:
        return check_encoding(name)
    except TreebankError as error:
        raise click.BadParameter(f"{error.cause}.") from None


class StripNames(click.ParamType):  # type: ignore[type-arg]
    """What to strip: names separated by commas."""

    name = "names"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """The names, all of which are known."""
        from spindle.treebanks.transforms import STRIP

        names = tuple(name.strip() for name in value.split(",") if name.strip())
        if unknown := sorted(set(names) - set(STRIP)):
            self.fail(f"{unknown[0]!r} cannot be stripped; what can is {', '.join(STRIP)}.", param, ctx)
        return names

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names that the last one can become."""
        from click.shell_completion import CompletionItem

        from spindle.treebanks.transforms import STRIP

        before, comma, last = incomplete.rpartition(",")
        return [CompletionItem(before + comma + name) for name in STRIP if name.startswith(last)]


def transform_options(command: Command) -> Command:
    """`--strip` and `--punct`."""
    command = click.option(
        "--punct",
        type=click.Choice(["leave", "move", "remove", "raise"]),
        default="leave",
        show_default=True,
        help="Punctuation: move it from the root into the tree, remove it, or raise it to the root.",
    )(command)
    return click.option(
        "--strip",
        metavar="WHAT,…",
        type=StripNames(),
        multiple=True,
        callback=lambda context, option, names: tuple(chain.from_iterable(names)),
        help="Take off, separated by commas: functions (NP-SBJ → NP, and edge labels), tag-functions "
        "(CLS-SUJ → CLS), indices (NP-1 → NP), traces (and other empties), morphology (and lemmas), wrapper. "
        "All are lossy.",
    )(command)


class Reporter:
    """Passes readers' remarks on to standard error as they come, and sums them up at the end."""

    def __init__(self, output: str = "") -> None:
        from spindle.treebanks import ReadingReport

        self.remarks: ReadingReport = ReadingReport(self._tell)
        # A bar would get into what is printed on the same terminal while it moves.
        is_mixed = output == "-" and sys.stdout.isatty()
        self.shows_progress = sys.stderr.isatty() and not is_mixed

    def _tell(self, kind: str, remark: TreebankError) -> None:
        count = self.remarks.counts[kind]
        if count <= SHOWN:
            note(str(remark))
        if count == SHOWN:
            note(f"more of this kind ({kind}) are only counted")

    def sum_up(self) -> None:
        """One line for each kind of remark; what is lost without being counted is an error."""
        from spindle.treebanks.files import CUT_SHORT

        for kind, count in self.remarks.counts.items():
            note(f"{kind}: {count}")
        if self.remarks.counts[CUT_SHORT]:
            raise click.ClickException("not everything could be read")


_bars: list[Progress] = []
"""The progress bar that moves at the moment, if any."""


def note(text: str) -> None:
    """Say something on standard error, where it cannot mix with output."""
    if _bars:  # which is to stay below what is said
        _bars[-1].console.print(f"spindle: {text}", markup=False, highlight=False, soft_wrap=True)
    else:
        click.echo(f"spindle: {text}", err=True)


def check_output(inputs: Iterable[str], output: str) -> None:
    """Refuse to write over what is still to be read."""
    for name in inputs:
        if "-" in (name, output) or not Path(name).exists():
            continue
        if Path(output).exists() and Path(output).samefile(name):
            raise click.UsageError(f"{output} is the input; write to another file.")
        if Path(output).resolve().is_relative_to(Path(name).resolve()):
            raise click.UsageError(f"{output} is in the folder that is read; write to another one.")


def output_format(output: str, format: str | None) -> str:
    """The format to write: the one that is named, or the one that the file's ending tells."""
    from spindle.treebanks import formats

    found = format or formats.format_by_ending(output)
    if found is None:
        name = "standard output" if output == "-" else output
        raise click.UsageError(f"Cannot tell which format to write to {name}; name it with --to.")
    return found


def open_trees(
    name: str, format: str | None, encoding: str | None, on_error: OnError, reporter: Reporter
) -> Iterator[Tree]:
    """The trees of a file with a progress bar and remarks on standard error."""
    from spindle.treebanks import files

    sources = files.sources(name, encoding)
    trees = files.read_trees(sources, format, on_error=on_error, remarks=reporter.remarks)
    return progress(trees, sources) if reporter.shows_progress else trees


def open_dependencies(
    name: str, format: str | None, encoding: str | None, on_error: OnError, reporter: Reporter
) -> Iterator[Dependencies]:
    """The sentences of a CoNLL file, likewise."""
    from spindle.treebanks import files

    sources = files.sources(name, encoding)
    sentences = files.read_dependencies(sources, format, on_error=on_error, remarks=reporter.remarks)
    return progress(sentences, sources) if reporter.shows_progress else sentences


def holds_dependencies(name: str, format: str | None, encoding: str | None) -> bool:
    """Whether a file holds dependencies instead of trees."""
    from spindle.treebanks import files, formats

    return (format or formats.guess_format(files.sources(name, encoding)[0])) in formats.DEPENDENCY_FORMATS


def choose_heads(
    trees: Iterator[Tree], heads: str | None, edges_first: bool = False
) -> tuple[HeadFinder, str, Iterator[Tree]]:
    """A head finder by the rules asked for, or by those that fit the first trees, which is said aloud."""
    from spindle.heads import HeadFinder, guess_rules, load_rules

    if heads is None:
        sample = list(islice(trees, SAMPLE))
        trees = chain(sample, trees)
        heads, reason = guess_rules(sample)
        note(f"head rules: {heads} ({reason})")
    return HeadFinder(load_rules(heads), edges_first=edges_first), heads, trees


def tell_unknown(finder: HeadFinder) -> None:
    """Say which labels the table had no rule for."""
    if finder.unknown:
        labels = ", ".join(
            f"{label or '(empty)'} ({count})" for label, count in finder.unknown.most_common(8)
        )
        note(f"no head rule for {finder.unknown.total()} nodes, the default was used: {labels}")


def progress(items: Iterable[Item], sources: list[Source]) -> Iterator[Item]:
    """Items as they come, with a bar on standard error."""
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
    # What is printed goes where it should, not through the bar.
    with Progress(
        *columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
    ) as bar:
        task = bar.add_task("", total=total or None, sentences=0, speed=0.0)
        start = shown = monotonic()
        _bars.append(bar)
        try:
            for count, item in enumerate(items, start=1):
                yield item
                now = monotonic()
                if now - shown > REFRESHED:
                    shown = now
                    done = sum(source.position for source in sources)
                    bar.update(task, completed=done, sentences=count, speed=count / (now - start))
        finally:
            _bars.remove(bar)
