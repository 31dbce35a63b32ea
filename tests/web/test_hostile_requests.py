"""Mutants of requests: an answer or a refusal of one line, never a mistake of the server."""

import copy
import json
import random
import time
from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs spindle-parser[web]")

from starlette.testclient import TestClient

from properties.test_fuzz import mutate
from spindle.pipeline import Parser
from spindle.web import Limits
from support.hostile_models import mutate_manifest
from web.conftest import Clients, post

MUTANTS = 1_000
SECONDS = 120.0
"""More than any request may take on a busy machine; the first search also starts a process."""
TREE = "(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))"
REQUESTS: list[tuple[str, dict[str, Any]]] = [
    ("/api/parse", {"text": "The cat sleeps. It works!", "k": 3, "scores": True, "details": True}),
    ("/api/parse", {"tokens": [["It", "works"], [{"form": "saw", "tag": "NN"}]], "model": "light"}),
    ("/api/convert", {"text": TREE, "from": "bracket", "to": "export"}),
    ("/api/encode", {"text": TREE, "heads": "collins", "encoding": "delta"}),
    ("/api/evaluate", {"gold": TREE, "pred": TREE}),
    ("/api/search", {"text": TREE, "pattern": "NP < (NN=a $ DT) & !> VP"}),
    ("/api/search", {"text": TREE, "pattern": "/^N(P|N)+$/ <# __ : VP", "limit": 5}),
]
NAMES = ["x.ptb", "x.zst", "x.gz", "x.xml", "../../x", "\x1b[31m", "a" * 5_000, "x.export"]


def refused_or_answered(response: Any, what: str) -> int:
    assert response.status_code in (200, 400, 404, 405, 413, 415), f"{what}: {response.status_code}"
    if response.status_code != 200:
        assert response.json()["error"].strip(), what
        assert "Traceback" not in response.text, what
    return int(response.status_code)


def test_mutants_of_requests(clients: Clients, fast: Parser) -> None:
    client = clients(Limits(seconds=SECONDS))
    expected = str(fast.parse(["It", "works", "."]))
    outcomes = {200: 0, 400: 0}
    for number in range(MUTANTS):
        chance = random.Random(f"requests {number}")
        path, body = copy.deepcopy(chance.choice(REQUESTS))
        content: bytes
        if chance.random() < 0.7:
            for _ in range(chance.randint(1, 2)):
                what = mutate_manifest(body, chance) if body else "nothing"
            content = json.dumps(body).encode()
        else:
            content, what = mutate(json.dumps(body).encode(), chance), "bytes"
        kind = "application/json" if chance.random() < 0.97 else chance.choice(["text/plain", "", "\xff"])
        start = time.perf_counter()
        response = client.post(path, content=content, headers={b"content-type": kind.encode("latin-1")})
        status = refused_or_answered(response, f"{number} {path} {what} {content[:300]!r}")
        outcomes[status] = outcomes.get(status, 0) + 1
        assert time.perf_counter() - start < SECONDS, f"{number} {path} {what}"
        if number % 100 == 0:
            (sentence,) = post(client, "/api/parse", {"tokens": [["It", "works", "."]]})["sentences"]
            assert sentence["tree"] == expected
    assert min(outcomes[200], outcomes[400]) > MUTANTS / 20


def test_mutants_of_treebanks_that_are_sent(client: TestClient) -> None:
    for number in range(MUTANTS // 5):
        chance = random.Random(f"treebanks {number}")
        data = mutate((TREE + "\n").encode() * 3, chance)
        response = client.post("/api/treebanks", params={"name": chance.choice(NAMES)}, content=data)
        refused_or_answered(response, f"{number} {data!r}")


ADDRESSES = ["/api/treebanks/0/trees", "/api/treebanks/²/trees", "/api/comparisons/x/sentences"]
STARTS = ["0", "-1", "1e9", "²", "9" * 5_000, "%00"]


@pytest.mark.parametrize("path", ADDRESSES)
@pytest.mark.parametrize("start", STARTS)
def test_hostile_addresses(client: TestClient, path: str, start: str) -> None:
    refused_or_answered(client.get(f"{path}?start={start}"), path)
