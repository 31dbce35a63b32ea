"""The application: routes, and the way of a request through token, gate and time limit."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from spindle import __version__
from spindle.web import (
    annotation_api,
    comparison_api,
    openapi,
    parse_api,
    training_api,
    treebank_api,
    trees_api,
)
from spindle.web.answers import JSONResponse
from spindle.web.errors import error_response
from spindle.web.guard import Guard
from spindle.web.reading import Refusal
from spindle.web.service import Service

METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
Handler = Callable[[Request], Awaitable[Response]]


def create_app(
    service: Service, *, hosts: frozenset[str] | None = None, origins: Sequence[str] = ()
) -> Starlette:
    """Return the application; `hosts` and `origins` are those of `Guard`.

    The service is closed when the server stops.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(service.close)

    routes = _routes()
    paths = {route.endpoint: route.path for route in routes if isinstance(route, Route)}
    middleware = [Middleware(Guard, service.metrics, hosts, origins, paths)]
    if origins:
        allowed = ["authorization", "content-type"]
        middleware.append(
            Middleware(CORSMiddleware, allow_origins=origins, allow_methods=["*"], allow_headers=allowed)
        )
    app = Starlette(
        routes=routes,
        middleware=middleware,
        lifespan=lifespan,
        exception_handlers={HTTPException: _http_error, Exception: _unexpected},
    )
    app.state.service = service
    return app


def _routes() -> list[BaseRoute]:
    static = files("spindle.web") / "static"
    return [
        _api("/api/models", GET=parse_api.list_models),
        _api("/api/parse", POST=parse_api.parse),
        _api("/api/convert", POST=trees_api.convert),
        _api("/api/encode", POST=trees_api.encode),
        _api("/api/decode", POST=trees_api.decode),
        _api("/api/evaluate", POST=trees_api.evaluate),
        _api("/api/search", POST=treebank_api.search),
        _api("/api/treebanks", GET=treebank_api.list_treebanks, POST=treebank_api.open_treebank),
        _api("/api/treebanks/{id}/trees", GET=treebank_api.list_trees),
        _api("/api/treebanks/{id}/trees/{number}", GET=treebank_api.get_tree),
        _api("/api/treebanks/{id}/statistics", GET=treebank_api.statistics),
        _api("/api/treebanks/{id}/parse", POST=comparison_api.parse_treebank),
        _api("/api/comparisons", POST=comparison_api.compare),
        _api("/api/comparisons/{id}/sentences", GET=comparison_api.list_sentences),
        _api("/api/comparisons/{id}/sentences/{number}", GET=comparison_api.get_sentence),
        _api("/api/annotations", GET=annotation_api.list_annotations, POST=annotation_api.begin),
        _api("/api/annotations/{name}", GET=annotation_api.get_annotation),
        _api("/api/annotations/{name}/parse", POST=annotation_api.parse_annotation),
        _api("/api/annotations/{name}/export", POST=annotation_api.export),
        _api("/api/annotations/{name}/sentences", GET=annotation_api.list_sentences),
        _api(
            "/api/annotations/{name}/sentences/{number}",
            GET=annotation_api.get_sentence,
            PUT=annotation_api.put_sentence,
        ),
        _api("/api/complete", POST=annotation_api.complete),
        _api("/api/trainings", GET=training_api.list_trainings, POST=training_api.start),
        _api("/api/trainings/{id}", GET=training_api.get_training),
        _api("/api/trainings/{id}/cancel", POST=training_api.cancel),
        Route("/openapi.json", _openapi, methods=["GET"]),
        Route("/health", _health, methods=["GET"]),
        _api("/metrics", GET=_metrics),
        Mount("/", StaticFiles(directory=str(static), html=True), name="page"),
    ]


def _api(path: str, **handlers: Handler) -> Route:
    """Return a route with a handler by method; they need the token and a place in the gate.

    Their time is limited.
    """

    async def answer(request: Request) -> Response:
        service = Service.of(request)
        try:
            if request.method not in handlers:
                allowed = ", ".join(handlers)
                raise Refusal(405, f"this address takes {allowed}", {"Allow": allowed})
            _check_token(request, service.token)
            with ExitStack() as stack:
                stack.enter_context(service.gate.admitted(request.client.host if request.client else ""))
                end = asyncio.get_running_loop().time() + service.limits.seconds
                async with asyncio.timeout_at(end):
                    response = await handlers[request.method](request)
                if isinstance(response, StreamingResponse):
                    response.body_iterator = _within(response.body_iterator, stack.pop_all())
                return response
        except Exception as error:
            return error_response(error)

    return Route(path, answer, methods=METHODS)


async def _within(body: Any, stack: ExitStack) -> AsyncIterator[Any]:
    """Yield the parts of a streamed answer; it has a place in the gate until its end."""
    with stack:
        async for part in body:
            yield part


def _check_token(request: Request, token: str | None) -> None:
    if token is None:
        return
    kind, _, given = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or not hmac.compare_digest(given.strip().encode("latin-1"), token.encode()):
        message = "this server needs a token: send the header `Authorization: Bearer TOKEN`"
        raise Refusal(401, message, {"WWW-Authenticate": "Bearer"})


async def _health(request: Request) -> Response:
    return JSONResponse({"status": "ok", "version": __version__})


async def _openapi(request: Request) -> Response:
    return JSONResponse(openapi.description())


async def _metrics(request: Request) -> Response:
    service = Service.of(request)
    gauges: dict[str, float] = {"spindle_requests_inside": service.gate.inside}
    for model in service.models:
        label = f'{{model="{model.name}"}}'
        gauges[f"spindle_sentences_waiting{label}"] = model.batcher.waiting
        gauges[f"spindle_sentences_parsed{label}"] = model.batcher.sentences
        gauges[f"spindle_batches_parsed{label}"] = model.batcher.batches
    return PlainTextResponse(service.metrics.to_text(gauges))


async def _http_error(request: Request, error: Exception) -> Response:
    """Answer for a path or a method that does not exist."""
    assert isinstance(error, HTTPException)
    message = "there is nothing at this address" if error.status_code == 404 else error.detail
    return JSONResponse({"error": message}, error.status_code, dict(error.headers or {}))


async def _unexpected(request: Request, error: Exception) -> Response:
    return error_response(error)
