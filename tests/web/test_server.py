"""`spindle serve` as a program: its address, its log, how it stops, and errors at its start."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs spindle-parser[web]")


@contextmanager
def running(*options: str, **environment: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a server; yield its process and the address that it prints."""
    command = [sys.executable, "-m", "spindle", "serve", "--port", "0", "--model", "fast", *options]
    server = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        assert line.startswith("Spindle is at http://"), line + (
            server.stderr.read() if server.stderr else ""
        )
        yield server, line.split()[-1]
    finally:
        server.kill()
        server.communicate()


def ask(address: str, path: str, body: dict[str, Any] | None = None, **headers: str) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        f"{address}{path}", data, {"Content-Type": "application/json", **headers}
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


def test_it_serves_logs_and_stops() -> None:
    with running() as (server, address):
        assert address.startswith("http://127.0.0.1:")
        assert ask(address, "health")["status"] == "ok"
        (sentence,) = ask(address, "api/parse", {"text": "The secret works."})["sentences"]
        assert sentence["tree"].startswith("(ROOT ")
        # what was begun is finished
        answers: list[Any] = []
        body = {"text": "This is one sentence of many. " * 400}
        asking = Thread(target=lambda: answers.append(ask(address, "api/parse", body)))
        asking.start()
        wait_for_work(address)
        server.send_signal(signal.SIGTERM)
        asking.join(60)
        assert len(answers[0]["sentences"]) == 400
        _, log = server.communicate(timeout=60)
        assert server.returncode == 0
    lines = [json.loads(line) for line in log.splitlines()]
    assert {"method": "GET", "path": "/health", "status": 200}.items() <= lines[0].items()
    assert "secret" not in log


def wait_for_work(address: str) -> None:
    """Return when the server parses."""
    for _ in range(1000):
        with urllib.request.urlopen(f"{address}metrics", timeout=60) as response:
            if "spindle_requests_inside 2" in response.read().decode():
                return
    raise AssertionError("the server has nothing to do")


def test_a_token_from_the_environment_is_in_the_address() -> None:
    with running(SPINDLE_TOKEN="abc") as (_, address):
        base, token = address.split("#")
        assert token == "token=abc"
        with pytest.raises(urllib.error.HTTPError, match="401"):
            ask(base, "api/models")
        assert ask(base, "api/models", Authorization="Bearer abc")["models"][0]["name"] == "fast"


@pytest.mark.parametrize("options", [["--model", "no-such-model"], ["--host", "no.such.host.invalid"]])
def test_errors_at_the_start_are_one_line(options: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "spindle", "serve", "--port", "0", "--model", "fast", *options],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [sys.executable, "-m", "spindle", "serve", "--port", port, "--model", "fast"],
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert done.returncode == 1
    assert f"cannot listen at http://127.0.0.1:{port}/" in done.stderr
    assert "another port" in done.stderr
