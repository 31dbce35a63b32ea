"""The description of the API in the form of OpenAPI 3.1, made from one table."""

from __future__ import annotations

from typing import Any

from spindle import __version__
from spindle.web import openapi_work
from spindle.web.openapi_work import FLAG, TEXT, Schema, json_content, json_object

TREES: Schema = {
    "type": "array",
    "items": {"type": "object"},
    "description": "Trees as records, as `to: json`.",
}
FROM: Schema = {**TEXT, "description": "The format of `text`; guessed if it is missing."}
HEADS: Schema = {**TEXT, "default": "guess", "description": "The name of head rules."}

TOKEN: Schema = {
    "type": "object",
    "required": ["form", "tag", "start", "end"],
    "properties": {
        "form": TEXT,
        "tag": TEXT,
        "start": {
            "type": ["integer", "null"],
            "description": "Offset in `text`; null if `tokens` were sent.",
        },
        "end": {"type": ["integer", "null"]},
    },
}
SENTENCE: Schema = {
    "type": "object",
    "required": ["tree", "tokens"],
    "properties": {
        "tree": {
            "type": ["string", "null"],
            "description": "In brackets, or discbracket if it is discontinuous; null without words.",
        },
        "tokens": {"type": "array", "items": TOKEN},
        "nodes": {"type": "array", "items": {"type": "object"}, "description": "With `scores` or `details`."},
        "arcs": {"type": "array", "items": {"type": "object"}, "description": "The d-tree, with `details`."},
        "candidates": {
            "type": "array",
            "items": {"type": "object"},
            "description": "The best trees, with `k`.",
        },
        "pieces": {"type": "integer", "description": "Above 1 if a long sentence was parsed in pieces."},
    },
}


def _written(**more: Schema) -> Schema:
    return {"type": "object", "properties": {"text": TEXT, "trees": {"type": "integer"}, **more}}


REQUESTS: dict[str, tuple[str, Schema, Schema]] = {
    "/api/parse": (
        "Parse text, or sentences in words.",
        json_object(
            text={**TEXT, "description": "A text; it is split into sentences and words."},
            tokens={
                "type": "array",
                "description": "Sentences: lists of words, or of objects with `form` and `tag`.",
                "items": {"type": "array", "items": {"type": ["string", "object"]}},
            },
            model={**TEXT, "description": "One of `/api/models`; the first if it is missing."},
            k={"type": "integer", "minimum": 1, "default": 1, "description": "How many trees of a sentence."},
            scores={**FLAG, "description": "Give the confidence of every node."},
            details={**FLAG, "description": "Give nodes with heads, and the head-ordered d-tree."},
            stream={**FLAG, "description": "Answer with a line of JSON for every sentence, as it is parsed."},
        ),
        {"type": "object", "properties": {"sentences": {"type": "array", "items": SENTENCE}}},
    ),
    "/api/convert": (
        "Convert trees from any format to any other, with transforms, or draw them.",
        json_object(
            "to",
            **{"from": FROM},
            text=TEXT,
            trees=TREES,
            to=TEXT,
            heads=HEADS,
            strip={"type": "array", "items": TEXT},
            punct={**TEXT, "default": "leave"},
            functions=FLAG,
            wrapper=TEXT,
            resolve_traces=FLAG,
        ),
        _written(),
    ),
    "/api/encode": (
        "Write trees as head-ordered dependency trees.",
        json_object("", text=TEXT, trees=TREES, **{"from": FROM}, to=TEXT, heads=HEADS, encoding=TEXT),
        _written(heads=TEXT),
    ),
    "/api/decode": (
        "Turn dependency trees back into constituent trees; what is not a tree is repaired.",
        json_object("text", text=TEXT, **{"from": FROM}, to=TEXT, encoding=TEXT, mode=TEXT),
        _written(repairs={"type": "object"}),
    ),
    "/api/evaluate": (
        "Score predicted trees against gold trees.",
        json_object(
            "gold pred",
            gold=TEXT,
            pred=TEXT,
            **{"from": FROM},
            scheme=TEXT,
            cutoff={"type": "integer", "minimum": 0},
            disc_only=FLAG,
            per_sentence=FLAG,
        ),
        {"type": "object"},
    ),
    "/api/search": (
        "Search an open treebank, or trees that are sent, with a pattern.",
        json_object(
            "pattern",
            pattern={**TEXT, "description": "As `spindle search` takes it."},
            treebank={**TEXT, "description": "The id of an open treebank, instead of trees."},
            text=TEXT,
            trees=TREES,
            **{"from": FROM},
            limit={"type": "integer", "minimum": 0, "description": "How many hits are listed."},
        ),
        {
            "type": "object",
            "properties": {
                "matches": {"type": "integer"},
                "trees": {"type": "integer"},
                "searched": {"type": "integer"},
                "numbers": {"type": "array", "items": {"type": "integer"}},
                "hits": {"type": "array", "items": {"type": "object"}},
            },
        },
    ),
}
"""The requests with a body: what they do, the body, and the answer."""

READS = {
    "/api/models": "The models of this server; the first is the default.",
    "/api/treebanks": "The open treebanks.",
    "/health": "Whether the server answers.",
    "/metrics": "Figures of the server, as text for Prometheus.",
    "/openapi.json": "This description.",
}


def description() -> dict[str, Any]:
    """Return the description of the API."""
    error = {
        "description": "What is wrong, and what to do.",
        "content": json_content({"type": "object", "required": ["error"], "properties": {"error": TEXT}}),
    }
    paths: dict[str, Any] = {
        path: {"get": {"summary": summary, "responses": {"200": {"description": "Done."}, "4XX": error}}}
        for path, summary in READS.items()
    }
    for path, (summary, body, answer) in REQUESTS.items():
        responses = {
            "200": {"description": "Done.", "content": json_content(answer)},
            "4XX": error,
            "503": {**error, "description": "Too much work; try again after the time in `Retry-After`."},
        }
        request = {"required": True, "content": json_content(body)}
        paths[path] = {"post": {"summary": summary, "requestBody": request, "responses": responses}}
    paths |= openapi_work.paths(error)
    treebank = {"name": "id", "in": "path", "required": True, "schema": TEXT}
    number = {"name": "number", "in": "path", "required": True, "schema": {"type": "integer"}}
    paths["/api/treebanks"]["post"] = {
        "summary": "Open the file in the body.",
        "parameters": [{"name": "name", "in": "query", "schema": TEXT}],
        "requestBody": {"content": {"application/octet-stream": {}}},
        "responses": {"200": {"description": "Done."}, "4XX": error},
    }
    for part, summary, parameters in (
        ("trees", "Sentences of a treebank, from the one with the number `start`.", [treebank]),
        ("trees/{number}", "A tree with heads, and its d-tree.", [treebank, number]),
        ("statistics", "The figures of `spindle stats`.", [treebank]),
    ):
        responses = {"200": {"description": "Done."}, "4XX": error}
        shown = {"summary": summary, "parameters": parameters, "responses": responses}
        paths[f"/api/treebanks/{{id}}/{part}"] = {"get": shown}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Spindle", "version": __version__},
        "paths": paths,
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{}, {"token": []}],
    }
