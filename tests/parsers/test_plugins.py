"""Parsers of other packages: a package is really installed, trains, parses, and is listed."""

import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.resources import files
from pathlib import Path
from zipfile import ZipFile

import pytest

from spindle.errors import ParserError
from spindle.parsers import PARSERS, find_parser, plugins, registry

DATA = files("spindle.models") / "data"
NAME = "spindle_distances-1.0"
FAULTS = """

class Renamed(Distances):
    name = "other"


class Failing(Distances):
    name = "failing"

    @classmethod
    def version(cls):
        raise RuntimeError("no licence")
"""
BROKEN = """\
absent = no_such_module:Parser
missing = distances:NoSuchClass
ending = ending:Parser
number = json:dumps
renamed = distances:Renamed
failing = distances:Failing
linear = distances:Distances
"""


def example() -> dict[str, str]:
    """Return the files of the package that `spindle backends --example` prints."""
    shown = spindle({**os.environ}, "backends", "--example").stdout
    _, *parts = re.split(r"^# (\S+)\n", shown, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def installed(folder: Path, more: str = "") -> dict[str, str]:
    """Install the example with pip into a folder, as a wheel; return an environment that has it."""
    package = example()
    added = tomllib.loads(package["pyproject.toml"])["project"]["entry-points"]["spindle.parsers"]
    lines = "".join(f"{name} = {value}\n" for name, value in added.items())
    wheel, target = folder / f"{NAME}-py3-none-any.whl", folder / "site"
    content = {
        "distances.py": package["distances.py"] + FAULTS,
        "ending.py": "raise SystemExit('no display')",
        f"{NAME}.dist-info/METADATA": "Metadata-Version: 2.1\nName: spindle-distances\nVersion: 1.0\n",
        f"{NAME}.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{NAME}.dist-info/entry_points.txt": f"[spindle.parsers]\n{lines}{more}",
    }
    record = f"{NAME}.dist-info/RECORD"
    content[record] = "".join(f"{name},,\n" for name in (*content, record))
    with ZipFile(wheel, "w") as archive:
        for name, text in content.items():
            archive.writestr(name, text)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--no-index", "--target", str(target), str(wheel)], check=True, timeout=120)
    return {**os.environ, "PYTHONPATH": str(target), "COLUMNS": "120"}


def spindle(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "spindle", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=120)


def test_an_installed_package_adds_a_parser(tmp_path: Path) -> None:
    environment = installed(tmp_path)
    rows = {line.split()[0]: line for line in spindle(environment, "backends").stdout.splitlines() if line}
    assert "(spindle-distances)" in rows["distances"]
    told = json.loads(spindle(environment, "backends", "distances", "--json").stdout)
    assert (told["package"], told["description"]) == (
        "spindle-distances",
        "Attaches every word at the distance that is most frequent for its tag.",
    )
    model = str(tmp_path / "distances.model")
    trained = spindle(
        environment,
        "train",
        str(DATA / "demo-train.dbr"),
        "-o",
        model,
        "--parser",
        "distances",
        "--tags",
        "gold",
    )
    assert trained.returncode == 0, trained.stderr
    parse = ["parse", str(DATA / "demo-dev.dbr"), "--input", "trees", "--tags", "gold", "--model", model]
    parsed = spindle(environment, *parse)
    assert parsed.returncode == 0, parsed.stderr
    assert parsed.stdout.count("\n") == 10
    # without the package the model says what is missing
    refused = spindle({**os.environ}, *parse)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "its parser 'distances' is not installed" in refused.stderr


def test_the_example_is_short() -> None:
    code = [line for line in example()["distances.py"].splitlines() if line.strip()]
    assert len(code) <= 20
    assert max(map(len, code)) <= 110


def test_a_model_of_a_package_is_checked_by_the_schema_of_its_class(tmp_path: Path) -> None:
    environment = installed(tmp_path)
    code = """
import spindle, sys
from distances import Distances
Distances.SETTINGS = staticmethod(lambda value, place: None)
tree = spindle.parse_tree("(S (NP (DT The) (NN cat)) (VP (VBZ sleeps)))")
parser = spindle.train([tree], parser="distances", tags="gold")
parser.backend.learned = {"DT": "far"}
parser.save(sys.argv[1])
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "m")], env=environment, check=True)
    refused = spindle(
        environment, "parse", "A_DT dog_NN", "--input", "tagged", "--model", str(tmp_path / "m")
    )
    assert refused.returncode == 1
    assert "parser.DT is 'far', not a whole number from -1,000 to 1,000" in refused.stderr


def test_broken_packages_are_reported_and_harm_nobody(tmp_path: Path) -> None:
    environment = installed(tmp_path, BROKEN)
    listed = spindle(environment, "backends")
    assert listed.returncode == 0
    rows = {line.split()[0] for line in listed.stdout.splitlines() if line}
    assert rows >= {*PARSERS, "distances"}
    assert rows.isdisjoint({"absent", "missing", "ending", "number", "renamed", "failing"})
    lines = listed.stderr.splitlines()
    assert len(lines) == 7
    for name, cause in {
        "absent": "ModuleNotFoundError: No module named 'no_such_module'",
        "missing": "AttributeError: module 'distances' has no attribute 'NoSuchClass'",
        "ending": "SystemExit: no display",
        "number": "json:dumps is no subclass of spindle.Backend",
        "renamed": "its class has the name 'other'",
        "failing": "RuntimeError: no licence",
        "linear": "linear of the package spindle-distances is ignored: Spindle has a parser linear",
    }.items():
        assert any(cause in line and name in line for line in lines), listed.stderr
    assert json.loads(spindle(environment, "backends", "--json").stdout)[-1]["name"] == "distances"
    done = spindle(environment, "train", "no-such-file", "-o", "x", "--parser", "absent")
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert "the parser 'absent' of the package spindle-distances cannot be used" in done.stderr


def test_entry_points_are_read_only_when_a_parser_is_looked_up() -> None:
    code = (
        "import importlib.metadata as metadata\n"
        "def refuse(**asked): raise SystemExit('entry points were read')\n"
        "metadata.entry_points = refuse\n"
        "import spindle; spindle.load('light').parse('She left.')\n"
        "from spindle.parsers import find_parser; find_parser('linear')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_no_package_has_added_a_parser_here() -> None:
    if plugins():
        pytest.skip("parsers of other packages are installed")
    with pytest.raises(ParserError, match=f"choose from {', '.join(PARSERS)}$"):
        find_parser("nobody")
    assert registry.ignored_plugins() == []
