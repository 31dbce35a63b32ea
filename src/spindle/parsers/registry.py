"""The parsers by name; each is imported only when it is chosen."""

from __future__ import annotations

from importlib import import_module

from spindle.errors import ParserError
from spindle.parsers.protocol import Backend

PARSERS = {
    "linear": "spindle.parsers.linear:LinearParser",
    "neural": "spindle.parsers.neural:NeuralParser",
    "command": "spindle.parsers.command:CommandParser",
    "malt": "spindle.parsers.java:MaltParser",
    "mst": "spindle.parsers.java:MstParser",
    "zpar": "spindle.parsers.binaries:ZPar",
    "turbo": "spindle.parsers.binaries:TurboParser",
    "udpipe": "spindle.parsers.udpipe:UdpipeParser",
    "spacy": "spindle.parsers.spacy:SpacyParser",
    "oracle": "spindle.parsers.oracle:Oracle",
}
"""`module:class` of every parser that ships."""


def find_parser(name: str) -> type[Backend]:
    """The parser of this name."""
    if name not in PARSERS:
        raise ParserError(f"there is no parser {name!r}; there are {', '.join(PARSERS)}")
    module, _, title = PARSERS[name].partition(":")
    parser: type[Backend] = getattr(import_module(module), title)
    return parser


def name_of(parser: type[Backend]) -> str:
    """What a model file calls a parser."""
    return parser.name or parser.__name__
