"""Scores for spreadsheets and papers: CSV with all digits, and LaTeX tables."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spindle.drawing.latex import escape_latex

if TYPE_CHECKING:
    from spindle.evaluation.dependencies import DependencyScore
    from spindle.evaluation.runs import Runs
    from spindle.evaluation.score import Score
    from spindle.evaluation.significance import SystemComparison

Row = Mapping[str, Any]

TREE_COLUMNS = {
    "precision": "P",
    "recall": "R",
    "f1": "F1",
    "exact": "EM",
    "disc_precision": "disc. P",
    "disc_recall": "disc. R",
    "disc_f1": "disc. F1",
    "disc_exact": "disc. EM",
    "tags": "tags",
}
DEPENDENCY_COLUMNS = {
    "uas": "UAS",
    "las": "LAS",
    "label_accuracy": "labels",
    "uas_no_punctuation": "UAS, no punct.",
    "las_no_punctuation": "LAS, no punct.",
    "label_accuracy_no_punctuation": "labels, no punct.",
}
"""The figures in a LaTeX table, and the heads of their columns."""


TABLES = {
    "labels": ("by_label", "label"),
    "lengths": ("by_length", "words"),
    "kinds": ("errors_by_kind", "kind"),
    "confusions": ("confusions", "gold"),
}
"""The tables of errors: their fields in JSON, and their first columns."""
SCORED = "scored"
"""The head of the coverage in LaTeX tables."""
_HEADS = {"pred": "predicted", **TREE_COLUMNS}


# ── CSV ──────────────────────────────────────────────────────────────────────────────────────────────


def score_row(score: Score | DependencyScore, **names: str) -> dict[str, Any]:
    """Return the names and all figures of a score as one row; tables within it are left out."""
    row: dict[str, Any] = dict(names)
    for name, value in score.to_dict().items():
        if name == "brackets":
            row |= {f"brackets_{kind}": count for kind, count in value.items()}
        elif not isinstance(value, list | dict):
            row[name] = value
    return row


def sentence_rows(score: Score | DependencyScore) -> list[dict[str, Any]]:
    """Return the counts of every sentence, one row each."""
    return list(score.to_dict(per_sentence=True)["per_sentence"])


def table_rows(score: Score, name: str) -> list[dict[str, Any]]:
    """Return the rows of one of the tables `TABLES` of a score."""
    field, first = TABLES[name]
    found = score.to_dict()[field]
    return list(found) if isinstance(found, list) else [{first: key, **row} for key, row in found.items()]


def comparison_rows(comparison: SystemComparison, first: str, second: str) -> list[dict[str, Any]]:
    """Return one row for every compared figure."""
    rows = []
    for name, values in comparison.to_dict()["figures"].items():
        low, high = values["interval"]
        rows.append(
            {
                "figure": name,
                "a": first,
                "b": second,
                "score_a": values["first"],
                "score_b": values["second"],
                "difference": values["difference"],
                "low": low,
                "high": high,
                "p_bootstrap": values["p_bootstrap"],
                "p_randomisation": values["p_randomisation"],
                "scored_a": " ".join(comparison.coverage[0]),
                "scored_b": " ".join(comparison.coverage[1]),
                "signature": comparison.signature,
            }
        )
    return rows


def run_rows(runs: Runs, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return one row for every run, and one each for mean and deviation."""
    rows = [score_row(score, pred=name) for name, score in zip(names, runs.scores, strict=True)]
    empty = dict.fromkeys(rows[0])
    for title, number in (("mean", 0), ("deviation", 1)):
        figures = {name: one and one[number] for name, one in runs.figures.items()}
        rows.append({**empty, "pred": title, **figures})
    return rows


