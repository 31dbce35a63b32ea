"""spaCy's parser, from PyPI: transition-based and neural, with pseudo-projective labels for crossing arcs."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy

from spindle.errors import ModelError, ParserError
from spindle.models import ModelPart
from spindle.models.schema import flag, record, table, text, whole
from spindle.parsers.backend import Backend, Example, FitSettings, Monitor, Prediction
from spindle.parsers.external.exchange import safe_text, shown_labels, unescape_label
from spindle.parsers.options import BackendOptions, option
from spindle.parsers.packages import installed
from spindle.reduction import Encoding
from spindle.reduction.labels import ROOT_LABEL
from spindle.trees import DTree, Token

PACKAGE = "spacy"
MOST_WIDTH, MOST_DEPTH = 1024, 16
ROOT = "ROOT"
"""The only label that spaCy gives to roots."""
LEAST_WORDS, MOST_WORDS, GROWTH = 100, 1000, 1.001
"""The words in the first batch, the largest number of words in a batch, and the factor by which batches grow
from update to update: the values of spaCy's own configurations."""


@dataclass(frozen=True)
class SpacyOptions(BackendOptions):
    """The options of spaCy's parser."""

    epochs: int = option(10, "passes over the training data", at_least=1)
    width: int = option(96, "width of the word vectors", at_least=1, at_most=MOST_WIDTH)
    depth: int = option(4, "convolution layers", at_least=1, at_most=MOST_DEPTH)
    dropout: float = option(0.1, "share of the inputs set to zero", at_least=0, below=1)


class SpacyParser(Backend):
    """spaCy's parser component on its small network over hashed words, affixes, shapes and tags.

    The weights are stored as plain arrays; no file in spaCy's own formats is read.
    """

    name = "spacy"
    predicts = frozenset({"labels"})
    one_shot = True
    Options = SpacyOptions
    SETTINGS = staticmethod(
        record(
            {
                # of the configuration that spaCy builds a pipeline from, a model chooses these two numbers
                "width": whole(1, MOST_WIDTH),
                "depth": whole(1, MOST_DEPTH),
                "one_shot": flag(),
                "moves": table(table(whole(0), text(1_000)), text(3), at_most=100),
            }
        )
    )
    needs = "the package spacy: pip install 'spindle-parser[spacy]'"

    def __init__(self) -> None:
        self._settings: dict[str, Any] = {}
        self._nlp: Any = None

    @classmethod
    def version(cls) -> str | None:
        """Return the version of the package."""
        return installed(PACKAGE)

    @classmethod
    def will_predict(cls, settings: FitSettings) -> frozenset[str]:
        """Return labels in one-shot training; a `ParserError` if the encoding needs labels of roots."""
        if settings.one_shot and settings.encoding is Encoding.HN:
            raise ParserError(f"spacy labels every root {ROOT}: with the encoding hn, train it in two stages")
        return super().will_predict(settings)

    def fit(
        self,
        train: Sequence[Example],
        dev: Sequence[Example],
        settings: FitSettings,
        monitor: Monitor,
        state: ModelPart | None = None,
    ) -> None:
        """Train; the pipeline keeps the best epoch."""
        del dev, state  # the pipeline scores development trees; spaCy's training cannot be resumed
        self.check(settings.options)
        from spacy.util import fix_random_seed

        fix_random_seed(settings.seed)
        self._settings = {
            "width": settings.options.width,
            "depth": settings.options.depth,
            "one_shot": settings.one_shot,
        }
        self._nlp = _blank(self._settings)
        examples = [
            _example(self._nlp, one, labelled=settings.one_shot) for one in train if len(one.tokens) > 1
        ]
        optimizer = self._nlp.initialize(lambda: examples)
        self._settings["moves"] = {str(kind): names for kind, names in self._parser.moves.labels.items()}
        order = random.Random(settings.seed)
        updates = 0
        for epoch in range(1, settings.options.epochs + 1):
            order.shuffle(examples)
            done, loss = 0, 0.0
            for batch in _batches(examples, updates):
                losses = self._nlp.update(batch, drop=settings.options.dropout, sgd=optimizer)
                done, loss, updates = done + len(batch), loss + losses["parser"], updates + 1
                monitor.progress(done, len(examples), loss / done)
            monitor.epoch(epoch, loss / max(len(examples), 1))

    def parse(self, sentences: Sequence[Sequence[Token]], threads: int) -> list[Prediction]:
        """Return spaCy's heads and labels of every sentence."""
        del threads  # spaCy has no option for it
        asked = [_doc(self._nlp, tokens) for tokens in sentences if tokens]
        found = self._parser.pipe(asked)
        return [self._prediction(next(found)) if tokens else Prediction([]) for tokens in sentences]

    def _prediction(self, doc: Any) -> Prediction:
        heads = [-1 if token.head.i == token.i else token.head.i for token in doc]
        if not self._settings["one_shot"]:
            return Prediction(heads)
        labels = [ROOT_LABEL if token.dep_ == ROOT else unescape_label(token.dep_) for token in doc]
        return Prediction(heads, labels)

    @property
    def _parser(self) -> Any:
        return self._nlp.get_pipe("parser")

    def to_part(self) -> ModelPart:
        """Return the weights of the network and the parser's actions."""
        arrays = {
            name: numpy.array(layer.get_param(parameter))
            for name, layer, parameter in _weights(self._parser.model)
        }
        return ModelPart(self._settings, arrays)

    @classmethod
    def from_part(cls, part: ModelPart) -> Self:
        """Load the parser: build the network and set its weights."""
        cls.check(cls.Options())
        parser = cls()
        parser._settings = part.settings
        parser._nlp = nlp = _blank(part.settings)
        moves = {int(kind): names for kind, names in part.settings["moves"].items()}
        # spaCy infers the sizes of its layers from examples
        pair = DTree((Token("a"), Token("b")), heads=(1, -1), symbols=("X", ""), events=(1, 0))
        sample = [_example(nlp, Example(pair, ("", "")), labelled=False)]
        nlp.get_pipe("parser").initialize(lambda: sample, nlp=nlp, labels=moves)
        for name, layer, parameter in _weights(nlp.get_pipe("parser").model):
            expected, found = layer.get_param(parameter), part.arrays[name]
            if found.shape != expected.shape or found.dtype != expected.dtype:
                raise ModelError(
                    f"the weights {name} have the shape {found.shape}, but spaCy needs {expected.shape}"
                )
            layer.set_param(parameter, numpy.array(found))
        return parser


