"""Strings for the screen: invisible characters replaced, and the width of a string in columns."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

from spindle.drawing.style import Mark
from spindle.trees.token import Token
from spindle.trees.tree import ROOT, Tree

NAMELESS = "·"
"""Shown for an empty label, such as the outermost one of `( (S …))`."""

_JOINERS = "\u200c\u200d"
_NOT_IN_XML = "\ufffe\uffff"


def visible(text: str) -> str:
    """Return the text with symbols for control characters and for spaces at its ends.

    A combining mark without a letter gets a dotted circle. The result fits on one line, can be encoded, and
    is allowed in XML.

    >>> visible("a\\tb\\u2028"), visible("New York "), visible("\\u0301")
    ('a␉b�', 'New York␣', '◌́')
    """
    if text.isascii() and text.isprintable() and text == text.strip(" "):
        return text
    shown = "".join(map(_visible_character, text))
    inner = shown.strip()
    before = len(shown) - len(shown.lstrip()) if inner else 0
    shown = "␣" * before + inner + "␣" * (len(shown) - before - len(inner))
    return "◌" + shown if shown and not columns(shown[0]) else shown


def node_label(label: str, function: str) -> str:
    """Return the text of a node: its label, and after a colon the label of the edge to its parent.

    >>> node_label("NP", "SB"), node_label("", "")
    ('NP:SB', '·')
    """
    return (visible(label) or NAMELESS) + (f":{visible(function)}" if function else "")


def marked_labels(tree: Tree, marks: Mapping[int, Mark] | None) -> list[str]:
    """Return the texts of all nodes, each with the sign of its mark before it if it has one."""
    texts = list(map(node_label, tree.labels, tree.functions))
    for node, mark in (marks or {}).items():
        if node >= 0:
            texts[node] = mark.sign + texts[node]
    return texts


def marked_forms(tokens: Sequence[Token], marks: Mapping[int, Mark] | None) -> list[str]:
    """Return the forms of the words; a marked word has the sign of its mark before it."""
    return [
        (marks[-1 - at].sign if marks and -1 - at in marks else "") + visible(token.form)
        for at, token in enumerate(tokens)
    ]


def arc_label(head: int, symbol: str, event: int) -> str:
    """Return the text of a d-tree arc: symbol and event.

    >>> arc_label(3, "NP", 2), arc_label(-1, "", 0)
    ('NP#2', 'root')
    """
    return "root" if head == ROOT else f"{visible(symbol) or NAMELESS}#{event}"


def columns(text: str) -> int:
    """Return the width in terminal columns: two for a wide character, none for a combining mark.

    >>> columns("Baum"), columns("木構造"), columns("e\\u0301")
    (4, 6, 1)
    """
    return len(text) if text.isascii() else sum(map(_character_columns, text))


def clusters(text: str) -> list[str]:
    """Split the text into pieces that each start with a character of non-zero width.

    >>> [len(piece) for piece in clusters("e\\u0301t")]
    [2, 1]
    """
    pieces: list[str] = []
    for character in text:
        if pieces and not columns(character):
            pieces[-1] += character
        else:
            pieces.append(character)
    return pieces


def _visible_character(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cc":
        code = ord(character)
        return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else "�"
    if (category in ("Cf", "Cs", "Zl", "Zp") and character not in _JOINERS) or character in _NOT_IN_XML:
        return "�"
    return character


def _character_columns(character: str) -> int:
    # the vowels and final consonants of decomposed Korean syllables join the consonant before them
    if unicodedata.category(character) in ("Mn", "Me", "Cf") or "\u1160" <= character <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
