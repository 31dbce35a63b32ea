"""`--quiet` and `--verbose`, before or after the verb, and the handler that prints messages."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from spindle.cli.common import MESSAGES, print_message


class StandardError(logging.Handler):
    """Prints the messages of the command line, and with `--verbose` those of the library as well.

    Without it, the verbs report by themselves what matters of the library's messages.
    """

    def __init__(self) -> None:
        super().__init__()
        self.own_level, self.library_level = logging.INFO, logging.ERROR

    def emit(self, record: logging.LogRecord) -> None:
        """Print a message, above a progress bar if there is one."""
        if record.levelno >= (self.own_level if record.name == MESSAGES.name else self.library_level):
            print_message(record.getMessage())

    @property
    def is_quiet(self) -> bool:
        """Whether only errors are printed."""
        return self.own_level > logging.INFO


_handler = StandardError()


@contextmanager
def messages_on_standard_error() -> Iterator[None]:
    """Print messages on standard error as long as a command runs."""
    logger = logging.getLogger("spindle")
    before = logger.level
    _handler.own_level, _handler.library_level = logging.INFO, logging.ERROR
    logger.addHandler(_handler)
    logger.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        logger.removeHandler(_handler)
        logger.setLevel(before)


def is_quiet() -> bool:
    """Return whether `--quiet` was given: no notices, no progress bars."""
    return _handler.is_quiet


def _set(own: int, library: int) -> Callable[[click.Context, click.Parameter, bool], None]:
    def callback(context: click.Context, option: click.Parameter, value: bool) -> None:
        if value:
            _handler.own_level, _handler.library_level = own, library

    return callback


def add_verbosity(command: click.Command) -> None:
    """Add `--quiet` and `--verbose` to a command, or to all commands of a group."""
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            add_verbosity(inner)
    elif not any("--quiet" in option.opts for option in command.params):
        command.params += verbosity_options()


def verbosity_options() -> list[click.Parameter]:
    """Return the two options. They are read before all others, whose callbacks may print notices."""
    return [
        click.Option(
            ["-q", "--quiet"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_set(logging.ERROR, logging.ERROR),
            help="Print errors only: no notices, no progress bar.",
        ),
        click.Option(
            ["-v", "--verbose"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_set(logging.DEBUG, logging.DEBUG),
            help="Also print what the library logs.",
        ),
    ]
