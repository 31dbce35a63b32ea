"""The JSON of CoreNLP: the tree of a sentence in brackets, beside its tokens.

    {"sentences": [
      {"index": 0,
       "parse": "(ROOT (S (NP (PRP It)) (VP (VBZ works))))",
       "tokens": [{"index": 1, "word": "It", "originalText": "It", "lemma": "it",
                   "characterOffsetBegin": 0, "characterOffsetEnd": 2, "pos": "PRP"}, …]},
      …]}

Words and tags are those of the tree, lemmas those of the tokens. If the document has its text, the places of
the tokens are kept. Dependencies, entities and coreference are left out. A source may have several documents.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from spindle.errors import TreebankError, TreeError
from spindle.treebanks.annotated import (
    Annotation,
    bracket_line,
    join,
    parsed,
    placed,
    records_of,
    span_of,
    text_of,
)
from spindle.treebanks.escapes import escape_form
from spindle.treebanks.jsonstream import JsonValue, json_values
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
from spindle.trees import Tree

SENTENCES = "sentences"


def read_corenlp_json(source: Source, report: ReadingReport) -> Iterator[Tree | TreebankError]:
    """Yield the trees of a file, and an error for each sentence without a tree or with a malformed one."""
    del report
    text: str | None = None
    number = 0
    for found in json_values(source, frozenset({SENTENCES})):
        if isinstance(found, TreebankError):
            yield found
        elif not found.name and found.value is None:
            text, number = None, 0
        elif found.name == "text" and isinstance(found.value, str):
            text = found.value
        elif found.name == SENTENCES or not found.name:
            number += 1
            yield _tree(found, number, text, source)


def write_corenlp_json(trees: Iterable[Tree]) -> Iterator[str]:
    """Yield the text of one document; a discontinuous tree raises a `TreebankError`."""
    yield '{"sentences": ['
    number = 0
    for number, tree in enumerate(trees, start=1):
        yield ("\n" if number == 1 else ",\n") + json.dumps(_record(tree, number), ensure_ascii=False)
    yield "\n]}\n" if number else "]}\n"


def _tree(found: JsonValue, number: int, text: str | None, source: Source) -> Tree | TreebankError:
    record = found.value
    place = TreebankError("", file=source.name, line=found.line, sentence=str(number))
    if not isinstance(record, dict):
        return placed("a sentence is not an object", place)
    try:
        brackets, id = text_of(record, "parse"), text_of(record, "id")
        if not brackets:
            place.hint = "run CoreNLP with the annotator `parse`"
            return placed("the sentence has no `parse`", place)
        words = [
            Annotation(
                lemma=text_of(token, "lemma"),
                span=span_of(token, "characterOffsetBegin", "characterOffsetEnd"),
            )
            for token in records_of(record.get("tokens", []), "`tokens`")
        ]
        return join(parsed(brackets, place), words, text, id)
    except TreeError as error:
        return placed(error.cause, place)
    except TreebankError as error:
        return error


def _record(tree: Tree, number: int) -> dict[str, Any]:
    tokens: list[dict[str, Any]] = []
    for position, token in enumerate(tree.tokens):
        record: dict[str, Any] = {
            "index": position + 1,
            "word": escape_form(token.form),
            "originalText": token.form,
        }
        if token.lemma:
            record["lemma"] = token.lemma
        if tree.text is not None:
            start, end = tree.offsets[position]
            record |= {"characterOffsetBegin": start, "characterOffsetEnd": end}
        tokens.append({**record, "pos": token.tag})
    named = {"id": tree.id} if tree.id else {}
    return {**named, "index": number - 1, "parse": bracket_line(tree), "tokens": tokens}
