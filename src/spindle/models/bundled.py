"""The models that the package includes, by name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from spindle.errors import Hint, ModelError, Setting, WrongType
from spindle.models.model_file import read_manifest

DATA = Path(__file__).parent / "data"
DEFAULT = "english"
ENDING = ".model"
HUB = "hf://"
"""What the name of a model on the Hugging Face Hub starts with."""


DESCRIPTIONS = {
    "dutch": "Dutch, with crossing branches: a neural network",
    "english": "English, accurate: a neural network",
    "fast": "English, fast: a small neural network that a larger one has taught",
    "french": "French, accurate: a neural network",
    "icelandic": "Icelandic: a neural network",
    "indonesian": "Indonesian: a neural network",
    "light": "English, fastest and smallest: a linear model",
}
"""What the models are; not all of them need be there."""


@dataclass(frozen=True, repr=False)
class BundledModel:
    """A model that comes with the package; `spindle.load(name)` loads it.

    `f1` is its F1 on the development trees of its training, `licence` that of its training data.
    """

    name: str
    description: str
    path: Path
    megabytes: float
    f1: float | None
    licence: str
    is_default: bool

    def __repr__(self) -> str:
        score = "" if self.f1 is None else f", dev F1 {self.f1:.1f}"
        default = ", default" if self.is_default else ""
        return f"<{self.name}: {self.description}, {self.megabytes:.0f} MB{score}{default}>"


def list_models() -> list[BundledModel]:
    """Return the bundled models, the default one first; also callable as `spindle.models()`."""
    names = sorted(bundled_models(), key=lambda name: (name != DEFAULT, name))
    return [_described(name) for name in names]


def _described(name: str) -> BundledModel:
    path = DATA / f"{name}{ENDING}"
    card = read_manifest(path)["card"]
    f1 = card.get("scores", {}).get("f1")
    return BundledModel(
        name,
        DESCRIPTIONS.get(name, ""),
        path,
        path.stat().st_size / 1e6,
        None if f1 is None else float(f1),
        card.get("licence", ""),
        name == DEFAULT,
    )


def bundled_name(path: Path) -> str | None:
    """Return the name of the bundled model in this file; None for other files."""
    is_bundled = path.resolve().parent == DATA.resolve() and path.stem in bundled_models()
    return path.stem if is_bundled else None


def bundled_models() -> list[str]:
    """Return the names of the bundled models."""
    return sorted(path.stem for path in DATA.glob(f"*{ENDING}"))


def find_model(name: str | Path | None = None) -> Path:
    """Return the file of a model, given its path, the name of a bundled model, or None for the default.

    A model on the Hugging Face Hub, `hf://owner/name`, is downloaded unless the cache has it. A name that is
    neither a file nor a bundled model, and could not be a path, is refused.
    """
    if name is not None and not isinstance(name, str | Path):
        raise WrongType(f"a model is a path or a name, not {type(name).__name__}")
    if str(name).startswith(HUB):
        from spindle.integrations.huggingface.download import fetch

        return fetch(str(name))
    known = bundled_models()
    if name is not None and (Path(name).exists() or str(name) not in known):
        is_bare = Path(name).name == str(name) and not Path(name).suffix
        if is_bare and known and not Path(name).exists():
            names = ", ".join(known)
            hint = Hint(
                f"set {{}} to a file or to one of {names}; for another language train one with "
                "`spindle train`",
                Setting.MODEL,
            )
            raise ModelError(f"there is no model {str(name)!r}", hint=hint)
        return Path(name)
    path = DATA / f"{name or DEFAULT}{ENDING}"
    if not path.exists():
        hint = Hint("train a model with `spindle train` and set {}", Setting.MODEL)
        raise ModelError("this installation has no bundled model", hint=hint)
    return path
