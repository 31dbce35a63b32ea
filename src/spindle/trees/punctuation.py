"""Which tokens are punctuation: told by the tag, and by the form only where there is no tag."""

from __future__ import annotations

from unicodedata import category

from spindle.trees.token import Token

PENN = (",", ":", ".", ";", "?", "!", "``", "''", '"', "'", "`", "(", ")", "NFP")  # and Icelandic
BRACKETS = ("-LRB-", "-RRB-", "-LSB-", "-RSB-", "-LCB-", "-RCB-")  # a real bracket would end the tree
STTS = ("$,", "$.", "$(", "$[", "$*LRB*")  # NEGRA, TIGER, PCC; the bracket in `$(` is written in several ways
ALPINO = ("let", "LET", "LET()", "punct")  # word class, full tag, and what it was called before
# UD; Arabic; French; Chinese; Hebrew; Indonesian; Polish; Swedish (three of them)
OTHERS = ("PUNCT", "PUNC", "PONCT", "PU", "PNT", "Z", "interp", "MAD", "MID", "PAD")

# HYPH is left out on purpose: it splits a word (`left - handed`), so it belongs to its constituent and
# nothing may move or delete it. So are SYM (`+`, `%`), `$` and `#` (currencies) and POS (`'`).
PUNCTUATION_TAGS = frozenset((*PENN, *BRACKETS, *STTS, *ALPINO, *OTHERS))


def is_punctuation(token: Token) -> bool:
    """Whether a token is punctuation; traces and other empties are not.

    >>> is_punctuation(Token(",", "$,")), is_punctuation(Token("…")), is_punctuation(Token("*", "-NONE-"))
    (True, True, False)
    """
    return token.tag in PUNCTUATION_TAGS or (not token.tag and looks_like_punctuation(token.form))


def looks_like_punctuation(form: str) -> bool:
    """Whether a form is all Unicode punctuation (or a bracket spelled out, as `-LRB-`).

    The backquote counts, although Unicode files it under symbols: two of them open a quotation.
    """
    return form in BRACKETS or all(mark == "`" or category(mark)[0] == "P" for mark in form)
