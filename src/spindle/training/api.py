"""`spindle.train` and `spindle.distill`: every option as a typed parameter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from spindle.heads import HeadRules
from spindle.parsers import Backend
from spindle.parsers.linear import LabelerFeatures
from spindle.pipeline import Input, Parser, load
from spindle.pipeline.conventions import Punctuation
from spindle.pipeline.inputs import InputKind, InputReader, guess_kind
from spindle.reduction import Encoding, Mode
from spindle.training.distillation import (
    MAX_TEXT_LENGTH,
    DistillOptions,
    RawText,
    check_teacher,
    distill_parser,
)
from spindle.training.held_out import with_dev
from spindle.training.listener import Listener, LoggingListener
from spindle.training.options import FunctionPolicy, TagSource, TrainOptions
from spindle.training.run import train_parser
from spindle.training.treebank import MAX_LENGTH, Treebank, Trees, short_name


def train(
    train: Trees,
    dev: Trees = (),
    output: str | Path | None = None,
    *,
    parser: str | type[Backend] = "linear",
    order: str | None = None,
    encoder: str | None = None,
    epochs: int | None = None,
    parser_options: Mapping[str, Any] | None = None,
    encoding: Encoding | str | None = None,
    one_shot: bool | None = None,
    labeler_features: LabelerFeatures | str | None = None,
    heads: str | Path | HeadRules | None = None,
    mode: Mode | str | None = None,
    tags: TagSource | str | None = None,
    punct: Punctuation | str | None = None,
    functions: FunctionPolicy | str = FunctionPolicy.STRIP,
    unaries: bool = True,
    rerank: bool = False,
    shrink: int = 0,
    max_length: int = MAX_LENGTH,
    licence: str = "",
    text: Sequence[str | Path] = (),
    seed: int = 1,
    threads: int | None = None,
    resume: bool = False,
    listener: Listener | None = None,
) -> Parser:
    """Train a parser from a treebank: a file, a folder, or trees.

    With development trees the best epoch is kept; `dev="10%"` holds out a share of the training trees. With
    `output` the model is written there, with a log and a learning curve beside it, and an interrupted
    training can be resumed. Settings that are left out are inferred from the treebank and reported to the
    listener. `TrainOptions` describes the options; they are those of `spindle train`.
    """
    options = TrainOptions(
        parser=parser,
        order=order,
        encoder=encoder,
        epochs=epochs,
        parser_options=parser_options or {},
        encoding=encoding,  # type: ignore[arg-type]  # text becomes an enum
        one_shot=one_shot,
        labeler_features=labeler_features,  # type: ignore[arg-type]
        heads=heads,
        mode=mode,  # type: ignore[arg-type]
        tags=tags,  # type: ignore[arg-type]
        punct=punct,  # type: ignore[arg-type]
        functions=functions,  # type: ignore[arg-type]
        unaries=unaries,
        rerank=rerank,
        shrink=shrink,
        max_length=max_length,
        licence=licence,
        text=tuple([text] if isinstance(text, str | Path) else text),
        seed=seed,
        **({} if threads is None else {"threads": threads}),
    )
    listener = listener or LoggingListener()
    trees, dev_trees, message = with_dev(Treebank.of(train), dev, seed)
    if message:
        listener.say(message)
    return train_parser(
        trees,
        dev_trees,
        options,
        output=None if output is None else Path(output),
        resume=resume,
        listener=listener,
    )


def distill(
    teacher: str | Path | Parser,
    text: str | Path | Iterable[Input],
    train: Trees = (),
    dev: Trees = (),
    output: str | Path | None = None,
    *,
    input: InputKind | str | None = None,
    sentences: int | None = None,
    max_length: int = MAX_TEXT_LENGTH,
    encoder: str = "bilstm",
    epochs: int | None = None,
    parser_options: Mapping[str, Any] | None = None,
    gold_share: float = 0.5,
    text_weight: float = 1.0,
    licence: str = "",
    seed: int = 1,
    threads: int | None = None,
    resume: bool = False,
    listener: Listener | None = None,
) -> Parser:
    """Train a small neural parser on the probabilities of a larger one, for raw text and for gold trees.

    The text is a file of the kind `input`, or sentences as `Parser.parse` takes them. The first `sentences`
    of it with at most `max_length` words are used. `DistillOptions` describes the other options; the rest is
    as with `train`.
    """
    parser = teacher if isinstance(teacher, Parser) else load(teacher)
    name = "a parser in memory" if isinstance(teacher, Parser) else short_name(teacher)
    check_teacher(parser, name)
    files: tuple[str, ...] = ()
    if isinstance(text, str | Path):
        files = (short_name(text),)
        kind = guess_kind(str(text)) if input is None else InputKind(input)
        text = InputReader(parser.splitter).read_file(str(text), kind)
    return distill_parser(
        parser,
        name,
        RawText.collect(text, files, splitter=parser.splitter, limit=sentences, longest=max_length),
        Treebank.of(train),
        Treebank.of(dev),
        DistillOptions(
            encoder=encoder,
            epochs=epochs,
            parser_options=parser_options or {},
            gold_share=gold_share,
            text_weight=text_weight,
            licence=licence,
            seed=seed,
            **({} if threads is None else {"threads": threads}),
        ),
        output=None if output is None else Path(output),
        resume=resume,
        listener=listener,
    )
