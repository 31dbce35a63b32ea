"""`/api/treebanks` and `/api/search`: open treebanks, their trees and statistics, and queries over them."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from spindle.reduction import Encoding
from spindle.trees import Tree
from spindle.web.answers import JSONResponse
from spindle.web.parse_api import tree_details
from spindle.web.reading import Refusal, checked_number, checked_text, read_body, read_fields
from spindle.web.service import Service
from spindle.web.treebanks import OpenTreebank
from spindle.web.trees_api import Given

ROWS = 200
"""The number of rows of a list that are sent at a time."""
SHOWN = 200
"""The number of characters of a sentence in a list."""
HITS = 10_000
"""The largest number of hits in an answer."""


async def list_treebanks(request: Request) -> Response:
    """List the open treebanks."""
    return JSONResponse({"treebanks": [one.to_dict() for one in Service.of(request).treebanks]})


async def open_treebank(request: Request) -> Response:
    """Open the treebank in the body of a request; its name may tell the format."""
    service = Service.of(request)
    name = checked_text(request.query_params.get("name", "treebank")[:200], "`name`")
    body = await read_body(request, service.limits)
    opened = await service.run(service.treebanks.open_text, name, body)
    return JSONResponse(opened.to_dict())


async def list_trees(request: Request) -> Response:
    """Return some sentences of a treebank, from the one with the number `start`."""
    treebank = _treebank(request)
    start = checked_number(request.query_params.get("start", "1"), "start")
    rows = enumerate(treebank.trees[start - 1 : start - 1 + ROWS], start=start)
    return JSONResponse({"rows": [_row(number, tree) for number, tree in rows]})


def _row(number: int, tree: Tree) -> dict[str, Any]:
    text = " ".join([token.form for token in tree.tokens[:SHOWN]])
    return {"number": number, "id": tree.id, "words": len(tree), "text": text[:SHOWN]}


async def get_tree(request: Request) -> Response:
    """Return a tree with heads, and its d-tree."""
    treebank = _treebank(request)
    number = checked_number(request.path_params["number"], "number")
    if number > len(treebank.trees):
        raise Refusal(404, f"this treebank has {len(treebank.trees):,} trees")
    tree = treebank.trees[number - 1]
    return JSONResponse({**_row(number, tree), "tree": str(tree), **tree_details(tree, Encoding.DIRECT)})


async def statistics(request: Request) -> Response:
    """Return the figures of `spindle stats`."""
    treebank = _treebank(request)
    return JSONResponse(await Service.of(request).run(lambda: treebank.statistics))


async def search(request: Request) -> Response:
    """Search an open treebank, or trees that are sent."""
    service = Service.of(request)
    fields = await read_fields(request, service.limits)
    pattern = fields.text("pattern")
    limit = fields.number("limit", 0, HITS, default=1_000)
    if "treebank" in fields:
        treebank = service.treebanks[fields.text("treebank")]
        fields.finish()
        return JSONResponse(await service.run(service.treebanks.search, treebank, pattern, limit))
    given = Given.of(fields)
    fields.finish()
    return JSONResponse(
        await service.run(lambda: service.treebanks.search_trees(list(given.trees()), pattern, limit))
    )


def _treebank(request: Request) -> OpenTreebank:
    return Service.of(request).treebanks[request.path_params["id"]]
