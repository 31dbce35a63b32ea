"""Models from the hub. huggingface_hub downloads them, with its cache, its revisions and its tokens."""

from __future__ import annotations

import re
from hashlib import file_digest
from pathlib import Path

from spindle import __version__
from spindle.errors import ModelError
from spindle.integrations.huggingface.names import (
    HubName,
    bars_on_terminals_only,
    hub,
    parse_name,
    reporting_errors,
)
from spindle.models.model_file import read_manifest

_SHA256 = re.compile("[0-9a-f]{64}")


def fetch(name: str) -> Path:
    """Return the local file of a model on the hub, such as `hf://owner/name@revision`.

    The file is downloaded unless the cache has it. A copy in the cache that is damaged is downloaded again.
    The checksums in the file are verified when it is loaded.
    """
    place = parse_name(name)
    with reporting_errors(name), bars_on_terminals_only():
        path = _download(place, again=False)
        if _is_damaged(path):
            path = _download(place, again=True)
    try:
        read_manifest(path)
    except ModelError as error:
        cause = error.cause.removeprefix(f"{path}: ")
        hint = "name the model file as in hf://owner/name/file"
        raise ModelError(f"{name}: {place.file} is no model of Spindle: {cause}", hint=hint) from None
    return path


def _download(place: HubName, *, again: bool) -> Path:
    return Path(
        hub().hf_hub_download(
            place.repository,
            place.file,
            revision=place.revision,
            library_name="spindle",
            library_version=__version__,
            force_download=again,
        )
    )


def _is_damaged(path: Path) -> bool:
    """Return whether a file of the cache differs from what was downloaded: its name is its checksum."""
    checksum = path.resolve().name
    if _SHA256.fullmatch(checksum) is None:
        return False
    with open(path, "rb") as file:
        return file_digest(file, "sha256").hexdigest() != checksum
