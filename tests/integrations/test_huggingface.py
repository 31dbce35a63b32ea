"""Models on the Hugging Face Hub, with the real huggingface_hub and a server on loopback."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import spindle
from spindle.errors import ModelError, SpindleError
from spindle.models.bundled import find_model
from support.hub_server import READ_ONLY, TOKEN, HubServer

hub_package = pytest.importorskip("huggingface_hub", reason="needs the extra hub")

from huggingface_hub import ModelCard, constants  # noqa: E402
from huggingface_hub.utils import _http  # noqa: E402

from spindle.integrations.huggingface import hub_card  # noqa: E402
from spindle.integrations.huggingface.card import licence_identifier  # noqa: E402
from spindle.integrations.huggingface.names import HubName, parse_name  # noqa: E402

# a deprecation inside huggingface_hub, where it uploads without Xet
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")

FAST = find_model("light").read_bytes()
MODEL = "model.safetensors"
TREE = "(ROOT (S (NP (NNS Trees)) (VP (VBP grow)) (. .)))"


def reach(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set HF_ENDPOINT, which huggingface_hub reads when it is imported."""
    monkeypatch.setattr(constants, "ENDPOINT", url)
    template = url + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    """A hub with one model, and an empty cache."""
    with HubServer() as server:
        server.add("ada/light", {MODEL: FAST, "README.md": b"# A card\n", "config.py": b"import os"})
        reach(server.url, monkeypatch)
        # no waiting between the attempts to reach a hub
        monkeypatch.setattr(_http, "time", SimpleNamespace(**{**vars(time), "sleep": lambda seconds: None}))
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "token"))
        for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
            monkeypatch.delenv(name, raising=False)
        yield server


def environment(hub: HubServer, tmp_path: Path, **more: str) -> dict[str, str]:
    """Return the environment of a process that uses the server."""
    own = {"HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "home"), "HF_HUB_DISABLE_XET": "1"}
    return {**os.environ, **own, **more}


# ── loading ──────────────────────────────────────────────────────────────────────────────────────────


def test_a_model_is_loaded_and_only_its_file_is_read(hub: HubServer, capfd: Any) -> None:
    parser = spindle.load("hf://ada/light")
    assert str(parser.parse("Trees grow.")) == TREE
    assert repr(parser) == "<Parser model.safetensors: linear, continuous trees>"
    assert hub.files("GET") == hub.files("HEAD") == [f"/ada/light/resolve/main/{MODEL}"]
    assert capfd.readouterr() == ("", "")
    # the cache has it
    spindle.load("hf://ada/light")
    assert len(hub.files("GET")) == 1
    assert len(spindle.load(["hf://ada/light", "light"]).parsers) == 2


def test_revisions(hub: HubServer) -> None:
    repository = hub.repositories["ada/light"]
    first = repository.refs["main"]
    repository.refs["v1"] = first
    repository.commit({MODEL: b"something else"})
    repository.refs["refs/pr/7"] = first
    for revision in ("v1", first, "refs/pr/7"):
        assert spindle.load(f"hf://ada/light@{revision}").card == spindle.load("light").card
    with pytest.raises(ModelError, match="is no model of Spindle"):
        spindle.load("hf://ada/light")
    with pytest.raises(ModelError, match="there is no such revision; name a branch"):
        spindle.load("hf://ada/light@v2")


def test_another_file_of_a_repository(hub: HubServer) -> None:
    hub.add("ada/many", {"models/small.model": FAST})
    assert spindle.load("hf://ada/many/models/small.model").path is not None
    with pytest.raises(ModelError) as caught:
        spindle.load("hf://ada/many")
    assert str(caught.value) == (
        "hf://ada/many: the repository has no such file; a model is in model.safetensors; name another file "
        "as in hf://owner/name/file"
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"GIF89a" * 100, "this is not a Spindle model"),
        ((32).to_bytes(8, "little") + b'{"a": 1}' + b" " * 24, "not a Spindle model|altered or damaged"),
        (FAST[:5000], "the model file is cut off"),
    ],
)
def test_a_file_that_is_no_model(hub: HubServer, content: bytes, said: str) -> None:
    hub.add("ada/other", {MODEL: content})
    with pytest.raises(ModelError, match=f"hf://ada/other: .*({said}).*; name the model file"):
        spindle.load("hf://ada/other")


def test_checksums_are_verified(hub: HubServer) -> None:
    middle = len(FAST) // 2
    hub.add("ada/altered", {MODEL: FAST[:middle] + bytes([FAST[middle] ^ 1]) + FAST[middle + 1 :]})
    with pytest.raises(ModelError, match="has been altered or damaged"):
        spindle.load("hf://ada/altered")


