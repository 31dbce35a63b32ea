"""`spindle distill`: a small parser trained on the predictions of a larger one."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from spindle.cli.common import Reporter, check_output
from spindle.cli.config import config_option
from spindle.cli.options import (
    FILE,
    TREES,
    dev_option,
    input_kind_option,
    learning_options,
    output_option,
    reading_options,
)
from spindle.cli.table_options import TableOptions, text_field_option, tokens_field_option
from spindle.cli.train import read_dev, read_treebank, split_weight
from spindle.cli.training_bar import show_training
from spindle.cli.training_options import option_pairs

if TYPE_CHECKING:
    from spindle.treebanks.files import OnError

MANY = ("--text", "--train")
"""Options that take all file names up to the next option, so that `*.txt` works."""


class ManyNames(click.Command):
    """A command with options that take any number of values."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does, after repeating the name of such an option before each of its values."""
        written: list[str] = []
        current = ""
        for before, arg in pairwise(["", *args]):
            if arg in MANY:
                current = arg
            elif arg.startswith("-") and arg != "-":
                current = ""
            elif current and before != current:
                written.append(current)
            written.append(arg)
        return super().parse_args(ctx, written)


@click.command(cls=ManyNames)
@click.argument("teacher", metavar="TEACHER", type=FILE)
@click.option("--text", metavar="FILE…", multiple=True, type=FILE, help="Raw text, which the teacher parses.")
@click.option(
    "--train",
    metavar="TRAIN…",
    multiple=True,
    type=FILE,
    help="Gold trees, like those that the teacher was trained on; FILE:2 counts twice.",
)
@dev_option
@output_option("STUDENT", "The model file to write")
@click.option(
    "--encoder",
    metavar="NAME",
    default="bilstm",
    show_default=True,
    help="Encoder of the student: bilstm, cnn (fastest), or hf:NAME for a pretrained one.",
)
@input_kind_option
@text_field_option
@tokens_field_option
@click.option(
    "--sentences",
    "limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="Use the first N sentences of the text.",
)
@click.option(
    "--max-length",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    metavar="N",
    help="Leave out sentences of the text with more than N words.",
)
@click.option(
    "--gold-share",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="Weight of a gold tree in its targets; the teacher has the rest.",
)
@click.option(
    "--text-weight",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    show_default=True,
    help="How often a sentence of the text occurs in an epoch; with 0.5 each epoch has a random half.",
)
@click.option(
    "--parser-option",
    "parser_options",
    metavar="KEY=VALUE",
    multiple=True,
    help="An option of the neural parser; `spindle backends neural` lists them.",
)
@click.option(
    "--licence",
    "--license",
    metavar="TEXT",
    default="",
    help="The licence of the data, for the student's card. [default: the teacher's]",
)
@learning_options
@config_option
@reading_options(*TREES)
def distill(
    teacher: str,
    text: tuple[str, ...],
    train: tuple[str, ...],
    dev: str | None,
    output: str,
    kind: str | None,
    limit: int | None,
    max_length: int,
    parser_options: tuple[str, ...],
    threads: int | None,
    resume: bool,
    from_: str | None,
    text_field: str | None,
    tokens_field: str | None,
    text_encoding: str | None,
    on_error: OnError,
    **options: Any,
) -> None:
    """Train a small parser on the predictions of a larger one, TEACHER, for raw text, and on gold trees.

    TEACHER is a neural model. The student has its labels and conventions, and is written and resumed like any
    model that `spindle train` makes.

    \b
    Examples:
      spindle distill large.model --text news/*.txt --train train.ptb --dev dev.ptb -o small.model
      spindle distill large.model --text words.txt --input tokens --sentences 100000 -o small --encoder cnn
    """
    from spindle.cli.parse_input import Arguments
    from spindle.pipeline import load
    from spindle.pipeline.inputs import InputKind
    from spindle.training import short_name
    from spindle.training.distillation import DistillOptions, RawText, check_teacher, distill_parser
    from spindle.training.run import check_output as check_model

    check_output([name for name in (*text, *train, dev, teacher) if name], output)
    check_model(Path(output))
    if missing := next((name for name in text if name != "-" and not Path(name).exists()), None):
        raise click.UsageError(f"There is no file {missing}.")
    parser = load(teacher)
    check_teacher(parser, teacher)
    if threads is not None:
        options["threads"] = threads
    chosen = DistillOptions(parser_options=option_pairs(parser_options), **options)
    chosen.student_options(parser).check()
    reporter = Reporter(output)
    trees = read_treebank(map(split_weight, train), from_, text_encoding, on_error, reporter)
    trees, dev_trees = read_dev(dev, trees, from_, text_encoding, on_error, reporter, options["seed"])
    input_kind = None if kind is None else InputKind(kind)
    fields = TableOptions(text_field, tokens_field).fields(None)
    arguments = Arguments(
        parser, input_kind, "predicted", None, text_encoding, on_error, reporter, fields=fields
    )
    raw = RawText.collect(
        (sentence for name in text for sentence in arguments.read(name)),
        [short_name(name) for name in text],
        splitter=parser.splitter,
        limit=limit,
        longest=max_length,
    )
    reporter.sum_up()
    show_training(
        output,
        lambda bar: distill_parser(
            parser,
            short_name(teacher),
            raw,
            trees,
            dev_trees,
            chosen,
            output=Path(output),
            resume=resume,
            listener=bar,
        ),
    )
