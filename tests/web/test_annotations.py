"""Annotations: a folder that only names reach, trees that are checked again, a model that fills in."""

import copy
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

pytest.importorskip("starlette", reason="needs spindle-parser[web]")

from starlette.testclient import TestClient

from spindle.errors import SpindleError
from spindle.pipeline import Constraints, Parser
from spindle.treebanks import read_trees
from spindle.trees import Tree
from spindle.web import Limits, ServedModels, Service, WorkFolder, create_app
from spindle.web.annotation import Annotation, sentence_confidence
from support.hostile_models import mutate_manifest
from web.conftest import post

TEXT = "She saw the man with the telescope. It works. The old cat sleeps."


class Server:
    """A server with a work folder, which can be started again."""

    def __init__(self, parser: Parser, folder: Path, limits: Limits) -> None:
        self.parser, self.folder, self.limits = parser, folder, limits
        self.client = self.start()

    def start(self) -> TestClient:
        work = WorkFolder(self.folder, self.limits)
        service = Service(ServedModels({"light": self.parser}), self.limits, work=work)
        client = TestClient(create_app(service))
        client.__enter__()
        return client

    def stop(self) -> None:
        self.client.__exit__(None, None, None)

    def restart(self) -> None:
        self.stop()
        self.client = self.start()


@pytest.fixture
def server(fast: Parser, tmp_path: Path) -> Iterator[Server]:
    made = Server(fast, tmp_path / "work", Limits(annotations=2, annotation_sentences=100))
    yield made
    made.stop()


def begun(server: Server, **body: Any) -> dict[str, Any]:
    return post(server.client, "/api/annotations", {"name": "first", "text": TEXT, **body})


def lines(server: Server, path: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in server.client.post(path, json=body).text.splitlines()]


def get(server: Server, path: str, status: int = 200) -> dict[str, Any]:
    response = server.client.get(path)
    assert response.status_code == status, response.text
    found = response.json()
    assert isinstance(found, dict)
    return found


def put(server: Server, number: int, body: dict[str, Any], status: int = 200) -> dict[str, Any]:
    response = server.client.put(f"/api/annotations/first/sentences/{number}", json=body)
    assert response.status_code == status, response.text
    found = response.json()
    assert isinstance(found, dict)
    return found


def record(tree: Tree) -> dict[str, Any]:
    return tree.to_dict()


def test_from_text_to_a_treebank(server: Server, fast: Parser, tmp_path: Path) -> None:
    assert begun(server)["sentences"] == 3
    first = get(server, "/api/annotations/first/sentences/1")
    assert [node["label"] for node in first["nodes"]] == ["S"]
    # the model parses; the least confident sentence comes first
    told = lines(server, "/api/annotations/first/parse", {"model": "light"})
    assert told[-1]["parsed"] == 3
    rows = get(server, "/api/annotations/first/sentences?order=confidence&state=open")["rows"]
    confidences = [row["confidence"] for row in rows]
    assert confidences == sorted(confidences)
    analyses = list(fast.analyse([row["text"].split() for row in rows], confidences=True))
    expected = [sentence_confidence(one.candidates[0].confidences or ()) for one in analyses]
    assert confidences == pytest.approx(expected, abs=1e-3)
    # a person corrects one, and is done with it
    number = rows[0]["number"]
    found = get(server, f"/api/annotations/first/sentences/{number}")
    tree = Tree.from_dict({"tokens": found["words"], "nodes": found["nodes"]})
    tree = tree.replace(labels=("TOP", *tree.labels[1:]))
    saved = put(server, number, {"tree": record(tree), "done": True, "revision": found["revision"]})
    assert saved["done"] == 1
    # a model does not touch it any more
    lines(server, "/api/annotations/first/parse", {"model": "light"})
    assert get(server, f"/api/annotations/first/sentences/{number}")["nodes"][0]["label"] == "TOP"
    # everything is there after the server was started again
    before = [get(server, f"/api/annotations/first/sentences/{one}") for one in (1, 2, 3)]
    server.restart()
    assert [get(server, f"/api/annotations/first/sentences/{one}") for one in (1, 2, 3)] == before
    assert get(server, "/api/annotations") == {"annotations": ["first"]}
    written = post(server.client, "/api/annotations/first/export", {"to": "export", "save": True})
    assert written == {"file": "first.export", "trees": 1}
    assert [str(one) for one in read_trees(tmp_path / "work" / "first.export")] == [str(tree)]
    text = post(server.client, "/api/annotations/first/export", {"to": "bracket", "state": "all"})["text"]
    assert len(text.splitlines()) == 3


