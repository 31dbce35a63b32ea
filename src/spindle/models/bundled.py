"""The models that come with the package, by name."""

from __future__ import annotations

from pathlib import Path

from spindle.errors import ModelError

DATA = Path(__file__).parent / "data"
DEFAULT = "english"
ENDING = ".model"


def bundled_models() -> list[str]:
    """The names of the models that are here."""
    return sorted(path.stem for path in DATA.glob(f"*{ENDING}"))


def find_model(name: str | Path | None = None) -> Path:
    """The file of a model: a path, the name of a bundled model, or None for the default one."""
    if name is not None and (Path(name).exists() or str(name) not in bundled_models()):
        return Path(name)
    path = DATA / f"{name or DEFAULT}{ENDING}"
    if not path.exists():
        raise ModelError(
            "no model comes with this installation; name one with --model (`spindle train` makes it)"
        )
    return path
