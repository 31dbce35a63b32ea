"""Brackets for discontinuous trees: `(S (NP (PPER 0=Es) (NN 2=nichts)) (VVFIN 1=kam))`.

Every word has its position in front, counted from 0 without gaps, so leaves may be in any order. Otherwise
the format is that of `bracket`, without untagged traces and nested leaves. The writer writes one tree per
line, sorts children by their leftmost words, and writes `(` and `)` in words as `#LRB#` and `#RRB#`.

    >>> tree = parse_discbracket("(S (VVFIN 1=kam) (NP (PPER 0=Es) (NN 2=nichts)))")
    >>> [token.form for token in tree.tokens]
    ['Es', 'kam', 'nichts']
    >>> print(*write_discbracket([tree]), end="")
    (S (NP (PPER 0=Es) (NN 2=nichts)) (VVFIN 1=kam))
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from spindle import _core
from spindle.errors import TreebankError
from spindle.treebanks.balance import Stretch, balanced_stretches
from spindle.treebanks.bracket import leaf_token, only_tree, tag_text, tree_or_error
from spindle.treebanks.escapes import escape_form_hashed, escape_label, restore_label
from spindle.treebanks.nesting import Fault, Nest, nest, quoted, scan_nests
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
from spindle.trees import ROOT, Token, Tree

_LINE_STARTS = re.compile(r"(?<=\n)(?=\()")
_POSITIONED = re.compile(r"([0-9]+)=(.*)", re.DOTALL)


def read_discbracket(source: Source, report: ReadingReport) -> Iterator[Tree | TreebankError]:
    """Yield the trees of a file, and an error for each malformed tree."""
    for stretch in balanced_stretches(source.lines(keep_undecoded=True), source):
        if isinstance(stretch, TreebankError):
            yield stretch
        else:
            yield from _trees(stretch, source.name)


def _trees(stretch: Stretch, name: str) -> Iterator[Tree | TreebankError]:
    """Yield the trees of a stretch.

    If a bracket is missing in one line and another line has one too many, all lines in between balance as one
    malformed tree. So a malformed stretch is read again, from every line that starts with a bracket anew.
    """
    found = [
        tree_or_error(bracket, name, stretch.line)
        for bracket in _core.parse_discbrackets(stretch.text, Token)
    ]
    if stretch.text.count("\n(") and any(isinstance(one, TreebankError) for one in found):
        line = stretch.line
        for text in _LINE_STARTS.split(stretch.text):
            open_brackets = text.count("(") - text.count(")")
            if open_brackets:
                fault = '"(" not closed' if open_brackets > 0 else '")" too many'
                yield TreebankError(f"{abs(open_brackets)} {fault}", file=name, line=line)
            else:
                for bracket in _core.parse_discbrackets(text, Token):
                    yield tree_or_error(bracket, name, line)
            line += text.count("\n")
    else:
        yield from found


def parse_discbracket(text: str) -> Tree:
    """Return the only tree in `text`; raises a TreebankError if there is none, or more than one."""
    try:
        parsed = _core.parse_discbrackets(text, Token)
    except UnicodeEncodeError as error:
        raise TreebankError(f"not text: {error.reason}") from None
    return only_tree(parsed)


def write_discbracket(trees: Iterable[Tree]) -> Iterator[str]:
    """Yield one line per tree."""
    for tree in trees:
        leaves = [
            f"({tag_text(token)} {position}={escape_form_hashed(token.form)})"
            for position, token in enumerate(tree.tokens)
        ]
        text, _ = nest(tree, [escape_label(label) for label in tree.labels], leaves)
        yield text + "\n"


# ── reading, slow and readable: the reference implementation that tests the compiled parser ──────────


def parse_discbrackets_reference(text: str) -> list[_core.ParsedBracket]:
    """Return the same as `_core.parse_discbrackets`."""
    parsed: list[_core.ParsedBracket] = []
    for found in scan_nests(text):
        try:
            if isinstance(found, Fault):
                raise found
            parsed.append((found.line, _columns(found), "", 0))
        except Fault as fault:
            parsed.append((fault.line, None, fault.cause, fault.fault_line))
    return parsed


def _columns(found: Nest) -> _core.BracketColumns:
    found.check_not_empty()
    labels: list[str] = []
    parents: list[int] = []
    leaves: list[tuple[int, Token, int]] = []  # position, token, parent
    node_of = {ROOT: ROOT}
    for number, word in found.order:
        bracket = found.brackets[number]
        if word is not None and not bracket.is_text:
            raise Fault(found.line, f"{quoted(word)} has no tag", bracket.line)
        if word is not None:
            continue  # added together with its bracket
        if bracket.is_text:
            text = " ".join(bracket.words)
            positioned = _POSITIONED.fullmatch(text)
            if not positioned:
                raise Fault(
                    found.line, f"{quoted(text)} does not say its position, as 0=word does", bracket.line
                )
            if not positioned[2]:
                raise Fault(found.line, f"{quoted(text)} has no word", bracket.line)
            token = leaf_token(bracket.label, positioned[2])
            leaves.append((int(positioned[1]), token, node_of[bracket.parent]))
        else:
            found.check_not_bare(bracket)
            node_of[number] = len(labels)
            labels.append(restore_label(bracket.label))
            parents.append(node_of[bracket.parent])

    positions = [position for position, _, _ in leaves]
    for index, position in enumerate(positions):
        if position < len(leaves) and position in positions[:index]:
            raise Fault(found.line, f"position {position} occurs twice", found.line)
    for position in range(len(leaves)):
        if position not in positions:
            raise Fault(found.line, f"position {position} is missing", found.line)
    leaves.sort()
    tree = Tree.build([token for _, token, _ in leaves], labels, parents, [parent for _, _, parent in leaves])
    return tree.tokens, tree.labels, tree.parents, tree.leaf_parents
