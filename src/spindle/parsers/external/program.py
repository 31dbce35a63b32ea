"""Parsers that are programs on the user's machine, for training and for parsing.

A model does not decide which program is run, because it may come from a stranger. The user gives the path of
the program, as an option or in an environment variable.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

from spindle.errors import ParserError
from spindle.models import ModelPart
from spindle.parsers.backend import Example, FitSettings, Monitor, Prediction
from spindle.parsers.external.exchange import read_answers, write_questions
from spindle.parsers.external.training_program import Files, TrainingProgram, private_folder
from spindle.trees import Token


class Program(TrainingProgram):
    """A dependency parser that is trained and run as a program, which reads and writes CoNLL files."""

    batch = 10_000  # the program is started once per batch
    location: ClassVar[str]
    """The option with the path of the program; in capitals the end of the environment variable."""
    placeholder: ClassVar[str] = ""
    """What the program may write in the place of a word."""

    _trusted: ClassVar[set[str]] = set()
    """The programs that the user of this process has trained with; models that name them may run them."""

    def __init__(self) -> None:
        super().__init__()
        self._program = ""

    # ── what differs between programs ────────────────────────────────────────────────────────────────

    @abstractmethod
    def parse_command(self, files: Files) -> list[str]:
        """Return the command that parses `files.input` with `files.model` and writes `files.output`."""

    @property
    def answers_on_stdout(self) -> bool:
        """Whether the program prints its analyses and does not write `files.output`."""
        return False

    # ── the path of the program ──────────────────────────────────────────────────────────────────────

    @classmethod
    def variable(cls) -> str:
        """Return the name of the environment variable with the path of the program."""
        return f"SPINDLE_{cls.name}_{cls.location}".upper().replace("-", "_")

    @classmethod
    def find(cls, options: Any) -> str:
        """Return the path of the program from its options or from the environment."""
        found = getattr(options, cls.location) or os.environ.get(cls.variable())
        if not found:
            raise ParserError(
                f"{cls.name} is a program that must be on your machine: give its path as the option "
                f"{cls.location} or export {cls.variable()}=…"
            )
        return str(found)

    @classmethod
    def version(cls) -> str | None:
        """Return an empty text if the environment names a program that exists; its version is unknown."""
        if not cls.needs:
            return ""
        try:
            cls.check_program(cls.find(cls.Options()))
        except ParserError:
            return None
        return ""

    @classmethod
    def check(cls, options: Any) -> None:
        """Raise a `ParserError` if the program does not exist."""
        cls.check_program(cls.find(options))

    @classmethod
    def check_program(cls, program: str) -> None:
        """Raise a `ParserError` if there is no program at this path."""
        for file in program.split(os.pathsep):
            if not Path(file).expanduser().exists():
                raise ParserError(f"{cls.name}: there is no file {file}")

    @property
    def program(self) -> str:
        """The path of the program that this process may run for this parser."""
        return self._program or self._from_environment()

    def _from_environment(self) -> str:
        try:
            program = self.find(self.Options())
        except ParserError:
            named = getattr(self.settings.options, self.location)
            raise ParserError(
                f"the model needs {self.name}, which Spindle does not run unasked, because a model may come "
                f"from anybody; if you trust it, export {self.variable()}=…"
                + (f" (it was trained with {named!r})" if named else "")
            ) from None
        self.check_program(program)
        return program

    # ── training and parsing ─────────────────────────────────────────────────────────────────────────

    def fit(
        self,
        train: Sequence[Example],
        dev: Sequence[Example],
        settings: FitSettings,
        monitor: Monitor,
        state: ModelPart | None = None,
    ) -> None:
        """Run the program to train, and store the files that it writes."""
        self._program = self.find(settings.options)
        self._trusted.add(self._program)
        super().fit(train, dev, settings, monitor, state)

    def parse(self, sentences: Sequence[Sequence[Token]], threads: int) -> list[Prediction]:
        """Run the program to parse, and check that its output is for these sentences."""
        del threads  # programs have no common option for it
        if not any(sentences):
            return [Prediction([]) for _ in sentences]
        with private_folder() as folder:
            files = Files.of(folder, self._model_folder())
            write_questions(files.input, sentences, self.format)
            output = files.output if self.answers_on_stdout else None
            self._run(self.parse_command(files), folder, output)
            return read_answers(
                files.output,
                sentences,
                self.name,
                labelled=self.settings.one_shot,
                placeholder=self.placeholder,
            )

    @classmethod
    def from_part(cls, part: ModelPart) -> Self:
        """Load the parser. The program is looked for when it is needed."""
        parser = super().from_part(part)
        named = getattr(parser.settings.options, cls.location) or ""
        parser._program = named if named in cls._trusted else ""
        return parser
