"""The model file: one safetensors file with a JSON manifest in its metadata.

    8 bytes   the length of the header, little-endian
    header    JSON: the place, type and shape of every array, and under `__metadata__` our manifest
    data      the arrays, one after the other

Any program that reads safetensors can read the arrays; `tagger/weights` is the array `weights` of the part
`tagger`. The manifest says what the model is, holds the settings of every part and the SHA-256 of every
array; manifest and array table have a checksum of their own. The file is data and nothing else: nothing in
it is ever run.

Arrays are mapped into memory, not read. All checksums are verified at loading all the same, because it is
cheap: 39 ms for 60 MB.
"""

from __future__ import annotations

import json
import math
import mmap
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy

from spindle.errors import ModelError
from spindle.models.model_part import Array, ModelPart

FORMAT = 1
"""The version of the manifest; a file with a higher one was written by a newer Spindle."""

AGAIN = "copy or download it again"
_FORMAT_KEY, _MANIFEST_KEY, _CHECKSUM_KEY = "spindle_format", "spindle_manifest", "spindle_sha256"
_LONGEST_HEADER = 100_000_000  # the limit that safetensors itself sets
_ALIGNMENT = 64
_TYPES = {
    "BOOL": "|b1",
    "U8": "|u1",
    "I8": "|i1",
    "U16": "<u2",
    "I16": "<i2",
    "F16": "<f2",
    "U32": "<u4",
    "I32": "<i4",
    "F32": "<f4",
    "U64": "<u8",
    "I64": "<i8",
    "F64": "<f8",
}
_NAMES = {numpy.dtype(code): name for name, code in _TYPES.items()}


@dataclass(frozen=True)
class ModelFile:
    """What a model file holds. `kind` says for whom it is; `card` tells people about it."""

    kind: str
    card: Mapping[str, Any]
    parts: Mapping[str, ModelPart]
    created_by: str = ""


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────


