"""Raw text cut into sentences and words, in the way of a treebank."""

from spindle.text.habits import ENGLISH, Habits, learn_habits
from spindle.text.sentences import split_sentences
from spindle.text.tokenizer import Span, tokenize

__all__ = ["ENGLISH", "Habits", "Span", "learn_habits", "split_sentences", "tokenize"]
