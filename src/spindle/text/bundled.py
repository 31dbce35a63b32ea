"""The text models that come with the package: files beside this module, one per set of treebanks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from spindle.models import read_model
from spindle.models.model_file import read_manifest
from spindle.text.boundaries import BoundaryModel

DATA = Path(__file__).parent / "data"
KIND = "text"
"""The kind of a model file that holds nothing but a text model."""
ENDING = ".text"
PART = "text"


def model_for(treebanks: Sequence[str]) -> BoundaryModel | None:
    """Return the bundled text model that was trained on texts of these treebanks, if there is one.

    A parser may be trained on other treebanks, too, which have no raw text.
    """
    found = [path for names, path in _paths().items() if set(names) <= set(treebanks)]
    return load_text_model(found[0]) if found else None


@cache
def load_text_model(path: Path) -> BoundaryModel:
    """Read a text model from a file of its own."""
    return BoundaryModel.from_part(read_model(path, KIND).parts[PART])


@cache
def _paths() -> dict[tuple[str, ...], Path]:
    return {tuple(read_manifest(path)["card"]["treebanks"]): path for path in sorted(DATA.glob(f"*{ENDING}"))}
