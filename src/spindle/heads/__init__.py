"""Finding the head of every constituent."""

from spindle.heads.finder import HeadFinder, explain, find_heads
from spindle.heads.guess import Guess, guess_rules
from spindle.heads.project import project_heads
from spindle.heads.rule_files import available_rules, format_rules, load_rules, parse_rules
from spindle.heads.steps import Step
from spindle.heads.table import HeadRules

__all__ = [
    "Guess",
    "HeadFinder",
    "HeadRules",
    "Step",
    "available_rules",
    "explain",
    "find_heads",
    "format_rules",
    "guess_rules",
    "load_rules",
    "parse_rules",
    "project_heads",
]
