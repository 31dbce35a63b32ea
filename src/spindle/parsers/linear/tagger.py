"""The tagger: it predicts tags first, and then, if the treebank has one, a morphology that fits each tag.

    >>> sentences = [[Token("ein", "ART"), Token("Hund", "NN")], [Token("Hunde", "NN"), Token("bellen", "V")]]
    >>> tagger = Tagger.train(sentences, seed=1)
    >>> [[ein, hund]] = tagger.tag([[Token("Ein"), Token("Hund")]])
    >>> ein.tag, hund.tag
    ('ART', 'NN')

Two models are about as accurate as one model of both, and train faster.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from random import Random
from typing import Self

from spindle.errors import ParserError
from spindle.models import ModelPart
from spindle.models.schema import anything, record
from spindle.parsers.linear.hashed_sentence import fresh_hashed_sentence
from spindle.parsers.linear.sequence_tagger import Label, SequenceTagger, SequenceTraining
from spindle.parsers.linear.stage import Progress, run_epochs, select_arrays
from spindle.trees import Token

Sentences = Sequence[Sequence[Token]]

EPOCHS = 10
STRETCH = 5
"""The number of consecutive sentences in one fold of jackknifing. Neighbouring sentences resemble each other.
If all of a sentence's neighbours were in other folds, its tags would be better than those of new text; if
whole texts were in one fold, they would be worse."""


class Tagger:
    """Predicts tags and morphology."""

    TABLE_BITS = SequenceTagger.TABLE_BITS

    def __init__(self, tags: SequenceTagger, morphs: SequenceTagger | None) -> None:
        self._tags, self._morphs = tags, morphs

    @classmethod
    def train(
        cls,
        sentences: Sentences,
        *,
        seed: int,
        threads: int = 1,
        epochs: int = EPOCHS,
        bits: int = TABLE_BITS,
        progress: Progress | None = None,
    ) -> Self:
        """Train on the tags of these sentences, and on their morphology if most words have one.

        Each of the two models has 2 ** `bits` weights and is updated after every sentence, so the number of
        threads does not change the result; with two threads the models train at the same time.
        """
        if not any(sentences):
            raise ParserError("there are no words to train a tagger on")
        hashed = [fresh_hashed_sentence(tokens) for tokens in sentences]
        tags = [[Label(token.tag) for token in tokens] for tokens in sentences]
        trainings = [SequenceTraining(hashed, tags, bits)]
        if _has_morphology(sentences):
            morphs = [[Label(token.morph, token.tag) for token in tokens] for tokens in sentences]
            trainings.append(SequenceTraining(hashed, morphs, bits))
        random = Random(seed)
        order = list(range(len(hashed)))
        with ThreadPoolExecutor(threads) as pool:

            def run_epoch() -> None:
                random.shuffle(order)
                list(pool.map(lambda training: training.run_epoch(order), trainings))

            run_epochs(epochs, run_epoch, progress)
        tagger, *morphology = [training.finish() for training in trainings]
        return cls(tagger, morphology[0] if morphology else None)

    @classmethod
    def jackknife(
        cls,
        sentences: Sentences,
        *,
        folds: int,
        seed: int,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> list[list[Token]]:
        """Return the sentences of every fold with the tags of a tagger that was trained on the other folds.

        The result has the same kind of tagging errors as the input of later stages in use.
        """
        fold_of = folds_of(len(sentences), folds)

        def tag(fold: int) -> list[list[Token]]:
            others = [tokens for tokens, its in zip(sentences, fold_of, strict=True) if its != fold]
            own = [tokens for tokens, its in zip(sentences, fold_of, strict=True) if its == fold]
            # a treebank of one sentence has nothing else to train on
            return cls.train(others or own, seed=seed).tag(own) if own else []

        tagged: list[Iterator[list[Token]]] = []
        with ThreadPoolExecutor(threads) as pool:
            for fold in pool.map(tag, range(folds)):
                tagged.append(iter(fold))
                if progress is not None:
                    progress(len(tagged), folds)
        return [next(tagged[fold]) for fold in fold_of]

    def tag(self, sentences: Sentences, threads: int = 1) -> list[list[Token]]:
        """Return the sentences with predicted tags and morphology, which replace any that they had."""
        hashed = [fresh_hashed_sentence(tokens) for tokens in sentences]
        tags = self._tags.decode(hashed, threads)
        if self._morphs is None:
            morphs = [[""] * len(found) for found in tags]
        else:
            for sentence, found in zip(hashed, tags, strict=True):
                sentence.set_tags(found)
            morphs = self._morphs.decode(hashed, threads)
        return [
            _tagged(tokens, its_tags, its_morphs) if tokens else []
            for tokens, its_tags, its_morphs in zip(sentences, tags, morphs, strict=True)
        ]

    def to_part(self) -> ModelPart:
        """Return the settings of both models by name; their arrays have the model's name as a prefix."""
        models = {"tag": self._tags, "morph": self._morphs}
        parts = {name: model.to_part() for name, model in models.items() if model is not None}
        return ModelPart(
            {name: part.settings for name, part in parts.items()},
            {f"{name}_{key}": array for name, part in parts.items() for key, array in part.arrays.items()},
        )

    @classmethod
    def check_part(cls, part: ModelPart, place: str) -> None:
        """Raise a `SchemaError` for settings of a model file that do not fit."""
        record({"tag": anything()}, {"morph": anything()})(part.settings, place)
        for name, settings in part.settings.items():
            SequenceTagger.check_part(ModelPart(settings), f"{place}.{name}")

    @classmethod
    def from_part(cls, part: ModelPart) -> Self:
        """Load the tagger; the inverse of `to_part`."""
        models = {
            name: SequenceTagger.from_part(ModelPart(settings, select_arrays(part, f"{name}_")))
            for name, settings in part.settings.items()
        }
        return cls(models["tag"], models.get("morph"))


def folds_of(sentences: int, folds: int) -> list[int]:
    """Return the fold of every sentence: short stretches of the text, in turn.

    >>> folds_of(12, 2)
    [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0]
    """
    stretch = max(1, min(STRETCH, sentences // folds))
    return [at // stretch % folds for at in range(sentences)]


_token = partial(tuple.__new__, Token)
"""Makes a token of its five columns, like `Token._make` but faster."""


def _tagged(tokens: Sequence[Token], tags: Sequence[str], morphs: Sequence[str]) -> list[Token]:
    forms, _, lemmas, _, functions = zip(*tokens, strict=True)
    return list(map(_token, zip(forms, tags, lemmas, morphs, functions, strict=True)))


def _has_morphology(sentences: Sentences) -> bool:
    """Whether most words have a morphology; some treebanks without morphology have a few glosses."""
    words = sum(map(len, sentences))
    return 2 * sum(bool(token.morph) for tokens in sentences for token in tokens) > words
