"""Escapes for brackets and blanks inside words and labels, read and written.

Bracketed formats split text at brackets and blanks, so these characters need escapes in words and labels.
The readers accept `-LRB-` `-RRB-` `-LCB-` `-RCB-` `-LSB-` `-RSB-` (Penn Treebank), `#LRB#` `#RRB#`
(discbracket) and `#SP#` for a blank, and in words also `\\/` and `\\*`. The writers escape only round
brackets and blanks.

    >>> restore_form("traité-LRB-e-RRB-"), restore_form(r"1\\/2")
    ('traité(e)', '1/2')
    >>> restore_label("$-LRB-"), restore_label("-LRB-")
    ('$(', '-LRB-')
    >>> escape_form("New York"), escape_form(":("), escape_label("$("), escape_label("(")
    ('New#SP#York', ':-LRB-', '$-LRB-', '#LRB#')

Writing and reading again restores every word and label. The one exception is a form from another format
that is itself spelled `-LRB-`: it becomes a bracket, which is its meaning there too.
"""

from __future__ import annotations

import re

_MEANING = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LCB-": "{",
    "-RCB-": "}",
    "-LSB-": "[",
    "-RSB-": "]",
    "#LRB#": "(",
    "#RRB#": ")",
    "#SP#": " ",
    r"\/": "/",
    r"\*": "*",
}
_DASHED = {"(": "-LRB-", ")": "-RRB-", "\\": r"\\"}
_HASHED = {"(": "#LRB#", ")": "#RRB#", "\\": r"\\"}
_IN_LABEL = re.compile(r"-[LR][RCS]B-|#[LR]RB#|#SP#")
_IN_FORM = re.compile(r"-[LR][RCS]B-|#[LR]RB#|#SP#|\\[/*]")
# In the Penn Treebank these are tags; head rules and evaluators refer to them by these names.
_BRACKET_TAG = re.compile(r"-[LR][RCS]B-")

_IMPOSSIBLE = re.compile(r"[() ]")
# The last alternative is a literal backslash that would be read as an escape.
_IMPOSSIBLE_IN_FORM = re.compile(r"[() ]|\\(?=[/*])")


def restore_form(text: str) -> str:
    """Return the word that the escaped `text` represents."""
    return _IN_FORM.sub(_meaning, text)


def escape_form(form: str) -> str:
    """Return a word with the escapes of the Penn Treebank."""
    return form if form.isalnum() else _IMPOSSIBLE_IN_FORM.sub(_dashed, form)


def escape_form_hashed(form: str) -> str:
    """Return a word with the escapes of discbracket."""
    return form if form.isalnum() else _IMPOSSIBLE_IN_FORM.sub(_hashed, form)


def restore_label(text: str) -> str:
    """Return the label or tag that the escaped `text` represents; `-LRB-` alone is a tag and stays."""
    return text if _BRACKET_TAG.fullmatch(text) else _IN_LABEL.sub(_meaning, text)


def escape_label(label: str) -> str:
    """Return a label or tag with its brackets and blanks escaped."""
    if label.isalnum():
        return label
    return _HASHED[label] if label in ("(", ")") else _IMPOSSIBLE.sub(_dashed, label)


def _meaning(match: re.Match[str]) -> str:
    return _MEANING[match[0]]


def _dashed(match: re.Match[str]) -> str:
    return _DASHED.get(match[0], "#SP#")


def _hashed(match: re.Match[str]) -> str:
    return _HASHED.get(match[0], "#SP#")
