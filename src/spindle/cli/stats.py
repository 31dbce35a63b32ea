"""`spindle stats`: statistics of a treebank."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from spindle.cli.common import Reporter, choose_heads, open_dependencies, open_trees
from spindle.cli.names import HEADS
from spindle.cli.options import DEPENDENCIES, FILE, TREES, reading_options, report_options, transform_options
from spindle.cli.tables import Table, print_tables
from spindle.cli.where import where_option, with_match

if TYPE_CHECKING:
    from spindle.treebanks.files import OnError


@click.command()
@click.argument("input", metavar="IN", type=FILE)
@reading_options(*TREES, *DEPENDENCIES)
@click.option(
    "--heads", metavar="NAME|FILE", type=HEADS, help="Head rules for the label counts. [default: guessed]"
)
@transform_options
@where_option
@click.option(
    "--top",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    metavar="N",
    help="The number of labels, tags, productions and unary chains that are listed; --json has all.",
)
@report_options("json")
def stats(
    input: str,
    from_: str | None,
    text_encoding: str | None,
    on_error: OnError,
    heads: str | None,
    strip: tuple[str, ...],
    punct: str,
    where: str | None,
    top: int,
    report: str,
) -> None:
    """Print statistics of a treebank.

    For trees: sentences, tokens, labels in each encoding, unary chains, discontinuity with and without
    punctuation, gap degrees, and the repairs that make the trees continuous. For dependencies: sentences,
    tokens, labels, projective trees and the repairs needed. For both: the frequencies of labels, tags,
    productions, unary chains and sentence lengths. --strip and --punct apply before counting,
    and --where to the trees that they leave.

    \b
    Examples:
      spindle stats train.ptb --strip functions,traces
      spindle stats negra.export --json
      spindle stats negra.export --where 'S << (VP:gap)'
      spindle stats parsed.conllu
    """
    from spindle.treebanks.files import holds_dependencies

    reporter = Reporter()
    if holds_dependencies(input, from_, text_encoding):
        if heads is not None or strip or punct != "leave" or where is not None:
            raise click.UsageError(
                "--heads, --strip, --punct and --where are for trees; decode the dependencies first."
            )
        figures = _count_rows(input, from_, text_encoding, on_error, reporter)
    else:
        figures = _count_trees(input, from_, text_encoding, on_error, reporter, heads, strip, punct, where)
    if report == "json":
        click.echo(json.dumps(figures, ensure_ascii=False, indent=2))
    else:
        print_tables([_figures_table(figures), *_frequency_tables(figures["frequencies"], top)])
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
    where: str | None,
) -> dict[str, Any]:
    from spindle.reduction.statistics import Statistics
    from spindle.treebanks import files
    from spindle.treebanks.transforms import apply, plan

    steps = plan(strip=strip, punctuation=punct)
    trees = open_trees(input, from_, text_encoding, on_error, reporter)
    trees = files.apply_error_policy(apply(steps, trees, input), on_error, reporter.report)
    find_heads, heads, trees = choose_heads(with_match(trees, where), heads)
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
    tags: Counter[str] = Counter()
    lengths: Counter[int] = Counter()
    repairs: Counter[str] = Counter()

    def counted() -> Any:
        for sentence in open_dependencies(input, from_, text_encoding, on_error, reporter):
            labels.update(word.deprel for word in sentence.words)
            tags.update(word.xpos or word.upos for word in sentence.words)
            lengths[len(sentence)] += 1
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
        "frequencies": {
            "labels": dict(labels.most_common()),
            "tags": dict(tags.most_common()),
            "sentence_lengths": {str(length): count for length, count in sorted(lengths.items())},
        },
    }


TITLES = {
    "symbols": "Labels",
    "tags": "Tags",
    "productions": "Productions",
    "unary_chains": "Unary chains",
    "labels": "Labels",
    "sentence_lengths": "Words per sentence",
}
"""The titles of the tables of frequencies."""
LENGTH_STEP = 10
"""The number of sentence lengths in one row."""


def _figures_table(figures: dict[str, Any]) -> Table:
    table = Table("", ("", ""), texts=(0, 1))
    for name, value in figures.items():
        if name.endswith("_percent") or name == "frequencies":
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
        table.add(name.replace("_", " "), str(shown or "–"))
    return table


def _frequency_tables(frequencies: dict[str, dict[str, int]], top: int) -> Iterator[Table]:
    """Yield a table for every kind: the most frequent values, or ranges of lengths."""
    for name, counts in frequencies.items():
        if not counts:
            continue
        total = sum(counts.values())
        table = Table(TITLES[name], ("", "count", "%"))
        shown = _ranges(counts) if name == "sentence_lengths" else dict(list(counts.items())[:top])
        for value, count in shown.items():
            table.add(value or "(empty)", f"{count:,}", f"{100 * count / total:.1f}")
        if name != "sentence_lengths" and len(counts) > top:
            table.caption = f"and {len(counts) - top:,} more"
        yield table


def _ranges(lengths: dict[str, int]) -> dict[str, int]:
    """Return how many sentences have 1–10 words, 11–20 and so on."""
    found: Counter[int] = Counter()
    for length, count in lengths.items():
        found[(int(length) - 1) // LENGTH_STEP] += count
    return {
        f"{LENGTH_STEP * step + 1}–{LENGTH_STEP * (step + 1)}" if step >= 0 else "0": found[step]
        for step in sorted(found)
    }
