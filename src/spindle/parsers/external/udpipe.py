"""UDPipe 1: a small transition-based neural parser, from PyPI."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from spindle.errors import ModelError, ParserError
from spindle.parsers.backend import Prediction
from spindle.parsers.external.exchange import Format, features, safe_text, unescape_label
from spindle.parsers.external.training_program import MODEL, Files, ProgramOptions, TrainingProgram
from spindle.parsers.options import option
from spindle.parsers.packages import installed
from spindle.reduction import Encoding
from spindle.trees import Token

PACKAGE = "ufal.udpipe"
TRAINER = "spindle.parsers.external.udpipe_trainer"


class TransitionSystem(StrEnum):
    """UDPipe's transition systems; `auto` follows the mode."""

    AUTO = "auto"
    PROJECTIVE = "projective"
    SWAP = "swap"
    LINK2 = "link2"


ORACLES = {
    TransitionSystem.PROJECTIVE: "static",
    TransitionSystem.SWAP: "static_lazy",
    TransitionSystem.LINK2: "static",
}
"""Fast training oracles. UDPipe's default, a dynamic oracle with structured search, takes hours."""


@dataclass(frozen=True)
class UdpipeOptions(ProgramOptions):
    """The options of UDPipe."""

    epochs: int = option(10, "passes over the training data", at_least=1)
    transition_system: TransitionSystem = option(TransitionSystem.AUTO, "transition system")
    beam: int = option(5, "beam size of the search when it parses", at_least=1)
    hidden_layer: int = option(200, "units of the hidden layer", at_least=1)
    learning_rate: float = option(0.02, "learning rate at the start", at_least=0)
    learning_rate_final: float = option(0.001, "learning rate at the end", at_least=0)
    l2: float = option(0.5, "weight of the L2 regularisation", at_least=0)
    batch_size: int = option(10, "sentences per update", at_least=1)


class UdpipeParser(TrainingProgram):
    """UDPipe's parser, trained in a process of its own and loaded into this process for parsing."""

    name = "udpipe"
    Options = UdpipeOptions
    needs = "the package ufal.udpipe: pip install 'spindle-parser[udpipe]'"

    def __init__(self) -> None:
        super().__init__()
        self._model: Any = None

    @classmethod
    def version(cls) -> str | None:
        """Return the version of the package."""
        return installed(PACKAGE)

    @property
    def format(self) -> Format:
        """The format that its trainer reads."""
        return Format.CONLLU

    def train_command(self, files: Files) -> list[str]:
        """Return the command that runs UDPipe's trainer in another Python process."""
        options = self.settings.options
        system = options.transition_system
        if system is TransitionSystem.AUTO:
            system = TransitionSystem.PROJECTIVE if self.is_projective else TransitionSystem.SWAP
        # UDPipe guarantees a single root only if roots have a label of their own. Without that guarantee,
        # version 1.4 crashes when it evaluates on development sentences.
        has_spines = self.settings.one_shot and self.settings.encoding is Encoding.HN
        own = {
            "iterations": options.epochs,
            "transition_system": system,
            "transition_oracle": ORACLES[system],
            "structured_interval": 0,
            "single_root": 0 if has_spines else 1,
            "embedding_upostag": 20,
            "embedding_feats": 20,
            "embedding_form": 50,
            "embedding_deprel": 20,
            "hidden_layer": options.hidden_layer,
            "learning_rate": options.learning_rate,
            "learning_rate_final": options.learning_rate_final,
            "l2": options.l2,
            "batch_size": options.batch_size,
        }
        dev = os.devnull if has_spines else str(files.dev)
        return [
            *(sys.executable, "-m", TRAINER, str(files.train), dev, str(files.model)),
            ";".join(f"{name}={value}" for name, value in own.items()),
        ]

    def parse(self, sentences: Sequence[Sequence[Token]], threads: int) -> list[Prediction]:
        """Return UDPipe's heads and labels, sentence by sentence."""
        del threads  # UDPipe uses one
        return [self._parse(tokens) if tokens else Prediction([]) for tokens in sentences]

    def _parse(self, tokens: Sequence[Token]) -> Prediction:
        if self._model is None:
            self._model = self._load()
        from ufal.udpipe import ProcessingError, Sentence

        sentence, problem = Sentence(), ProcessingError()
        for form, tag, lemma, morph, _ in tokens:
            word = sentence.addWord(safe_text(form))
            word.lemma = lemma and safe_text(lemma)
            word.upostag = word.xpostag = tag and safe_text(tag)
            word.feats = morph and features(morph)
        if not self._model.parse(sentence, f"beam_search={self.settings.options.beam}", problem):
            raise ParserError(f"udpipe cannot parse a sentence of {len(tokens)} words: {problem.message}")
        words = list(sentence.words)[1:]
        labels = [unescape_label(word.deprel) for word in words] if self.settings.one_shot else None
        return Prediction([word.head - 1 for word in words], labels)

    def _load(self) -> Any:
        self.check(self.settings.options)
        from ufal.udpipe import Model

        model = Model.load(str(self._model_folder() / MODEL))
        if not model:
            raise ModelError("the UDPipe model inside this model cannot be read")
        return model
