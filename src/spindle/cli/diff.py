"""`spindle diff`: the sentences with errors, gold beside parsed."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spindle.cli.common import check_output, note
from spindle.cli.options import (
    FILE,
    TREES,
    output_option,
    scoring_options,
    text_encoding_option,
    to_option,
)
from spindle.cli.where import pairs_with_match, where_option

if TYPE_CHECKING:
    from spindle.evaluation.differences import Differences, Order
    from spindle.evaluation.settings import MissingPolicy

KINDS = ("attachment", "unary", "coordination", "label")
FORMATS = ("text", "svg", "html", "json")


@click.command()
@click.argument("gold", type=FILE)
@click.argument("pred", type=FILE)
@output_option("OUT", "The file to write", required=False)
@to_option(*FORMATS, default="by OUT's ending; text")
@click.option("--json", "as_json", is_flag=True, help="The same as --to json.")
@click.option("--label", metavar="LABEL", help="Only errors with this label in one of the trees.")
@click.option("--kind", type=click.Choice(KINDS), help="Only errors of this kind.")
@click.option(
    "--min-length",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Only sentences of N words or more; --cutoff sets the other limit.",
)
@click.option(
    "--sort",
    "order",
    type=click.Choice(["errors", "f1", "file"]),
    default="errors",
    show_default=True,
    help="Sentences with most errors first, with the lowest F1 first, or in the order of GOLD.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    metavar="N",
    help="Show at most N sentences; 0 shows all.",
)
@where_option
@scoring_options
@click.option("--from", "from_", type=click.Choice(TREES), help="Format of both files. [default: guessed]")
@click.option("--pred-from", type=click.Choice(TREES), help="Format of PRED, if it differs.")
@text_encoding_option
def diff(
    gold: str,
    pred: str,
    output: str,
    to: str | None,
    as_json: bool,
    label: str | None,
    kind: str | None,
    min_length: int,
    order: Order,
    limit: int,
    where: str | None,
    scheme: str | None,
    params: str | None,
    cutoff: int | None,
    disc_only: bool,
    missing: MissingPolicy | None,
    from_: str | None,
    pred_from: str | None,
    text_encoding: str | None,
) -> None:
    """Show where parsed trees differ from gold trees, the worst sentences first.

    Missing gold constituents have a − before their label, wrong ones of PRED a +. Without --scheme, trees
    are compared by the scheme evalb-gold, or discodop if GOLD has discontinuous trees: no sentence is left
    out for a wrong tag. The HTML page needs no other file.

    \b
    Examples:
      spindle diff gold.mrg parsed.mrg --limit 3
      spindle diff gold.mrg parsed.mrg --label PP --kind attachment --cutoff 30
      spindle diff dev.export parsed.dbr -o errors.html --limit 200
    """
    from spindle.evaluation.differences import (
        ErrorFilter,
        as_kind,
        find_differences,
        settings_for_diff,
    )
    from spindle.evaluation.entries import read_entries
    from spindle.evaluation.pairing import pair_entries

    if gold == pred == "-":
        raise click.UsageError("Only one of GOLD and PRED can be standard input.")
    check_output([gold, pred], output)
    chosen = _format(output, "json" if as_json else to)
    settings, entries = settings_for_diff(
        read_entries(gold, from_, text_encoding), scheme, params, disc_only, missing
    )
    pairs = pair_entries(entries, read_entries(pred, pred_from or from_, text_encoding), on_remark=note)
    pairs = pairs_with_match(pairs, where)
    interest = ErrorFilter(label, None if kind is None else as_kind(kind), min_length, cutoff)
    found = find_differences(
        pairs, settings, interest, order, lambda one: note(f"sentence {one.name}: {one.problem}")
    )
    total = len(found.sentences)
    found = found.first(limit or None)
    _write(_rendered(found, chosen, gold, pred), output)
    if not total:
        note("no sentence has such an error")
    elif len(found.sentences) < total:
        note(f"{len(found.sentences):,} of {total:,} sentences with such errors; --limit 0 shows all")


def _format(output: str, to: str | None) -> str:
    """Return the format: the one that was asked for, or that of the ending, or text."""
    ending = Path(output).suffix.removeprefix(".")
    ending = "html" if ending == "htm" else ending
    return to or (ending if ending in FORMATS else "text")


def _rendered(found: Differences, to: str, gold: str, pred: str) -> str:
    if to == "json":
        return json.dumps(found.to_dict(), ensure_ascii=False, indent=2) + "\n"
    if to == "html":
        return found.to_html(f"{Path(gold).name} against {Path(pred).name}")
    if to == "svg":
        return found.to_svg()
    no_color = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return found.to_text(
        shutil.get_terminal_size((120, 24)).columns, color=sys.stdout.isatty() and not no_color
    )


def _write(text: str, output: str) -> None:
    from spindle.treebanks.source import open_output

    with open_output(output) as stream:
        stream.write(text)
