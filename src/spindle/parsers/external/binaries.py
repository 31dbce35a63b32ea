"""Parsers that users compile themselves: ZPar and TurboParser."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from spindle.errors import ParserError
from spindle.parsers.external.program import Program
from spindle.parsers.external.training_program import Files, ProgramOptions
from spindle.parsers.options import option
from spindle.parsers.order import Order


@dataclass(frozen=True)
class ZParOptions(ProgramOptions):
    """The options of ZPar."""

    folder: str | None = option(None, "folder with its programs train and depparser")
    epochs: int = option(5, "passes over the training data", at_least=1)


class ZPar(Program):
    """ZPar's generic dependency parser: transition-based with a beam, projective."""

    name = "zpar"
    is_nonprojective = False
    location = "folder"
    Options = ZParOptions
    needs = (
        "ZPar 0.7 (github.com/frcchang/zpar), its generic parser: "
        "export SPINDLE_ZPAR_FOLDER=… to the folder of its train and depparser"
    )

    @classmethod
    def check_program(cls, program: str) -> None:
        """Raise a `ParserError` for a folder without the two programs."""
        for binary in ("train", "depparser"):
            _find_binary(cls.name, Path(program, binary))

    def train_command(self, files: Files) -> list[str]:
        """Return the command that trains."""
        train = _find_binary(self.name, Path(self.program, "train"))
        return [train, "-c", str(files.train), str(files.model), str(self.settings.options.epochs)]

    def parse_command(self, files: Files) -> list[str]:
        """Return the command that parses."""
        binary = _find_binary(self.name, Path(self.program, "depparser"))
        return [binary, "-c", str(files.input), str(files.output), str(files.model)]


@dataclass(frozen=True)
class TurboOptions(ProgramOptions):
    """The options of TurboParser."""

    binary: str | None = option(None, "path of its program TurboParser")
    order: Order = option(Order.STANDARD, "size of the parts of a tree that are scored")
    epochs: int = option(10, "passes over the training data", at_least=1)


class TurboParser(Program):
    """TurboParser: graph-based with parts of up to third order, the parser of the paper."""

    name = "turbo"
    location = "binary"
    Options = TurboOptions
    needs = (
        "TurboParser 2.3 (github.com/andre-martins/TurboParser): export SPINDLE_TURBO_BINARY=…/TurboParser"
    )

    @classmethod
    def check_program(cls, program: str) -> None:
        """Raise a `ParserError` if this is no program."""
        _find_binary(cls.name, Path(program))

    def train_command(self, files: Files) -> list[str]:
        """Return the command that trains; as in the paper, a pruner is trained first."""
        options = self.settings.options
        return [
            *self._turbo(files),
            *("--train", f"--file_train={files.train}", f"--train_epochs={options.epochs}"),
            f"--labeled={_flag(self.settings.one_shot)}",
            f"--prune_basic={_flag(options.order is not Order.BASIC)}",
        ]

    def parse_command(self, files: Files) -> list[str]:
        """Return the command that parses."""
        own = ("--test", f"--file_test={files.input}", f"--file_prediction={files.output}")
        return [*self._turbo(files), *own]

    def _turbo(self, files: Files) -> list[str]:
        return [
            _find_binary(self.name, Path(self.program)),
            f"--file_model={files.model}",
            f"--model_type={self.settings.options.order}",
            f"--projective={_flag(self.is_projective)}",
            "--logtostderr",
        ]


def _flag(yes: bool) -> str:
    return "true" if yes else "false"


def _find_binary(name: str, path: Path) -> str:
    """Return the absolute path of a program, which may be given by its name alone if it is on the PATH."""
    found = shutil.which(str(path.expanduser()))
    if found is None:
        raise ParserError(f"{name}: there is no program {path}")
    return str(Path(found).absolute())
