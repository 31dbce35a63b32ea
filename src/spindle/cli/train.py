"""`spindle train`: a parser from a treebank."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from spindle.cli.common import Reporter, check_output, open_trees
from spindle.cli.config import config_option
from spindle.cli.options import (
    FILE,
    TREES,
    dev_option,
    encoding_option,
    learning_options,
    output_option,
    reading_options,
)
from spindle.cli.training_bar import show_seeds, show_training

if TYPE_CHECKING:
    from spindle.training import Treebank
    from spindle.treebanks.files import OnError


@click.command()
@click.argument("train", metavar="TRAIN…", nargs=-1, required=True, type=FILE)
@dev_option
@output_option("MODEL", "The model file to write")
@click.option(
    "--parser",
    metavar="NAME",
    default="linear",
    show_default=True,
    help="The dependency parser to train; `spindle backends` lists them.",
)
@click.option(
    "--order",
    type=click.Choice(["basic", "standard", "full"]),
    help="Size of the tree parts that the linear parser scores.",
)
@click.option(
    "--encoder",
    metavar="NAME",
    help="Encoder of the neural parser: bilstm, cnn (fastest), or hf:NAME for a pretrained one.",
)
@click.option(
    "--parser-option",
    "parser_options",
    metavar="KEY=VALUE",
    multiple=True,
    help="An option of the chosen parser; `spindle backends NAME` lists them.",
)
@click.option(
    "--train-command",
    metavar="TEXT",
    help="With --parser command: how it is trained, e.g. 'mine train {train} {model}'.",
)
@click.option(
    "--parse-command",
    metavar="TEXT",
    help="With --parser command: how it parses, e.g. 'mine parse {input} {output} {model}'.",
)
@encoding_option("How constituents are written into labels. [default: delta if continuous, else direct]")
@click.option(
    "--one-shot/--two-stage",
    default=None,
    help="Let the parser label its arcs, or train a separate labeler. [default: depends on the parser]",
)
@click.option(
    "--labeler-features",
    type=click.Choice(["own", "paper"]),
    help="Features of the separate labeler: our own, or those of the paper. [default: own]",
)
@click.option(
    "--heads", metavar="NAME|FILE|try", help="Head rules; `try` compares some on DEV. [default: guessed]"
)
@click.option(
    "--mode",
    type=click.Choice(["continuous", "discontinuous"]),
    help="Whether trees may have crossing branches. [default: inferred from TRAIN]",
)
@click.option(
    "--tags",
    type=click.Choice(["gold", "predicted", "jackknife"]),
    help="Tags that the stages after the tagger are trained on. [default: jackknife]",
)
@click.option(
    "--punct",
    type=click.Choice(["auto", "leave", "move", "restore"]),
    default="auto",
    show_default=True,
    help="Punctuation: leave it, move it from the root into the tree, or move it for training and restore it "
    "on output. auto: restore if TRAIN attaches it at the root, else leave.",
)
@click.option(
    "--functions",
    type=click.Choice(["strip", "predict"]),
    default="strip",
    show_default=True,
    help="Functions (NP-SBJ, edge labels): leave them out, or predict them.",
)
@click.option("--unaries/--no-unaries", default=True, help="Whether to predict unary chains. [default: yes]")
@click.option(
    "--licence", "--license", metavar="TEXT", default="", help="The licence of TRAIN, for the model's card."
)
@click.option(
    "--shrink",
    type=click.IntRange(0, 8),
    default=0,
    help="Halve all weight tables this many times, for a smaller and slightly less accurate model.",
)
@click.option(
    "--seeds",
    metavar="N,N,…",
    callback=lambda context, option, text: None if text is None else _seeds(text),
    help="Train one model for each seed, MODEL.seed1 and so on, and report mean and deviation on DEV.",
)
@learning_options
@config_option
@reading_options(*TREES)
def train(
    train: tuple[str, ...],
    dev: str | None,
    output: str,
    parser_options: tuple[str, ...],
    train_command: str | None,
    parse_command: str | None,
    threads: int | None,
    resume: bool,
    seeds: tuple[int, ...] | None,
    from_: str | None,
    text_encoding: str | None,
    on_error: OnError,
    **options: Any,
) -> None:
    """Train a parser from a treebank in any format.

    Of several treebanks the parser imitates the first; FILE:0.5 counts half, with --parser neural.

    Settings you leave out are inferred from the treebank and reported. MODEL.log.jsonl and MODEL.curve.svg
    are written beside MODEL, and during training a checkpoint for --resume.

    \b
    Examples:
      spindle train train.ptb --dev dev.ptb -o model
      spindle train tiger.export --dev dev.export -o tiger.model --order full --functions predict
      spindle train train.ptb --dev dev.ptb -o gum.model --seeds 1,2,3
      spindle train train.ptb --dev dev.ptb -o model --config settings.toml --resume
    """
    from spindle.training import TrainOptions, train_parser
    from spindle.training.run import check_output as check_model
    from spindle.training.seeds import train_seeds

    if seeds is not None and is_given("seed"):
        raise click.UsageError("--seed and --seeds cannot be combined.")
    check_output([name for name in (*train, dev) if name], output)
    check_model(Path(output))
    if threads is not None:
        options["threads"] = threads
    commands = {"train_command": train_command, "parse_command": parse_command}
    own = {
        **option_pairs(parser_options),
        **{key: value for key, value in commands.items() if value is not None},
    }
    chosen = TrainOptions(parser_options=own, **options)
    chosen.check()
    reporter = Reporter(output)
    trees = read_treebank(map(split_weight, train), from_, text_encoding, on_error, reporter)
    dev_trees = read_treebank([(dev, 1.0)] if dev else [], from_, text_encoding, on_error, reporter)
    reporter.sum_up()
    if seeds is not None:
        show_seeds(
            output,
            seeds,
            lambda bar: train_seeds(
                trees, dev_trees, chosen, seeds, output=Path(output), resume=resume, listener=bar
            ),
        )
        return
    show_training(
        output,
        lambda bar: train_parser(trees, dev_trees, chosen, output=Path(output), resume=resume, listener=bar),
    )


def _seeds(text: str) -> tuple[int, ...]:
    """Return the seeds of `1,2,3`."""
    try:
        seeds = tuple(int(part) for part in text.split(","))
    except ValueError:
        seeds = ()
    if not seeds or min(seeds) < 0 or len(set(seeds)) < len(seeds):
        raise click.BadParameter(f"{text!r} is not a list of different whole numbers, such as 1,2,3.")
    return seeds


def is_given(parameter: str) -> bool:
    """Return whether a parameter was given on the command line."""
    from click.core import ParameterSource

    source = click.get_current_context().get_parameter_source(parameter)
    return source is ParameterSource.COMMANDLINE


def split_weight(name: str) -> tuple[str, float]:
    """Split `FILE:WEIGHT` into the file and its weight."""
    file, colon, weight = name.rpartition(":")
    try:
        return (file, float(weight)) if colon and file and not Path(name).exists() else (name, 1.0)
    except ValueError:  # the colon is part of the file name
        return name, 1.0


def read_treebank(
    files: Iterable[tuple[str, float]],
    format: str | None,
    encoding: str | None,
    on_error: OnError,
    reporter: Reporter,
) -> Treebank:
    """Read files, each with its weight, as one treebank."""
    from spindle.training import Treebank

    return Treebank.joined(
        (name, open_trees(name, format, encoding, on_error, reporter), weight) for name, weight in files
    )


def option_pairs(options: tuple[str, ...]) -> dict[str, str]:
    """Return the KEY=VALUE options of a parser by name."""
    pairs: dict[str, str] = {}
    for option in options:
        key, equals, value = option.partition("=")
        if not (equals and key):
            raise click.UsageError(f"--parser-option is KEY=VALUE, not {option!r}.")
        pairs[key] = value
    return pairs
