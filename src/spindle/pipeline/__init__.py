"""The trained pipeline: words in, constituent trees out."""

from spindle.pipeline.analysis import Analysis, Candidate, KBest
from spindle.pipeline.card import Card
from spindle.pipeline.document import Document
from spindle.pipeline.parser import Parser, load
from spindle.pipeline.sentence import Input, Sentence

__all__ = ["Analysis", "Candidate", "Card", "Document", "Input", "KBest", "Parser", "Sentence", "load"]
