"""Any parser with a command line, given by the options `train_command` and `parse_command`.

Commands are split into arguments like in a shell, but no shell runs them. `{train}`, `{dev}` and `{model}` in
the train command, and `{input}`, `{output}` and `{model}` in the parse command, are replaced by the paths of
files. `{model}` may become a file, a folder, or several files whose names start with that name. A parse
command without `{output}` must print its analyses.
"""

from __future__ import annotations

import os
import shlex
import shutil
from dataclasses import dataclass
from typing import Any

from spindle.errors import ParserError
from spindle.parsers.external.exchange import Format
from spindle.parsers.external.program import Program
from spindle.parsers.external.training_program import Files, ProgramOptions
from spindle.parsers.options import option


@dataclass(frozen=True)
class CommandOptions(ProgramOptions):
    """The options of a parser with a command line."""

    train_command: str | None = option(None, "command that trains: '… {train} {model}'")
    parse_command: str | None = option(None, "command that parses: '… {input} {output} {model}'")
    format: Format = option(Format.CONLLX, "format of the files")


class CommandParser(Program):
    """A parser that two command lines train and run."""

    name = "command"
    location = "parse_command"
    Options = CommandOptions

    @classmethod
    def variable(cls) -> str:
        """Return the name of the environment variable with the parse command."""
        return "SPINDLE_PARSE_COMMAND"

    @classmethod
    def find(cls, options: Any) -> str:
        """Return the parse command."""
        found = options.parse_command or os.environ.get(cls.variable())
        if not found:
            raise ParserError(
                "command needs the option parse_command, the command that parses: "
                "'… {input} {output} {model}'"
            )
        return str(found)

    @classmethod
    def check(cls, options: Any) -> None:
        """Raise a `ParserError` for commands that cannot work."""
        super().check(options)
        if options.train_command is None:
            raise ParserError(
                "command needs the option train_command, the command that trains: '… {train} {model}'"
            )
        _check_command(options.train_command, "train_command", "{train}", "{model}")

    @classmethod
    def check_program(cls, program: str) -> None:
        """Raise a `ParserError` for a parse command without `{input}`, or whose program does not exist."""
        _check_command(program, "parse_command", "{input}")

    @property
    def format(self) -> Format:
        """The format that the option chooses."""
        return Format(self.settings.options.format)

    @property
    def answers_on_stdout(self) -> bool:
        """Whether the command names no output file."""
        return "{output}" not in self.program

    def train_command(self, files: Files) -> list[str]:
        """Return the train command with the paths of the files."""
        return _fill_in(self.settings.options.train_command, files)

    def parse_command(self, files: Files) -> list[str]:
        """Return the parse command with the paths of the files."""
        return _fill_in(self.program, files)


def _fill_in(command: str, files: Files) -> list[str]:
    arguments = shlex.split(command)
    for name, path in files._asdict().items():
        arguments = [argument.replace(f"{{{name}}}", str(path)) for argument in arguments]
    return arguments


def _check_command(command: str, option: str, *needed: str) -> None:
    try:
        arguments = shlex.split(command)
    except ValueError as error:
        raise ParserError(f"{option}: {error} in {command!r}") from None
    for name in needed:
        if not any(name in argument for argument in arguments):
            what = "the path of the model" if name == "{model}" else "the path of the sentences"
            raise ParserError(f"{option} must contain {name}, which stands for {what}: {command!r} does not")
    if shutil.which(arguments[0]) is None:
        raise ParserError(f"{option}: there is no program {arguments[0]!r}")
    if "/" in arguments[0] and not os.path.isabs(arguments[0]):  # noqa: PTH117
        raise ParserError(f"{option} runs in a folder of its own: give the absolute path of {arguments[0]}")
