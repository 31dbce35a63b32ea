"""The stages around the dependency parser, and the steps of the parse loop.

A stage is trained for every step that the backend does not take itself. `Stages` holds the stages of a model.
`resolve_steps` assigns each step to a stage or to the backend, once, when a `Parser` is built, so that the
parse loop is straight-line code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple, Protocol, Self

from spindle.errors import ParserError
from spindle.models import ModelPart
from spindle.parsers import Backend, Prediction, name_of
from spindle.parsers.linear import FunctionClassifier, Labeler, Reranker, Tagger, UnaryClassifier
from spindle.pipeline.sentence import Sentence
from spindle.pipeline.settings import PipelineSettings
from spindle.reduction import Reduced, decode
from spindle.trees import DTree, Token, Tree

STAGES: dict[str, Any] = {
    "tagger": Tagger,
    "labeler": Labeler,
    "unaries": UnaryClassifier,
    "functions": FunctionClassifier,
    "reranker": Reranker,
}
"""The class of every stage, by its name in model files."""


@dataclass(frozen=True)
class Stages:
    """The trained stages of a model; None for a step that the backend takes, or that is skipped."""

    tagger: Tagger | None = None
    labeler: Labeler | None = None
    unaries: UnaryClassifier | None = None
    functions: FunctionClassifier | None = None
    reranker: Reranker | None = None

    def to_parts(self) -> dict[str, ModelPart]:
        """The parts of the trained stages, by name."""
        stages = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: stage.to_part() for name, stage in stages.items() if stage is not None}

    def without_reranker(self) -> Stages:
        """The other stages."""
        return replace(self, reranker=None)

    @classmethod
    def from_parts(cls, parts: Mapping[str, ModelPart]) -> Self:
        """The stages of a model file; the inverse of `to_parts`."""
        return cls(**{name: STAGES[name].from_part(parts[name]) for name in STAGES if name in parts})


Tokens = Sequence[Sequence[Token]]


class TagStep(Protocol):
    """Tags the words of sentences."""

    def tag(self, sentences: Sequence[Sentence], threads: int) -> Tokens:
        """Return the tokens of every sentence, with the tags that the parser reads."""


class LabelStep(Protocol):
    """Labels the arcs of predictions."""

    def label(
        self, tokens: Tokens, predictions: Sequence[Prediction], threads: int
    ) -> Sequence[Sequence[str]]:
        """Return an encoded label for every token."""

    def probabilities(
        self, tokens: Tokens, predictions: Sequence[Prediction], threads: int
    ) -> Sequence[Sequence[float]]:
        """Return the probability of every label, given its arc."""


class DecodeStep(Protocol):
    """Turns d-trees into constituent trees, unary nodes included."""

    def decode(
        self, dtrees: Sequence[DTree], predictions: Sequence[Prediction], threads: int
    ) -> Sequence[Tree]:
        """Return the tree of every d-tree."""


class FunctionStep(Protocol):
    """Adds functions (edge labels) to trees."""

    def label(self, trees: Sequence[Tree], threads: int) -> Sequence[Tree]:
        """Return the trees with a function on every edge that should have one."""


class Steps(NamedTuple):
    """The object that takes each step, in the order of the steps."""

    tags: TagStep
    labels: LabelStep
    trees: DecodeStep
    functions: FunctionStep


def resolve_steps(backend: Backend, stages: Stages, settings: PipelineSettings) -> Steps:
    """Choose a stage or the backend for each step."""
    return Steps(
        _tag_step(stages.tagger, settings.needs_tags),
        BackendLabels(backend) if stages.labeler is None else StageLabels(stages.labeler),
        BackendChains(backend) if stages.unaries is None else StageChains(stages.unaries),
        NoFunctions() if stages.functions is None else stages.functions,
    )


def _tag_step(tagger: Tagger | None, needs_tags: bool) -> TagStep:
    if tagger is not None:
        return PredictedTags(tagger)
    return RequiredTags() if needs_tags else GivenTokens()


# ── tags ─────────────────────────────────────────────────────────────────────────────────────────────


class GivenTokens:
    """The tokens as they are: the backend tags them, or tags are not used."""

    def tag(self, sentences: Sequence[Sentence], threads: int) -> Tokens:
        """Return the tokens unchanged."""
        del threads
        return [sentence.tokens for sentence in sentences]


class RequiredTags(GivenTokens):
    """The tokens as they are, for a model that needs tags and cannot predict them."""

    def tag(self, sentences: Sequence[Sentence], threads: int) -> Tokens:
        """Return the tokens unchanged; a `ParserError` if a sentence has no tags."""
        if not all(sentence.is_tagged for sentence in sentences):
            raise ParserError(
                "the model was trained with gold tags and has no tagger; give it tagged sentences"
            )
        return super().tag(sentences, threads)


class PredictedTags:
    """Tags from a tagger, for sentences that have none."""

    def __init__(self, tagger: Tagger) -> None:
        self._tagger = tagger

    def tag(self, sentences: Sequence[Sentence], threads: int) -> Tokens:
        """Return the tokens; where a word has no tag, the whole sentence is tagged."""
        tokens: list[Sequence[Token]] = [sentence.tokens for sentence in sentences]
        untagged = [at for at, sentence in enumerate(sentences) if not sentence.is_tagged]
        bare = [sentences[at].without_tags().tokens for at in untagged]
        if bare:
            for at, tagged in zip(untagged, self._tagger.tag(bare, threads), strict=True):
                tokens[at] = tagged
        return tokens


def tag(step: TagStep, sentences: Sequence[Sentence], threads: int) -> Tokens:
    """Return the tokens of every sentence; fixed tags are used as gold tags."""
    given = [_with_fixed_tags(sentence) for sentence in sentences]
    tagged = step.tag(given, threads)
    return [
        sentence.constraints.tagged(tokens) if sentence.constraints else tokens
        for sentence, tokens in zip(sentences, tagged, strict=True)
    ]


def _with_fixed_tags(sentence: Sentence) -> Sentence:
    """Return the sentence with its fixed tags, if then all of its words have one."""
    if not sentence.constraints or not sentence.constraints.tags:
        return sentence
    tagged = replace(sentence, tokens=sentence.constraints.tagged(sentence.tokens))
    return tagged if tagged.is_tagged else sentence


# ── labels ───────────────────────────────────────────────────────────────────────────────────────────


class BackendLabels:
    """The labels that the backend predicts with its arcs."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def label(self, tokens: Tokens, predictions: Sequence[Prediction], threads: int) -> list[Sequence[str]]:
        """Return the predicted labels; a `ParserError` if there are none."""
        del tokens, threads
        labels = [prediction.labels for prediction in predictions if prediction.labels is not None]
        if len(labels) < len(predictions):
            name = name_of(type(self._backend))
            raise ParserError(f"{name} declares that it predicts labels, but a prediction has none")
        return labels

    def probabilities(
        self, tokens: Tokens, predictions: Sequence[Prediction], threads: int
    ) -> Sequence[Sequence[float]]:
        """Return the probabilities that the backend gives."""
        del tokens
        return self._backend.label_probabilities(predictions, threads)


