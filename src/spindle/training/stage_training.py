"""Training of the stages that the backend does not replace: tagger, labeler, unaries, functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from spindle.parsers import Example
from spindle.parsers.linear import FunctionClassifier, Labeler, LabelerFeatures, Tagger, UnaryClassifier
from spindle.pipeline.stages import STAGES
from spindle.reduction import Reduced
from spindle.training.checkpoint import Checkpoint, tokens_from_part, tokens_to_part
from spindle.training.listener import TrainingLog
from spindle.training.options import FunctionPolicy, TagSource, TrainOptions
from spindle.trees import Token, Tree

FOLDS = 10
"""The number of folds of jackknifing."""

Tokens = Sequence[tuple[Token, ...]]


@dataclass(frozen=True)
class StageTrainer:
    """Trains one stage after the other; a stage that the checkpoint has is not trained again."""

    options: TrainOptions
    checkpoint: Checkpoint
    log: TrainingLog

    def tagger(self, gold: Tokens, source: TagSource | None) -> tuple[Tagger | None, Tokens]:
        """The tagger, if one is needed, and the sentences with the tags that later stages learn from.

        `source` is None if tags are not predicted by a stage.
        """
        if source is None or source is TagSource.GOLD:
            return None, gold
        tagger: Tagger = self._stage("tagger", gold)
        if "tags" not in self.checkpoint.parts:
            if source is TagSource.PREDICTED:
                tagged = tagger.tag(gold, self.options.threads)
            else:
                self.log.stage("jackknifing")
                tagged = STAGES["tagger"].jackknife(gold, folds=FOLDS, **self._common())
            self.checkpoint.keep("tags", tokens_to_part(tagged))
        return tagger, tokens_from_part(self.checkpoint.parts["tags"], gold)

    def labeler(self, examples: Sequence[Example]) -> Labeler:
        """The labeler, trained on gold arcs."""
        columns = ([one.tokens for one in examples], [one.heads for one in examples])
        kind = STAGES["labeler"].with_features(self.options.labeler_features or LabelerFeatures.OWN)
        labeler: Labeler = self._stage("labeler", *columns, [one.labels for one in examples], kind=kind)
        return labeler

    def unaries(self, trees: Sequence[Reduced]) -> UnaryClassifier | None:
        """The unary classifier; None if the treebank has no chains or the options exclude them."""
        if not self.options.unaries or not any(tree.chains for tree in trees):
            return None
        dtrees, chains = [tree.dtree for tree in trees], [tree.chains for tree in trees]
        unaries: UnaryClassifier = self._stage("unaries", dtrees, chains)
        return unaries

    def functions(
        self, trees: Sequence[Tree], tokens: Sequence[Sequence[Token]]
    ) -> FunctionClassifier | None:
        """The function classifier; None if functions are stripped or the treebank has none."""
        if self.options.functions is FunctionPolicy.STRIP:
            if stripped := sum(map(bool, chain.from_iterable(tree.functions for tree in trees))):
                self.log.say(
                    f"functions were stripped from {stripped:,} nodes; functions=predict learns them, too"
                )
            return None
        if not any(any(tree.functions) for tree in trees):
            self.log.say("the treebank has no functions to predict")
            return None
        seen = [
            tree.replace(tokens=tuple(map(_with_function, words, tree.tokens)))
            for tree, words in zip(trees, tokens, strict=True)
        ]
        functions: FunctionClassifier = self._stage("functions", seen)
        return functions

    def _stage(self, name: str, *data: Any, kind: type[Labeler] | None = None) -> Any:
        self.log.stage(name)
        stage = kind or STAGES[name]
        bits = stage.TABLE_BITS - self.options.shrink
        return self.checkpoint.stage(
            name, stage.from_part, lambda: stage.train(*data, bits=bits, **self._common())
        )

    def _common(self) -> dict[str, Any]:
        return {
            "seed": self.options.seed,
            "threads": self.options.threads,
            "progress": self.log.progress,
        }


def _with_function(token: Token, gold: Token) -> Token:
    return token._replace(function=gold.function)
