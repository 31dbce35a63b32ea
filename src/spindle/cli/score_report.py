"""Reports of scores and comparisons as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from spindle.cli.tables import Table, print_tables
from spindle.evaluation.breakdown import Kind
from spindle.evaluation.dependencies import DependencyScore
from spindle.evaluation.lengths import by_length
from spindle.evaluation.runs import Runs, Spread
from spindle.evaluation.score import Score, format_figure
from spindle.evaluation.significance import SystemComparison
from spindle.evaluation.totals import percent

LABELS_IN_TABLE = 20
CONFUSIONS_IN_TABLE = 10
COVERAGE = {
    "sentences": "sentences of gold",
    "scored": "scored",
    "missing": "missing in the prediction",
    "left_out": "left out",
    "extra": "only in the prediction",
}
"""How a report names the numbers of a coverage."""


def print_report(score: Score, per_sentence: bool = False) -> None:
    """Print all tables of a score, and its signature."""
    print_tables(_tables(score, per_sentence))
    click.echo(score.signature)


def print_dependency_report(score: DependencyScore, per_sentence: bool = False) -> None:
    """Print attachment scores, and their signature."""
    figures = score.to_dict()
    table = Table("Dependencies", ("", "all words", "without punctuation"))
    for name, title in {"uas": "UAS", "las": "LAS", "label_accuracy": "label accuracy"}.items():
        table.add(title, format_figure(figures[name]), format_figure(figures[f"{name}_no_punctuation"]))
    table.add("words", str(figures["words"]), str(figures["words_no_punctuation"]))
    print_tables([_dependency_sentences(score), table] if per_sentence else [table])
    click.echo(", ".join(f"{COVERAGE[name]} {count}" for name, count in score.coverage.items()))
    click.echo(score.signature)


def print_runs(runs: Runs, names: Sequence[str]) -> None:
    """Print the figures of several runs, with their means and standard deviations."""
    for number, name in enumerate(names, start=1):
        click.echo(f"{number} = {name}")
    table = Table("Score", ("", *(str(number) for number in range(1, len(names) + 1)), "mean", "deviation"))
    for name, one in runs.figures.items():
        figures = [format_figure(getattr(score, name)) for score in runs.scores]
        table.add(name, *figures, format_figure(one and one.mean), format_figure(one and one.deviation))
    coverage = [score.totals.coverage for score in runs.scores]
    for name, title in COVERAGE.items():
        table.add(title, *(str(counts[name]) for counts in coverage))
    print_tables([table])
    click.echo(runs.signature)


def print_comparison(comparison: SystemComparison, names: tuple[str, str]) -> None:
    """Print the differences between two parsers with confidence intervals and p-values."""
    click.echo("   ".join(f"{letter} = {name}" for letter, name in zip("AB", names, strict=True)))
    table = Table(
        "Differences, with 95 % confidence intervals",
        ("", "A", "B", "B - A", "from", "to", "p (boot.)", "p (rand.)"),
    )
    for one in comparison.differences:
        if one.difference is None or one.low is None or one.high is None:
            table.add(one.figure, *["–"] * 7)
            continue
        table.add(
            one.figure,
            format_figure(one.first),
            format_figure(one.second),
            f"{one.difference:+.2f}",
            f"{one.low:+.2f}",
            f"{one.high:+.2f}",
            f"{one.p_bootstrap:.4f}",
            f"{one.p_randomisation:.4f}",
        )
    print_tables([table])
    if max(comparison.runs) > 1:
        _print_spreads(comparison)
    first, second = (", ".join(dict.fromkeys(runs)) for runs in comparison.coverage)
    click.echo(
        f"{comparison.sentences} sentences, {comparison.left_out} left out; with a scored prediction: "
        f"A {first}, B {second}"
    )
    click.echo(f"p by paired bootstrap and approximate randomisation, {comparison.rounds} rounds")
    click.echo(comparison.signature)


def _print_spreads(comparison: SystemComparison) -> None:
    """Print mean and deviation over the runs of both parsers."""
    table = Table(f"Runs: {comparison.runs[0]} of A, {comparison.runs[1]} of B", ("", "A", "B"))
    for one in comparison.differences:
        if one.first is not None and one.second is not None:
            spreads = Spread(one.first, one.first_deviation), Spread(one.second, one.second_deviation)
            table.add(one.figure, *map(str, spreads))
    print_tables([table])


def _tables(score: Score, per_sentence: bool) -> Iterator[Table]:
    if per_sentence:
        yield _sentences(score)
    yield _summary(score)
    yield _by_label(score)
    if score.breakdown.confused:
        yield _confusions(score)
    yield _by_length(score)
    yield _kinds(score)


def _summary(score: Score) -> Table:
    totals = score.totals
    table = Table("Score", ("", "all brackets", "discontinuous"))
    table.add("precision", format_figure(score.precision), format_figure(score.disc_precision))
    table.add("recall", format_figure(score.recall), format_figure(score.disc_recall))
    table.add("F1", format_figure(score.f1), format_figure(score.disc_f1), bold=True)
    table.add("exact match", format_figure(score.exact), format_figure(score.disc_exact))
    table.add("gold brackets", str(totals.gold), str(totals.disc_gold))
    table.add("predicted brackets", str(totals.pred), str(totals.disc_pred))
    table.add_section()
    table.add("tagging accuracy", format_figure(score.tags))
    crossing = totals.crossing / totals.counted if totals.counted else None
    table.add("crossing brackets per sentence", format_figure(crossing))
    table.add("no crossing", format_figure(percent(totals.without_crossing, totals.counted)))
    table.add("2 or fewer crossing", format_figure(percent(totals.with_two_crossing, totals.counted)))
    table.add_section()
    for name, count in totals.coverage.items():
        table.add(COVERAGE[name], str(count))
    return table


def _by_label(score: Score) -> Table:
    breakdown = score.breakdown
    labels = (breakdown.gold + breakdown.pred).most_common()
    table = Table("By label", ("label", "gold", "predicted", "precision", "recall", "F1"))
    for label, both in labels[:LABELS_IN_TABLE]:
        gold, pred, matched = breakdown.gold[label], breakdown.pred[label], breakdown.matched[label]
        figures = (percent(matched, pred), percent(matched, gold), percent(2 * matched, both))
        table.add(label or "(any)", str(gold), str(pred), *map(format_figure, figures))
    if len(labels) > LABELS_IN_TABLE:
        table.caption = f"and {len(labels) - LABELS_IN_TABLE} less frequent labels"
    return table


def _confusions(score: Score) -> Table:
    table = Table("Most frequent confusions", ("gold", "predicted", "count"), texts=(0, 1))
    for (gold, pred), count in score.breakdown.confused.most_common(CONFUSIONS_IN_TABLE):
        table.add(gold or '""', pred or '""', str(count))
    return table


def _by_length(score: Score) -> Table:
    table = Table("By length", ("words", "sentences", "precision", "recall", "F1", "exact"))
    for name, totals in by_length(score.sentences).items():
        figures = (totals.precision, totals.recall, totals.f1, totals.exact)
        table.add(name, str(totals.counted), *map(format_figure, figures))
    return table


def _kinds(score: Score) -> Table:
    table = Table("By kind of error", ("kind", "missing", "extra"))
    for kind in Kind:
        table.add(kind.value, str(score.breakdown.missing[kind]), str(score.breakdown.extra[kind]))
    return table


def _sentences(score: Score) -> Table:
    columns = (
        *("sentence", "length", "precision", "recall", "gold", "pred", "matched"),
        *("crossing", "words", "tags", ""),
    )
    table = Table("Sentences", columns, texts=(0, len(columns) - 1))
    for sentence in score.sentences:
        counts = (
            sentence.gold,
            sentence.pred,
            sentence.matched,
            sentence.crossing,
            sentence.words,
            sentence.tags,
        )
        figures = (percent(sentence.matched, sentence.pred), percent(sentence.matched, sentence.gold))
        cells = (*map(format_figure, figures), *map(str, counts)) if sentence.counts else [""] * 8
        table.add(sentence.name, str(sentence.length), *cells, sentence.problem)
    return table


def _dependency_sentences(score: DependencyScore) -> Table:
    table = Table("Sentences", ("sentence", "words", "heads", "labels", "both", ""), texts=(0, 5))
    for sentence in score.sentences:
        table.add(sentence.name, *map(str, sentence.everything), sentence.problem)
    return table
