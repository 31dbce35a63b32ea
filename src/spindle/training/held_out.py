"""Development trees from the training trees: a share is held out at random."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

from spindle.errors import ParserError
from spindle.training.treebank import SourceWeight, Treebank, Trees

_SHARE = re.compile(r"(\d+(?:\.\d+)?) ?%")


def read_share(dev: object) -> float | None:
    """Return the per cent of a share such as `10%`; None for anything else, also for a file of that name.

    >>> read_share("10%"), read_share("dev.ptb")
    (10.0, None)
    """
    found = _SHARE.fullmatch(dev) if isinstance(dev, str) else None
    if found is None or Path(str(dev)).exists():
        return None
    if not 0 < float(found[1]) < 100:
        raise ParserError(f"{dev} of the trees cannot be held out; choose more than 0%, less than 100%")
    return float(found[1])


def hold_out(train: Treebank, percent: float, seed: int) -> tuple[Treebank, Treebank, str]:
    """Return the rest of the training trees, the held-out trees, and a message that says which they are.

    The held-out trees are drawn at random from the first treebank; both parts keep the order of the trees.
    Neighbours of a held-out sentence stay in training, so scores on it are a little too high for new texts.
    """
    size = len(train.primary_trees)
    count = max(1, round(size * percent / 100))
    if count >= size:
        raise ParserError(f"{percent:g}% of {size} trees cannot be held out: no tree would be left")
    drawn = frozenset(Random(seed).sample(range(size), count))
    dev = tuple(train.trees[number] for number in sorted(drawn))
    rest = tuple(tree for number, tree in enumerate(train.trees) if number not in drawn)
    sources = train.sources
    if sources:
        sources = (SourceWeight(size - count, sources[0].weight), *sources[1:])
    name = train.files[0] if train.files else "trees in memory"
    label = f"{percent:g}% of {name} at random, seed {seed}"
    message = f"development trees: {count:,} of {size:,}, {label}"
    return Treebank(rest, train.files, sources, train.alike), Treebank(dev, (label,)), message


def with_dev(train: Treebank, dev: Trees, seed: int) -> tuple[Treebank, Treebank, str]:
    """Return training and development trees; `dev` is a treebank, or a share of the training trees."""
    percent = read_share(dev)
    return (train, Treebank.of(dev), "") if percent is None else hold_out(train, percent, seed)
