"""Find the head of every constituent by the rules of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from spindle.heads.steps import Child, Kind
from spindle.heads.table import HeadRules, Verdict
from spindle.trees import Token, Tree
from spindle.trees.punctuation import is_punctuation

# The caches are cleared when they exceed this size, which bounds the memory on a stream of any length. Even
# large treebanks have far fewer different cases.
_MAX_CACHED = 200_000
_Name = str | tuple[str, str]


_LABELS_SHOWN = 8
"""The number of labels in a message."""


def find_heads(tree: Tree, rules: HeadRules) -> Tree:
    """Return the tree with the position of every head word. A `HeadFinder` is faster for many trees."""
    return HeadFinder(rules)(tree)


class Explanation(NamedTuple):
    """The rule that found the head of a node, and the vertex of its head child."""

    node: int
    label: str
    verdict: Verdict
    vertex: int


def explain(tree: Tree, rules: HeadRules, edges_first: bool = False) -> Iterator[Explanation]:
    """Yield for every node, from the top, which rule finds its head."""
    edges_first = edges_first or rules.edges_first
    for node, children in enumerate(children_for_rules(tree, rules)):
        verdict = rules.decide(rules.normalise(tree.labels[node]), children, edges_first)
        yield Explanation(node, tree.labels[node], verdict, tree.children[node][verdict.child])


def children_for_rules(tree: Tree, rules: HeadRules) -> list[tuple[Child, ...]]:
    """Return for every node its children in the form that the rules take."""
    size = len(tree)
    vertices = [Child(rules.normalise(token.tag), token.function, kind_of(token)) for token in tree.tokens]
    vertices += [
        Child(rules.normalise(label), function)
        for label, function in zip(tree.labels, tree.functions, strict=True)
    ]
    children: list[tuple[Child, ...]] = [()] * len(tree.labels)
    for node in range(len(tree.labels) - 1, -1, -1):
        children[node] = tuple(vertices[child] for child in tree.children[node])
        kind = min(child.kind for child in children[node])
        vertices[size + node] = vertices[size + node]._replace(kind=kind)
    return children


def kind_of(token: Token) -> Kind:
    """Return whether a token is a word, punctuation, or an empty element."""
    if token.is_empty:
        return Kind.EMPTY
    return Kind.PUNCTUATION if is_punctuation(token) else Kind.WORD


class HeadFinder:
    """Finds heads by a table, and counts in `unknown` the labels that have no rule.

    With `edges_first`, an edge that the treebank marks as head overrides the table.

    >>> from spindle.heads import HeadFinder, load_rules
    >>> from spindle.trees import Token, Tree
    >>> tokens = Token("The", "DT"), Token("end", "NN"), Token(".", ".")
    >>> finder = HeadFinder(load_rules("collins"))
    >>> finder(Tree(tokens, ("NP",), (-1,), (0, 0, 0))).heads
    (1,)
    """

    # A label above the same children always has the same head, and treebanks repeat such cases. So each case
    # is decided once and cached. Children are numbered, because tuples of small numbers are fast keys. A
    # *name* is a label, with the edge label if the rules use edges.

    def __init__(self, rules: HeadRules, edges_first: bool = False) -> None:
        self.rules = rules
        self.edges_first = edges_first or rules.edges_first
        self.unknown: Counter[str] = Counter()
        self._uses_edges = self.edges_first or rules.uses_edges
        self._labels = _Cache(rules.normalise)
        self._leaves = _Cache(self._number_leaf)
        self._cases = _Cache(self._decide)
        self._children: list[Child] = []
        self._numbers: dict[Child, int] = {}

    def __call__(self, tree: Tree) -> Tree:
        """Return the tree with the position of every node's head word."""
        if len(self._labels) + len(self._leaves) + len(self._cases) > _MAX_CACHED:
            self._clear()
        labels, leaves, cases = self._labels, self._leaves, self._cases
        names: list[_Name] = [labels[label] for label in tree.labels]
        if self._uses_edges:
            names = list(zip(names, tree.functions, strict=True))  # type: ignore[arg-type]
            numbers = [leaves[(token.tag, token.function) if token.tag else token] for token in tree.tokens]
        else:
            numbers = [leaves[token.tag or token] for token in tree.tokens]
        size = len(numbers)
        heads = list(range(size + len(names)))
        numbers += heads[size:]
        number_of = numbers.__getitem__
        vertex = size + len(names)
        for name, children in zip(reversed(names), reversed(tree.children), strict=True):
            vertex -= 1
            child, numbers[vertex], unknown = cases[(name, *map(number_of, children))]
            heads[vertex] = heads[children[child]]
            if unknown is not None:
                self.unknown[unknown] += 1
        return tree.with_heads(tuple(heads[size:]))

    def unknown_message(self) -> str:
        """Return a message about the nodes without a rule, for the user; "" if there are none."""
        if not self.unknown:
            return ""
        labels = ", ".join(
            f"{label or '(empty)'} ({count:,})" for label, count in self.unknown.most_common(_LABELS_SHOWN)
        )
        return f"no head rule for {self.unknown.total():,} nodes, the default was used: {labels}"

    def _number_leaf(self, key: str | tuple[str, str] | Token) -> int:
        """Return the number of a token. The key is the token if it has no tag: its form gives its kind."""
        if isinstance(key, Token):
            token = key
        elif isinstance(key, tuple):
            token = Token("", key[0], function=key[1])
        else:
            token = Token("", key)
        function = token.function if self._uses_edges else ""
        return self._number(Child(self.rules.normalise(token.tag), function, kind_of(token)))

    def _number(self, child: Child) -> int:
        number = self._numbers.setdefault(child, len(self._children))
        if number == len(self._children):
            self._children.append(child)
        return number

    def _decide(self, case: tuple[_Name, *tuple[int, ...]]) -> tuple[int, int, str | None]:
        """Return the index of the head child, the node's own number, and its label if it has no rule."""
        name, *numbers = case
        label, function = name if isinstance(name, tuple) else (name, "")
        children = [self._children[number] for number in numbers]
        verdict = self.rules.decide(label, children, self.edges_first)
        kind = min(child.kind for child in children)
        number = self._number(Child(label, function, kind))
        return verdict.child, number, label if verdict.unknown else None

    def _clear(self) -> None:
        for cache in (self._labels, self._leaves, self._cases, self._children, self._numbers):
            cache.clear()


class _Cache(dict[Any, Any]):
    """The results of a function by its argument; a missing one is computed."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, key: Any) -> Any:
        value = self[key] = self._function(key)
        return value
