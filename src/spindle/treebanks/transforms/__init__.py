"""Changes to trees on their way from one file to the next: each a plain function from a tree to a tree.

The first line of a transform's docstring says what it does and whether it can be undone. The tables give
transforms the names they have on the command line; `plan` puts those that were asked for in order:

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
    """A transform as the command line shows it."""

    function: Callable[[Tree], Tree]

    @property
    def summary(self) -> str:
        """What it does, in one line that ends in `(lossless)` or `(lossy)`."""
        return (self.function.__doc__ or "").partition("\n")[0]

    @property
    def is_lossless(self) -> bool:
        """Whether what it does can be undone."""
        return self.summary.endswith("(lossless)")


def leave(tree: Tree) -> Tree:
    """Leave it as it is (lossless)"""
    return tree


# Several of them are applied in this order, whichever order they were asked for in. Taking off the wrapper
# comes after everything that may leave a wrapper with one child.
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
    """The transforms that were asked for, in the order in which they are applied.

    1. traces are resolved, while their indices are there;
    2. what is to be stripped is stripped, in the order of the table, but for the wrapper;
    3. punctuation is moved, removed or raised;
    4. the wrapper is taken off, or set;
    5. functions are merged or split.
    """
    chosen = set(strip)
    if unknown := sorted(chosen - set(STRIP)):
        raise SpindleError(f"cannot strip {unknown[0]!r}; what can be stripped: {', '.join(STRIP)}")
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
    """The trees after all steps; a sentence of which nothing is left becomes an error in its place.

    Errors among the trees, as readers yield them, are passed on. `file` is where the trees come from.
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
        raise SpindleError(f"no way to treat {what} is called {name!r}; there are: {', '.join(table)}")
    return table[name].function
