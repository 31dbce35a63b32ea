"""`/api/comparisons`: gold beside parsed; and `/api/treebanks/ID/parse`: a treebank parsed by a model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import get_args

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from spindle.evaluation.breakdown import Kind
from spindle.evaluation.differences import ErrorFilter, Order
from spindle.evaluation.schemes import SCHEMES
from spindle.pipeline import ParsingFace, Sentence
from spindle.trees import Tree
from spindle.web.answers import JSONResponse, to_json
from spindle.web.comparisons import Question, row, sentence_record
from spindle.web.errors import error_message
from spindle.web.models import ServedModel
from spindle.web.parse_api import NDJSON
from spindle.web.reading import Refusal, checked_number, read_fields
from spindle.web.service import Service
from spindle.web.treebanks import OpenTreebank

ROWS = 200
"""The number of rows of a list that are sent at a time."""
STEPS = 100
"""How often a long job says how far it is."""
LONGEST = 1 << 20


async def parse_treebank(request: Request) -> Response:
    """Parse the sentences of a treebank with a model; the answer is a new open treebank.

    It is a stream: lines with `done` and `of`, at the end one with the treebank.
    """
    service = Service.of(request)
    treebank = service.treebanks[request.path_params["id"]]
    fields = await read_fields(request, service.limits)
    model = service.models[fields.optional_text("model")]
    fields.finish()
    sentences = await service.run(sentences_to_parse, treebank.trees, model.parser)
    return StreamingResponse(_parsing(service, treebank, model, sentences), media_type=NDJSON)


def sentences_to_parse(trees: Iterable[Tree], parser: ParsingFace) -> list[Sentence]:
    """Return the sentences of trees, as `sentence_to_parse` does."""
    return [sentence_to_parse(tree, parser) for tree in trees]


def sentence_to_parse(tree: Tree, parser: ParsingFace) -> Sentence:
    """Return the words of a tree, with its tags only if the parser needs them."""
    sentence = Sentence.of(tree)
    return sentence if parser.settings.needs_tags else sentence.without_tags()


async def _parsing(
    service: Service, treebank: OpenTreebank, model: ServedModel, sentences: Sequence[Sentence]
) -> AsyncIterator[bytes]:
    trees: list[Tree] = []
    step = max(1, len(sentences) // STEPS)
    try:
        number = 0
        async for analysis in model.batcher.analyse(sentences):
            number += 1
            if analysis.tree is not None:
                trees.append(analysis.tree)
            if number % step == 0:
                yield json_line({"done": number, "of": len(sentences)})
        name = f"{treebank.name}, parsed by {model.name}"
        parsed = await service.run(service.treebanks.add_trees, name, trees)
        yield json_line(parsed.to_dict())
    except Exception as error:
        yield json_line({"error": error_message(error)})


def json_line(record: object) -> bytes:
    """Return a line of a streamed answer."""
    return to_json(record) + b"\n"


async def compare(request: Request) -> Response:
    """Compare a treebank with gold trees; return scores, coverage and counts of errors."""
    service = Service.of(request)
    fields = await read_fields(request, service.limits)
    gold, pred = (service.treebanks[fields.text(name)] for name in ("gold", "pred"))
    kind = fields.choice("kind", (*(one.value for one in Kind), ""), default="")
    question = Question(
        gold.id,
        pred.id,
        fields.choice("scheme", (*SCHEMES, ""), default="") or None,
        fields.flag("disc_only"),
        ErrorFilter(
            label=fields.optional_text("label"),
            kind=Kind(kind) if kind else None,
            min_length=fields.number("min_length", 0, LONGEST, default=0),
            max_length=fields.number("max_length", 0, LONGEST, default=0) or None,
        ),
        fields.choice("order", get_args(Order), default="errors"),  # type: ignore[arg-type]
    )
    fields.finish()
    answer = await service.run(service.comparisons.compare, question, gold, pred)
    return JSONResponse(answer.to_dict())


async def list_sentences(request: Request) -> Response:
    """Return some sentences of a comparison, from the one with the number `start` in its order."""
    found = Service.of(request).comparisons[request.path_params["id"]].differences.sentences
    start = checked_number(request.query_params.get("start", "1"), "start")
    rows = enumerate(found[start - 1 : start - 1 + ROWS], start=start)
    return JSONResponse({"rows": [row(number, one) for number, one in rows]})


async def get_sentence(request: Request) -> Response:
    """Return both trees of a sentence, with the errors of interest."""
    found = Service.of(request).comparisons[request.path_params["id"]].differences.sentences
    number = checked_number(request.path_params["number"], "number")
    if number > len(found):
        raise Refusal(404, f"this comparison has {len(found):,} sentences")
    return JSONResponse(sentence_record(number, found[number - 1]))
