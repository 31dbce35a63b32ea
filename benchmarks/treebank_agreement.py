"""How much do transforms that make English treebanks agree change, and do they pay out of domain?

    python benchmarks/treebank_agreement.py count
    python benchmarks/treebank_agreement.py score --seed 1 --leave-out wh-phrases

`count` prints the trees and labels that each transform of `spindle.treebanks.transforms.penn` changes.
`score` trains the linear parser on the free genres of english-gum and on english-craft, with all transforms
but those left out (`--leave-out all`: only the labels that CRAFT alone has are removed), and scores it on
english-mctb and english-handparsed, which are for measuring only and are not transformed.
"""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Sequence

from bundled_model import craft, everyday, free_gum, out_of_domain, plain
from measuring import command_line, coverage, score_parser
from spindle.training import TrainOptions, Treebank, train_parser
from spindle.treebanks.transforms.penn import PENN, dissolve_labels
from spindle.trees import Tree

ONLY_IN_CRAFT = {"NML", "CIT", "TITLE", "HEADING", "CAPTION"}


def count() -> None:
    """Print what each transform changes, one after the other."""
    for name, trees in sources():
        for transform, function in PENN.items():
            changed = [function(tree) for tree in trees]
            labels: Counter[str] = Counter()
            for before, after in zip(trees, changed, strict=True):
                labels.update(after.labels)
                labels.subtract(before.labels)
            number = sum(before != after for before, after in zip(trees, changed, strict=True))
            difference = " ".join(f"{label}:{amount:+d}" for label, amount in labels.items() if amount)
            print(f"{name:24} {transform:20} {number:6} of {len(trees)} trees  {difference}", flush=True)
            trees = changed


def score(given: Namespace) -> None:
    """Train with all transforms but those left out, and print the F1 of every set of test sentences."""
    left_out = set(PENN) if "all" in given.leave_out else set(given.leave_out)
    steps = [function for name, function in PENN.items() if name not in left_out]
    train = []
    for _, trees in sources():
        for tree in trees[: given.sentences]:
            tree = dissolve_labels(tree, ONLY_IN_CRAFT)
            for step in steps:
                tree = step(tree)
            train.append(tree)
    train += list(everyday("train")) * given.everyday
    options = TrainOptions(heads="collins", order=given.order, epochs=2, threads=1, seed=given.seed)
    parser = train_parser(Treebank(tuple(train)), Treebank(()), options)
    for name, gold in (("everyday dev", list(everyday("dev"))), *out_of_domain()):
        result = score_parser(parser, gold)
        print(
            f"left out {' '.join(given.leave_out) or 'nothing'}, "
            f"everyday x {given.everyday}, seed {given.seed}: "
            f"{name} {result.f1 or 0:.2f} ({coverage(result)})",
            flush=True,
        )


def sources() -> Iterator[tuple[str, Sequence[Tree]]]:
    """Yield the training trees of both treebanks as they are annotated, without traces and functions."""
    yield "english-gum, free genres", [plain(tree) for tree in free_gum("train")]
    yield "english-craft", [plain(tree) for tree in craft("train")]


def main() -> None:
    """Read the arguments and count or score."""
    arguments = command_line(__doc__)
    kinds = arguments.add_subparsers(dest="kind", required=True)
    kinds.add_parser("count")
    scoring = kinds.add_parser("score")
    scoring.add_argument("--seed", type=int, default=1)
    scoring.add_argument("--order", default="basic")
    scoring.add_argument("--sentences", type=int, help="the first N training trees of a treebank")
    scoring.add_argument("--everyday", type=int, default=0, help="copies of treebanks/everyday to train on")
    scoring.add_argument("--leave-out", nargs="*", choices=[*PENN, "all"], default=[])
    given = arguments.parse_args()
    if given.kind == "count":
        count()
    else:
        score(given)


if __name__ == "__main__":
    main()
