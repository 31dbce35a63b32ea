"""Spindle for users of NLTK: a parser with NLTK's interface, and treebanks as an NLTK corpus."""

from spindle.integrations.nltk.corpus import TreebankReader
from spindle.integrations.nltk.parser import SpindleParser

__all__ = ["SpindleParser", "TreebankReader"]
