"""`POST /api/parse`: trees for text or words; `GET /api/models`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import repeat
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from spindle.pipeline import Analysis, Candidate, Sentence
from spindle.reduction import Encoding, encode, write_labels
from spindle.trees import Token, Tree
from spindle.trees.records import node_records, token_records
from spindle.web.answers import JSONResponse, to_json
from spindle.web.errors import error_message
from spindle.web.models import ServedModel
from spindle.web.reading import Fields, Refusal, checked_text, json_type, read_fields
from spindle.web.service import Service

INLINE = 2_000
"""Texts up to this many characters are split at once; longer ones on a thread."""
NDJSON = "application/x-ndjson"


async def list_models(request: Request) -> Response:
    """Describe the models; the first is the default."""
    return JSONResponse({"models": [model.to_dict() for model in Service.of(request).models]})


async def parse(request: Request) -> Response:
    """Parse a text, or sentences in words."""
    service = Service.of(request)
    fields = await read_fields(request, service.limits)
    model = service.models[fields.optional_text("model")]
    k = fields.number("k", 1, service.limits.k, default=1)
    scores, details, is_stream = (fields.flag(name) for name in ("scores", "details", "stream"))
    if scores and not model.parser.gives_confidences:
        raise Refusal(400, f"the model {model.name} gives no scores")
    if k > 1 and not model.parser.gives_k_best:
        raise Refusal(400, f"the model {model.name} gives one tree only; leave `k` out")
    sentences = await _sentences(fields, service, model)
    fields.finish()
    for number, sentence in enumerate(sentences, start=1):
        if len(sentence.tokens) > service.limits.sentence_words:
            most = f"{service.limits.sentence_words:,}"
            raise Refusal(413, f"sentence {number} has {len(sentence.tokens):,} words; the limit is {most}")
    analyses = model.batcher.analyse(sentences, k, scores)
    encoding = model.parser.settings.encoding if details else None
    records = (sentence_record(analysis, scores, encoding) async for analysis in analyses)
    if is_stream:
        return StreamingResponse(_lines(records), media_type=NDJSON)
    return JSONResponse({"sentences": [record async for record in records]})


async def _sentences(fields: Fields, service: Service, model: ServedModel) -> Sequence[Sentence]:
    if ("text" in fields) == ("tokens" in fields):
        raise Refusal(400, "give either `text` or `tokens`")
    if "tokens" in fields:
        return list(token_lists(fields.items("tokens")))
    text = fields.text("text")
    if len(text) <= INLINE:
        return model.parser.sentences(text)
    return await service.run(model.parser.sentences, text)


def token_lists(given: list[Any]) -> Iterator[Sentence]:
    """Yield the sentences of the field `tokens`."""
    for number, words in enumerate(given):
        if not isinstance(words, list):
            raise Refusal(
                400,
                f"`tokens[{number}]` must be a list of words, not {json_type(words)}; one for each sentence",
            )
        if _are_plain(words):
            yield Sentence(tuple(Token.of_columns(words, repeat(""), repeat(""), repeat(""))))
        else:
            yield Sentence(tuple([_token(word, f"tokens[{number}][{at}]") for at, word in enumerate(words)]))


def _are_plain(words: list[Any]) -> bool:
    """Return whether all words are text without fault, as nearly always; this is fast."""
    try:
        text = "\n".join(words)
        text.encode()
    except (TypeError, UnicodeEncodeError):
        return False
    return all(words) and text.count("\n") == len(words) - 1 and "\t" not in text and "\r" not in text


def _token(word: Any, place: str) -> Token:
    """Return the token of a word, or of an object with `form` and `tag`."""
    if isinstance(word, dict):
        fields = Fields(word, f"{place}.")
        token = Token(fields.text("form"), fields.optional_text("tag") or "")
        fields.finish()
    elif isinstance(word, str):
        token = Token(checked_text(word, f"`{place}`"))
    else:
        raise Refusal(
            400, f"`{place}` must be a word or an object with `form` and `tag`, not {json_type(word)}"
        )
    for text in (token.form, token.tag):
        if any(character in text for character in "\t\n\r"):
            raise Refusal(400, f"`{place}` contains a tab or a line break, which trees cannot have")
    if not token.form:
        raise Refusal(400, f"`{place}` is empty")
    return token


def sentence_record(analysis: Analysis, scores: bool, encoding: Encoding | None) -> dict[str, Any]:
    """Return the answer for one sentence.

    With scores, nodes have confidences. With an encoding, nodes have heads and functions as well, and there
    are the arcs of the head-ordered d-tree, each with its label in that encoding.
    """
    tokens, spans = analysis.tokens, analysis.sentence.spans
    places = [(span.start, span.end) for span in spans] if spans else [(None, None)] * len(tokens)
    record: dict[str, Any] = {
        "tree": None,
        "tokens": [
            {"form": token.form, "tag": token.tag, "start": start, "end": end}
            for token, (start, end) in zip(tokens, places, strict=True)
        ],
    }
    if analysis.pieces > 1:
        record["pieces"] = analysis.pieces
    if analysis.candidates:
        record |= _candidate_record(analysis.candidates[0], scores, encoding)
    if len(analysis.candidates) > 1:
        record["candidates"] = [_candidate_record(one, scores, encoding) for one in analysis.candidates]
    return record


def _candidate_record(candidate: Candidate, scores: bool, encoding: Encoding | None) -> dict[str, Any]:
    tree = candidate.tree
    record: dict[str, Any] = {"tree": str(tree)}
    if candidate.score is not None:
        record["score"] = candidate.score
    if encoding is not None:
        record |= tree_details(tree, encoding)
    elif scores:
        record["nodes"] = node_records(tree)
    if scores:
        for node, confidence in zip(record["nodes"], candidate.confidences or (), strict=False):
            node["confidence"] = round(confidence, 4)
    return record


def tree_details(tree: Tree, encoding: Encoding) -> dict[str, Any]:
    """Return the nodes of a tree with heads, and its arcs: head, symbol, event and label of every word."""
    nodes = node_records(tree)
    for node, head in zip(nodes, tree.heads or (), strict=False):
        node["head"] = head
    found: dict[str, Any] = {"nodes": nodes, "words": token_records(tree.tokens)}
    if tree.heads is not None or not tree.labels:
        dtree = encode(tree).dtree
        labels = write_labels(dtree, encoding)
        columns = zip(dtree.heads, dtree.symbols, dtree.events, labels, strict=True)
        found["arcs"] = [
            {"head": head, "symbol": symbol, "event": event, "label": label}
            for head, symbol, event, label in columns
        ]
    return found


async def _lines(records: AsyncIterator[dict[str, Any]]) -> AsyncIterator[bytes]:
    """Yield a line for every sentence; an error ends the answer with a line that has it."""
    try:
        async for record in records:
            yield to_json(record) + b"\n"
    except Exception as error:
        yield to_json({"error": error_message(error)}) + b"\n"
