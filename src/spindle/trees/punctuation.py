"""Which tokens are punctuation: decided by the tag, or by the form of a token without a tag."""

from __future__ import annotations

from unicodedata import category

from spindle.trees.token import Token

PENN = (",", ":", ".", ";", "?", "!", "``", "''", '"', "'", "`", "(", ")", "NFP")  # Icelandic, too
BRACKETS = (
    "-LRB-",
    "-RRB-",
    "-LSB-",
    "-RSB-",
    "-LCB-",
    "-RCB-",
)  # written so because a real bracket would end the tree
STTS = ("$,", "$.", "$(", "$[", "$*LRB*", "$LRB")  # NEGRA, TIGER, PCC; with several spellings of `$(`
ALPINO = ("let", "LET", "LET()", "punct")  # word class, full tag, and an older name
BASQUE = (  # coarse tags, the fine tags of marks, and BEREIZ for brackets, quotes and dashes
    *("PUNT", "PUNT_MARKA", "BEREIZ"),
    *("PUNT_PUNT", "PUNT_KOMA", "PUNT_PUNT_KOMA", "PUNT_BI_PUNT", "PUNT_ESKL", "PUNT_GALD", "PUNT_HIRU"),
)
HEBREW = (
    *("yyDOT", "yyCM", "yyCLN", "yySCLN", "yyQM", "yyEXCL", "yyELPS", "yyDASH", "yyQUOT", "yyLRB", "yyRRB"),
)
KOREAN = ("sf", "sp", "sl", "sr")  # KAIST; Sejong's SP is a particle in Chinese
# UD; Arabic and Hungarian; French; Chinese; Hebrew; Indonesian; Polish; Swedish (three of them)
OTHERS = ("PUNCT", "PUNC", "PONCT", "PU", "PNT", "Z", "interp", "MAD", "MID", "PAD")

# HYPH is left out on purpose: it is part of a word (`left - handed`), so it must not be moved or deleted.
# SYM (`+`, `%`), `$` and `#` (currencies) and POS (`'`) are left out, too.
PUNCTUATION_TAGS = frozenset((*PENN, *BRACKETS, *STTS, *ALPINO, *BASQUE, *HEBREW, *KOREAN, *OTHERS))


def is_punctuation(token: Token) -> bool:
    """Return whether a token is punctuation; traces and other empty elements are not.

    >>> is_punctuation(Token(",", "$,")), is_punctuation(Token("…")), is_punctuation(Token("*", "-NONE-"))
    (True, True, False)
    """
    return token.tag in PUNCTUATION_TAGS or (not token.tag and looks_like_punctuation(token.form))


def looks_like_punctuation(form: str) -> bool:
    """Return whether a form is all Unicode punctuation, or an escaped bracket such as `-LRB-`.

    The backquote counts although Unicode classifies it as a symbol: two of them open a quotation.
    """
    return form in BRACKETS or all(mark == "`" or category(mark)[0] == "P" for mark in form)
