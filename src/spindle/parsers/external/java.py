"""Parsers that are Java programs: MaltParser and MSTParser.

Both store their models as serialised Java objects. Reading such a model can run code, so do not use models
from strangers.
"""

from __future__ import annotations

import os
import shutil
import zipfile
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from spindle.errors import ParserError
from spindle.parsers.external.program import Program
from spindle.parsers.external.training_program import Files, ProgramOptions
from spindle.parsers.options import option


@dataclass(frozen=True)
class JavaOptions(ProgramOptions):
    """The options of every Java program."""

    jar: str | None = option(None, "its jar, or its class path")


class JavaProgram(Program):
    """A program in a jar file; the option `memory` sets the size of Java's heap."""

    location = "jar"
    limits_memory_itself = True

    @classmethod
    def check(cls, options: Any) -> None:
        """Raise a `ParserError` if the jar or Java is missing."""
        super().check(options)
        if _java() is None:
            raise ParserError(f"{cls.name} needs Java, and there is no program 'java'")

    @classmethod
    def check_program(cls, program: str) -> None:
        """Raise a `ParserError` for a file that is no jar."""
        super().check_program(program)
        for file in program.split(os.pathsep):
            if not zipfile.is_zipfile(Path(file).expanduser()):
                raise ParserError(f"{cls.name}: {file} is no jar")

    @classmethod
    def version(cls) -> str | None:
        """Return the version in the manifest of the jar that the environment names."""
        if super().version() is None or _java() is None:
            return None
        jar = Path(os.environ[cls.variable()].split(os.pathsep)[0]).expanduser()
        try:
            with zipfile.ZipFile(jar) as archive:
                manifest = archive.read("META-INF/MANIFEST.MF").decode("utf-8", "replace")
        except (OSError, KeyError, zipfile.BadZipFile):
            return ""
        fields = dict(line.partition(": ")[::2] for line in manifest.splitlines())
        return fields.get("Implementation-Version", "")

    def java(self) -> list[str]:
        """Return the start of every command: Java, its heap size and the class path."""
        heap = [f"-Xmx{self.memory}m"] if self.memory else []
        jars = (str(Path(jar).expanduser().absolute()) for jar in self.program.split(os.pathsep))
        return [_java() or "java", *heap, "-Dfile.encoding=UTF-8", "-cp", os.pathsep.join(jars)]


class Algorithm(StrEnum):
    """MaltParser's parsing algorithms."""

    STACK_PROJECTIVE = "stackproj"
    NIVRE_EAGER = "nivreeager"
    NIVRE_STANDARD = "nivrestandard"
    COVINGTON_PROJECTIVE = "covproj"
    COVINGTON_NONPROJECTIVE = "covnonproj"
    STACK_EAGER = "stackeager"
    STACK_LAZY = "stacklazy"
    PLANAR = "planar"
    TWO_PLANAR = "2planar"

    @property
    def crosses(self) -> bool:
        """Whether its arcs may cross."""
        return self in (
            Algorithm.COVINGTON_NONPROJECTIVE,
            Algorithm.STACK_EAGER,
            Algorithm.STACK_LAZY,
            Algorithm.TWO_PLANAR,
        )


class Learner(StrEnum):
    """The libraries that MaltParser learns with."""

    LIBLINEAR = "liblinear"
    LIBSVM = "libsvm"


class PseudoProjective(StrEnum):
    """How MaltParser encodes crossing arcs in labels; `auto` is `head` where it is needed."""

    AUTO = "auto"
    NONE = "none"
    BASELINE = "baseline"
    HEAD = "head"
    PATH = "path"
    HEAD_AND_PATH = "head+path"


@dataclass(frozen=True)
class MaltOptions(JavaOptions):
    """The options of MaltParser."""

    algorithm: Algorithm = option(Algorithm.STACK_PROJECTIVE, "parsing algorithm")
    learner: Learner = option(Learner.LIBLINEAR, "library that it learns with; libsvm takes hours")
    pseudo_projective: PseudoProjective = option(PseudoProjective.AUTO, "encoding of crossing arcs in labels")


class MaltParser(JavaProgram):
    """MaltParser: transition-based; crossing arcs by pseudo-projective labels, or by its algorithm."""

    name = "malt"
    Options = MaltOptions
    needs = (
        "Java and MaltParser 1.9 (maltparser.org): export SPINDLE_MALT_JAR=…/maltparser-1.9.2.jar, "
        "which must stay beside its folder lib"
    )

    def train_command(self, files: Files) -> list[str]:
        """Return the command that trains; by default with the paper's algorithm and a fast learner."""
        options = self.settings.options
        pseudo = options.pseudo_projective
        if pseudo is PseudoProjective.AUTO:
            needed = not (self.is_projective or options.algorithm.crosses)
            pseudo = PseudoProjective.HEAD if needed else PseudoProjective.NONE
        return [
            *self._malt(files),
            *("-m", "learn", "-i", str(files.train)),
            *("-a", str(options.algorithm), "-l", str(options.learner)),
            *([] if pseudo is PseudoProjective.NONE else ["-pp", str(pseudo)]),
        ]

    def parse_command(self, files: Files) -> list[str]:
        """Return the command that parses; the model contains the options of the training."""
        return [*self._malt(files), "-m", "parse", "-i", str(files.input), "-o", str(files.output)]

    def _malt(self, files: Files) -> list[str]:
        return [*self.java(), "org.maltparser.Malt", "-w", str(files.model.parent), "-c", files.model.name]


class DecodeType(StrEnum):
    """Whether the arcs of MSTParser may cross; `auto` follows the mode."""

    AUTO = "auto"
    PROJECTIVE = "proj"
    NONPROJECTIVE = "non-proj"


@dataclass(frozen=True)
class MstOptions(JavaOptions):
    """The options of MSTParser."""

    decode_type: DecodeType = option(DecodeType.AUTO, "whether arcs may cross")
    order: int = option(2, "1 for single arcs, 2 for pairs of siblings", at_least=1, at_most=2)
    epochs: int = option(10, "passes over the training data", at_least=1)


class MstParser(JavaProgram):
    """MSTParser: graph-based, of first or second order."""

    name = "mst"
    placeholder = "<num>"  # what it writes for numbers
    Options = MstOptions
    needs = (
        "Java and MSTParser 0.5 (sourceforge.net/projects/mstparser): "
        "export SPINDLE_MST_JAR=…/mstparser.jar:…/trove.jar"
    )

    def train_command(self, files: Files) -> list[str]:
        """Return the command that trains."""
        own = [f"train-file:{files.train}", f"iters:{self.settings.options.epochs}"]
        return [*self._mst(files), "train", *own]

    def parse_command(self, files: Files) -> list[str]:
        """Return the command that parses."""
        return [*self._mst(files), "test", f"test-file:{files.input}", f"output-file:{files.output}"]

    def _mst(self, files: Files) -> list[str]:
        options = self.settings.options
        decode = options.decode_type
        if decode is DecodeType.AUTO:
            decode = DecodeType.PROJECTIVE if self.is_projective else DecodeType.NONPROJECTIVE
        return [
            *self.java(),
            "mstparser.DependencyParser",
            *("format:CONLL", f"model-name:{files.model}", f"decode-type:{decode}"),
            f"order:{options.order}",
        ]


def _java() -> str | None:
    home = os.environ.get("JAVA_HOME")
    return shutil.which(str(Path(home, "bin", "java"))) if home else shutil.which("java")
