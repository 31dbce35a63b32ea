"""Trains UDPipe: `python -m spindle.parsers.external.udpipe_trainer TRAIN DEV MODEL OPTIONS`.

This is a program of its own because the training runs for minutes without looking up: here it can be
interrupted, limited, and heard.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any


def main(train: str, dev: str, model: str, options: str) -> None:
    """Learn from CoNLL-U files and write a model."""
    from ufal.udpipe import ProcessingError, Trainer

    problem = ProcessingError()
    learned = Trainer.train("morphodita_parsito", _read(train), _read(dev), "none", "none", options, problem)
    if problem.occurred():
        sys.exit(problem.message)
    Path(model).write_bytes(learned)


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
