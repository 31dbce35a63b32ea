"""A grid of characters to draw on with text and box-drawing lines."""

from __future__ import annotations

from spindle.drawing.display import clusters, columns

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
_LINES = " ╵╷│╴┘┐┤╶└┌├─┴┬┼"
"""The character for every combination of arms: bits of the index are directions."""


class Canvas:
    """Text at rows and columns, each piece with a style; later text covers earlier text.

    A style is the number of an ANSI colour or effect, such as `1` for bold, or "" for none.
    """

    def __init__(self) -> None:
        self._rows: list[list[tuple[str, str]]] = []

    def put(self, row: int, column: int, text: str, style: str = "") -> None:
        """Write a text; a wide character takes two columns, and the second one stays empty."""
        end = column + columns(text)
        cells = self._row(row, end)
        for piece in clusters(text):
            cells[column] = (piece, style)
            for covered in range(column + 1, column + columns(piece)):
                cells[covered] = ("", style)
            column += columns(piece)

    def across(self, row: int, first: int, last: int, style: str = "") -> None:
        """Draw a horizontal line, both ends included."""
        self.put(row, first, "─" * (last - first + 1), style)

    def down(self, column: int, first: int, last: int, style: str = "") -> None:
        """Draw a vertical line, both ends included."""
        for row in range(first, last + 1):
            self.put(row, column, "│", style)

    def joint(self, row: int, column: int, arms: int, style: str = "") -> None:
        """Draw a junction of lines; `arms` is the sum of their directions."""
        self.put(row, column, _LINES[arms], style)

    def bar(self, row: int, stem: int, branches: set[int], style: str = "") -> None:
        """Draw a horizontal line below a stem, with branches that go down from it."""
        first, last = min(branches | {stem}), max(branches | {stem})
        for column in range(first, last + 1):
            arms = LEFT * (column > first) | RIGHT * (column < last)
            self.joint(row, column, arms | UP * (column == stem) | DOWN * (column in branches), style)

    def post(self, column: int, stem: int, branches: set[int], style: str = "") -> None:
        """Draw a vertical line with a stem on its left and branches that go right from it."""
        first, last = min(branches | {stem}), max(branches | {stem})
        for row in range(first, last + 1):
            arms = UP * (row > first) | DOWN * (row < last)
            self.joint(row, column, arms | LEFT * (row == stem) | RIGHT * (row in branches), style)

    def text(self, color: bool) -> str:
        """Return the drawing without trailing spaces; `color` adds ANSI escape sequences."""
        return "\n".join(_line(cells, color) for cells in self._rows)

    @property
    def width(self) -> int:
        """The number of columns of the widest row."""
        return max(map(len, self._rows), default=0)

    def _row(self, row: int, width: int) -> list[tuple[str, str]]:
        while len(self._rows) <= row:
            self._rows.append([])
        cells = self._rows[row]
        cells.extend([(" ", "")] * (width - len(cells)))
        return cells


def _line(cells: list[tuple[str, str]], color: bool) -> str:
    if not color:
        return "".join(text for text, _ in cells).rstrip(" ")
    line, current = [], ""
    for text, style in cells:
        if style != current:
            # every style starts with a reset, so that no style has to be undone
            line.append(f"\x1b[0;{style}m" if style else "\x1b[0m")
            current = style
        line.append(text)
    return "".join(line) + ("\x1b[0m" if current else "")
