"""A server in this process with the fast model, and a client for it."""

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs spindle-parser[web]")
pytest.importorskip("uvicorn", reason="needs spindle-parser[web]")

from starlette.testclient import TestClient

from spindle.pipeline import Parser, load
from spindle.web import Limits, ServedModels, Service, create_app


@pytest.fixture(scope="session")
def fast() -> Parser:
    """The fast model that comes with Spindle."""
    parser = load("light")
    assert isinstance(parser, Parser)
    return parser


class Clients:
    """Makes clients of servers with their own settings, and stops the servers at the end."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self.open: list[TestClient] = []

    def __call__(
        self,
        limits: Limits = Limits(),  # noqa: B008
        token: str | None = None,
        hosts: frozenset[str] | None = None,
        origins: tuple[str, ...] = (),
    ) -> TestClient:
        service = Service(ServedModels({"light": self.parser}), limits, token)
        client = TestClient(create_app(service, hosts=hosts, origins=origins))
        client.__enter__()
        self.open.append(client)
        return client


@pytest.fixture
def clients(fast: Parser) -> Iterator[Clients]:
    made = Clients(fast)
    yield made
    for client in made.open:
        client.__exit__(None, None, None)


@pytest.fixture(scope="module")
def client(fast: Parser) -> Iterator[TestClient]:
    made = Clients(fast)
    yield made()
    made.open[0].__exit__(None, None, None)


def post(client: TestClient, path: str, body: dict[str, Any], status: int = 200) -> dict[str, Any]:
    """Send a request; return the answer, which must have this status."""
    response = client.post(path, json=body)
    assert response.status_code == status, response.text
    record = response.json()
    assert isinstance(record, dict)
    if status != 200:
        assert list(record) == ["error"]
    return record
