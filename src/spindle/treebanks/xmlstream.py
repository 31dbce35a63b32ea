"""XML as a flat stream of events: memory stays the same however long or deep the document is.

The parser is used directly, without building elements: so every event knows its line, nothing here recurses
over nested elements, and what a hostile file might do can be refused. Entities that the document declares
are refused, because a few lines of them can stand for gigabytes; external ones are never fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple
from xml.parsers import expat

from spindle.errors import TreebankError, UnreadableFile
from spindle.treebanks.source import Source, check_encoding

# A document with an external DTD may name any entity; the parser would leave it out without a word.
_NAMED_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z_][\w.-]*;")
_LONGEST_ENTITY = 64


class Event(NamedTuple):
    """The start or end of an element, or a comment.

    `text` is a comment's text, or at the end of an element what stands in it after the last start of one.
    """

    kind: str  # "start", "end" or "comment"
    name: str
    attributes: dict[str, str]
    text: str
    line: int


def xml_events(source: Source, ends: frozenset[str]) -> Iterator[Event]:
    """The events of a document; raises an `UnreadableFile` where it stops being well-formed.

    Everything before that place has been given by then. Only elements named in `ends` have an end event.
    The encoding is the source's, or else the one that the document declares.
    """
    try:
        parser = expat.ParserCreate(source.encoding and check_encoding(source.encoding))
    except (LookupError, ValueError) as error:
        raise UnreadableFile(f"cannot be read as {source.encoding}: {error}", file=source.name) from None
    parser.buffer_text = True
    events: list[Event] = []
    texts: list[str] = []
    has_external_dtd = False

    def start(name: str, attributes: dict[str, str]) -> None:
        texts.clear()
        events.append(Event("start", name, attributes, "", parser.CurrentLineNumber))

    def end(name: str) -> None:
        if name in ends:
            events.append(Event("end", name, {}, "".join(texts), parser.CurrentLineNumber))

    def comment(text: str) -> None:
        events.append(Event("comment", "", {}, text, parser.CurrentLineNumber))

    def doctype(name: str, system_id: str | None, public_id: str | None, has_internal_subset: bool) -> None:
        nonlocal has_external_dtd
        has_external_dtd = bool(system_id or public_id)

    def entity(name: str, *declaration: object) -> None:
        raise UnreadableFile(
            f"the document declares the entity {name!r}",
            file=source.name,
            line=parser.CurrentLineNumber,
            hint="entities are not read; write the characters themselves",
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = texts.append
    parser.CommentHandler = comment
    parser.StartDoctypeDeclHandler = doctype
    parser.EntityDeclHandler = entity

    seam = b""
    for chunk in chain(source.chunks(), (b"",)):
        failure: TreebankError | None = None
        try:
            parser.Parse(chunk, not chunk)
        except expat.ExpatError as error:
            failure = _failure(source.name, error)
        except (LookupError, ValueError) as error:  # the document declares an encoding that is not known
            failure = UnreadableFile(str(error), file=source.name, line=parser.CurrentLineNumber)
        except TreebankError as error:
            failure = error
        if has_external_dtd and (found := _NAMED_ENTITY.search(seam + chunk)):
            failure = UnreadableFile(
                f"the entity {found[0].decode('ascii', 'replace')} is not defined here",
                file=source.name,
                line=parser.CurrentLineNumber,
                hint="DTDs are not fetched; write the character itself",
            )
            events.clear()
        seam = chunk[-_LONGEST_ENTITY:]
        yield from events
        events.clear()
        if failure is not None:
            raise failure


def _failure(file: str, error: expat.ExpatError) -> UnreadableFile:
    hint = ""
    if error.code == expat.errors.codes[expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT]:
        hint = "a file holds one document: put several into files of their own"
    return UnreadableFile(
        f"broken XML: {expat.ErrorString(error.code)}", file=file, line=error.lineno, hint=hint
    )
