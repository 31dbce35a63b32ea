"""The parsers by name. A parser is imported only when it is chosen."""

from __future__ import annotations

from importlib import import_module

from spindle.errors import ParserError
from spindle.parsers.backend import Backend

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
    "oracle": "spindle.parsers.oracle:Oracle",
}
"""`module:class` of every parser that ships."""


def find_parser(name: str) -> type[Backend]:
    """Return the class of a parser. An error in the import of its module is raised unchanged."""
    if name not in PARSERS:
        raise ParserError(f"there is no parser {name!r}; choose from {', '.join(PARSERS)}")
    module, _, title = PARSERS[name].partition(":")
    parser: type[Backend] = getattr(import_module(module), title)
    return parser


def name_of(parser: type[Backend]) -> str:
    """Return the name of a parser in model files."""
    return parser.name or parser.__name__
