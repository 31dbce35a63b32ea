"""Reports of scores and comparisons on the terminal, as tables."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from spindle.evaluation.breakdown import Kind
from spindle.evaluation.dependencies import DependencyScore
from spindle.evaluation.lengths import by_length
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


def print_report(score: Score, console: Console, per_sentence: bool = False) -> None:
    """Print all tables of a score, and its signature."""
    for table in _tables(score, per_sentence):
        console.print(table)
    console.print(Text(score.signature), soft_wrap=True)


def print_compact(score: Score, console: Console) -> None:
    """Print the figures and the signature on one line."""
    console.print(Text(str(score)), soft_wrap=True)


def print_dependency_report(score: DependencyScore, console: Console, per_sentence: bool = False) -> None:
    """Print attachment scores, and their signature."""
    figures = score.to_dict()
    if per_sentence:
        console.print(_dependency_sentences(score))
    table = _table("Dependencies", "", "all words", "without punctuation")
    for name, title in {"uas": "UAS", "las": "LAS", "label_accuracy": "label accuracy"}.items():
        table.add_row(title, format_figure(figures[name]), format_figure(figures[f"{name}_no_punctuation"]))
    table.add_row("words", str(figures["words"]), str(figures["words_no_punctuation"]))
    console.print(table)
    console.print(", ".join(f"{COVERAGE[name]} {count}" for name, count in score.coverage.items()))
    console.print(Text(score.signature), soft_wrap=True)


def print_comparison(comparison: SystemComparison, names: tuple[str, str], console: Console) -> None:
    """Print the differences between two parsers with confidence intervals and p-values."""
    first, second = (f"{letter} = {name}" for letter, name in zip("AB", names, strict=True))
    console.print(Text(f"{first}   {second}"), soft_wrap=True)
    title = "Differences, with 95 % confidence intervals"
    table = _table(title, "", "A", "B", "B - A", "from", "to", "p (boot.)", "p (rand.)")
    for one in comparison.differences:
        if one.difference is None or one.low is None or one.high is None:
            table.add_row(one.figure, *["–"] * 7)
            continue
        table.add_row(
            one.figure,
            format_figure(one.first),
            format_figure(one.second),
            f"{one.difference:+.2f}",
            f"{one.low:+.2f}",
            f"{one.high:+.2f}",
            f"{one.p_bootstrap:.4f}",
            f"{one.p_randomisation:.4f}",
        )
    console.print(table)
    console.print(f"{comparison.sentences} sentences, {comparison.left_out} left out")
    console.print(f"p by paired bootstrap and approximate randomisation, {comparison.rounds} rounds")
    console.print(Text(comparison.signature), soft_wrap=True)


def _tables(score: Score, per_sentence: bool) -> Iterator[RenderableType]:
    if per_sentence:
        yield _sentences(score)
    yield _summary(score)
    yield _by_label(score)
    if score.breakdown.confused:
        yield _confusions(score)
    yield _by_length(score)
    yield _kinds(score)


def _table(title: str, first: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column(first)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _summary(score: Score) -> Table:
    totals = score.totals
    table = _table("Score", "", "all brackets", "discontinuous")
    table.add_row("precision", format_figure(score.precision), format_figure(score.disc_precision))
    table.add_row("recall", format_figure(score.recall), format_figure(score.disc_recall))
    table.add_row("F1", format_figure(score.f1), format_figure(score.disc_f1), style="bold")
    table.add_row("exact match", format_figure(score.exact), format_figure(score.disc_exact))
    table.add_row("gold brackets", str(totals.gold), str(totals.disc_gold))
    table.add_row("predicted brackets", str(totals.pred), str(totals.disc_pred))
    table.add_section()
    table.add_row("tagging accuracy", format_figure(score.tags))
    crossing = totals.crossing / totals.counted if totals.counted else None
    table.add_row("crossing brackets per sentence", format_figure(crossing))
    table.add_row("no crossing", format_figure(percent(totals.without_crossing, totals.counted)))
    table.add_row("2 or fewer crossing", format_figure(percent(totals.with_two_crossing, totals.counted)))
    table.add_section()
    for name, count in totals.coverage.items():
        table.add_row(COVERAGE[name], str(count))
    return table


def _by_label(score: Score) -> Table:
    breakdown = score.breakdown
    labels = (breakdown.gold + breakdown.pred).most_common()
    table = _table("By label", "label", "gold", "predicted", "precision", "recall", "F1")
    for label, both in labels[:LABELS_IN_TABLE]:
        gold, pred, matched = breakdown.gold[label], breakdown.pred[label], breakdown.matched[label]
        figures = (percent(matched, pred), percent(matched, gold), percent(2 * matched, both))
        table.add_row(Text(label or "(any)"), str(gold), str(pred), *map(format_figure, figures))
    if len(labels) > LABELS_IN_TABLE:
        table.caption = f"and {len(labels) - LABELS_IN_TABLE} less frequent labels"
    return table


def _confusions(score: Score) -> Table:
    table = _table("Most frequent confusions", "gold", "predicted", "count")
    table.columns[1].justify = "left"
    for (gold, pred), count in score.breakdown.confused.most_common(CONFUSIONS_IN_TABLE):
        table.add_row(Text(gold or '""'), Text(pred or '""'), str(count))
    return table


def _by_length(score: Score) -> Table:
    table = _table("By length", "words", "sentences", "precision", "recall", "F1", "exact")
    for name, totals in by_length(score.sentences).items():
        figures = (totals.precision, totals.recall, totals.f1, totals.exact)
        table.add_row(name, str(totals.counted), *map(format_figure, figures))
    return table


def _kinds(score: Score) -> Table:
    table = _table("By kind of error", "kind", "missing", "extra")
    for kind in Kind:
        table.add_row(kind.value, str(score.breakdown.missing[kind]), str(score.breakdown.extra[kind]))
    return table


def _sentences(score: Score) -> Table:
    table = _table(
        *("Sentences", "sentence", "length", "precision", "recall", "gold", "pred", "matched"),
        *("crossing", "words", "tags", ""),
    )
    table.columns[-1].justify = "left"
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
        table.add_row(Text(sentence.name), str(sentence.length), *cells, Text(sentence.problem))
    return table


def _dependency_sentences(score: DependencyScore) -> Table:
    table = _table("Sentences", "sentence", "words", "heads", "labels", "both", "")
    table.columns[-1].justify = "left"
    for sentence in score.sentences:
        table.add_row(Text(sentence.name), *map(str, sentence.everything), Text(sentence.problem))
    return table
