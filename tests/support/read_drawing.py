"""The inverse of the text drawings: reconstructs the tree by following the lines.

This shows that the drawings are unambiguous. Labels and words must consist of letters and digits.
"""

from __future__ import annotations

from spindle.drawing.display import columns
from spindle.trees import ROOT, DTree, Token, Tree

UP, DOWN, LEFT, RIGHT = "│┤├┘└┴┼", "│┐┌├┤┬┼", "─┐┘┤┬┴┼", "─┌└├┬┴┼"
CROSSING = "│"
SECOND_HALF = "\ue000"
"""Stands for the second column of a wide character."""


class Sheet:
    """The characters of a drawing by row and column; everything beyond its edges is blank."""

    def __init__(self, drawing: str) -> None:
        self.rows: list[list[str]] = []
        for line in drawing.split("\n"):
            cells: list[str] = []
            for character in line:
                cells += [character, SECOND_HALF][: columns(character)]
            self.rows.append(cells)

    def __getitem__(self, cell: tuple[int, int]) -> str:
        row, column = cell
        cells = self.rows[row]
        return cells[column] if 0 <= column < len(cells) else " "

    def words(self, row: int) -> list[tuple[int, int, str]]:
        """Return the words of a row with their start and end columns."""
        found, start = [], None
        for column in range(len(self.rows[row]) + 1):
            is_letter = self[row, column].isalnum() or self[row, column] in "#" + SECOND_HALF
            if is_letter and start is None:
                start = column
            elif not is_letter and start is not None:
                text = "".join(self.rows[row][start:column]).replace(SECOND_HALF, "")
                found.append((start, column, text))
                start = None
        return found

    def word_at(self, row: int, column: int) -> int:
        """Return the start column of the word that covers this column."""
        return next(start for start, end, _ in self.words(row) if start <= column < end)


def read_wide_tree(drawing: str) -> Tree:
    """Return the tree of a wide drawing with tags."""
    sheet = Sheet(drawing)
    bottom = len(sheet.rows) - 2
    tags, forms = sheet.words(bottom), sheet.words(bottom + 1)
    tokens = {start: position for position, (start, _, _) in enumerate(tags)}
    nodes = [(row, *word) for row in range(0, bottom, 2) for word in sheet.words(row)]
    numbers = {(row, start): number for number, (row, start, _, _) in enumerate(nodes)}
    parents, leaf_parents = [ROOT] * len(nodes), [ROOT] * len(tokens)
    for number, (row, start, end, _) in enumerate(nodes):
        (stem,) = (column for column in range(start, end) if sheet[row + 1, column] in UP)
        for column in _along_bar(sheet, row + 1, stem):
            below = row + 2
            while sheet[below, column] == CROSSING:
                below += 1
            child = sheet.word_at(below, column)
            if below == bottom:
                leaf_parents[tokens[child]] = number
            else:
                parents[numbers[below, child]] = number
    words = [Token(form, tag) for (_, _, form), (_, _, tag) in zip(forms, tags, strict=True)]
    return Tree.build(words, [label for *_, label in nodes], parents, leaf_parents)


def _along_bar(sheet: Sheet, row: int, stem: int) -> list[int]:
    """Return the columns where branches go down from the horizontal line below the stem."""
    found = [stem] if sheet[row, stem] in DOWN else []
    for step, onward in ((-1, LEFT), (1, RIGHT)):
        column = stem
        while sheet[row, column] in onward or (column != stem and sheet[row, column] == CROSSING):
            column += step
            if sheet[row, column] in DOWN and sheet[row, column] != CROSSING:
                found.append(column)
    return found


