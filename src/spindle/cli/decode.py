"""`spindle decode`: turn dependency labels back into constituents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from spindle.cli.common import Reporter, check_output, note, open_dependencies, output_format
from spindle.cli.options import (
    DEPENDENCIES,
    FILE,
    WRITABLE_TREES,
    encoding_option,
    output_option,
    reading_options,
    to_option,
)
from spindle.errors import ReductionError, TreebankError

if TYPE_CHECKING:
    from spindle.treebanks.files import OnError
    from spindle.trees import Tree


@click.command()
@click.argument("input", metavar="IN", type=FILE)
@output_option("OUT", "The treebank file to write")
@to_option(*WRITABLE_TREES)
@encoding_option(
    "How the labels are encoded, for files without the header comment. [default: from the header]"
)
@click.option(
    "--mode",
    type=click.Choice(["discontinuous", "continuous"]),
    default="discontinuous",
    show_default=True,
    help="Keep crossing branches, or remove them by repairs.",
)
@click.option(
    "--nesting",
    type=click.Choice(["lower-nearer", "raise-farther"]),
    default="lower-nearer",
    show_default=True,
    help="How continuous mode repairs spine positions that are not nested: 3,1,2 becomes 1,1,2 or 3,3,3.",
)
@reading_options(*DEPENDENCIES)
def decode(
    input: str,
    output: str,
    to: str | None,
    encoding: str | None,
    mode: str,
    nesting: str,
    from_: str | None,
    text_encoding: str | None,
    on_error: OnError,
) -> None:
    """Turn dependency trees back into constituent trees.

    Predictions of a parser that do not form a tree are repaired, and the repairs are counted.

    \b
    Examples:
      spindle decode parsed.conllu -o parsed.ptb --mode continuous
      spindle decode parsed.conllu -o parsed.export
      spindle decode maltparser-output.conllx -o - --to discbracket --encoding direct
    """
    from spindle.reduction import Encoding, Mode, Nesting, read_rows
    from spindle.reduction import decode as restore
    from spindle.treebanks import files

    check_output([input], output)
    to = output_format(output, to)
    reporter = Reporter(output)
    repairs: Counter[str] = Counter()
    tokens = repaired = 0

    def trees() -> Iterator[Tree]:
        nonlocal tokens, repaired
        sentences = open_dependencies(input, from_, text_encoding, on_error, reporter)
        chosen = None if encoding is None else Encoding(encoding)
        for reduced, needed in read_rows(sentences, chosen, Mode(mode), Nesting(nesting)):
            repairs.update(needed.counts)
            tokens += len(reduced.dtree)
            repaired += len(needed.tokens)
            yield restore(reduced)

    restored = _with_mode_hint(files.writable(trees(), output, to))
    try:
        files.write_trees(files.apply_error_policy(restored, on_error, reporter.report), output, to)
    except ReductionError as error:
        raise ReductionError(f"{input}: {error.cause}", hint=error.hint) from None
    if repairs:
        kinds = ", ".join(f"{kind} {count}" for kind, count in repairs.most_common())
        note(f"repaired {repaired} of {tokens} tokens ({repaired / tokens:.2%}): {kinds}")
    reporter.sum_up()


def _with_mode_hint(trees: Iterable[Tree | TreebankError]) -> Iterator[Tree | TreebankError]:
    """Add to the errors about discontinuous trees that this verb can make trees continuous."""
    from spindle.treebanks.nesting import DISCONTINUOUS_HINT

    for tree in trees:
        if isinstance(tree, TreebankError) and tree.hint == DISCONTINUOUS_HINT:
            tree.hint = f"{DISCONTINUOUS_HINT}, or set --mode to continuous"
        yield tree
