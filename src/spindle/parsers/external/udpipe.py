"""UDPipe 1: a small transition-based neural parser, from PyPI."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from spindle.errors import ModelError, ParserError
from spindle.parsers.backend import Prediction
from spindle.parsers.external.exchange import Format, features, safe_text, unescape_label
from spindle.parsers.external.program import LIMITS, Files, Program
from spindle.parsers.packages import installed
from spindle.reduction import Encoding
from spindle.trees import Token

PACKAGE = "ufal.udpipe"
# Its own defaults, a dynamic oracle searched by structure, take hours for what these learn in minutes.
ORACLES = {"projective": "static", "swap": "static_lazy", "link2": "static"}


class UdpipeParser(Program):
    """UDPipe's parser, trained in a process of its own, parsing in ours."""

    name = "udpipe"
    batch = 256
    location = "python"  # there is no such option: what trains is always the Python that runs us
    options: ClassVar = {
        "epochs": ("10",),
        "transition_system": ("auto", "projective", "swap", "link2"),
        "beam": ("5",),
        "hidden_layer": ("200",),
        "learning_rate": ("0.02",),
        "learning_rate_final": ("0.001",),
        "l2": ("0.5",),
        "batch_size": ("10",),
        **LIMITS,
    }
    needs = "the package ufal.udpipe: pip install 'spindle-parser[udpipe]'"

    def __init__(self) -> None:
        super().__init__()
        self._model: Any = None

    @classmethod
    def version(cls) -> str | None:
        """The version of the package."""
        return installed(PACKAGE)

    @classmethod
    def find(cls, options: Mapping[str, str]) -> str:
        """The Python that can train it."""
        super(Program, cls).check(options)
        return sys.executable

    @property
    def format(self) -> Format:
        """What its trainer reads."""
        return Format.CONLLU

    def train_command(self, program: str, files: Files) -> list[str]:
        """Our own program around its trainer."""
        options = self.settings.options
        system = options["transition_system"]
        if system == "auto":
            system = "projective" if self.is_projective else "swap"
        # It can promise a single root only if it knows roots by their label; and without that promise version
        # 1.4 crashes when it tries itself on development sentences.
        spines = self.settings.one_shot and self.settings.encoding is Encoding.HN
        own = {
            "iterations": options["epochs"],
            "transition_system": system,
            "transition_oracle": ORACLES[system],
            "structured_interval": "0",
            "single_root": "0" if spines else "1",
            "embedding_upostag": "20",
            "embedding_feats": "20",
            "embedding_form": "50",
            "embedding_deprel": "20",
            **{name: options[name] for name in OWN},
        }
        return [
            *(program, "-m", "spindle.parsers.external.udpipe_trainer"),
            *(str(files.train), os.devnull if spines else str(files.dev), str(files.model)),
            ";".join(f"{name}={value}" for name, value in own.items()),
        ]

    def parse_command(self, program: str, files: Files) -> list[str]:
        """It parses without one."""
        raise NotImplementedError

    def parse(self, sentences: Sequence[Sequence[Token]], threads: int) -> list[Prediction]:
        """What UDPipe says, sentence by sentence."""
        del threads  # it has none
        return [self._parse(tokens) if tokens else Prediction([]) for tokens in sentences]

    def _parse(self, tokens: Sequence[Token]) -> Prediction:
        from ufal.udpipe import ProcessingError, Sentence

        if self._model is None:
            self._model = self._load()
        sentence, problem = Sentence(), ProcessingError()
        for form, tag, lemma, morph, _ in tokens:
            word = sentence.addWord(safe_text(form))
            word.lemma = lemma and safe_text(lemma)
            word.upostag = word.xpostag = tag and safe_text(tag)
            word.feats = morph and features(morph)
        if not self._model.parse(sentence, f"beam_search={self.settings.options['beam']}", problem):
            raise ParserError(f"udpipe cannot parse a sentence of {len(tokens)} words: {problem.message}")
        words = list(sentence.words)[1:]
        labels = [unescape_label(word.deprel) for word in words] if self.settings.one_shot else None
        return Prediction([word.head - 1 for word in words], labels)

    def _load(self) -> Any:
        self.find({})
        from ufal.udpipe import Model

        model = Model.load(str(self._model_folder() / "parser"))
        if not model:
            raise ModelError("the UDPipe model inside this model cannot be read")
        return model


OWN = ("hidden_layer", "learning_rate", "learning_rate_final", "l2", "batch_size")
"""Options that go to its trainer under the names that they have there."""
