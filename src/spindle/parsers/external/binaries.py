"""Parsers that are binaries which users compile: ZPar and TurboParser."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import ClassVar

from spindle.errors import ParserError
from spindle.parsers.external.program import LIMITS, Files, Program


class ZPar(Program):
    """ZPar's generic dependency parser: transition-based with a beam, projective."""

    name = "zpar"
    is_nonprojective = False
    location = "folder"
    options: ClassVar = {"folder": (), "epochs": ("5",), **LIMITS}
    needs = (
        "ZPar 0.7 (github.com/frcchang/zpar), its generic parser: "
        "export SPINDLE_ZPAR_FOLDER=… to where its train and depparser are"
    )

    @classmethod
    def check_program(cls, program: str) -> None:
        """Refuse a folder without the two binaries."""
        for binary in ("train", "depparser"):
            _find_binary(cls.name, Path(program, binary))

    def train_command(self, program: str, files: Files) -> list[str]:
        """Learning."""
        train = _find_binary(self.name, Path(program, "train"))
        return [train, "-c", str(files.train), str(files.model), self.settings.options["epochs"]]

    def parse_command(self, program: str, files: Files) -> list[str]:
        """Parsing."""
        binary = _find_binary(self.name, Path(program, "depparser"))
        return [binary, "-c", str(files.input), str(files.output), str(files.model)]


class TurboParser(Program):
    """TurboParser: graph-based with parts of up to third order, the parser of the paper."""

    name = "turbo"
    location = "binary"
    options: ClassVar = {
        "binary": (),
        "order": ("standard", "basic", "full"),
        "epochs": ("10",),
        **LIMITS,
    }
    needs = (
        "TurboParser 2.3 (github.com/andre-martins/TurboParser): export SPINDLE_TURBO_BINARY=…/TurboParser"
    )

    @classmethod
    def check_program(cls, program: str) -> None:
        """Refuse what cannot be run."""
        _find_binary(cls.name, Path(program))

    def train_command(self, program: str, files: Files) -> list[str]:
        """Learning; a pruner is learned first, as in the paper."""
        options = self.settings.options
        return [
            *self._turbo(program, files),
            *("--train", f"--file_train={files.train}", f"--train_epochs={options['epochs']}"),
            f"--labeled={_flag(self.settings.one_shot)}",
            f"--prune_basic={_flag(options['order'] != 'basic')}",
        ]

    def parse_command(self, program: str, files: Files) -> list[str]:
        """Parsing."""
        own = ("--test", f"--file_test={files.input}", f"--file_prediction={files.output}")
        return [*self._turbo(program, files), *own]

    def _turbo(self, program: str, files: Files) -> list[str]:
        return [
            _find_binary(self.name, Path(program)),
            f"--file_model={files.model}",
            f"--model_type={self.settings.options['order']}",
            f"--projective={_flag(self.is_projective)}",
            "--logtostderr",
        ]


def _flag(yes: bool) -> str:
    return "true" if yes else "false"


def _find_binary(name: str, path: Path) -> str:
    """The whole path of a program, which may be given by its name alone if the shell would find it."""
    found = shutil.which(str(path.expanduser()))
    if found is None:
        raise ParserError(f"{name}: there is no program at {path}")
    return str(Path(found).absolute())
