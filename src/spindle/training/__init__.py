"""Training: a treebank in, a parser out."""

from spindle.training.api import distill, train
from spindle.training.cross_validation import CrossValidation, cross_validate
from spindle.training.distillation import DistillOptions, RawText, distill_parser
from spindle.training.listener import Listener, NullListener
from spindle.training.options import FunctionPolicy, TagSource, TrainOptions
from spindle.training.run import train_parser
from spindle.training.seeds import SeedRuns, train_seeds
from spindle.training.treebank import SourceWeight, Treebank, short_name

__all__ = [
    "CrossValidation",
    "DistillOptions",
    "FunctionPolicy",
    "Listener",
    "NullListener",
    "RawText",
    "SeedRuns",
    "SourceWeight",
    "TagSource",
    "TrainOptions",
    "Treebank",
    "cross_validate",
    "distill",
    "distill_parser",
    "short_name",
    "train",
    "train_parser",
    "train_seeds",
]
