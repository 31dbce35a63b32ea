"""`spindle convert`: convert treebanks from any format to any other, with transforms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spindle.cli.common import (
    Reporter,
    check_output,
    choose_heads,
    open_dependencies,
    open_trees,
    output_format,
)
from spindle.cli.options import (
    DEPENDENCIES,
    FILE,
    TREES,
    WRITABLE_TREES,
    head_rule_options,
    reading_options,
    to_option,
    transform_options,
)

if TYPE_CHECKING:
    from spindle.treebanks.files import OnError


@click.command()
@click.argument("input", metavar="IN", type=FILE)
@click.argument("out", metavar="OUT", type=FILE, required=False)
@click.option("-o", "--output", metavar="OUT", type=FILE, help="The file to write, instead of the argument.")
@to_option(*WRITABLE_TREES, *DEPENDENCIES)
@reading_options(*TREES, *DEPENDENCIES)
@transform_options
@click.option("--functions", is_flag=True, help="Write edge labels into labels: NP with edge SB → NP-SB.")
@click.option("--wrapper", metavar="LABEL", help="Give every tree exactly one root node with this label.")
@head_rule_options()
@click.option(
    "--resolve-traces", is_flag=True, help="Move fillers to their traces; trees become discontinuous."
)
def convert(
    input: str,
    out: str | None,
    output: str | None,
    to: str | None,
    from_: str | None,
    text_encoding: str | None,
    on_error: OnError,
    strip: tuple[str, ...],
    punct: str,
    functions: bool,
    wrapper: str | None,
    heads: str | None,
    edges_first: bool,
    resolve_traces: bool,
) -> None:
    """Convert a treebank from any format to any other, as a stream.

    IN is a file, a folder of files, or `-`. Transforms are applied in this order: traces are resolved, parts
    stripped, punctuation treated, the wrapper set, functions written into labels. Head rules are for
    conllu-tree, which has dependencies beside the trees. For brat, the text is written beside OUT, as .txt.

    \b
    Examples:
      spindle convert tiger.xml tiger.export
      spindle convert train.psd train.ptb --strip traces,functions
      spindle convert negra.export negra.dbr --text-encoding latin-1 --punct move
      spindle convert corpus.mrg.zst - --to discbracket --resolve-traces | head
      spindle convert train.ptb train.conllu --to conllu-tree --heads collins
    """
    from spindle.treebanks import files, formats

    if out is not None and output is not None:
        raise click.UsageError("Name the file to write once: as OUT, or with --output.")
    output = output or out
    if output is None:
        raise click.UsageError("Missing argument 'OUT'.")
    check_output([input], output)
    to = output_format(output, to)
    written = formats.TREE_FORMATS.get(to)
    if written and written.text and output != "-":
        check_output([input], files.text_beside(output))
    if heads and not (written and written.wants_heads):
        raise click.UsageError("Head rules are for the format conllu-tree; others have no heads.")
    if wrapper is not None and "wrapper" in strip:
        raise click.UsageError("A wrapper can be stripped or set, not both.")
    reporter = Reporter(output)
    if files.holds_dependencies(input, from_, text_encoding):
        if strip or punct != "leave" or functions or wrapper is not None or resolve_traces:
            raise click.UsageError("Dependencies cannot be transformed; decode them to trees first.")
        sentences = open_dependencies(input, from_, text_encoding, on_error, reporter)
        files.write_dependencies(sentences, output, to)
    else:
        from spindle.treebanks.transforms import apply, plan

        steps = plan(
            resolve=resolve_traces,
            strip=strip,
            functions="merge" if functions else "leave",
            punctuation=punct,
            wrapper=wrapper,
        )
        trees = open_trees(input, from_, text_encoding, on_error, reporter)
        changed = files.writable(apply(steps, trees, input), output, to)
        found = files.apply_error_policy(changed, on_error, reporter.report)
        if written and written.wants_heads:
            find_heads, _, found = choose_heads(found, heads, edges_first)
            found = map(find_heads, found)
        files.write_trees(found, output, to)
    reporter.sum_up()
