"""`spindle compare`: significance tests for two parsers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from spindle.cli.common import note
from spindle.cli.options import TREES, report_options, scoring_options, text_encoding_option
from spindle.errors import EvaluationError

if TYPE_CHECKING:
    from spindle.evaluation.score import Score
    from spindle.evaluation.settings import MissingPolicy

BETWEEN = "vs"
"""The word between the runs of two parsers."""


@click.command()
@click.argument("gold")
@click.argument("systems", metavar="A… [vs] B…", nargs=-1, required=True)
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
    systems: tuple[str, ...],
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

    Each parser may have several runs, such as trainings with different seeds: name the files of A, the word
    vs, and the files of B. The figures are then means over the runs.

    Tests the differences by paired bootstrap, with a confidence interval, and by approximate randomisation.
    A small p means that the difference is unlikely to be chance.

    \b
    Examples:
      spindle compare gold.mrg baseline.mrg new.mrg
      spindle compare gold.mrg old.1.mrg old.2.mrg vs new.1.mrg new.2.mrg
      spindle compare dev.export baseline.dbr new.dbr --missing skip --json
    """
    from spindle.evaluation import significance
    from spindle.evaluation.corpus import make_settings, score_pairs
    from spindle.evaluation.entries import read_entries
    from spindle.evaluation.pairing import pair_entries
    from spindle.evaluation.scheme_choice import choose_scheme

    if "-" in (gold, *systems):
        raise click.UsageError("GOLD, A and B must be files: GOLD is read twice.")
    groups = split_systems(systems)
    if scheme is None:
        (scheme, reason), _ = choose_scheme(read_entries(gold, from_, text_encoding))
        note(f"scheme: {scheme} ({reason})")
    settings = make_settings(scheme, params, cutoff, disc_only, missing)
    scores: tuple[list[Score], list[Score]] = ([], [])
    for of_system, names in zip(scores, groups, strict=True):
        for name in names:
            pairs = pair_entries(
                read_entries(gold, from_, text_encoding), read_entries(name, from_, text_encoding)
            )
            score = score_pairs(pairs, settings)
            if score.problems:
                note(f"{name}: sentences with problems: {len(score.problems)}; `spindle evaluate` names them")
            if not score.sentences:
                raise EvaluationError(f"{gold}: contains no sentences")
            of_system.append(score)
    comparison = significance.compare(*scores, rounds, seed)
    first, second = (" ".join(names) for names in groups)
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


def split_systems(names: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the files of both parsers: two files, or those before and after the word `vs`."""
    if BETWEEN in names:
        at = names.index(BETWEEN)
        first, second = names[:at], names[at + 1 :]
    elif len(names) == 2:
        first, second = names[:1], names[1:]
    else:
        raise click.UsageError("Name two files, or several of each parser with vs between: A1 A2 vs B1 B2.")
    if not first or not second or BETWEEN in second:
        raise click.UsageError("There must be files before and after one vs (a file of that name is ./vs).")
    return first, second
