"""Parsers that are Java programs: MaltParser and MSTParser.

Both keep their models as serialised Java objects: reading such a model can run code, so do not use those of
strangers.
"""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from spindle.errors import ParserError
from spindle.parsers.external.program import LIMITS, Files, Program


class JavaProgram(Program):
    """A program in a jar file; `memory` is the size of Java's heap."""

    location = "jar"
    limits_memory_itself = True

    @classmethod
    def check(cls, options: Mapping[str, str]) -> None:
        """Refuse a jar that is not there, and a machine without Java."""
        super().check(options)
        if _java() is None:
            raise ParserError(f"{cls.name} needs Java, and there is no program 'java'")

    @classmethod
    def check_program(cls, program: str) -> None:
        """Refuse what is no jar."""
        super().check_program(program)
        for file in program.split(os.pathsep):
            if not zipfile.is_zipfile(Path(file).expanduser()):
                raise ParserError(f"{cls.name}: {file} is no jar")

    @classmethod
    def version(cls) -> str | None:
        """The version that the jar tells, if the environment says where it is."""
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

    def java(self, program: str) -> list[str]:
        """The start of its command: Java, and where the classes are."""
        heap = [f"-Xmx{self.memory}m"] if self.memory else []
        jars = os.pathsep.join(str(Path(jar).expanduser().absolute()) for jar in program.split(os.pathsep))
        return [_java() or "java", *heap, "-Dfile.encoding=UTF-8", "-cp", jars]


class MaltParser(JavaProgram):
    """MaltParser: transition-based; crossing arcs by pseudo-projective labels, or by its algorithm."""

    name = "malt"
    options: ClassVar = {
        "jar": (),
        "algorithm": (
            "stackproj",
            "nivreeager",
            "nivrestandard",
            "covproj",
            "covnonproj",
            "stackeager",
            "stacklazy",
            "planar",
            "2planar",
        ),
        "learner": ("liblinear", "libsvm"),
        "pseudo_projective": ("auto", "none", "baseline", "head", "path", "head+path"),
        **LIMITS,
    }
    needs = (
        "Java and MaltParser 1.9 (maltparser.org): export SPINDLE_MALT_JAR=…/maltparser-1.9.2.jar, "
        "which must stay beside its folder lib"
    )

    def train_command(self, program: str, files: Files) -> list[str]:
        """Learning, with the paper's algorithm and a fast learner unless told otherwise."""
        options = self.settings.options
        pseudo = options["pseudo_projective"]
        if pseudo == "auto":
            crosses = options["algorithm"] in ("covnonproj", "stackeager", "stacklazy", "2planar")
            pseudo = "none" if self.is_projective or crosses else "head"
        return [
            *self._malt(program, files),
            *("-m", "learn", "-i", str(files.train)),
            *("-a", options["algorithm"], "-l", options["learner"]),
            *([] if pseudo == "none" else ["-pp", pseudo]),
        ]

    def parse_command(self, program: str, files: Files) -> list[str]:
        """Parsing; how it learned, it knows."""
        return [*self._malt(program, files), "-m", "parse", "-i", str(files.input), "-o", str(files.output)]

    def _malt(self, program: str, files: Files) -> list[str]:
        where = ["-w", str(files.model.parent), "-c", files.model.name]
        return [*self.java(program), "org.maltparser.Malt", *where]


class MstParser(JavaProgram):
    """MSTParser: graph-based, of first or second order."""

    name = "mst"
    placeholder = "<num>"  # comes back for numbers
    options: ClassVar = {
        "jar": (),
        "decode_type": ("auto", "proj", "non-proj"),
        "order": ("2", "1"),
        "epochs": ("10",),
        **LIMITS,
    }
    needs = (
        "Java and MSTParser 0.5 (sourceforge.net/projects/mstparser): "
        "export SPINDLE_MST_JAR=…/mstparser.jar:…/trove.jar"
    )

    def train_command(self, program: str, files: Files) -> list[str]:
        """Learning."""
        own = [f"train-file:{files.train}", f"iters:{self.settings.options['epochs']}"]
        return [*self._mst(program, files), "train", *own]

    def parse_command(self, program: str, files: Files) -> list[str]:
        """Parsing."""
        return [
            *self._mst(program, files),
            *("test", f"test-file:{files.input}", f"output-file:{files.output}"),
        ]

    def _mst(self, program: str, files: Files) -> list[str]:
        options = self.settings.options
        decode = options["decode_type"]
        if decode == "auto":
            decode = "proj" if self.is_projective else "non-proj"
        return [
            *self.java(program),
            "mstparser.DependencyParser",
            *("format:CONLL", f"model-name:{files.model}", f"decode-type:{decode}"),
            f"order:{options['order']}",
        ]


def _java() -> str | None:
    home = os.environ.get("JAVA_HOME")
    return shutil.which(str(Path(home, "bin", "java"))) if home else shutil.which("java")
