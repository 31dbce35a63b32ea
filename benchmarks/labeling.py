"""How well, and how fast, labels, unary chains and functions are predicted on gold trees.

    python benchmarks/labeling.py                     # all tables; needs ../shared/treebanks
    python benchmarks/labeling.py labels unaries      # some of them

Gold tags and gold arcs (labels), gold unaryless trees (unaries), gold trees (functions); trained on `train`,
scored on `dev`. Head rules are guessed. Traces and co-indices are stripped, functions too except where they
are predicted; punctuation is moved into the tree in the treebanks that hang it at the root. Speeds are tokens
per CPU second of one thread, from Python objects to Python objects, the best of three rounds.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import measuring
from spindle.errors import TreebankError
from spindle.heads import HeadFinder, guess_rules, load_rules
from spindle.parsers.linear.functions import FunctionClassifier
from spindle.parsers.linear.labeler import Labeler
from spindle.parsers.linear.unaries import UnaryClassifier
from spindle.reduction import Encoding, Reduced, encode, write_labels
from spindle.reduction.isomorphism import Chain
from spindle.treebanks import read_trees
from spindle.treebanks.transforms import (
    collapse_wrapper,
    move_punctuation,
    split_functions,
    strip_functions,
    strip_indices,
    strip_traces,
)
from spindle.trees import Tree

PUNCTUATION_AT_ROOT = {"dutch-alpino", "german-pcc"}


class Timed(NamedTuple):
    result: object
    cpu: float
    wall: float


def timed(task: Callable[[], object], rounds: int = 1) -> Timed:
    best = Timed(None, float("inf"), float("inf"))
    for _ in range(rounds):
        cpu, wall = time.process_time(), time.perf_counter()
        result = task()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        best = min(best, Timed(result, cpu, wall), key=lambda one: one.cpu)
    return best


def headed_trees(name: str, part: str, limit: int | None = None) -> list[Tree]:
    """Trees with functions on their edges, and heads."""
    trees = list(prepared(name, part, limit))
    finder = HeadFinder(load_rules(guess_rules(trees[:300]).name))
    return [finder(tree) for tree in trees]


def prepared(name: str, part: str, limit: int | None) -> Iterator[Tree]:
    count = 0
    for tree in read_trees(measuring.part(name, part), on_error="skip"):
        try:
            tree = strip_indices(strip_traces(tree))
        except TreebankError:
            continue  # nothing but traces
        if name in PUNCTUATION_AT_ROOT:
            tree = move_punctuation(tree)
        tree = collapse_wrapper(tree)
        yield split_functions(tree).replace(tokens=tree.tokens)
        count += 1
        if count == limit:
            return


def reduced_trees(name: str, part: str, limit: int | None = None) -> list[Reduced]:
    return [encode(strip_functions(tree)) for tree in headed_trees(name, part, limit)]


def size(trees: Sequence[Reduced]) -> int:
    return sum(len(tree.dtree) for tree in trees)


# ── labels ───────────────────────────────────────────────────────────────────────────────────────────


def label_table() -> None:
    print("\n## Labels on gold arcs\n")
    print(
        "| treebank | encoding | labels | accuracy | sentences right | calibration error | training, CPU s | "
        "tok / CPU s |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name in (
        "english-gum",
        "dutch-alpino",
        "german-pcc",
        "french-sequoia",
        "icelandic-modern",
        "indonesian",
    ):
        train, dev = reduced_trees(name, "train"), reduced_trees(name, "dev")
        for encoding in Encoding:
            print_labels(name, train, dev, encoding)


def print_labels(
    name: str, train: Sequence[Reduced], dev: Sequence[Reduced], encoding: Encoding, bits: int = 21
) -> None:
    columns = [
        (
            [tree.dtree.tokens for tree in trees],
            [tree.dtree.heads for tree in trees],
            [write_labels(tree.dtree, encoding) for tree in trees],
        )
        for trees in (train, dev)
    ]
    training = timed(lambda: Labeler.train(*columns[0], bits=bits))
    labeler = training.result
    assert isinstance(labeler, Labeler)
    tokens, heads, gold = columns[1]
    labeling = timed(lambda: labeler.label(tokens, heads), rounds=3)
    labels, confidences = labeler.label_with_confidences(tokens, heads)
    assert labels == labeling.result
    arcs = right = sentences = 0
    bins: dict[int, list[float]] = {}
    for of_heads, of_gold, of_labels, of_confidences in zip(heads, gold, labels, confidences, strict=True):
        sentences += of_gold == of_labels
        for head, one, other, confidence in zip(of_heads, of_gold, of_labels, of_confidences, strict=True):
            if head < 0 and encoding is not Encoding.HN:
                continue  # `root` is no prediction
            arcs += 1
            right += one == other
            entry = bins.setdefault(min(int(confidence * 10), 9), [0.0, 0.0])
            entry[0] += confidence
            entry[1] += one == other
    error = sum(abs(expected - found) for expected, found in bins.values()) / arcs
    kinds = len({label for of_gold in columns[0][2] for label in of_gold})
    print(
        f"| {name} | {encoding} | {kinds} | {100 * right / arcs:.2f} | {100 * sentences / len(dev):.1f} | "
        f"{100 * error:.2f} | {training.cpu:.0f} | {size(dev) / labeling.cpu:,.0f} |",
        flush=True,
    )


def size_table() -> None:
    print("\n## Labels on gold arcs: the size of the table\n")
    print("As above, english-gum, delta; a table of 2^n weights takes 2^(n + 1) bytes.\n")
    train, dev = reduced_trees("english-gum", "train"), reduced_trees("english-gum", "dev")
    for bits in (17, 18, 19, 20, 21, 22):
        print_labels(f"2^{bits}", train, dev, Encoding.DELTA, bits)


# ── unary chains ─────────────────────────────────────────────────────────────────────────────────────


def unary_table() -> None:
    print("\n## Unary chains on gold unaryless trees\n")
    print(
        "F1 of all nodes, and of unary nodes alone; beside them what always taking the most frequent chain "
        "of a label or tag reaches.\n"
    )
    print(
        "| treebank | chains | candidates a node | F1 | most frequent | F1 of unaries | most frequent | "
        "training, CPU s | tok / CPU s |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name, limit in (
        ("english-gum", None),
        ("english-craft", 4000),
        ("french-sequoia", None),
        ("icelandic-modern", None),
        ("indonesian", None),
    ):
        print_unaries(name, reduced_trees(name, "train", limit), reduced_trees(name, "dev"))


def places(tree: Reduced) -> Iterator[tuple[tuple[int, int], str]]:
    """Every place of the unaryless tree with its symbol, tags marked as such."""
    for word, token in enumerate(tree.dtree.tokens):
        yield (word, 0), f"tag {token.tag}"
    seen = set()
    for head, event, symbol in zip(tree.dtree.heads, tree.dtree.events, tree.dtree.symbols, strict=True):
        if head >= 0 and (head, event) not in seen:
            seen.add((head, event))
            yield (head, event), symbol


def print_unaries(name: str, train: Sequence[Reduced], dev: Sequence[Reduced]) -> None:
    training = timed(
        lambda: UnaryClassifier.train([tree.dtree for tree in train], [tree.chains for tree in train])
    )
    classifier = training.result
    assert isinstance(classifier, UnaryClassifier)
    dtrees = [tree.dtree for tree in dev]
    recovering = timed(lambda: classifier.predict_chains(dtrees), rounds=3)
    seen: dict[str, Counter[Chain]] = {}
    for tree in train:
        for place, symbol in places(tree):
            seen.setdefault(symbol, Counter())[tree.chains.get(place, ())] += 1  # type: ignore[call-overload]
    usual = {symbol: counts.most_common(1)[0][0] for symbol, counts in seen.items()}
    baseline = [{place: usual.get(symbol, ()) for place, symbol in places(tree)} for tree in dev]
    nodes = branching = candidates = 0
    for tree in dev:
        for place, symbol in places(tree):
            nodes += 1
            branching += place[1] > 0
            candidates += len(seen.get(symbol, ((),)))
    figures = []
    for found in (recovering.result, baseline):
        gold = predicted = matched = 0
        for tree, chains in zip(dev, found, strict=True):  # type: ignore[call-overload]
            gold += sum(map(len, tree.chains.values()))
            predicted += sum(map(len, chains.values()))
            for place, chain in chains.items():
                matched += (Counter(chain) & Counter(tree.chains.get(place, ()))).total()
        figures.append(
            (
                200 * (branching + matched) / (2 * branching + gold + predicted),
                200 * matched / max(gold + predicted, 1),
            )
        )
    (all_nodes, unaries), (usual_nodes, usual_unaries) = figures
    kinds = len({chain for tree in train for chain in tree.chains.values()})
    print(
        f"| {name} | {kinds} | {candidates / nodes:.2f} | {all_nodes:.2f} | {usual_nodes:.2f} | "
        f"{unaries:.2f} | {usual_unaries:.2f} | {training.cpu:.1f} | {size(dev) / recovering.cpu:,.0f} |",
        flush=True,
    )


# ── functions ────────────────────────────────────────────────────────────────────────────────────────


def function_table() -> None:
    print("\n## Functions on gold trees\n")
    print(
        "Nodes and words, as far as the treebank gives them functions; beside them the most frequent one.\n"
    )
    print("| treebank | functions | accuracy | F1 | most frequent, F1 | training, CPU s | tok / CPU s |")
    print("|---|---|---|---|---|---|---|")
    for name, limit in (
        ("english-gum", None),
        ("english-craft", 4000),
        ("dutch-alpino", None),
        ("german-pcc", None),
        ("french-sequoia", None),
        ("icelandic-modern", None),
    ):
        print_functions(name, headed_trees(name, "train", limit), headed_trees(name, "dev"))


def edges(tree: Tree) -> Iterator[tuple[tuple[bool, str, str], str]]:
    """Label (or tag), parent's label and function of every node and word."""
    for token, parent in zip(tree.tokens, tree.leaf_parents, strict=True):
        yield (True, token.tag, tree.labels[parent] if parent >= 0 else ""), token.function
    for label, parent, function in zip(tree.labels, tree.parents, tree.functions, strict=True):
        yield (False, label, tree.labels[parent] if parent >= 0 else ""), function


