"""Training: a treebank in, a parser out."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from spindle.pipeline.parser import Parser, load
from spindle.pipeline.sentence import Input
from spindle.training.listener import Listener
from spindle.training.options import TrainOptions
from spindle.training.run import SourceWeight, Treebank, train_parser
from spindle.treebanks import Source, read_trees
from spindle.trees import Tree

__all__ = [
    "Listener",
    "SourceWeight",
    "TrainOptions",
    "Treebank",
    "distill",
    "short_name",
    "train",
    "train_parser",
]


def train(
    train: str | Path | Iterable[Tree],
    dev: str | Path | Iterable[Tree] = (),
    output: str | Path | None = None,
    *,
    resume: bool = False,
    listener: Listener | None = None,
    **options: Any,
) -> Parser:
    """Train a parser from a treebank: a file, a folder, or trees.

    With development trees the best epoch is kept. With `output` the model is written there, a log and a
    learning curve beside it, and an interrupted training can be resumed. All other options are those of
    `TrainOptions`, which are those of `spindle train`.
    """
    return train_parser(
        _treebank(train),
        _treebank(dev),
        TrainOptions(**options),
        output=None if output is None else Path(output),
        resume=resume,
        listener=listener,
    )


def distill(
    teacher: str | Path | Parser,
    text: str | Path | Iterable[Input],
    train: str | Path | Iterable[Tree] = (),
    dev: str | Path | Iterable[Tree] = (),
    output: str | Path | None = None,
    *,
    resume: bool = False,
    listener: Listener | None = None,
    **options: Any,
) -> Parser:
    """Train a small neural parser on what a larger one thinks of raw text and of gold trees.

    The text is a file, or sentences as `Parser.parse` takes them. All other options are those of
    `DistillOptions`, and the rest is as with `train`.
    """
    from spindle.training.distillation import DistillOptions, RawText, check_teacher, distill_parser

    parser = teacher if isinstance(teacher, Parser) else load(teacher)
    name = "a parser in memory" if isinstance(teacher, Parser) else short_name(teacher)
    check_teacher(parser, name)
    files: tuple[str, ...] = ()
    if isinstance(text, str | Path):
        files = (short_name(text),)
        text = (sentence for line in Source(str(text)).lines() for sentence in parser.sentences(line))
    return distill_parser(
        parser,
        name,
        RawText.collect(text, files, habits=parser.habits),
        _treebank(train),
        _treebank(dev),
        DistillOptions(**options),
        output=None if output is None else Path(output),
        resume=resume,
        listener=listener,
    )


def _treebank(given: str | Path | Iterable[Tree]) -> Treebank:
    if isinstance(given, str | Path):
        return Treebank(tuple(read_trees(given)), (short_name(given),))
    return Treebank(tuple(given))


def short_name(path: str | Path) -> str:
    """A file's name and its folder's, which often says more; the way there is nobody's business."""
    return "/".join(part for part in Path(path).absolute().parts[-2:] if part != "/")
