"""Parsers that are trained by running a program.

The files that the program writes when it is trained are stored in the model.
"""

from __future__ import annotations

import math
import weakref
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import ClassVar, NamedTuple, Self

import numpy

from spindle import outputs
from spindle.errors import ModelError, ParserError
from spindle.models import ModelPart
from spindle.models.schema import anything, choice, flag, record, table, whole
from spindle.parsers.backend import Backend, Example, FitSettings, Monitor
from spindle.parsers.external.exchange import Format, write_examples
from spindle.parsers.external.process import Limits, run
from spindle.parsers.options import BackendOptions, option
from spindle.reduction import Mode

MODEL = "parser"
"""The name of the program's model file or folder. Other files in the same folder are stored as well."""
MOST_OUTPUT = 20_000
"""The megabytes of a file that a program may write by default; a model can have some thousands."""
TOO_MUCH = 1 << 40
"""More seconds, and more megabytes, than any machine has."""


@dataclass(frozen=True)
class ProgramOptions(BackendOptions):
    """The options of every program."""

    timeout: float | None = option(
        None, "seconds for one run of the program; auto for no limit", above=0, below=TOO_MUCH
    )
    memory: float | None = option(
        None, "megabytes of memory for the program; auto for no limit", above=0, below=TOO_MUCH
    )
    output: float = option(MOST_OUTPUT, "megabytes of each file that it may write", above=0, below=TOO_MUCH)


class Files(NamedTuple):
    """The files of one run of a program."""

    train: Path
    dev: Path
    input: Path
    output: Path
    model: Path

    @classmethod
    def of(cls, folder: Path, models: Path) -> Files:
        """Return the paths for a run in `folder` with the model in `models`."""
        return cls(folder / "train", folder / "dev", folder / "input", folder / "output", models / MODEL)


class TrainingProgram(Backend):
    """A dependency parser that a program trains, from CoNLL files."""

    predicts = frozenset({"labels"})
    one_shot = True
    Options = ProgramOptions
    SETTINGS = staticmethod(
        record(
            {
                "mode": choice(*Mode),
                "one_shot": flag(),
                "seed": whole(0),
                "options": table(anything()),  # each is converted and checked by its declaration
            }
        )
    )
    limits_memory_itself: ClassVar[bool] = False
    """Whether the memory limit is an argument of the program and not set by the operating system."""

    def __init__(self) -> None:
        self.settings = FitSettings(options=self.Options())
        self._arrays: dict[str, _Bytes] = {}
        self._models: Path | None = None
        self._log: Callable[[str], None] = _ignore

    @abstractmethod
    def train_command(self, files: Files) -> list[str]:
        """Return the command that trains on `files.train` and writes `files.model`."""

    @property
    def format(self) -> Format:
        """The format of the files that the program reads and writes."""
        return Format.CONLLX

    @property
    def is_projective(self) -> bool:
        """Whether the parser should predict only arcs that do not cross."""
        return self.settings.mode is Mode.CONTINUOUS

    @property
    def memory(self) -> int | None:
        """The memory limit in whole megabytes."""
        memory = self.settings.options.memory
        return None if memory is None else math.ceil(memory)

    def fit(
        self,
        train: Sequence[Example],
        dev: Sequence[Example],
        settings: FitSettings,
        monitor: Monitor,
        state: ModelPart | None = None,
    ) -> None:
        """Run the training program and store the files that it writes."""
        del state  # the program cannot resume its training
        self.check(settings.options)
        self.settings, self._models, self._log = settings, None, monitor.note
        with private_folder() as folder:
            (folder / "models").mkdir()
            files = Files.of(folder, folder / "models")
            for path, examples in ((files.train, train), (files.dev, dev)):
                write_examples(path, examples, self.format, labelled=settings.one_shot)
            self._run(self.train_command(files), folder)
            self._arrays = dict(_read_files(folder / "models"))
        if not self._arrays:
            raise ParserError(f"{self.name} ended without writing a model")
        monitor.epoch(1, 0.0)
        self._log = _ignore

    def to_part(self) -> ModelPart:
        """Return the program's files and the settings of the training."""
        settings = {
            "mode": str(self.settings.mode),
            "one_shot": self.settings.one_shot,
            "seed": self.settings.seed,
            "options": self.settings.options.to_dict(),
        }
        return ModelPart(settings, dict(self._arrays))

    @classmethod
    def from_part(cls, part: ModelPart) -> Self:
        """Load the parser; the inverse of `to_part`."""
        parser = cls()
        stored = part.settings
        parser.settings = FitSettings(
            mode=Mode(stored["mode"]),
            one_shot=stored["one_shot"],
            seed=stored["seed"],
            options=cls.Options.read(stored["options"], cls.name),
        )
        parser._arrays = dict(part.arrays)
        return parser

    def _run(self, command: Sequence[str], folder: Path, output: Path | None = None) -> None:
        options = self.settings.options
        limits = Limits(options.timeout, self.memory, self.limits_memory_itself, math.ceil(options.output))
        run(self.name, command, folder, limits, self._log, output)

    def _model_folder(self) -> Path:
        """Return a folder with the program's files, which is deleted together with this parser."""
        if self._models is None:
            folder, remove = outputs.private_folder()
            weakref.finalize(self, remove)
            _write_files(folder, self._arrays)
            self._models = folder
        return self._models


@contextmanager
def private_folder() -> Iterator[Path]:
    """Make a temporary folder and delete it at the end."""
    folder, remove = outputs.private_folder()
    try:
        yield folder
    finally:
        remove()


def _ignore(text: str) -> None:
    """Do nothing with the output of a program."""


_Bytes = numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.uint8]]


def _read_files(folder: Path) -> Iterator[tuple[str, _Bytes]]:
    """Yield the relative path and the content of every file in a folder."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(folder).as_posix(), numpy.fromfile(path, dtype=numpy.uint8)


def _write_files(folder: Path, files: Mapping[str, _Bytes]) -> None:
    """Write files into a folder; the inverse of `_read_files`. Refuse names that lead out of the folder."""
    for name, content in files.items():
        parts = PurePosixPath(name).parts
        if not parts or ".." in parts or PurePosixPath(name).is_absolute():
            raise ModelError(f"the model contains a file named {name!r}, which could overwrite other files")
        path = folder.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        content.tofile(path)
