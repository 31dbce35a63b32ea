"""A trained model of the boundaries in raw text: where tokens and sentences end.

A logistic classifier in the core decides at every place where a boundary is possible, from hashed features of
the characters and words around it. It learns from raw text with known boundaries, in any language that writes
blanks between words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

import numpy

from spindle import _core
from spindle.errors import ModelError
from spindle.models import Array, ModelPart
from spindle.models.schema import anything, record, table, whole
from spindle.text.characters import Characters, CharClass, characters
from spindle.text.documents import GoldDocument

VOCABULARY = "vocabulary"
WEIGHTS = ("token_weights", "sentence_weights")
BITS = 18
EPOCHS = 8
FIRST_RATE = 0.3

ABBREVIATION, TITLE, NUMBERED, STARTER = 1, 2, 4, 8
"""What is known of a word: an abbreviation, one that a name follows, one that a number follows, a word that
often starts a sentence."""
LARGEST_FOR_TOKENS = 0.25
"""The share of the largest weight to which the weights of tokens are cut: no single feature decides alone."""
FREQUENT = 2
"""How often a word is in the training texts if it is in the vocabulary."""
VOCABULARY_BITS = 18
_SPLIT_BITS = 4
_MAX_SPLIT = 15
_MIN_STARTS = 3

Boundaries = tuple[Any, Any, Any]
"""Three arrays: begins and ends of tokens, and the numbers of the tokens that start sentences."""

SETTINGS = record({"words": table(whole(0, (1 << 32) - 1))}, {"card": anything()})
"""What the settings of a text model must look like in a model file."""


class BoundaryModel:
    """Finds tokens and sentences.

    `arrays` has the frequent words (`VOCABULARY`) and the weights of both decisions (`WEIGHTS`), `words` the
    kinds of some words; `card` documents the training.
    """

    def __init__(
        self,
        arrays: Mapping[str, Array],
        words: Mapping[str, int],
        card: Mapping[str, Any] | None = None,
    ) -> None:
        self._arrays = dict(arrays)
        self.words = dict(words)
        self.card = dict(card or {})

    @cached_property
    def _model(self) -> Any:
        weights = (self._arrays[name].astype(numpy.int16) for name in WEIGHTS)
        return _core.BoundaryModel(*_columns(self.words), self._arrays[VOCABULARY], *weights)

    def find(self, text: Characters) -> Boundaries:
        """Return the boundaries in a text; blanks of the class BREAK end a sentence."""
        found: Boundaries = self._model.find(*text)
        return found

    def to_part(self) -> ModelPart:
        """The part of a model file; `from_part` is the inverse."""
        return ModelPart({"words": self.words, "card": self.card}, self._arrays)

    @classmethod
    def from_part(cls, part: ModelPart) -> Self:
        """The model that `to_part` stored."""
        for name, kind in ((VOCABULARY, numpy.uint8), *((name, numpy.int8) for name in WEIGHTS)):
            if name not in part.arrays:
                raise ModelError("the text model is of an older version; train the model again")
            array = part.arrays[name]
            if array.dtype != kind or array.ndim != 1 or array.size.bit_count() != 1:
                raise ModelError(f"the array {name!r} of the text model has the wrong type or size")
        words = {str(word): int(kind) for word, kind in part.settings["words"].items()}
        if any(not 0 <= kind < 1 << 32 for kind in words.values()):
            raise ModelError("the text model has a word of an unknown kind")
        return cls(part.arrays, words, part.settings.get("card"))


def train_boundaries(
    documents: Sequence[GoldDocument],
    words: Mapping[str, int] | None = None,
    *,
    epochs: int = EPOCHS,
    bits: int = BITS,
    seed: int = 1,
    card: Mapping[str, Any] | None = None,
) -> BoundaryModel:
    """Train a model on documents. `words` adds kinds to those that the documents show."""
    kinds = learn_words(documents)
    for word, kind in (words or {}).items():
        kinds[word] = kinds.get(word, 0) | kind << _SPLIT_BITS
    vocabulary = learn_vocabulary(documents)
    trainer = _core.BoundaryTrainer(*_columns(kinds), vocabulary, bits, seed)
    for document in documents:
        trainer.add(*with_breaks(document), *_gold(document))
    for epoch in range(epochs):
        trainer.run_epoch(FIRST_RATE * (1 - 0.9 * epoch / epochs))
    weights = (
        in_eight_bits(trainer.token_weights(), LARGEST_FOR_TOKENS),
        in_eight_bits(trainer.sentence_weights(), 1),
    )
    return BoundaryModel({VOCABULARY: vocabulary, **dict(zip(WEIGHTS, weights, strict=True))}, kinds, card)


def in_eight_bits(weights: Array, largest: float) -> Array:
    """Return weights as integers of eight bits; weights above a share of the largest one are cut to it."""
    step = max(float(numpy.abs(weights).max()) * largest, 1e-9) / 127
    return numpy.clip(numpy.rint(weights / step), -127, 127).astype(numpy.int8)


def with_breaks(document: GoldDocument) -> Characters:
    """Return the characters of a document; a sentence ends at every empty line."""
    found = characters(document.text)
    at = document.text.find("\n\n")
    while at >= 0:
        found.classes[at] = CharClass.BREAK
        at = document.text.find("\n\n", at + 1)
    return found


def learn_vocabulary(documents: Iterable[GoldDocument]) -> Array:
    """Return the words and names that are in the documents at least `FREQUENT` times.

    A word has a small letter first; a name has a capital, also inside a sentence.
    """
    words: Counter[str] = Counter()
    names: Counter[str] = Counter()
    for document in documents:
        for sentence in document.sentences:
            for number, (begin, end) in enumerate(sentence):
                form = document.text[begin:end]
                if not form.isalpha():
                    continue
                if form[0].islower():
                    words[form] += 1
                elif number > 0:
                    names[form] += 1
    return _core.vocabulary(_frequent(words), _frequent(names), VOCABULARY_BITS)


def _frequent(counts: Mapping[str, int]) -> Array:
    return _keys([form for form, count in counts.items() if count >= FREQUENT])


def learn_words(documents: Iterable[GoldDocument]) -> dict[str, int]:
    """Return the kinds of words: abbreviations, words that start sentences, words that are split."""
    with_stop: Counter[str] = Counter()
    forms: Counter[str] = Counter()
    starts: Counter[str] = Counter()
    splits: Counter[tuple[str, int]] = Counter()
    for document in documents:
        text = document.text
        for sentence in document.sentences:
            for number, (begin, end) in enumerate(sentence):
                form = _plain(text[begin:end])
                if len(form) > 1 and form.endswith(".") and form[0].isalpha():
                    with_stop[form[:-1]] += 1
                    continue
                forms[form] += 1
                starts[form] += number == 0
                follows = number > 0 and sentence[number - 1][1] == begin
                if follows and form.isalpha() and text[begin - 1].isalpha():
                    start = sentence[number - 1][0]
                    whole = _plain(text[start:end])
                    is_alone = (
                        not text[end : end + 1].isalnum() and not text[max(start - 1, 0) : start].isalnum()
                    )
                    if whole.isalpha() and begin - start <= _MAX_SPLIT and is_alone:
                        splits[whole, begin - start] += 1
    kinds: dict[str, int] = {}
    for word, count in with_stop.items():
        if count > forms[word]:
            kinds[word] = ABBREVIATION << _SPLIT_BITS
    for word, count in starts.items():
        if count >= _MIN_STARTS and word.isalpha() and 10 * count >= forms[word]:
            kinds[word] = kinds.get(word, 0) | STARTER << _SPLIT_BITS
    for (word, place), count in splits.items():
        if count > forms[word]:
            kinds[word] = kinds.get(word, 0) & ~_MAX_SPLIT | place
    return kinds


def _plain(text: str) -> str:
    return "".join(map(chr, characters(text).plain))


def _columns(words: Mapping[str, int]) -> tuple[Any, Any]:
    """Return the keys and kinds of words."""
    return _keys(words), numpy.array(list(words.values()), numpy.uint32)


def _keys(words: Iterable[str]) -> Array:
    return numpy.array([_core.word_key(characters(word).plain) for word in words], numpy.uint64)


def _gold(document: GoldDocument) -> Boundaries:
    tokens = numpy.array(document.tokens, numpy.uint32).reshape(-1, 2)
    sizes = [len(sentence) for sentence in document.sentences]
    starts = numpy.cumsum([0, *sizes[:-1]], dtype=numpy.uint32)
    return numpy.ascontiguousarray(tokens[:, 0]), numpy.ascontiguousarray(tokens[:, 1]), starts
