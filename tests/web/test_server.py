"""`spindle serve` as a program: its address, its log, how it stops, and errors at its start."""

import http.client
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
from pathlib import Path
from tempfile import TemporaryFile
from threading import Thread
from typing import IO, Any

import pytest

pytest.importorskip("starlette", reason="needs spindle-parser[web]")


JSON = {"Content-Type": "application/json"}


@contextmanager
def running(
    *options: str, port: int = 0, model: str = "light", **environment: str
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a server; yield its process and the address that it prints.

    Its log goes into a temporary file: a pipe that nobody reads would stop the server when it is full.
    """
    command = [sys.executable, "-m", "spindle", "serve", "--port", str(port), "--model", model, *options]
    with TemporaryFile("w+", encoding="utf-8") as log:
        server = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=log, text=True, env={**os.environ, **environment}
        )
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            assert line.startswith("Spindle is at http://"), f"{line}{read_again(log)}"
            server.stderr = log
            yield server, line.split()[-1]
        finally:
            server.kill()
            server.stderr = None
            server.communicate()


def read_again(log: IO[str]) -> str:
    """Return what is in a log from its start."""
    log.seek(0)
    return log.read()


def ask(address: str, path: str, body: dict[str, Any] | None = None, **headers: str) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{address}{path}", data, {**JSON, **headers})
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        error.close()
        raise


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
        assert server.wait(timeout=60) == 0
        assert server.stderr is not None
        log = read_again(server.stderr)
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


def test_headers_without_an_end_are_refused() -> None:
    with running() as (_, address):
        host, _, port = address.removeprefix("http://").strip("/").partition(":")
        for start in (b"GET /health HTTP/1.1\r\nx: ", b"GET /", b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 20_000):
            with socket.create_connection((host, int(port)), timeout=60) as connection:
                received = b""
                try:
                    connection.sendall(start + b"a" * (1 << 20))
                    received = connection.recv(1 << 16)
                except ConnectionError:
                    pass  # the server has closed the connection already
                assert received[:12] in (b"HTTP/1.1 400", b"")
        # what is long but has an end is answered, also twice over one connection
        client = http.client.HTTPConnection(host, int(port), timeout=60)
        for _ in range(3):
            client.request("GET", "/health", headers={"x": "a" * 30_000})
            assert json.load(client.getresponse())["status"] == "ok"
        client.request("POST", "/api/parse", json.dumps({"text": "It works. " * 200 + " " * 200_000}), JSON)
        assert client.getresponse().status == 200
        client.close()


def test_a_token_from_the_environment_is_in_the_address() -> None:
    with running(SPINDLE_TOKEN="abc") as (_, address):
        base, token = address.split("#")
        assert token == "token=abc"
        with pytest.raises(urllib.error.HTTPError, match="401"):
            ask(base, "api/models")
        assert ask(base, "api/models", Authorization="Bearer abc")["models"][0]["name"] == "light"


@pytest.mark.parametrize("options", [["--model", "no-such-model"], ["--host", "no.such.host.invalid"]])
def test_errors_at_the_start_are_one_line(options: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "spindle", "serve", "--port", "0", "--model", "light", *options],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1


def test_a_file_without_trees_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty.dbr").touch()
    done = subprocess.run(
        [sys.executable, "-m", "spindle", "serve", "--port", "0", "--model", "light", tmp_path / "empty.dbr"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert done.stderr.splitlines() == ["spindle: 'empty.dbr' has no trees"]


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [sys.executable, "-m", "spindle", "serve", "--port", port, "--model", "light"],
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert done.returncode == 1
    assert f"cannot listen at http://127.0.0.1:{port}/" in done.stderr
    assert "another port" in done.stderr