def test_a_discontinuous_tree_is_not_written_as_brackets(server: Server) -> None:
    begun(server, text=None, tokens=[["Es", "kam", "nichts"]])
    tree = Tree.from_string("(S (NP (A 0=Es) (B 2=nichts)) (V 1=kam))")
    put(server, 1, {"tree": record(tree), "done": True, "revision": 1})
    error = post(server.client, "/api/annotations/first/export", {"to": "bracket"}, 400)["error"]
    assert "discontinuous" in error
    assert post(server.client, "/api/annotations/first/export", {"to": "discbracket"})["trees"] == 1


def test_a_tree_is_checked_again(server: Server) -> None:
    begun(server, text="It works.")
    found = get(server, "/api/annotations/first/sentences/1")
    good = {"tokens": found["words"], "nodes": found["nodes"]}
    all_words = [0, 1, 2]
    wrong = {
        "other words": {**good, "tokens": [{"form": "They"}, *good["tokens"][1:]]},
        "cycle": {**good, "nodes": [{"label": "A", "parent": 1, "tokens": all_words}] * 2},
        "two tops": {**good, "nodes": [{"label": "A", "parent": -1, "tokens": all_words}] * 2},
        "a word left out": {**good, "nodes": [{"label": "A", "parent": -1, "tokens": [0, 1]}]},
        "a line break": {**good, "nodes": [{"label": "A\nB", "parent": -1, "tokens": all_words}]},
        "no node": {**good, "nodes": []},
        "no record": "(S (A It))",
    }
    for tree in wrong.values():
        put(server, 1, {"tree": tree, "revision": 1}, 400)
    assert get(server, "/api/annotations/first/sentences/1") == found
    assert "there is no" not in put(server, 1, {"tree": good, "revision": 1})
    assert "changed elsewhere" in put(server, 1, {"tree": good, "revision": 1}, 409)["error"]
    put(server, 7, {"tree": good, "revision": 1}, 404)


@pytest.mark.parametrize(
    "name", ["", "../up", "a/b", ".hidden", "a.b", "/etc/passwd", "a" * 61, "nul\0", "ü", "-x", "a b"]
)
def test_names_are_no_paths(server: Server, name: str) -> None:
    assert "name" in post(server.client, "/api/annotations", {"name": name, "text": TEXT}, 400)["error"]
    if name:
        assert server.client.get(f"/api/annotations/{quote(name, safe='')}").status_code >= 400
    assert sorted(path.name for path in server.folder.iterdir()) == [".spindle.lock"]


