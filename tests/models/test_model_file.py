"""The model file: a round trip keeps everything, and every damage is reported."""

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest

from spindle.errors import ModelError
from spindle.models import ModelFile, ModelPart, read_model, write_model
from spindle.models.model_file import FORMAT, OLDEST, _header_digest
from support.hostile_models import rewritten

PARTS = {
    "tagger": ModelPart(
        {"tags": ["NN", "VB", "…"], "second order": True},
        {
            "weights": numpy.arange(1000, dtype=numpy.float32).reshape(10, 100),
            "flags": numpy.array([True, False, True]),
            "wide": numpy.array([2**40, -1]),
        },
    ),
    "parser": ModelPart(
        {"order": "basic"}, {"half": numpy.array([1.5], dtype=numpy.float16), "none": numpy.empty((0, 3))}
    ),
    "bare": ModelPart({"nothing": None}),
}
MODEL = ModelFile("parser", {"licence": "CC BY 4.0", "scores": {"f1": 81.25}}, PARTS, "spindle 0")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_model(tmp_path / "model", MODEL)
    return tmp_path / "model"


def refused(path: Path, kind: str = "parser") -> str:
    with pytest.raises(ModelError) as error:
        read_model(path, kind)
    assert str(error.value).startswith(f"{path}: ")
    return str(error.value)


def test_what_goes_in_comes_out(path: Path) -> None:
    model = read_model(path, "parser")
    assert (model.kind, model.card, model.created_by) == (MODEL.kind, MODEL.card, MODEL.created_by)
    assert list(model.parts) == list(PARTS)
    for name, part in PARTS.items():
        assert model.parts[name].settings == part.settings
        assert set(model.parts[name].arrays) == set(part.arrays)
        for key, array in part.arrays.items():
            loaded = model.parts[name].arrays[key]
            assert loaded.dtype == array.dtype
            assert loaded.shape == array.shape
            assert (loaded == array).all()


def test_the_same_model_is_the_same_file(path: Path, tmp_path: Path) -> None:
    write_model(tmp_path / "again", MODEL)
    assert path.read_bytes() == (tmp_path / "again").read_bytes()
    write_model(tmp_path / "again", read_model(path, "parser"))
    assert path.read_bytes() == (tmp_path / "again").read_bytes()


def test_it_is_a_safetensors_file(path: Path) -> None:
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    assert all(isinstance(value, str) for value in header.pop("__metadata__").values())
    ends = sorted(entry["data_offsets"] for entry in header.values())
    assert [begin for begin, _ in ends] == [0, *(end for _, end in ends[:-1])]
    assert 8 + length + ends[-1][1] == len(content)
    assert header["tagger/weights"]["dtype"] == "F32"
    assert header["tagger/weights"]["shape"] == [10, 100]


def test_arrays_are_aligned_and_read_only(path: Path) -> None:
    for part in read_model(path, "parser").parts.values():
        for array in part.arrays.values():
            assert array.ctypes.data % array.itemsize == 0
            assert array.size == 0 or not array.flags.owndata
            assert array.size == 0 or not array.flags.writeable


