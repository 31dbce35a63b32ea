"""`spindle evaluate`: score one file against another."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spindle.cli.common import Notices, note
from spindle.cli.options import DEPENDENCIES, TREES, report_options, scoring_options, text_encoding_option
from spindle.cli.where import pairs_with_match, where_option
from spindle.errors import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spindle.evaluation.dependencies import DependencyScore, DependencySentenceScore
    from spindle.evaluation.evalb import View
    from spindle.evaluation.pairing import Entry, Pair
    from spindle.evaluation.score import Score
    from spindle.evaluation.sentence_score import SentenceScore
    from spindle.evaluation.settings import MissingPolicy, Settings
    from spindle.trees import Tree

# Options that apply to trees only, by parameter name.
TREE_OPTIONS = ("where", "scheme", "params", "cutoff", "disc_only", "official", "view", "plot", "table")


@click.command()
@click.argument("gold")
@click.argument("predictions", metavar="PRED…", nargs=-1, required=True)
@scoring_options
@where_option
@click.option("--per-sentence", is_flag=True, help="Also show the counts of every sentence.")
@report_options("json", "csv", "latex")
@click.option(
    "--table",
    type=click.Choice(["labels", "lengths", "kinds", "confusions"]),
    help="With --csv or --latex: this table instead of the figures; JSON has all tables.",
)
@click.option(
    "--official",
    is_flag=True,
    help="Print what the official program prints, character for character; --cutoff sets the length of its "
    "second summary.",
)
@click.option(
    "--view",
    type=click.Choice(["full", "compact"]),
    default="full",
    show_default=True,
    help="Tables, or all figures on one line; with --official, EVALB_SPMRL's -L.",
)
@click.option("--plot", metavar="FILE.svg", help="Draw F1 by sentence length and by label.")
@click.option(
    "--from",
    "from_",
    type=click.Choice([*TREES, *DEPENDENCIES]),
    help="Format of both files. [default: guessed]",
)
@click.option(
    "--pred-from", type=click.Choice([*TREES, *DEPENDENCIES]), help="Format of PRED, if it differs."
)
@text_encoding_option
@click.pass_context
def evaluate(
    context: click.Context,
    gold: str,
    predictions: tuple[str, ...],
    scheme: str | None,
    params: str | None,
    cutoff: int | None,
    disc_only: bool,
    missing: MissingPolicy | None,
    where: str | None,
    per_sentence: bool,
    report: str,
    table: str | None,
    official: bool,
    view: View,
    plot: str | None,
    from_: str | None,
    pred_from: str | None,
    text_encoding: str | None,
) -> None:
    """Score predicted trees, or dependencies, against gold.

    GOLD and PRED are two treebank files, or two CoNLL files. Several predictions of the same trees, such as
    those of trainings with different seeds, give a mean and a deviation.

    In a file with one tree per line, an empty line or (()) is a sentence without a tree. Sentences are paired
    by id if both files have ids, else by position, or by their words if the files are not equally long.
    Sentences that are missing or cannot be compared are reported. --where scores only the sentences whose
    gold tree has a match.

    \b
    Examples:
      spindle evaluate gold.mrg parsed.mrg
      spindle evaluate gold.mrg parsed.mrg --official --cutoff 70
      spindle evaluate dev.export parsed.dbr --scheme discodop --json
      spindle evaluate gold.mrg parsed.mrg --scheme spmrl --missing skip --plot f1.svg
      spindle evaluate gold.mrg parsed.mrg --csv > scores.csv
      spindle evaluate gold.mrg parsed.mrg --latex --table labels
      spindle evaluate gold.mrg seed1.mrg seed2.mrg seed3.mrg
      spindle evaluate gold.mrg parsed.mrg --where 'S << CC'
      spindle evaluate gold.conllu parsed.conllu
    """
    from spindle.evaluation.corpus import make_settings, score_pairs
    from spindle.evaluation.entries import read_entries
    from spindle.evaluation.pairing import pair_entries
    from spindle.evaluation.scheme_choice import choose_scheme
    from spindle.treebanks.files import holds_dependencies

    if table is not None and report not in ("csv", "latex"):
        raise click.UsageError("--table needs --csv or --latex; without them all tables are printed.")
    if (gold, *predictions).count("-") > 1:
        raise click.UsageError("Only one of GOLD and PRED can be standard input.")
    pred_from = pred_from or from_
    if len(predictions) > 1:
        _refuse(
            context,
            ("where", "official", "view", "plot", "per_sentence", "table"),
            "applies to one prediction only",
        )
        _evaluate_runs(
            [read_entries(name, pred_from, text_encoding) for name in predictions],
            read_entries(gold, from_, text_encoding),
            predictions,
            (scheme, params, cutoff, disc_only, missing),
            report,
        )
        return
    (pred,) = predictions
    if all(holds_dependencies(*file, text_encoding) for file in ((gold, from_), (pred, pred_from))):
        _refuse(context, TREE_OPTIONS, "applies to trees, but these files contain dependencies")
        context.exit(
            _evaluate_dependencies(
                gold, pred, from_, pred_from, text_encoding, missing or "count", per_sentence, report
            )
        )
    entries = read_entries(gold, from_, text_encoding)
    if official:
        scheme = scheme or "evalb"
    elif scheme is None:
        (scheme, reason), entries = choose_scheme(entries)
        note(f"scheme: {scheme} ({reason})")
    pairs = pair_entries(
        entries, read_entries(pred, pred_from, text_encoding), official=official, on_remark=note
    )
    pairs = pairs_with_match(pairs, where)
    settings = make_settings(scheme, params, cutoff, disc_only, missing, official=official)
    if official:
        _refuse(
            context,
            ("json", "csv", "latex", "plot"),
            "cannot be combined with --official, which prints the output of the official program",
        )
        if scheme != "spmrl":
            _refuse(
                context,
                ("view", "missing"),
                "can be combined with --official only if --scheme is spmrl (-L, -X)",
            )
        context.exit(_print_official(pairs, settings, view, pred))
    problems = Problems()
    score = score_pairs(pairs, settings, problems)
    problems.sum_up()
    if not score.sentences:
        raise EvaluationError(f"{gold}: contains no sentences{' with a match' if where else ''}")
    if plot:
        _write_plot(score, plot)
    if table is not None:
        from spindle.cli import score_export as export

        rows, latex = export.table_rows(score, table), export.table_latex(score, table)
        click.echo(export.csv_text(rows) if report == "csv" else latex, nl=False)
    elif report != "table":
        _print_export(score, report, per_sentence, gold, pred)
    elif view == "compact":
        click.echo(str(score))
    else:
        from spindle.cli.score_report import print_report

        print_report(score, per_sentence)
    context.exit(_exit_status(score.totals.coverage))


def _evaluate_dependencies(
    gold: str,
    pred: str,
    from_: str | None,
    pred_from: str | None,
    encoding: str | None,
    missing: MissingPolicy,
    per_sentence: bool,
    report: str,
) -> int:
    from spindle.evaluation.dependencies import score_dependencies
    from spindle.evaluation.entries import read_dependency_entries
    from spindle.evaluation.pairing import pair_entries

    problems = Problems()
    score = score_dependencies(
        pair_entries(
            read_dependency_entries(gold, from_, encoding),
            read_dependency_entries(pred, pred_from, encoding),
            on_remark=note,
        ),
        missing,
        problems,
    )
    problems.sum_up()
    if report != "table":
        _print_export(score, report, per_sentence, gold, pred)
    else:
        from spindle.cli.score_report import print_dependency_report

        print_dependency_report(score, per_sentence)
    return _exit_status(score.coverage)


def _evaluate_runs(
    predictions: list[Iterator[Entry[Tree]]],
    gold: Iterator[Entry[Tree]],
    names: tuple[str, ...],
    choices: tuple[str | None, str | None, int | None, bool, MissingPolicy | None],
    report: str,
) -> None:
    """Print the scores of several predictions of the same trees, with means and deviations."""
    from spindle.cli import score_export as export
    from spindle.evaluation.runs import evaluate_runs
    from spindle.evaluation.scheme_choice import choose_scheme

    scheme, params, cutoff, disc_only, missing = choices
    if scheme is None:
        (scheme, reason), gold = choose_scheme(gold)
        note(f"scheme: {scheme} ({reason})")
    runs = evaluate_runs(gold, predictions, scheme, params, cutoff, disc_only, missing or "count")
    for name, score in zip(names, runs.scores, strict=True):
        if score.problems:
            note(f"{name}: sentences with problems: {len(score.problems)}; evaluated alone, they are named")
    if report == "json":
        click.echo(json.dumps({"names": names, **runs.to_dict()}, ensure_ascii=False, indent=2))
    elif report == "csv":
        click.echo(export.csv_text(export.run_rows(runs, names)), nl=False)
    elif report == "latex":
        click.echo(export.runs_latex(runs, names), nl=False)
    else:
        from spindle.cli.score_report import print_runs

        print_runs(runs, names)


def _print_export(
    score: Score | DependencyScore, form: str, per_sentence: bool, gold: str, pred: str
) -> None:
    """Print a score as JSON, CSV or LaTeX."""
    from spindle.cli import score_export as export

    if form == "json":
        text = json.dumps(score.to_dict(per_sentence), ensure_ascii=False, indent=2) + "\n"
    elif form == "csv":
        rows = (
            export.sentence_rows(score) if per_sentence else [export.score_row(score, gold=gold, pred=pred)]
        )
        text = export.csv_text(rows)
    elif per_sentence:
        raise click.UsageError("--latex has no table of sentences; --csv and --json have one.")
    else:
        text = export.score_latex([(pred, score)])
    click.echo(text, nl=False)


def _print_official(pairs: Iterator[Pair[Tree]], settings: Settings, view: View, pred: str) -> int:
    """Print the official program's output; returns its exit status, 1 if it stops early."""
    from spindle.evaluation.discodop import discodop_output
    from spindle.evaluation.evalb import TooManyErrors, evalb_output

    def on_message(message: str) -> None:
        click.echo(message, err=True)

    if settings.scheme.name == "discodop":
        output = discodop_output(pairs, settings, on_message)
    else:
        output = evalb_output(pairs, settings, view, pred, on_message)
    try:
        for text in output:
            sys.stdout.write(text)
    except TooManyErrors:
        return 1
    return 0


