"""Every verb with threads gives the same bytes for 1, 2 and 8 of them."""

import os
from importlib.resources import files
from pathlib import Path

import pytest

from cli.conftest import Spindle

DATA = files("spindle.models") / "data"
TRAIN, DEV = DATA / "demo-train.dbr", DATA / "demo-dev.dbr"
TEXT = "She saw the old man in the park. It rains, and the wind blows! Why?\n" * 40
VERBS = {
    "parse": "parse in.txt --model light -o out",
    "parse k-best": "parse in.txt --model light --to json --k-best 3 --scores -o out",
    "parse tables": "parse in.jsonl --model light -o out.jsonl",
    "parse corpus": "parse in.txt --model light -o out/ --engine local",
    "index": "index trees.dbr",
    "search": "search NP<N* trees.dbr --show trees -o out",
    "search indexed": "search NP<N* trees.dbr --show trees -o out",
    "train": "train trees.dbr -o out --epochs 1 --parser-option bits=12",
    "train reranker": "train trees.dbr -o out --epochs 1 --parser-option bits=12 --rerank",
    "crossval": "crossval trees.dbr --folds 2 --epochs 1 --parser-option bits=12 -o out",
}


@pytest.mark.parametrize("verb", VERBS)
def test_same_bytes_for_any_number_of_threads(verb: str, spindle: Spindle, tmp_path: Path) -> None:
    found = []
    for threads in (1, 2, 8):
        folder = tmp_path / str(threads) / "work"  # a model says the name of the folder
        folder.mkdir(parents=True)
        (folder / "trees.dbr").write_text(TRAIN.read_text() + DEV.read_text())
        os.utime(folder / "trees.dbr", (1, 1))  # an index has the time
        (folder / "in.txt").write_text(TEXT)
        (folder / "in.jsonl").write_text('{"text": "It rains. She saw it."}\n' * 40)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            if verb == "search indexed":
                assert spindle("index", "trees.dbr").code == 0
            done = spindle(*VERBS[verb].split(" "), "--threads", threads)
        assert done.code == 0, done.err
        found.append(
            {path.relative_to(folder): content(path) for path in folder.rglob("*") if path.is_file()}
        )
    assert len(found[0]) > 3
    assert found[0] == found[1] == found[2]


def content(path: Path) -> bytes:
    """Return the bytes of a file, but nothing of a file that says how long something took."""
    varies = path.name == "manifest.json" or path.name.endswith(".log.jsonl")
    return b"" if varies else path.read_bytes()
