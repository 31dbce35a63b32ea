"""`POST /api/convert`, `/api/encode`, `/api/decode`, `/api/evaluate`: the verbs for trees that are sent."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import chain, islice
from typing import Any, Self

from starlette.requests import Request
from starlette.responses import Response

from spindle.drawing import draw_tree, latex_document, latex_tree, svg_stack, svg_tree
from spindle.errors import TreeError
from spindle.evaluation import evaluate as score_trees
from spindle.evaluation.entries import read_entries
from spindle.evaluation.schemes import SCHEMES
from spindle.heads import SAMPLE_TREES, HeadFinder, available_rules, guess_rules, load_rules
from spindle.reduction import Encoding, Mode, Repairs, read_rows, write_rows
from spindle.reduction import decode as restore
from spindle.reduction import encode as reduce
from spindle.treebanks import Source
from spindle.treebanks.files import (
    apply_error_policy,
    holds_dependencies,
    read_dependencies,
    read_trees,
    writable,
    write_dependencies,
    write_trees,
)
from spindle.treebanks.formats import DEPENDENCY_FORMATS, TREE_FORMATS
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.transforms import PUNCTUATION, STRIP, apply, plan
from spindle.trees import Dependencies, Tree
from spindle.web.answers import JSONResponse
from spindle.web.reading import Fields, Refusal, json_type, read_fields, shown
from spindle.web.service import Service

READABLE = (*TREE_FORMATS, *DEPENDENCY_FORMATS)
WRITABLE = tuple(name for name, format in TREE_FORMATS.items() if format.write)
DEPENDENCIES = tuple(DEPENDENCY_FORMATS)
PICTURES = ("text", "svg", "latex")
GUESS = "guess"
"""The choice of head rules by the labels of the trees."""


async def convert(request: Request) -> Response:
    """Convert trees from any format to any other, with transforms, or draw them."""
    service = Service.of(request)
    fields = await read_fields(request, service.limits)
    to = fields.choice("to", (*WRITABLE, *DEPENDENCIES, "json", *PICTURES))
    return JSONResponse(await service.run(_convert, fields, to))


def _convert(fields: Fields, to: str) -> dict[str, Any]:
    strip = [name for name in fields.items("strip") if isinstance(name, str)] if "strip" in fields else []
    for name in strip:
        if name not in STRIP:
            raise Refusal(400, f"`strip` cannot be {shown(name)}; choose from {', '.join(STRIP)}")
    punct = fields.choice("punct", tuple(PUNCTUATION), default="leave")
    merges, resolves = fields.flag("functions"), fields.flag("resolve_traces")
    wrapper = fields.optional_text("wrapper")
    heads = _heads(fields)
    given = Given.of(fields)
    fields.finish()
    if given.source is not None and holds_dependencies([given.source], given.format):
        if strip or punct != "leave" or merges or resolves or wrapper is not None or to not in DEPENDENCIES:
            raise Refusal(400, "these are dependencies; `/api/decode` turns them into trees first")
        return _write_rows(read_dependencies([given.source], given.format), to)
    steps = plan(
        resolve=resolves,
        strip=strip,
        functions="merge" if merges else "leave",
        punctuation=punct,
        wrapper=wrapper,
    )
    changed = apply_error_policy(apply(steps, given.trees(), "text"), "stop", ReadingReport())
    return _written(changed, to, heads)


def _written(trees: Iterable[Tree], to: str, heads: str) -> dict[str, Any]:
    """Return the text of trees in a format, and their number."""
    if to in DEPENDENCIES:
        found, _ = _with_heads(trees, heads)
        return _write_rows(write_rows(map(reduce, found), Encoding.DIRECT), to)
    if to in WRITABLE:
        stream = StringIO()
        possible = apply_error_policy(writable(trees, "answer", to), "stop", ReadingReport())
        return {"trees": write_trees(possible, stream, to), "text": stream.getvalue()}
    drawn = list(trees)
    if to == "json":
        text = "".join(json.dumps(tree.to_dict(), ensure_ascii=False) + "\n" for tree in drawn)
    elif to == "svg":
        text = svg_tree(drawn[0]) if len(drawn) == 1 else svg_stack(map(svg_tree, drawn))
    elif to == "latex":
        text = latex_document(map(latex_tree, drawn))
    else:
        text = "\n".join(map(draw_tree, drawn))
    return {"trees": len(drawn), "text": text}


def _write_rows(rows: Iterable[Dependencies], to: str) -> dict[str, Any]:
    stream = StringIO()
    return {"trees": write_dependencies(rows, stream, to), "text": stream.getvalue()}


async def encode(request: Request) -> Response:
    """Write trees as head-ordered dependency trees."""
    service = Service.of(request)
    fields = await read_fields(request, service.limits)
    return JSONResponse(await service.run(_encode, fields))


def _encode(fields: Fields) -> dict[str, Any]:
    encoding = Encoding(fields.choice("encoding", tuple(Encoding), default="direct"))
    to = fields.choice("to", DEPENDENCIES, default="conllu")
    heads = _heads(fields)
    given = Given.of(fields)
    fields.finish()
    found, name = _with_heads(given.trees(), heads)
    return {**_write_rows(write_rows(map(reduce, found), encoding), to), "heads": name}


async def decode(request: Request) -> Response:
    """Turn dependency trees back into constituent trees."""
    service = Service.of(request)
    fields = await read_fields(request, service.limits)
    return JSONResponse(await service.run(_decode, fields))


def _decode(fields: Fields) -> dict[str, Any]:
    given = fields.choice("encoding", (*Encoding, ""), default="")
    encoding = Encoding(given) if given else None
    mode = Mode(fields.choice("mode", tuple(Mode), default=str(Mode.DISCONTINUOUS)))
    to = fields.choice("to", (*WRITABLE, "json", *PICTURES), default="discbracket")
    rows = read_dependencies([_source(fields, "text")], _format(fields))
    fields.finish()
    repairs: Counter[str] = Counter()

    def restored(reduced: Any, needed: Repairs) -> Tree:
        repairs.update(needed.counts)
        return restore(reduced)

    trees = (restored(*pair) for pair in read_rows(rows, encoding, mode))
    return {**_written(trees, to, GUESS), "repairs": dict(repairs)}


async def evaluate(request: Request) -> Response:
    """Score predicted trees against gold trees."""
    service = Service.of(request)
    fields = await read_fields(request, service.limits)
    return JSONResponse(await service.run(_evaluate, fields))


def _evaluate(fields: Fields) -> dict[str, Any]:
    scheme = fields.choice("scheme", (*SCHEMES, ""), default="") or None
    cutoff = fields.number("cutoff", 0, 1 << 30, default=0) or None
    disc_only, per_sentence = fields.flag("disc_only"), fields.flag("per_sentence")
    format = _format(fields)
    gold, pred = (read_entries([_source(fields, name)], format) for name in ("gold", "pred"))
    fields.finish()
    score = score_trees(gold, pred, scheme, cutoff=cutoff, disc_only=disc_only)
    return score.to_dict(per_sentence)


# ── trees of a request ───────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Given:
    """The trees of a request: text in a treebank format, or records."""

    source: Source | None
    format: str | None
    records: Sequence[Any] = ()

    @classmethod
    def of(cls, fields: Fields) -> Self:
        """Return the trees of a request; they are read when they are asked for."""
        if ("text" in fields) == ("trees" in fields):
            raise Refusal(400, "give either `text` or `trees`")
        if "text" in fields:
            return cls(_source(fields, "text"), _format(fields))
        if "from" in fields:
            raise Refusal(400, "`from` is the format of `text`; leave it out with `trees`")
        return cls(None, None, fields.items("trees"))

    def trees(self) -> Iterator[Tree]:
        """Yield the trees."""
        if self.source is not None:
            return read_trees([self.source], self.format)
        return (_tree(record, number) for number, record in enumerate(self.records))


def _tree(record: Any, number: int) -> Tree:
    if not isinstance(record, dict):
        raise Refusal(400, f"`trees[{number}]` must be the record of a tree, not {json_type(record)}")
    try:
        return Tree.from_dict(record)
    except (TreeError, ValueError, OverflowError) as error:
        raise Refusal(400, f"`trees[{number}]`: {error}") from None


def _source(fields: Fields, name: str) -> Source:
    return Source.from_text(fields.text(name), name)


def _format(fields: Fields) -> str | None:
    return fields.choice("from", (*READABLE, ""), default="") or None


def _heads(fields: Fields) -> str:
    """Return the name of head rules; a path is not a name, so no file is opened."""
    return fields.choice("heads", (*available_rules(), GUESS), default=GUESS)


def _with_heads(trees: Iterable[Tree], heads: str) -> tuple[Iterator[Tree], str]:
    """Return the trees with heads and the name of the rules; trees that have heads keep them."""
    trees = iter(trees)
    if heads == GUESS:
        sample = list(islice(trees, SAMPLE_TREES))
        heads, trees = guess_rules(sample).name, chain(sample, trees)
    finder = HeadFinder(load_rules(heads))
    return (finder(tree) if tree.heads is None else tree for tree in trees), heads
