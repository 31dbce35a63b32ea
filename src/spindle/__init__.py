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

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spindle.drawing import *
    from spindle.errors import *
    from spindle.evaluation import *
    from spindle.heads import *
    from spindle.models import *
    from spindle.models import list_models as models
    from spindle.parsers import *
    from spindle.pipeline import *
    from spindle.reduction import *
    from spindle.search import *
    from spindle.search import search_trees as search
    from spindle.training import *
    from spindle.treebanks import *
    from spindle.trees import *

__version__ = "0.1.0"

# Messages go to the logger `spindle` and its children; a program that wants to see them configures logging.
logging.getLogger(__name__).addHandler(logging.NullHandler())

__all__ = [
    "Analysis",
    "Backend",
    "Bracket",
    "BundledModel",
    "ConstraintError",
    "Constraints",
    "DTree",
    "Dependencies",
    "Document",
    "Encoding",
    "Ensemble",
    "EvaluationError",
    "Example",
    "HeadFinder",
    "HeadRuleError",
    "HeadRules",
    "KBest",
    "Leaf",
    "Match",
    "Mode",
    "ModelError",
    "ModelPart",
    "Nesting",
    "Node",
    "Parser",
    "ParserError",
    "PatternError",
    "Prediction",
    "ReadingReport",
    "Reduced",
    "ReductionError",
    "Score",
    "SpindleError",
    "Token",
    "TrainOptions",
    "Tree",
    "TreeError",
    "TreebankError",
    "UnknownFormat",
    "Word",
    "WrongType",
    "compare",
    "decode",
    "distill",
    "draw_dtree",
    "draw_tree",
    "encode",
    "evaluate",
    "find_heads",
    "guess_rules",
    "latex_dtree",
    "latex_tree",
    "load",
    "load_rules",
    "models",
    "parse_frame",
    "parse_tree",
    "read_dependencies",
    "read_labels",
    "read_trees",
    "repair",
    "search",
    "show",
    "svg_dtree",
    "svg_tree",
    "train",
    "write_dependencies",
    "write_labels",
    "write_trees",
]

# The homes of these names, from the bottom up: to import one is to import most of those before it.
_LAYERS = (
    *("errors", "trees", "treebanks", "heads", "reduction", "drawing"),
    *("search", "evaluation", "models", "parsers", "pipeline", "training"),
)

if not TYPE_CHECKING:  # a type checker would take any name for one that `__getattr__` finds

    def __getattr__(name: str) -> Any:
        """Return a public name from the lowest layer that has it, so that `import spindle` takes no time."""
        if name in __all__:
            for layer in _LAYERS:
                found = vars(import_module(f"spindle.{layer}"))
                if name in found:
                    return found[name]
            return import_module(
                f"spindle.{name}"
            )  # `models` and `search`: the packages themselves, which can be called
        raise AttributeError(f"module 'spindle' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
