"""Writing NEGRA export."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from spindle.errors import TreebankError
from spindle.treebanks.export.blocks import NODE_NAME
from spindle.treebanks.export.comments import ID_KEY, WORDS_KEY, split_comments
from spindle.treebanks.graph import NOT_GIVEN, has_comment, node_numbers
from spindle.trees import ROOT, Tree

_PLAIN_ID = re.compile(r"(?!%%)(?:(?!%%)\S)+")


def write_export(trees: Iterable[Tree]) -> Iterator[str]:
    """Yield the text of an export file, version 4. A value that is itself `--` is read back as missing."""
    return _write(trees, 4)


def write_export3(trees: Iterable[Tree]) -> Iterator[str]:
    """Yield the text of an export file, version 3, which has no lemmas."""
    return _write(trees, 3)


def _write(trees: Iterable[Tree], version: int) -> Iterator[str]:
    yield f"#FORMAT {version}\n"
    for count, tree in enumerate(trees, 1):
        if error := refuse_odd_edges(tree):
            error.sentence = tree.id or str(count)
            raise error
        yield "\n".join((*_sentence_lines(tree, str(count), version), ""))


def refuse_odd_edges(tree: Tree) -> TreebankError | None:
    """Return the reason why export cannot represent a tree, or None."""
    for label, _, _ in tree.secondary:
        if label.startswith("%%"):
            return TreebankError(
                f"export would read edge label {label!r} as a comment", hint="write tigerxml instead"
            )
    return None


def _sentence_lines(tree: Tree, count: str, version: int) -> Iterator[str]:
    numbers = node_numbers(tree)
    id = tree.id if _PLAIN_ID.fullmatch(tree.id) else count
    tables, lines, notes = split_comments(tree, numbers, version)
    yield from tables
    if (tree.id and id != tree.id) or has_comment(tree, ID_KEY):
        yield f"%% {ID_KEY}{tree.id or id}"
    is_odd = any(token.form[0] == "#" and NODE_NAME.fullmatch(token.form) for token in tree.tokens)
    if is_odd or has_comment(tree, WORDS_KEY):
        yield f"%% {WORDS_KEY}{len(tree)}"
    yield from lines
    begin = f"#BOS {id}"
    if "bos" in notes:
        begin += f" {notes['bos']}"
    if "bos_comment" in notes:
        begin += f" %% {notes['bos_comment']}"
    yield begin
    edges: dict[int, list[str]] = {}
    for label, child, parent in tree.secondary:
        edges.setdefault(child, []).extend((label, str(numbers[parent])))
    above = {ROOT: "0", **{node: str(number) for node, number in enumerate(numbers)}}
    for position, (token, parent) in enumerate(zip(tree.tokens, tree.leaf_parents, strict=True)):
        form, tag, lemma, morph, function = token
        columns = [form, lemma, tag, morph, function, above[parent], *edges.get(position, ())]
        yield _row(columns, notes.get(f"comment {position + 1}"), version)
    for node in sorted(range(len(numbers)), key=numbers.__getitem__):
        if not numbers[node]:
            continue
        name = f"#{numbers[node]}"
        columns = [
            name,
            notes.get(f"lemma {name}", ""),
            tree.labels[node],
            notes.get(f"morph {name}", ""),
            tree.functions[node],
            above[tree.parents[node]],
            *edges.get(len(tree) + node, ()),
        ]
        yield _row(columns, notes.get(f"comment {name}"), version)
    yield f"#EOS {id}"


def _row(columns: list[str], comment: str | None, version: int) -> str:
    if version == 3:
        del columns[1]
    row = "\t".join([column or NOT_GIVEN for column in columns])
    return row if comment is None else f"{row}\t%% {comment}"
