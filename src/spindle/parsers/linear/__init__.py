"""The linear engine: the stages of section 4 of the paper, each a linear model in the compiled core.

`tagger` predicts tags, `parser` heads, `labeler` labels, `unaries` unary chains and `functions` edge labels.
`reranker` chooses among the trees of any parser.
"""

from spindle.parsers.linear.functions import FunctionClassifier
from spindle.parsers.linear.labeler import Labeler, LabelerFeatures
from spindle.parsers.linear.parser import LinearParser
from spindle.parsers.linear.reranker import Reranker
from spindle.parsers.linear.tagger import Tagger
from spindle.parsers.linear.unaries import UnaryClassifier

__all__ = [
    "FunctionClassifier",
    "Labeler",
    "LabelerFeatures",
    "LinearParser",
    "Reranker",
    "Tagger",
    "UnaryClassifier",
]
