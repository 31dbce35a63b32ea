"""What all parsers have in common that are programs of their own.

The files that such a program makes when it learns are kept inside our model. How to run it is not taken from
there: a model may come from a stranger, and must not make us run what it likes. So whoever parses says where
the program is, by an environment variable.
"""

from __future__ import annotations

import math
import os
import shutil
import tempfile
import weakref
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import ClassVar, NamedTuple, Self

import numpy

from spindle.errors import ModelError, ParserError
from spindle.models import ModelPart
from spindle.parsers.backend import Backend, Example, FitSettings, Monitor, Prediction
from spindle.parsers.external.exchange import Format, read_answers, write_examples, write_questions
from spindle.parsers.external.process import Limits, run
from spindle.reduction import Mode
from spindle.trees import Token

MODEL = "parser"
"""What the program is told to call its model. Everything it writes beside that is kept, too."""
LIMITS: Mapping[str, tuple[str, ...]] = {"timeout": ("",), "memory": ("",)}
"""Options of every program: seconds for one run, and megabytes."""
MOST = 1 << 40
"""More than any machine has of either."""


class Files(NamedTuple):
    """Where everything is while a program runs."""

    train: Path
    dev: Path
    input: Path
    output: Path
    model: Path

    @classmethod
    def of(cls, folder: Path, models: Path) -> Files:
        """The files of a run in this folder."""
        return cls(folder / "train", folder / "dev", folder / "input", folder / "output", models / MODEL)


