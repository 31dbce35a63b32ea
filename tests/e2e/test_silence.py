"""A parse with a bundled model opens no socket and writes nothing but its output."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from spindle.models.bundled import bundled_models

SCRIPT = """
import os, sys
def watch(event, arguments):
    if event.startswith("socket.") and event != "socket.gethostname":
        os.write(2, f"opened a socket: {event} {arguments}\\n".encode())
        os._exit(77)
sys.addaudithook(watch)
from spindle.cli import main
try:
    main(sys.argv[1:])
finally:
    if "onnxruntime" in sys.modules:
        assert os.environ["ORT_DISABLE_TELEMETRY"] == "1"
"""


def without_network() -> list[str]:
    """Return the start of a command that runs without network, if the system allows that."""
    command = ["unshare", "--map-root-user", "--net"]
    if shutil.which("unshare") and not subprocess.run([*command, "true"], capture_output=True).returncode:
        return command
    return []


@pytest.mark.parametrize("model", bundled_models())
def test_nothing_is_sent_and_nothing_is_left(model: str, tmp_path: Path) -> None:
    places = {name: tmp_path / name for name in ("home", "tmp", "cache", "work")}
    for place in places.values():
        place.mkdir()
    environment = {
        "HOME": str(places["home"]),
        "TMPDIR": str(places["tmp"]),
        "XDG_CACHE_HOME": str(places["cache"]),
        "PATH": "/usr/bin:/bin",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [
            *(*without_network(), sys.executable, "-c", SCRIPT),
            *("parse", "Trees grow slowly.", "--model", model, "-o", "out.dbr"),
        ],
        cwd=places["work"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    left = [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()]
    assert left == ["work/out.dbr"]


def test_every_import_of_onnxruntime_turns_telemetry_off() -> None:
    source = Path(__file__).resolve().parents[2] / "src" / "spindle"
    importing = [
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if "import onnxruntime" in path.read_text(encoding="utf-8")
        or "from onnxruntime" in path.read_text(encoding="utf-8")
    ]
    # quantize.py calls import_onnxruntime before it imports a module of the package
    assert sorted(importing) == ["parsers/neural/quantize.py", "parsers/neural/runtime.py"]
