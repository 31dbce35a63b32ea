"""Models to the hub: the model file and its card, in one commit."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spindle import __version__
from spindle.integrations.huggingface.card import MARK, hub_card
from spindle.integrations.huggingface.names import (
    MODEL_FILE,
    bars_on_terminals_only,
    hub,
    parse_repository,
    reporting_errors,
)
from spindle.models import write_model

if TYPE_CHECKING:
    from spindle.pipeline.parser import Parser

CARD = "README.md"


def push(
    parser: Parser,
    repository: str,
    *,
    language: str | None = None,
    licence: str | None = None,
    private: bool | None = None,
    revision: str | None = None,
    message: str | None = None,
    token: str | None = None,
) -> str:
    """Upload a parser and its card; return the address of the commit. `Parser.push_to_hub` explains it."""
    name = parse_repository(repository)
    package = hub()
    card = hub_card(parser, name, language=language, licence=licence)
    with (
        tempfile.TemporaryDirectory(prefix="spindle-") as folder,
        reporting_errors(name),
        bars_on_terminals_only(),
    ):
        file = parser.path
        if file is None or not file.is_file():
            file = Path(folder) / MODEL_FILE
            write_model(file, parser.to_model_file())
        api = package.HfApi(token=token, library_name="spindle", library_version=__version__)
        api.create_repo(name, private=private, exist_ok=True)
        if revision is not None:
            api.create_branch(name, branch=revision, exist_ok=True)
        operations = [package.CommitOperationAdd(MODEL_FILE, str(file))]
        if _may_write_card(api, name, revision):
            operations.append(package.CommitOperationAdd(CARD, card.encode()))
        text = message or f"Model of Spindle {__version__}"
        found = api.create_commit(name, operations, commit_message=text, revision=revision)
        return str(found.commit_url)


def _may_write_card(api: Any, name: str, revision: str | None) -> bool:
    """Return whether the repository has no card, or one that Spindle has written."""
    from huggingface_hub.errors import EntryNotFoundError

    try:
        path = api.hf_hub_download(name, CARD, revision=revision)
    except EntryNotFoundError:
        return True
    return MARK in Path(path).read_text(encoding="utf-8", errors="replace")
