"""Gold beside parsed: the same as `spindle diff`, with filters; treebanks parsed by a model."""

import json
from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs spindle-parser[web]")

from starlette.testclient import TestClient

from spindle.evaluation.differences import diff
from spindle.pipeline import Parser
from spindle.trees import Tree
from web.conftest import post

GOLD = """(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))
(S (NP (PRP She)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN with) (NP (DT a) (NN hat))))))
(S (NP (PRP It)) (VP (VBZ rains)))
"""
PARSED = """(S (NX (DT the) (NN cat)) (VP (VBZ sleeps)))
(S (NP (PRP She)) (VP (VBD saw) (NP (DT a) (NN man)) (PP (IN with) (NP (DT a) (NN hat)))))
(S (NP (PRP It)) (VP (VBZ rains)))
"""


def opened(client: TestClient, text: str, name: str = "some.ptb") -> str:
    id = client.post(f"/api/treebanks?name={name}", content=text.encode()).json()["id"]
    assert isinstance(id, str)
    return id


def trees(text: str) -> list[Tree]:
    return [Tree.from_string(line) for line in text.splitlines()]


@pytest.mark.parametrize(
    "filters",
    [
        {},
        {"kind": "label"},
        {"kind": "attachment", "order": "file"},
        {"label": "NX"},
        {"max_length": 3},
        {"min_length": 4, "order": "f1"},
        {"label": "XX"},
    ],
)
def test_it_is_what_diff_finds(client: TestClient, filters: dict[str, Any]) -> None:
    gold, pred = opened(client, GOLD), opened(client, PARSED)
    record = post(client, "/api/comparisons", {"gold": gold, "pred": pred, **filters})
    expected = diff(trees(GOLD), trees(PARSED), **filters)
    assert record["signature"] == expected.signature
    assert record["f1"] == expected.totals.f1
    assert record["coverage"] == expected.totals.coverage
    assert (record["shown"], record["errors"]) == (len(expected.sentences), expected.errors)
    rows = client.get(f"/api/comparisons/{record['id']}/sentences").json()["rows"]
    assert [row["name"] for row in rows] == [one.score.name for one in expected.sentences]
    for row, one in zip(rows, expected.sentences, strict=True):
        path = f"/api/comparisons/{record['id']}/sentences/{row['number']}"
        both = client.get(path).json()
        assert [error["node"] for error in both["gold"]["errors"]] == [error.node for error in one.missing]
        assert [error["node"] for error in both["pred"]["errors"]] == [error.node for error in one.extra]
        assert [node["label"] for node in both["gold"]["nodes"]] == list(one.gold.labels)


def test_counts_are_of_all_errors_whatever_the_filter(client: TestClient) -> None:
    body = {"gold": opened(client, GOLD), "pred": opened(client, PARSED)}
    everything = post(client, "/api/comparisons", body)
    filtered = post(client, "/api/comparisons", {**body, "kind": "label"})
    assert filtered["kinds"] == everything["kinds"] == post(client, "/api/comparisons", body)["kinds"]
    assert filtered["labels"] == everything["labels"] == {"NP": 2, "NX": 1}
    assert filtered["errors"] == 2


def test_missing_sentences_are_counted(client: TestClient) -> None:
    fewer = "\n".join(PARSED.splitlines()[1:])
    record = post(client, "/api/comparisons", {"gold": opened(client, GOLD), "pred": opened(client, fewer)})
    assert record["coverage"]["missing"] == 1
    assert "aligned by their words" in record["remark"]
    numbers = range(1, record["shown"] + 1)
    both = [client.get(f"/api/comparisons/{record['id']}/sentences/{number}").json() for number in numbers]
    assert [one["pred"] is None for one in both] == [True, False]
    assert both[0]["problem"]


@pytest.mark.parametrize(
    ("change", "status", "part"),
    [
        ({"gold": "99"}, 404, "no treebank '99'"),
        ({"kind": "odd"}, 400, "attachment"),
        ({"order": "random"}, 400, "errors"),
        ({"min_length": 1000}, 400, "no sentence of this length"),
        ({"more": 1}, 400, "no field `more`"),
    ],
)
def test_refusals(client: TestClient, change: dict[str, Any], status: int, part: str) -> None:
    body = {"gold": opened(client, GOLD), "pred": opened(client, PARSED), **change}
    assert part in post(client, "/api/comparisons", body, status)["error"]


def test_what_is_not_there(client: TestClient) -> None:
    assert "compare the treebanks again" in client.get("/api/comparisons/99/sentences").json()["error"]
    id = post(client, "/api/comparisons", {"gold": opened(client, GOLD), "pred": opened(client, PARSED)})[
        "id"
    ]
    assert "has 2 sentences" in client.get(f"/api/comparisons/{id}/sentences/3").json()["error"]
    assert "whole number" in client.get(f"/api/comparisons/{id}/sentences/x").json()["error"]


def test_a_treebank_parsed_by_a_model(client: TestClient, fast: Parser) -> None:
    id = opened(client, GOLD, "gold.ptb")
    response = client.post(f"/api/treebanks/{id}/parse", json={"model": "light"})
    lines = [json.loads(line) for line in response.text.splitlines()]
    assert lines[:-1] == [{"done": number, "of": 3} for number in (1, 2, 3)]
    assert lines[-1]["name"] == "gold.ptb, parsed by light"
    rows = [
        client.get(f"/api/treebanks/{lines[-1]['id']}/trees/{number}").json()["tree"] for number in (1, 2, 3)
    ]
    words = [[token.form for token in tree.tokens] for tree in trees(GOLD)]
    assert rows == [str(fast.parse(sentence)) for sentence in words]
    assert "no model" in post(client, f"/api/treebanks/{id}/parse", {"model": "../etc"}, 404)["error"]
