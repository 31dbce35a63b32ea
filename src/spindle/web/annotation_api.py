"""`/api/annotations`: sentences that a person annotates; and `/api/complete`: the model fills in the rest."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from io import StringIO
from typing import Any, get_args

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from spindle.errors import TreeError
from spindle.pipeline import Bracket, Constraints, Sentence
from spindle.treebanks.files import apply_error_policy, writable, write_trees
from spindle.treebanks.formats import TREE_FORMATS
from spindle.treebanks.reading_report import ReadingReport
from spindle.trees import Tree
from spindle.trees.labels import base_label
from spindle.trees.records import node_records, token_records
from spindle.web.annotation import (
    MOST_REVISIONS,
    AnnotatedSentence,
    Annotation,
    Order,
    State,
    Suggestion,
)
from spindle.web.answers import JSONResponse
from spindle.web.comparison_api import ROWS, STEPS, json_line, sentence_to_parse, sentences_to_parse
from spindle.web.errors import error_message
from spindle.web.models import ServedModel
from spindle.web.parse_api import NDJSON, token_lists
from spindle.web.reading import Fields, Refusal, checked_number, json_type, read_fields
from spindle.web.service import Service
from spindle.web.trees_api import WRITABLE
from spindle.web.work_folder import ANNOTATION, WorkFolder

PART = 64
"""The number of sentences after which parsed trees are stored."""
SHOWN = 200
"""The number of characters of a sentence in a list."""


def work_folder(service: Service) -> WorkFolder:
    """Return the folder of the server; refuse if it has none."""
    if service.work is None:
        raise Refusal(
            403, "this server writes nothing: it was started without a folder for annotations and models"
        )
    return service.work


# ── annotations ──────────────────────────────────────────────────────────────────────────────────────


async def list_annotations(request: Request) -> Response:
    """Return the names of the annotations; null if the server has no folder to write into."""
    service = Service.of(request)
    names = None if service.work is None else await service.run(service.work.names, ANNOTATION)
    return JSONResponse({"annotations": names})


async def begin(request: Request) -> Response:
    """Begin an annotation of a text, of sentences in words, or of an open treebank."""
    service = Service.of(request)
    work = work_folder(service)
    fields = await read_fields(request, service.limits)
    name, top = fields.text("name"), fields.text("top", "S")
    model = service.models[fields.optional_text("model")]
    if sum(given in fields for given in ("text", "tokens", "treebank")) != 1:
        raise Refusal(400, "give one of `text`, `tokens` and `treebank`")
    given: Iterable[Tree]
    if "treebank" in fields:
        given = service.treebanks[fields.text("treebank")].trees
    elif "text" in fields:
        given = _flat_trees(partial(model.parser.sentences, fields.text("text")), top)
    else:
        given = _flat_trees(partial(token_lists, fields.items("tokens")), top)
    fields.finish()

    def create() -> Annotation:
        trees = list(given)
        for number, tree in enumerate(trees, start=1):
            _check_words(tree, f"sentence {number}", service.limits.sentence_words)
        return work.create(name, trees)

    made = await service.run(create)
    return JSONResponse(made.to_dict())


def _flat_trees(split: Callable[[], Iterable[Sentence]], top: str) -> Iterator[Tree]:
    """Yield a tree with one node for every sentence."""
    for sentence in split():
        if tokens := sentence.tokens:
            yield Tree.build(tokens, [top], [-1], [0] * len(tokens))


def _check_words(tree: Tree, name: str, most: int) -> None:
    if len(tree) > most:
        raise Refusal(413, f"{name} has {len(tree):,} words; the limit is {most:,}")
    if any(token.is_empty for token in tree.tokens):
        raise Refusal(400, f"{name} has traces; strip them from the treebank first")


async def get_annotation(request: Request) -> Response:
    """Return how far an annotation is."""
    found = await _annotation(request)
    return JSONResponse(found.to_dict())


async def list_sentences(request: Request) -> Response:
    """Return sentences in a state (`open`, `done`, `all`) and an order (`confidence`, `file`)."""
    found = await _annotation(request)
    query = request.query_params
    state, order = query.get("state", "all"), query.get("order", "confidence")
    if state not in get_args(State) or order not in get_args(Order):
        raise Refusal(400, "`state` is open, done or all, and `order` confidence or file")
    start = checked_number(query.get("start", "1"), "start")
    numbers = await Service.of(request).run(found.numbers, state, order)  # type: ignore[arg-type]
    rows = [_row(number, found[number]) for number in numbers[start - 1 : start - 1 + ROWS]]
    return JSONResponse({"total": len(numbers), "rows": rows})


def _row(number: int, sentence: AnnotatedSentence) -> dict[str, Any]:
    tree = sentence.tree
    return {
        "number": number,
        "id": tree.id,
        "words": len(tree),
        "text": " ".join([token.form for token in tree.tokens[:SHOWN]])[:SHOWN],
        "done": sentence.is_done,
        "maker": sentence.maker,
        "confidence": sentence.confidence,
        "revision": sentence.revision,
    }


async def get_sentence(request: Request) -> Response:
    """Return a sentence with its tree."""
    found = await _annotation(request)
    number = checked_number(request.path_params["number"], "number")
    sentence = found[number]
    return JSONResponse({**_row(number, sentence), **_tree_record(sentence.tree, sentence.confidences)})


async def put_sentence(request: Request) -> Response:
    """Store the tree of a person; it is checked again."""
    service = Service.of(request)
    found = await _annotation(request)
    number = checked_number(request.path_params["number"], "number")
    fields = await read_fields(request, service.limits)
    tree, is_done = given_tree(fields), fields.flag("done")
    revision = fields.number("revision", 1, MOST_REVISIONS, default=1)
    fields.finish()
    sentence = await service.run(found.save, number, tree, is_done, revision)
    return JSONResponse({**found.to_dict(), "sentence": _row(number, sentence)})


def given_tree(fields: Fields) -> Tree:
    """Return the tree of a request."""
    record = fields.take("tree")
    if not isinstance(record, dict):
        raise Refusal(400, f"`tree` must be the record of a tree, not {json_type(record)}")
    try:
        tree = Tree.from_dict(record)
        "".join(tree.strings()).encode()
    except (TreeError, ValueError, OverflowError) as error:
        raise Refusal(400, f"`tree`: {error}") from None
    if not tree.labels:
        raise Refusal(400, "`tree` has no node")
    return tree


def _tree_record(tree: Tree, confidences: Sequence[float] | None) -> dict[str, Any]:
    nodes = node_records(tree)
    for node, confidence in zip(nodes, confidences or (), strict=False):
        node["confidence"] = round(confidence, 4)
    return {"words": token_records(tree.tokens), "nodes": nodes}


async def _annotation(request: Request) -> Annotation:
    service = Service.of(request)
    return await service.run(work_folder(service).__getitem__, request.path_params["name"])


# ── trees of a model ─────────────────────────────────────────────────────────────────────────────────


async def parse_annotation(request: Request) -> Response:
    """Parse the sentences that no person has changed; a stream, as for treebanks.

    What is parsed is stored, also if the client leaves.
    """
    service = Service.of(request)
    found = await _annotation(request)
    fields = await read_fields(request, service.limits)
    model = service.models[fields.optional_text("model")]
    fields.finish()
    return StreamingResponse(_parsing(service, found, model), media_type=NDJSON)


async def _parsing(service: Service, annotation: Annotation, model: ServedModel) -> AsyncIterator[bytes]:
    numbers = annotation.numbers("open", "file")
    trees = [annotation[number].tree for number in numbers]
    sentences = await service.run(sentences_to_parse, trees, model.parser)
    step = max(1, len(sentences) // STEPS)
    waiting: list[Suggestion] = []
    stored = done = 0
    try:
        analyses = model.batcher.analyse(sentences, confidences=model.parser.gives_confidences)
        async for analysis in analyses:
            if analysis.tree is not None:
                waiting.append((numbers[done], analysis.tree, analysis.candidates[0].confidences))
            done += 1
            if len(waiting) >= PART or done == len(sentences):
                stored += await service.run(annotation.suggest, waiting, model.name)
                waiting = []
            if done % step == 0:
                yield json_line({"done": done, "of": len(sentences)})
        yield json_line({**annotation.to_dict(), "parsed": stored})
    except Exception as error:
        yield json_line({"error": error_message(error)})


async def complete(request: Request) -> Response:
    """Parse a sentence; what `constraints` fix stays as it is in `tree`."""
    service = Service.of(request)
    fields = await read_fields(request, service.limits)
    tree = given_tree(fields)
    constraints = Constraints.from_dict(fields.take("constraints"))
    model = service.models[fields.optional_text("model")]
    fields.finish()
    _check_words(tree, "the sentence", service.limits.sentence_words)
    settings = model.parser.settings
    if settings.conventions.functions_in_labels:
        constraints = _without_functions(constraints)
    sentence = replace(sentence_to_parse(tree, model.parser), constraints=constraints or None)
    (analysis,) = [
        one async for one in model.batcher.analyse([sentence], confidences=model.parser.gives_confidences)
    ]
    assert analysis.tree is not None
    found = _with_functions(analysis.tree, tree)
    return JSONResponse(_tree_record(found, analysis.candidates[0].confidences))


def _without_functions(constraints: Constraints) -> Constraints:
    required, forbidden = (
        tuple([Bracket(one.words, one.label and base_label(one.label)) for one in brackets])
        for brackets in (constraints.required, constraints.forbidden)
    )
    # a label that differs in its functions only does not forbid what is required
    return replace(
        constraints, required=required, forbidden=tuple([one for one in forbidden if one not in required])
    )


def _with_functions(found: Tree, before: Tree) -> Tree:
    """Return the tree with the functions of equal nodes of another tree, on edges or in labels."""
    known: dict[tuple[int, str], tuple[str, str]] = {}
    for mask, label, function in zip(before.masks, before.labels, before.functions, strict=True):
        known.setdefault((mask, base_label(label)), (label, function))
    labels, functions = list(found.labels), list(found.functions)
    for node, (mask, label) in enumerate(zip(found.masks, found.labels, strict=True)):
        other, function = known.get((mask, label), (label, ""))
        labels[node], functions[node] = other, functions[node] or function
    return found.replace(labels=tuple(labels), functions=tuple(functions))


# ── treebanks of annotated sentences ─────────────────────────────────────────────────────────────────


async def export(request: Request) -> Response:
    """Write the trees of an annotation in a format: into the answer, or with `save` into the work folder."""
    service = Service.of(request)
    found = await _annotation(request)
    fields = await read_fields(request, service.limits)
    to = fields.choice("to", WRITABLE)
    state = fields.choice("state", get_args(State), default="done")
    saves = fields.flag("save")
    fields.finish()
    text, trees = await service.run(_written, found, state, to)  # type: ignore[arg-type]
    if not trees:
        raise Refusal(400, f"no sentence is {state}" if state != "all" else "there are no sentences")
    if not saves:
        return JSONResponse({"text": text, "trees": trees})
    ending = TREE_FORMATS[to].endings[0]
    file = await service.run(work_folder(service).save, found.name, ending, text)
    return JSONResponse({"file": file, "trees": trees})


def _written(annotation: Annotation, state: State, to: str) -> tuple[str, int]:
    stream = StringIO()
    possible = apply_error_policy(
        writable(annotation.trees(state), annotation.name, to), "stop", ReadingReport()
    )
    trees = write_trees(possible, stream, to)
    return stream.getvalue(), trees
