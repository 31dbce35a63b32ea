"""A notation for small trees in tests: `(S (NP (PPER 0=Es) (NN 2=Neues)) (VVFIN 1=kam))`.

Positions may be left out if the words are in order. A label may end in an edge label: `(NP/SB …)`.
"""

from __future__ import annotations

import re

from spindle.trees import ROOT, Token, Tree

_PARTS = re.compile(r"\((\$\(|[^\s()]*)|\)|([^\s()]+)")


def tree(text: str) -> Tree:
    labels: list[str] = []
    functions: list[str] = []
    parents: list[int] = []
    words: dict[int, tuple[Token, int]] = {}
    open_nodes = [ROOT]
    for part in _PARTS.finditer(text):
        if part[0] == ")":
            open_nodes.pop()
        elif part[2] is None:
            label, _, function = part[1].partition("/")
            labels.append(label)
            functions.append(function)
            parents.append(open_nodes[-1])
            open_nodes.append(len(labels) - 1)
        else:
            position, _, form = part[2].rpartition("=") if part[2][0].isdigit() else ("", "", part[2])
            # the bracket that was just opened is a pre-terminal
            words[int(position) if position else len(words)] = (
                Token(form, labels.pop(), function=functions.pop()),
                parents.pop(),
            )
    ordered = [words[position] for position in sorted(words)]
    return Tree.build(
        [token for token, _ in ordered],
        labels,
        parents,
        [parent for _, parent in ordered],
        functions,
    )


def notation(tree: Tree) -> str:
    """Return the notation of a tree, with positions only if it is discontinuous; the inverse of `tree`."""
    size, parts = len(tree), []
    stack: list[int | str] = [size if tree.labels else 0]
    while stack:
        vertex = stack.pop()
        if isinstance(vertex, str):
            parts.append(vertex)
        elif vertex < size:
            token = tree.tokens[vertex]
            position = "" if tree.is_continuous else f"{vertex}="
            function = token.function and f"/{token.function}"
            parts.append(f" ({token.tag}{function} {position}{token.form})")
        else:
            node = vertex - size
            function = tree.functions[node] and f"/{tree.functions[node]}"
            parts.append(f" ({tree.labels[node]}{function}")
            stack.append(")")
            stack.extend(reversed(tree.children[node]))
    return "".join(parts).strip()
