"""The parsers by name: those that ship, and those of other packages. A parser is imported when it is chosen.

A package adds a parser with an entry point in the group `spindle.parsers`. Its name is the name of the
parser, its value `module:class` of a subclass of `Backend` with the same `name`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from spindle.errors import ParserError
from spindle.parsers.backend import Backend

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

PARSERS = {
    "linear": "spindle.parsers.linear:LinearParser",
    "neural": "spindle.parsers.neural:NeuralParser",
    "command": "spindle.parsers.external.command:CommandParser",
    "malt": "spindle.parsers.external.java:MaltParser",
    "mst": "spindle.parsers.external.java:MstParser",
    "zpar": "spindle.parsers.external.binaries:ZPar",
    "turbo": "spindle.parsers.external.binaries:TurboParser",
    "udpipe": "spindle.parsers.external.udpipe:UdpipeParser",
    "spacy": "spindle.parsers.external.spacy:SpacyParser",
    "stanza": "spindle.parsers.external.stanza:StanzaParser",
    "supar": "spindle.parsers.external.supar:SuparParser",
    "oracle": "spindle.parsers.oracle:Oracle",
}
"""`module:class` of every parser that ships."""

GROUP = "spindle.parsers"
"""The group of entry points in which other packages add parsers."""


def plugins() -> dict[str, EntryPoint]:
    """Return the parsers of other packages by name, without importing them.

    A name of a parser that ships stays with that parser; of two packages with the same name the first counts.
    """
    return _discover()[0]


def ignored_plugins() -> list[str]:
    """Return the parsers of other packages whose names are taken: one line for each, which says why."""
    return _discover()[1]


def _discover() -> tuple[dict[str, EntryPoint], list[str]]:
    from importlib.metadata import entry_points  # its import takes longer than that of a parser

    found: dict[str, EntryPoint] = {}
    ignored = []
    for entry in sorted(entry_points(group=GROUP), key=package_of):
        if entry.name in PARSERS or entry.name in found:
            other = "Spindle" if entry.name in PARSERS else f"the package {package_of(found[entry.name])}"
            package = package_of(entry)
            ignored.append(
                f"{entry.name} of the package {package} is ignored: {other} has a parser {entry.name}"
            )
        else:
            found[entry.name] = entry
    return found, ignored


def package_of(entry: EntryPoint) -> str:
    """Return the name of the package that an entry point belongs to."""
    return entry.dist.name if entry.dist is not None else ""


def is_parser(name: str) -> bool:
    """Return whether there is a parser with this name; nothing is imported."""
    return name in PARSERS or name in plugins()


def find_parser(name: str) -> type[Backend]:
    """Return the class of a parser.

    An error in the import of a module that ships is raised unchanged; whatever is wrong with a parser of
    another package is a `ParserError` that names the package.
    """
    if name in PARSERS:
        module, _, title = PARSERS[name].partition(":")
        parser: type[Backend] = getattr(import_module(module), title)
        return parser
    added = plugins()
    if name not in added:
        raise ParserError(f"there is no parser {name!r}; choose from {', '.join((*PARSERS, *added))}")
    return _load(added[name])


def _load(entry: EntryPoint) -> type[Backend]:
    fault = f"the parser {entry.name!r} of the package {package_of(entry)} cannot be used"
    hint = f"repair or uninstall {package_of(entry)}"
    try:
        found = entry.load()
    except (Exception, SystemExit) as error:
        cause = f"{type(error).__name__}: {error}".strip().splitlines()[0]
        raise ParserError(f"{fault}: {cause}", hint=hint) from error
    if not (isinstance(found, type) and issubclass(found, Backend)):
        raise ParserError(f"{fault}: {entry.value} is no subclass of spindle.Backend", hint=hint)
    if name_of(found) != entry.name:
        raise ParserError(f"{fault}: its class has the name {name_of(found)!r}", hint=hint)
    return found


def name_of(parser: type[Backend]) -> str:
    """Return the name of a parser in model files."""
    return parser.name or parser.__name__
