"""Trains UDPipe: `python -m spindle.parsers.external.udpipe_trainer TRAIN DEV MODEL OPTIONS`.

This is a separate program because UDPipe trains in one long call. As a program it can be interrupted
and limited, and its output can be logged.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any


def main(train: str, dev: str, model: str, options: str) -> None:
    """Train on CoNLL-U files and write the model."""
    from ufal.udpipe import ProcessingError, Trainer

    problem = ProcessingError()
    trained = Trainer.train("morphodita_parsito", _read(train), _read(dev), "none", "none", options, problem)
    if problem.occurred():
        sys.exit(problem.message)
    Path(model).write_bytes(trained)


def _read(path: str) -> Any:
    from ufal.udpipe import InputFormat, ProcessingError, Sentence, Sentences

    reader, problem, sentences = InputFormat.newConlluInputFormat(), ProcessingError(), Sentences()
    reader.setText(Path(path).read_text(encoding="utf-8"))
    sentence = Sentence()
    while reader.nextSentence(sentence, problem):
        sentences.append(sentence)
        sentence = Sentence()
    if problem.occurred():
        sys.exit(problem.message)
    return sentences


if __name__ == "__main__":
    main(*sys.argv[1:])
