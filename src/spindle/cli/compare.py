"""`spindle compare`: significance tests for two parsers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from spindle.cli.common import note
from spindle.cli.options import TREES, report_options, scoring_options, text_encoding_option
from spindle.errors import EvaluationError

if TYPE_CHECKING:
    from spindle.evaluation.settings import MissingPolicy


@click.command()
@click.argument("gold")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@scoring_options
@click.option(
    "--rounds",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="Number of random corpora to draw.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed gives the same p-values.")
@report_options("json", "csv", "latex")
@click.option("--from", "from_", type=click.Choice(TREES), help="Format of all files. [default: guessed]")
@text_encoding_option
def compare(
    gold: str,
    first: str,
    second: str,
    scheme: str | None,
    params: str | None,
    cutoff: int | None,
    disc_only: bool,
    missing: MissingPolicy | None,
    rounds: int,
    seed: int,
    report: str,
    from_: str | None,
    text_encoding: str | None,
) -> None:
    """Compare the parsers behind A and B on the sentences of GOLD.

    Tests the differences by paired bootstrap, with a confidence interval, and by approximate randomisation.
    A small p means that the difference is unlikely to be chance.

    \b
    Examples:
      spindle compare gold.mrg baseline.mrg new.mrg
      spindle compare dev.export baseline.dbr new.dbr --missing skip --json
    """
    from spindle.evaluation import significance
    from spindle.evaluation.corpus import make_settings, score_pairs
    from spindle.evaluation.entries import read_entries
    from spindle.evaluation.pairing import pair_entries
    from spindle.evaluation.scheme_choice import choose_scheme

    if "-" in (gold, first, second):
        raise click.UsageError("GOLD, A and B must be files: GOLD is read twice.")
    if scheme is None:
        (scheme, reason), _ = choose_scheme(read_entries(gold, from_, text_encoding))
        note(f"scheme: {scheme} ({reason})")
    settings = make_settings(scheme, params, cutoff, disc_only, missing)
    scores = []
    for name in (first, second):
        pairs = pair_entries(
            read_entries(gold, from_, text_encoding), read_entries(name, from_, text_encoding)
        )
        score = score_pairs(pairs, settings)
        if score.problems:
            note(f"{name}: sentences with problems: {len(score.problems)}; `spindle evaluate` names them")
        if not score.sentences:
            raise EvaluationError(f"{gold}: contains no sentences")
        scores.append(score)
    comparison = significance.compare(scores[0], scores[1], rounds, seed)
    if report == "table":
        from spindle.cli.score_report import print_comparison

        print_comparison(comparison, (first, second))
    elif report == "json":
        figures = {"first": first, "second": second, **comparison.to_dict()}
        click.echo(json.dumps(figures, ensure_ascii=False, indent=2))
    else:
        from spindle.cli import score_export as export

        if report == "csv":
            click.echo(export.csv_text(export.comparison_rows(comparison, first, second)), nl=False)
        else:
            click.echo(export.comparison_latex(comparison, first, second), nl=False)
