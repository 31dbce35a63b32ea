"""Trees in brackets beside a list of words, as Stanza and CoreNLP write them.

The brackets have the words and their tags, the list has lemmas, morphology and places in a text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from spindle.errors import TreebankError, TreeError
from spindle.treebanks.bracket import parse_bracket, write_bracket
from spindle.trees import Token, Tree


class Annotation(NamedTuple):
    """A word of the list: what its tree does not say. `span` is its place in a text."""

    form: str = ""
    lemma: str = ""
    morph: str = ""
    span: tuple[int, int] | None = None


def bracket_line(tree: Tree) -> str:
    """Return a continuous tree in brackets, without lemmas and morphology."""
    (line,) = write_bracket([bare(tree)])
    return line.removesuffix("\n")


def bare(tree: Tree) -> Tree:
    """Return the tree with forms and tags only."""
    if not any(token.lemma or token.morph or token.function for token in tree.tokens):
        return tree
    return tree.replace(tokens=tuple([Token(token.form, token.tag) for token in tree.tokens]))


def join(
    tree: Tree, words: Sequence[Annotation], text: str | None, id: str = "", comments: Sequence[str] = ()
) -> Tree:
    """Return the tree with what is known of its words; an error if there are more or fewer words.

    The text is kept if all words have a place in it.
    """
    if words and len(words) != len(tree):
        raise TreeError(f"the tree has {len(tree)} words, but the list of words has {len(words)}")
    tokens = tuple(
        [
            Token(word.form or token.form, token.tag, word.lemma, word.morph)
            for token, word in zip(tree.tokens, words, strict=True)
        ]
        if words
        else tree.tokens
    )
    joined = tree.replace(tokens=tokens, id=id, comments=tuple(comments))
    spans = [word.span for word in words if word.span is not None]
    if text is None or not words or len(spans) < len(words):
        return joined
    if not all(0 <= start < end <= len(text) for start, end in spans):
        return joined
    return joined.with_text(text, spans)


def parsed(text: str, place: TreebankError) -> Tree:
    """Return the only tree in brackets; raise its error with the place of the sentence."""
    try:
        return parse_bracket(text)
    except TreebankError as error:
        raise placed(error.cause, place) from None


def placed(cause: str, place: TreebankError) -> TreebankError:
    """Return an error with the place of another one."""
    return TreebankError(cause, file=place.file, line=place.line, sentence=place.sentence, hint=place.hint)


def text_of(record: Mapping[str, Any], name: str) -> str:
    """Return a text of a JSON object, "" if it is missing; a `TreeError` for another type."""
    value = record.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TreeError(f"{name} is not a text")
    return value


def span_of(record: Mapping[str, Any], start: str, end: str) -> tuple[int, int] | None:
    """Return two offsets of a JSON object; None if they are no numbers."""
    found = record.get(start), record.get(end)
    if not all(type(one) is int for one in found):
        return None
    return found[0], found[1]  # type: ignore[return-value]


def records_of(value: Any, what: str) -> list[Mapping[str, Any]]:
    """Return a list of JSON objects; a `TreeError` for anything else."""
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise TreeError(f"{what} is not a list of objects")
    return value
