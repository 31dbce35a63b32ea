"""The operations of the editor, in the browser: random sequences, checked by `Tree` and `Constraints`."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from spindle.errors import TreeError
from spindle.pipeline import Constraints
from spindle.trees import Tree

SEEDS = 60
STEPS = 25

WALK = """async ([seed, steps]) => {
  const ops = await import(`${location.origin}/edit_ops.js`);
  const fixing = await import(`${location.origin}/edit_fixed.js`);
  let state = seed + 1;
  const below = (most) => { // a small generator of numbers, the same everywhere
    state = (state * 48271) % 2147483647;
    return state % most;
  };
  const size = 1 + below(9);
  const words = Array.from({ length: size }, (_, at) => ({ form: `w${at}`, tag: `T${below(3)}` }));
  let tree = ops.build(words, [{ label: "S", parent: -1 }], new Array(size).fill(0)).tree;
  let fixed = fixing.NOTHING;
  const label = () => `L${below(4)}`;
  const found = [];
  for (let step = 0; step < steps; step++) {
    const count = size + tree.nodes.length;
    const vertex = below(count);
    const node = below(tree.nodes.length);
    const change = [
      () => ops.relabel(tree, node, label(), below(2) ? "SB" : ""),
      () => ops.retag(tree, below(size), `T${below(3)}`),
      () => ops.move(tree, vertex, node),
      () => ops.move(tree, below(size), node),
      () => ops.raise(tree, vertex),
      () => ops.group(tree, [vertex, below(count), below(size)], label()),
      () => ops.group(tree, [below(size), below(size)], label()),
      () => ops.insertAbove(tree, vertex, label()),
      () => ops.dissolve(tree, node),
      () => ops.flatten(tree, node),
    ][below(10)];
    const before = JSON.stringify(tree);
    let after;
    try {
      after = change();
    } catch (error) {
      if (!(error instanceof ops.EditError)) throw error;
      continue;
    }
    if (JSON.stringify(tree) !== before) throw new Error("an operation has changed its input");
    if (!(after.vertex >= 0 && after.vertex < size + after.tree.nodes.length)) throw new Error("no vertex");
    if (after.renumbered.length !== tree.nodes.length) throw new Error("nodes without a new number");
    fixed = fixing.afterChange(fixed, tree, after.tree);
    if (below(4) === 0) fixed = fixing.toggled(fixed, after.tree, below(size + after.tree.nodes.length));
    const name = String(change).slice(6, 30);
    found.push({ name, before: tree, after: after.tree, renumbered: after.renumbered, fixed });
    tree = after.tree;
  }
  return found;
}"""


@pytest.fixture(scope="module")
def modules(browser: Browser, address: str) -> Iterator[Page]:
    """A page of the server, in which its modules can be called."""
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{address}icon.svg")
        yield page


def tree_of(record: dict[str, Any]) -> Tree:
    return Tree.from_dict({"tokens": record["words"], "nodes": record["nodes"]})


def test_any_sequence_gives_trees(modules: Page) -> None:
    names: set[str] = set()
    for seed in range(SEEDS):
        for step in modules.evaluate(WALK, [seed, STEPS]):
            before, after = tree_of(step["before"]), tree_of(step["after"])
            # the numbers of the page are those of `Tree`, so nothing was put in order again
            assert [node["label"] for node in step["after"]["nodes"]] == list(after.labels)
            assert [node["parent"] for node in step["after"]["nodes"]] == list(after.parents)
            assert [node["tokens"] for node in step["after"]["nodes"]] == [
                list(node.positions) for node in after.nodes()
            ]
            assert [token.form for token in after.tokens] == [token.form for token in before.tokens]
            # nodes that stay have the labels they had, but for the one that was renamed
            kept = [new for new in step["renumbered"] if new is not None]
            assert len(set(kept)) == len(kept)
            renamed = [
                old
                for old, new in enumerate(step["renumbered"])
                if new is not None and before.labels[old] != after.labels[new]
            ]
            assert len(renamed) <= ("relabel" in step["name"])
            # the tree has everything that is fixed
            constraints = Constraints.from_dict(step["fixed"])
            assert constraints.violations(after) == []
            constraints.check(after.tokens)
            names.add(step["name"].partition("(")[0])
    assert len(names) == 8, names


CALL = """async ([name, tree, args]) => {
  const ops = await import(`${location.origin}/edit_ops.js`);
  try {
    return { tree: ops[name](tree, ...args).tree };
  } catch (error) {
    if (!(error instanceof ops.EditError)) throw error;
    return { error: error.message };
  }
}"""
TREE = "(S (NP (D the) (N cat)) (VP (V saw) (NP (D a) (N dog))))"  # nodes S NP VP NP, words from 0


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("relabel", [1, "NX"], "(S (NX (D the) (N cat)) (VP (V saw) (NP (D a) (N dog))))"),
        ("retag", [0, "DT"], "(S (NP (DT the) (N cat)) (VP (V saw) (NP (D a) (N dog))))"),
        ("move", [5 + 3, 0], "(S (NP (D the) (N cat)) (VP (V saw)) (NP (D a) (N dog)))"),
        # across others: the branches cross
        ("move", [1, 3], "(S (NP (D 0=the)) (VP (V 2=saw) (NP (N 1=cat) (D 3=a) (N 4=dog))))"),
        ("move", [2, 1], "(S (NP (D the) (N cat) (V saw)) (VP (NP (D a) (N dog))))"),
        # a node that loses its last word disappears
        ("raise", [5 + 3], "(S (NP (D the) (N cat)) (VP (V saw)) (NP (D a) (N dog)))"),
        ("group", [[1, 2], "X"], "(S (X (N 1=cat) (V 2=saw)) (NP (D 0=the)) (VP (NP (D 3=a) (N 4=dog))))"),
        ("group", [[5 + 1, 5 + 2], "X"], "(S (X (NP (D the) (N cat)) (VP (V saw) (NP (D a) (N dog)))))"),
        ("insertAbove", [5, "TOP"], "(TOP (S (NP (D the) (N cat)) (VP (V saw) (NP (D a) (N dog)))))"),
        ("insertAbove", [2, "V1"], "(S (NP (D the) (N cat)) (VP (V1 (V saw)) (NP (D a) (N dog))))"),
        ("dissolve", [3], "(S (NP (D the) (N cat)) (VP (V saw) (D a) (N dog)))"),
        ("flatten", [0], "(S (D the) (N cat) (V saw) (D a) (N dog))"),
    ],
)
def test_operations(modules: Page, name: str, args: list[Any], expected: str) -> None:
    tree = Tree.from_string(TREE).to_dict()
    given = {"words": tree["tokens"], "nodes": tree["nodes"]}
    found = tree_of(modules.evaluate(CALL, [name, given, args])["tree"])
    assert found == Tree.from_string(expected), found


@pytest.mark.parametrize(
    ("name", "args", "part"),
    [
        ("move", [5 + 2, 3], "into itself"),
        ("move", [5, 0], "into itself"),
        ("move", [0, 1], "already"),
        ("raise", [5 + 1], "no node further up"),
        ("raise", [5], "no node further up"),
        ("group", [[], "X"], "choose"),
        ("group", [[0, 5 + 1], "X"], "inside another"),
        ("dissolve", [0], "single node below"),
        ("flatten", [1], "no node inside"),
        ("relabel", [1, " "], "empty"),
        ("relabel", [1, "N P"], "no blanks"),
        ("relabel", [1, "N)"], "no brackets"),
        ("retag", [1, "a\nb"], "no blanks"),
    ],
)
def test_what_is_not_possible_is_explained(modules: Page, name: str, args: list[Any], part: str) -> None:
    tree = Tree.from_string(TREE).to_dict()
    given = {"words": tree["tokens"], "nodes": tree["nodes"]}
    assert part in modules.evaluate(CALL, [name, given, args])["error"]


CHECK = """async (tree) => {
  const { check, EditError } = await import(`${location.origin}/edit_ops.js`);
  try {
    check(tree);
    return true;
  } catch (error) {
    if (!(error instanceof EditError)) throw error;
    return false;
  }
}"""


@pytest.mark.parametrize(
    "nodes",
    [
        [],
        [["S", -1, [0]]],
        [["S", 0, [0, 1]]],
        [["S", -1, [0, 1]], ["A", -1, [0]]],
        [["S", -1, [0, 1]], ["A", 0, []]],
        [["S", -1, [0, 1]], ["A", 0, [1]], ["B", 1, [0]]],
        [["S", -1, [0, 1]], ["A", 2, [0]], ["B", 1, [0]]],
    ],
)
def test_the_page_refuses_what_tree_refuses(modules: Page, nodes: list[Any]) -> None:
    words = [{"form": "a", "tag": "A"}, {"form": "b", "tag": "B"}]
    made = [{"label": label, "parent": parent, "tokens": tokens} for label, parent, tokens in nodes]
    assert not modules.evaluate(CHECK, {"words": words, "nodes": made})
    try:
        tree = Tree.from_dict({"tokens": words, "nodes": made})
    except TreeError:
        return
    # a record in another form than the page's: `Tree` reads it as another tree, or as one without nodes
    assert [list(node.positions) for node in tree.nodes()] != [tokens for _, _, tokens in nodes] or not nodes
