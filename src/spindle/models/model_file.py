"""The model file: one safetensors file with a JSON manifest in its metadata.

    8 bytes   the length of the header, little-endian
    header    JSON: offset, type and shape of every array, and the manifest under `__metadata__`
    data      the arrays, one after the other

Any program that reads safetensors can read the arrays; `tagger/weights` is the array `weights` of the part
`tagger`. The manifest contains the kind of the model, its card, the settings of every part and the SHA-256
of every array. Another checksum covers the manifest and the table of arrays. The file contains data only:
loading it never runs code from it.

The file is read into memory at once, so that a file that is changed or truncated later does no harm. On
request it is mapped instead, so that the processes of a machine share one copy. All
checksums are verified at loading. Checksums detect damage, not malice: whoever changes a file can compute
them anew. So the manifest is checked against a schema, too, and `spindle.models.schema` says how.
"""

from __future__ import annotations

import json
import math
import mmap
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy

from spindle._core import read_bytes
from spindle.errors import ModelError
from spindle.models.model_part import Array, ModelPart
from spindle.models.schema import (
    Schema,
    SchemaError,
    anything,
    choice,
    items,
    pair,
    record,
    table,
    text,
    whole,
)
from spindle.outputs import replacing

FORMAT = 2
"""The format version that this Spindle writes, and the highest that it reads."""
OLDEST = 2
"""The lowest format version that this Spindle reads."""

_RESTORE = "copy or download it again"
_FORMAT_KEY, _MANIFEST_KEY, _CHECKSUM_KEY = "spindle_format", "spindle_manifest", "spindle_sha256"
_MAX_HEADER_BYTES = 100_000_000  # the limit of safetensors itself
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


_HOSTILE = "the file is damaged, or was made to do harm: do not use it"
_MAX_TEXT = 50_000_000
"""The longest text in a manifest: the tokenizer of a pretrained encoder."""
_MANIFEST: Schema = record(
    {
        "kind": text(100),
        "created_by": text(1000),
        "card": table(anything()),
        "parts": table(table(anything(most=_MAX_TEXT)), at_most=1000),
        "sha256": table(text(64)),
    }
)
_ARRAYS: Schema = table(
    record(
        {
            "dtype": choice(*_TYPES),
            "shape": items(whole(0, 1 << 40), at_most=8),
            "data_offsets": pair(whole(0, 1 << 50), whole(0, 1 << 50)),
        }
    )
)


@dataclass(frozen=True)
class ModelFile:
    """The content of a model file. `kind` names the program part that loads it; `card` documents it."""

    kind: str
    card: Mapping[str, Any]
    parts: Mapping[str, ModelPart]
    created_by: str = ""


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────


def write_model(path: str | Path, model: ModelFile) -> None:
    """Write a model file. It replaces an older file of that name only when it is complete."""
    path = Path(path)
    arrays = _by_size(model.parts)
    entries = _table(arrays)
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
        _CHECKSUM_KEY: _header_digest(entries, manifest),
    }
    try:
        header = json.dumps({"__metadata__": metadata, **entries}, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise ModelError(
            f"{path}: the model cannot be written: a name in it has a character that UTF-8 lacks"
        ) from None
    header += b" " * (-(8 + len(header)) % _ALIGNMENT)
    try:
        with replacing(path) as file:
            file.write(len(header).to_bytes(8, "little") + header)
            for array in arrays.values():
                file.write(_bytes(array))
    except OSError as error:
        raise ModelError(f"{path}: the model cannot be written: {error.strerror or error}") from None


def _by_size(parts: Mapping[str, ModelPart]) -> dict[str, Array]:
    """Return all arrays by full name, the widest item types first: so all are aligned without padding."""
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


def fingerprint(paths: Iterable[Path]) -> str:
    """Return a digest of model files: of their headers, which have the checksums of everything else."""
    digest = sha256()
    for path in paths:
        try:
            with open(path, "rb") as file:
                length = int.from_bytes(file.read(8), "little")
                digest.update(file.read(min(length, _MAX_HEADER_BYTES)))
        except OSError as error:
            raise ModelError(f"{path}: the model cannot be read: {error.strerror or error}") from None
    return digest.hexdigest()


def read_manifest(path: str | Path) -> dict[str, Any]:
    """Return the manifest of a model file: kind, card, and the settings of its parts, but no arrays."""
    path = Path(path)
    try:
        with open(path, "rb", buffering=0) as file:
            return _open_header(_read_header(file.fileno(), path)[0], path)[1]
    except OSError as error:
        raise ModelError(f"{path}: the model cannot be read: {error.strerror or error}") from None


def read_model(path: str | Path, kind: str, *, mapped: bool = False) -> ModelFile:
    """Read a model file of this kind and verify its checksums.

    With `mapped` the arrays stay in the file, and all processes that map it share them. The caller must make
    sure that no process writes to the file: a change is not noticed, and a truncated file ends the process.
    `write_model` is safe, because it makes a new file.
    """
    path = Path(path)
    try:
        with open(path, "rb", buffering=0) as file:
            header, start = _read_header(file.fileno(), path)
            entries, manifest = _open_header(header, path)
            if manifest["kind"] != kind:
                raise ModelError(f"{path}: this is a {ascii(manifest['kind'])[1:-1]}, but a {kind} is needed")
            _check_size(entries, os.fstat(file.fileno()).st_size - start, path)
            if mapped:
                content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))[start:]
                contents: list[Any] = [content[entry.begin : entry.end] for entry in entries.values()]
            else:
                contents = [read_bytes(file.fileno(), entry.end - entry.begin) for entry in entries.values()]
    except FileNotFoundError:
        raise ModelError(f"{path}: there is no such model file") from None
    except OSError as error:
        raise ModelError(f"{path}: the model cannot be read: {error.strerror or error}") from None
    parts = {name: ModelPart(settings) for name, settings in manifest["parts"].items()}
    for (name, entry), content in zip(entries.items(), contents, strict=True):
        if len(content) < entry.end - entry.begin:
            raise ModelError(f"{path}: the model file was cut off while it was read", hint=_RESTORE)
        part, _, key = name.partition("/")
        if part not in parts or sha256(content).hexdigest() != manifest["sha256"].get(name):
            raise ModelError(f"{path}: {name!a} has been altered or damaged", hint=_RESTORE)
        array: Array = numpy.ndarray(entry.shape, entry.dtype, content)
        # the core reads arrays in place, which needs aligned numbers
        parts[part].arrays[key] = array if array.flags.aligned else array.copy()
    return ModelFile(manifest["kind"], manifest["card"], parts, manifest["created_by"])


