"""The `spindle` command: one file per verb, imported only when the verb is used."""

from __future__ import annotations

import importlib
import io
import os
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress

import click

from spindle import __version__
from spindle.errors import SpindleError

COMPLETION = "_SPINDLE_COMPLETE"
"""The environment variable by which the script of `spindle completion` requests completions."""

VERBS = {
    "parse": "Parse text, words or treebanks into constituent trees.",
    "demo": "See the idea on one sentence, and a training in seconds.",
    "train": "Train a parser from a treebank in any format.",
    "crossval": "Train and score on all of one treebank, fold by fold.",
    "distill": "Train a small parser on the predictions of a large one.",
    "models": "List the models that come with Spindle.",
    "info": "Show the card of a model.",
    "backends": "List the dependency parsers that can be trained.",
    "evaluate": "Score predicted trees, or dependencies, against gold.",
    "compare": "Test the difference of two parsers for significance.",
    "diff": "Show the trees in which a prediction differs from gold.",
    "draw": "Draw trees as text, SVG, PNG, PDF or LaTeX.",
    "search": "Search treebanks with a pattern in the language of Tregex.",
    "index": "Make indexes of treebanks, for fast searches.",
    "stats": "Print statistics of a treebank.",
    "convert": "Convert a treebank from any format to any other.",
    "encode": "Write constituent trees as dependency trees.",
    "decode": "Turn dependency trees back into constituent trees.",
    "heads": "Head rules: list them, show what they do, induce new ones.",
    "serve": "Serve a page for the browser, and a JSON API.",
    "completion": "Print the completion script for a shell.",
}
"""The verbs and what they do, in the order of the help page. Each is a function in the file of its name."""


class Verbs(click.Group):
    """A group that imports the file of a verb when the verb is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order of the help page."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the verb of that name, or None."""
        if cmd_name not in VERBS:
            return None
        command = getattr(importlib.import_module(f"spindle.cli.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)
        from spindle.cli.verbosity import add_verbosity

        add_verbosity(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs without importing their files."""
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve a verb as click does; suggest a verb for a mistyped one."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            from difflib import get_close_matches

            close = get_close_matches(args[0], VERBS, n=1)
            meant = f" Did you mean {close[0]!r}?" if close else " `spindle --help` lists the verbs."
            ctx.fail(f"There is no verb {args[0]!r}.{meant}")
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None and not ctx.resilient_parsing:
            from spindle.cli.old_spellings import with_new_spellings

            rest = with_new_spellings(command, rest)
        return name, command, rest


@click.command(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="A file name `-` means standard input or output; .gz, .xz and .zst work everywhere. "
    "`spindle VERB --help` shows a verb's options, with examples. Exit codes: 0 success, 1 error, 2 wrong "
    "options, 130 interrupted, 141 output closed by the program that read it.",
)
@click.version_option(__version__, message="spindle %(version)s")
def cli() -> None:
    """Parse sentences into constituent trees, and turn any dependency parser into a constituent parser.

    \b
      spindle parse "The public is still cautious."

    This works at once, because English models are inside; `spindle models` lists those of other languages,
    and `spindle train` makes a model of any treebank. Spindle writes constituents, continuous or
    discontinuous, into the labels of dependency trees, and reads them back.

    \b
    Examples:
      spindle demo                                 see the idea on one sentence
      spindle train train.ptb --dev 10% -o m       train a parser on a treebank …
      spindle parse "Trees grow." --model m        … and parse a sentence with it
      spindle draw dev.export -o 'tree-{n}.png'    pictures of trees
      spindle evaluate gold.ptb parsed.ptb         score trees like the official programs
      spindle convert tiger.xml tiger.export       any treebank format to any other
      spindle stats train.ptb                      statistics of a treebank
      spindle encode train.ptb -o train.conllu     constituents as dependencies …
      spindle decode parsed.conllu -o parsed.ptb   … and back
    """


def main(args: Sequence[str] | None = None) -> None:
    """Run the command; report mistakes of the user in one line on standard error, without a traceback."""
    _prepare_streams()
    from spindle.cli.verbosity import messages_on_standard_error

    with messages_on_standard_error():
        _run(args)


def _run(args: Sequence[str] | None) -> None:
    from spindle.cli.common import complain, error_message
    from spindle.cli.verbosity import verbosity_options

    if not any("--quiet" in option.opts for option in cli.params):
        cli.params += verbosity_options()
    if threading.current_thread() is threading.main_thread():
        # Clean up on SIGTERM, as on Ctrl-C.
        signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        if instruction := os.environ.get(COMPLETION):
            from click.shell_completion import shell_complete

            sys.exit(shell_complete(cli, {}, "spindle", COMPLETION, instruction))
        # Not cli.main(), which treats a closed pipe as an error.
        with cli.make_context("spindle", list(sys.argv[1:] if args is None else args)) as context:
            cli.invoke(context)
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except click.UsageError as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.ClickException, SpindleError) as error:
        complain(error_message(error) if isinstance(error, SpindleError) else error.format_message())
        sys.exit(1)
    except KeyboardInterrupt as stop:
        complain(f"interrupted; {stop}" if str(stop) else "interrupted; finished output has been written")
        sys.exit(130)
    except MemoryError:
        complain("there is not enough memory; give it less at once, for example fewer threads or trees")
        sys.exit(1)
    except BrokenPipeError:  # the reading process has closed the pipe
        _forget_output()
        sys.exit(141)
    except OSError as error:
        _forget_output()
        complain(f"{error.filename or 'standard output'}: {error.strerror or error}")
        sys.exit(1)
    sys.exit(0)


def _prepare_streams() -> None:
    """Replace closed standard streams, and print a replacement for characters that a terminal lacks."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _forget_output() -> None:
    """Keep Python from writing the unwritten output again at exit."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
