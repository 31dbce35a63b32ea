"""`--engine` and its companions: the options of `spindle parse` for a corpus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def corpus_options(command: Command) -> Command:
    """Add `--engine` and the options that belong to it."""
    options = (
        click.option(
            "--engine",
            type=click.Choice(["local", "dask", "ray"]),
            help="Parse a corpus, partition by partition, into the folder OUT: in this process, or on a Dask "
            "or Ray cluster. The same command continues what is unfinished.",
        ),
        click.option(
            "--scheduler", metavar="ADDRESS", help="The cluster. [default: workers on this machine]"
        ),
        click.option(
            "--workers",
            type=click.IntRange(1, 100_000),
            metavar="N",
            help="The number of worker processes that are started, each with --threads threads. [default: a "
            "worker for each core]",
        ),
        click.option(
            "--partition-size", metavar="BYTES", help="The input of a part, for example 16MB. [default: 4MB]"
        ),
        click.option(
            "--tries",
            type=click.IntRange(1, 100),
            metavar="N",
            help="Give a partition up after N failures. [default: 3]",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def check_corpus_options(
    context: click.Context, engine: str | None, inputs: Sequence[str], output: str, refused: Sequence[str]
) -> None:
    """Raise a usage error for options that do not go with `--engine`, or that only go with it."""
    from spindle.cli.parse_input import is_text

    def is_given(name: str) -> bool:
        source = context.get_parameter_source(name)
        return source is not None and source.name == "COMMANDLINE"

    if engine is None:
        for name in ("scheduler", "workers", "partition_size", "tries"):
            if is_given(name):
                raise click.UsageError(f"--{name.replace('_', '-')} needs --engine.")
        return
    if output == "-":
        raise click.UsageError("--engine writes a folder; name it with -o.")
    if not inputs or any(one == "-" or is_text(one) for one in inputs):
        raise click.UsageError("--engine parses files, folders, globs and URLs.")
    if is_given("resume"):
        raise click.UsageError("With --engine, the same command continues; leave --resume out.")
    if is_given("on_error"):
        raise click.UsageError("With --engine, broken sentences go to errors files; leave --on-error out.")
    for name in refused:
        if is_given(name):
            raise click.UsageError(f"--{name.replace('_', '-')} does not go with --engine.")