class StageLabels:
    """The labels of a separate labeler, as in section 4.2 of the paper."""

    def __init__(self, labeler: Labeler) -> None:
        self._labeler = labeler

    def label(
        self, tokens: Tokens, predictions: Sequence[Prediction], threads: int
    ) -> Sequence[Sequence[str]]:
        """Return the labels of the predicted arcs."""
        return self._labeler.label(tokens, [prediction.heads for prediction in predictions], threads)

    def probabilities(
        self, tokens: Tokens, predictions: Sequence[Prediction], threads: int
    ) -> Sequence[Sequence[float]]:
        """Return the probabilities of these labels."""
        heads = [prediction.heads for prediction in predictions]
        return self._labeler.label_with_confidences(tokens, heads, threads)[1]


# ── unary nodes ──────────────────────────────────────────────────────────────────────────────────────


class BackendChains:
    """Trees with the unary chains that the backend predicts, if it predicts any."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def decode(self, dtrees: Sequence[DTree], predictions: Sequence[Prediction], threads: int) -> list[Tree]:
        """Return the tree of every d-tree."""
        chains = self._backend.predict_chains(predictions, dtrees, threads)
        return [decode(Reduced(dtree, found)) for dtree, found in zip(dtrees, chains, strict=True)]


class StageChains:
    """Trees with the unary chains of a separate classifier, as in section 4.4 of the paper."""

    def __init__(self, unaries: UnaryClassifier) -> None:
        self._unaries = unaries

    def decode(self, dtrees: Sequence[DTree], predictions: Sequence[Prediction], threads: int) -> list[Tree]:
        """Return the tree of every d-tree."""
        del predictions
        return self._unaries.decode(dtrees, threads)


# ── functions ────────────────────────────────────────────────────────────────────────────────────────


class NoFunctions:
    """Trees without functions."""

    def label(self, trees: Sequence[Tree], threads: int) -> Sequence[Tree]:
        """Return the trees unchanged."""
        del threads
        return trees
