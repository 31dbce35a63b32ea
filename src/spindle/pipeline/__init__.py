"""The trained pipeline: words in, constituent trees out."""

from spindle.pipeline.analysis import Analysis, Candidate, KBest
from spindle.pipeline.card import Card
from spindle.pipeline.constraints import Bracket, Constraints
from spindle.pipeline.document import Document
from spindle.pipeline.ensemble import Ensemble, load
from spindle.pipeline.face import ParsingFace
from spindle.pipeline.frames import parse_frame
from spindle.pipeline.parser import Parser
from spindle.pipeline.sentence import Input, Sentence

__all__ = [
    "Analysis",
    "Bracket",
    "Candidate",
    "Card",
    "Constraints",
    "Document",
    "Ensemble",
    "Input",
    "KBest",
    "Parser",
    "ParsingFace",
    "Sentence",
    "load",
    "parse_frame",
]
