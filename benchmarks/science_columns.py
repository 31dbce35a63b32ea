"""The columns of the tables of science.py: each figure from the runs of a setup, or empty."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import mean, stdev

from science_lab import Run

Cell = Callable[[Sequence[Run]], str]


def _mean(values: Sequence[float | None], digits: int = 2) -> str:
    known = [value for value in values if value is not None]
    return f"{mean(known):,.{digits}f}" if known else ""


def _score(name: str) -> Cell:
    return lambda runs: _mean([getattr(run.score, name) for run in runs])


def _fact(name: str, digits: int = 2) -> Cell:
    return lambda runs: _mean([run.facts.get(name) for run in runs], digits)


def _unaries(name: str) -> Cell:
    return lambda runs: _mean([(run.facts.get("unaries") or {}).get(name) for run in runs])


def _repaired(*kinds: str) -> Cell:
    def cell(runs: Sequence[Run]) -> str:
        found = sum(run.facts["repairs"].get(kind, 0) for run in runs for kind in kinds)
        return f"{100 * found / sum(run.facts['words'] for run in runs):.2f}"

    return cell


def _share(step: str) -> Cell:
    return lambda runs: _mean([_of_time(run, step) for run in runs], 0)


STEPS = ("tagger", "parser", "labeler", "unaries")


def _of_time(run: Run, step: str) -> float | None:
    seconds = run.facts.get("seconds")
    if not seconds:
        return None
    known = {name: seconds.get(name, 0.0) for name in STEPS}
    total = sum(seconds.values())
    return 100 * known.get(step, total - sum(known.values())) / total


def _deviation(runs: Sequence[Run]) -> str:
    f1 = [run.score.f1 or 0.0 for run in runs if run.score is not None]
    return f"{stdev(f1):.2f}" if len(f1) > 1 else ""


def _speed(runs: Sequence[Run]) -> str:
    seconds = sum(run.facts["parse_cpu"] for run in runs)
    return f"{sum(run.facts['words'] for run in runs) / seconds:,.0f}" if seconds else ""


COLUMNS: Mapping[str, Cell] = {
    "F1": _score("f1"),
    "±": _deviation,
    "Disc-F1": _score("disc_f1"),
    "UAS": _fact("uas"),
    "LAS": _fact("las"),
    "labels": _fact("labels", 0),
    "tokens / CPU s": _speed,
    "training, CPU s": _fact("training_cpu", 0),
    "repaired, %": _repaired("any"),
    "heads, %": _repaired("head", "root", "cycle"),
    "nesting, %": _repaired("nesting", "crossing"),
    "symbols, %": _repaired("symbol"),
    "events, %": _repaired("index", "gap"),
    "F1, other nesting": _fact("f1_other_nesting"),
    "F1 given unaryless trees": _unaries("f1"),
    "F1 of unaries": _unaries("f1_of_unaries"),
    "unary nodes, %": _unaries("share"),
    **{f"{step}, %": _share(step) for step in (*STEPS, "rest")},
}


def run_table(described: Sequence[Sequence[Run]], columns: Sequence[str]) -> list[str]:
    """Return the lines of a table of setups: means over their runs."""
    lines = [
        f"| treebank | setup | {' | '.join(columns)} | runs |",
        f"|---|---|{'---|' * len(columns)}---|",
    ]
    for runs in filter(None, described):
        setup = runs[0].setup
        good = [run for run in runs if run.score is not None]
        cells = [COLUMNS[name](good) for name in columns] if good else [""] * len(columns)
        last = str(len(good)) if good else f"failed: {runs[0].problem}"
        lines.append(f"| {' | '.join([setup.treebank, setup.name, *cells, last])} |")
    return lines


def gap_table(described: Sequence[Sequence[Run]]) -> list[str]:
    """Return the lines of a table of discontinuous constituents by number of gaps and by label."""
    lines = [
        "| treebank | setup | constituents | gold | precision | recall | F1 |",
        "|---|---|---|---|---|---|---|",
    ]
    for runs in described:
        tables = [run.facts["disc"] for run in runs if "disc" in run.facts]
        if not tables:
            continue
        for kind, name in (("gaps", "{} gaps"), ("labels", "label {}")):
            rows: dict[str, list[int]] = {}
            for table in tables:
                for key, counts in table[kind].items():
                    rows[key] = [
                        one + more for one, more in zip(rows.get(key, [0, 0, 0]), counts, strict=True)
                    ]
            frequent = sorted(rows, key=lambda key: -rows[key][0])[:MOST_LABELS]
            lines += [
                _gap_row(runs[0], name.format(key), rows[key], len(tables))
                for key in (frequent if kind == "labels" else sorted(rows))
            ]
    return lines


MOST_LABELS = 6


def _gap_row(run: Run, name: str, counts: Sequence[int], runs: int) -> str:
    gold, predicted, matched = counts
    name = name.replace("1 gaps", "1 gap").replace("3 gaps", "3 gaps or more")
    figures = ((matched, predicted), (matched, gold), (2 * matched, gold + predicted))
    cells = [f"{100 * part / whole:.2f}" if whole else "" for part, whole in figures]
    return f"| {run.setup.treebank} | {run.setup.name} | {name} | {gold / runs:.0f} | {' | '.join(cells)} |"
