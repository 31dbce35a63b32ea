"""Choosing head rules by trial, as the paper did: whichever makes the best parser."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spindle.errors import ParserError
from spindle.heads import guess_rules
from spindle.training.checkpoint import Checkpoint
from spindle.training.listener import NullListener, TrainingLog
from spindle.training.options import TrainOptions
from spindle.training.treebank import PreparedTreebank

if TYPE_CHECKING:
    from spindle.training.run import Treebank

SENTENCES, DEV_SENTENCES, EPOCHS = 2000, 500, 3
"""The size of the quick models that are compared."""


def try_heads(
    train: Treebank, dev: Treebank, material: PreparedTreebank, options: TrainOptions, log: TrainingLog
) -> str:
    """The rules with the best F1 among those that fit the labels, leftmost and rightmost."""
    if not dev.trees:
        raise ParserError("--heads try compares rules on development trees; give some with --dev")
    log.stage("trying head rules")
    guess = guess_rules(material.trees[:SENTENCES])
    quick = quick_options(options)
    scores: dict[str, float] = {}
    for name in dict.fromkeys((guess.name, "leftmost", "rightmost")):
        scores[name] = _score(name, train, dev, quick)
        log.say(f"head rules {name}: F1 {scores[name]:.2f} with a quick model")
    best = max(scores, key=lambda name: scores[name])
    log.say(f"head rules: {best} (the best of {len(scores)} that were tried)")
    return best


def quick_options(options: TrainOptions) -> TrainOptions:
    """The same options for a model that is trained in a fraction of the time."""
    known = options.backend.options
    is_tagger = "tags" in options.backend.predicts
    return replace(
        options,
        order="basic" if "basic" in known.get("order", ()) else options.order,
        epochs=EPOCHS if "epochs" in known else None,
        tags=options.tags if is_tagger else "gold",
        functions="strip",
    )


def _score(heads: str, train: Treebank, dev: Treebank, options: TrainOptions) -> float:
    from spindle.training.run import Training, Treebank

    quick = Training(
        Treebank(train.trees[:SENTENCES]),
        Treebank(dev.trees[:DEV_SENTENCES]),
        replace(options, heads=heads),
        Checkpoint(None, ""),
        TrainingLog(NullListener(), None),
    )
    return float(quick.run().card.scores.get("f1", 0.0))
