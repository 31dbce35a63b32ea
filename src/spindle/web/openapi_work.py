"""The description of the API for comparing, annotating and training."""

from __future__ import annotations

import re
from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean", "default": False}
NUMBER: Schema = {"type": "integer", "minimum": 0}


def json_object(required: str = "", **properties: Schema) -> Schema:
    """Return the schema of an object; `required` are the names of fields that must be there."""
    found: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**found, "required": required.split()} if required else found


def json_content(schema: Schema) -> Schema:
    """Return the description of a body in JSON."""
    return {"application/json": {"schema": schema}}


CALLS: dict[tuple[str, str], tuple[str, Schema | None]] = {
    ("/api/treebanks/{id}/parse", "post"): (
        "Parse an open treebank with a model; a stream of lines with `done` and `of`, then the new treebank.",
        json_object(model={**TEXT, "description": "One of `/api/models`; the first if it is missing."}),
    ),
    ("/api/comparisons", "post"): (
        "Compare an open treebank with gold trees: scores, signature, coverage, errors by kind and label.",
        json_object(
            "gold pred",
            gold={**TEXT, "description": "The id of an open treebank."},
            pred={**TEXT, "description": "The id of an open treebank."},
            kind={**TEXT, "description": "Only errors of this kind."},
            label={**TEXT, "description": "Only errors with this label."},
            min_length=NUMBER,
            max_length=NUMBER,
            order={**TEXT, "default": "errors", "description": "errors, f1 or file."},
            scheme=TEXT,
            disc_only=FLAG,
        ),
    ),
    ("/api/comparisons/{id}/sentences", "get"): (
        "Sentences of a comparison, from the one with the number `start`.",
        None,
    ),
    ("/api/comparisons/{id}/sentences/{number}", "get"): (
        "Both trees of a sentence, and their errors.",
        None,
    ),
    ("/api/annotations", "get"): (
        "The names of the annotations; null if the server was started without a folder to write into.",
        None,
    ),
    ("/api/annotations", "post"): (
        "Begin an annotation of a text, of sentences in words, or of an open treebank.",
        json_object(
            "name",
            name=TEXT,
            text=TEXT,
            tokens={"type": "array", "items": {"type": "array", "items": {"type": ["string", "object"]}}},
            treebank={**TEXT, "description": "The id of an open treebank."},
            model={**TEXT, "description": "Splits `text` as this model does."},
            top={**TEXT, "default": "S", "description": "The label above all words until they are parsed."},
        ),
    ),
    ("/api/annotations/{name}", "get"): ("How far an annotation is.", None),
    ("/api/annotations/{name}/parse", "post"): (
        "Parse the sentences that no person has changed; a stream of lines with `done` and `of`.",
        json_object(model=TEXT),
    ),
    ("/api/annotations/{name}/sentences", "get"): (
        "Sentences in a `state` (open, done, all) and an `order` (confidence, file), from `start`.",
        None,
    ),
    ("/api/annotations/{name}/sentences/{number}", "get"): ("A sentence with its tree.", None),
    ("/api/annotations/{name}/sentences/{number}", "put"): (
        "Store the tree of a person.",
        json_object(
            "tree revision", tree={"type": "object"}, done=FLAG, revision={"type": "integer", "minimum": 1}
        ),
    ),
    ("/api/annotations/{name}/export", "post"): (
        "Write the trees in a format; with `save` into the work folder.",
        json_object("to", to=TEXT, state={**TEXT, "default": "done"}, save=FLAG),
    ),
    ("/api/complete", "post"): (
        "Parse a sentence; what `constraints` fix stays as it is.",
        json_object("tree constraints", tree={"type": "object"}, constraints={"type": "object"}, model=TEXT),
    ),
    ("/api/trainings", "get"): ("The trainings of this server, the newest first.", None),
    ("/api/trainings", "post"): (
        "Train a model from the sentences of an annotation that are done.",
        json_object(
            "name annotation",
            name={**TEXT, "description": "The name of the model."},
            annotation=TEXT,
            treebank={**TEXT, "description": "The id of an open treebank with further trees."},
            dev_percent={"type": "integer", "minimum": 0, "maximum": 50, "default": 10},
            parser={**TEXT, "default": "linear"},
            order=TEXT,
            epochs={"type": "integer", "minimum": 1},
            seed=NUMBER,
        ),
    ),
    ("/api/trainings/{id}", "get"): ("How far a training is.", None),
    ("/api/trainings/{id}/cancel", "post"): ("Stop a training.", None),
}
"""What every call does, and the schema of its body."""


def paths(error: Schema) -> dict[str, Any]:
    """Return the descriptions by path."""
    found: dict[str, Any] = {}
    for (path, method), (summary, body) in CALLS.items():
        call: dict[str, Any] = {"summary": summary}
        if names := re.findall(r"{(\w+)}", path):
            call["parameters"] = [
                {"name": name, "in": "path", "required": True, "schema": TEXT} for name in names
            ]
        if body is not None:
            call["requestBody"] = {"required": True, "content": json_content(body)}
        call["responses"] = {"200": {"description": "Done."}, "4XX": error}
        found.setdefault(path, {})[method] = call
    return found