def write_model(path: str | Path, model: ModelFile) -> None:
    """Write a model file. It appears under its name only when it is complete."""
    path = Path(path)
    arrays = _by_size(model.parts)
    table = _table(arrays)
    manifest = json.dumps(
        {
            "kind": model.kind,
            "created_by": model.created_by,
            "card": model.card,
            "parts": {name: part.settings for name, part in model.parts.items()},
            "sha256": {name: _digest(array) for name, array in arrays.items()},
        },
        ensure_ascii=False,
    )
    metadata = {
        _FORMAT_KEY: str(FORMAT),
        _MANIFEST_KEY: manifest,
        _CHECKSUM_KEY: _header_digest(table, manifest),
    }
    header = json.dumps({"__metadata__": metadata, **table}, ensure_ascii=False).encode("utf-8")
    header += b" " * (-(8 + len(header)) % _ALIGNMENT)
    try:
        with replacing(path) as file:
            file.write(len(header).to_bytes(8, "little") + header)
            for array in arrays.values():
                file.write(_bytes(array))
    except OSError as error:
        raise ModelError(f"{path}: the model cannot be written: {error.strerror or error}") from None


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to that takes its name only at the end: whoever looks sees the old one or the new."""
    # always the same name: what a killed process has left behind is overwritten, not piled up
    temporary = path.with_name(f".{path.name}.unfinished")
    try:
        with open(temporary, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()


def _by_size(parts: Mapping[str, ModelPart]) -> dict[str, Array]:
    """All arrays by their full name. The widest items come first, so that all are aligned without holes."""
    arrays = {
        f"{name}/{key}": numpy.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
        for name, part in parts.items()
        for key, array in part.arrays.items()
    }
    return dict(sorted(arrays.items(), key=lambda item: (-item[1].itemsize, item[0])))


def _table(arrays: dict[str, Array]) -> dict[str, Any]:
    table, offset = {}, 0
    for name, array in arrays.items():
        table[name] = {
            "dtype": _NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [offset, offset + array.nbytes],
        }
        offset += array.nbytes
    return table


def _bytes(array: Array) -> memoryview:
    return array.reshape(-1).view(numpy.uint8).data


def _digest(array: Array) -> str:
    return sha256(_bytes(array)).hexdigest()


def _header_digest(table: Mapping[str, Any], manifest: str) -> str:
    text = json.dumps(table, ensure_ascii=False, sort_keys=True) + manifest
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────


def read_model(path: str | Path, kind: str) -> ModelFile:
    """Read a model file of this kind, every array mapped and its checksum verified."""
    path = Path(path)
    try:
        with open(path, "rb") as file:
            header, start = _read_header(file, path)
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        raise ModelError(f"{path}: there is no such model file") from None
    except OSError as error:
        raise ModelError(f"{path}: the model cannot be read: {error.strerror or error}") from None
    try:
        table, manifest = _open_header(header, path)
        if manifest["kind"] != kind:
            raise ModelError(f"{path}: this is a {manifest['kind']}, where a {kind} is needed")
        _check_size(table, len(content) - start, path)
        parts = {name: ModelPart(settings) for name, settings in manifest["parts"].items()}
        for name, (dtype, shape, begin, _) in table.items():
            count = math.prod(shape)
            array = numpy.frombuffer(content, dtype, count, start + begin) if count else numpy.empty(0, dtype)
            if _digest(array) != manifest["sha256"][name]:
                raise ModelError(f"{path}: {name} has been altered or damaged; {AGAIN}")
            part, _, key = name.partition("/")
            parts[part].arrays[key] = array.reshape(shape)
        return ModelFile(manifest["kind"], manifest["card"], parts, manifest["created_by"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ModelError(f"{path}: the header has been altered or damaged; {AGAIN}") from None


class _Entry(NamedTuple):
    dtype: numpy.dtype[Any]
    shape: tuple[int, ...]
    begin: int
    end: int


def _read_header(file: IO[bytes], path: Path) -> tuple[bytes, int]:
    """The header and where the data starts."""
    start = file.read(9)
    length = int.from_bytes(start[:8], "little")
    if not start:
        raise ModelError(f"{path}: the file is empty; {AGAIN}")
    if length > _LONGEST_HEADER or start[8:] not in (b"{", b""):
        raise ModelError(f"{path}: this is no Spindle model; `spindle train` makes one")
    header = start[8:] + file.read(max(length - 1, 0))
    if len(header) < max(length, 1):
        raise ModelError(f"{path}: the model file is cut off; {AGAIN}")
    return header, 8 + length


def _open_header(header: bytes, path: Path) -> tuple[dict[str, _Entry], dict[str, Any]]:
    """The table of arrays and the manifest, once both are what was written."""
    table = json.loads(header)
    metadata = table.pop("__metadata__", {})
    if _FORMAT_KEY not in metadata:
        raise ModelError(f"{path}: this is a safetensors file, but no Spindle model")
    if int(metadata[_FORMAT_KEY]) > FORMAT:
        raise ModelError(
            f"{path}: the model was written by a newer Spindle (format {metadata[_FORMAT_KEY]}; this one "
            f"reads up to {FORMAT}); upgrade with `pip install --upgrade spindle-parser`"
        )
    if _header_digest(table, metadata[_MANIFEST_KEY]) != metadata[_CHECKSUM_KEY]:
        raise ValueError("checksum")
    entries = {
        name: _Entry(numpy.dtype(_TYPES[entry["dtype"]]), tuple(entry["shape"]), *entry["data_offsets"])
        for name, entry in table.items()
    }
    return entries, json.loads(metadata[_MANIFEST_KEY])


def _check_size(table: Mapping[str, _Entry], size: int, path: Path) -> None:
    """The arrays must fill the file from end to end."""
    expected = 0
    for name, (dtype, shape, begin, end) in table.items():
        if begin != expected or end - begin != math.prod(shape) * dtype.itemsize or min(shape, default=0) < 0:
            raise ModelError(f"{path}: the place of {name} makes no sense; {AGAIN}")
        expected = end
    if size < expected:
        raise ModelError(f"{path}: the model file is cut off ({size:,} of {expected:,} bytes); {AGAIN}")
    if size > expected:
        raise ModelError(f"{path}: {size - expected:,} bytes follow the end of the model; {AGAIN}")