def _blank(settings: Mapping[str, Any]) -> Any:
    """Return a spaCy pipeline that has only an untrained parser."""
    import spacy

    width = settings["width"]
    attributes = {"NORM": 5000, "PREFIX": 1000, "SUFFIX": 2500, "SHAPE": 2500, "TAG": 500}
    encoder = {
        "@architectures": "spacy.MaxoutWindowEncoder.v2",
        "width": width,
        "depth": settings["depth"],
        "window_size": 1,
        "maxout_pieces": 3,
    }
    embedder = {
        "@architectures": "spacy.MultiHashEmbed.v2",
        "width": width,
        "attrs": list(attributes),
        "rows": list(attributes.values()),
        "include_static_vectors": False,
    }
    network = {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": "parser",
        "extra_state_tokens": False,
        "hidden_width": 128,
        "maxout_pieces": 3,
        "use_upper": True,
        "nO": None,
        "tok2vec": {"@architectures": "spacy.Tok2Vec.v2", "embed": embedder, "encode": encoder},
    }
    nlp = spacy.blank("xx")
    # by default spaCy drops rare actions, and with them most of our labels
    nlp.add_pipe("parser", config={"model": network, "min_action_freq": 1})
    return nlp


def _doc(nlp: Any, tokens: Sequence[Token], **gold: Any) -> Any:
    """Return a sentence as a spaCy document, marked as one sentence so that spaCy does not split it."""
    from spacy.tokens import Doc

    return Doc(
        nlp.vocab,
        words=[safe_text(token.form) for token in tokens],
        tags=[token.tag and safe_text(token.tag) for token in tokens],
        **(gold or {"sent_starts": [True] + [False] * (len(tokens) - 1)}),
    )


def _example(nlp: Any, example: Example, *, labelled: bool) -> Any:
    from spacy.training import Example as SpacyExample

    labels = shown_labels(example, labelled)
    heads = [at if head < 0 else head for at, head in enumerate(example.heads)]
    deps = [ROOT if head < 0 else label for head, label in zip(example.heads, labels, strict=True)]
    return SpacyExample(_doc(nlp, example.tokens), _doc(nlp, example.tokens, heads=heads, deps=deps))


def _batches(examples: Sequence[Any], updates: int) -> Iterator[list[Any]]:
    """Yield batches of about equal numbers of words, which grow with the number of updates so far."""
    batch: list[Any] = []
    words = 0
    for example in examples:
        batch.append(example)
        words += len(example.reference)
        if words >= min(LEAST_WORDS * GROWTH**updates, MOST_WORDS):
            yield batch
            batch, words, updates = [], 0, updates + 1
    if batch:
        yield batch


def _weights(model: Any) -> Iterator[tuple[str, Any, str]]:
    """Yield a name, the layer and the parameter of every array of a network."""
    for number, layer in enumerate(model.walk()):
        for parameter in layer.param_names:
            if layer.has_param(parameter):
                yield f"{number}.{parameter}", layer, parameter
