"""Names of models on the hub, and the errors of the hub in the words of Spindle."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import unquote

from spindle.errors import ModelError, SpindleError
from spindle.models.bundled import HUB

MODEL_FILE = "model.safetensors"
"""The name of the model file in a repository: it is a safetensors file, which the hub can show."""
_PART = r"[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?"
_REVISION = r"refs/(?:pr|convert)/[^/@]+|[^/@]+"
_NAME = re.compile(rf"hf://({_PART}/{_PART})(?:@({_REVISION}))?(?:/([^@]+))?")
_REPOSITORY = re.compile(f"{_PART}/{_PART}")
_LOG_IN = "log in with `hf auth login`, or set HF_TOKEN"


class HubName(NamedTuple):
    """A repository, a revision (a branch, tag or commit; None for the newest), and a file in it."""

    repository: str
    revision: str | None
    file: str


def parse_name(name: str) -> HubName:
    """Return the parts of a name like `hf://owner/name@revision/file`; a `ModelError` if it is none.

    >>> parse_name("hf://ada/english@v1")
    HubName(repository='ada/english', revision='v1', file='model.safetensors')
    """
    found = _NAME.fullmatch(name)
    if found is None or ".." in (found[3] or "").split("/"):
        hint = "write hf://owner/name, hf://owner/name@revision or hf://owner/name@revision/file"
        raise ModelError(f"{name!r} is no name of a model on the hub", hint=hint)
    revision = None if found[2] is None else unquote(found[2])
    return HubName(found[1], revision, found[3] or MODEL_FILE)


def parse_repository(name: str) -> str:
    """Return the name of a repository, `owner/name`, also if it is written as `hf://owner/name`."""
    repository = name.removeprefix(HUB)
    if _REPOSITORY.fullmatch(repository) is None:
        raise ModelError(f"{name!r} is no name of a repository", hint="write owner/name")
    return repository


def hub() -> Any:
    """Return the package huggingface_hub; a `SpindleError` if it is not installed."""
    try:
        import huggingface_hub
    except ImportError:
        hint = "install it with `pip install 'spindle-parser[hub]'`"
        raise SpindleError("huggingface_hub is not installed", hint=hint) from None
    return huggingface_hub


@contextmanager
def bars_on_terminals_only() -> Iterator[None]:
    """Hide the progress bars of huggingface_hub, which does not ask for a terminal, where there is none."""
    hub()
    from huggingface_hub import constants, utils

    is_chosen = constants.HF_HUB_DISABLE_PROGRESS_BARS is not None or utils.are_progress_bars_disabled()
    if sys.stderr.isatty() or is_chosen:
        yield
        return
    utils.disable_progress_bars()
    try:
        yield
    finally:
        utils.enable_progress_bars()


@contextmanager
def reporting_errors(name: str) -> Iterator[None]:
    """Turn the errors of huggingface_hub into a `ModelError` that names the model and says what to do."""
    hub()
    from huggingface_hub import errors

    try:
        yield
    except errors.GatedRepoError:
        raise ModelError(
            f"{name}: access to this repository must be granted",
            hint=f"ask for it on the page of the repository, and {_LOG_IN}",
        ) from None
    except errors.RepositoryNotFoundError:
        raise ModelError(
            f"{name}: there is no such repository, or it is private",
            hint=f"check the name; if it is private, {_LOG_IN}",
        ) from None
    except errors.RevisionNotFoundError:
        raise ModelError(
            f"{name}: there is no such revision", hint="name a branch, a tag or a commit of the repository"
        ) from None
    except (errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled):
        raise _unreachable(name) from None
    except errors.EntryNotFoundError:
        raise ModelError(
            f"{name}: the repository has no such file",
            hint=f"a model is in {MODEL_FILE}; name another file as in hf://owner/name/file",
        ) from None
    except errors.LocalTokenNotFoundError:
        raise ModelError(f"{name}: there is no token", hint=_LOG_IN) from None
    except errors.HfHubHTTPError as error:
        raise _refused(name, error) from None
    except errors.HTTPError:
        raise _unreachable(name) from None
    except RuntimeError as error:
        if error.__cause__ is None:
            raise
        hint = "check the network and the disk, and try again"
        raise ModelError(f"{name}: {error} {error.__cause__}", hint=hint) from None


def _unreachable(name: str) -> ModelError:
    from huggingface_hub import constants

    if constants.is_offline_mode():
        hint = "unset HF_HUB_OFFLINE, or load it once while it is unset"
        return ModelError(f"{name}: not in the cache, and HF_HUB_OFFLINE forbids to download it", hint=hint)
    hint = "check the network; a model that was loaded before is taken from the cache"
    return ModelError(f"{name}: the hub cannot be reached ({constants.ENDPOINT})", hint=hint)


def _refused(name: str, error: Any) -> ModelError:
    status = None if error.response is None else error.response.status_code
    if status == 401:
        return ModelError(f"{name}: the hub does not know you", hint=_LOG_IN)
    if status == 403:
        hint = "use a token that may write, and a repository of yours"
        return ModelError(f"{name}: the token does not allow this", hint=hint)
    said = error.server_message or str(error).strip().partition("\n")[0]
    return ModelError(f"{name}: the hub answered with status {status}: {said}", hint="try again later")
