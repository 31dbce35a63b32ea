"""Brackets for discontinuous trees: `(S (NP (PPER 0=Es) (NN 2=nichts)) (VVFIN 1=kam))`.

Every word says its position, from 0 and without gaps, so its place in the brackets is free. Everything else
is as in `bracket`, but there are no bare traces and no nested leaves. Written is one tree a line, children
by their leftmost words, with `(` and `)` in words as `#LRB#` and `#RRB#`.

    >>> tree = parse_discbracket("(S (VVFIN 1=kam) (NP (PPER 0=Es) (NN 2=nichts)))")
    >>> [token.form for token in tree.tokens]
    ['Es', 'kam', 'nichts']
    >>> print(*write_discbracket([tree]), end="")
    (S (NP (PPER 0=Es) (NN 2=nichts)) (VVFIN 1=kam))
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from spindle import _core
from spindle.errors import TreebankError
from spindle.treebanks.balance import balanced_stretches
from spindle.treebanks.bracket import only_tree, tag_text, tree_or_error
from spindle.treebanks.escapes import escape_form_hashed, escape_label
from spindle.treebanks.nesting import nest
from spindle.treebanks.remarks import Remarks
from spindle.treebanks.source import Source
from spindle.trees import Tree


def read_discbracket(source: Source, remarks: Remarks) -> Iterator[Tree | TreebankError]:
    """Read trees in discontinuous brackets."""
    for stretch in balanced_stretches(source.lines(), source.name):
        if isinstance(stretch, TreebankError):
            yield stretch
        else:
            for one in _core.parse_discbrackets(stretch.text):
                yield tree_or_error(one, source.name, stretch.line)


def parse_discbracket(text: str) -> Tree:
    """The one tree that `text` holds; raises TreebankError for anything else."""
    try:
        parsed = _core.parse_discbrackets(text)
    except UnicodeEncodeError as error:
        raise TreebankError(f"not text: {error.reason}") from None
    return only_tree(parsed)


def write_discbracket(trees: Iterable[Tree]) -> Iterator[str]:
    """Write trees in discontinuous brackets, one a line."""
    for tree in trees:
        leaves = [
            f"({tag_text(token)} {position}={escape_form_hashed(token.form)})"
            for position, token in enumerate(tree.tokens)
        ]
        text, _ = nest(tree, [escape_label(label) for label in tree.labels], leaves)
        yield text + "\n"
