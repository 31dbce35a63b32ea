"""What science.py trains: a setup is a treebank, a parser and the choices of its training."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from spindle.training import TrainOptions

INDUCED = "induced"
"""As head rules: those that are learned from the dependencies that a treebank has beside its trees."""


@dataclass(frozen=True)
class Setup:
    """What is trained and how; an empty value leaves a choice to the training.

    `sentences` cuts the training trees. `members` is the number of seeds of an ensemble, which are 1, 2 and
    so on. `test` names another treebank, whose development part is parsed instead. `teacher` is the setup of
    the model that teaches this one on the words of the training sentences that are cut off. `command` trains
    and parses with a program of other people.
    """

    treebank: str
    parser: str = "linear"
    order: str = ""
    encoder: str = ""
    epochs: int = 0
    encoding: str = ""
    one_shot: bool | None = None
    heads: str = ""
    mode: str = ""
    rerank: bool = False
    sentences: int = 0
    options: tuple[tuple[str, str], ...] = ()
    members: int = 0
    test: str = ""
    teacher: Setup | None = None
    command: str = ""

    @property
    def name(self) -> str:
        """The name in tables, without the treebank."""
        first = (self.command and self.parser) or " ".join(
            filter(None, (self.parser, self.order, self.encoder))
        )
        stages = {None: "", True: "one stage", False: "two stages"}[self.one_shot]
        chosen = [f"{key}={value}" for key, value in self.options]
        heads = f"heads {self.heads}" if self.heads else ""
        cut = f"{self.sentences:,} sentences" if self.sentences else ""
        more = f"ensemble of {self.members}" if self.members else ""
        extra = ("reranked" if self.rerank else "", "taught" if self.teacher else "")
        parts = (first, self.encoding, stages, heads, self.mode, *chosen, cut, more, *extra)
        return ", ".join(filter(None, parts)) + (f" → {self.test}" if self.test else "")

    def to_dict(self) -> dict[str, Any]:
        """Return what differs from an empty setup, ready for JSON."""
        default = asdict(Setup(""))
        found = {key: value for key, value in asdict(self).items() if value != default[key]}
        if self.teacher is not None:
            found["teacher"] = self.teacher.to_dict()
        return found

    def options_of_training(self, seed: int) -> TrainOptions:
        """The options of the training."""
        return TrainOptions(
            parser=self.parser,
            order=self.order or None,
            encoder=self.encoder or None,
            epochs=self.epochs or None,
            parser_options=dict(self.options),
            encoding=self.encoding or None,  # type: ignore[arg-type]
            one_shot=self.one_shot,
            heads=self.heads or None,
            mode=self.mode or None,  # type: ignore[arg-type]
            rerank=self.rerank,
            seed=seed,
            threads=1,
        )
