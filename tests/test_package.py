"""The public names of the package, the examples in all docstrings, and the start-up time."""

import doctest
import importlib
import pkgutil
import resource
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

import spindle

ROOT = Path(__file__).resolve().parents[1]
MODULES = ["spindle", *(found.name for found in pkgutil.walk_packages(spindle.__path__, "spindle."))]

# packages that only some backends need
EXTRAS = {"nltk", "torch", "onnx", "transformers", "spacy", "ufal", "starlette", "uvicorn", "orjson"}


def test_every_public_name_can_be_imported() -> None:
    assert spindle.__all__ == sorted(spindle.__all__)
    for name in spindle.__all__:
        found = getattr(spindle, name)
        assert found is not None
        assert not isinstance(found, ModuleType) or (name in ("models", "search") and callable(found))
    assert dir(spindle) == sorted([*spindle.__all__, "__version__"])
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = spindle.nothing  # type: ignore[attr-defined]


def test_models_is_the_package_and_lists_the_models() -> None:
    """In any order of imports: the package takes the place of the name when it is imported."""
    for before in ("", "spindle.load; ", "import spindle.models; "):
        code = f"import spindle; {before}print([model.name for model in spindle.models()])"
        assert subprocess.check_output([sys.executable, "-c", code], text=True).startswith("['english', ")


def test_search_is_the_package_and_searches() -> None:
    for before in ("", "import spindle.search; "):
        code = f"import spindle; {before}print(list(spindle.search('NP', [])))"
        assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


@pytest.mark.parametrize("name", sorted({*spindle.__all__} - {"models", "search"}))
def test_every_public_name_belongs_to_the_public_names_of_one_layer(name: str) -> None:
    """Only the layers say where a name is, so that it is written once at the top."""
    layers = [importlib.import_module(f"spindle.{layer}") for layer in spindle._LAYERS]
    homes = [layer for layer in layers if name in getattr(layer, "__all__", vars(layer))]
    assert [getattr(home, name) for home in homes] == [getattr(spindle, name)]


def test_the_layers_are_those_of_the_import_contract() -> None:
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = [layer for line in contract["contracts"][0]["layers"] for layer in line.split(" | ")]
    # what has no public names at the top: the command line, corpora, other libraries, the server, raw text,
    # decoders, files that are replaced, tables
    above = {"cli", "scale", "integrations", "web"}
    assert set(spindle._LAYERS) == set(layers) - above - {"text", "decoding", "outputs", "tables"}


def test_names_are_looked_up_when_they_are_used() -> None:
    code = (
        "import sys, spindle; spindle.Tree; "
        "print(sorted({'numpy', 'spindle.parsers', 'spindle.treebanks'} & set(sys.modules)))"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


@pytest.mark.parametrize("module", MODULES)
def test_docstring_examples(module: str) -> None:
    try:
        imported = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name not in EXTRAS:
            raise
        pytest.skip(f"needs {error.name}, which an extra installs")
    assert doctest.testmod(imported).failed == 0


def cpu_seconds(*arguments: str) -> float:
    """Return the lowest CPU time of three runs of the command."""
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "spindle", *arguments], check=True, stdout=subprocess.DEVNULL, timeout=60
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return min(times)


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("convert", "--help")])
def test_the_command_starts_quickly(arguments: tuple[str, ...]) -> None:
    assert cpu_seconds(*arguments) < 0.2