def test_a_model_takes_its_size_and_survives_a_truncated_file(tmp_path: Path) -> None:
    """A mapped file would end the process with SIGBUS."""
    if not Path("/proc/self/smaps_rollup").exists():
        pytest.skip("needs /proc/self/smaps_rollup, which only Linux has")
    big = ModelPart({}, {"weights": numpy.ones(10_000_000, dtype=numpy.float32)})
    write_model(tmp_path / "big", ModelFile("parser", {}, {"parser": big}))
    script = f"""
import os
from spindle.models import read_model
def own():
    lines = open("/proc/self/smaps_rollup").read().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Anonymous:"))
before = own()
model = read_model({str(tmp_path / "big")!r}, "parser")
os.truncate({str(tmp_path / "big")!r}, 4096)
assert model.parts["parser"].arrays["weights"].sum() == 10_000_000
print(own() - before)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 44_000  # KiB; the weights are 39,000


def test_misaligned_arrays_are_copied(tmp_path: Path) -> None:
    """A file of another program may store an array of bytes before one of wider numbers."""
    part = ModelPart({}, {"wide": numpy.arange(4, dtype=numpy.float64)})
    write_model(tmp_path / "m", ModelFile("parser", {}, {"parser": part}))
    path = rewritten(
        tmp_path / "m", lambda arrays, _: {"parser/odd": numpy.ones(3, dtype=numpy.uint8), **arrays}
    )
    array = read_model(path, "parser").parts["parser"].arrays["wide"]
    assert array.flags.aligned
    assert array.tolist() == [0, 1, 2, 3]


def test_any_cut_is_noticed(path: Path) -> None:
    content = path.read_bytes()
    for length in {*range(0, len(content), 97), 1, 7, 8, 9, 10, len(content) - 1}:
        path.write_bytes(content[:length])
        assert "cut off" in refused(path) or length == 0


def test_any_change_is_noticed(path: Path) -> None:
    content, generator = path.read_bytes(), random.Random(1)
    changed = 0
    for _ in range(600):
        place, bit = generator.randrange(len(content)), 1 << generator.randrange(8)
        path.write_bytes(content[:place] + bytes([content[place] ^ bit]) + content[place + 1 :])
        try:
            model = read_model(path, "parser")
        except ModelError:
            changed += 1
        else:  # only blanks between the values of the header may change
            assert content[place : place + 1] == b" "
            assert model.card == MODEL.card
    assert changed > 550


def test_bytes_at_the_end_are_noticed(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"more")
    assert "4 bytes follow" in refused(path)


def set_format(path: Path, version: int) -> None:
    """Change the format version in a model file."""
    content = path.read_bytes()
    changed = content.replace(b'"spindle_format": "%d"' % FORMAT, b'"spindle_format": "%d"' % version)
    assert changed != content
    path.write_bytes(changed)


def test_a_newer_model_says_what_to_do(path: Path) -> None:
    set_format(path, FORMAT + 6)
    assert refused(path) == (
        f"{path}: the model was written by a newer Spindle (format {FORMAT + 6}; this one reads up to "
        f"{FORMAT}); upgrade with `pip install --upgrade spindle-parser`"
    )


def test_an_older_model_says_what_to_do(path: Path) -> None:
    set_format(path, OLDEST - 1)
    assert refused(path) == (
        f"{path}: the model was written by an older Spindle (format {OLDEST - 1}; this one reads "
        f"{OLDEST} and newer); train it again, or use the version of Spindle that wrote it"
    )


def test_every_format_from_the_oldest_on_is_read(path: Path) -> None:
    assert OLDEST <= FORMAT
    for version in range(OLDEST, FORMAT):
        set_format(path, version)
        assert read_model(path, "parser").card == MODEL.card
        write_model(path, MODEL)


def test_another_kind_is_refused(path: Path) -> None:
    assert "this is a parser, but a checkpoint is needed" in refused(path, "checkpoint")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"(S (NP (NN trees)))\n", "not a Spindle model"),
        (b"\x1f\x8b\x08\x00" * 100, "not a Spindle model"),
        (b"\x00" * 100, "not a Spindle model"),
        (b"\x02\x00\x00\x00\x00\x00\x00\x00{}", "not a Spindle model"),
        (b"\x02\x00\x00\x00\x00\x00\x00\x00[]", "not a Spindle model"),
        (b"\x40\x0d\x03\x00\x00\x00\x00\x00" + b'{"a":' * 40_000, "damaged"),
        (b"\x03\x00\x00\x00\x00\x00\x00\x00{\xff}", "damaged"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "model").write_bytes(content)
    assert said in refused(tmp_path / "model")


def test_a_path_without_a_file_is_refused(tmp_path: Path) -> None:
    assert "no such model file" in refused(tmp_path / "missing")
    assert "directory" in refused(tmp_path).lower()


def test_a_crafted_header_does_no_harm(tmp_path: Path) -> None:
    """Checksums protect against accidents, not against people, who can write a matching checksum."""
    crafted: list[dict[str, Any]] = [
        {"parser/x": {"dtype": "F32", "shape": [2**62, 4], "data_offsets": [0, 8]}},
        {"parser/x": {"dtype": "F32", "shape": [-1, -2], "data_offsets": [0, 8]}},
        {"parser/x": {"dtype": "O", "shape": [2], "data_offsets": [0, 8]}},
        {"parser/x": {"dtype": "F32", "shape": [2], "data_offsets": [-8, 0]}},
        {"other/x": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}},
        {"parser/x": 7},
    ]
    manifest = json.dumps(
        {"kind": "parser", "card": {}, "parts": {"parser": {}}, "sha256": {}, "created_by": ""}
    )
    for table in crafted:
        metadata = {
            "spindle_format": str(FORMAT),
            "spindle_manifest": manifest,
            "spindle_sha256": _header_digest(table, manifest),
        }
        header = json.dumps({"__metadata__": metadata, **table}).encode()
        (tmp_path / "model").write_bytes(len(header).to_bytes(8, "little") + header + b"\0" * 8)
        refused(tmp_path / "model")


def test_a_model_that_cannot_be_written_leaves_the_old_one(path: Path) -> None:
    before = path.read_bytes()
    broken = ModelFile("parser", {}, {"parser": ModelPart({"function": print})})
    with pytest.raises(TypeError):
        write_model(path, broken)
    assert path.read_bytes() == before
    assert [found.name for found in path.parent.iterdir()] == ["model"]
    with pytest.raises(ModelError, match="cannot be written"):
        write_model(path.parent / "no such folder" / "model", MODEL)
