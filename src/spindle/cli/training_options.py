"""The options of a training, which `train` and `crossval` share, and what becomes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from spindle.cli.names import HEADS_OR_TRY, PARSER
from spindle.cli.options import FILE, Command, encoding_option

if TYPE_CHECKING:
    from spindle.training import TrainOptions


def training_options(command: Command) -> Command:
    """Add the options that say which parser is trained, and how."""
    options = (
        click.option(
            "--parser",
            metavar="NAME",
            type=PARSER,
            default="linear",
            show_default=True,
            help="The dependency parser to train; `spindle backends` lists them.",
        ),
        click.option(
            "--order",
            type=click.Choice(["basic", "standard", "full"]),
            help="Size of the tree parts that the linear parser scores.",
        ),
        click.option(
            "--encoder",
            metavar="NAME",
            help="Encoder of the neural parser: bilstm, cnn (fastest), or hf:NAME for a pretrained one.",
        ),
        click.option(
            "--parser-option",
            "parser_options",
            metavar="KEY=VALUE",
            multiple=True,
            help="An option of the chosen parser; `spindle backends NAME` lists them.",
        ),
        click.option(
            "--train-command",
            metavar="TEXT",
            help="With --parser command: how it is trained, e.g. 'mine train {train} {model}'.",
        ),
        click.option(
            "--parse-command",
            metavar="TEXT",
            help="With --parser command: how it parses, e.g. 'mine parse {input} {output} {model}'.",
        ),
        encoding_option(
            "How constituents are written into labels. [default: delta if continuous, else direct]"
        ),
        click.option(
            "--one-shot/--two-stage",
            default=None,
            help="Let the parser label its arcs, or train a separate labeler. [default: depends on the "
            "parser]",
        ),
        click.option(
            "--labeler-features",
            type=click.Choice(["own", "paper"]),
            help="Features of the separate labeler: our own, or those of the paper. [default: own]",
        ),
        click.option(
            "--heads",
            metavar="NAME|FILE|try",
            type=HEADS_OR_TRY,
            help="Head rules; `try` compares some on DEV. [default: guessed]",
        ),
        click.option(
            "--mode",
            type=click.Choice(["continuous", "discontinuous"]),
            help="Whether trees may have crossing branches. [default: inferred from TRAIN]",
        ),
        click.option(
            "--tags",
            type=click.Choice(["gold", "predicted", "jackknife"]),
            help="Tags that the stages after the tagger are trained on. [default: jackknife]",
        ),
        click.option(
            "--punct",
            type=click.Choice(["auto", "leave", "move", "restore"]),
            default="auto",
            show_default=True,
            help="Punctuation: leave it, move it from the root into the tree, or move it for training and "
            "restore it on output. auto: restore if TRAIN attaches it at the root, else leave.",
        ),
        click.option(
            "--functions",
            type=click.Choice(["strip", "predict"]),
            default="strip",
            show_default=True,
            help="Functions (NP-SBJ, edge labels): leave them out, or predict them.",
        ),
        click.option(
            "--unaries/--no-unaries", default=True, help="Whether to predict unary chains. [default: yes]"
        ),
        click.option(
            "--rerank",
            is_flag=True,
            help="Train a reranker, too, which chooses among the 16 best trees. Training takes about five "
            "times as long, parsing twice.",
        ),
        click.option(
            "--text",
            metavar="FILE",
            multiple=True,
            type=FILE,
            help="The raw text of TRAIN, to learn how it is split: plain text, or CoNLL-U with "
            "SpaceAfter=No. Without it the style of its words is learned. Can be repeated.",
        ),
        click.option(
            "--licence",
            "--license",
            metavar="TEXT",
            default="",
            help="The licence of TRAIN, for the model's card.",
        ),
        click.option(
            "--max-length",
            type=click.IntRange(min=1),
            default=1000,
            show_default=True,
            metavar="N",
            help="Leave out trees with more than N words: time and memory grow with N² to N³.",
        ),
        click.option(
            "--shrink",
            type=click.IntRange(0, 8),
            default=0,
            help="Halve all weight tables this many times, for a smaller and slightly less accurate model.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def read_training_options(
    parser_options: tuple[str, ...],
    train_command: str | None,
    parse_command: str | None,
    threads: int | None,
    **options: Any,
) -> TrainOptions:
    """Return the options of a training, checked."""
    from spindle.training import TrainOptions

    if threads is not None:
        options["threads"] = threads
    commands = {"train_command": train_command, "parse_command": parse_command}
    own = {
        **option_pairs(parser_options),
        **{key: value for key, value in commands.items() if value is not None},
    }
    chosen = TrainOptions(parser_options=own, **options)
    chosen.check()
    return chosen


def option_pairs(options: tuple[str, ...]) -> dict[str, str]:
    """Return the KEY=VALUE options of a parser by name."""
    pairs: dict[str, str] = {}
    for option in options:
        key, equals, value = option.partition("=")
        if not (equals and key):
            raise click.UsageError(f"--parser-option is KEY=VALUE, not {option!r}.")
        pairs[key] = value
    return pairs
