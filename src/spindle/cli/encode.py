"""`spindle encode`: write constituents into dependency labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spindle.cli.common import Reporter, check_output, choose_heads, note_unknown_labels, open_trees
from spindle.cli.options import (
    DEPENDENCIES,
    FILE,
    TREES,
    encoding_option,
    head_rule_options,
    output_option,
    reading_options,
    to_option,
)

if TYPE_CHECKING:
    from spindle.treebanks.files import OnError


@click.command()
@click.argument("input", metavar="IN", type=FILE)
@output_option("OUT", "The CoNLL file to write")
@encoding_option(
    "How labels represent constituents: direct (NP#2) represents any tree; delta writes differences, "
    "with a sign in discontinuous trees; hn is that of Hall and Nivre.",
    default="direct",
)
@head_rule_options()
@to_option(*DEPENDENCIES, default="by OUT's ending, else conllu")
@reading_options(*TREES)
def encode(
    input: str,
    output: str,
    encoding: str,
    heads: str | None,
    edges_first: bool,
    to: str | None,
    from_: str | None,
    text_encoding: str | None,
    on_error: OnError,
) -> None:
    """Write constituent trees as dependency trees.

    Each label names a constituent and the position of its node in the spine of its head (NP#2): the result
    is a head-ordered dependency tree. Nothing is lost: unary chains, edge labels and unusual wrappers go to
    the MISC column, the encoding and the usual wrapper to a header comment. `spindle decode` restores the
    trees.

    \b
    Examples:
      spindle encode train.ptb -o train.conllu
      spindle encode negra.export -o negra.conllu --heads negra
      spindle encode train.ptb -o train.conllx --encoding delta --heads my-rules.toml
    """
    from spindle.reduction import Encoding, write_rows
    from spindle.reduction import encode as reduce
    from spindle.treebanks import files, formats

    check_output([input], output)
    reporter = Reporter(output)
    trees = open_trees(input, from_, text_encoding, on_error, reporter)
    find_heads, _, trees = choose_heads(trees, heads, edges_first)
    rows = write_rows((reduce(find_heads(tree)) for tree in trees), Encoding(encoding))
    files.write_dependencies(rows, output, to or formats.format_by_ending(output) or "conllu")
    note_unknown_labels(find_heads)
    reporter.sum_up()
