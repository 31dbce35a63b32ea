"""`spindle train`: a parser from a treebank."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from spindle.cli.common import FILE, TREES, Command, Reporter, check_output, note, open_trees, reading_options
from spindle.cli.config import config_option

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from spindle.pipeline import Parser
    from spindle.training import Treebank
    from spindle.treebanks.files import OnError


def learning_options(command: Command) -> Command:
    """Add the options of every training."""
    options = (
        click.option("--epochs", type=click.IntRange(min=1), help="Passes over the training data."),
        click.option(
            "--seed",
            type=click.IntRange(min=0),
            default=1,
            show_default=True,
            help="The same seed gives the same model.",
        ),
        click.option("--threads", type=click.IntRange(min=1), help="Number of threads. [default: all cores]"),
        click.option(
            "--resume",
            is_flag=True,
            help="Continue an interrupted training; the model is the same as without the interruption.",
        ),
        config_option,
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command()
@click.argument("train", metavar="TRAIN…", nargs=-1, required=True, type=FILE)
@click.option(
    "--dev", metavar="DEV", type=FILE, help="Development trees: the epoch that is best on them is kept."
)
@click.option("-o", "--output", metavar="MODEL", type=FILE, required=True, help="The model file to write.")
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
@click.option(
    "--encoding",
    type=click.Choice(["direct", "delta", "hn"]),
    help="How constituents are written into labels. [default: delta if continuous, else direct]",
)
@click.option(
    "--one-shot/--two-stage",
    default=None,
    help="Let the parser label its arcs, or train a separate labeler. [default: depends on the parser]",
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
@learning_options
@reading_options(*TREES, encoding_name="--text-encoding")
def train(
    train: tuple[str, ...],
    dev: str | None,
    output: str,
    parser_options: tuple[str, ...],
    train_command: str | None,
    parse_command: str | None,
    threads: int | None,
    resume: bool,
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
      spindle train train.ptb --dev dev.ptb -o model --config settings.toml --resume
    """
    from spindle.training import TrainOptions, train_parser
    from spindle.training.run import check_output as check_model

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
    show(
        output,
        lambda bar: train_parser(trees, dev_trees, chosen, output=Path(output), resume=resume, listener=bar),
    )


def show(output: str, training: Callable[[TrainingBar], Parser]) -> None:
    """Run a training with a progress bar, and report the result."""
    try:
        with TrainingBar() as bar:
            parser = training(bar)
    except KeyboardInterrupt:
        if Path(f"{output}.checkpoint").exists():
            note(
                f"{output}.checkpoint has the finished stages and epochs; "
                "the same command with --resume continues"
            )
        raise
    scores = parser.card.scores
    if "f1" in scores:
        note(f"{output}: dev F1 {scores['f1']:.2f}  {scores['signature']}")
    else:
        note(f"{output} is written; without --dev it has no scores")


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


class TrainingBar:
    """Shows messages and figures as lines, and on a terminal a progress bar below them."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._start = monotonic()

    def __enter__(self) -> TrainingBar:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

            self._progress = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f} %"),
                TextColumn("{task.fields[figures]}"),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def say(self, text: str) -> None:
        """Print a line above the bar."""
        if self._progress is None:
            note(text)
        else:
            self._progress.console.print(f"spindle: {text}", markup=False, highlight=False, soft_wrap=True)

    def stage(self, name: str) -> None:
        """Start a new bar."""
        if self._progress is None:
            note(f"training: {name}")
            return
        if self._task is not None:
            self._progress.remove_task(self._task)
        self._task = self._progress.add_task(name, total=None, figures="")
        self._start = monotonic()

    def progress(self, done: int, of: int, loss: float | None) -> None:
        """Move the bar."""
        if self._progress is None or self._task is None:
            return
        if done < (self._progress.tasks[-1].completed or 0):  # another epoch
            self._progress.reset(self._task)
            self._start = monotonic()
        figures = ""
        if loss is not None:  # from the parser, which counts sentences; other stages count their epochs
            speed = done / max(monotonic() - self._start, 1e-9)
            figures = f"{speed:,.0f} sentences/s, loss {loss:.4g}"
        self._progress.update(self._task, completed=done, total=of, figures=figures)

    def epoch(self, record: dict[str, Any]) -> None:
        """Print the figures of an epoch."""
        figures = [f"epoch {record['epoch']}", f"loss {record['loss']:.4g}"]
        if "f1" in record:
            figures.append(f"dev F1 {record['f1']:.2f}")
        if "disc_f1" in record:
            figures.append(f"disc. F1 {record['disc_f1']:.2f}")
        self.say(", ".join(figures))
