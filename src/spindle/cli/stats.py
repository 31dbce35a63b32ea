"""`spindle stats`: statistics of a treebank."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from spindle.cli.common import Reporter, choose_heads, open_dependencies, open_trees
from spindle.cli.options import DEPENDENCIES, FILE, TREES, reading_options, transform_options

if TYPE_CHECKING:
    from spindle.treebanks.files import OnError


@click.command()
@click.argument("input", metavar="IN", type=FILE)
@reading_options(*TREES, *DEPENDENCIES)
@click.option("--heads", metavar="NAME|FILE", help="Head rules for the label counts. [default: guessed]")
@transform_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
def stats(
    input: str,
    from_: str | None,
    text_encoding: str | None,
    on_error: OnError,
    heads: str | None,
    strip: tuple[str, ...],
    punct: str,
    as_json: bool,
) -> None:
    """Print statistics of a treebank.

    For trees: sentences, tokens, labels in each encoding, unary chains, discontinuity with and without
    punctuation, gap degrees, and the repairs that make the trees continuous. For dependencies: sentences,
    tokens, labels, projective trees and the repairs needed. --strip and --punct apply before counting.

    \b
    Examples:
      spindle stats train.ptb --strip functions,traces
      spindle stats negra.export --json
      spindle stats parsed.conllu
    """
    from spindle.treebanks.files import holds_dependencies

    reporter = Reporter()
    if holds_dependencies(input, from_, text_encoding):
        if heads is not None or strip or punct != "leave":
            raise click.UsageError(
                "--heads, --strip and --punct are for trees; decode the dependencies first."
            )
        figures = _count_rows(input, from_, text_encoding, on_error, reporter)
    else:
        figures = _count_trees(input, from_, text_encoding, on_error, reporter, heads, strip, punct)
    if as_json:
        click.echo(json.dumps(figures, ensure_ascii=False, indent=2))
    else:
        _print_table(figures)
    reporter.sum_up()


def _count_trees(
    input: str,
    from_: str | None,
    text_encoding: str | None,
    on_error: OnError,
    reporter: Reporter,
    heads: str | None,
    strip: tuple[str, ...],
    punct: str,
) -> dict[str, Any]:
    from spindle.reduction.statistics import Statistics
    from spindle.treebanks import files
    from spindle.treebanks.transforms import apply, plan

    steps = plan(strip=strip, punctuation=punct)
    trees = open_trees(input, from_, text_encoding, on_error, reporter)
    trees = files.apply_error_policy(apply(steps, trees, input), on_error, reporter.report)
    find_heads, heads, trees = choose_heads(trees, heads)
    statistics = Statistics()
    for tree in trees:
        statistics.add(find_heads(tree))
    return {
        **statistics.to_dict(),
        "head_rules": heads,
        "nodes_without_head_rule": find_heads.unknown.total(),
    }


def _count_rows(
    input: str, from_: str | None, text_encoding: str | None, on_error: OnError, reporter: Reporter
) -> dict[str, Any]:
    from spindle.reduction import read_rows

    sentences = tokens = projective = 0
    labels: Counter[str] = Counter()
    repairs: Counter[str] = Counter()

    def counted() -> Any:
        for sentence in open_dependencies(input, from_, text_encoding, on_error, reporter):
            labels.update(word.deprel for word in sentence.words)
            yield sentence

    for reduced, needed in read_rows(counted()):
        sentences += 1
        tokens += len(reduced.dtree)
        projective += reduced.dtree.is_projective
        repairs.update(needed.counts)
    return {
        "sentences": sentences,
        "tokens": tokens,
        "labels": len(labels),
        "projective": projective,
        "repairs": dict(repairs.most_common()),
    }


def _print_table(figures: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(justify="left", style="bold")
    table.add_column(justify="right")
    for name, value in figures.items():
        if name.endswith("_percent"):
            continue
        shown = (
            ", ".join(f"{key or '(empty)'} {count:,}" for key, count in value.items())
            if isinstance(value, dict)
            else value
        )
        if isinstance(value, int):
            shown = f"{value:,}"
        if f"{name}_percent" in figures:
            shown += f"  ({figures[f'{name}_percent']:.1f} %)"
        table.add_row(name.replace("_", " "), Text(str(shown or "–")))
    Console().print(table)
