"""What an extra adds to the start: nothing, unless it is used."""

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NOT_USED_BY_SPINDLE = ("dev", "docs")

PROGRAM = """
import json, sys
from spindle.cli import main
try:
    main(json.loads(sys.argv[1]))
except SystemExit as done:
    assert not done.code, done.code
print("MODULES", json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def distribution(requirement: str) -> str:
    """Return the name of a distribution in the form in which names are compared."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\s\[<>=!~;]", requirement, maxsplit=1)[0]).lower()


def modules_of_extras() -> dict[str, str]:
    """Return the modules that each extra installs, with the name of the extra."""
    always = set(map(distribution, PROJECT["dependencies"]))
    found = {}
    for extra, requirements in PROJECT["optional-dependencies"].items():
        names = set(map(distribution, requirements)) - always
        for module, distributions in packages_distributions().items():
            if extra not in NOT_USED_BY_SPINDLE and names & set(map(distribution, distributions)):
                found[module] = extra
    return found


EXTRAS = modules_of_extras()


def test_the_extras_that_are_installed_are_found() -> None:
    pytest.importorskip("pyarrow", reason="needs the extra arrow")
    assert EXTRAS["pyarrow"] == "arrow"
    assert "numpy" not in EXTRAS


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["parse", "--help"],
        ["parse", "Trees grow.", "--model", "light"],
        ["parse", "Trees grow.", "--model", "english"],
        ["parse", "in.csv", "--model", "light", "-o", "out.jsonl"],
        ["convert", "in.ptb", "out.export"],
        ["info", "light"],
    ],
    ids=" ".join,
)
def test_no_command_loads_an_extra_that_it_does_not_use(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("text\nTrees grow.\n", encoding="utf-8")
    (tmp_path / "in.ptb").write_text("(S (A a) (B b))\n", encoding="utf-8")
    command = [sys.executable, "-c", PROGRAM, json.dumps(arguments)]
    printed = subprocess.check_output(command, cwd=tmp_path, text=True)
    loaded = json.loads(printed.rpartition("MODULES ")[2])
    assert "spindle" in loaded
    assert {module: EXTRAS[module] for module in loaded if module in EXTRAS} == {}


def test_the_python_face_loads_no_extra() -> None:
    code = (
        "import json, sys, spindle; [getattr(spindle, name) for name in spindle.__all__]; "
        "print(spindle.load('light').parse('Trees grow.')); "
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    )
    printed = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert not EXTRAS.keys() & set(json.loads(printed.splitlines()[-1]))
