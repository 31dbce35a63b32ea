"""Trainings from the page: progress, a model that is served at once, cancelling, resuming."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs spindle-parser[web]")

from spindle.pipeline import Parser, load
from spindle.trees import Tree
from spindle.web import Limits, WorkFolder
from web.conftest import post
from web.test_annotations import Server, begun, get, put

TREES = """(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))
(S (NP (DT a) (NN dog)) (VP (VBZ sees) (NP (DT the) (NN cat))))
(S (NP (PRP she)) (VP (VBZ sleeps)))
"""
END = 90  # seconds


@pytest.fixture
def server(fast: Parser, tmp_path: Path) -> Iterator[Server]:
    made = Server(fast, tmp_path / "work", Limits())
    yield made
    made.stop()


def annotated(server: Server, times: int = 1) -> None:
    opened = server.client.post("/api/treebanks?name=t.ptb", content=(TREES * times).encode()).json()
    begun(server, text=None, treebank=opened["id"])
    for number, line in enumerate((TREES * times).splitlines(), start=1):
        tree = Tree.from_string(line).to_dict()
        put(server, number, {"tree": tree, "done": True, "revision": 1})


def ended(server: Server, id: str) -> dict[str, Any]:
    for _ in range(END * 10):
        found = get(server, f"/api/trainings/{id}")
        if found["status"] != "running":
            return found
        time.sleep(0.1)
    raise AssertionError(found)


def start(server: Server, status: int = 200, **body: Any) -> dict[str, Any]:
    request = {"name": "mine", "annotation": "first", "epochs": 2, **body}
    return post(server.client, "/api/trainings", request, status)


def test_a_training_from_start_to_use(server: Server) -> None:
    annotated(server, times=8)
    training = start(server)
    assert (training["status"], training["trees"]) == ("running", 24)
    assert "being trained" in start(server, 409, name="other")["error"]
    found = ended(server, training["id"])
    assert found["status"] == "done", found
    assert [epoch["epoch"] for epoch in found["epochs"]] == [1, 2]
    assert "development trees: 2 of 24" in found["messages"][0]
    assert "scored:2/2" in found["scores"]["signature"]
    # the model can be used without a restart
    assert [model["name"] for model in get(server, "/api/models")["models"]] == ["light", "mine"]
    body = {"tokens": [["the", "dog", "sleeps"]], "model": "mine"}
    (sentence,) = post(server.client, "/api/parse", body)["sentences"]
    assert sentence["tree"] == str(load(server.folder / "mine.model").parse(["the", "dog", "sleeps"]))
    # it can be trained again under its name, but not in place of a model that came with the server
    again = start(server, dev_percent=0)
    assert ended(server, again["id"])["status"] == "done"
    assert [one["id"] for one in get(server, "/api/trainings")["trainings"]] == [again["id"], training["id"]]
    assert "already" in start(server, 400, name="light")["error"]
    # a new server offers it
    server.stop()
    work = WorkFolder(server.folder, Limits())
    assert [name for name, _ in work.models(on_error=lambda error: None)] == ["mine"]
    work.close()
    server.client = server.start()


def test_cancel_and_go_on(server: Server) -> None:
    annotated(server, times=40)
    training = start(server, epochs=200)
    for _ in range(END * 10):
        if get(server, f"/api/trainings/{training['id']}")["epochs"]:
            break
        time.sleep(0.1)
    cancelled = post(server.client, f"/api/trainings/{training['id']}/cancel", {})
    assert cancelled["status"] == "cancelled"
    assert (
        "cancelled already"
        in post(server.client, f"/api/trainings/{training['id']}/cancel", {}, 409)["error"]
    )
    server.stop()  # waits for the process
    server.client = server.start()
    assert get(server, "/api/trainings") == {"trainings": [], "interrupted": ["mine"]}
    assert not (server.folder / "mine.model").exists()
    # the same training goes on; another one with the same name starts anew
    again = start(server, epochs=200)
    for _ in range(END * 10):
        found = get(server, f"/api/trainings/{again['id']}")
        if any("resumed" in message for message in found["messages"]):
            break
        time.sleep(0.1)
    assert any("resumed" in message for message in found["messages"]), found
    post(server.client, f"/api/trainings/{again['id']}/cancel", {})
    assert ended(server, again["id"])["status"] == "cancelled"


def test_what_cannot_be_trained(server: Server) -> None:
    begun(server)
    assert "no sentence is done" in start(server, 400)["error"]
    annotated_tree = Tree.from_string("(S (A 0=x) (B 1=y))").to_dict()
    assert (
        "other words" in put(server, 1, {"tree": annotated_tree, "done": True, "revision": 1}, 400)["error"]
    )
    for body in ({"name": "../x"}, {"parser": "os.system"}, {"epochs": 0}, {"order": "x"}, {"more": 1}):
        start(server, 400, **body)
    start(server, 404, annotation="none")
    assert sorted(path.name for path in server.folder.iterdir()) == [
        ".spindle.lock",
        "first.annotation.jsonl",
    ]


def test_a_training_that_fails_says_why(server: Server) -> None:
    annotated(server)
    # a file that is in the way of the model
    (server.folder / "mine.model").mkdir()
    assert "folder" in start(server, 400)["error"]
    # something that is found when the training runs
    (server.folder / ".other.model.lock").mkdir()
    found = ended(server, start(server, name="other")["id"])
    assert found["status"] == "failed"
    assert ".other.model.lock" in found["error"]
