"""The runs of science.py on disk: for every treebank a file of JSON Lines, small enough for the repository.

A run is kept under a key: a digest of the setup, the seed, the trees and the declared versions of the engines
(`VERSIONS`). So a commit that changes no tree of a parser loses no run, and a run from another machine is
found. A change that does change trees must raise the version of its engine. Every run also names the
behaviour of the code that made it (see `Lab.behaviour`), so that a forgotten version can be seen.

There is no text of a treebank in the files: of the predicted trees only the counts of every sentence are
kept, from which figures and significance are computed. The counts that depend on the gold trees alone are
kept once.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy

from science_setup import Setup
from spindle.evaluation import Score
from spindle.evaluation.breakdown import Breakdown
from spindle.evaluation.corpus import make_settings
from spindle.evaluation.sentence_score import SentenceScore, Status

VERSIONS = {"linear": 1, "neural": 1}
"""Raise the version of an engine when its models of the same data parse differently than before."""
GOLD_COLUMNS = ("length", "gold", "words", "disc_gold")
RUN_COLUMNS = ("status", "pred", "matched", "tags", "disc_pred", "disc_matched")
Record = dict[str, Any]


class Store:
    """The kept runs; `folder` has a file for every treebank."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def _records(self) -> dict[str, Record]:
        return {record["key"]: record for record in self._read()}

    def _read(self) -> Iterator[Record]:
        for path in sorted(self.folder.glob("*.jsonl")):
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    yield json.loads(line)
                except json.JSONDecodeError:  # the last line of a command that was killed
                    continue

    @property
    def records(self) -> list[Record]:
        """All runs and gold counts."""
        return list(self._records.values())

    def find(self, key: str) -> Record | None:
        """Return the run or the gold counts with a key."""
        return self._records.get(key)

    def add(self, treebank: str, record: Record) -> None:
        """Append a record with a key."""
        self._records[record["key"]] = record
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{treebank}.jsonl"
        is_torn = path.exists() and path.stat().st_size and not path.read_bytes().endswith(b"\n")
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        with path.open("a", encoding="utf-8") as stream:
            stream.write(("\n" if is_torn else "") + line + "\n")
            stream.flush()
            os.fsync(stream.fileno())

    def add_score(self, treebank: str, record: Record, score: Score) -> None:
        """Append a run with the counts of its sentences."""
        gold = pack(score, GOLD_COLUMNS)
        key = digest(gold)
        if self.find(key) is None:
            self.add(treebank, {"key": key, "counts": gold})
        scheme = score.settings.scheme.name
        self.add(treebank, {**record, "scheme": scheme, "gold": key, "counts": pack(score, RUN_COLUMNS)})

    def score(self, record: Mapping[str, Any]) -> Score | None:
        """Return the score of a run; None if it has none."""
        if "counts" not in record:
            return None
        gold = self._records[record["gold"]]
        columns = [*unpack(gold["counts"], GOLD_COLUMNS), *unpack(record["counts"], RUN_COLUMNS)]
        names = (*GOLD_COLUMNS, *RUN_COLUMNS)
        sentences = []
        for number, row in enumerate(zip(*columns, strict=True), start=1):
            counts = dict(zip(names, row, strict=True))
            sentences.append(SentenceScore(number, **{**counts, "status": Status(counts["status"])}))
        return Score(make_settings(record["scheme"]), tuple(sentences), Breakdown())


def key_of(setup: Setup, seed: int, trees: Sequence[str]) -> str:
    """Return the key of a run; `trees` are digests of the training and the development trees."""
    return digest(json.dumps([versions(setup.parser), *trees, setup.to_dict(), seed], sort_keys=True))


def versions(parser: str) -> list[int]:
    """Return the declared versions that a parser depends on: others use stages of the linear engine.

    >>> versions("neural") == [VERSIONS["neural"]], versions("spacy") == versions("linear")
    (True, True)
    """
    return [VERSIONS["neural" if parser == "neural" else "linear"]]


def digest(content: str) -> str:
    """Return a short digest of a text."""
    return hashlib.sha256(content.encode()).hexdigest()[:20]


def pack(score: Score, columns: Sequence[str]) -> str:
    """Return columns of the counts of all sentences as text."""
    numbers = [[getattr(one, name) for one in score.sentences] for name in columns]
    return base64.b64encode(zlib.compress(numpy.array(numbers, dtype="<u2").tobytes(), 9)).decode()


def unpack(packed: str, columns: Sequence[str]) -> list[list[int]]:
    """Return the columns that `pack` has packed."""
    numbers = numpy.frombuffer(zlib.decompress(base64.b64decode(packed)), dtype="<u2")
    return [list(map(int, column)) for column in numbers.reshape(len(columns), -1)]
