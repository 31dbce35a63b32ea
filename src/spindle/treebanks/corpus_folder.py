"""The folder that a corpus was parsed into: its parts, in order, each as a file of its own.

Only the first part has the head of a file, and only the last one its tail, so that the parts can be joined.
A reader of one part gets both.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from spindle.errors import UnreadableFile
from spindle.treebanks.source import SAMPLE_BYTES, Source

MANIFEST = "manifest.json"
KEY = "spindle_corpus"
"""The key of the manifest that says that it is one."""


@dataclass
class PartSource(Source):
    """A part of a corpus, with the head and the tail that other parts have."""

    before: bytes = b""
    after: bytes = b""

    @contextmanager
    def binary(self) -> Iterator[BinaryIO]:
        """Open the part; one that lacks head or tail is read into memory."""
        with super().binary() as stream:
            if self.before or self.after:
                yield io.BytesIO(self.before + stream.read() + self.after)
            else:
                yield stream

    def head(self) -> bytes:
        """Return the first bytes, for guessing."""
        start = self.before + super().head()
        return (start + self.after if len(start) < SAMPLE_BYTES else start)[:SAMPLE_BYTES]


def read_manifest(folder: str | Path) -> dict[str, Any] | None:
    """Return the manifest of a corpus; None for any other folder."""
    try:
        found = json.loads(Path(folder, MANIFEST).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and KEY in found else None


def corpus_parts(folder: str | Path, text_encoding: str | None = None) -> list[Source] | None:
    """Return the parts of a corpus; None for any other folder. An unfinished corpus is an error."""
    manifest = read_manifest(folder)
    if manifest is None:
        return None
    parts, count = manifest.get("parts", []), manifest.get("partitions")
    if len(parts) != count:
        raise UnreadableFile(
            f"the corpus is unfinished: {len(parts)} of {count} parts",
            file=str(folder),
            hint="complete it with the command that began it",
        )
    before, after = str(manifest["head"]).encode(), str(manifest["tail"]).encode()
    last = len(parts) - 1
    return [
        PartSource(
            str(Path(folder, str(part["part"]))),
            text_encoding,
            before=before if number else b"",
            after=after if number < last else b"",
        )
        for number, part in enumerate(parts)
    ]
