"""The `spindle` command: one file a verb, imported only when it is used."""

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
"""The variable by which the script of `spindle completion` asks what could be typed next."""

# The order of the help page: the way of a tree through the paper. `module:function` of each verb.
VERBS = {
    "demo": "demo:demo",
    "convert": "convert:convert",
    "train": "train:train",
    "parse": "parse:parse",
    "distill": "distill:distill",
    "info": "info:info",
    "backends": "backends:backends",
    "encode": "encode:encode",
    "decode": "decode:decode",
    "heads": "heads:heads",
    "stats": "stats:stats",
    "draw": "draw:draw",
    "evaluate": "evaluate:evaluate",
    "compare": "compare:compare",
    "completion": "completion:completion",
}


class Verbs(click.Group):
    """A group that imports a verb's file when the verb is called (or when help lists it)."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs in the order of the help page."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb of that name."""
        if cmd_name not in VERBS:
            return None
        module, _, function = VERBS[cmd_name].partition(":")
        command = getattr(importlib.import_module(f"spindle.cli.{module}"), function)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, but a mistyped verb gets a suggestion."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            from difflib import get_close_matches

            close = get_close_matches(args[0], VERBS, n=1)
            meant = f" Did you mean {close[0]!r}?" if close else " `spindle --help` lists the verbs."
            ctx.fail(f"There is no verb {args[0]!r}.{meant}")
        return super().resolve_command(ctx, args)


@click.command(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="A file name `-` means standard input or output; .gz, .xz and .zst work everywhere. "
    "`spindle VERB --help` shows a verb's options, with examples.",
)
@click.version_option(__version__, message="spindle %(version)s")
def cli() -> None:
    """Turn any dependency parser into a constituent parser, continuous or discontinuous.

    Constituents are written into dependency labels as head-ordered dependency trees, and read back.

    \b
    Examples:
      spindle demo                                 see the idea on one sentence
      spindle convert tiger.xml tiger.export       any treebank format to any other
      spindle train train.ptb --dev dev.ptb -o m   a parser from a treebank …
      spindle parse "Trees grow." --model m        … and what it makes of a sentence
      spindle stats train.ptb                      what is in a treebank
      spindle encode train.ptb -o train.conllu     constituents as dependencies …
      spindle decode parsed.conllu -o parsed.ptb   … and back
    """


def main(args: Sequence[str] | None = None) -> None:
    """Run the command; a user's mistake ends in one line on standard error, never in a traceback."""
    _prepare_streams()
    from spindle.cli.common import error_message, note

    if threading.current_thread() is threading.main_thread():
        # told to end, we clear up behind us, as with Ctrl-C
        signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        if instruction := os.environ.get(COMPLETION):
            from click.shell_completion import shell_complete

            sys.exit(shell_complete(cli, {}, "spindle", COMPLETION, instruction))
        # not cli.main(), which takes a closed pipe for an error
        with cli.make_context("spindle", list(sys.argv[1:] if args is None else args)) as context:
            cli.invoke(context)
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except click.UsageError as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.ClickException, SpindleError) as error:
        note(error_message(error) if isinstance(error, SpindleError) else error.format_message())
        sys.exit(1)
    except KeyboardInterrupt:
        note("interrupted; what was finished has been written")
        sys.exit(130)
    except BrokenPipeError:  # whoever reads our output has seen enough
        _forget_output()
        sys.exit(141)
    except OSError as error:
        _forget_output()
        note(f"{error.filename or 'standard output'}: {error.strerror or error}")
        sys.exit(1)
    sys.exit(0)


def _prepare_streams() -> None:
    """Make standard streams out of closed ones, and let terminals show what they can of our drawings."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _forget_output() -> None:
    """Keep Python from writing once more at its exit what could not be written."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
