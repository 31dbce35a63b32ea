"""The OpenAPI description knows every address and every method of the API."""

import re

import pytest

pytest.importorskip("starlette", reason="needs spindle-parser[web]")

from starlette.routing import Route
from starlette.testclient import TestClient

from spindle.web.openapi import description
from spindle.web.openapi_work import CALLS


def test_every_route_is_described(client: TestClient) -> None:
    paths = description()["paths"]
    routes = [route for route in client.app.routes if isinstance(route, Route)]  # type: ignore[attr-defined]
    assert {route.path for route in routes if route.path.startswith("/api/")} <= set(paths)
    for path, methods in paths.items():
        for method in methods:
            status = client.request(method, re.sub(r"{\w+}", "1", path)).status_code
            assert status != 405, f"{method} {path}"


@pytest.mark.parametrize(("path", "method"), [call for call, (_, body) in CALLS.items() if body])
def test_bodies_are_json(client: TestClient, path: str, method: str) -> None:
    answer = client.request(method, re.sub(r"{\w+}", "1", path), content=b"x")
    assert answer.status_code in (400, 403, 404, 415)
    assert list(answer.json()) == ["error"]
