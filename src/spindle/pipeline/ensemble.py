"""Several parsers that parse as one: every sentence gets the tree that their votes choose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias, overload

from spindle.errors import ConstraintError, ParserError
from spindle.heads import HeadFinder
from spindle.parsers import Backend
from spindle.pipeline.analysis import Analysis, Candidate, KBest
from spindle.pipeline.constraints import Constraints
from spindle.pipeline.face import MAX_LENGTH, ParsingFace, check_request, constrain, in_batches
from spindle.pipeline.parser import Parser
from spindle.pipeline.parser import load as load_one
from spindle.pipeline.sentence import Input, Sentence
from spindle.pipeline.settings import PipelineSettings
from spindle.pipeline.voting import Vote, elect
from spindle.reduction import Mode, encode
from spindle.text import BoundaryModel
from spindle.treebanks.transforms import collapse_wrapper

# Measured: see `benchmarks/results/ensembles.md`.
LEAST = 0.25
"""The strength of a vote for a constituent with confidence 0: a parser has built it all the same."""
UNKNOWN = 0.8
"""The strength of the votes of a parser without confidences."""


@dataclass(frozen=True, repr=False)
class Ensemble(ParsingFace):
    """Parsers of one annotation scheme that vote on every tree; it has the methods of a `Parser`.

    The parsers may differ in backend, encoding, head rules and seed. A parser that gives confidences has a
    stronger vote for constituents that it is sure of. Text is split as the first parser does; its head rules
    and its wrapper are those of the chosen trees.
    """

    parsers: tuple[Parser, ...]

    def __post_init__(self) -> None:
        if not self.parsers:
            raise ParserError("an ensemble needs at least one parser")
        first = self.parsers[0].settings.conventions
        for parser in self.parsers[1:]:
            other = parser.settings.conventions
            if replace(other, wrapper=first.wrapper) != first:
                raise ParserError(
                    f"{parser!r} writes punctuation or functions in another way than {self.parsers[0]!r}; "
                    "the parsers of an ensemble must be trained on one annotation scheme"
                )

    def __repr__(self) -> str:
        return f"<Ensemble of {len(self.parsers)} parsers, {self.settings.mode} trees>"

    @property
    def settings(self) -> PipelineSettings:  # type: ignore[override]
        """The settings of the first parser; discontinuous if a parser is."""
        first = self.parsers[0].settings
        modes = {parser.settings.mode for parser in self.parsers}
        return replace(first, mode=Mode.DISCONTINUOUS) if Mode.DISCONTINUOUS in modes else first

    @property
    def text_model(self) -> BoundaryModel | None:  # type: ignore[override]
        """The text model of the first parser."""
        return self.parsers[0].text_model

    @property
    def predicts_tags(self) -> bool:
        """Whether words that have no tags are tagged."""
        return all(parser.predicts_tags for parser in self.parsers)

    @property
    def gives_k_best(self) -> bool:
        """Whether it can give several analyses: an ensemble gives one."""
        return False

    @property
    def k_best_is_exact(self) -> bool:
        """Whether no tree outside a k-best list scores more than those in it."""
        return False

    @property
    def gives_confidences(self) -> bool:
        """Whether it can give the confidence of every constituent: the mean of the votes for it."""
        return len(self.parsers) > 1 or self.parsers[0].gives_confidences

    def analyse(
        self,
        sentences: Iterable[Input],
        *,
        threads: int | None = None,
        longest: int = MAX_LENGTH,
        k: int = 1,
        confidences: bool = False,
        batch: int | None = None,
        is_ready: Callable[[], bool] = lambda: True,
        constraints: Iterable[Constraints | None] | None = None,
    ) -> Iterator[Analysis]:
        """As `parse_many`, but yield analyses; `k` must be 1. `is_ready` is that of `Parser.analyse`.

        Several parsers do not take constraints: their votes could break them.
        """
        check_request(self, sentences, threads=threads, longest=longest, k=k, batch=batch)
        if constraints is not None:
            sentences = constrain(sentences, constraints, self.splitter)
        return self._analyses(sentences, threads, longest, confidences, batch, is_ready)

    def _analyses(
        self,
        sentences: Iterable[Input],
        threads: int | None,
        longest: int,
        confidences: bool,
        batch: int | None,
        is_ready: Callable[[], bool],
    ) -> Iterator[Analysis]:
        finder = HeadFinder(self.settings.head_rules)
        splitter = self.splitter
        inputs = (Sentence.of(given, splitter) for given in sentences)
        size = batch or max(parser.backend.batch for parser in self.parsers) * (threads or 1)
        for given in in_batches(inputs, size, is_ready):
            if len(self.parsers) > 1 and any(sentence.constraints for sentence in given):
                raise ConstraintError(
                    "an ensemble cannot honour constraints", hint="parse with one of its parsers"
                )
            found = [
                list(
                    parser.analyse(
                        given,
                        threads=threads,
                        longest=longest,
                        confidences=parser.gives_confidences if len(self.parsers) > 1 else confidences,
                        batch=batch,
                    )
                )
                for parser in self.parsers
            ]
            for analyses in zip(*found, strict=True):
                yield self._elected(analyses, finder, confidences)

    def _elected(self, analyses: Sequence[Analysis], finder: HeadFinder, confidences: bool) -> Analysis:
        first = analyses[0]
        if not first.candidates or len(analyses) == 1:
            return first
        votes = [_vote(analysis.candidates[0]) for analysis in analyses]
        tree, probabilities = elect(votes)
        original = first.candidates[0].tree
        tree = tree.replace(id=original.id, comments=original.comments)
        wrapped = finder(self.settings.conventions.wrapped(tree))
        if original.text is not None:
            wrapped = wrapped.with_text(original.text, original.offsets)
        # a wrapper that was added is certain
        probabilities = (1.0,) * (len(wrapped.labels) - len(probabilities)) + probabilities
        shown = probabilities if confidences else None
        repairs = first.candidates[0].repairs
        candidate = Candidate(wrapped, encode(wrapped).dtree, shown, repairs=repairs)
        return Analysis(first.sentence, KBest([candidate]), max(one.pieces for one in analyses))


def _vote(candidate: Candidate) -> Vote:
    """Return the vote of a parser for its tree, without the wrapper."""
    tree = collapse_wrapper(candidate.tree)
    added = len(candidate.tree.labels) - len(tree.labels)
    confidences = candidate.confidences
    if confidences is None:
        return Vote(tree, [UNKNOWN] * len(tree.labels))
    return Vote(tree, [LEAST + (1 - LEAST) * confidence for confidence in confidences[added:]])


Models: TypeAlias = list[str] | list[Path] | tuple[str | Path, ...]
"""The models of an ensemble."""


@overload
def load(
    path: str | Path | None = None, parser: type[Backend] | None = None, *, mapped: bool = ...
) -> Parser: ...
@overload
def load(path: Models, parser: type[Backend] | None = None, *, mapped: bool = ...) -> Ensemble: ...
def load(
    path: str | Path | Models | None = None, parser: type[Backend] | None = None, *, mapped: bool = False
) -> Parser | Ensemble:
    """Read a model file, or a bundled model by its name; without a name, the default one.

    `hf://owner/name` is a model on the Hugging Face Hub, `hf://owner/name@revision` a revision of it. A list
    of models gives an `Ensemble`. `parser` is the class of a backend that is neither built in nor
    installed as a plug-in. With `mapped` the weights stay in the file, for processes that share them; it
    must not be written to meanwhile.
    """
    if isinstance(path, list | tuple):
        return Ensemble(tuple([load_one(one, parser, mapped=mapped) for one in path]))
    return load_one(path, parser, mapped=mapped)
