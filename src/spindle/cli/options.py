"""Options that several verbs have. Each function here adds options to a command."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

import click

from spindle.cli.names import HEADS
from spindle.errors import TreebankError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Command = TypeVar("Command", bound=Callable[..., Any])

WRITABLE_TREES = (
    *("bracket", "psd", "discbracket", "export", "export3", "tigerxml"),
    *("conllu-tree", "stanza", "corenlp-json", "corenlp-xml", "brat"),
)
TREES = (*WRITABLE_TREES, "alpino", "corenlp-text")
DEPENDENCIES = ("conllu", "conllx")

FILE = click.Path(readable=False, allow_dash=True)
"""A file name that shells can complete. The verb that opens the file reports if it cannot."""

MAX_THREADS = 1024
"""More threads than any machine has cores."""

threads_option = click.option(
    "--threads", type=click.IntRange(1, MAX_THREADS), help="Number of threads. [default: all cores]"
)
"""Adds `--threads`."""
input_kind_option = click.option(
    "--input",
    "kind",
    type=click.Choice(["text", "tokens", "tagged", "jsonl", "csv", "tsv", "parquet", "conllu", "trees"]),
    help="Kind of input: raw text; words between blanks, a sentence a line; the same as word_TAG; a table "
    "with text or words in a column; CoNLL rows or trees, of which the words are taken. [default: by the "
    "file's ending, else text]",
)
"""Adds `--input`, for sentences to parse."""
lines_option = click.option(
    "--lines",
    type=click.Choice(["sentence", "paragraph", "wrapped", "auto"]),
    default="auto",
    show_default=True,
    help="What a line of raw text is: a sentence; a paragraph, with sentences that end in it; or a part of a "
    "hard-wrapped paragraph, which an empty line or an item of a list ends. auto: wrapped for blocks of "
    "lines that look so, else paragraph; always paragraph for lines of a pipe.",
)
"""Adds `--lines`, for raw text."""


# ── reading treebanks ────────────────────────────────────────────────────────────────────────────────


def reading_options(*formats: str) -> Callable[[Command], Command]:
    """Add `--from`, `--text-encoding` and `--on-error`."""

    def add(command: Command) -> Command:
        command = click.option(
            "--on-error",
            type=click.Choice(["stop", "skip"]),
            default="stop",
            show_default=True,
            help="On a malformed sentence: stop, or report it and continue with the next one.",
        )(command)
        command = text_encoding_option(command)
        return click.option(
            "--from", "from_", type=click.Choice(formats), help="Input format. [default: guessed]"
        )(command)

    return add


def text_encoding_option(command: Command) -> Command:
    """Add `--text-encoding`."""
    return click.option(
        "--text-encoding",
        metavar="NAME",
        callback=_check_encoding,
        help="Text encoding of the input, e.g. latin-1. [default: utf-8]",
    )(command)


def _check_encoding(context: click.Context, option: click.Parameter, name: str | None) -> str | None:
    if name is None:
        return None
    from spindle.treebanks.source import check_encoding

    try:
        return check_encoding(name)
    except TreebankError as error:
        raise click.BadParameter(f"{error.cause}.") from None


class StripNames(click.ParamType):  # type: ignore[type-arg]
    """The names of things to strip, separated by commas."""

    name = "names"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Return the names; fail for an unknown one."""
        from spindle.treebanks.transforms import STRIP

        names = tuple(name.strip() for name in value.split(",") if name.strip())
        if unknown := sorted(set(names) - set(STRIP)):
            self.fail(f"{unknown[0]!r} cannot be stripped; choose from {', '.join(STRIP)}.", param, ctx)
        return names

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the completions of the last name."""
        from click.shell_completion import CompletionItem

        from spindle.treebanks.transforms import STRIP

        before, comma, last = incomplete.rpartition(",")
        return [CompletionItem(before + comma + name) for name in STRIP if name.startswith(last)]


def transform_options(command: Command) -> Command:
    """Add `--strip` and `--punct`."""
    command = click.option(
        "--punct",
        type=click.Choice(["leave", "move", "remove", "raise"]),
        default="leave",
        show_default=True,
        help="Punctuation: leave it, move it from the root into the tree, remove it, or raise it to the "
        "root.",
    )(command)
    return click.option(
        "--strip",
        metavar="WHAT,…",
        type=StripNames(),
        multiple=True,
        callback=lambda context, option, names: tuple(chain.from_iterable(names)),
        help="Remove, separated by commas: functions (NP-SBJ → NP, and edge labels), tag-functions "
        "(CLS-SUJ → CLS), indices (NP-1 → NP), traces (and other empty elements), morphology (and lemmas), "
        "wrapper. All are lossy.",
    )(command)


# ── writing files ────────────────────────────────────────────────────────────────────────────────────


def output_option(metavar: str, what: str, *, required: bool = True) -> Callable[[Command], Command]:
    """Add `-o/--output`: the file to write; without it, if it is not required, standard output."""
    if required:
        return click.option("-o", "--output", metavar=metavar, type=FILE, required=True, help=f"{what}.")
    help = f"{what}. [default: standard output]"
    return click.option("-o", "--output", metavar=metavar, type=FILE, default="-", help=help)


def to_option(*formats: str, default: str = "by OUT's ending") -> Callable[[Command], Command]:
    """Add `--to`: the format to write."""
    return click.option("--to", type=click.Choice(formats), help=f"Output format. [default: {default}]")


def encoding_option(meaning: str, default: str | None = None) -> Callable[[Command], Command]:
    """Add `--encoding`: how constituents are written into labels."""
    choices = click.Choice(["direct", "delta", "hn"])
    if default is None:
        return click.option("--encoding", type=choices, help=meaning)
    return click.option("--encoding", type=choices, default=default, show_default=True, help=meaning)


# ── heads ────────────────────────────────────────────────────────────────────────────────────────────


def head_rule_options(parameter: str = "heads") -> Callable[[Command], Command]:
    """Add `--heads`, under this parameter name, and `--edges-first`."""

    def add(command: Command) -> Command:
        command = click.option(
            "--edges-first",
            is_flag=True,
            help="Children marked as heads in the treebank (HD, hd) override the rules.",
        )(command)
        return click.option(
            "--heads",
            parameter,
            metavar="NAME|FILE",
            type=HEADS,
            help="Head rules: see `spindle heads list`. [default: guessed from the labels]",
        )(command)

    return add


# ── reports ──────────────────────────────────────────────────────────────────────────────────────────

REPORTS = {
    "json": "Print everything as one JSON object instead of tables.",
    "csv": "Print the figures as CSV, with all digits, under the names of their columns.",
    "latex": "Print the figures as a LaTeX table in the style of booktabs.",
}
"""The forms of a report beside tables, and the help of their options."""


def report_options(*forms: str) -> Callable[[Command], Command]:
    """Add `--json`, `--csv` and `--latex`, at most one of which can be given, as the parameter `report`."""

    def choose(context: click.Context, option: click.Parameter, is_given: bool) -> None:
        before = context.params.setdefault("report", "table")
        if is_given and before != "table":
            raise click.UsageError(f"Choose one of --{before} and --{option.name}.")
        if is_given:
            context.params["report"] = option.name

    def add(command: Command) -> Command:
        for form in reversed(forms):
            command = click.option(
                f"--{form}", is_flag=True, expose_value=False, callback=choose, help=REPORTS[form]
            )(command)
        return command

    return add


# ── scores ───────────────────────────────────────────────────────────────────────────────────────────


def scoring_options(command: Command) -> Command:
    """Add the options that define a score: the scheme, and which sentences and brackets count."""
    options = (
        click.option(
            "--scheme",
            type=click.Choice(["evalb", "evalb-gold", "spmrl", "discodop"]),
            help="Score like EVALB with COLLINS.prm, the same with punctuation decided by the gold tags, "
            "EVALB_SPMRL with spmrl.prm, or disco-dop with proper.prm. [default: discodop if GOLD has "
            "discontinuous trees, else evalb; with --official evalb]",
        ),
        click.option(
            "--params",
            metavar="FILE.prm",
            help="An EVALB-style parameter file that replaces the scheme's own.",
        ),
        click.option(
            "--cutoff",
            type=click.IntRange(min=0),
            metavar="N",
            help="Score only sentences of up to N words.",
        ),
        click.option("--disc-only", is_flag=True, help="Score discontinuous brackets only."),
        click.option(
            "--missing",
            "--unparsed",
            "missing",
            type=click.Choice(["count", "skip"]),
            help="A sentence without a predicted tree: count its gold brackets as missed, or leave it out. "
            "[default: count; with --official skip]",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


# ── training ─────────────────────────────────────────────────────────────────────────────────────────


def learning_options(command: Command) -> Command:
    """Add the options of every training: `--epochs`, `--seed`, `--threads`, `--resume`."""
    options = (
        click.option("--epochs", type=click.IntRange(min=1), help="Passes over the training data."),
        click.option(
            "--seed",
            type=click.IntRange(min=0),
            default=1,
            show_default=True,
            help="The same seed gives the same model.",
        ),
        threads_option,
        click.option(
            "--resume",
            is_flag=True,
            help="Continue an interrupted training; the model is the same as without the interruption.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


dev_option = click.option(
    "--dev",
    metavar="DEV|N%",
    type=FILE,
    help="Development trees: the epoch that is best on them is kept. 10% holds out a tenth of the training "
    "trees, drawn at random by --seed.",
)
"""Adds `--dev`."""
