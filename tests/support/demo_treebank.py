"""The treebank that ships with the package, for whoever needs trees to learn from."""

from functools import cache
from importlib.resources import files
from random import Random

from spindle.heads import HeadFinder, load_rules
from spindle.reduction import Encoding, Reduced, encode, write_labels
from spindle.treebanks import read_trees
from spindle.treebanks.transforms import collapse_wrapper
from spindle.trees import Tree

DATA = files("spindle.models") / "data"


@cache
def demo_trees(part: str) -> tuple[Tree, ...]:
    """The trees of `train` or `dev`, as they stand in the file."""
    return tuple(read_trees(str(DATA / f"demo-{part}.dbr")))


@cache
def demo_headed(part: str) -> tuple[Tree, ...]:
    """The same with heads and without the wrapper."""
    finder = HeadFinder(load_rules("collins"))
    return tuple(finder(collapse_wrapper(one)) for one in demo_trees(part))


@cache
def demo_reduced(part: str) -> tuple[Reduced, ...]:
    """The same reduced: d-trees, and unary chains."""
    return tuple(encode(one) for one in demo_headed(part))


def arc_labels(reduced: tuple[Reduced, ...]) -> list[list[str]]:
    """The encoded labels of their arcs."""
    return [write_labels(one.dtree, Encoding.DIRECT) for one in reduced]


def random_heads(size: int, chance: Random) -> list[int]:
    """Heads of which nothing is sure: cycles, several roots, words outside the sentence."""
    return [chance.randint(-3, size + 2) for _ in range(size)]