def csv_text(rows: Sequence[Row]) -> str:
    """Return rows as CSV under the names of their columns; an undefined figure is an empty cell.

    >>> csv_text([{"pred": "a,b", "f1": 90.5}, {"pred": "c", "f1": None}])
    'pred,f1\\n"a,b",90.5\\nc,\\n'
    """
    stream = io.StringIO()
    if rows:
        names = list(dict.fromkeys(name for row in rows for name in row))
        writer = csv.DictWriter(stream, names, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return stream.getvalue()


# ── LaTeX ────────────────────────────────────────────────────────────────────────────────────────────


def score_latex(
    rows: Sequence[tuple[str, Score | DependencyScore]], others: Sequence[tuple[str, Row]] = ()
) -> str:
    """Return a table with one line for every named score, all of one kind; signatures follow as comments.

    `others` are lines of figures that are not scores, such as means.

    A column of discontinuous figures is left out if all its figures are undefined.
    """
    figures = [(name, score.to_dict()) for name, score in rows]
    columns = TREE_COLUMNS if "f1" in figures[0][1] else DEPENDENCY_COLUMNS
    shown = {
        figure: title
        for figure, title in columns.items()
        if not figure.startswith("disc_") or any(row[figure] is not None for _, row in figures)
    }
    body = [
        [name, *(_figure(row[figure]) for figure in shown), _coverage(row)]
        for name, row in (*figures, *others)
    ]
    comments = [f"{name}: {row['signature']}" for name, row in figures]
    return latex_table(["", *shown.values(), SCORED], body, comments)


def runs_latex(runs: Runs, names: Sequence[str]) -> str:
    """Return a table with one line for every figure that is defined, with its mean and deviation."""
    body = [
        [TREE_COLUMNS[name], *(_figure(getattr(score, name)) for score in runs.scores), str(one)]
        for name, one in runs.figures.items()
        if one is not None
    ]
    body.append([SCORED, *(score.totals.scored_of_all for score in runs.scores), ""])
    comments = [f"{number}: {name}" for number, name in enumerate(names, start=1)]
    columns = ("", *(str(number) for number in range(1, len(names) + 1)), "mean")
    return latex_table(columns, body, [*comments, runs.signature])


def table_latex(score: Score, name: str) -> str:
    """Return one of the tables `TABLES` of a score."""
    rows = table_rows(score, name)
    body = [[_cell(value) for value in row.values()] for row in rows]
    columns = [_HEADS.get(column, column) for column in (rows[0] if rows else {TABLES[name][1]: ""})]
    return latex_table(columns, body, [score.signature])


def comparison_latex(comparison: SystemComparison, first: str, second: str) -> str:
    """Return a table with one line for every figure that is defined."""
    body = [
        [
            TREE_COLUMNS[one.figure],
            _figure(one.first),
            _figure(one.second),
            f"{one.difference:+.2f}",
            f"[{one.low:+.2f}, {one.high:+.2f}]",
            f"{one.p_bootstrap:.4f}",
            f"{one.p_randomisation:.4f}",
        ]
        for one in comparison.differences
        if one.difference is not None and one.low is not None
    ]
    scored = [", ".join(dict.fromkeys(runs)) for runs in comparison.coverage]
    body.append([SCORED, *scored, *[""] * 4])
    columns = ("", "A", "B", "B - A", "95 % interval", "p (bootstrap)", "p (randomisation)")
    comments = (f"A: {first}", f"B: {second}", comparison.signature)
    return latex_table(columns, body, comments)


def latex_table(columns: Sequence[str], rows: Iterable[Sequence[str]], comments: Iterable[str] = ()) -> str:
    """Return a `tabular` in the style of the package booktabs; numbers are aligned to the right."""
    lines = [
        rf"\begin{{tabular}}{{l{'r' * (len(columns) - 1)}}}",
        r"\toprule",
        _latex_row(columns),
        r"\midrule",
        *map(_latex_row, rows),
        r"\bottomrule",
        r"\end{tabular}",
        *(f"% {' '.join(comment.split())}" for comment in comments),
    ]
    return "\n".join(lines) + "\n"


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(_math_sign(escape_latex(cell)) for cell in cells) + r" \\"


def _math_sign(cell: str) -> str:
    """Return a cell with numbers only with signs instead of hyphens; a name stays as it is."""
    return cell if re.search("[^-+0-9., \\[\\]]", cell) else re.sub("([-+])", r"$\1$", cell)


def _cell(value: object) -> str:
    """Return a figure with two digits, a count or a name as it is."""
    return _figure(value) if value is None or isinstance(value, float) else str(value)


def _coverage(row: Row) -> str:
    """Return how many sentences have a scored prediction; nothing for means."""
    return f"{row['scored']}/{row['sentences']}" if "scored" in row else ""


def _figure(figure: float | None) -> str:
    return "–" if figure is None else f"{figure:.2f}"
