"""What a worker is told, and what it tells back."""

from __future__ import annotations

import os
import socket
from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Any

from spindle.errors import SpindleError
from spindle.models.schema import Schema, SchemaError, number, record, table, text, whole
from spindle.scale.partitions import Partition
from spindle.treebanks.corpus_folder import is_file_name


class CorpusError(SpindleError):
    """A corpus that cannot be parsed as it is requested, or a folder that something else has made."""


@dataclass(frozen=True)
class ParseSettings:
    """How sentences are read, parsed and written, for every partition of a corpus."""

    to: str
    lines: str = "auto"
    tags: str | None = None
    format: str | None = None
    text_encoding: str | None = None
    k: int = 1
    scores: bool = False
    max_length: int = 400
    text_field: str | None = None
    tokens_field: str | None = None
    tags_field: str | None = None
    id_field: str | None = None
    columns: tuple[str, ...] | None = None
    one_row: str | None = None
    prefix: str | None = None


@dataclass(frozen=True)
class ModelName:
    """A model, or several that vote: names or paths, the digest of the files, and the version of Spindle.

    Every worker checks that it has the same.
    """

    files: tuple[str, ...]
    fingerprint: str
    version: str


@dataclass(frozen=True)
class Job:
    """What all partitions of a corpus share."""

    folder: str
    model: ModelName
    settings: ParseSettings
    threads: int | None = None
    names: tuple[str, ...] = ()
    """The columns of a table as output."""
    schema: bytes = b""
    """The Arrow schema of Parquet as output."""


@dataclass(frozen=True)
class Task:
    """A partition to parse. `before` is what other partitions count, where the output has numbers."""

    job: Job
    partition: Partition
    is_last: bool = False
    before: Before | None = None

    @property
    def number(self) -> int:
        """The number of the partition."""
        return self.partition.number


@dataclass(frozen=True)
class Before:
    """The sentences before a partition, and for each slice the characters of its file before it."""

    sentences: int
    characters: tuple[int, ...]


@dataclass(frozen=True)
class Counted:
    """The sentences of a partition that are numbered, and the characters of every slice."""

    number: int
    sentences: int
    characters: tuple[int, ...]


@dataclass(frozen=True)
class Summed:
    """What was counted in a part of a parsed corpus."""

    number: int
    value: Any


@dataclass
class Record:
    """What is known of a finished part of the output."""

    number: int
    part: str
    sentences: int = 0
    tokens: int = 0
    bytes: int = 0
    sha256: str = ""
    cut: int = 0
    """Sentences that were longer than the limit, and were parsed in pieces."""
    repaired: int = 0
    """Tokens that repairs changed."""
    repairs: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    worker: str = ""
    """The name of the worker, as the engine calls it."""
    process: str = ""
    """The machine of the worker, and the id of its process."""
    started: float = 0.0
    seconds: float = 0.0
    cpu: float = 0.0
    loading: float = 0.0
    """The seconds that the model took to load, which is once per worker."""
    loading_cpu: float = 0.0
    memory: int = 0
    """The peak memory of the worker so far, in bytes."""
    shared: int = 0
    """The bytes of the model that are mapped, and shared with the other workers of the machine."""

    def to_json(self) -> dict[str, Any]:
        """Return the record as it is written in the manifest."""
        return dict(vars(self))

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Record:
        """Read a record of the manifest; raises a `SchemaError` for anything else."""
        _RECORD(found, "a part")
        found = {**found, "repairs": Counter(found["repairs"]), "errors": Counter(found["errors"])}
        return cls(**found)


def _file_name(value: Any, place: str) -> None:
    """Check the name of a part, which is a file of the folder."""
    text()(value, place)
    if not is_file_name(value):
        raise SchemaError(f"{place} is {value[:60]!a}, not the name of a file in the folder")


_SCHEMAS: dict[type, Schema] = {int: whole(), float: number(), str: text(), Counter: table(whole())}
_RECORD = record(
    {"number": whole(0), "part": _file_name}
    | {one.name: _SCHEMAS[type(getattr(Record(0, ""), one.name))] for one in fields(Record)[2:]}
)


@dataclass(frozen=True)
class Failure:
    """Why a partition could not be finished by a worker. A fatal failure would happen on every worker."""

    number: int
    error: str
    worker: str = ""
    is_fatal: bool = False
    died: bool = False
    """Whether the worker ended in the middle of the partition."""


def worker_name() -> str:
    """Return the name of this process: the machine, and the id of the process."""
    return f"{socket.gethostname()}:{os.getpid()}"
