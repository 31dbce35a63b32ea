"""Random trees for property tests: every shape of a tree, and every string that a treebank may contain.

    @given(trees())                                  any tree
    @given(trees(continuous=True, unary=False))      the trees of Proposition 3
    @given(trees(continuous=False))                  at least one node has a gap
    @given(headed_trees())                           with a lexical head for every node
    @given(trees(labels=texts(), tokens=tokens(forms=texts(" ()"))))

Strings never contain line ends, which line-based formats cannot store.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from spindle.trees import ROOT, DTree, Token, Tree

# Characters that separate fields, escape characters or mark indices in some format or encoding, some letters
# outside ASCII (one outside the basic plane, one combining), and spaces that do not split words.
HOSTILE = "#|_+-=:;.,/\\*$%&<>\"'`~^@!0123abNP" + "é句\u0301𝔸\u00a0\u2028\u0085"
BRACKETS = "()[]{}"
WRAPPERS = ("", "TOP", "ROOT", "S1", "VROOT")

LABELS = (
    "S",
    "NP",
    "VP",
    "NP-SBJ",
    "NP=2",
    "PP-TMP-1",
    "S::X",
    "A#1",
    "A|B",
    "X_Y",
    "X+Y",
    "S->VP",
    "-",
    "句",
)
TAGS = ("NN", "VB", "-NONE-", "-LRB-", "$,", "$.", ".", ":", ",", "``", "''", "#", "_", "PRP$")
FORMS = ("the", "cat", "0", "*T*-1", "-", "--", "_", "#", "=", ".", ",", "1/2", "a=b", "0=x", "isn't", "…")


NOTHING = st.just("")


def texts(extra: str = "", max_size: int = 6) -> SearchStrategy[str]:
    """Non-empty strings made of hostile characters and those in `extra`."""
    return st.text(HOSTILE + extra, min_size=1, max_size=max_size)


def labels() -> SearchStrategy[str]:
    """Phrase labels: common ones, and hostile ones."""
    return st.sampled_from(LABELS) | texts()


def tokens(
    forms: SearchStrategy[str] = st.sampled_from(FORMS) | texts(),  # noqa: B008
    tags: SearchStrategy[str] = st.sampled_from(TAGS) | texts(),  # noqa: B008
    lemmas: SearchStrategy[str] = NOTHING,
    morphs: SearchStrategy[str] = NOTHING,
    functions: SearchStrategy[str] = NOTHING,
) -> SearchStrategy[Token]:
    """Tokens; a lemma, morphology or function only if a strategy for it is given."""
    return st.builds(Token, forms, tags, lemmas, morphs, functions)


@st.composite
def trees(
    draw: st.DrawFn,
    continuous: bool | None = None,
    unary: bool = True,
    max_tokens: int = 8,
    labels: SearchStrategy[str] = labels(),  # noqa: B008
    tokens: SearchStrategy[Token] = tokens(),  # noqa: B008
    functions: SearchStrategy[str] = NOTHING,
    wrappers: Sequence[str] = WRAPPERS,
) -> Tree:
    """A tree; `continuous` requires or forbids continuity (None: both), without `unary` all nodes branch.

    Without `unary` a sentence of one word has no nodes; with it, the tree may stand under one of `wrappers`.
    """
    size = draw(st.integers(3 if continuous is False else 1, max_tokens))
    parents: list[int] = []
    leaf_parents = [-1] * size
    # Negative numbers are tokens, so one number identifies a vertex: -1 is the first token, -2 the second.
    open_vertices = [-1 - position for position in range(size)]

    def put_under_a_node(vertices: list[int]) -> int:
        node = len(parents)
        parents.append(-1)
        for vertex in vertices:
            if vertex < 0:
                leaf_parents[-1 - vertex] = node
            else:
                parents[vertex] = node
        return node

    def with_chain(vertex: int) -> int:
        for _ in range(draw(st.integers(0, 2)) if unary else 0):
            vertex = put_under_a_node([vertex])
        return vertex

    if continuous is False:
        # A node over the tokens `left` and `right`, but not those between them: a permanent gap.
        left = draw(st.integers(0, size - 3))
        right = draw(st.integers(left + 2, size - 1))
        node = put_under_a_node([open_vertices[left], open_vertices[right]])
        del open_vertices[right]
        open_vertices[left] = with_chain(node)
    if unary:
        open_vertices = [with_chain(vertex) if vertex < 0 else vertex for vertex in open_vertices]
    while len(open_vertices) > 1:
        count = draw(st.integers(2, len(open_vertices)))
        if continuous:
            start = draw(st.integers(0, len(open_vertices) - count))
            chosen = list(range(start, start + count))
        else:
            numbers = st.integers(0, len(open_vertices) - 1)
            chosen = sorted(draw(st.sets(numbers, min_size=count, max_size=count)))
        node = with_chain(put_under_a_node([open_vertices[number] for number in chosen]))
        open_vertices[chosen[0]] = node
        for number in reversed(chosen[1:]):
            del open_vertices[number]
    names = [draw(labels) for _ in parents]
    if unary and wrappers and draw(st.booleans()):
        put_under_a_node(open_vertices)
        names.append(draw(st.sampled_from(wrappers)))
    return Tree.build(
        [draw(tokens) for _ in range(size)],
        names,
        parents,
        leaf_parents,
        [draw(functions) for _ in parents],
    )


@st.composite
def headed_trees(draw: st.DrawFn, trees: SearchStrategy[Tree] = trees()) -> Tree:  # noqa: B008
    """A tree with a lexical head, chosen at random among the children, for every node."""
    tree = draw(trees)
    size = len(tree)
    heads = [0] * len(tree.labels)
    for node in reversed(range(len(heads))):
        child = draw(st.sampled_from(tree.children[node]))
        heads[node] = child if child < size else heads[child - size]
    return tree.replace(heads=tuple(heads))


def deep_tree(depth: int, label: str = "X") -> Tree:
    """One word under a unary chain; recursive algorithms exceed the stack on it."""
    return Tree((Token("deep", "NN"),), (label,) * depth, tuple(range(-1, depth - 1)), (depth - 1,))


@st.composite
def dtrees(
    draw: st.DrawFn,
    max_tokens: int = 8,
    symbols: SearchStrategy[str] = labels(),  # noqa: B008
    tokens: SearchStrategy[Token] = tokens(),  # noqa: B008
) -> DTree:
    """A d-tree as a parser may predict it: any heads, any symbols, any events."""
    size = draw(st.integers(1, max_tokens))
    order = draw(st.permutations(range(size)))
    heads = [ROOT] * size
    for place, word in enumerate(order[1:], start=1):
        heads[word] = order[draw(st.integers(0, place - 1))]
    return DTree(
        tuple(draw(tokens) for _ in range(size)),
        tuple(heads),
        tuple("" if head == ROOT else draw(symbols) for head in heads),
        tuple(0 if head == ROOT else draw(st.integers(1, 3)) for head in heads),
    )
