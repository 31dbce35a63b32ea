"""Training of the reranker, on trees of parsers that were not trained on their sentences (jackknifing)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from spindle.evaluation.corpus import make_settings
from spindle.evaluation.pairing import Pair
from spindle.evaluation.scheme_choice import choose_scheme
from spindle.evaluation.scorer import Scorer
from spindle.models import ModelPart
from spindle.parsers import Backend, Example, FitSettings
from spindle.parsers.linear import Reranker
from spindle.parsers.linear.reranker import CANDIDATES, RankedList
from spindle.parsers.linear.tagger import folds_of
from spindle.pipeline import Parser, Sentence
from spindle.pipeline.face import MAX_LENGTH
from spindle.pipeline.stages import Stages
from spindle.reduction import Reduced, decode
from spindle.training.checkpoint import Checkpoint
from spindle.training.listener import TrainingLog
from spindle.training.options import TrainOptions
from spindle.training.stage_training import StageTrainer
from spindle.trees import Tree

FOLDS = 5
"""The number of parsers that give the trees to learn from, each trained without one fold."""


class FoldMonitor:
    """The `Monitor` of the parser of one fold, which has no development trees."""

    stalled = 0

    def __init__(self, log: TrainingLog, fold: int) -> None:
        self._log, self._fold = log, fold

    def progress(self, done: int, of: int, loss: float) -> None:
        """Report progress, over all folds."""
        self._log.progress(self._fold * of + done, FOLDS * of, loss)

    def say(self, text: str) -> None:
        """Leave out what the training of the whole parser has said."""

    def note(self, text: str) -> None:
        """Write a message to the log only."""
        self._log.note(text)

    def epoch(self, number: int, loss: float, state: Callable[[], ModelPart] | None = None) -> None:
        """Score nothing: the last epoch is the one that is used."""
        del number, loss, state


@dataclass(frozen=True)
class RerankerTraining:
    """Trains a reranker for a parser, from the examples that the parser was trained on.

    `reduced` are their trees, over tokens with the tags that the parser learns from.
    """

    parser: Parser
    examples: Sequence[Example]
    reduced: Sequence[Reduced]
    options: TrainOptions
    fit_settings: FitSettings
    checkpoint: Checkpoint
    log: TrainingLog

    def run(self) -> Reranker:
        """Train a parser for every fold, parse the fold, and train on all trees."""
        self.log.stage("reranker")
        return self.checkpoint.stage(
            "reranker",
            Reranker.from_part,
            lambda: Reranker.train(
                self._lists(), seed=self.options.seed, bits=Reranker.TABLE_BITS - self.options.shrink
            ),
        )

    def _lists(self) -> Iterator[RankedList]:
        gold = [self._restored(decode(tree)) for tree in self.reduced]
        (scheme, _), _ = choose_scheme(gold)
        fold_of = folds_of(len(gold), FOLDS)
        for fold in range(FOLDS):
            own = [at for at, its in enumerate(fold_of) if its == fold and len(gold[at]) <= MAX_LENGTH]
            others = [at for at, its in enumerate(fold_of) if its != fold]
            if not own or not others:
                continue
            parser = self._fold_parser(fold, others)
            lists = parser.candidate_trees(
                [self._sentence(at) for at in own], CANDIDATES, self.options.threads
            )
            scorer = Scorer(make_settings(scheme))
            for at, candidates in zip(own, lists, strict=True):
                trees = [tree for tree, _ in candidates]
                qualities = [self._quality(scorer, gold[at], tree) for tree in trees]
                yield RankedList(trees, [score for _, score in candidates], qualities)

    def _fold_parser(self, fold: int, numbers: Sequence[int]) -> Parser:
        examples = [self.examples[at] for at in numbers]
        self.log.stage(f"reranker, fold {fold + 1} of {FOLDS}")
        checkpoint = self.checkpoint.within(f"fold{fold}-")
        trainer = StageTrainer(self.options, checkpoint, self.log)
        whole = self.parser.stages
        stages = Stages(
            labeler=whole.labeler and trainer.labeler(examples),
            unaries=whole.unaries and trainer.unaries([self.reduced[at] for at in numbers]),
        )

        def fit() -> Backend:
            backend = self.options.backend()
            backend.fit(examples, [], self.fit_settings, FoldMonitor(self.log, fold))
            return backend

        self.log.stage("parser")
        backend = checkpoint.stage("parser", self.options.backend.from_part, fit)
        return Parser(backend, self.parser.settings, stages)

    def _sentence(self, number: int) -> Sentence:
        sentence = Sentence(self.examples[number].tokens)
        return sentence.without_tags() if "tags" in self.parser.settings.predicted else sentence

    def _restored(self, tree: Tree) -> Tree:
        return self.parser.settings.conventions.restore(tree)

    def _quality(self, scorer: Scorer, gold: Tree, tree: Tree) -> float:
        """The F1 of a tree as it would be written."""
        counts = scorer.score(Pair(1, gold, self._restored(tree)))
        return 2 * counts.matched / max(counts.gold + counts.pred, 1)


def with_reranker(parser: Parser, reranker: Reranker) -> Parser:
    """Return the parser with a reranker."""
    return replace(parser, stages=replace(parser.stages, reranker=reranker))