def print_functions(name: str, train: Sequence[Tree], dev: Sequence[Tree]) -> None:
    training = timed(lambda: FunctionClassifier.train(train))
    classifier = training.result
    assert isinstance(classifier, FunctionClassifier)
    labeling = timed(lambda: classifier.label(dev), rounds=3)
    seen: dict[tuple[bool, str, str], Counter[str]] = {}
    for tree in train:
        for circumstance, function in edges(tree):
            seen.setdefault(circumstance, Counter())[function] += 1
    usual = {circumstance: counts.most_common(1)[0][0] for circumstance, counts in seen.items()}
    counts: Counter[str] = Counter()
    for tree, found in zip(dev, labeling.result, strict=True):  # type: ignore[call-overload]
        for (circumstance, gold), (_, function) in zip(edges(tree), edges(found), strict=True):
            guess = usual.get(circumstance, "")
            counts["all"] += 1
            counts["right"] += gold == function
            counts["gold"] += gold != ""
            counts["predicted"] += function != ""
            counts["matched"] += gold == function != ""
            counts["guessed"] += guess != ""
            counts["well guessed"] += gold == guess != ""
    kinds = {function for tree in train for _, function in edges(tree)} - {""}
    print(
        f"| {name} | {len(kinds)} | {100 * counts['right'] / counts['all']:.2f} | "
        f"{200 * counts['matched'] / max(counts['gold'] + counts['predicted'], 1):.2f} | "
        f"{200 * counts['well guessed'] / max(counts['gold'] + counts['guessed'], 1):.2f} | "
        f"{training.cpu:.1f} | {sum(map(len, dev)) / labeling.cpu:,.0f} |",
        flush=True,
    )


TABLES = {"labels": label_table, "sizes": size_table, "unaries": unary_table, "functions": function_table}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "tables", nargs="*", metavar="TABLE", help=f"{', '.join(TABLES)}; all if none is named"
    )
    options = parser.parse_args()
    if unknown := set(options.tables) - set(TABLES):
        parser.error(f"no such table: {', '.join(sorted(unknown))}")
    for table in options.tables or TABLES:
        TABLES[table]()
