"""`spindle heads`: list head rules, show what they do, and induce new ones."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import click

from spindle.cli.common import Reporter, check_output, choose_heads, note, note_unknown_labels, open_trees
from spindle.cli.names import HEADS
from spindle.cli.options import (
    DEPENDENCIES,
    FILE,
    TREES,
    head_rule_options,
    output_option,
    reading_options,
    report_options,
    text_encoding_option,
)
from spindle.errors import TreebankError

if TYPE_CHECKING:
    from spindle.heads import Agreement, HeadFinder
    from spindle.treebanks.files import OnError
    from spindle.trees import Dependencies, Tree

MAX_INDENT = 40
"""Deeper nodes are not indented further, so that the other columns stay on the screen."""


@click.group()
def heads() -> None:
    """Head rules: list them, show what they do, induce new ones.

    The reduction needs the head of every constituent. Treebanks differ in their labels, so there are several
    tables of head rules. The table is guessed from the labels unless --heads names one.

    \b
    Examples:
      spindle heads list
      spindle heads show dev.export --limit 3
      spindle heads induce train.ptb train.conllu -o rules.toml
    """


@heads.command("list")
@click.argument("name", metavar="[NAME|FILE]", type=HEADS, required=False)
@report_options("json")
def list_tables(name: str | None, report: str) -> None:
    """List the tables of head rules, or print one of them.

    A table is a TOML file. To change a table, write a file that contains `like = "collins"` and, under
    [rules], the rules that differ, e.g. `NP = ["rightmost of NN NNS", "leftmost NP"]`. Then name your file
    with --heads.

    \b
    Examples:
      spindle heads list
      spindle heads list collins
    """
    from spindle.heads import available_rules, format_rules, load_rules

    if report == "json":
        tables = [load_rules(known) for known in (available_rules() if name is None else [name])]
        records = [
            {"name": table.name, "purpose": table.purpose, **tomllib.loads(format_rules(table))}
            for table in tables
        ]
        click.echo(json.dumps(records if name is None else records[0], ensure_ascii=False, indent=2))
        return
    if name is not None:
        click.echo(format_rules(load_rules(name)), nl=False)
        return
    width = max(map(len, available_rules())) + 2
    for known in available_rules():
        rules = load_rules(known)
        click.echo(f"{known:<{width}}{rules.title}. {rules.purpose}.")


@heads.command()
@click.argument("input", metavar="IN", type=FILE)
@head_rule_options("table")
@click.option(
    "--limit", type=click.IntRange(min=1), default=10, show_default=True, help="Number of trees to show."
)
@reading_options(*TREES)
@report_options("json")
def show(
    input: str,
    table: str | None,
    edges_first: bool,
    limit: int,
    from_: str | None,
    text_encoding: str | None,
    on_error: OnError,
    report: str,
) -> None:
    """Show which rule finds the head of every constituent.

    The output has one line per constituent, indented by depth: its label, its head word, the child that
    contains the head word, and the rule that chose it.

    \b
    Examples:
      spindle heads show dev.ptb
      spindle heads show dev.export --heads tiger-edges --limit 3
      spindle heads show dev.export --heads negra --edges-first
    """
    reporter = Reporter("-")
    trees = open_trees(input, from_, text_encoding, on_error, reporter)
    finder, _, trees = choose_heads(trees, table, edges_first)
    records = []
    for number, tree in enumerate(islice(trees, limit), 1):
        if report == "json":
            nodes = [row._asdict() for row in _explanation(finder(tree), finder)]
            records.append({"id": tree.id or str(number), "nodes": nodes})
            continue
        click.echo(f"{tree.id or number}: {' '.join(token.form for token in tree.tokens)}")
        for line in _lines(list(_explanation(finder(tree), finder))):
            click.echo(line)
        click.echo()
    if report == "json":
        click.echo(json.dumps(records, ensure_ascii=False, indent=2))
    note_unknown_labels(finder)
    reporter.sum_up()


class _Explained(NamedTuple):
    """The head of a node: its word, the child that contains it, and the rule that chose the child."""

    depth: int
    label: str
    word: str
    child: str
    reason: str


def _explanation(tree: Tree, finder: HeadFinder) -> Iterator[_Explained]:
    """Yield a row for every node of a tree with heads."""
    from spindle.heads import explain

    assert tree.heads is not None
    size = len(tree)
    depths: list[int] = []
    for node, label, verdict, vertex in explain(tree, finder.rules, finder.edges_first):
        parent = tree.parents[node]
        depths.append(depths[parent] + 1 if parent >= 0 else 0)
        child = tree.tokens[vertex].tag if vertex < size else tree.labels[vertex - size]
        word = tree.tokens[tree.heads[node]].form
        yield _Explained(depths[-1], label, word, child, verdict.reason)


def _lines(explained: list[_Explained]) -> Iterator[str]:
    """Yield one line for every node, indented by depth."""
    rows = [
        (
            f"  {' ' * min(2 * row.depth, MAX_INDENT)}{row.label or '(empty)'}",
            row.word,
            row.child or "(empty)",
            row.reason,
        )
        for row in explained
    ]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    for row in rows:
        yield "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]])


@heads.command()
@click.argument("trees", metavar="TREES", type=FILE)
@click.argument("dependencies", metavar="DEPENDENCIES", type=FILE)
@output_option("OUT", "The TOML file of rules to write")
@click.option(
    "--heads",
    "table",
    metavar="NAME|FILE",
    type=HEADS,
    help="Head rules for cases that the dependencies do not decide. [default: guessed from the labels]",
)
@click.option("--from", "from_", type=click.Choice(TREES), help="Format of the trees. [default: guessed]")
@click.option(
    "--dependencies-from",
    type=click.Choice(DEPENDENCIES),
    help="Format of the dependencies. [default: guessed]",
)
@text_encoding_option
@report_options("json")
def induce(
    trees: str,
    dependencies: str,
    output: str,
    table: str | None,
    from_: str | None,
    dependencies_from: str | None,
    text_encoding: str | None,
    report: str,
) -> None:
    """Induce head rules from trees and dependencies of the same sentences.

    Both files contain the same sentences in the same order, word by word. One tree in ten is held out. The
    table that is printed shows how often the new rules find the heads of the held-out trees, next to the same
    figure for the rules of --heads.

    \b
    Examples:
      spindle heads induce train.ptb train.conllu -o rules.toml
      spindle encode train.ptb --heads rules.toml -o encoded.conllu
    """
    from spindle.heads import agreement, format_rules, induce_rules
    from spindle.treebanks import files
    from spindle.treebanks.source import open_output

    check_output([trees, dependencies], output)
    reporter = Reporter(output)
    read = open_trees(trees, from_, text_encoding, "stop", reporter)
    finder, name, read = choose_heads(read, table)
    sentences = files.read_dependencies(
        dependencies, dependencies_from, text_encoding, report=reporter.report
    )
    try:
        induction = induce_rules(_aligned(read, sentences, trees, dependencies), finder.rules)
    except TreebankError as error:
        error.file = error.file or dependencies
        raise
    with open_output(output) as stream:
        stream.write(format_rules(induction.rules))
    for kind, count in induction.counts.items():
        note(f"{kind}: {count}")
    _print_agreement(
        agreement(induction.rules, induction.held_out),
        agreement(finder.rules, induction.held_out),
        name,
        on_stderr=output == "-",  # the rules are on standard output
        as_json=report == "json",
    )
    reporter.sum_up()


def _aligned(
    trees: Iterator[Tree], sentences: Iterator[Dependencies], trees_name: str, dependencies_name: str
) -> Iterator[tuple[Tree, Dependencies]]:
    """Yield trees with their dependencies; raise a TreebankError if one file ends before the other."""
    for number, tree in enumerate(trees, 1):
        sentence = next(sentences, None)
        if sentence is None:
            cause = f"ends after {number - 1} sentences, but {trees_name} has more"
            raise TreebankError(cause, file=dependencies_name)
        yield tree, sentence
    if next(sentences, None) is not None:
        raise TreebankError(f"has more sentences than {trees_name}", file=dependencies_name)


def _print_agreement(
    new: dict[str, Agreement], old: dict[str, Agreement], name: str, *, on_stderr: bool, as_json: bool
) -> None:
    from spindle.heads import overall

    if as_json:

        def record(of_new: Agreement, of_old: Agreement) -> dict[str, object]:
            return {"nodes": of_new.total, "new_percent": of_new.percent, "old_percent": of_old.percent}

        figures = {
            "old_rules": name,
            "all": record(overall(new.values()), overall(old.values())),
            "by_label": {label: record(of_new, old[label]) for label, of_new in new.items()},
        }
        click.echo(json.dumps(figures, ensure_ascii=False, indent=2), err=on_stderr)
        return

    def line(label: str, of_new: Agreement, of_old: Agreement) -> str:
        return f"{label:<12}{of_new.total:>8,}{of_new.percent:>12.2f}{of_old.percent:>18.2f}"

    click.echo(f"{'held out':<12}{'nodes':>8}{'new rules':>12}{name[-16:]:>18}", err=on_stderr)
    click.echo(line("all", overall(new.values()), overall(old.values())), err=on_stderr)
    for label, of_new in new.items():
        click.echo(line(label, of_new, old[label]), err=on_stderr)
