"""The model of a worker: read once per process, checked, and shared by the processes of a machine."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from spindle.errors import ModelError
from spindle.models.bundled import bundled_name, find_model
from spindle.models.model_file import fingerprint
from spindle.pipeline import ParsingFace, load
from spindle.scale.jobs import CorpusError, ModelName, worker_name


@dataclass
class Loaded:
    """A model in memory; `mapped` are the bytes that it shares with other processes."""

    parser: ParsingFace
    seconds: float
    cpu: float
    """The time that loading took; 0 as soon as somebody has counted it."""
    files: dict[Path, tuple[int, int]]
    mapped: int

    def check_files(self) -> None:
        """Raise a `ModelError` if a model file has been written to since its checksums were verified."""
        for path, before in self.files.items():
            if _stamp(path) != before:
                raise ModelError(f"{path}: the model was changed while it was in use", hint="run it again")


_models: dict[ModelName, Loaded] = {}


def name_model(models: Sequence[str | Path | None]) -> ModelName:
    """Return what workers need to find the same model; a bundled one has a name on every machine."""
    from spindle import __version__

    paths = [find_model(one) for one in models]
    names = tuple([bundled_name(path) or str(path.resolve()) for path in paths])
    return ModelName(names, fingerprint(paths), __version__)


def model_of(name: ModelName) -> Loaded:
    """Return a model, which is read when a process needs it for the first time."""
    from spindle import __version__

    if name.version != __version__:
        raise CorpusError(
            f"worker {worker_name()} has Spindle {__version__}, and the run was started with {name.version}",
            hint="install the same version everywhere",
        )
    if name not in _models:
        start, cpu = time.perf_counter(), time.process_time()
        paths = [find_model(one) for one in name.files]
        files = {path: _stamp(path) for path in paths}
        if fingerprint(paths) != name.fingerprint:
            raise ModelError(
                f"worker {worker_name()} has another model under the name {', '.join(name.files)}",
                hint="put the model where all workers find the same file",
            )
        _models.clear()  # a worker that parses with one model after the other keeps the last one
        parser = load(paths[0], mapped=True) if len(paths) == 1 else load(paths, mapped=True)
        size = sum(size for size, _ in files.values())
        seconds = time.perf_counter() - start, time.process_time() - cpu
        _models[name] = Loaded(parser, *seconds, files, size)
    return _models[name]


def _stamp(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns
