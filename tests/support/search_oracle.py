"""The meaning of search patterns by the book: sets of words, and every assignment tried.

It follows docs/search.md and shares only the parser with the program. Every relation is a test of two
vertices that is computed from their yields and parents, without an order in which vertices are visited.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from spindle.search.parse import parse_pattern
from spindle.search.pattern import (
    All,
    Any,
    Compare,
    Formula,
    Not,
    NumberAttribute,
    NumberTest,
    Related,
    Relation,
    Text,
    TextAttribute,
    TextTest,
    VertexPattern,
)
from spindle.trees import ROOT, DTree, Token, Tree

Environment = dict[str, "Vertex"]


@dataclass(eq=False)
class Vertex:
    code: int
    kind: int
    label: str
    parent: Vertex | None
    words: frozenset[int]
    place: frozenset[int]  # the words that decide about precedence
    token: Token | None = None
    function: str = ""
    head: int | None = None
    event: int = 0
    children: list[Vertex] = field(default_factory=list)

    def ancestors(self) -> Iterator[Vertex]:
        above = self.parent
        while above is not None:
            yield above
            above = above.parent

    def is_above(self, other: Vertex) -> bool:
        return any(one is self for one in other.ancestors())


def vertices_of(tree: Tree | DTree) -> list[Vertex]:
    found = _of_dtree(tree) if isinstance(tree, DTree) else _of_tree(tree)
    for one in found:
        if one.parent is not None:
            one.parent.children.append(one)
    for one in found:
        key = min if isinstance(tree, Tree) else max  # a word of a d-tree has its own position
        one.children.sort(key=lambda child: min(child.words) if key is min else min(child.place))
    return found


def _of_tree(tree: Tree) -> list[Vertex]:
    nodes: list[Vertex] = []
    for node in tree.nodes():
        words = frozenset(node.positions)
        above = nodes[node.parent.number] if node.parent else None
        one = Vertex(len(tree) + node.number, 0, node.label, above, words, words)
        one.function, one.head = node.function, node.head
        nodes.append(one)
    found = list(nodes)
    for leaf in tree.leaves:
        words = frozenset({leaf.position})
        above = nodes[leaf.parent.number] if leaf.parent else None
        tag = Vertex(leaf.position, 1, leaf.token.tag, above, words, words, leaf.token)
        tag.function, tag.head = leaf.token.function, leaf.position
        word = Vertex(-1 - leaf.position, 2, leaf.token.form, tag, words, words, head=leaf.position)
        found += [tag, word]
    return found


def _of_dtree(dtree: DTree) -> list[Vertex]:
    def below(word: int) -> frozenset[int]:
        return frozenset({word}).union(*map(below, dtree.modifiers[word]))

    found = [
        Vertex(
            at, 1, token.tag, None, below(at), frozenset({at}), token, dtree.symbols[at], at, dtree.events[at]
        )
        for at, token in enumerate(dtree.tokens)
    ]
    for at, head in enumerate(dtree.heads):
        if head != ROOT:
            found[at].parent = found[head]
    return found


# ── relations ────────────────────────────────────────────────────────────────────────────────────────


def rank(one: Vertex) -> int:
    assert one.parent is not None
    return next(at for at, child in enumerate(one.parent.children) if child is one)


def is_nth_child(one: Vertex, above: Vertex, argument: int) -> bool:
    if one.parent is not above:
        return False
    return rank(one) == (argument - 1 if argument > 0 else len(above.children) + argument)


def are_sisters(one: Vertex, other: Vertex) -> bool:
    return one is not other and one.parent is not None and one.parent is other.parent


def is_unary_path(upper: Vertex, lower: Vertex) -> bool:
    return upper.is_above(lower) and all(
        len(above.children) == 1 for above in lower.ancestors() if above is upper or upper.is_above(above)
    )


def is_head_child(child: Vertex, above: Vertex) -> bool:
    return child.parent is above and child.head is not None and child.head == above.head


def is_head_path(upper: Vertex, lower: Vertex) -> bool:
    return upper.is_above(lower) and upper.head is not None and upper.head == lower.head


def are_unrelated(one: Vertex, other: Vertex) -> bool:
    return one is not other and not one.is_above(other) and not other.is_above(one)


Holds = Callable[[Vertex, Vertex, int], bool]
RELATIONS: dict[Relation, Holds] = {
    Relation.CHILD: lambda a, b, n: b.parent is a,
    Relation.DESCENDANT: lambda a, b, n: a.is_above(b),
    Relation.NTH_CHILD: lambda a, b, n: is_nth_child(b, a, n),
    Relation.ONLY_CHILD: lambda a, b, n: b.parent is a and len(a.children) == 1,
    Relation.LEFTMOST: lambda a, b, n: a.is_above(b) and min(a.words) in b.words,
    Relation.RIGHTMOST: lambda a, b, n: a.is_above(b) and max(a.words) in b.words,
    Relation.UNARY_PATH: lambda a, b, n: is_unary_path(a, b),
    Relation.SISTER: lambda a, b, n: are_sisters(a, b),
    Relation.NEXT_SISTER: lambda a, b, n: are_sisters(a, b) and rank(b) == rank(a) + 1,
    Relation.LATER_SISTER: lambda a, b, n: are_sisters(a, b) and rank(b) > rank(a),
    Relation.NEXT: lambda a, b, n: max(a.place) + 1 == min(b.place),
    Relation.LATER: lambda a, b, n: max(a.place) < min(b.place),
    Relation.HEAD_CHILD: lambda a, b, n: is_head_child(b, a),
    Relation.HEAD_PATH: lambda a, b, n: is_head_path(a, b),
    Relation.CROSSES: lambda a, b, n: (
        are_unrelated(a, b) and not (max(a.words) < min(b.words) or max(b.words) < min(a.words))
    ),
    Relation.SURROUNDS: lambda a, b, n: (
        are_unrelated(a, b) and min(a.words) < min(b.words) and max(b.words) < max(a.words)
    ),
    Relation.EQUAL: lambda a, b, n: a is b,
    Relation.ANYWHERE: lambda a, b, n: True,
}
INVERSES = {
    Relation.PARENT: Relation.CHILD,
    Relation.ANCESTOR: Relation.DESCENDANT,
    Relation.NTH_CHILD_OF: Relation.NTH_CHILD,
    Relation.ONLY_CHILD_OF: Relation.ONLY_CHILD,
    Relation.LEFTMOST_OF: Relation.LEFTMOST,
    Relation.RIGHTMOST_OF: Relation.RIGHTMOST,
    Relation.UNARY_PATH_OF: Relation.UNARY_PATH,
    Relation.PREVIOUS_SISTER: Relation.NEXT_SISTER,
    Relation.EARLIER_SISTER: Relation.LATER_SISTER,
    Relation.PREVIOUS: Relation.NEXT,
    Relation.EARLIER: Relation.LATER,
    Relation.HEAD_CHILD_OF: Relation.HEAD_CHILD,
    Relation.HEAD_PATH_OF: Relation.HEAD_PATH,
}


def related(relation: Relation, a: Vertex, b: Vertex, argument: int) -> bool:
    if relation in INVERSES:
        return RELATIONS[INVERSES[relation]](b, a, argument)
    return RELATIONS[relation](a, b, argument)


# ── tests of a vertex ────────────────────────────────────────────────────────────────────────────────


def basic(label: str) -> str:
    return label if label[:1] in "-=" else re.split("[-=]", label)[0]


def is_like(value: str, wanted: Text) -> bool:
    match wanted.compare:
        case Compare.EXACT:
            return value == wanted.text
        case Compare.BASIC:
            return basic(value) == wanted.text
        case Compare.ANY_CASE:
            return value.casefold() == wanted.text.casefold()
        case Compare.REGEX:
            return bool(re.search(wanted.text, value))
        case Compare.BASIC_REGEX:
            return bool(re.search(wanted.text, basic(value)))


def values(tree: Tree | DTree, one: Vertex, attribute: TextAttribute) -> list[str]:
    token = one.token
    if attribute == TextAttribute.LABEL:
        return [one.label, token.form] if isinstance(tree, DTree) and token else [one.label]
    if attribute == TextAttribute.FUNC:
        if one.kind == 2:
            return []
        in_label = [] if one.label[:1] in ("-", "=") else re.split("[-=]", one.label)[1:]
        return [one.function, *([] if isinstance(tree, DTree) else in_label)]
    if attribute in (TextAttribute.HEAD, TextAttribute.HEADTAG):
        if one.head is None:
            return []
        head = tree.tokens[one.head]
        return [head.form if attribute == TextAttribute.HEAD else head.tag]
    if token is None:
        return []
    if attribute == TextAttribute.MORPH:
        features = re.split("[|.]", token.morph)
        return [token.morph, *features, *(one.split("=", 1)[1] for one in features if "=" in one)]
    return [getattr(token, attribute.name.lower() if attribute != TextAttribute.WORD else "form")]


def number(one: Vertex, attribute: NumberAttribute) -> int:
    match attribute:
        case NumberAttribute.KIND:
            return one.kind
        case NumberAttribute.GAP:
            return sum(word + 1 not in one.words for word in one.words) - 1
        case NumberAttribute.LEN:
            return len(one.words)
        case NumberAttribute.DEPTH:
            return len(list(one.ancestors()))
        case NumberAttribute.HEIGHT:
            return max((1 + number(child, attribute) for child in one.children), default=0)
        case NumberAttribute.CHILDREN:
            return len(one.children)
        case NumberAttribute.CHAIN:
            return chain(one)
        case NumberAttribute.FIRST:
            return min(one.words) + 1
        case NumberAttribute.LAST:
            return max(one.words) + 1
        case NumberAttribute.EVENT:
            return one.event


def chain(one: Vertex) -> int:
    if one.kind != 0:
        return 0
    while one.parent is not None and len(one.parent.children) == 1:
        one = one.parent
    length = 1
    while len(one.children) == 1 and one.children[0].kind == 0:
        one, length = one.children[0], length + 1
    return length


def compares(value: int, test: NumberTest) -> bool:
    wanted = test.value
    return {
        "=": value == wanted,
        "!=": value != wanted,
        "<": value < wanted,
        "<=": value <= wanted,
        ">": value > wanted,
        ">=": value >= wanted,
    }[test.comparison]


def passes(tree: Tree | DTree, one: Vertex, test: TextTest | NumberTest) -> bool:
    if isinstance(test, NumberTest):
        return compares(number(one, test.attribute), test)
    found = values(tree, one, test.attribute)
    return any(is_like(value, wanted) for value in found for wanted in test.alternatives) != test.is_negated


# ── patterns ─────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Oracle:
    tree: Tree | DTree

    def __post_init__(self) -> None:
        self.vertices = vertices_of(self.tree)

    def matches(self, pattern: str) -> dict[int, dict[str, set[int]]]:
        """Return every matching vertex with the vertices that its names stand for."""
        parsed = parse_pattern(pattern)
        found: dict[int, dict[str, set[int]]] = {}
        for one in self.vertices:
            for names in self.of_vertex(parsed, one, {}):
                into = found.setdefault(one.code, {})
                for name, named in names.items():
                    into.setdefault(name, set()).add(named.code)
        return found

    def of_vertex(self, pattern: VertexPattern, one: Vertex, names: Environment) -> Iterator[Environment]:
        if not all(passes(self.tree, one, test) for test in pattern.tests):
            return
        if pattern.same_label is not None and names[pattern.same_label].label != one.label:
            return
        if pattern.name is not None:
            if names.get(pattern.name, one) is not one:
                return
            names = {**names, pattern.name: one}
        yield from [names] if pattern.formula is None else self.of_formula(pattern.formula, one, names)

    def of_formula(self, formula: Formula, one: Vertex, names: Environment) -> Iterator[Environment]:
        match formula:
            case All(parts):
                if not parts:
                    yield names
                    return
                for found in self.of_formula(parts[0], one, names):
                    yield from self.of_formula(All(parts[1:]), one, found)
            case Any(parts):
                for part in parts:
                    yield from self.of_formula(part, one, names)
            case Not(part):
                if not any(True for _ in self.of_formula(part, one, names)):
                    yield names
            case Related(relation, argument, pattern):
                for other in self.vertices:
                    if related(relation, one, other, argument):
                        yield from self.of_vertex(pattern, other, names)
