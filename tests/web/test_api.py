"""The JSON API: answers, errors, limits."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs spindle-parser[web]")

from starlette.testclient import TestClient

import spindle
from spindle.pipeline import Parser
from spindle.web import Limits
from spindle.web.openapi import READS, REQUESTS, description
from web.conftest import Clients, post

DISCONTINUOUS = "(S (NP (PPER 0=Es) (NN 2=nichts)) (VVFIN 1=kam))"
CONTINUOUS = "(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))"


def test_parse_text(client: TestClient, fast: Parser) -> None:
    text = "The cat sleeps. It works (really)!"
    record = post(client, "/api/parse", {"text": text})
    assert list(record) == ["sentences"]
    for sentence, analysis in zip(record["sentences"], fast(text), strict=True):
        assert sentence["tree"] == str(analysis.tree)
        assert [token["tag"] for token in sentence["tokens"]] == [token.tag for token in analysis.tokens]
        for token in sentence["tokens"]:
            assert list(token) == ["form", "tag", "start", "end"]
            assert text[token["start"] : token["end"]] == token["form"]


def test_parse_tokens(client: TestClient, fast: Parser) -> None:
    sentences = [["It", "works"], [], [{"form": "saw", "tag": "NN"}]]
    found = post(client, "/api/parse", {"tokens": sentences})["sentences"]
    assert found[0]["tree"] == str(fast.parse(["It", "works"]))
    assert found[1] == {"tree": None, "tokens": []}
    assert found[2]["tokens"] == [{"form": "saw", "tag": "NN", "start": None, "end": None}]


def test_several_trees_with_scores(client: TestClient) -> None:
    body = {"text": "I saw her duck with a telescope.", "k": 3, "scores": True}
    (sentence,) = post(client, "/api/parse", body)["sentences"]
    trees = [candidate["tree"] for candidate in sentence["candidates"]]
    assert len(set(trees)) == 3
    assert trees[0] == sentence["tree"]
    scores = [candidate["score"] for candidate in sentence["candidates"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= node["confidence"] <= 1 for node in sentence["nodes"])


def test_details_are_a_tree_and_its_dtree(client: TestClient) -> None:
    (sentence,) = post(client, "/api/parse", {"text": "The old cat sleeps.", "details": True})["sentences"]
    tree = spindle.Tree.from_dict({"tokens": sentence["words"], "nodes": sentence["nodes"]})
    assert str(tree) == sentence["tree"]
    reduced = spindle.encode(tree)
    assert [arc["head"] for arc in sentence["arcs"]] == list(reduced.dtree.heads)
    assert [arc["event"] for arc in sentence["arcs"]] == list(reduced.dtree.events)


def test_a_stream_has_a_line_for_every_sentence(client: TestClient) -> None:
    text = "It works. It sleeps. It eats."
    together = post(client, "/api/parse", {"text": text})["sentences"]
    response = client.post("/api/parse", json={"text": text, "stream": True})
    assert response.headers["content-type"] == "application/x-ndjson"
    assert [json.loads(line) for line in response.text.splitlines()] == together


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ({}, "`text` or `tokens`"),
        ({"text": "a", "tokens": []}, "`text` or `tokens`"),
        ({"text": 1}, "`text` must be text, not a number"),
        ({"tokens": ["a b"]}, "`tokens[0]` must be a list"),
        ({"tokens": [["a", 3]]}, "`tokens[0][1]` must be a word"),
        ({"tokens": [["a", ""]]}, "`tokens[0][1]` is empty"),
        ({"tokens": [["a\nb"]]}, "line break"),
        ({"tokens": [[{"form": "a", "tags": "b"}]]}, "`tokens[0][0].tags`"),
        ({"text": "\ud800"}, "surrogate"),
        ({"text": "a", "k": 0}, "from 1 to 50"),
        ({"text": "a", "k": True}, "a whole number, not true"),
        ({"text": "a", "scores": "yes"}, "true or false, not text"),
        ({"text": "a", "score": True}, "no field `score`"),
    ],
)
def test_what_is_wrong_is_said(client: TestClient, body: dict[str, Any], part: str) -> None:
    response = client.post(
        "/api/parse", content=json.dumps(body), headers={"content-type": "application/json"}
    )
    assert response.status_code == 400
    assert part in response.json()["error"]


@pytest.mark.parametrize("name", ["german", "../light", "/etc/passwd", "src/spindle/models/data/light.model"])
def test_only_named_models_are_used(client: TestClient, name: str) -> None:
    assert "it has light" in post(client, "/api/parse", {"text": "a", "model": name}, 404)["error"]


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b"[1]", "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b'{"text": "a"}', "text/plain", 415),
    ],
)
def test_a_request_is_a_json_object(client: TestClient, content: bytes, kind: str, status: int) -> None:
    response = client.post("/api/parse", content=content, headers={"content-type": kind})
    assert response.status_code == status
    assert list(response.json()) == ["error"]


def test_paths_and_methods_that_do_not_exist(client: TestClient) -> None:
    for method, path, status in (("GET", "/api/x", 404), ("GET", "/api/parse", 405), ("GET", "/../x", 404)):
        response = client.request(method, path)
        assert response.status_code == status
        assert list(response.json()) == ["error"]


def test_limits_are_kept(clients: Clients) -> None:
    small = clients(Limits(body_bytes=1 << 20, sentence_words=5, k=2))
    assert "1 MB" in post(small, "/api/parse", {"text": "a" * (1 << 20)}, 413)["error"]
    assert "the limit is 5" in post(small, "/api/parse", {"tokens": [["a"] * 6]}, 413)["error"]
    post(small, "/api/parse", {"text": "a", "k": 3}, 400)

    # without a length in its header
    pieces = iter([b" " * (1 << 20)] * 2)
    response = small.post("/api/parse", content=pieces, headers={"content-type": "application/json"})
    assert response.status_code == 413


def test_time_is_limited(clients: Clients) -> None:
    slow = clients(Limits(seconds=0.0))
    response = slow.post("/api/parse", json={"text": "It works. " * 200})
    assert response.status_code == 503
    assert response.headers["retry-after"] == "1"


def test_a_full_server_says_so(clients: Clients) -> None:
    assert clients(Limits(requests=0)).post("/api/parse", json={"text": "a"}).status_code == 503
    assert clients(Limits(client_requests=0)).post("/api/parse", json={"text": "a"}).status_code == 429


def test_under_overload_every_request_gets_its_own_answer_or_503(clients: Clients) -> None:
    full = clients(Limits(requests=4))
    words = [[f"word{number}", "works"] for number in range(40)]

    def ask(tokens: list[str]) -> tuple[int, list[str]]:
        response = full.post("/api/parse", json={"tokens": [tokens] * 20})
        if response.status_code == 503:
            assert response.headers["retry-after"] == "1"
            return 503, []
        (one,) = {tuple(token["form"] for token in found["tokens"]) for found in response.json()["sentences"]}
        return response.status_code, list(one)

    with ThreadPoolExecutor(20) as threads:
        answers = list(threads.map(ask, words))
    assert {status for status, _ in answers} == {200, 503}
    assert all(found == own for (status, found), own in zip(answers, words, strict=True) if status == 200)


def test_a_token_is_needed_if_there_is_one(clients: Clients) -> None:
    guarded = clients(token="sécret")
    post(guarded, "/api/parse", {"text": "a"}, 401)
    for given, status in (("Bearer other", 401), ("sécret", 401), ("Bearer sécret", 200)):
        headers = {"authorization": given.encode()}
        response = guarded.get("/api/models", headers=headers)  # type: ignore[arg-type]
        assert response.status_code == status
    assert guarded.get("/health").status_code == 200
    assert guarded.get("/").status_code == 200


def test_other_names_and_origins_are_refused(clients: Clients) -> None:
    local = clients(hosts=frozenset({"localhost", "127.0.0.1"}))
    assert local.get("/health", headers={"host": "localhost:8090"}).status_code == 200
    for host in ("evil.example", "localhost.evil.example", "[", ""):
        assert local.get("/health", headers={"host": host}).status_code == 421
    same = {"host": "localhost:8090", "origin": "http://localhost:8090"}
    assert local.get("/health", headers=same).status_code == 200
    other = {"host": "localhost:8090", "origin": "https://evil.example"}
    response = local.get("/health", headers=other)
    assert response.status_code == 403
    assert "access-control-allow-origin" not in response.headers


def test_an_allowed_origin(clients: Clients) -> None:
    open_to = clients(origins=("https://friend.example",))
    headers = {"origin": "https://friend.example", "access-control-request-method": "POST"}
    assert open_to.options("/api/parse", headers=headers).status_code == 200
    response = open_to.post("/api/parse", json={"text": "a"}, headers={"origin": "https://friend.example"})
    assert response.headers["access-control-allow-origin"] == "https://friend.example"
    refused = open_to.post("/api/parse", json={"text": "a"}, headers={"origin": "https://evil.example"})
    assert refused.status_code == 403


def test_every_answer_has_the_security_headers(client: TestClient) -> None:
    for path in ("/", "/app.js", "/api/models", "/api/x", "/health"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"


def test_the_page_loads_nothing_from_elsewhere(client: TestClient) -> None:
    page = client.get("/").text
    for link in re.findall(r'(?:src|href)="([^"#]+)"', page):
        assert client.get(f"/{link}").status_code == 200
        assert "//" not in link
    assert "<script>" not in page
    assert "style=" not in page


def test_metrics_count_requests(clients: Clients) -> None:
    counted = clients()
    post(counted, "/api/parse", {"text": "It works. It is fast."})
    for path in ("/made/up", "/made/up/too"):
        counted.get(path)
    text = counted.get("/metrics").text
    assert 'spindle_requests_total{method="POST",path="/api/parse",status="200"} 1' in text
    assert 'spindle_sentences_parsed{model="light"} 2' in text
    assert 'path="other",status="404"} 2' in text
    assert "made" not in text
    for line in text.splitlines():
        assert re.fullmatch(r'# TYPE \w+ \w+|\w+(\{(\w+="[^"]*",?)+\})? [\d.e+-]+', line), line


def test_the_description_names_every_address(client: TestClient) -> None:
    served = client.get("/openapi.json").json()
    assert served == description()
    for path in READS:
        assert client.get(path).status_code == 200
    for path, (_, body, _) in REQUESTS.items():
        nothing = dict.fromkeys(body["properties"]) | {"made_up": 1}
        needed = {"/api/parse": {"text": "a"}, "/api/evaluate": {"gold": CONTINUOUS, "pred": CONTINUOUS}}
        asked = nothing | needed.get(path, {"text": CONTINUOUS, "to": "conllu"})
        if path == "/api/search":
            asked = nothing | {"text": CONTINUOUS, "pattern": "NP"}
        if path == "/api/decode":
            asked |= {"text": "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n", "to": "discbracket"}
        # every described field is known, and only the made-up one is not
        assert post(client, path, asked, 400)["error"] == "this request has no field `made_up`"


# ── trees ────────────────────────────────────────────────────────────────────────────────────────────


def test_convert_and_back(client: TestClient) -> None:
    for to in ("export", "tigerxml", "discbracket", "conllu"):
        written = post(client, "/api/convert", {"text": DISCONTINUOUS, "to": to})
        assert written["trees"] == 1
        back = "/api/decode" if to == "conllu" else "/api/convert"
        found = post(client, back, {"text": written["text"], "to": "discbracket"})["text"]
        assert found == DISCONTINUOUS + "\n"


def test_convert_records(client: TestClient) -> None:
    record = spindle.parse_tree(DISCONTINUOUS).to_dict()
    assert (
        post(client, "/api/convert", {"trees": [record], "to": "discbracket"})["text"] == DISCONTINUOUS + "\n"
    )
    (line,) = post(client, "/api/convert", {"text": DISCONTINUOUS, "to": "json"})["text"].splitlines()
    assert json.loads(line) == record
    for to, start in (("svg", "<svg"), ("latex", "\\documentclass"), ("text", "   ")):
        assert start in post(client, "/api/convert", {"trees": [record], "to": to})["text"]


def test_transforms(client: TestClient) -> None:
    body = {"text": "( (S (NP-SBJ (NN a)) (VP (VB b))))", "strip": ["functions", "wrapper"], "to": "bracket"}
    assert post(client, "/api/convert", body)["text"] == "(S (NP (NN a)) (VP (VB b)))\n"


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ({"text": DISCONTINUOUS, "to": "bracket"}, "discontinuous"),
        ({"text": DISCONTINUOUS, "to": "alpino"}, "choose one of"),
        ({"text": DISCONTINUOUS}, "`to` is missing"),
        ({"text": "(S (A a)", "to": "export"}, "text:1"),
        ({"text": "no tree", "to": "export"}, "format"),
        ({"text": DISCONTINUOUS, "to": "conllu", "heads": "/etc/passwd"}, "choose one of"),
        ({"text": DISCONTINUOUS, "to": "export", "strip": ["all"]}, "choose from"),
        ({"trees": [{"tokens": []}], "to": "export"}, "`trees[0]`"),
        ({"trees": [3], "to": "export"}, "`trees[0]` must be the record"),
        ({"trees": [], "text": "", "to": "export"}, "either `text` or `trees`"),
    ],
)
def test_trees_that_cannot_be_converted(client: TestClient, body: dict[str, Any], part: str) -> None:
    assert part in post(client, "/api/convert", body, 400)["error"]


def test_encode_and_decode(client: TestClient) -> None:
    encoded = post(client, "/api/encode", {"text": CONTINUOUS, "heads": "collins", "encoding": "delta"})
    assert encoded["heads"] == "collins"
    assert "spindle encoding=delta" in encoded["text"]
    decoded = post(client, "/api/decode", {"text": encoded["text"], "to": "bracket"})
    assert decoded == {"trees": 1, "text": CONTINUOUS + "\n", "repairs": {}}


def test_evaluate(client: TestClient) -> None:
    flat = "(S (NP (DT the) (NN cat)) (VBZ sleeps))"
    score = post(client, "/api/evaluate", {"gold": CONTINUOUS, "pred": flat})
    assert score["f1"] == pytest.approx(80)
    assert score["signature"]


# ── treebanks ────────────────────────────────────────────────────────────────────────────────────────


def test_search_trees_that_are_sent(client: TestClient) -> None:
    found = post(
        client, "/api/search", {"pattern": "NP:gap=x", "text": f"{DISCONTINUOUS}\n{DISCONTINUOUS}\n"}
    )
    assert (found["matches"], found["trees"], found["searched"], found["numbers"]) == (2, 2, 2, [1, 2])
    hit = found["hits"][0]
    assert (hit["kind"], hit["label"], hit["positions"], hit["text"]) == ("node", "NP", [0, 2], "Es nichts")
    assert hit["names"]["x"][0]["label"] == "NP"
    for pattern, part in (("NP <", "^"), ("__=x < /(/", "regular expression")):
        assert part in post(client, "/api/search", {"pattern": pattern, "text": CONTINUOUS}, 400)["error"]


def test_an_open_treebank(client: TestClient) -> None:
    data = f"{DISCONTINUOUS}\n(S (A 0=a)\n{DISCONTINUOUS}\n".encode()
    opened = client.post("/api/treebanks?name=../../x.dbr", content=data).json()
    assert (opened["trees"], opened["skipped"], opened["name"]) == (2, 1, "../../x.dbr")
    address = f"/api/treebanks/{opened['id']}"
    assert opened in client.get("/api/treebanks").json()["treebanks"]
    rows = client.get(f"{address}/trees?start=2").json()["rows"]
    assert rows == [{"number": 2, "id": "", "words": 3, "text": "Es kam nichts"}]
    tree = client.get(f"{address}/trees/1").json()
    assert tree["tree"] == DISCONTINUOUS
    assert [arc["head"] for arc in tree["arcs"]] == [2, -1, 1]
    assert client.get(f"{address}/statistics").json()["discontinuous"] == 2
    for _ in range(2):  # the second time the trees are in the searching process
        assert post(client, "/api/search", {"pattern": "S <# __", "treebank": opened["id"]})["matches"] == 2
    assert client.get(f"{address}/trees/3").status_code == 404
    assert client.get(f"{address}/trees/x").status_code == 400
    assert client.get("/api/treebanks/77/trees").status_code == 404
    assert client.post("/api/treebanks", content=b"no trees").status_code == 400


def test_only_the_last_treebanks_are_kept(clients: Clients) -> None:
    few = clients(Limits(treebanks=2))
    for _ in range(3):
        assert few.post("/api/treebanks", content=CONTINUOUS.encode()).status_code == 200
    assert [one["id"] for one in few.get("/api/treebanks").json()["treebanks"]] == ["2", "3"]