CONSEQUENCES = {
    "ERROR": "left out",
    "SKIPPED": "left out",
    "UNPARSED": "counts as a failure",
    "EXTRA": "ignored",
}
"""What the problem of a sentence means for the score, by status."""


class Problems(Notices):
    """Reports the problems of sentences and the consequences for the score."""

    def __call__(self, sentence: SentenceScore | DependencySentenceScore) -> None:
        """Report the problem of a sentence."""
        consequence = CONSEQUENCES[sentence.status.name]
        self.say(f"sentences, {consequence}", f"sentence {sentence.name}: {sentence.problem}; {consequence}")


def _exit_status(coverage: dict[str, int]) -> int:
    """Say if sentences are left out; returns the exit status, 1 if no sentence could be scored."""
    if not coverage["scored"]:
        note("no sentence could be scored")
        return 1
    if coverage["left_out"]:
        note(
            f"{coverage['left_out']} of {coverage['sentences']} sentences could not be compared and are not "
            "in the score"
        )
    return 0


def _write_plot(score: Score, name: str) -> None:
    from spindle.evaluation.plot import plot

    try:
        Path(name).write_text(plot(score), encoding="utf-8")
    except OSError as error:
        raise EvaluationError(f"{name}: {error.strerror or error}") from None


def _refuse(context: click.Context, names: tuple[str, ...], why: str) -> None:
    """Raise a usage error if one of these options was given."""
    from click.core import ParameterSource

    for parameter in context.command.params:
        if (
            parameter.name in names
            and context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE
        ):
            raise click.UsageError(f"{parameter.opts[-1]} {why}.")
