"""How many sentences get another tree, other tags or other confidences in other batches.

    python benchmarks/batches.py english
    python benchmarks/batches.py dutch --sentences 300

The sentences are those of english-gum dev and english-mctb, or of the development part of the model's
treebank. They are parsed in the given order with the batches of `spindle parse`; then in random order, in
smaller batches, on two threads, and with the ten best trees of each. All digits of confidences are compared.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from bundled_model import OTHER_LANGUAGES, out_of_domain
from measuring import TREEBANKS, command_line, dev_trees, untagged
from spindle import load
from spindle.pipeline import Parser, Sentence
from spindle.treebanks import read_trees

Found = list[tuple[str, tuple[str, ...], str]]
SETTINGS: dict[str, dict[str, int]] = {
    "batches of 1": {"batch": 1},
    "batches of 7": {"batch": 7},
    "batches of 64, two threads": {"batch": 64, "threads": 2},
    "k = 10": {"k": 10},
}


def sentences(parser: Parser, name: str) -> list[Sentence]:
    """Return the sentences that a model is tried on."""
    if name in OTHER_LANGUAGES:
        return untagged(dev_trees(parser, OTHER_LANGUAGES[name]))
    return untagged(
        [*read_trees(TREEBANKS / "english-gum" / "dev.ptb"), *dict(out_of_domain())["english-mctb"]]
    )


def parsed(
    parser: Parser, given: Sequence[Sentence], *, k: int = 1, batch: int | None = None, threads: int = 1
) -> Found:
    """Return trees, tags and confidences."""
    found: Found = []
    for analysis in parser.analyse(given, k=k, confidences=True, batch=batch, threads=threads):
        best = analysis.candidates[0]
        tags = tuple(token.tag for token in best.tree.tokens)
        found.append((str(best.tree), tags, str(best.confidences)))
    return found


def report(what: str, first: Found, second: Found) -> None:
    """Print how many sentences differ."""
    pairs = list(zip(first, second, strict=True))
    counts = [sum(one[at] != other[at] for one, other in pairs) for at in range(3)]
    print(f"| {what} | {' | '.join(map(str, counts))} |", flush=True)


def main() -> None:
    """Print a table of one model."""
    arguments = command_line(__doc__)
    arguments.add_argument("model", help="a bundled model or a file")
    arguments.add_argument("--sentences", type=int, help="only that many, drawn at random")
    given = arguments.parse_args()
    parser, chance = load(given.model), random.Random(3)
    every = sentences(parser, Path(given.model).stem)
    if given.sentences is not None:
        every = chance.sample(every, min(given.sentences, len(every)))
    plain = parsed(parser, every)
    print(f"{len(every)} sentences\n\n| | other trees | other tags | other confidences |\n|---|---|---|---|")
    order = list(range(len(every)))
    chance.shuffle(order)
    found = parsed(parser, [every[number] for number in order])
    report("random order", [plain[number] for number in order], found)
    for what, settings in SETTINGS.items():
        report(what, plain, parsed(parser, every, **settings))


if __name__ == "__main__":
    main()
