"""Text cut into sentences, each as its words.

>>> for words in split_sentences("Dr. J. Low left. “Why?” She knew, e.g. Tom. He didn't!"):
...     print(" ".join(word.form for word in words))
Dr. J. Low left .
“ Why ? ”
She knew , e.g. Tom .
He did n't !
"""

from __future__ import annotations

from spindle.text.tokenization_style import ENGLISH, TokenizationStyle
from spindle.text.tokenizer import Span, tokenize

_FINAL = frozenset((".", "?", "!", "…", "...", "....", "。", "！", "？", "।", "؟"))
_CLOSERS = frozenset(('"', "”", "’", "'", "''", "»", ")", "]", "}", "“"))
_OPENERS = frozenset(('"', "“", "‘", "'", "``", "«", "(", "[", "{", "„", "-", "–", "—", "•", "*"))


def split_sentences(text: str, habits: TokenizationStyle = ENGLISH) -> list[list[Span]]:
    """The sentences of a text. A sentence ends where its marks say so and the next word may begin one."""
    words = tokenize(text, habits)
    sentences: list[list[Span]] = []
    start = at = 0
    while at < len(words):
        end = at + 1
        if _may_end(words[at].form):
            while end < len(words) and _belongs(words, end):
                end += 1
            if end < len(words) and _ends(words, at, end, habits):
                sentences.append(words[start:end])
                start = end
        at = end
    if start < len(words):
        sentences.append(words[start:])
    return sentences


def _may_end(form: str) -> bool:
    return form in _FINAL or (form[-1] == "." and len(form) > 1)


def _belongs(words: list[Span], at: int) -> bool:
    """Whether a mark after the end still belongs to the sentence: it stands right behind the last word."""
    form, begin, _ = words[at]
    return form in _FINAL or (form in _CLOSERS and begin == words[at - 1].end)


def _ends(words: list[Span], mark: int, end: int, habits: TokenizationStyle) -> bool:
    """Whether the words before `end` are a sentence; `mark` is its full stop, or a word that has one."""
    if words[end].start == words[end - 1].end:
        # nothing is between the two: `3.5`, `what?-ever`
        return words[mark].form in ("。", "！", "？")
    following = next((word.form for word in words[end:] if word.form not in _OPENERS), "")
    if following[:1].islower() or (following and following[0] in ",;:%)"):
        return False
    if words[mark].form in _FINAL:
        return True
    # An abbreviation: it ends a sentence only if the next word looks like a beginning. Single letters,
    # which are mostly initials, and titles, which are followed by names, are told apart by that as well.
    return following.lower() in habits.starters and len(words[mark].form) > 2
