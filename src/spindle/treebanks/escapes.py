"""Brackets and blanks inside words and labels, which bracketed files must spell otherwise: both ways.

Bracketed formats cut text at brackets and blanks, so a word or label that holds one needs another spelling.
Read are `-LRB-` `-RRB-` `-LCB-` `-RCB-` `-LSB-` `-RSB-` (Penn Treebank), `#LRB#` `#RRB#` (discbracket) and
`#SP#` for a blank; in words also `\\/` and `\\*`. Only what must be is written that way: round brackets and
blanks.

    >>> restore_form("traité-LRB-e-RRB-"), restore_form(r"1\\/2")
    ('traité(e)', '1/2')
    >>> restore_label("$-LRB-"), restore_label("-LRB-")
    ('$(', '-LRB-')
    >>> escape_form("New York"), escape_form(":("), escape_label("$("), escape_label("(")
    ('New#SP#York', ':-LRB-', '$-LRB-', '#LRB#')

What was read is always written so that it is read as the same again. A form that comes from another format
and is spelled `-LRB-` there cannot be told from a bracket, which is what it meant there, too.
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
# In the Penn Treebank these are tags in their own right, which head rules and evaluators call by name.
_BRACKET_TAG = re.compile(r"-[LR][RCS]B-")

_IMPOSSIBLE = re.compile(r"[() ]")
# A backslash that stands for itself, but would be taken for an escape.
_IMPOSSIBLE_IN_FORM = re.compile(r"[() ]|\\(?=[/*])")


def restore_form(text: str) -> str:
    """The word that is meant by `text`."""
    return _IN_FORM.sub(_meaning, text)


def escape_form(form: str) -> str:
    """How to write a word in brackets."""
    return form if form.isalnum() else _IMPOSSIBLE_IN_FORM.sub(_dashed, form)


def escape_form_hashed(form: str) -> str:
    """How to write a word in discontinuous brackets."""
    return form if form.isalnum() else _IMPOSSIBLE_IN_FORM.sub(_hashed, form)


def restore_label(text: str) -> str:
    """The label or tag that is meant by `text`; a bare `-LRB-` is a tag and stays."""
    return text if _BRACKET_TAG.fullmatch(text) else _IN_LABEL.sub(_meaning, text)


def escape_label(label: str) -> str:
    """How to write a label or tag in brackets."""
    if label.isalnum():
        return label
    return _HASHED[label] if label in ("(", ")") else _IMPOSSIBLE.sub(_dashed, label)


def _meaning(match: re.Match[str]) -> str:
    return _MEANING[match[0]]


def _dashed(match: re.Match[str]) -> str:
    return _DASHED.get(match[0], "#SP#")


def _hashed(match: re.Match[str]) -> str:
    return _HASHED.get(match[0], "#SP#")
