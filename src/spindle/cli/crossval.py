"""`spindle crossval`: train and score on all of one treebank, fold by fold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from spindle.cli.common import Reporter, note, resumable
from spindle.cli.config import config_option
from spindle.cli.options import FILE, TREES, learning_options, output_option, reading_options, report_options
from spindle.cli.tables import Table, print_tables
from spindle.cli.train import read_treebank
from spindle.cli.training_bar import TrainingBar
from spindle.cli.training_options import read_training_options, training_options

if TYPE_CHECKING:
    from spindle.evaluation import Score
    from spindle.training import CrossValidation
    from spindle.treebanks.files import OnError


@click.command()
@click.argument("input", metavar="TREEBANK", type=FILE)
@output_option("DIR", "The folder to write predictions and report.json to")
@click.option(
    "--folds", type=click.IntRange(min=2), default=10, show_default=True, help="The number of parts."
)
@click.option(
    "--shuffle",
    is_flag=True,
    help="Draw the sentences of every fold at random, by --seed. Without it a fold is a contiguous part of "
    "the treebank, so that documents stay together.",
)
@click.option(
    "--dev",
    metavar="N%",
    help="Hold out a share of the training trees of every fold, to keep the best epoch. [default: none]",
)
@click.option("--keep-models", is_flag=True, help="Keep the model of every fold in DIR.")
@training_options
@learning_options
@config_option
@reading_options(*TREES)
@report_options("json", "csv", "latex")
def crossval(
    input: str,
    output: str,
    folds: int,
    shuffle: bool,
    dev: str | None,
    keep_models: bool,
    resume: bool,
    from_: str | None,
    text_encoding: str | None,
    on_error: OnError,
    report: str,
    **options: Any,
) -> None:
    """Train and score on all of one treebank, fold by fold.

    For every fold a parser is trained on the other folds and parses this one. All predictions are scored as
    one corpus, with a signature; the mean and the standard deviation over the folds are printed, too.
    DIR/predictions.dbr has the predicted trees in the order of the treebank, DIR/report.json all figures.
    The options of the training are those of `spindle train`.

    \b
    Examples:
      spindle crossval all.ptb -o folds
      spindle crossval all.export --folds 5 --shuffle --dev 10% -o folds --resume
    """
    from spindle.training.cross_validation import cross_validate
    from spindle.training.held_out import read_share

    percent = read_share(dev)
    if dev is not None and percent is None:
        raise click.UsageError(f"--dev is a share of the training trees, such as 10%, not {dev!r}.")
    chosen = read_training_options(**options)
    reporter = Reporter(output)
    treebank = read_treebank([(input, 1.0)], from_, text_encoding, on_error, reporter)
    reporter.sum_up()
    way = f"drawn at random, seed {chosen.seed}" if shuffle else "contiguous parts, as in the treebank"
    note(f"{folds} folds of {len(treebank.trees):,} trees: {way}")
    with resumable(output), _FoldBar(folds) as bar:
        result = cross_validate(
            treebank,
            folds,
            chosen,
            Path(output),
            shuffle=shuffle,
            dev_percent=percent,
            keep_models=keep_models,
            resume=resume,
            listener=bar,
            on_fold=bar.fold,
        )
    _print_report(result, report, input, output)


class _FoldBar(TrainingBar):
    """The bar of a training, with the number of the fold. A message is printed once, not in every fold."""

    def __init__(self, folds: int) -> None:
        super().__init__()
        self._folds, self._number = folds, 0
        self._said: set[str] = set()

    def fold(self, number: int, score: Score | None) -> None:
        """Begin a fold, or print its score."""
        from spindle.evaluation.score import format_figure

        self._number = number
        if score is not None:
            found = f"F1 {format_figure(score.f1)}, {score.totals.gold_sentences:,} sentences"
            note(f"fold {number} of {self._folds}: {found}")

    def say(self, text: str) -> None:
        """Print a line above the bar unless an earlier fold has printed it."""
        if text not in self._said:
            self._said.add(text)
            note(text)

    def stage(self, name: str) -> None:
        """Start a new bar; without bars, stages are not reported."""
        if self.is_shown:
            super().stage(f"fold {self._number} of {self._folds}: {name}")

    def epoch(self, record: dict[str, Any]) -> None:
        """Report nothing: the score of the fold follows."""


def _print_report(result: CrossValidation, report: str, input: str, output: str) -> None:
    from spindle.cli import score_export as export
    from spindle.cli.score_report import print_report

    figures = result.to_dict()
    if report == "json":
        click.echo(json.dumps(figures, ensure_ascii=False, indent=2))
    elif report == "csv":
        rows = [
            *({"gold": input, **row} for row in figures["per_fold"]),
            *({"gold": input, "fold": name, **figures[name]} for name in ("mean", "deviation")),
            export.score_row(result.score, gold=input, fold="all"),
        ]
        click.echo(export.csv_text(rows), nl=False)
    elif report == "latex":
        scores = [(f"fold {number}", score) for number, score in enumerate(result.folds, start=1)]
        scores.append(("all as one", result.score))
        others = [("mean", figures["mean"]), ("standard deviation", figures["deviation"])]
        click.echo(export.score_latex(scores, others), nl=False)
    else:
        print_tables([_fold_table(figures)])
        click.echo()
        print_report(result.score)
    note(f"{output}/predictions.dbr has the predicted trees, {output}/report.json all figures")


FOLD_COLUMNS = {
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "exact": "exact",
    "disc_f1": "disc. F1",
}
"""The figures in the table of folds, with their titles."""


def _fold_table(figures: dict[str, Any]) -> Table:
    from spindle.evaluation.score import format_figure

    table = Table("Folds", ("fold", "sentences", *FOLD_COLUMNS.values()))
    for row in figures["per_fold"]:
        shown = (format_figure(row[name]) for name in FOLD_COLUMNS)
        table.add(str(row["fold"]), str(row["sentences"]), *shown)
    table.add_section()
    for name, title in (("mean", "mean"), ("deviation", "standard deviation")):
        table.add(title, "", *(format_figure(figures[name][figure]) for figure in FOLD_COLUMNS))
    shown = (format_figure(figures["score"][name]) for name in FOLD_COLUMNS)
    table.add("all as one", str(figures["score"]["sentences"]), *shown, bold=True)
    return table
