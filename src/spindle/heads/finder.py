"""Finding the head of every constituent by the rules of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from spindle.heads.steps import Child, Kind
from spindle.heads.table import HeadRules, Verdict
from spindle.trees import Token, Tree
from spindle.trees.punctuation import is_punctuation

# Forgetting everything now and then bounds the memory on a stream of any length; the 500,000 tokens of
# CRAFT make 9,000 different cases.
_REMEMBERED = 200_000
_Name = str | tuple[str, str]


def find_heads(tree: Tree, rules: HeadRules) -> Tree:
    """The tree with the position of every node's head word; for many trees use a `HeadFinder`."""
    return HeadFinder(rules)(tree)


class Fired(NamedTuple):
    """What found the head of a node, and the vertex of its head child."""

    node: int
    label: str
    verdict: Verdict
    vertex: int


def explain(tree: Tree, rules: HeadRules, edges_first: bool = False) -> Iterator[Fired]:
    """Say for every node, from the top, which rule finds its head."""
    edges_first = edges_first or rules.edges_first
    for node, seen in enumerate(seen_children(tree, rules)):
        verdict = rules.decide(rules.normalise(tree.labels[node]), seen, edges_first)
        yield Fired(node, tree.labels[node], verdict, tree.children[node][verdict.child])


def seen_children(tree: Tree, rules: HeadRules) -> list[tuple[Child, ...]]:
    """The children of every node as the rules see them."""
    size = len(tree)
    vertices = [Child(rules.normalise(token.tag), token.function, kind_of(token)) for token in tree.tokens]
    vertices += [
        Child(rules.normalise(label), function)
        for label, function in zip(tree.labels, tree.functions, strict=True)
    ]
    seen: list[tuple[Child, ...]] = [()] * len(tree.labels)
    for node in range(len(tree.labels) - 1, -1, -1):
        seen[node] = tuple(vertices[child] for child in tree.children[node])
        kind = min(child.kind for child in seen[node])
        vertices[size + node] = vertices[size + node]._replace(kind=kind)
    return seen


def kind_of(token: Token) -> Kind:
    """Whether a token is a word, punctuation, or nothing that is visible."""
    if token.is_empty:
        return Kind.EMPTY
    return Kind.PUNCTUATION if is_punctuation(token) else Kind.WORD


class HeadFinder:
    """Finds heads by a table, and counts in `unknown` the labels it had to decide on without a rule.

    `edges_first` trusts the edges that the treebank itself marks as heads, whatever the table says.

    >>> from spindle.heads import HeadFinder, load_rules
    >>> from spindle.trees import Token, Tree
    >>> tokens = Token("The", "DT"), Token("end", "NN"), Token(".", ".")
    >>> finder = HeadFinder(load_rules("collins"))
    >>> finder(Tree(tokens, ("NP",), (-1,), (0, 0, 0))).heads
    (1,)
    """

    # Treebanks repeat themselves: a label over certain children always has the same head, so a case is
    # decided once and looked up from then on. Children are numbered, because a tuple of small numbers
    # is looked up quickly. A *name* is a label, together with the edge where the rules look at edges.

    def __init__(self, rules: HeadRules, edges_first: bool = False) -> None:
        self.rules = rules
        self.edges_first = edges_first or rules.edges_first
        self.unknown: Counter[str] = Counter()
        self._sees_edges = self.edges_first or rules.sees_edges
        self._labels = _Memory(rules.normalise)
        self._leaves = _Memory(self._number_leaf)
        self._cases = _Memory(self._decide)
        self._children: list[Child] = []
        self._numbers: dict[Child, int] = {}

    def __call__(self, tree: Tree) -> Tree:
        """The tree with the position of every node's head word."""
        if len(self._labels) + len(self._leaves) + len(self._cases) > _REMEMBERED:
            self._forget()
        labels, leaves, cases = self._labels, self._leaves, self._cases
        names: list[_Name] = [labels[label] for label in tree.labels]
        if self._sees_edges:
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

    def _number_leaf(self, key: str | tuple[str, str] | Token) -> int:
        """The number of a token; a token without a tag is its own key, for its form tells what it is."""
        if isinstance(key, Token):
            token = key
        elif isinstance(key, tuple):
            token = Token("", key[0], function=key[1])
        else:
            token = Token("", key)
        function = token.function if self._sees_edges else ""
        return self._number(Child(self.rules.normalise(token.tag), function, kind_of(token)))

    def _number(self, child: Child) -> int:
        number = self._numbers.setdefault(child, len(self._children))
        if number == len(self._children):
            self._children.append(child)
        return number

    def _decide(self, case: tuple[_Name, *tuple[int, ...]]) -> tuple[int, int, str | None]:
        """Which child is the head, the number that the node itself has as a child, the unknown label."""
        name, *numbers = case
        label, function = name if isinstance(name, tuple) else (name, "")
        children = [self._children[number] for number in numbers]
        verdict = self.rules.decide(label, children, self.edges_first)
        kind = min(child.kind for child in children)
        number = self._number(Child(label, function, kind))
        return verdict.child, number, label if verdict.unknown else None

    def _forget(self) -> None:
        for memory in (self._labels, self._leaves, self._cases, self._children, self._numbers):
            memory.clear()


class _Memory(dict[Any, Any]):
    """What a function said about a key, so that it is asked only once."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, key: Any) -> Any:
        value = self[key] = self._function(key)
        return value
