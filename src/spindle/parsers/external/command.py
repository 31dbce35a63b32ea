"""Any parser with a command line: `--train-command` and `--parse-command`.

Both are cut into arguments as a shell would, but no shell runs them. `{train}`, `{dev}` and `{model}` in one,
`{input}`, `{output}` and `{model}` in the other stand for the files. `{model}` may become a file, a folder,
or several files that begin with that name. A parse command without `{output}` must print its analyses.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping
from typing import ClassVar

from spindle.errors import ParserError
from spindle.parsers.external.exchange import Format
from spindle.parsers.external.program import LIMITS, Files, Program


class CommandParser(Program):
    """A parser that two command lines run."""

    name = "command"
    location = "parse_command"
    options: ClassVar = {
        "train_command": (),
        "parse_command": (),
        "format": ("conllx", "conllu"),
        **LIMITS,
    }

    @classmethod
    def variable(cls) -> str:
        """The environment variable that holds the parse command."""
        return "SPINDLE_PARSE_COMMAND"

    @classmethod
    def find(cls, options: Mapping[str, str]) -> str:
        """The parse command."""
        found = options.get("parse_command") or os.environ.get(cls.variable())
        if not found:
            raise ParserError("say how the parser is run: --parse-command '… {input} {output} {model}'")
        return found

    @classmethod
    def check(cls, options: Mapping[str, str]) -> None:
        """Refuse commands that cannot do anything."""
        super().check(options)
        if "train_command" not in options:
            raise ParserError("say how the parser is trained: --train-command '… {train} {model}'")
        _check_command(options["train_command"], "--train-command", "{train}", "{model}")

    @classmethod
    def check_program(cls, program: str) -> None:
        """Refuse a parse command that does not say where the sentences are, or cannot be run."""
        _check_command(program, "--parse-command", "{input}")

    @property
    def format(self) -> Format:
        """The format that was chosen."""
        return Format(self.settings.options["format"])

    @property
    def answers_on_stdout(self) -> bool:
        """Whether the command names no output file."""
        return "{output}" not in (self._program or self._from_environment())

    def train_command(self, program: str, files: Files) -> list[str]:
        """The train command with the names of the files."""
        return _filled(self.settings.options["train_command"], files)

    def parse_command(self, program: str, files: Files) -> list[str]:
        """The parse command with the names of the files."""
        return _filled(program, files)


def _filled(command: str, files: Files) -> list[str]:
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
            what = "its model goes" if name == "{model}" else "the sentences are"
            raise ParserError(f"{option} must say with {name} where {what}, and {command!r} does not")
    if shutil.which(arguments[0]) is None:
        raise ParserError(f"{option}: there is no program {arguments[0]!r}")
    if "/" in arguments[0] and not os.path.isabs(arguments[0]):  # noqa: PTH117
        raise ParserError(f"{option} runs in a folder of its own: give the whole path of {arguments[0]}")
