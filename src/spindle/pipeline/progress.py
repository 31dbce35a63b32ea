"""A progress bar for sentences, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def with_bar(items: Iterable[Item], total: int | None) -> Iterator[Item]:
    """Yield the items and show their number on standard error; without a bar if that is not a terminal."""
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (MofNCompleteColumn(), TextColumn("sentences"), BarColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    # No redirection: what the program prints meanwhile must go to its own stream.
    bar = Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False)
    with bar:
        task = bar.add_task("", total=total)
        for item in items:
            yield item
            bar.advance(task)
