"""Measure the accuracy and speed of labels, unary chains and functions on gold trees.

    python benchmarks/labeling.py                     # all tables; needs ../shared/treebanks
    python benchmarks/labeling.py labels unaries      # some of them

The input is gold: tags and arcs for labels, unaryless trees for unary chains, trees for functions. The stages
are trained on `train` and scored on `dev`. Head rules are guessed. Traces and co-indices are stripped, and so
are functions unless they are predicted. Punctuation is moved into the tree in treebanks that attach it to the
root. Speeds are tokens per CPU second of one thread, from Python objects to Python objects, the best of three
rounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeVar

from measuring import calibration_error, command_line, part_trees, timed
from spindle.errors import TreebankError
from spindle.heads import HeadFinder, guess_rules, load_rules
from spindle.parsers.linear.functions import FunctionClassifier
from spindle.parsers.linear.labeler import Labeler
from spindle.parsers.linear.unaries import UnaryClassifier
from spindle.reduction import Encoding, Place, Reduced, encode, write_labels
from spindle.reduction.isomorphism import Chain
from spindle.treebanks.transforms import (
    collapse_wrapper,
    move_punctuation,
    split_functions,
    strip_functions,
    strip_indices,
    strip_traces,
)
from spindle.trees import ROOT, Tree

PUNCTUATION_AT_ROOT = {"dutch-alpino", "german-pcc"}
LARGE = {"english-craft": 4000}
"""The number of training trees that are used of a large treebank."""
ROUNDS = 3

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value", bound=Hashable)


def headed_trees(name: str, part: str, limit: int | None) -> list[Tree]:
    """Return trees with functions on their edges, and heads."""
    trees = list(islice(prepared_trees(name, part), limit))
    finder = HeadFinder(load_rules(guess_rules(trees).name))
    return [finder(tree) for tree in trees]


def prepared_trees(name: str, part: str) -> Iterator[Tree]:
    """Yield trees without traces and wrapper, functions in their own column."""
    for tree in part_trees(name, part):
        try:
            tree = strip_indices(strip_traces(tree))
        except TreebankError:
            continue  # a sentence of traces only
        if name in PUNCTUATION_AT_ROOT:
            tree = move_punctuation(tree)
        tree = collapse_wrapper(tree)
        yield split_functions(tree).replace(tokens=tree.tokens)


def reduced_trees(name: str, part: str, limit: int | None) -> list[Reduced]:
    """Return d-trees without functions."""
    return [encode(strip_functions(tree)) for tree in headed_trees(name, part, limit)]


def training_limit(name: str, limit: int | None) -> int | None:
    """Return the number of training trees to use."""
    return limit or LARGE.get(name)


def word_count(trees: Sequence[Reduced]) -> int:
    """Return the number of words."""
    return sum(len(tree.dtree) for tree in trees)


def count_values(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, Counter[Value]]:
    """Return how often every key has each value."""
    counts: dict[Key, Counter[Value]] = {}
    for key, value in pairs:
        counts.setdefault(key, Counter())[value] += 1
    return counts


def most_frequent(counts: Mapping[Key, Counter[Value]]) -> dict[Key, Value]:
    """Return the most frequent value of every key, the baseline of a classifier."""
    return {key: of_key.most_common(1)[0][0] for key, of_key in counts.items()}


def percent(part: float, whole: float) -> float:
    """Return a percentage; 0 of nothing."""
    return 100 * part / whole if whole else 0.0


# ── labels ───────────────────────────────────────────────────────────────────────────────────────────

LABEL_HEAD = (
    "| treebank | encoding | labels | accuracy | exact sentences | calibration error | training, CPU s | "
    "tokens / CPU s |\n|---|---|---|---|---|---|---|---|"
)


def label_table(limit: int | None) -> None:
    """Print the accuracy of labels in every encoding."""
    print(f"\n## Labels on gold arcs\n\n{LABEL_HEAD}")
    for name in (
        "english-gum",
        "dutch-alpino",
        "german-pcc",
        "french-sequoia",
        "icelandic-modern",
        "indonesian",
    ):
        train, dev = (reduced_trees(name, part, limit) for part in ("train", "dev"))
        for encoding in Encoding:
            print_labels(name, train, dev, encoding)


def size_table(limit: int | None) -> None:
    """Print the accuracy of labels for weight tables of several sizes."""
    print("\n## Labels on gold arcs, by the size of the weight table\n")
    print("Treebank english-gum, encoding delta; a table of 2^n weights takes 2^(n + 1) bytes.\n")
    print(LABEL_HEAD)
    train, dev = (reduced_trees("english-gum", part, limit) for part in ("train", "dev"))
    for bits in (17, 18, 19, 20, 21, 22):
        print_labels(f"2^{bits}", train, dev, Encoding.DELTA, bits)


def print_labels(
    name: str,
    train: Sequence[Reduced],
    dev: Sequence[Reduced],
    encoding: Encoding,
    bits: int = Labeler.TABLE_BITS,
) -> None:
    """Train a labeler and print a row."""
    columns, (tokens, heads, gold) = (
        (
            [tree.dtree.tokens for tree in trees],
            [tree.dtree.heads for tree in trees],
            [write_labels(tree.dtree, encoding) for tree in trees],
        )
        for trees in (train, dev)
    )
    training = timed(lambda: Labeler.train(*columns, bits=bits))
    labeler = training.result
    labeling = timed(lambda: labeler.label(tokens, heads), ROUNDS)
    labels, confidences = labeler.label_with_confidences(tokens, heads)
    assert labels == labeling.result
    outcomes = [
        (confidence, predicted == correct)
        for sentence in zip(heads, gold, labels, confidences, strict=True)
        for head, correct, predicted, confidence in zip(*sentence, strict=True)
        if head != ROOT or encoding is Encoding.HN  # other encodings have one label for the root
    ]
    accuracy = percent(sum(is_correct for _, is_correct in outcomes), len(outcomes))
    exact = percent(sum(map(lambda one, other: one == other, gold, labels)), len(dev))
    kinds = len({label for of_sentence in columns[2] for label in of_sentence})
    print(
        f"| {name} | {encoding} | {kinds} | {accuracy:.2f} | {exact:.1f} | "
        f"{100 * calibration_error(outcomes):.2f} | {training.cpu:.0f} | "
        f"{word_count(dev) / labeling.cpu:,.0f} |",
        flush=True,
    )


# ── unary chains ─────────────────────────────────────────────────────────────────────────────────────


def unary_table(limit: int | None) -> None:
    """Print the accuracy of unary chains."""
    print("\n## Unary chains on gold unaryless trees\n")
    print("F1 of all nodes and of unary nodes; the baseline is the most frequent chain of a label or tag.\n")
    print(
        "| treebank | chains | candidates per node | F1 | baseline | F1 of unaries | baseline | "
        "training, CPU s | tokens / CPU s |\n|---|---|---|---|---|---|---|---|---|"
    )
    for name in ("english-gum", "english-craft", "french-sequoia", "icelandic-modern", "indonesian"):
        train = reduced_trees(name, "train", training_limit(name, limit))
        print_unaries(name, train, reduced_trees(name, "dev", limit))


def places(tree: Reduced) -> Iterator[tuple[Place, str]]:
    """Yield every place of the unaryless tree with its symbol, or with its tag, which is marked."""
    for word, token in enumerate(tree.dtree.tokens):
        yield Place(word, 0), f"tag {token.tag}"
    symbols = {
        Place(head, event): symbol
        for head, event, symbol in zip(tree.dtree.heads, tree.dtree.events, tree.dtree.symbols, strict=True)
        if head != ROOT
    }
    yield from symbols.items()


def chain_scores(dev: Sequence[Reduced], found: Sequence[Mapping[Place, Chain]]) -> tuple[float, float]:
    """Return the F1 of all nodes and of unary nodes."""
    branching = sum(place.event > 0 for tree in dev for place, _ in places(tree))
    gold = predicted = matched = 0
    for tree, chains in zip(dev, found, strict=True):
        gold += sum(map(len, tree.chains.values()))
        predicted += sum(map(len, chains.values()))
        for place, chain in chains.items():
            matched += (Counter(chain) & Counter(tree.chains.get(place, ()))).total()
    all_nodes = percent(2 * (branching + matched), 2 * branching + gold + predicted)
    return all_nodes, percent(2 * matched, gold + predicted)


def print_unaries(name: str, train: Sequence[Reduced], dev: Sequence[Reduced]) -> None:
    """Train a unary classifier and print a row."""
    training = timed(
        lambda: UnaryClassifier.train([tree.dtree for tree in train], [tree.chains for tree in train])
    )
    classifier = training.result
    dtrees = [tree.dtree for tree in dev]
    predicting = timed(lambda: classifier.predict_chains(dtrees), ROUNDS)
    seen = count_values(
        (symbol, tree.chains.get(place, ())) for tree in train for place, symbol in places(tree)
    )
    frequent = most_frequent(seen)
    baseline = [{place: frequent.get(symbol, ()) for place, symbol in places(tree)} for tree in dev]
    candidates = [len(seen.get(symbol, ((),))) for tree in dev for _, symbol in places(tree)]
    all_nodes, unaries = chain_scores(dev, predicting.result)
    baseline_nodes, baseline_unaries = chain_scores(dev, baseline)
    kinds = len({chain for tree in train for chain in tree.chains.values()})
    print(
        f"| {name} | {kinds} | {sum(candidates) / len(candidates):.2f} | {all_nodes:.2f} | "
        f"{baseline_nodes:.2f} | {unaries:.2f} | {baseline_unaries:.2f} | {training.cpu:.1f} | "
        f"{word_count(dev) / predicting.cpu:,.0f} |",
        flush=True,
    )


# ── functions ────────────────────────────────────────────────────────────────────────────────────────


def function_table(limit: int | None) -> None:
    """Print the accuracy of functions."""
    print("\n## Functions on gold trees\n")
    print(
        "All nodes and words; F1 of those with a function. The baseline is the most frequent function of a "
        "label or tag and its parent.\n"
    )
    print("| treebank | functions | accuracy | F1 | F1 of the baseline | training, CPU s | tokens / CPU s |")
    print("|---|---|---|---|---|---|---|")
    for name in (
        "english-gum",
        "english-craft",
        "dutch-alpino",
        "german-pcc",
        "french-sequoia",
        "icelandic-modern",
    ):
        train = headed_trees(name, "train", training_limit(name, limit))
        print_functions(name, train, headed_trees(name, "dev", limit))


Edge = tuple[bool, str, str]


def edges(tree: Tree) -> Iterator[tuple[Edge, str]]:
    """Yield every edge (whether to a word, its label or tag, the label of its parent) with its function."""
    for token, parent in zip(tree.tokens, tree.leaf_parents, strict=True):
        yield (True, token.tag, tree.labels[parent] if parent >= 0 else ""), token.function
    for label, parent, function in zip(tree.labels, tree.parents, tree.functions, strict=True):
        yield (False, label, tree.labels[parent] if parent >= 0 else ""), function


def function_f1(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """Return the F1 of functions; an empty function is none."""
    matched = sum(one == other != "" for one, other in zip(gold, predicted, strict=True))
    return percent(2 * matched, sum(map(bool, gold)) + sum(map(bool, predicted)))


def print_functions(name: str, train: Sequence[Tree], dev: Sequence[Tree]) -> None:
    """Train a function classifier and print a row."""
    training = timed(lambda: FunctionClassifier.train(train))
    classifier = training.result
    labeling = timed(lambda: classifier.label(dev), ROUNDS)
    frequent = most_frequent(count_values(edge for tree in train for edge in edges(tree)))
    gold = [function for tree in dev for _, function in edges(tree)]
    predicted = [function for tree in labeling.result for _, function in edges(tree)]
    baseline = [frequent.get(edge, "") for tree in dev for edge, _ in edges(tree)]
    correct = sum(one == other for one, other in zip(gold, predicted, strict=True))
    kinds = {function for tree in train for _, function in edges(tree)} - {""}
    print(
        f"| {name} | {len(kinds)} | {percent(correct, len(gold)):.2f} | {function_f1(gold, predicted):.2f} | "
        f"{function_f1(gold, baseline):.2f} | {training.cpu:.1f} | "
        f"{sum(map(len, dev)) / labeling.cpu:,.0f} |",
        flush=True,
    )


TABLES = {"labels": label_table, "sizes": size_table, "unaries": unary_table, "functions": function_table}


def main() -> None:
    """Print the tables."""
    arguments = command_line(__doc__)
    arguments.add_argument("tables", nargs="*", metavar="TABLE", help=f"{', '.join(TABLES)} [default: all]")
    arguments.add_argument("--sentences", type=int, help="trial run: the first N trees of every part")
    given = arguments.parse_args()
    if unknown := set(given.tables) - set(TABLES):
        arguments.error(f"there is no table {', '.join(sorted(unknown))}; choose from {', '.join(TABLES)}")
    for table in given.tables or TABLES:
        TABLES[table](given.sentences)


if __name__ == "__main__":
    main()