class Program(Backend):
    """A dependency parser that is run as a program, which reads and writes CoNLL files."""

    predicts = frozenset({"labels"})
    one_shot = True
    batch = 10_000  # it is started for each
    location: ClassVar[str]
    """The option, and in capitals the end of the environment variable, that says where the program is."""
    placeholder: ClassVar[str] = ""
    """What may come back in the place of a word."""
    limits_memory_itself: ClassVar[bool] = False
    """Whether the memory limit is an argument of the program instead of the system's."""

    _told: ClassVar[set[str]] = set()
    """What this process was told to run, which it may run again for a model that names it."""

    def __init__(self) -> None:
        self.settings = FitSettings()
        self._program = ""
        self._arrays: dict[str, numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.uint8]]] = {}
        self._models: Path | None = None
        self._hear: Callable[[str], None] = _ignore

    # ── what every program does in its own way ───────────────────────────────────────────────────────

    @abstractmethod
    def train_command(self, program: str, files: Files) -> list[str]:
        """How to make it learn from `files.train` and write `files.model`."""

    @abstractmethod
    def parse_command(self, program: str, files: Files) -> list[str]:
        """How to make it parse `files.input` with `files.model` and write `files.output`."""

    @property
    def format(self) -> Format:
        """The format of the files."""
        return Format.CONLLX

    @property
    def answers_on_stdout(self) -> bool:
        """Whether it prints its analyses instead of writing them to `files.output`."""
        return False

    @property
    def is_projective(self) -> bool:
        """Whether it should only give arcs that do not cross."""
        return self.settings.mode is Mode.CONTINUOUS

    # ── where the program is ─────────────────────────────────────────────────────────────────────────

    @classmethod
    def variable(cls) -> str:
        """The environment variable that says where the program is."""
        return f"SPINDLE_{cls.name}_{cls.location}".upper().replace("-", "_")

    @classmethod
    def find(cls, options: Mapping[str, str]) -> str:
        """Where the program is, by its option or by the environment."""
        found = options.get(cls.location) or os.environ.get(cls.variable())
        if not found:
            raise ParserError(
                f"{cls.name} is a program that must be on your machine: say where with "
                f"--parser-option {cls.location}=… or export {cls.variable()}=…"
            )
        return found

    @classmethod
    def version(cls) -> str | None:
        """Empty if the environment says where the program is, for most tell no version."""
        if not cls.needs:
            return ""
        try:
            cls.check_program(cls.find({}))
        except ParserError:
            return None
        return ""

    @classmethod
    def check(cls, options: Mapping[str, str]) -> None:
        """Refuse limits that are no numbers, and a program that is not there."""
        _limits(options)
        cls.check_program(cls.find(options))

    @classmethod
    def check_program(cls, program: str) -> None:
        """Refuse a location at which there is no program."""
        for file in program.split(os.pathsep):
            if not Path(file).expanduser().exists():
                raise ParserError(f"{cls.name}: there is nothing at {file}")

    # ── the protocol ─────────────────────────────────────────────────────────────────────────────────

    def fit(
        self,
        train: Sequence[Example],
        dev: Sequence[Example],
        settings: FitSettings,
        watch: Monitor,
        state: ModelPart | None = None,
    ) -> None:
        """Let the program learn, and keep the files it makes."""
        del state  # it cannot go on where it was
        self.settings, self._program, self._models = settings, self.find(settings.options), None
        self._told.add(self._program)
        self._hear = watch.note
        with _private_folder() as folder:
            (folder / "models").mkdir()
            files = Files.of(folder, folder / "models")
            for path, examples in ((files.train, train), (files.dev, dev)):
                write_examples(path, examples, self.format, labelled=settings.one_shot)
            self._run(self.train_command(self._program, files), folder)
            self._arrays = dict(_read_files(folder / "models"))
        if not self._arrays:
            raise ParserError(f"{self.name} has ended without writing a model")
        watch.epoch(1, 0.0)
        self._hear = _ignore

    def parse(self, sentences: Sequence[Sequence[Token]], threads: int) -> list[Prediction]:
        """Let the program parse, and check that its answers are to what it was asked."""
        del threads  # whether it has any is its own affair
        if not any(sentences):
            return [Prediction([]) for _ in sentences]
        program = self._program or self._from_environment()
        with _private_folder() as folder:
            files = Files.of(folder, self._model_folder())
            write_questions(files.input, sentences, self.format)
            output = files.output if self.answers_on_stdout else None
            self._run(self.parse_command(program, files), folder, output)
            return read_answers(
                files.output,
                sentences,
                self.name,
                labelled=self.settings.one_shot,
                placeholder=self.placeholder,
            )

    def to_part(self) -> ModelPart:
        """The program's files, and how it was trained."""
        given = self.settings
        settings = {
            "mode": str(given.mode),
            "one_shot": given.one_shot,
            "seed": given.seed,
            "options": dict(given.options),
        }
        return ModelPart(settings, dict(self._arrays))

    @classmethod
    def from_part(cls, part: ModelPart) -> Self:
        """The parser again; the program is looked for when it is needed."""
        parser = cls()
        given = part.settings
        parser.settings = FitSettings(
            mode=Mode(given["mode"]),
            one_shot=given["one_shot"],
            seed=given["seed"],
            options=given["options"],
        )
        parser._arrays = dict(part.arrays)
        was = given["options"].get(cls.location, "")
        parser._program = was if was in cls._told else ""
        return parser

    # ── runs ─────────────────────────────────────────────────────────────────────────────────────────

    @property
    def memory(self) -> int | None:
        """The memory limit in megabytes, for programs that take it as an argument."""
        return _limits(self.settings.options).megabytes

    def _run(self, command: Sequence[str], folder: Path, output: Path | None = None) -> None:
        limits = _limits(self.settings.options)._replace(keeps_to_megabytes=self.limits_memory_itself)
        run(self.name, command, folder, limits, self._hear, output)

    def _from_environment(self) -> str:
        try:
            program = self.find({})
        except ParserError:
            was = self.settings.options.get(self.location, "")
            raise ParserError(
                f"the model needs {self.name}, which Spindle does not run unasked, because a model may come "
                f"from anybody; if you trust it, export {self.variable()}=…"
                + (f" (it was trained with {was!r})" if was else "")
            ) from None
        self.check_program(program)
        return program

    def _model_folder(self) -> Path:
        """A folder with the program's files, which is there for as long as this parser."""
        if self._models is None:
            folder = Path(tempfile.mkdtemp(prefix="spindle-"))
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            _write_files(folder, self._arrays)
            self._models = folder
        return self._models


def _limits(options: Mapping[str, str]) -> Limits:
    seconds, megabytes = _number(options, "timeout", "seconds"), _number(options, "memory", "megabytes")
    return Limits(seconds, None if megabytes is None else math.ceil(megabytes))


def _number(options: Mapping[str, str], name: str, unit: str) -> float | None:
    if not options.get(name):
        return None
    try:
        number = float(options[name])
    except ValueError:
        number = 0
    if not 0 < number < MOST:
        raise ParserError(f"{name} cannot be {options[name]!r}; choose a number of {unit} above 0")
    return number


def _ignore(text: str) -> None:
    """Hear nothing."""


@contextmanager
def _private_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="spindle-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


_Bytes = numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.uint8]]


def _read_files(folder: Path) -> Iterator[tuple[str, _Bytes]]:
    """The content of every file under a folder, by its path from there."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(folder).as_posix(), numpy.fromfile(path, dtype=numpy.uint8)


def _write_files(folder: Path, files: Mapping[str, _Bytes]) -> None:
    """The inverse of `_read_files`; a name that leads out of the folder is refused."""
    for name, content in files.items():
        parts = PurePosixPath(name).parts
        if not parts or ".." in parts or PurePosixPath(name).is_absolute():
            raise ModelError(f"the model holds a file called {name!r}, which could overwrite others")
        path = folder.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        content.tofile(path)
