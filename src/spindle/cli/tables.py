"""Tables on standard output: with lines on a terminal, plain and at full width in a pipe or a file.

A cell is never cut off: on a narrow terminal it continues on the next line.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import click

GAP = 2
"""The number of blanks between the columns of a plain table."""


@dataclass
class Table:
    """A title, the names of the columns, and rows of text. Columns in `texts` are aligned to the left.

    `sections` are the numbers of rows that a line is drawn above, `bold` those that are emphasised.
    """

    title: str
    columns: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list)
    texts: Sequence[int] = (0,)
    caption: str = ""
    sections: list[int] = field(default_factory=list)
    bold: list[int] = field(default_factory=list)
    dim: list[int] = field(default_factory=list)

    def add(self, *cells: str, bold: bool = False, dim: bool = False) -> None:
        """Add a row; cells that are left out are empty."""
        if bold:
            self.bold.append(len(self.rows))
        if dim:
            self.dim.append(len(self.rows))
        self.rows.append((*cells, *[""] * (len(self.columns) - len(cells))))

    def add_section(self) -> None:
        """Draw a line above the next row."""
        self.sections.append(len(self.rows))


def print_tables(tables: Iterable[Table]) -> None:
    """Print tables, one below the other."""
    is_terminal = sys.stdout.isatty()
    for number, table in enumerate(tables):
        if is_terminal:
            _print_with_lines(table)
        else:
            click.echo(("\n" if number else "") + plain(table))


def plain(table: Table) -> str:
    """Return a table without lines, at full width.

    >>> print(plain(Table("", ("label", "count"), [("NP", "12"), ("VP", "3")])))
    label  count
    NP        12
    VP         3
    """
    from spindle.drawing.display import columns

    rows = [table.columns, *table.rows] if any(table.columns) else table.rows
    widths = [max((columns(row[at]) for row in rows), default=0) for at in range(len(table.columns))]
    lines = [table.title] if table.title else []
    for row in rows:
        cells = []
        for at, (cell, width) in enumerate(zip(row, widths, strict=True)):
            room = " " * (width - columns(cell))
            cells.append(cell + room if at in table.texts else room + cell)
        lines.append((" " * GAP).join(cells).rstrip())
    return "\n".join([*lines, table.caption] if table.caption else lines)


def _print_with_lines(table: Table) -> None:
    from rich.console import Console
    from rich.table import Table as Lines
    from rich.text import Text

    shown = Lines(
        title=table.title or None,
        title_justify="left",
        title_style="bold",
        caption=table.caption or None,
        show_header=any(table.columns),
    )
    for at, name in enumerate(table.columns):
        shown.add_column(Text(name), justify="left" if at in table.texts else "right", overflow="fold")
    for number, row in enumerate(table.rows):
        if number in table.sections:
            shown.add_section()
        style = "bold" if number in table.bold else "dim" if number in table.dim else ""
        shown.add_row(*map(Text, row), style=style)
    Console(highlight=False).print(shown)
