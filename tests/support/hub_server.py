"""A small server on loopback that speaks the parts of the Hugging Face Hub's API which models need.

    with HubServer() as hub:
        hub.add("ada/english", {"model.safetensors": data})
        …                                 # with HF_ENDPOINT=hub.url

It keeps repositories in memory. `hub.requests` has all requests. The server stops at the end of the context;
its thread also ends with the process.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from hashlib import sha1, sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Self
from urllib.parse import unquote, urlsplit

TOKEN = "hf_of_a_test"
READ_ONLY = "hf_that_may_only_read"


@dataclass
class Repository:
    """Commits, each with all files; branches and tags are names of commits."""

    is_private: bool = False
    is_gated: bool = False
    commits: dict[str, dict[str, bytes]] = field(default_factory=dict)
    refs: dict[str, str] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)

    def commit(self, files: dict[str, bytes], branch: str = "main", message: str = "") -> str:
        """Add files to those of the branch; return the name of the commit."""
        every = {**self.commits.get(self.refs.get(branch, ""), {}), **files}
        name = sha1(repr((len(self.commits), sorted(every))).encode()).hexdigest()
        self.commits[name], self.refs[branch] = every, name
        self.messages.append(message)
        return name

    def find(self, revision: str) -> str | None:
        name = self.refs.get(revision, revision)
        return name if name in self.commits else None


class HubServer:
    """The server; `url` is its address."""

    def __init__(self) -> None:
        self.repositories: dict[str, Repository] = {}
        self.stored: dict[str, bytes] = {}
        self.requests: list[tuple[str, str]] = []
        self.status = 0
        """A status that every request is answered with; 0 for none."""
        handler = type("Handler", (_Handler,), {"hub": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def add(self, name: str, files: dict[str, bytes], **options: Any) -> Repository:
        repository = self.repositories[name] = Repository(**options)
        repository.commit(files)
        return repository

    def files(self, method: str) -> list[str]:
        """Return the paths of the files that were asked for with this method."""
        return [path for found, path in self.requests if found == method and "/resolve/" in path]

    def __enter__(self) -> Self:
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    hub: HubServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Print nothing."""

    def do_HEAD(self) -> None:
        self._answer("HEAD")

    def do_GET(self) -> None:
        self._answer("GET")

    def do_POST(self) -> None:
        self._answer("POST")

    def do_PUT(self) -> None:
        self._answer("PUT")

    def _answer(self, method: str) -> None:
        path = unquote(urlsplit(self.path).path)
        self.hub.requests.append((method, path))
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.hub.status:
            return self._send(self.hub.status, {"error": "the hub is down"})
        parts = path.strip("/").split("/")
        if path.startswith("/stored/"):
            self.hub.stored[parts[1]] = body
            return self._send(200, {})
        if path == "/api/validate-yaml":
            return self._send(200, {"errors": [], "warnings": []})
        if path == "/api/repos/create":
            return self._create(json.loads(body))
        if parts[2:3] == ["resolve"]:
            return self._file(f"{parts[0]}/{parts[1]}", parts[3:])
        if path.endswith(".git/info/lfs/objects/batch"):
            return self._batch(json.loads(body))
        if parts[:2] == ["api", "models"] and len(parts) > 4:
            return self._api(f"{parts[2]}/{parts[3]}", parts[4], "/".join(parts[5:]), body)
        return self._send(404, {"error": "not found"})

    @property
    def _token(self) -> str:
        return (self.headers.get("Authorization") or "").removeprefix("Bearer ")

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────

    def _file(self, name: str, rest: list[str]) -> None:
        repository = self.hub.repositories.get(name)
        if repository is None or (repository.is_private and self._token != TOKEN):
            return self._send(401, {"error": "Repository not found"}, {"X-Error-Code": "RepoNotFound"})
        if repository.is_gated and self._token != TOKEN:
            return self._send(403, {"error": "gated"}, {"X-Error-Code": "GatedRepo"})
        size = 3 if rest[0] == "refs" else 1
        commit = repository.find("/".join(rest[:size]))
        if commit is None:
            return self._send(404, {"error": "no revision"}, {"X-Error-Code": "RevisionNotFound"})
        data = repository.commits[commit].get("/".join(rest[size:]))
        headers = {"X-Repo-Commit": commit}
        if data is None:
            return self._send(404, {"error": "no file"}, {**headers, "X-Error-Code": "EntryNotFound"})
        return self._send(200, data, {**headers, "ETag": f'"{sha256(data).hexdigest()}"'})

    # ── writing ──────────────────────────────────────────────────────────────────────────────────────

    def _may_write(self) -> bool:
        if self._token == TOKEN:
            return True
        if self._token == READ_ONLY:
            self._send(403, {"error": "this token may not write"})
        else:
            self._send(401, {"error": "Invalid username or password."})
        return False

    def _create(self, given: dict[str, Any]) -> None:
        if not self._may_write():
            return None
        name = f"{given['organization']}/{given['name']}"
        if name in self.hub.repositories:
            return self._send(409, {"error": "exists", "url": f"{self.hub.url}/{name}"})
        is_private = given.get("private") or given.get("visibility") == "private"
        self.hub.repositories[name] = Repository(is_private=bool(is_private))
        self.hub.repositories[name].commit({".gitattributes": b""}, message="initial commit")
        return self._send(200, {"url": f"{self.hub.url}/{name}", "name": name})

    def _batch(self, given: dict[str, Any]) -> None:
        objects = [
            {**one, "actions": {"upload": {"href": f"{self.hub.url}/stored/{one['oid']}"}}}
            for one in given["objects"]
        ]
        return self._send(200, {"transfer": "basic", "objects": objects})

    def _api(self, name: str, action: str, revision: str, body: bytes) -> None:
        if not self._may_write():
            return None
        repository = self.hub.repositories[name]
        if action == "branch":
            if revision in repository.refs:
                return self._send(409, {"error": "the branch exists"})
            repository.refs[revision] = repository.refs["main"]
            return self._send(200, {})
        if action == "preupload":
            files = [
                {
                    "path": one["path"],
                    "uploadMode": "lfs" if one["path"].endswith(".safetensors") else "regular",
                    "shouldIgnore": False,
                    "oid": None,
                }
                for one in json.loads(body)["files"]
            ]
            return self._send(200, {"files": files})
        if action == "commit":
            return self._commit(name, repository, revision, body)
        return self._send(404, {"error": "not found"})

    def _commit(self, name: str, repository: Repository, revision: str, body: bytes) -> None:
        files: dict[str, bytes] = {}
        message = ""
        for line in body.splitlines():
            record = json.loads(line)
            value = record["value"]
            if record["key"] == "header":
                message = value["summary"]
            elif record["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif record["key"] == "lfsFile":
                files[value["path"]] = self.hub.stored[value["oid"]]
        commit = repository.commit(files, revision, message)
        url = f"{self.hub.url}/{name}/commit/{commit}"
        return self._send(200, {"commitUrl": url, "commitOid": commit, "pullRequestUrl": None})

    def _send(self, status: int, content: Any, headers: dict[str, str] | None = None) -> None:
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for key, value in (headers or {}).items():
            self.send_header(key, value)
        if status >= 400 and isinstance(content, dict):
            self.send_header("X-Error-Message", content["error"])
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
