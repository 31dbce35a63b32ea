"""Split raw text into sentences and words, as a treebank does."""

from spindle.text.boundaries import BoundaryModel, train_boundaries
from spindle.text.bundled import model_for
from spindle.text.documents import GoldDocument, read_documents
from spindle.text.lines import Lines
from spindle.text.sentences import split_sentences
from spindle.text.splitter import Region, TextSplitter
from spindle.text.tokenization_style import ENGLISH, TokenizationStyle, learn_tokenization_style
from spindle.text.tokenizer import Span, tokenize

__all__ = [
    "ENGLISH",
    "BoundaryModel",
    "GoldDocument",
    "Lines",
    "Region",
    "Span",
    "TextSplitter",
    "TokenizationStyle",
    "learn_tokenization_style",
    "model_for",
    "read_documents",
    "split_sentences",
    "tokenize",
    "train_boundaries",
]
