"""XML as a flat stream of events: memory does not grow with the length or depth of the document.

This module uses expat directly and builds no elements. So every event knows its line, nothing recurses over
nested elements, and hostile documents can be refused. Declared entities are refused, because a few lines of
them can expand to gigabytes. External entities are never fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple
from xml.parsers import expat

from spindle.errors import TreebankError, UnreadableFile
from spindle.treebanks.limited import Limited
from spindle.treebanks.source import Source, check_encoding

# A document with an external DTD may use any entity; expat would drop it silently.
_NAMED_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z_][\w.-]*;")
_MAX_ENTITY_BYTES = 64


class Event(NamedTuple):
    """The start or end of an element, or a comment.

    `text` is the text of a comment. At the end of an element it is the text after the last start tag.
    """

    kind: str  # "start", "end" or "comment"
    name: str
    attributes: dict[str, str]
    text: str
    line: int


def xml_events(source: Source, ends: frozenset[str], sentence: str) -> Iterator[Event]:
    """Yield the events of a document; raise an `UnreadableFile` where it is not well-formed.

    All events before that place are yielded first. Only elements named in `ends` have an end event. The
    encoding is that of the source, or else the one that the document declares. The end of an element
    `sentence` must come within the limit of a sentence.
    """
    parser = _EventParser(source, ends)
    overlap = b""  # an entity may lie across two chunks
    chunks = Limited(source.chunks(), source.name)
    for chunk in chain(chunks, (b"",)):
        failure = parser.feed(chunk)
        if parser.has_external_dtd and (found := _NAMED_ENTITY.search(overlap + chunk)):
            failure = parser.error(
                f"the entity {found[0].decode('ascii', 'replace')} is not defined here",
                "DTDs are not fetched; write the character itself",
            )
            parser.events.clear()
        overlap = chunk[-_MAX_ENTITY_BYTES:]
        if any(event.name == sentence and event.kind == "end" for event in parser.events):
            chunks.restart()
        yield from parser.events
        parser.events.clear()
        if failure is not None:
            raise failure


class _EventParser:
    """Feeds chunks of a document to expat and collects its events."""

    def __init__(self, source: Source, ends: frozenset[str]) -> None:
        self.source, self.ends = source, ends
        self.events: list[Event] = []
        self.has_external_dtd = False
        self._texts: list[str] = []
        encoding = source.text_encoding
        try:
            self._expat = expat.ParserCreate(encoding and check_encoding(encoding))
        except (LookupError, ValueError) as error:
            raise UnreadableFile(f"cannot be read as {encoding}: {error}", file=source.name) from None
        self._expat.buffer_text = True
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end
        self._expat.CharacterDataHandler = self._texts.append
        self._expat.CommentHandler = self._comment
        self._expat.StartDoctypeDeclHandler = self._doctype
        self._expat.EntityDeclHandler = self._entity

    def feed(self, chunk: bytes) -> TreebankError | None:
        """Parse a chunk, which is empty at the end; return the error if the document is not well-formed."""
        try:
            self._expat.Parse(chunk, not chunk)
        except expat.ExpatError as error:
            return _failure(self.source.name, error)
        except (LookupError, ValueError) as error:  # the document declares an unknown encoding
            return self.error(str(error))
        except TreebankError as error:
            return error
        return None

    def error(self, cause: str, hint: str = "") -> UnreadableFile:
        """Return an error at the current line."""
        return UnreadableFile(cause, file=self.source.name, line=self._expat.CurrentLineNumber, hint=hint)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._texts.clear()
        self.events.append(Event("start", name, attributes, "", self._expat.CurrentLineNumber))

    def _end(self, name: str) -> None:
        if name in self.ends:
            self.events.append(Event("end", name, {}, "".join(self._texts), self._expat.CurrentLineNumber))

    def _comment(self, text: str) -> None:
        self.events.append(Event("comment", "", {}, text, self._expat.CurrentLineNumber))

    def _doctype(
        self, name: str, system_id: str | None, public_id: str | None, has_internal_subset: bool
    ) -> None:
        self.has_external_dtd = bool(system_id or public_id)

    def _entity(self, name: str, *declaration: object) -> None:
        raise self.error(
            f"the document declares the entity {name!r}",
            "entities are not read; write the characters themselves",
        )


def _failure(file: str, error: expat.ExpatError) -> UnreadableFile:
    hint = ""
    if error.code == expat.errors.codes[expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT]:
        hint = "a file contains one document: split it into several files"
    return UnreadableFile(
        f"broken XML: {expat.ErrorString(error.code)}", file=file, line=error.lineno, hint=hint
    )
