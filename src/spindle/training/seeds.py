"""Several trainings that differ in their seed only: one model for each, and the spread of their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from spindle.errors import ParserError
from spindle.evaluation.runs import Spread, spread
from spindle.pipeline import Parser
from spindle.training.listener import Listener
from spindle.training.options import TrainOptions
from spindle.training.run import train_parser
from spindle.training.treebank import Treebank

REPORTED = ("f1", "disc_f1")


@dataclass(frozen=True)
class SeedRuns:
    """The trained parsers by seed, and their scores on the development trees."""

    parsers: dict[int, Parser]

    @property
    def figures(self) -> dict[str, Spread]:
        """Mean and deviation of every score that all models have; none without development trees."""
        scores = [parser.card.scores for parser in self.parsers.values()]
        found = {name: spread([one.get(name) for one in scores]) for name in REPORTED}
        return {name: one for name, one in found.items() if one is not None}


def train_seeds(
    train: Treebank,
    dev: Treebank,
    options: TrainOptions,
    seeds: Sequence[int],
    *,
    output: Path,
    resume: bool = False,
    listener: Listener | None = None,
) -> SeedRuns:
    """Train one parser for every seed, one after the other; `seeded` names their model files."""
    if not seeds or len(set(seeds)) < len(seeds):
        raise ParserError("give at least one seed, and every seed once")
    return SeedRuns(
        {
            seed: train_parser(
                train,
                dev,
                replace(options, seed=seed),
                output=seeded(output, seed),
                resume=resume,
                listener=listener,
            )
            for seed in seeds
        }
    )


def seeded(output: Path, seed: int) -> Path:
    """Return the model file of a seed.

    >>> seeded(Path("gum.model"), 2).name, seeded(Path("gum"), 2).name
    ('gum.seed2.model', 'gum.seed2')
    """
    return output.with_name(f"{output.stem}.seed{seed}{output.suffix}")
