"""Choosing head rules by experiment, as the paper did: the rules that make the best parser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from spindle.training.listener import TrainingLog
from spindle.training.options import FunctionPolicy, TagSource, TrainOptions

SENTENCES, DEV_SENTENCES, EPOCHS = 2000, 500, 3
"""The size of the small models that are compared."""


def try_heads(guess: str, score: Callable[[str], float], log: TrainingLog) -> str:
    """The name of the rules with the best score among the guessed ones, leftmost-word and rightmost-word.

    `score` trains a small model with the rules of a name and returns its F1.
    """
    log.stage("trying head rules")
    scores: dict[str, float] = {}
    for name in dict.fromkeys((guess, "leftmost-word", "rightmost-word")):
        scores[name] = score(name)
        log.say(f"head rules {name}: F1 {scores[name]:.2f} with a small model")
    best = max(scores, key=lambda name: scores[name])
    log.say(f"head rules: {best} (the best of {len(scores)} that were tried)")
    return best


def small_model(options: TrainOptions, heads: str) -> TrainOptions:
    """The options of a model that trains in a fraction of the time."""
    backend = options.backend
    choices = {option.name: option.choices for option in backend.Options.describe()}
    return replace(
        options,
        heads=heads,
        order="basic" if "basic" in choices.get("order", ()) else options.order,
        epochs=EPOCHS if "epochs" in choices else None,
        tags=options.tags if "tags" in backend.predicts else TagSource.GOLD,
        functions=FunctionPolicy.STRIP,
    )
