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
from typing import Any, BinaryIO, cast

from spindle.errors import UnreadableFile
from spindle.treebanks.source import SAMPLE_BYTES, Source

MANIFEST = "manifest.json"
KEY = "spindle_corpus"
"""The key of the manifest that says that it is one."""


class _Joined(io.RawIOBase):
    """Streams that are read one after the other."""

    def __init__(self, *streams: Any) -> None:
        self._streams = list(streams)

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read bytes of the first stream that has some; 0 at the end of the last one."""
        while self._streams:
            if size := int(self._streams[0].readinto(buffer)):
                return size
            del self._streams[0]
        return 0


@dataclass
class PartSource(Source):
    """A part of a corpus, between the head and the tail that other parts have."""

    before: bytes = b""
    after: bytes = b""

    @contextmanager
    def binary(self) -> Iterator[BinaryIO]:
        """Open the part."""
        with super().binary() as stream:
            yield cast(
                "BinaryIO",
                io.BufferedReader(_Joined(io.BytesIO(self.before), stream, io.BytesIO(self.after))),
            )

    def head(self) -> bytes:
        """Return the first bytes, for guessing."""
        start = self.before + super().head()
        return (start + self.after if len(start) < SAMPLE_BYTES else start)[:SAMPLE_BYTES]


def is_file_name(name: object) -> bool:
    """Return whether a manifest may give this name to a part: it leads nowhere else.

    >>> is_file_name("part-00001.ptb"), is_file_name("../part-00001.ptb"), is_file_name(None)
    (True, False, False)
    """
    return isinstance(name, str) and name.isprintable() and name not in ("", "..") and Path(name).name == name


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
    parts, count = manifest.get("parts"), manifest.get("partitions")
    listed = parts if isinstance(parts, list) else [None]
    names = [str(one.get("part")) if isinstance(one, dict) else "" for one in listed]
    if not all(map(is_file_name, names)) or not {"parts", "head", "tail"} <= manifest.keys():
        raise UnreadableFile(
            "the manifest is damaged", file=str(Path(folder, MANIFEST)), hint="parse the corpus again"
        )
    if len(names) != count:
        raise UnreadableFile(
            f"the corpus is unfinished: {len(names)} of {count} parts",
            file=str(folder),
            hint="complete it with the command that began it",
        )
    before, after = (str(manifest[name]).encode("utf-8", "replace") for name in ("head", "tail"))
    last = len(names) - 1
    return [
        PartSource(
            str(Path(folder, name)),
            text_encoding,
            before=before if number else b"",
            after=after if number < last else b"",
        )
        for number, name in enumerate(names)
    ]
