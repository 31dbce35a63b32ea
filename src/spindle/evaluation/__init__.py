"""Evaluation: bracket scores identical to those of the official programs, and attachment scores."""

from spindle.evaluation.corpus import evaluate
from spindle.evaluation.dependencies import DependencyScore, evaluate_dependencies
from spindle.evaluation.differences import Differences, diff
from spindle.evaluation.parameters import Parameters, read_parameters
from spindle.evaluation.runs import Runs, evaluate_runs
from spindle.evaluation.score import Score
from spindle.evaluation.sentence_score import SentenceScore
from spindle.evaluation.significance import SystemComparison, compare

__all__ = [
    "DependencyScore",
    "Differences",
    "Parameters",
    "Runs",
    "Score",
    "SentenceScore",
    "SystemComparison",
    "compare",
    "diff",
    "evaluate",
    "evaluate_dependencies",
    "evaluate_runs",
    "read_parameters",
]
