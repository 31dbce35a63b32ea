"""Split raw text into sentences and words, in the style of a treebank."""

from spindle.text.sentences import split_sentences
from spindle.text.tokenization_style import ENGLISH, TokenizationStyle, learn_tokenization_style
from spindle.text.tokenizer import Span, tokenize

__all__ = ["ENGLISH", "Span", "TokenizationStyle", "learn_tokenization_style", "split_sentences", "tokenize"]
