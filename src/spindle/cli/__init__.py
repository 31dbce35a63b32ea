"""The `spindle` command: one file a verb, imported only when it is used."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import Any

import click

from spindle import __version__
from spindle.errors import SpindleError

# The order of the help page: the way of a tree through the paper. `module:function` of each verb.
VERBS = {
    "demo": "demo:demo",
    "convert": "convert:convert",
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
      spindle stats train.ptb                      what is in a treebank
      spindle encode train.ptb -o train.conllu     constituents as dependencies …
      spindle decode parsed.conllu -o parsed.ptb   … and back
    """


def main(args: Sequence[str] | None = None) -> None:
    """Run the command; a user's mistake ends in one line on standard error, never in a traceback."""
    try:
        outcome: Any = cli.main(args, prog_name="spindle", standalone_mode=False)
        sys.exit(outcome if isinstance(outcome, int) else 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        click.echo("spindle: interrupted; what was finished has been written", err=True)
        sys.exit(130)
    except BrokenPipeError:
        # whoever reads our output has seen enough; keep Python from saying so once more at exit
        sys.stderr.close()
        sys.exit(141)
    except SpindleError as error:
        click.echo(f"spindle: {error}", err=True)
        sys.exit(1)
