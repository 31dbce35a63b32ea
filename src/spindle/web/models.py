"""The models that a server offers. A request names one of them; it never opens a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from spindle.errors import ModelError
from spindle.models import list_models
from spindle.models.bundled import DESCRIPTIONS
from spindle.parsers import name_of
from spindle.pipeline import Parser, ParsingFace, load
from spindle.web.batching import Batcher
from spindle.web.reading import Refusal, shown


@dataclass(frozen=True)
class ServedModel:
    """A parser under its name."""

    name: str
    parser: ParsingFace
    batcher: Batcher

    def to_dict(self) -> dict[str, Any]:
        """Return what clients need to know of the model."""
        parser, card = self.parser, self.parser.card if isinstance(self.parser, Parser) else None
        f1 = card.scores.get("f1") if card else None
        return {
            "name": self.name,
            "description": DESCRIPTIONS.get(self.name, ""),
            "parser": name_of(type(parser.backend)) if isinstance(parser, Parser) else "ensemble",
            "mode": str(parser.settings.mode),
            "encoding": str(parser.settings.encoding),
            "head_rules": parser.settings.head_rules.name,
            "k_best": parser.gives_k_best,
            "scores": parser.gives_confidences,
            "f1": None if f1 is None else float(f1),
            "licence": card.licence if card else "",
        }


class ServedModels:
    """The models by name, in the order in which they were given; the first is the default."""

    def __init__(self, parsers: Mapping[str, ParsingFace], threads: int | None = None) -> None:
        if not parsers:
            raise ModelError("a server needs a model")
        self.threads = threads
        """The number of threads that was asked for; None for all cores."""
        self._by_name = {
            name: ServedModel(name, parser, Batcher(parser, name, threads))
            for name, parser in parsers.items()
        }

    @classmethod
    def load(cls, names: Iterable[str] = (), threads: int | None = None) -> Self:
        """Load models by path, or bundled models by name; without names, all bundled ones."""
        wanted = list(dict.fromkeys(names)) or [model.name for model in list_models()]
        if not wanted:
            load()  # raises the error that says what to do
        parsers: dict[str, ParsingFace] = {}
        for given in wanted:
            name = given if given in DESCRIPTIONS else Path(given).stem
            if name in parsers:
                raise ModelError(f"two models have the name {name}", hint="rename one of the files")
            parsers[name] = load(given)
        return cls(parsers, threads)

    def add(self, name: str, parser: ParsingFace) -> None:
        """Serve a model from now on; one with the same name is replaced, and finishes what it has begun."""
        before = self._by_name.get(name)
        self._by_name = {
            **self._by_name,
            name: ServedModel(name, parser, Batcher(parser, name, self.threads)),
        }
        if before is not None:
            before.batcher.close()

    def check_new(self, name: str, replaceable: Iterable[str]) -> None:
        """Raise a `ModelError` for the name of a model that must stay as it is."""
        if name in DESCRIPTIONS or (name in self._by_name and name not in replaceable):
            raise ModelError(f"the server has a model {shown(name)} already", hint="choose another name")

    def __iter__(self) -> Any:
        return iter(list(self._by_name.values()))

    def __getitem__(self, name: str | None) -> ServedModel:
        """Return the model of a request; without a name, the default one."""
        if name is None:
            return next(iter(self._by_name.values()))
        if name not in self._by_name:
            known = ", ".join(self._by_name)
            raise Refusal(404, f"this server has no model {shown(name)}; it has {known}")
        return self._by_name[name]

    def close(self) -> None:
        """Finish the sentences that wait, and stop."""
        for model in self._by_name.values():
            model.batcher.close()
