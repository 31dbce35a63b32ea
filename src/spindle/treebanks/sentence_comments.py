"""The comments of a sentence in Stanza's files and in CoNLL-U, one of which is the tree.

    sent_id = 57
    text = It works.
    constituency = (ROOT (S (NP (PRP It)) (VP (VBZ works)) (. .)))

Stanza writes the tree so. A discontinuous tree is `discbracket = (S (NP (PPER 0=Es) (NN 2=nichts)) …)`,
which Stanza ignores. All other comments are those of the tree.
"""

from __future__ import annotations

from collections.abc import Sequence

from spindle.errors import TreebankError, TreeError
from spindle.treebanks.annotated import Annotation, bare, bracket_line, join, placed
from spindle.treebanks.bracket import parse_bracket
from spindle.treebanks.discbracket import parse_discbracket, write_discbracket
from spindle.treebanks.graph import one_line
from spindle.trees import Tree

ID, TEXT = "sent_id", "text"
CONTINUOUS, DISCONTINUOUS = "constituency", "discbracket"
_PARSERS = {CONTINUOUS: parse_bracket, DISCONTINUOUS: parse_discbracket}


def comments_of(tree: Tree) -> list[str]:
    """Return the comments that are written; `tree_of` is the inverse."""
    found = [f"{TEXT} = {_text(tree)}"]
    if tree.is_continuous:
        found.append(f"{CONTINUOUS} = {bracket_line(tree)}")
    else:
        (line,) = write_discbracket([bare(tree)])
        found.append(f"{DISCONTINUOUS} = {line.removesuffix(chr(10))}")
    if tree.id or any(_name(comment) == ID for comment in tree.comments):
        found.insert(0, f"{ID} = {tree.id}")
    return [*found, *tree.comments]


def tree_of(comments: Sequence[str], words: Sequence[Annotation], place: TreebankError) -> Tree:
    """Return the tree in some comments, with what is known of its words; raise a `TreebankError`.

    Places in a text are relative to the document; they are kept if they fit the text of the sentence.
    """
    rest = list(comments)
    id = _take(rest, ID) or ""
    place.sentence = place.sentence or id
    text = _take(rest, TEXT)
    name = next((_name(comment) for comment in rest if _name(comment) in _PARSERS), None)
    if name is None:
        place.hint = f"a comment such as `# {CONTINUOUS} = (ROOT (S …))` is needed"
        raise placed("the sentence has no tree", place)
    try:
        tree = _PARSERS[name](_take(rest, name) or "")
        return join(tree, _shifted(words, text), text, id, rest)
    except (TreebankError, TreeError) as error:
        raise placed(error.cause, place) from None


def _shifted(words: Sequence[Annotation], text: str | None) -> Sequence[Annotation]:
    """Return the words with places in the text of the sentence; without places if they do not fit it."""
    spans = [word.span for word in words if word.span is not None]
    if text is None or not spans:
        return words
    first = spans[0][0]
    shifted = [
        word._replace(span=word.span and (word.span[0] - first, word.span[1] - first)) for word in words
    ]
    if all(word.span and text[slice(*word.span)] == word.form for word in shifted):
        return shifted
    return [word._replace(span=None) for word in words]


def _text(tree: Tree) -> str:
    if tree.text is not None and tree.offsets:
        return one_line(tree.text[tree.offsets[0][0] : tree.offsets[-1][1]])
    return " ".join([token.form for token in tree.tokens])


def _name(comment: str) -> str:
    name, equals, _ = comment.partition("=")
    return name.strip() if equals else ""


def _take(comments: list[str], name: str) -> str | None:
    """Remove the first comment with this name and return its value; None if there is none."""
    for number, comment in enumerate(comments):
        if _name(comment) == name:
            del comments[number]
            return comment.partition("=")[2].removeprefix(" ")
    return None
