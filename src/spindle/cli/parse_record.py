"""The record of an unfinished output of `spindle parse`: `--resume` continues what the same command made.

The record is a small file beside the output, `.OUT.parse`. It is written before the first sentence. A parse
that ends removes it, except if it was started with `--resume`: then the same command can be repeated, and
finds that there is nothing left to do.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from spindle.errors import SpindleError
from spindle.models.model_file import fingerprint
from spindle.outputs import replacing
from spindle.pipeline.provenance import difference

SAMPLE_BYTES = 1 << 16
"""The bytes at the start of an input that the record has a digest of: an input may grow."""
MAX_BYTES = 1 << 20
_HINT = "start anew without --resume, or write to another file"


def record_path(output: str) -> Path:
    """Return the path of the record of an output."""
    path = Path(output)
    return path.with_name(f".{path.name}.parse")


def describe(inputs: Sequence[str], models: Sequence[Path], options: dict[str, Any]) -> dict[str, Any]:
    """Return what an output depends on: the start of the inputs, the models, the options and the version."""
    from spindle import __version__

    return {
        "version of Spindle": __version__,
        "model": fingerprint(models),
        **{f"input {number}": _sample(name) for number, name in enumerate(inputs, start=1)},
        **{name: value for name, value in options.items() if value not in (None, False)},
    }


def _sample(name: str) -> list[Any]:
    """Return the number of bytes that were looked at and their digest; of a pipe and of a text, its name."""
    path = Path(name)
    try:
        is_file = name != "-" and path.is_file()
    except (OSError, ValueError):  # a sentence that is too long for a name
        is_file = False
    if not is_file:
        return [0, sha256(name.encode("utf-8", "surrogateescape")).hexdigest()]
    return list(_digest(path, SAMPLE_BYTES))


def _digest(path: Path, size: int) -> tuple[int, str]:
    with open(path, "rb") as file:
        start = file.read(size)
    return len(start), sha256(start).hexdigest()


def write_record(output: str, made_by: dict[str, Any]) -> None:
    """Write the record of an output."""
    with replacing(record_path(output)) as file:
        file.write(json.dumps(made_by, indent=1).encode())


def remove_record(output: str) -> None:
    """Remove the record of an output that is finished."""
    record_path(output).unlink(missing_ok=True)


def remove_orphan(output: str) -> None:
    """Remove the record of an output that was never begun, because the first sentence failed."""
    if not Path(output).exists():
        remove_record(output)


def check_record(output: str, inputs: Sequence[str], made_by: dict[str, Any]) -> None:
    """Raise a `SpindleError` that names the difference unless the same command made the output."""
    path = record_path(output)
    if not Path(output).exists() or not Path(output).stat().st_size:
        return
    try:
        with open(path, "rb") as file:
            found = json.loads(file.read(MAX_BYTES))
    except FileNotFoundError:
        cause = f"{output}: nothing says that an interrupted `spindle parse` made this file"
        raise SpindleError(cause, hint=_HINT) from None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise SpindleError(f"{path}: this record of an interrupted parse is damaged", hint=_HINT)
    for name in sorted(found.keys() | made_by.keys()):
        before, now = found.get(name), made_by.get(name)
        if before == now or (name.startswith("input ") and _has_grown(inputs, name, before)):
            continue
        raise SpindleError(f"{output}: cannot be resumed: it {difference(name, before, now)}", hint=_HINT)


def _has_grown(inputs: Sequence[str], name: str, before: Any) -> bool:
    """Return whether an input still starts with what it was when the parse began."""
    number = int(name.removeprefix("input ")) - 1
    if number >= len(inputs) or not isinstance(before, list) or len(before) != 2:
        return False
    size = before[0]
    if not isinstance(size, int) or not 0 < size < SAMPLE_BYTES or not Path(inputs[number]).is_file():
        return False
    return list(_digest(Path(inputs[number]), size)) == before
