"""Split text into sentences of words.

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


def split_sentences(text: str, style: TokenizationStyle = ENGLISH) -> list[list[Span]]:
    """Return the sentences of a text. A sentence ends at a final mark if the next word can start one."""
    words = tokenize(text, style)
    sentences: list[list[Span]] = []
    start = at = 0
    while at < len(words):
        end = at + 1
        if _may_end(words[at].form):
            while end < len(words) and _belongs(words, end):
                end += 1
            if end < len(words) and _ends(words, at, end, style):
                sentences.append(words[start:end])
                start = end
        at = end
    if start < len(words):
        sentences.append(words[start:])
    return sentences


def _may_end(form: str) -> bool:
    return form in _FINAL or (form[-1] == "." and len(form) > 1)


def _belongs(words: list[Span], at: int) -> bool:
    """Return whether a mark after the end belongs to the sentence: a final mark, or an adjacent closer."""
    form, begin, _ = words[at]
    return form in _FINAL or (form in _CLOSERS and begin == words[at - 1].end)


def _ends(words: list[Span], mark: int, end: int, style: TokenizationStyle) -> bool:
    """Return whether a sentence ends before `end`; `mark` is its final mark, or a word with a full stop."""
    if words[end].start == words[end - 1].end:
        # no blank in between: `3.5`, `what?-ever`
        return words[mark].form in ("。", "！", "？")
    following = next((word.form for word in words[end:] if word.form not in _OPENERS), "")
    if following[:1].islower() or (following and following[0] in ",;:%)"):
        return False
    if words[mark].form in _FINAL:
        return True
    # An abbreviation ends a sentence only if the next word often starts one. So initials and titles do not:
    # a name follows them.
    return following.lower() in style.starters and len(words[mark].form) > 2