def test_links_are_not_followed(server: Server, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("untouched")
    (server.folder / "first.annotation.jsonl").symlink_to(outside)
    (server.folder / "second.export").symlink_to(outside)
    assert get(server, "/api/annotations") == {"annotations": []}
    assert "link" in post(server.client, "/api/annotations", {"name": "first", "text": TEXT}, 400)["error"]
    begun(server, name="second")
    body = {"to": "export", "state": "all", "save": True}
    assert "link" in post(server.client, "/api/annotations/second/export", body, 400)["error"]
    assert outside.read_text() == "untouched"


def test_limits(server: Server) -> None:
    assert (
        "100" in post(server.client, "/api/annotations", {"name": "a", "tokens": [["a"]] * 101}, 413)["error"]
    )
    assert "no sentences" in post(server.client, "/api/annotations", {"name": "a", "text": " "}, 400)["error"]
    begun(server)
    assert "already" in post(server.client, "/api/annotations", {"name": "first", "text": TEXT}, 409)["error"]
    begun(server, name="second")
    assert "limit" in post(server.client, "/api/annotations", {"name": "third", "text": TEXT}, 413)["error"]


def test_a_full_folder(fast: Parser, tmp_path: Path) -> None:
    server = Server(fast, tmp_path / "work", Limits(work_bytes=10))
    try:
        begun(server)
        body = {"name": "second", "text": TEXT}
        assert "its limit" in post(server.client, "/api/annotations", body, 507)["error"]
    finally:
        server.stop()


def test_without_a_folder_nothing_is_written(client: TestClient) -> None:
    assert client.get("/api/annotations").json() == {"annotations": None}
    error = post(client, "/api/annotations", {"name": "first", "text": TEXT}, 403)["error"]
    assert "without a folder" in error
    assert post(client, "/api/trainings", {"name": "a", "annotation": "first"}, 403)["error"] == error


def test_a_folder_has_one_server(server: Server, tmp_path: Path) -> None:
    with pytest.raises(SpindleError, match="another server"):
        WorkFolder(server.folder, Limits())
    (tmp_path / "file").touch()
    with pytest.raises(SpindleError):
        WorkFolder(tmp_path / "file", Limits())


def test_traces_are_refused(server: Server) -> None:
    opened = server.client.post("/api/treebanks?name=t.ptb", content=b"(S (NP (-NONE- *)) (VB go))").json()
    body = {"name": "first", "treebank": opened["id"]}
    assert "traces" in post(server.client, "/api/annotations", body, 400)["error"]


def test_a_line_that_was_cut_off(server: Server, tmp_path: Path) -> None:
    begun(server)
    path = server.folder / "first.annotation.jsonl"
    whole = path.read_bytes()
    server.stop()
    path.write_bytes(whole + b'{"number": 2, "tree": {"tok\xc3')
    server.client = server.start()
    found = get(server, "/api/annotations/first/sentences/2")
    tree = {"tokens": found["words"], "nodes": [{**found["nodes"][0], "label": "NEW"}]}
    put(server, 2, {"tree": tree, "revision": 1})
    server.restart()
    assert get(server, "/api/annotations/first/sentences/2")["nodes"][0]["label"] == "NEW"
    # old versions are dropped
    assert len(path.read_bytes().splitlines()) == 4


@pytest.mark.parametrize(
    "text", ["", "{}\n", "[]\n", '{"version": 1}\n{"number": 2}\n', '{"version": 1}\nx\n', "\xff\n"]
)
def test_a_damaged_file(server: Server, text: str) -> None:
    (server.folder / "bad.annotation.jsonl").write_bytes(text.encode("latin-1"))
    assert "bad.annotation.jsonl" in get(server, "/api/annotations/bad", 400)["error"]


LINE = {
    "number": 1,
    "tree": {"tokens": [{"form": "go", "tag": "VB"}], "nodes": [{"label": "S", "parent": -1}]},
    "done": False,
    "maker": "",
    "confidences": None,
    "revision": 1,
}


@pytest.mark.parametrize(
    "change",
    [
        {"number": "1"},
        {"number": 1e400},
        {"revision": 10**30},
        {"revision": 1.5},
        {"confidences": [float("nan")]},
        {"confidences": 5},
        {"maker": {}},
        {"tree": []},
        {"tree": {"tokens": [{"form": "\ud800"}], "nodes": []}},
        {"tree": {"tokens": [{"form": 5}], "nodes": [{"label": "S", "parent": -1}]}},
        {"more": 1},
    ],
)
def test_a_line_that_was_altered(server: Server, change: dict[str, Any]) -> None:
    path = server.folder / "bad.annotation.jsonl"
    path.write_text('{"version": 1}\n' + json.dumps({**LINE, **change}) + "\n")
    assert "bad.annotation.jsonl:2" in get(server, "/api/annotations/bad", 400)["error"]
    assert (server.folder / "bad.annotation.jsonl").exists()


@pytest.mark.parametrize("line", [b"[" * 100_000, b'{"number": 1, "maker": "\xff"}'])
def test_lines_that_cannot_be_read(server: Server, line: bytes) -> None:
    path = server.folder / "bad.annotation.jsonl"
    for content in (line + b"\n", b'{"version": 1}\n' + line + b"\n"):
        path.write_bytes(content)
        assert "bad.annotation.jsonl" in get(server, "/api/annotations/bad", 400)["error"]
        assert path.read_bytes() == content


def test_a_pipe_is_no_annotation(server: Server) -> None:
    os.mkfifo(server.folder / "bad.annotation.jsonl")
    assert "a pipe" in get(server, "/api/annotations/bad", 400)["error"]


MUTANTS = 300


def test_mutants_of_requests(server: Server) -> None:
    """An answer or a refusal of one line; the annotation stays as it is, and can be read again."""
    begun(server)
    sent = [
        server.client.post(f"/api/treebanks?name={name}.ptb", content=b"(S (NN a) (NP (VB go)))")
        for name in "ab"
    ]
    gold, pred = (one.json()["id"] for one in sent)
    tree = get(server, "/api/annotations/first/sentences/2")
    record = {"tokens": tree["words"], "nodes": tree["nodes"]}
    constraints = {"required": [{"words": [0, 1], "label": "NP"}], "forbidden": [], "complete": []}
    requests: list[tuple[str, str, dict[str, Any]]] = [
        ("PUT", "/api/annotations/first/sentences/2", {"tree": record, "done": True, "revision": 1}),
        ("POST", "/api/complete", {"tree": record, "constraints": constraints}),
        (
            "POST",
            "/api/comparisons",
            {"gold": gold, "pred": pred, "label": "NP", "min_length": 1, "order": "f1"},
        ),
        ("POST", "/api/annotations/first/export", {"to": "export", "state": "all", "save": False}),
        ("POST", "/api/annotations", {"name": "other", "tokens": [["It", "works"]], "top": "S"}),
        ("POST", "/api/trainings", {"name": "new", "annotation": "none", "epochs": 1, "parser": "linear"}),
        ("POST", "/api/annotations/first/parse", {"model": "light"}),
    ]
    for number in range(MUTANTS):
        chance = random.Random(f"annotations {number}")
        method, path, body = copy.deepcopy(chance.choice(requests))
        what = [mutate_manifest(body, chance) for _ in range(chance.randint(1, 2)) if body]
        response = server.client.request(method, path, content=json.dumps(body).encode(), headers=JSON)
        assert response.status_code in (200, 400, 404, 409, 413), f"{number} {path} {what}: {response.text}"
        assert "Traceback" not in response.text
        if response.status_code != 200:
            assert response.json()["error"].strip()
    before = get(server, "/api/annotations/first/sentences/2")
    server.restart()
    assert get(server, "/api/annotations/first/sentences/2") == before


JSON = {"content-type": "application/json"}


def test_a_model_fills_in_the_rest(server: Server, fast: Parser) -> None:
    words = ["She", "saw", "the", "man", "with", "the", "telescope", "."]
    flat = {"tokens": [{"form": word} for word in words], "nodes": [{"label": "S", "parent": -1}]}
    flat["nodes"][0]["tokens"] = list(range(len(words)))  # type: ignore[index]
    for required in ([2, 3, 4, 5, 6], [1, 2, 3]):
        constraints = {"required": [{"words": required, "label": "NP"}], "tags": {"3": "NNP"}}
        found = post(server.client, "/api/complete", {"tree": flat, "constraints": constraints})
        tree = Tree.from_dict({"tokens": found["words"], "nodes": found["nodes"]})
        assert Constraints.from_dict(constraints).violations(tree) == []
        assert len(tree.labels) > 3
    clash = {"required": [{"words": [1, 2]}, {"words": [2, 3]}]}
    body = {"tree": flat, "constraints": clash}
    assert "cross" in post(server.client, "/api/complete", body, 400)["error"]
    body = {"tree": flat, "constraints": {"odd": []}}
    assert "odd" in post(server.client, "/api/complete", body, 400)["error"]


def test_functions_stay_where_the_node_stays(server: Server) -> None:
    tree = Tree.from_string("(ROOT (S (NP (PRP It)) (VP (VBZ works)) (. .)))").replace(
        functions=("", "", "SB", "")
    )
    body = {"tree": record(tree), "constraints": {"required": [{"words": [0], "label": "NP"}]}}
    found = post(server.client, "/api/complete", body)
    assert [node.get("function", "") for node in found["nodes"] if node["tokens"] == [0]] == ["SB"]


def test_a_file_that_grows_is_read_like_it_was(tmp_path: Path) -> None:
    trees = [Tree.from_string("(S (A a) (B b))"), Tree.from_string("(S (A 0=c) (B 1=d))")]
    made = Annotation.create("x", tmp_path / "x", trees)
    made.suggest([(1, Tree.from_string("(T (A a) (B b))"), (0.5,))], "m")
    made.save(2, Tree.from_string("(U (A c) (B d))"), True, 1)
    assert made.suggest([(2, trees[1], None)], "m") == 0
    again = Annotation.read("x", tmp_path / "x")
    assert again.sentences == made.sentences
    assert again.numbers("open", "confidence") == [1]
    assert [str(tree) for tree in again.trees("done")] == ["(U (A c) (B d))"]