def test_a_damaged_copy_in_the_cache_is_downloaded_again(hub: HubServer) -> None:
    path = spindle.load("hf://ada/light").path
    assert path is not None
    path.resolve().write_bytes(FAST[:-1000])
    assert str(spindle.load("hf://ada/light").parse("Trees grow.")) == TREE
    assert len(hub.files("GET")) == 2


def test_no_such_repository_and_private_ones(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.add("ada/private", {MODEL: FAST}, is_private=True)
    hub.add("ada/gated", {MODEL: FAST}, is_gated=True)
    for name in ("hf://ada/nothing", "hf://ada/private"):
        with pytest.raises(ModelError) as caught:
            spindle.load(name)
        assert str(caught.value) == (
            f"{name}: there is no such repository, or it is private; check the name; if it is private, log "
            "in with `hf auth login`, or set HF_TOKEN"
        )
    with pytest.raises(ModelError, match="access to this repository must be granted; ask for it on the page"):
        spindle.load("hf://ada/gated")
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    assert spindle.load("hf://ada/private").path != spindle.load("hf://ada/gated").path


def test_offline_mode(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    spindle.load("hf://ada/light")
    hub.add("ada/new", {MODEL: FAST})
    hub.requests.clear()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert str(spindle.load("hf://ada/light").parse("Trees grow.")) == TREE
    with pytest.raises(ModelError, match="not in the cache, and HF_HUB_OFFLINE forbids to download it"):
        spindle.load("hf://ada/new")
    assert hub.files("HEAD") == []


def test_a_hub_that_is_down(hub: HubServer) -> None:
    spindle.load("hf://ada/light")
    hub.status = 503
    assert str(spindle.load("hf://ada/light").parse("Trees grow.")) == TREE


@pytest.mark.parametrize(
    "name",
    [
        "hf://",
        "hf://fast",
        "hf://ada/",
        "hf://ada/light@",
        "hf://a b/c",
        "hf://ada/light/../x",
        "hf://ada/f@a@b",
    ],
)
def test_names_that_are_none(name: str) -> None:
    with pytest.raises(ModelError, match="is no name of a model on the hub; write hf://owner/name"):
        spindle.load(name)


def test_parts_of_names() -> None:
    assert parse_name("hf://ada/light") == HubName("ada/light", None, MODEL)
    assert parse_name("hf://a.b/c_d-e@v1.0/x/y.model") == HubName("a.b/c_d-e", "v1.0", "x/y.model")
    assert parse_name("hf://a/b@refs/pr/3") == HubName("a/b", "refs/pr/3", MODEL)
    assert parse_name("hf://a/b@feature%2Fnew") == HubName("a/b", "feature/new", MODEL)


def test_without_huggingface_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(SpindleError, match=r"pip install 'spindle-parser\[hub\]'"):
        spindle.load("hf://ada/light")


# ── on the command line, in processes of their own ───────────────────────────────────────────────────


def run(*arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "spindle", *arguments]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)


def test_the_command_line(hub: HubServer, tmp_path: Path) -> None:
    found = run("parse", "Trees grow.", "--model", "hf://ada/light", env=environment(hub, tmp_path))
    assert (found.returncode, found.stdout, found.stderr) == (0, f"{TREE}\n", "")
    offline = environment(hub, tmp_path, HF_HUB_OFFLINE="1")
    hub.requests.clear()
    out = str(tmp_path / "out.ptb")
    assert run("parse", "Trees grow.", "--model", "hf://ada/light", "-o", out, env=offline).returncode == 0
    assert hub.files("HEAD") == []
    failed = run("parse", "Trees grow.", "--model", "hf://ada/new", env=offline)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr.startswith("spindle: hf://ada/new: not in the cache, and HF_HUB_OFFLINE forbids")
    shown = run("info", "hf://ada/light", env=offline)
    assert "english-gum" in shown.stdout


# ── uploading ────────────────────────────────────────────────────────────────────────────────────────


def test_push_and_load(hub: HubServer, capfd: Any) -> None:
    parser = spindle.load("light")
    url = parser.push_to_hub("ada/mine", token=TOKEN, language="en", licence="cc-by-4.0", message="first")
    repository = hub.repositories["ada/mine"]
    assert url == f"{hub.url}/ada/mine/commit/{repository.refs['main']}"
    files = repository.commits[repository.refs["main"]]
    assert set(files) == {".gitattributes", MODEL, "README.md"}
    assert files[MODEL] == FAST
    assert repository.messages[-1] == "first"
    assert capfd.readouterr() == ("", "")
    assert not repository.is_private
    assert str(spindle.load("hf://ada/mine").parse("Trees grow.")) == TREE
    card = ModelCard(files["README.md"].decode())
    assert (card.data.language, card.data.license) == ("en", "cc-by-4.0")


def test_a_parser_that_was_never_saved(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    trees = list(spindle.read_trees(str(find_model("light").parent / "demo-train.dbr")))
    parser = spindle.train(trees, parser="oracle", licence="MIT")
    assert parser.path is None
    parser.push_to_hub("hf://ada/oracle", private=True)
    assert parser.path is None
    assert hub.repositories["ada/oracle"].is_private
    assert list(spindle.load("hf://ada/oracle").parse_many(trees[:3])) == trees[:3]


def test_a_card_that_a_person_has_written_is_kept(hub: HubServer) -> None:
    parser = spindle.load("light")
    parser.push_to_hub("ada/mine", token=TOKEN)
    repository = hub.repositories["ada/mine"]
    written = repository.commits[repository.refs["main"]]["README.md"]
    parser.push_to_hub("ada/mine", token=TOKEN, language="en")
    again = repository.commits[repository.refs["main"]]["README.md"]
    assert again != written
    repository.commit({"README.md": b"# My own card\n"})
    parser.push_to_hub("ada/mine", token=TOKEN)
    assert repository.commits[repository.refs["main"]]["README.md"] == b"# My own card\n"


def test_a_branch(hub: HubServer) -> None:
    parser = spindle.load("light")
    parser.push_to_hub("ada/mine", token=TOKEN, revision="next")
    repository = hub.repositories["ada/mine"]
    assert MODEL not in repository.commits[repository.refs["main"]]
    assert spindle.load("hf://ada/mine@next").card == parser.card
    parser.push_to_hub("ada/mine", token=TOKEN, revision="next")


@pytest.mark.parametrize(
    ("token", "said"),
    [(None, "the hub does not know you; log in"), (READ_ONLY, "the token does not allow this")],
)
def test_uploads_that_are_not_allowed(hub: HubServer, token: str | None, said: str) -> None:
    with pytest.raises(ModelError, match=f"ada/mine: {said}"):
        spindle.load("light").push_to_hub("ada/mine", token=token)
    assert "ada/mine" not in hub.repositories


def test_uploads_that_fail(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    parser = spindle.load("light")
    with pytest.raises(ModelError, match="'mine' is no name of a repository; write owner/name"):
        parser.push_to_hub("mine")
    hub.status = 500
    with pytest.raises(ModelError, match="the hub answered with status 500: the hub is down; try again"):
        parser.push_to_hub("ada/mine", token=TOKEN)
    reach("http://127.0.0.1:9", monkeypatch)
    with pytest.raises(ModelError, match="the hub cannot be reached"):
        parser.push_to_hub("ada/mine", token=TOKEN)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match="HF_HUB_OFFLINE"):
        parser.push_to_hub("ada/mine", token=TOKEN)


# ── cards ────────────────────────────────────────────────────────────────────────────────────────────


def test_the_card_in_the_format_of_the_hub() -> None:
    parser = spindle.load("light")
    text = hub_card(parser, "ada/light", language="en")
    card = ModelCard(text)
    data = card.data
    assert data.license == "other"
    assert data.library_name == "spindle"
    assert {"constituency-parsing", "continuous", "linear"} <= set(data.tags)
    assert data.datasets == ["english-gum-free-genres", "english-craft", "everyday"]
    assert data.metrics == ["f1", "precision", "recall", "exact_match", "accuracy"]
    results = {one.metric_name: one for one in data.eval_results}
    assert results["F1"].metric_value == round(parser.card.scores["f1"], 2)
    assert results["F1"].metric_args == {"signature": parser.card.scores["signature"]}
    assert results["F1"].dataset_split == "dev"
    assert data.model_name == "light"
    assert parser.card.scores["signature"] in card.text
    assert "Verspoor et al. 2012" in card.text
    assert 'spindle.load("hf://ada/light")' in card.text


def test_a_card_with_hostile_names(tmp_path: Path) -> None:
    (tmp_path / "a|b\n# c <script>.dbr").write_text("(S (A 0=a) (B 1=b))\n" * 3, encoding="utf-8")
    trees = list(spindle.read_trees(tmp_path / "a|b\n# c <script>.dbr"))
    parser = spindle.train(trees, parser="oracle", licence="mine: [x](javascript:1)\n---\nlicense: mit")
    text = hub_card(parser, "ada/x")
    assert ModelCard(text).data.license == "other"
    assert re.search(r"^---$", text.removeprefix("---\n").partition("\n---\n")[2], re.MULTILINE) is None
    assert "](javascript" not in text.replace("\\]", "").partition("\n---\n")[2]


@pytest.mark.parametrize(
    ("licence", "identifier"),
    [("MIT", "mit"), ("CC BY 4.0", "cc-by-4.0"), ("Apache 2.0", "apache-2.0"), ("research only", "other")],
)
def test_licences(licence: str, identifier: str) -> None:
    assert licence_identifier(licence) == identifier
