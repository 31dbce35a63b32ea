"""Measure the speed of scoring, reading included, against PYEVALB, the evaluator on PyPI.

    python benchmarks/evaluation_speed.py ../shared/treebanks/english-craft/train.ptb
    python benchmarks/evaluation_speed.py TREEBANK --peer peer/bin/python

The treebank is scored against a copy of itself with random errors (fixed seed). Every measurement is a
separate process, and the two programs take turns. PYEVALB must be installed for the interpreter that
`--peer` names: `python -m venv peer && peer/bin/pip install PYEVALB`.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from measuring import command_line, run_program
from spindle.treebanks import read_trees
from spindle.treebanks.bracket import write_bracket
from spindle.trees import ROOT, Tree

RELABELED, REMOVED, RETAGGED = 0.08, 0.06, 0.02  # probabilities, per node or word
MAX_REGROUPED = 2  # constituents of a tree

OURS = """
import sys, time
from spindle.evaluation import evaluate
start = time.process_time()
score = evaluate(sys.argv[1], sys.argv[2])
taken = time.process_time() - start
print(taken, len(score.sentences), f"F1 {score.f1:.2f}")
"""

PEER = """
import contextlib, io, sys, time
from PYEVALB import scorer, summary
start = time.process_time()
with open(sys.argv[1], encoding="utf-8") as gold, open(sys.argv[2], encoding="utf-8") as pred:
    with contextlib.redirect_stdout(io.StringIO()):
        results = scorer.Scorer().score_corpus(gold, pred)
    totals = summary.summary(results)
taken = time.process_time() - start
print(taken, len(results), f"F1 {totals.bracker_fmeasure:.2f}")
"""


def with_errors(trees: Iterable[Tree], seed: int) -> Iterator[Tree]:
    """Yield trees with some labels and tags changed, and some constituents removed or regrouped."""
    chance = random.Random(seed)
    seen = ["NP"]
    for tree in trees:
        for _ in range(chance.randint(0, MAX_REGROUPED)):
            tree = regroup(tree, chance)
        labels = [chance.choice(seen) if chance.random() < RELABELED else label for label in tree.labels]
        seen = sorted(set(tree.labels[1:])) or seen
        gone = {node for node in range(2, len(labels)) if chance.random() < REMOVED}
        # punctuation and traces keep their tags: scorers that delete by tag would skip the sentence
        tokens = [
            token._replace(tag="FW") if token.tag.isalpha() and chance.random() < RETAGGED else token
            for token in tree.tokens
        ]
        kept = [node for node in range(len(labels)) if node not in gone]
        number = {node: place for place, node in enumerate(kept)}

        def above(node: int, tree: Tree = tree, gone: set[int] = gone) -> int:
            while node in gone:
                node = tree.parents[node]
            return node

        yield Tree.build(
            tokens,
            [labels[node] if node else tree.labels[0] for node in kept],
            [ROOT if tree.parents[node] == ROOT else number[above(tree.parents[node])] for node in kept],
            [number[above(node)] for node in tree.leaf_parents],
        )


def regroup(tree: Tree, chance: random.Random) -> Tree:
    """Put the last child of a node and the node's next sibling under a new node, a crossing bracket."""
    size = len(tree)
    places = [
        (children[place], children[place + 1], parent)
        for parent, children in enumerate(tree.children)
        for place in range(len(children) - 1)
        if children[place] >= size and len(tree.children[children[place] - size]) > 1
    ]
    if not places:
        return tree
    node, sibling, parent = chance.choice(places)
    parents, leaf_parents = [*tree.parents, parent], list(tree.leaf_parents)
    for vertex in (tree.children[node - size][-1], sibling):
        if vertex < size:
            leaf_parents[vertex] = len(tree.labels)
        else:
            parents[vertex - size] = len(tree.labels)
    return Tree.build(tree.tokens, [*tree.labels, "XP"], parents, leaf_parents)


def labeled_wrapper(tree: Tree) -> Tree:
    """Label a wrapper that has no label, which PYEVALB cannot read; both programs read the same files."""
    return tree.replace(labels=tuple(label or "TOP" for label in tree.labels[:1]) + tree.labels[1:])


def measure(python: str, program: str, files: tuple[str, str]) -> tuple[float, int, str]:
    """Run a program and return its CPU seconds, the number of sentences, and its score."""
    taken, sentences, figure = run_program([python, "-c", program, *files]).output.split(maxsplit=2)
    return float(taken), int(sentences), figure.strip()


def main() -> None:
    """Score with both programs in turn and print the speeds."""
    arguments = command_line(__doc__)
    arguments.add_argument("treebank")
    arguments.add_argument("--peer", default=sys.executable, help="a Python with PYEVALB installed")
    arguments.add_argument("--rounds", type=int, default=3)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        gold, pred = f"{folder}/gold.ptb", f"{folder}/pred.ptb"
        trees = [labeled_wrapper(tree) for tree in read_trees(options.treebank)]
        if not all(tree.is_continuous for tree in trees):
            sys.exit(f"{options.treebank} is discontinuous; PYEVALB needs a continuous treebank")
        Path(gold).write_text("".join(write_bracket(trees)), encoding="utf-8")
        Path(pred).write_text("".join(write_bracket(with_errors(trees, seed=1))), encoding="utf-8")
        programs = {"spindle": (sys.executable, OURS), "PYEVALB": (options.peer, PEER)}
        speeds: dict[str, list[float]] = {name: [] for name in programs}
        figures = {}
        for _ in range(options.rounds):
            for name, (python, program) in programs.items():
                taken, sentences, figures[name] = measure(python, program, (gold, pred))
                speeds[name].append(sentences / taken)
    print(f"{options.treebank}: {len(trees):,} sentences, {options.rounds} rounds\n")
    print("| program | sentences / CPU s (median) | slowest … fastest | result |\n|---|---|---|---|")
    for name, measured in speeds.items():
        middle = statistics.median(measured)
        print(f"| {name} | {middle:,.0f} | {min(measured):,.0f} … {max(measured):,.0f} | {figures[name]} |")
    ratios = [ours / theirs for ours, theirs in zip(speeds["spindle"], speeds["PYEVALB"], strict=True)]
    print(
        f"\nspindle is {statistics.median(ratios):.1f} times as fast ({min(ratios):.1f} … {max(ratios):.1f})"
    )


if __name__ == "__main__":
    main()
