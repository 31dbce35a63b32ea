"""`spindle train`: a parser from a treebank."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from spindle.cli.common import Reporter, check_output, note, open_trees
from spindle.cli.config import config_option
from spindle.cli.options import (
    FILE,
    TREES,
    dev_option,
    learning_options,
    output_option,
    reading_options,
)
from spindle.cli.training_bar import show_seeds, show_training
from spindle.cli.training_options import read_training_options, training_options

if TYPE_CHECKING:
    from spindle.training import Treebank
    from spindle.treebanks.files import OnError


@click.command()
@click.argument("train", metavar="TRAIN…", nargs=-1, required=True, type=FILE)
@dev_option
@output_option("MODEL", "The model file to write")
@training_options
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
      spindle train all.ptb --dev 10% -o model
      spindle train tiger.export --dev dev.export -o tiger.model --order full --functions predict
      spindle train train.ptb --dev dev.ptb -o gum.model --seeds 1,2,3
      spindle train train.ptb --dev dev.ptb -o model --config settings.toml --resume
    """
    from spindle.training import train_parser
    from spindle.training.run import check_output as check_model
    from spindle.training.seeds import train_seeds

    if seeds is not None and is_given("seed"):
        raise click.UsageError("--seed and --seeds cannot be combined.")
    check_output([name for name in (*train, dev) if name], output)
    check_model(Path(output))
    chosen = read_training_options(**options)
    reporter = Reporter(output)
    trees = read_treebank(map(split_weight, train), from_, text_encoding, on_error, reporter)
    trees, dev_trees = read_dev(dev, trees, from_, text_encoding, on_error, reporter, options["seed"])
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


def read_dev(
    dev: str | None,
    train: Treebank,
    format: str | None,
    encoding: str | None,
    on_error: OnError,
    reporter: Reporter,
    seed: int,
) -> tuple[Treebank, Treebank]:
    """Return training and development trees; `--dev` is a file, or a share of the training trees."""
    from spindle.training.held_out import hold_out, read_share

    percent = read_share(dev)
    if percent is None:
        files = [(dev, 1.0)] if dev else []
        return train, read_treebank(files, format, encoding, on_error, reporter)
    train, held_out, message = hold_out(train, percent, seed)
    note(message)
    return train, held_out


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