class _Entry(NamedTuple):
    dtype: numpy.dtype[Any]
    shape: tuple[int, ...]
    begin: int
    end: int


def _read_header(file: int, path: Path) -> tuple[bytes, int]:
    """Return the header and the offset of the data."""
    start = read_bytes(file, 9)
    length = int.from_bytes(start[:8], "little")
    if not start:
        raise ModelError(f"{path}: the file is empty", hint=_RESTORE)
    if length > _MAX_HEADER_BYTES or start[8:] not in (b"{", b""):
        raise ModelError(f"{path}: this is not a Spindle model", hint="train a model with `spindle train`")
    header = start[8:] + read_bytes(file, max(length - 1, 0))
    if len(header) < max(length, 1):
        raise ModelError(f"{path}: the model file is cut off", hint=_RESTORE)
    return header, 8 + length


def _open_header(header: bytes, path: Path) -> tuple[dict[str, _Entry], dict[str, Any]]:
    """Return the table of arrays and the manifest, after verifying format version, checksum and schema."""
    try:
        arrays = _json(header)
        metadata = arrays.pop("__metadata__", {})
        if _FORMAT_KEY not in metadata:
            raise ModelError(f"{path}: this is a safetensors file, but not a Spindle model")
        _check_format(int(metadata[_FORMAT_KEY]), path)
        if _header_digest(arrays, metadata[_MANIFEST_KEY]) != metadata[_CHECKSUM_KEY]:
            raise ValueError("checksum")
        manifest = _json(metadata[_MANIFEST_KEY])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ModelError(f"{path}: the header has been altered or damaged", hint=_RESTORE) from None
    try:
        _ARRAYS(arrays, "the table of arrays")
        _MANIFEST(manifest, "the manifest")
    except SchemaError as error:
        raise ModelError(f"{path}: {error}", hint=_HOSTILE) from None
    entries = {
        name: _Entry(numpy.dtype(_TYPES[entry["dtype"]]), tuple(entry["shape"]), *entry["data_offsets"])
        for name, entry in arrays.items()
    }
    return entries, manifest


def _json(content: bytes | str) -> Any:
    """Parse JSON, in which NaN and infinities do not exist."""

    def refuse(name: str) -> None:
        raise ValueError(f"{name} is no JSON")

    return json.loads(content, parse_constant=refuse)


def _check_format(version: int, path: Path) -> None:
    """Raise a ModelError if this Spindle does not read the format version."""
    if version > FORMAT:
        raise ModelError(
            f"{path}: the model was written by a newer Spindle (format {version}; this one reads up to "
            f"{FORMAT})",
            hint="upgrade with `pip install --upgrade spindle-parser`",
        )
    if version < OLDEST:
        raise ModelError(
            f"{path}: the model was written by an older Spindle (format {version}; this one reads {OLDEST} "
            "and newer)",
            hint="train it again, or use the version of Spindle that wrote it",
        )


def _check_size(entries: Mapping[str, _Entry], size: int, path: Path) -> None:
    """Raise a ModelError unless the arrays fill the data exactly, without gaps."""
    expected = 0
    for name, (dtype, shape, begin, end) in entries.items():
        if begin != expected or end - begin != math.prod(shape) * dtype.itemsize:
            raise ModelError(f"{path}: the offsets of {name!a} are inconsistent", hint=_RESTORE)
        expected = end
    if size < expected:
        raise ModelError(f"{path}: the model file is cut off ({size:,} of {expected:,} bytes)", hint=_RESTORE)
    if size > expected:
        raise ModelError(f"{path}: {size - expected:,} bytes follow the end of the model", hint=_RESTORE)
