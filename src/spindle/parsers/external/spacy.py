"""spaCy's parser, from PyPI: transition-based and neural, with pseudo-projective labels for crossing arcs."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy

from spindle.errors import ParserError
from spindle.models import ModelPart
from spindle.parsers.backend import Backend, Example, FitSettings, Monitor, Prediction
from spindle.parsers.external.exchange import safe_text, shown_labels, unescape_label
from spindle.parsers.packages import installed
from spindle.reduction import Encoding
from spindle.reduction.labels import ROOT_LABEL
from spindle.trees import Token

PACKAGE = "spacy"
ROOT = "ROOT"
"""What spaCy calls the root's label; it allows no other."""
LEAST_WORDS, MOST_WORDS, GROWTH = 100, 1000, 1.001
"""Batches grow from so many words to so many, as in spaCy's own configurations."""


class SpacyParser(Backend):
    """spaCy's parser component on its small network over hashed words, affixes, shapes and tags.

    Its weights are kept as plain arrays; nothing of spaCy's own files is read back.
    """

    name = "spacy"
    predicts = frozenset({"labels"})
    one_shot = True
    options: ClassVar = {"epochs": ("10",), "width": ("96",), "depth": ("4",), "dropout": ("0.1",)}
    shares = frozenset({"dropout"})
    needs = "the package spacy: pip install 'spindle-parser[spacy]'"

    def __init__(self) -> None:
        self._settings: dict[str, Any] = {}
        self._nlp: Any = None

    @classmethod
    def version(cls) -> str | None:
        """The version of the package."""
        return installed(PACKAGE)

    @classmethod
    def will_predict(cls, settings: FitSettings) -> frozenset[str]:
        """Labels, unless those of roots matter."""
        if settings.one_shot and settings.encoding is Encoding.HN:
            raise ParserError(f"spacy labels every root {ROOT}, so --encoding hn needs --two-stage")
        return super().will_predict(settings)

    def fit(
        self,
        train: Sequence[Example],
        dev: Sequence[Example],
        settings: FitSettings,
        watch: Monitor,
        state: ModelPart | None = None,
    ) -> None:
        """Learn; the pipeline keeps the best epoch."""
        del dev, state
        self.check(settings.options)
        from spacy.util import fix_random_seed

        fix_random_seed(settings.seed)
        self._settings = {
            "width": int(settings.options["width"]),
            "depth": int(settings.options["depth"]),
            "one_shot": settings.one_shot,
        }
        self._nlp = _blank(self._settings)
        examples = [
            _example(self._nlp, one, labelled=settings.one_shot) for one in train if len(one.tokens) > 1
        ]
        optimizer = self._nlp.initialize(lambda: examples)
        self._settings["moves"] = {str(kind): names for kind, names in self._parser.moves.labels.items()}
        dropout = float(settings.options["dropout"])
        order = random.Random(settings.seed)
        updates = 0
        for epoch in range(1, int(settings.options["epochs"]) + 1):
            order.shuffle(examples)
            done, loss = 0, 0.0
            for batch in _batches(examples, updates):
                losses = self._nlp.update(batch, drop=dropout, sgd=optimizer)
                done, loss, updates = done + len(batch), loss + losses["parser"], updates + 1
                watch.progress(done, len(examples), loss / done)
            watch.epoch(epoch, loss / max(len(examples), 1))

    def parse(self, sentences: Sequence[Sequence[Token]], threads: int) -> list[Prediction]:
        """What spaCy says of every sentence."""
        del threads  # its arithmetic may use some
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
        """The weights of its network, and its actions."""
        arrays = {
            name: numpy.array(layer.get_param(parameter))
            for name, layer, parameter in _weights(self._parser.model)
        }
        return ModelPart(self._settings, arrays)

    @classmethod
    def from_part(cls, part: ModelPart) -> Self:
        """The parser again: the same network with the same weights."""
        cls.check({})
        parser = cls()
        parser._settings = part.settings
        parser._nlp = nlp = _blank(part.settings)
        moves = {int(kind): names for kind, names in part.settings["moves"].items()}
        sample = [_example(nlp, Example((Token("a"), Token("b")), (1, -1), ("", "")), labelled=False)]
        nlp.get_pipe("parser").initialize(lambda: sample, nlp=nlp, labels=moves)
        for name, layer, parameter in _weights(nlp.get_pipe("parser").model):
            layer.set_param(parameter, numpy.array(part.arrays[name]))
        return parser


def _blank(settings: Mapping[str, Any]) -> Any:
    """A pipeline of nothing but the parser, untrained."""
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
    # by default, actions seen fewer than 30 times are forgotten, and with them most of our labels
    nlp.add_pipe("parser", config={"model": network, "min_action_freq": 1})
    return nlp


def _doc(nlp: Any, tokens: Sequence[Token], **gold: Any) -> Any:
    """A sentence as spaCy sees it. That it is one sentence is said, or it might be split."""
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
    """Batches of about as many words; the more updates there have been, the larger."""
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
    """Every array of a network: a name for it, and the layer and parameter that it is."""
    for number, layer in enumerate(model.walk()):
        for parameter in layer.param_names:
            if layer.has_param(parameter):
                yield f"{number}.{parameter}", layer, parameter
