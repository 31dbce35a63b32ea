"""Transforms of trees: each is a function from a tree to a tree.

The first line of a transform's docstring says what it does and whether it can be undone. The tables map
names to transforms; `plan` puts the chosen transforms in order:

    >>> from spindle.trees import Token, Tree
    >>> tree = Tree.build([Token("We", "PRP"), Token("*", "-NONE-")], ["S", "NP-SBJ-1"], [-1, 0], [1, 0])
    >>> for tree in apply(plan(strip=["indices", "traces"]), [tree]):
    ...     print(tree.labels, len(tree))
    ('S', 'NP-SBJ') 1
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from spindle.errors import SpindleError, TreebankError
from spindle.treebanks.transforms.functions import (
    merge_functions,
    split_functions,
    strip_functions,
    strip_tag_functions,
)
from spindle.treebanks.transforms.indices import strip_indices
from spindle.treebanks.transforms.morphology import strip_morphology
from spindle.treebanks.transforms.punctuation import (
    move_punctuation,
    raise_punctuation,
    remove_punctuation,
)
from spindle.treebanks.transforms.traces import Resolution, resolution, resolve_traces, strip_traces
from spindle.treebanks.transforms.wrapper import collapse_wrapper, set_wrapper
from spindle.trees import Tree

__all__ = [
    "FUNCTIONS",
    "PUNCTUATION",
    "STRIP",
    "Resolution",
    "Transform",
    "apply",
    "collapse_wrapper",
    "leave",
    "merge_functions",
    "move_punctuation",
    "plan",
    "raise_punctuation",
    "remove_punctuation",
    "resolution",
    "resolve_traces",
    "set_wrapper",
    "split_functions",
    "strip_functions",
    "strip_indices",
    "strip_morphology",
    "strip_tag_functions",
    "strip_traces",
]


@dataclass(frozen=True, slots=True)
class Transform:
    """A transform and its documentation."""

    function: Callable[[Tree], Tree]

    @property
    def summary(self) -> str:
        """A description in one line that ends in `(lossless)` or `(lossy)`."""
        return (self.function.__doc__ or "").partition("\n")[0]

    @property
    def is_lossless(self) -> bool:
        """Whether the transform can be undone."""
        return self.summary.endswith("(lossless)")


def leave(tree: Tree) -> Tree:
    """Return the tree unchanged (lossless)"""
    return tree


# They are applied in this order. The wrapper comes last, because the others may leave it with one child.
STRIP = {
    "traces": Transform(strip_traces),
    "indices": Transform(strip_indices),
    "functions": Transform(strip_functions),
    "tag-functions": Transform(strip_tag_functions),
    "morphology": Transform(strip_morphology),
    "wrapper": Transform(collapse_wrapper),
}

PUNCTUATION = {
    "leave": Transform(leave),
    "move": Transform(move_punctuation),
    "remove": Transform(remove_punctuation),
    "raise": Transform(raise_punctuation),
}

FUNCTIONS = {
    "leave": Transform(leave),
    "merge": Transform(merge_functions),
    "split": Transform(split_functions),
}


def plan(
    *,
    resolve: bool = False,
    strip: Iterable[str] = (),
    functions: str = "leave",
    punctuation: str = "leave",
    wrapper: str | None = None,
) -> tuple[Callable[[Tree], Tree], ...]:
    """Return the chosen transforms in the order in which they are applied.

    1. resolve traces, which needs their indices;
    2. strip everything in `strip` except the wrapper, in the order of the table;
    3. move, remove or raise punctuation;
    4. strip or set the wrapper;
    5. merge or split functions.
    """
    chosen = set(strip)
    if unknown := sorted(chosen - set(STRIP)):
        raise SpindleError(f"{unknown[0]!r} cannot be stripped", hint=f"choose from {', '.join(STRIP)}")
    if wrapper is not None and "wrapper" in chosen:
        raise SpindleError("a wrapper can be stripped or set, not both")
    steps: list[Callable[[Tree], Tree]] = [resolve_traces] if resolve else []
    steps += [transform.function for name, transform in STRIP.items() if name in chosen - {"wrapper"}]
    steps += [_choice(PUNCTUATION, "punctuation", punctuation)]
    if "wrapper" in chosen:
        steps.append(collapse_wrapper)
    if wrapper is not None:
        steps.append(partial(set_wrapper, label=wrapper))
    steps += [_choice(FUNCTIONS, "functions", functions)]
    return tuple(step for step in steps if step is not leave)


def apply(
    steps: Sequence[Callable[[Tree], Tree]], trees: Iterable[Tree | TreebankError], file: str = ""
) -> Iterator[Tree | TreebankError]:
    """Yield the trees after all steps, and an error for each sentence that has no words left.

    Errors among the trees, as readers yield them, are passed on. `file` is the origin of the trees, for
    errors.
    """
    for number, tree in enumerate(trees, start=1):
        if isinstance(tree, TreebankError):
            yield tree
            continue
        try:
            for step in steps:
                tree = step(tree)
        except TreebankError as error:
            error.file, error.sentence = file, error.sentence or str(number)
            yield error
        else:
            yield tree


def _choice(table: dict[str, Transform], what: str, name: str) -> Callable[[Tree], Tree]:
    if name not in table:
        raise SpindleError(f"{what} cannot be {name!r}", hint=f"choose one of {', '.join(table)}")
    return table[name].function