def read_tall_tree(drawing: str) -> Tree:
    """Return the tree of a tall drawing with tags."""
    sheet = Sheet(drawing)
    tokens, nodes = [], []
    for row in range(len(sheet.rows)):
        _, *labels, (_, _, tag), (_, _, form) = sheet.words(row)
        tokens.append(Token(form, tag))
        nodes += [(row, *label) for label in labels]
    numbers = {(row, start): number for number, (row, start, _, _) in enumerate(nodes)}
    parents, leaf_parents = [ROOT] * len(nodes), [ROOT] * len(tokens)
    for number, (row, _, end, _) in enumerate(nodes):
        post = end
        while sheet[row, post] == "─":
            post += 1
        # a line that reaches a word without a vertical line leads to an only child
        for branch in _along_post(sheet, row, post) if sheet[row, post] in LEFT else [row]:
            column = post
            while sheet[branch, column] in RIGHT + CROSSING:
                column += 1
            if sheet[branch, column] == " ":
                leaf_parents[branch] = number
            else:
                parents[numbers[branch, column]] = number
    return Tree.build(tokens, [label for *_, label in nodes], parents, leaf_parents)


def _along_post(sheet: Sheet, stem: int, column: int) -> list[int]:
    """Return the rows where branches go right from the vertical line at the stem."""
    found = [stem] if sheet[stem, column] in RIGHT else []
    for step, onward in ((-1, UP), (1, DOWN)):
        row = stem
        while sheet[row, column] in onward:
            row += step
            if sheet[row, column] in RIGHT:
                found.append(row)
    return found


def read_wide_dtree(drawing: str) -> DTree:
    """Return the d-tree of a wide drawing with tags."""
    sheet = Sheet(drawing)
    arrows = len(sheet.rows) - 3
    stems = [column for column in range(len(sheet.rows[arrows])) if sheet[arrows, column] == "▼"]
    heads, labels = [ROOT] * len(stems), [""] * len(stems)
    for head, stem in enumerate(stems):
        row = arrows - 1
        while row >= 0 and sheet[row, stem] in UP:
            for step, onward in ((-1, LEFT), (1, RIGHT)):
                if sheet[row, stem] not in onward:
                    continue
                column = stem + step
                while sheet[row, column] not in "┌┐":
                    column += step
                modifier = stems.index(column)
                heads[modifier] = head
                # beside the modifier, with a dash between them
                labels[modifier] = next(
                    label for start, end, label in sheet.words(row) if column in (start - 2, end + 1)
                )
            row -= 1
    words = zip(sheet.words(arrows + 1), sheet.words(arrows + 2), strict=True)
    return _dtree([Token(form, tag) for (_, _, form), (_, _, tag) in words], heads, labels)


def read_tall_dtree(drawing: str) -> DTree:
    """Return the d-tree of a tall drawing with tags, by its arcs; the heads in its table must agree."""
    sheet = Sheet(drawing)
    arrow = sheet.rows[0].index("▶")
    heads, labels, tokens = [ROOT] * len(sheet.rows), [], []
    for head in range(len(sheet.rows)):
        _, (_, _, form), (_, _, tag), (_, _, label), *_ = sheet.words(head)
        tokens.append(Token(form, tag))
        labels.append(label)
        column = arrow - 1
        while column >= 0 and sheet[head, column] in LEFT + CROSSING:
            for step, onward in ((-1, UP), (1, DOWN)):
                if sheet[head, column] in onward and sheet[head, column] != CROSSING:
                    row = head + step
                    while sheet[row, column] not in "┌└":
                        row += step
                    heads[row] = head
            column -= 1
    in_table = [
        int(words[4][2]) - 1 if len(words) > 4 else ROOT for words in map(sheet.words, range(len(heads)))
    ]
    assert in_table == heads
    return _dtree(tokens, heads, labels)


def _dtree(tokens: list[Token], heads: list[int], labels: list[str]) -> DTree:
    parts = [
        label.split("#") if head != ROOT else ("", "0") for label, head in zip(labels, heads, strict=True)
    ]
    return DTree(
        tuple(tokens),
        tuple(heads),
        tuple(symbol for symbol, _ in parts),
        tuple(int(event) for _, event in parts),
    )
