"""What the verbs share: options for reading files, a progress bar, and remarks on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from spindle.errors import TreebankError

if TYPE_CHECKING:
    from spindle.heads import HeadFinder
    from spindle.treebanks import Remarks, Source
    from spindle.treebanks.files import OnError
    from spindle.trees import Dependencies, Tree

Command = TypeVar("Command", bound=Callable[..., Any])
Item = TypeVar("Item")

TREES = ("bracket", "psd", "discbracket", "export", "export3", "tigerxml", "alpino")
DEPENDENCIES = ("conllu", "conllx")
SAMPLE = 200
"""How many trees are looked at to guess which head rules fit the labels."""
SHOWN = 10
"""How many remarks of one kind are shown one by one; all are counted."""


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
            help="Text encoding of the input, e.g. latin-1. [default: utf-8]",
        )(command)
        return click.option(
            "--from", "from_", type=click.Choice(formats), help="Input format. [default: guessed]"
        )(command)

    return add


class Reporter:
    """Passes readers' remarks on to standard error as they come, and sums them up at the end."""

    def __init__(self) -> None:
        from spindle.treebanks import Remarks

        self.remarks: Remarks = Remarks(self._tell)

    def _tell(self, kind: str, remark: TreebankError) -> None:
        count = self.remarks.counts[kind]
        if count <= SHOWN:
            note(str(remark))
        if count == SHOWN:
            note(f"more of this kind ({kind}) are only counted")

    def sum_up(self) -> None:
        """One line for each kind of remark."""
        for kind, count in self.remarks.counts.items():
            note(f"{kind}: {count}")


def note(text: str) -> None:
    """Say something on standard error, where it cannot mix with output."""
    click.echo(f"spindle: {text}", err=True)


def check_output(inputs: Iterable[str], output: str) -> None:
    """Refuse to write over a file that is still to be read."""
    for name in inputs:
        both_exist = "-" not in (name, output) and Path(output).exists() and Path(name).exists()
        if both_exist and Path(output).samefile(name):
            raise click.UsageError(f"{output} is the input; write to another file.")


def open_trees(
    name: str, format: str | None, encoding: str | None, on_error: OnError, reporter: Reporter
) -> Iterator[Tree]:
    """The trees of a file with a progress bar and remarks on standard error."""
    from spindle.treebanks import files

    sources = files.sources(name, encoding)
    trees = files.read_trees(sources, format, on_error=on_error, remarks=reporter.remarks)
    return progress(trees, sources)


def open_dependencies(
    name: str, format: str | None, encoding: str | None, on_error: OnError, reporter: Reporter
) -> Iterator[Dependencies]:
    """The sentences of a CoNLL file, likewise."""
    from spindle.treebanks import files

    sources = files.sources(name, encoding)
    sentences = files.read_dependencies(sources, format, on_error=on_error, remarks=reporter.remarks)
    return progress(sentences, sources)


def holds_dependencies(name: str, format: str | None) -> bool:
    """Whether a file holds dependencies instead of trees."""
    from spindle.treebanks import files, formats

    return (format or formats.guess_format(files.sources(name)[0])) in formats.DEPENDENCY_FORMATS


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
    """Items as they come, with a bar on standard error while it is a terminal."""
    if not sys.stderr.isatty():
        yield from items
        return
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
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total or None, sentences=0, speed=0.0)
        for count, item in enumerate(items, start=1):
            yield item
            if count % 100 == 0:
                elapsed = bar.tasks[0].elapsed or 1e-9
                done = sum(source.position for source in sources)
                bar.update(task, completed=done, sentences=count, speed=count / elapsed)
