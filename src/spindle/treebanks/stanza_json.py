"""The JSON of Stanza: `Document.to_serialized()`.

    {"text": "It works.",
     "sentences": [[{"id": 1, "text": "It", "lemma": "it", "xpos": "PRP", "start_char": 0, …}, …]],
     "comments": [["# text = It works.", "# constituency = (ROOT (S …))"]]}

The trees are in the comments: `Document.to_dict()`, which has only the sentences, leaves them out. Words are
those of the list, tags those of the tree. Multiword tokens are left out. A source may have several documents.
Comments come after all sentences, so a document is in memory as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from spindle.errors import TreebankError, TreeError
from spindle.treebanks.annotated import Annotation, placed, records_of, span_of, text_of
from spindle.treebanks.conll import MULTIWORD
from spindle.treebanks.jsonstream import JsonValue, json_values
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.sentence_comments import comments_of, tree_of
from spindle.treebanks.source import Source
from spindle.trees import Tree

SENTENCES, COMMENTS = "sentences", "comments"


def read_stanza_json(source: Source, report: ReadingReport) -> Iterator[Tree | TreebankError]:
    """Yield the trees of a file, and an error for each sentence without a tree or with a malformed one."""
    sentences: list[JsonValue | TreebankError] = []
    comments: list[JsonValue | TreebankError] = []
    lists = {SENTENCES: sentences, COMMENTS: comments}
    current = sentences
    for found in json_values(source, frozenset(lists)):
        if isinstance(found, TreebankError):
            current.append(found)
        elif found.name in lists:
            current = lists[found.name]
            current.append(found)
        elif not found.name and found.value is not None:  # an item of `Document.to_dict()`
            current.append(found)
        elif not found.name:
            yield from _document(sentences, comments, source, report)
            sentences.clear()
            comments.clear()
            current = sentences
    yield from _document(sentences, comments, source, report)


def write_stanza_json(trees: Iterable[Tree]) -> Iterator[str]:
    """Yield the text of one document, which `Document.from_serialized` of Stanza reads."""
    comments: list[list[str]] = []
    texts: list[str] = []
    length = 0
    yield '{"sentences": ['
    for tree in trees:
        found = comments_of(tree)
        text = next(one for one in found if one.startswith("text = ")).removeprefix("text = ")
        yield ("\n" if not comments else ",\n") + json.dumps(_words(tree, length), ensure_ascii=False)
        length += len(text) + 1
        texts.append(text)
        comments.append([f"# {comment}" for comment in found])
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in comments)
    text = json.dumps("\n".join(texts), ensure_ascii=False)
    yield f'\n],\n"comments": [\n{lines}\n],\n"text": {text}}}\n'


def _document(
    sentences: list[JsonValue | TreebankError],
    comments: list[JsonValue | TreebankError],
    source: Source,
    report: ReadingReport,
) -> Iterator[Tree | TreebankError]:
    """Yield the trees of a document."""
    for number, found in enumerate(sentences):
        if isinstance(found, TreebankError):
            yield found
            continue
        place = TreebankError("", file=source.name, line=found.line)
        beside = comments[number] if number < len(comments) else None
        if isinstance(beside, TreebankError):
            yield beside
            continue
        try:
            yield _tree(found.value, beside.value if beside else [], place, report)
        except TreebankError as error:
            error.sentence = error.sentence or str(number + 1)
            yield error
        except TreeError as error:
            place.sentence = str(number + 1)
            yield placed(error.cause, place)
    for extra in comments[len(sentences) :]:
        yield (
            extra
            if isinstance(extra, TreebankError)
            else TreebankError("comments without a sentence", file=source.name, line=extra.line)
        )


def _tree(sentence: Any, comments: Any, place: TreebankError, report: ReadingReport) -> Tree:
    if not isinstance(comments, list) or not all(isinstance(one, str) for one in comments):
        raise TreeError("`comments` has an item that is not a list of texts")
    words = []
    for token in records_of(sentence, "a sentence"):
        if isinstance(token.get("id"), list):  # the numbers of the words of a multiword token
            report.add(MULTIWORD, placed(f"{MULTIWORD}: {token['id']}", place))
            continue
        words.append(
            Annotation(
                text_of(token, "text"),
                text_of(token, "lemma"),
                text_of(token, "feats"),
                span_of(token, "start_char", "end_char"),
            )
        )
    plain = [comment.removeprefix("#").removeprefix(" ") for comment in comments]
    return tree_of(plain, words, place)


def _words(tree: Tree, start: int) -> list[dict[str, Any]]:
    """Return the records of the words; the text of the sentence begins at `start`."""
    found = []
    place = start
    for position, token in enumerate(tree.tokens):
        if tree.text is not None:
            first, last = (start + offset - tree.offsets[0][0] for offset in tree.offsets[position])
        else:
            first, last = place, place + len(token.form)
        place = last + 1
        record = {"text": token.form, "lemma": token.lemma, "xpos": token.tag, "feats": token.morph}
        kept = {name: value for name, value in record.items() if value}
        found.append({"id": position + 1, **kept, "start_char": first, "end_char": last})
    return found
