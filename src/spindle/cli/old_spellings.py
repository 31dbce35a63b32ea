"""Spellings of options that were replaced. They work for one more version, with a notice.

Arguments are rewritten before click reads them, so that help, completion and the verbs know new names only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import click

from spindle.cli.common import note

Applies = Callable[[click.Command, str], bool]
"""Whether an old spelling with this value is meant in a command."""


def _has(command: click.Command, flag: str) -> bool:
    return any(flag in option.opts for option in command.params)


def _is_text_encoding(command: click.Command, value: str) -> bool:
    return _has(command, "--text-encoding") and not _has(command, "--encoding")


def _is_parse_format(command: click.Command, value: str) -> bool:
    """`parse --output json` named the format; a file of that name is written with `-o json`."""
    to = next((option for option in command.params if "--to" in option.opts), None)
    return command.name == "parse" and to is not None and value in getattr(to.type, "choices", ())


RENAMED: dict[str, tuple[str, Applies]] = {
    "--encoding": ("--text-encoding", _is_text_encoding),
    "--output": ("--to", _is_parse_format),
}
"""For each old spelling, the new one, and where the old one is meant."""


def with_new_spellings(command: click.Command, args: list[str]) -> list[str]:
    """Return the arguments of a verb with new spellings in place of old ones, and print a notice for each."""
    if isinstance(command, click.Group):
        inner = command.commands.get(args[0]) if args else None
        return args if inner is None else [args[0], *with_new_spellings(inner, args[1:])]
    return list(_rewritten(command, args))


def _rewritten(command: click.Command, args: list[str]) -> Iterator[str]:
    noted: set[str] = set()
    end = args.index("--") if "--" in args else len(args)
    for arg, following in pairwise([*args[:end], ""]):
        flag, equals, value = arg.partition("=")
        if flag in RENAMED and RENAMED[flag][1](command, value if equals else following):
            new = RENAMED[flag][0]
            if flag not in noted:
                noted.add(flag)
                note(f"{flag} is now {new}; the old spelling will be removed in the next version")
            yield new + equals + value
        else:
            yield arg
    yield from args[end:]
