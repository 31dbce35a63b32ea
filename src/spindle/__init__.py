"""Spindle turns any trainable dependency parser into a constituent parser.

>>> import spindle
>>> tree = spindle.parse_tree("(S (NP (PPER 0=Es) (NN 2=nichts)) (VVFIN 1=kam))")
>>> reduced = spindle.encode(spindle.find_heads(tree, spindle.load_rules("negra")))
>>> spindle.write_labels(reduced.dtree, spindle.Encoding.DIRECT)
['NP#1', 'root', 'S#1']
>>> spindle.decode(reduced) == tree
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spindle.drawing import draw_dtree, draw_tree, svg_dtree, svg_tree
    from spindle.errors import (
        EvaluationError,
        HeadRuleError,
        ModelError,
        ParserError,
        ReductionError,
        SpindleError,
        TreebankError,
        TreeError,
        UnknownFormat,
    )
    from spindle.evaluation import evaluate
    from spindle.heads import HeadFinder, HeadRules, find_heads, guess_rules, load_rules
    from spindle.pipeline import Parser, load
    from spindle.reduction import (
        Encoding,
        Mode,
        Nesting,
        Reduced,
        decode,
        encode,
        read_labels,
        repair,
        write_labels,
    )
    from spindle.training import distill, train
    from spindle.treebanks import (
        ReadingReport,
        parse_tree,
        read_dependencies,
        read_trees,
        write_dependencies,
        write_trees,
    )
    from spindle.trees import Dependencies, DTree, Token, Tree, Word

__version__ = "0.1.0"

# Names are looked up when they are used: `import spindle` takes no time, and neither does `spindle --help`.
_HOMES = {
    "evaluation": ("evaluate",),
    "errors": (
        "EvaluationError",
        "HeadRuleError",
        "ModelError",
        "ParserError",
        "ReductionError",
        "SpindleError",
        "TreeError",
        "TreebankError",
        "UnknownFormat",
    ),
    "heads": ("HeadFinder", "HeadRules", "find_heads", "guess_rules", "load_rules"),
    "drawing": ("draw_dtree", "draw_tree", "svg_dtree", "svg_tree"),
    "pipeline": ("Parser", "load"),
    "training": ("distill", "train"),
    "reduction": (
        "Encoding",
        "Mode",
        "Nesting",
        "Reduced",
        "decode",
        "encode",
        "read_labels",
        "repair",
        "write_labels",
    ),
    "treebanks": (
        "ReadingReport",
        "parse_tree",
        "read_dependencies",
        "read_trees",
        "write_dependencies",
        "write_trees",
    ),
    "trees": (
        "DTree",
        "Dependencies",
        "Token",
        "Tree",
        "Word",
    ),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "DTree",
    "Dependencies",
    "Encoding",
    "EvaluationError",
    "HeadFinder",
    "HeadRuleError",
    "HeadRules",
    "Mode",
    "ModelError",
    "Nesting",
    "Parser",
    "ParserError",
    "ReadingReport",
    "Reduced",
    "ReductionError",
    "SpindleError",
    "Token",
    "Tree",
    "TreeError",
    "TreebankError",
    "UnknownFormat",
    "Word",
    "decode",
    "distill",
    "draw_dtree",
    "draw_tree",
    "encode",
    "evaluate",
    "find_heads",
    "guess_rules",
    "load",
    "load_rules",
    "parse_tree",
    "read_dependencies",
    "read_labels",
    "read_trees",
    "repair",
    "svg_dtree",
    "svg_tree",
    "train",
    "write_dependencies",
    "write_labels",
    "write_trees",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'spindle' has no attribute {name!r}")
    return getattr(import_module(f"spindle.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
