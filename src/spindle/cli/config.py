"""`--config FILE`: options from a TOML file, under the names they have on the command line."""

from __future__ import annotations

import tomllib
from typing import Any

import click

from spindle.cli.options import FILE, Command


def config_option(command: Command) -> Command:
    """Add `--config`; options on the command line override those in the file."""
    return click.option(
        "--config",
        metavar="FILE",
        type=FILE,
        is_eager=True,
        expose_value=False,
        callback=_read,
        help="Options from a TOML file, under the same names; the command line overrides it.",
    )(command)


def _read(context: click.Context, option: click.Parameter, name: str | None) -> None:
    if name is None:
        return
    try:
        with open(name, "rb") as file:
            values = tomllib.load(file)
    except OSError as error:
        raise click.BadParameter(f"{name}: {error.strerror or error}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise click.BadParameter(f"{name}: {error}.") from None
    known = _known(context.command)
    defaults: dict[str, Any] = {}
    for key, value in values.items():
        if key not in known:
            raise click.BadParameter(f"{name}: there is no option {key!r}; choose from {', '.join(known)}.")
        parameter, negates = known[key]
        if isinstance(value, dict):  # a table of options, as of [parser-option]
            value = [f"{inner}={one}" for inner, one in value.items()]
        assert parameter.name is not None
        defaults[parameter.name] = not value if negates else value
    context.default_map = {**(context.default_map or {}), **defaults}


def _known(command: click.Command) -> dict[str, tuple[click.Parameter, bool]]:
    """Return the parameters by their names in a file, and whether a name negates, as `two-stage` does."""
    known: dict[str, tuple[click.Parameter, bool]] = {}
    for parameter in command.params:
        if parameter.name in ("config", "help"):
            continue
        names = parameter.opts if isinstance(parameter, click.Option) else [f"--{parameter.name}"]
        known |= {name[2:]: (parameter, False) for name in names if name.startswith("--")}
        known |= {name[2:]: (parameter, True) for name in parameter.secondary_opts}
    return known
