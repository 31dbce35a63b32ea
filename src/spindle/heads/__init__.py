"""Head rules, and finding the head of every constituent."""

from spindle.heads.finder import HeadFinder, explain, find_heads
from spindle.heads.guess import SAMPLE_TREES, Guess, guess_rules
from spindle.heads.induce import Agreement, Case, Induction, agreement, induce_rules, overall
from spindle.heads.project import project_heads
from spindle.heads.rule_files import available_rules, format_rules, load_rules, parse_rules
from spindle.heads.steps import Step
from spindle.heads.table import HeadRules

__all__ = [
    "SAMPLE_TREES",
    "Agreement",
    "Case",
    "Guess",
    "HeadFinder",
    "HeadRules",
    "Induction",
    "Step",
    "agreement",
    "available_rules",
    "explain",
    "find_heads",
    "format_rules",
    "guess_rules",
    "induce_rules",
    "load_rules",
    "overall",
    "parse_rules",
    "project_heads",
]
