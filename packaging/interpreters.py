"""Finds the CPython versions that Spindle supports; run as a script, it prints one path a line.

A `python3.X` on PATH may be a shim that selects nothing, so every candidate is run. Versions without an
interpreter are named on standard error.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

SUPPORTED = ("3.11", "3.12", "3.13")
PYENV = Path.home() / ".pyenv" / "versions"


def find_interpreter(version: str, pyenv: Path = PYENV) -> Path | None:
    """Return a CPython of that version, from PATH or else from pyenv, or None."""
    return next((path for path in _candidates(version, pyenv) if _is_cpython(path, version)), None)


def _candidates(version: str, pyenv: Path) -> Iterator[Path]:
    if found := shutil.which(f"python{version}"):
        yield Path(found)
    yield from (path / "bin" / "python" for path in sorted(pyenv.glob(f"{version}.*"), reverse=True))


def _is_cpython(path: Path, version: str) -> bool:
    code = "import sys; print(sys.implementation.name, '%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run([path, "-c", code], capture_output=True, text=True, timeout=60)
    except OSError:
        return False
    return done.returncode == 0 and done.stdout.split() == ["cpython", version]


def main() -> None:
    """Print the interpreters that are installed, and name the versions that are not."""
    for version in SUPPORTED:
        path = find_interpreter(version)
        if path is None:
            print(f"CPython {version} is not installed: skipped", file=sys.stderr)
        else:
            print(path)


if __name__ == "__main__":
    main()
