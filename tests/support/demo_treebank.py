"""The demonstration treebank of the package: its trees, with heads, and reduced."""

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
    """Return the trees of `train` or `dev` as they are in the file."""
    return tuple(read_trees(str(DATA / f"demo-{part}.dbr")))


@cache
def demo_headed(part: str) -> tuple[Tree, ...]:
    """Return the trees of `demo_trees` with heads and without the wrapper."""
    finder = HeadFinder(load_rules("collins"))
    return tuple(finder(collapse_wrapper(one)) for one in demo_trees(part))


@cache
def demo_reduced(part: str) -> tuple[Reduced, ...]:
    """Return the trees of `demo_headed` as d-trees and unary chains."""
    return tuple(encode(one) for one in demo_headed(part))


def arc_labels(reduced: tuple[Reduced, ...]) -> list[list[str]]:
    """Return the encoded arc labels of every sentence."""
    return [write_labels(one.dtree, Encoding.DIRECT) for one in reduced]


def random_heads(size: int, random: Random) -> list[int]:
    """Return random heads that may have cycles, several roots, and positions outside the sentence."""
    return [random.randint(-3, size + 2) for _ in range(size)]
