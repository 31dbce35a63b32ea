"""The folder that a server may write into: annotations, exported treebanks, trained models.

Requests name files in it, never paths. Without a folder nothing is written anywhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Lock

from spindle.errors import SpindleError
from spindle.outputs import Busy, only_writer, replacing
from spindle.pipeline import ParsingFace, load
from spindle.trees import Tree
from spindle.web.annotation import Annotation
from spindle.web.limits import Limits
from spindle.web.reading import Refusal, shown

ANNOTATION, MODEL, CHECKPOINT = ".annotation.jsonl", ".model", ".model.checkpoint"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")


class WorkFolder:
    """The annotations and models in a folder, which no other server uses at the same time."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self.folder = folder
        self._limits = limits
        self._open: dict[str, Annotation] = {}
        self._lock = Lock()
        self._stack = ExitStack()
        try:
            folder.mkdir(exist_ok=True)
            self._stack.enter_context(only_writer(folder / "spindle"))
        except Busy:
            raise SpindleError(f"{folder}: another server works in this folder") from None
        except OSError as error:
            raise SpindleError(f"{folder}: {error.strerror}") from None

    def names(self, ending: str) -> list[str]:
        """Return the names of the files with an ending, in alphabetical order."""
        found = (entry.name for entry in os.scandir(self.folder) if entry.is_file(follow_symlinks=False))
        names = (name.removesuffix(ending) for name in found if name.endswith(ending))
        return sorted(name for name in names if _NAME.fullmatch(name))

    def path(self, name: str, ending: str) -> Path:
        """Return the path of a file of this folder; refuse what is not a plain name."""
        if not _NAME.fullmatch(name):
            rule = "a name has letters from a to z, digits, - and _, up to 60 of them"
            raise Refusal(400, f"{shown(name)} cannot be a name: {rule}")
        path = self.folder / f"{name}{ending}"
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise Refusal(
                400, f"{path.name} is a link or a pipe; only plain files of the work folder are used"
            )
        return path

    def check_room(self) -> None:
        """Refuse to begin something if the folder is full."""
        size = sum(entry.stat(follow_symlinks=False).st_size for entry in os.scandir(self.folder))
        if size > self._limits.work_bytes:
            raise Refusal(507, f"the work folder has {size >> 20} MB, its limit; delete files in it")

    def models(self, on_error: Callable[[SpindleError], None]) -> Iterator[tuple[str, ParsingFace]]:
        """Load the models that were trained here; `on_error` is told of those that cannot be loaded."""
        for name in self.names(MODEL):
            try:
                yield name, load(self.path(name, MODEL))
            except SpindleError as error:
                on_error(error)

    # ── annotations ──────────────────────────────────────────────────────────────────────────────────

    def __getitem__(self, name: str) -> Annotation:
        path = self.path(name, ANNOTATION)
        with self._lock:
            if name not in self._open:
                if not path.exists():
                    raise Refusal(404, f"there is no annotation {shown(name)}")
                self._open[name] = Annotation.read(name, path)
            return self._open[name]

    def create(self, name: str, trees: Iterable[Tree]) -> Annotation:
        """Begin an annotation of these trees."""
        path = self.path(name, ANNOTATION)
        self.check_room()
        most = self._limits.annotation_sentences
        found = list(trees)
        if not found:
            raise Refusal(400, "there are no sentences")
        if len(found) > most:
            raise Refusal(413, f"there are {len(found):,} sentences; the limit is {most:,}")
        with self._lock:
            if path.exists():
                raise Refusal(409, f"there is an annotation {shown(name)} already; choose another name")
            if len(self.names(ANNOTATION)) >= self._limits.annotations:
                raise Refusal(413, f"there are {self._limits.annotations} annotations, the limit")
            self._open[name] = Annotation.create(name, path, found)
            return self._open[name]

    def save(self, name: str, ending: str, text: str) -> str:
        """Write a file; return its name."""
        self.check_room()
        path = self.path(name, ending)
        with replacing(path) as file:
            file.write(text.encode())
        return path.name

    def close(self) -> None:
        """Let other servers use the folder."""
        self._stack.close()
