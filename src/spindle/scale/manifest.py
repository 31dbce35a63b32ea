"""The manifest of a corpus folder: what made it, what is done, and what went wrong.

`manifest.json` is written when a run begins and when it ends. In between, every finished part is a line of
`.journal.jsonl`, which is synced: a run that is killed loses nothing that is in it.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from spindle.models import schema
from spindle.outputs import UNFINISHED, appending, replacing
from spindle.pipeline.provenance import difference
from spindle.scale.jobs import CorpusError, Record
from spindle.scale.partitions import Partition
from spindle.treebanks.corpus_folder import KEY, MANIFEST

NAME, JOURNAL = MANIFEST, ".journal.jsonl"
FORMAT = 1
_HINT = "write to another folder, or remove this one to start anew"
_INPUTS = schema.items(schema.items(schema.anything(1), 3, 3))
_JSON, _NUMBER = schema.anything(), schema.whole(0)
_LINE = schema.record({}, {"record": _JSON, "event": _JSON, "start": _NUMBER, "stop": _NUMBER})


@dataclass
class Totals:
    """The counts of all finished parts."""

    sentences: int = 0
    tokens: int = 0
    bytes: int = 0
    cut: int = 0
    repaired: int = 0
    repairs: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    cpu: float = 0.0

    @classmethod
    def of(cls, records: Iterable[Record]) -> Totals:
        """Sum over records."""
        found = cls()
        for record in records:
            for name in vars(found):
                setattr(found, name, getattr(found, name) + getattr(record, name))
        return found

    def to_json(self) -> dict[str, Any]:
        """Return the counts as they are written in the manifest."""
        return {**vars(self), "seconds": round(self.seconds, 3), "cpu": round(self.cpu, 3)}


@dataclass
class Manifest:
    """What is known of a corpus folder."""

    folder: Path
    made_by: dict[str, Any]
    records: dict[int, Record] = field(default_factory=dict)
    failed: dict[int, dict[str, Any]] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)
    """Failures of workers: time, number of the partition, worker and error."""
    starts: Counter[int] = field(default_factory=Counter)
    """How often a process of the local engine ended in the middle of a partition."""
    head: str = ""
    tail: str = ""
    inputs: dict[int, list[list[Any]]] = field(default_factory=dict)
    """The slices that finished parts were made of, where the manifest was read."""

    @property
    def totals(self) -> Totals:
        """The counts of all finished parts."""
        return Totals.of(self.records.values())

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────

    @classmethod
    def opened(cls, folder: Path, made_by: dict[str, Any]) -> Manifest:
        """Return the manifest of a folder, which may be new; a `CorpusError` if something else made it."""
        path = folder / NAME
        found = cls(folder, made_by)
        if not path.exists():
            if strange := [one.name for one in folder.iterdir() if one.name != f".{NAME}.lock"]:
                raise CorpusError(f"{folder}: the folder has {strange[0]}, but no {NAME}", hint=_HINT)
            return found
        stored = _stored(path)
        _check(path, stored["made_by"], made_by)
        found._take(stored)
        found._take_journal()
        return found

    @classmethod
    def read(cls, folder: str | Path) -> Manifest:
        """Return the manifest of a folder as it is; finished parts of an unfinished run are in it."""
        path = Path(folder) / NAME
        if not path.exists():
            raise CorpusError(f"{folder}: this is no corpus: it has no {NAME}")
        stored = _stored(path)
        found = cls(Path(folder), stored["made_by"])
        found._take(stored)
        found._take_journal()
        return found

    def _take(self, stored: dict[str, Any]) -> None:
        with self._naming_damage(NAME):
            for one in stored["parts"]:
                inputs = one.pop("inputs")
                _INPUTS(inputs, "inputs")
                found = Record.from_json(one)
                self.records[found.number], self.inputs[found.number] = found, inputs
            self.events = list(stored["events"])
            self.head, self.tail = str(stored["head"]), str(stored["tail"])

    def _take_journal(self) -> None:
        for line in self._journal_lines():
            with self._naming_damage(JOURNAL):
                _LINE(line, "a line")
                if "record" in line:
                    found = Record.from_json(line["record"])
                    self.records[found.number] = found
                    self.starts.pop(found.number, None)
                elif "event" in line:
                    self.events.append(line["event"])
                elif "start" in line:
                    self.starts[line["start"]] += 1
                elif "stop" in line:
                    self.starts[line["stop"]] -= 1

    @contextmanager
    def _naming_damage(self, name: str) -> Iterator[None]:
        """Turn errors of what is damaged, or was not written by Spindle, into a `CorpusError`."""
        try:
            yield
        except (KeyError, TypeError, AttributeError, schema.SchemaError) as error:
            cause = error if isinstance(error, schema.SchemaError) else repr(error)
            raise CorpusError(f"{self.folder / name}: it is damaged: {cause}", hint=_HINT) from None

    def _journal_lines(self) -> Iterator[dict[str, Any]]:
        try:
            lines = (self.folder / JOURNAL).read_bytes().splitlines(keepends=True)
        except FileNotFoundError:
            return
        for line in lines:
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                continue  # the line that was written when the machine failed
            if isinstance(found, dict):
                yield found

    def keep_whole_parts(self) -> int:
        """Forget parts that are missing or have another size; return their number."""
        lost = []
        for number, record in self.records.items():
            path = self.folder / record.part
            if not path.is_file() or path.stat().st_size != record.bytes:
                lost.append(number)
        for number in lost:
            del self.records[number]
        return len(lost)

    def remove_leftovers(self) -> None:
        """Remove the temporary files of workers that were killed."""
        for path in self.folder.glob(f".part-*{UNFINISHED}"):
            path.unlink(missing_ok=True)

    # ── writing ──────────────────────────────────────────────────────────────────────────────────────

    def write(self, partitions: Sequence[Partition]) -> None:
        """Write the manifest as a whole."""
        parts = [
            record.to_json() | {"inputs": [one.to_json() for one in partition.slices]}
            for partition in partitions
            if (record := self.records.get(partition.number))
        ]
        is_finished = len(parts) == len(partitions)
        content = {
            KEY: FORMAT,
            "state": "finished" if is_finished else "unfinished",
            "made_by": self.made_by,
            "partitions": len(partitions),
            "totals": self.totals.to_json(),
            "head": self.head,
            "tail": self.tail,
            "parts": parts,
            "failed": [{"number": number, **one} for number, one in sorted(self.failed.items())],
            "events": self.events,
        }
        with replacing(self.folder / NAME) as file:
            file.write(json.dumps(content, ensure_ascii=False, indent=1).encode("utf-8", "replace"))

    def end_journal(self, partitions: Sequence[Partition]) -> None:
        """Write the manifest, which then has everything that is in the journal."""
        self.write(partitions)
        (self.folder / JOURNAL).unlink(missing_ok=True)
        interrupted = {number: count for number, count in self.starts.items() if count > 0}
        if interrupted:
            with self.journal() as journal:
                for number, count in interrupted.items():
                    for _ in range(count):
                        journal.write({"start": number})

    def journal(self) -> Journal:
        """Open the journal, to go on at its end."""
        return Journal(appending(self.folder / JOURNAL))


class Journal:
    """Appends lines that are on the disk when `write` returns."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        if file.tell():
            self._file.write(b"\n")  # ends a line that was cut off

    def write(self, line: dict[str, Any]) -> None:
        """Append a line."""
        self._file.write(json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def _stored(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("made_by"), dict):
        raise CorpusError(f"{path}: this is no manifest of a corpus", hint=_HINT)
    if found.get(KEY) != FORMAT:
        raise CorpusError(f"{path}: another version of Spindle wrote this manifest", hint=_HINT)
    return found


def _check(path: Path, before: dict[str, Any], now: dict[str, Any]) -> None:
    """Raise a `CorpusError` that names the difference unless the same request made the folder."""
    for name in sorted(before.keys() | now.keys(), key=lambda name: (name.startswith("input "), name)):
        if before.get(name) != now.get(name):
            what = difference(name, before.get(name), now.get(name))
            raise CorpusError(f"{path.parent}: cannot be continued: it {what}", hint=_HINT)
