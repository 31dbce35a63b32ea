"""Model files whose checksums are right and whose content is not: what somebody could send."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy

Arrays = dict[str, numpy.ndarray[Any, Any]]
Change = Callable[[Arrays, dict[str, Any]], Arrays | None]
NAMES = {
    numpy.dtype(code): name
    for name, code in (("U8", "u1"), ("I8", "i1"), ("U16", "<u2"), ("I16", "<i2"), ("U32", "<u4"))
} | {
    numpy.dtype(code): name
    for name, code in (("I32", "<i4"), ("F32", "<f4"), ("U64", "<u8"), ("I64", "<i8"), ("F64", "<f8"))
}


def read_raw(path: Path) -> tuple[Arrays, dict[str, Any]]:
    """Return all arrays and the manifest of a model file, without any check."""
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    table = json.loads(content[8:start])
    metadata = table.pop("__metadata__")
    codes = {name: dtype for dtype, name in NAMES.items()}
    arrays = {
        name: numpy.frombuffer(
            content[start + entry["data_offsets"][0] : start + entry["data_offsets"][1]],
            codes[entry["dtype"]],
        ).reshape(entry["shape"])
        for name, entry in table.items()
    }
    return arrays, json.loads(metadata["spindle_manifest"])


def write_raw(path: Path, arrays: Arrays, manifest: dict[str, Any]) -> Path:
    """Write a model file with right checksums in the order of the arrays, whatever the manifest says."""
    table, offset = {}, 0
    for name, array in arrays.items():
        table[name] = {
            "dtype": NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [offset, offset + array.nbytes],
        }
        offset += array.nbytes
    if isinstance(manifest.get("sha256"), dict):
        manifest["sha256"] = {name: sha256(array.tobytes()).hexdigest() for name, array in arrays.items()}
    text = json.dumps(manifest)
    covered = json.dumps(table, ensure_ascii=False, sort_keys=True) + text
    metadata = {
        "spindle_format": "2",
        "spindle_manifest": text,
        "spindle_sha256": sha256(covered.encode("utf-8", "surrogatepass")).hexdigest(),
    }
    header = json.dumps({"__metadata__": metadata, **table}).encode()
    content = b"".join(array.tobytes() for array in arrays.values())
    path.write_bytes(len(header).to_bytes(8, "little") + header + content)
    return path


def rewritten(path: Path, change: Change) -> Path:
    """Change the arrays or the manifest of a model file; return the path of the changed copy."""
    arrays, manifest = read_raw(path)
    changed = change(arrays, manifest)
    return write_raw(path.with_name("changed.model"), arrays if changed is None else changed, manifest)


# ── mutants ──────────────────────────────────────────────────────────────────────────────────────────

HOSTILE_VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 2**31 - 1, 2**31, 2**63 - 1, 2**63, -(2**63), 10**30, 0.0, -0.5, 1e6),
    *(
        float("nan"),
        float("inf"),
        float("-inf"),
        1e308,
        -1e308,
        1e-320,
        "",
        "x",
        "\ud800",
        "a\0b",
        "\x1b[31m",
    ),
    *(
        "a" * 10_000,
        "../../etc/passwd",
        "/dev/zero",
        "basic",
        "full",
        "neural",
        "spacy",
        "command",
        "{model}",
    ),
    *([], {}, [[]], [[[[]]]], [None], ["x", "x"], {"x": 1}, [0] * 1000, [["a", "b", "c"]]),
]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the place of every value inside a JSON value; of long lists only a few."""
    if path:
        yield path
    if isinstance(value, dict):
        for name in value:
            yield from places(value[name], (*path, name))
    elif isinstance(value, list):
        for at in sorted({*range(min(len(value), 3)), max(len(value) - 1, 0)}) if value else ():
            yield from places(value[at], (*path, at))


def mutate_manifest(manifest: dict[str, Any], chance: random.Random) -> str:
    """Change a random value of a manifest: replace, delete, copy or add; return what was done."""
    place = chance.choice(list(places({name: manifest[name] for name in manifest if name != "sha256"})))
    holder: Any = manifest
    for step in place[:-1]:
        holder = holder[step]
    last = place[-1]
    kind = chance.randrange(5)
    if kind == 0:
        del holder[last]
    elif kind == 1 and isinstance(holder, dict):
        holder[f"{last}x"] = holder.pop(last)
    elif kind == 2 and isinstance(holder[last], int | float) and not isinstance(holder[last], bool):
        holder[last] = holder[last] * chance.choice((-1, 1000, 10**9, 10**25, 0.3))
    elif kind == 3 and isinstance(holder[last], list):
        holder[last] = holder[last] * chance.choice((0, 2)) + [chance.choice(HOSTILE_VALUES)]
    else:
        holder[last] = chance.choice(HOSTILE_VALUES)
    return f"{kind} at {'.'.join(map(str, place))}"


def mutate_arrays(arrays: Arrays, chance: random.Random) -> str:
    """Damage a random array: cut, double, empty, retype, reshape, or set some of its numbers to extremes."""
    name = chance.choice([name for name in arrays if arrays[name].size] or list(arrays))
    array = arrays[name]
    kind = chance.randrange(8)
    if kind == 0:
        del arrays[name]
    elif kind == 1:
        arrays[name] = array.reshape(-1)[: chance.randrange(array.size + 1)].copy()
    elif kind == 2:
        arrays[name] = numpy.concatenate([array.reshape(-1)] * 2)
    elif kind == 3:
        arrays[name] = array.astype(chance.choice(list(NAMES)))
    elif kind == 4:
        arrays[name] = array.reshape(1, *array.shape)
    else:
        changed = array.reshape(-1).copy()
        is_whole = changed.dtype.kind in "iu"
        info: Any = numpy.iinfo(changed.dtype) if is_whole else numpy.finfo(changed.dtype)
        extremes = [info.max, info.min, 0, 1] + ([] if is_whole else [numpy.nan, numpy.inf, -numpy.inf])
        for _ in range(chance.choice((1, 3, 100))):
            changed[chance.randrange(max(changed.size, 1))] = chance.choice(extremes)
        arrays[name] = changed.reshape(array.shape)
    return f"{kind} of {name}"
