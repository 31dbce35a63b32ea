"""Creates a virtual environment with fewer packages than that of the tests, without downloads."""

from __future__ import annotations

import sysconfig
import venv
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

import spindle
from spindle import _core

PROJECT = "spindle-parser"


def environment(folder: Path) -> Path:
    """Create an environment with Spindle and its required dependencies; return the path of its Python."""
    venv.create(folder, symlinks=True)
    scheme = {"base": str(folder), "platbase": str(folder)}
    site = Path(sysconfig.get_path("purelib", "venv", scheme))
    for found in _needed():
        for file in found.files or ():
            top = site / file.parts[0]
            if file.parts[0] not in ("..", "__pycache__") and not top.exists():
                top.symlink_to(str(found.locate_file(file.parts[0])))
    # in an editable installation the Python sources and the compiled core are in different folders
    (site / "spindle").mkdir()
    for path in {*Path(spindle.__file__).parent.iterdir(), Path(_core.__file__)}:
        (site / "spindle" / path.name).symlink_to(path)
    return folder / "bin" / "python"


def _needed() -> Iterator[Distribution]:
    """Yield the required dependencies of Spindle, direct and indirect."""
    waiting, seen = [(PROJECT, frozenset[str]())], set()
    while waiting:
        name, extras = waiting.pop()
        found = distribution(name)
        if name != PROJECT:
            yield found
        for requirement in map(Requirement, found.requires or ()):
            wanted = any(
                requirement.marker is None or requirement.marker.evaluate({"extra": one})
                for one in extras or {""}
            )
            entry = (requirement.name, frozenset(requirement.extras))
            if wanted and entry not in seen:
                seen.add(entry)
                waiting.append(entry)
