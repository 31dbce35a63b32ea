"""The public names of the package, the examples in all docstrings, and the start-up time."""

import doctest
import importlib
import pkgutil
import resource
import subprocess
import sys

import pytest

import spindle

MODULES = ["spindle", *(found.name for found in pkgutil.walk_packages(spindle.__path__, "spindle."))]

# packages that only some backends need
EXTRAS = {"torch", "onnx", "transformers", "spacy", "ufal"}


def test_every_public_name_can_be_imported() -> None:
    assert spindle.__all__ == sorted(spindle.__all__)
    assert set(spindle._HOME) == set(spindle.__all__)
    for name in spindle.__all__:
        assert getattr(spindle, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = spindle.nothing


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
