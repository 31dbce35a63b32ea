"""The models that the package includes, by name."""

from __future__ import annotations

from pathlib import Path

from spindle.errors import Hint, ModelError, Setting

DATA = Path(__file__).parent / "data"
DEFAULT = "english"
ENDING = ".model"


def bundled_models() -> list[str]:
    """Return the names of the bundled models."""
    return sorted(path.stem for path in DATA.glob(f"*{ENDING}"))


def find_model(name: str | Path | None = None) -> Path:
    """Return the file of a model, given its path, the name of a bundled model, or None for the default."""
    if name is not None and (Path(name).exists() or str(name) not in bundled_models()):
        return Path(name)
    path = DATA / f"{name or DEFAULT}{ENDING}"
    if not path.exists():
        hint = Hint("train a model with `spindle train` and set {}", Setting.MODEL)
        raise ModelError("this installation has no bundled model", hint=hint)
    return path
