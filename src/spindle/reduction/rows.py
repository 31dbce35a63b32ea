r"""Reduced trees as CoNLL rows, and back, without loss.

The arc is in HEAD and DEPREL; tag, lemma and morphology have their own columns. Everything that a d-tree
cannot represent is in MISC, which dependency parsers ignore:

    Unary=0:NP,2:S>ADJP   the chain NP above the word itself, and S over ADJP above its event 2
    Edges=1:SB            the edge label of the node of event 1 (after those of its chain, top-down)
    Function=HD           the edge label of the word
    Tag=_                 a tag (or Lemma, Morph) that is literally `_`, which would mean an empty column

The first sentence has a header comment, `# spindle encoding=direct wrapper=ROOT`. A sentence with another
wrapper has the comment `# spindle_wrapper = TOP`, with nothing after `=` if it has no wrapper. Secondary
edges are a comment, too: `# spindle_secondary = SB:4:2.1` leads from word 4 to the node of event 1 of word
2, and `2.1.1` would be the first unary node above that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from spindle.errors import ReductionError
from spindle.reduction.escapes import escape_field, unescape
from spindle.reduction.isomorphism import Chain, Place, Reduced, SecondaryLink, SpineNode, top_place
from spindle.reduction.labels import Encoding, read_labels, write_labels
from spindle.reduction.repairs import Mode, Nesting, Repairs, repair
from spindle.trees import Dependencies, Token, Word

HEADER = "spindle "
WRAPPER = "spindle_wrapper ="
SECONDARY = "spindle_secondary ="
SENTENCE_ID = "sent_id ="


@dataclass(frozen=True)
class Header:
    """Properties of a whole file: the label encoding, and the wrapper around its trees."""

    encoding: Encoding
    wrapper: str | None = None

    def __str__(self) -> str:
        wrapper = "" if self.wrapper is None else f" wrapper={escape_field(self.wrapper)}"
        return f"{HEADER}encoding={self.encoding}{wrapper}"

    @classmethod
    def parse(cls, comment: str) -> Header | None:
        """Parse a comment; returns None if it is not a header."""
        if not comment.startswith(HEADER):
            return None
        fields = dict(field.partition("=")[::2] for field in comment.split()[1:])
        if fields.get("encoding") not in list(Encoding):
            return None
        wrapper = fields.get("wrapper")
        return cls(Encoding(fields["encoding"]), None if wrapper is None else unescape(wrapper))


def write_rows(reduced: Iterable[Reduced], encoding: Encoding) -> Iterator[Dependencies]:
    """Convert reduced trees to rows; the wrapper of the first tree becomes the wrapper of the file."""
    header: Header | None = None
    for tree in reduced:
        if header is None:
            header = Header(encoding, tree.wrapper)
            rows = to_rows(tree, header)
            yield replace(rows, comments=(str(header), *rows.comments))
        else:
            yield to_rows(tree, header)


def read_rows(
    sentences: Iterable[Dependencies],
    encoding: Encoding | None = None,
    mode: Mode = Mode.DISCONTINUOUS,
    nesting: Nesting = Nesting.LOWER_NEARER,
) -> Iterator[tuple[Reduced, Repairs]]:
    """Convert rows to reduced trees and the repairs they needed; `encoding` replaces a missing header."""
    header = None if encoding is None else Header(encoding)
    for sentence in sentences:
        header = _find_header(sentence) or header
        if header is None:
            raise ReductionError(
                "the file does not name the encoding of its labels: the header comment "
                "`# spindle encoding=…` is missing; set `encoding` to direct, delta or hn"
            )
        yield from_rows(
            sentence, header if encoding is None else replace(header, encoding=encoding), mode, nesting
        )


def to_rows(reduced: Reduced, header: Header) -> Dependencies:
    """Convert a reduced tree to rows. The inverse is `from_rows`."""
    dtree = reduced.dtree
    labels = write_labels(dtree, header.encoding)
    misc = _misc(reduced)
    words = tuple(
        [
            Word(
                form,
                _blank(lemma),
                _blank(tag),
                _blank(tag),
                _blank(morph),
                head + 1,
                label,
                "",
                misc.get(at, ""),
            )
            for at, ((form, tag, lemma, morph, _), head, label) in enumerate(
                zip(dtree.tokens, dtree.heads, labels, strict=True)
            )
        ]
    )
    comments = [f"{SENTENCE_ID} {dtree.id}"] if dtree.id else []
    if reduced.wrapper != header.wrapper:
        wrapper = "" if reduced.wrapper is None else escape_field(reduced.wrapper)
        comments.append(f"{WRAPPER} {wrapper}".rstrip())
    if reduced.secondary:
        comments.append(f"{SECONDARY} {','.join(map(_write_link, reduced.secondary))}")
    return Dependencies(words, (*comments, *dtree.comments))


def from_rows(
    sentence: Dependencies, header: Header, mode: Mode, nesting: Nesting
) -> tuple[Reduced, Repairs]:
    """Convert rows to a reduced tree and the repairs it needed. The inverse is `to_rows`."""
    heads = [word.head - 1 if word.head >= 0 else len(sentence) for word in sentence.words]
    labels = read_labels(heads, [word.deprel for word in sentence.words], header.encoding)
    fields = {at: _fields(word.misc) for at, word in enumerate(sentence.words) if word.misc}
    tokens = [_token(word, fields.get(at, NO_FIELDS)) for at, word in enumerate(sentence.words)]
    wrapper, comments = header.wrapper, list[str]()
    secondary, has_id = "", False
    for comment in sentence.comments:
        if comment.startswith(WRAPPER):
            text = comment.removeprefix(WRAPPER).strip(" ")
            wrapper = unescape(text) if text else None
        elif comment.startswith(SECONDARY):
            secondary = comment.removeprefix(SECONDARY).strip(" ")
        elif comment.startswith(SENTENCE_ID) and not has_id:
            has_id = True  # a second one is an ordinary comment
        elif Header.parse(comment) is None:
            comments.append(comment)
    dtree, repairs = repair(
        tokens,
        heads,
        labels.symbols,
        labels.indices,
        mode=mode,
        nesting=nesting,
        id=sentence.id,
        comments=comments,
    )
    repairs.update(labels.faults)
    spines = [0] * len(dtree)  # the last event of every word
    for head, event in zip(dtree.heads, dtree.events, strict=True):
        if event > spines[head]:
            spines[head] = event
    chains = _read_places(fields, "Unary", spines, repairs)
    functions = _read_places(fields, "Edges", spines, repairs)
    reduced = Reduced(dtree, chains, functions, wrapper)
    if secondary:
        reduced = replace(reduced, secondary=_read_links(secondary, reduced, spines, repairs))
    return reduced, repairs


# ── MISC ─────────────────────────────────────────────────────────────────────────────────────────────


NO_FIELDS: Mapping[str, str] = {}


def _misc(reduced: Reduced) -> dict[int, str]:
    """Return the MISC column of every word that needs one."""
    misc: dict[int, list[str]] = {}
    for name, strings in (("Unary", reduced.chains), ("Edges", reduced.functions)):
        by_word: dict[int, list[str]] = {}
        for (word, event), chain in sorted(strings.items()):
            by_word.setdefault(word, []).append(f"{event}:{'>'.join(map(escape_field, chain))}")
        for word, places in by_word.items():
            misc.setdefault(word, []).append(f"{name}={','.join(places)}")
    for at, token in enumerate(reduced.dtree.tokens):
        if token.function:
            misc.setdefault(at, []).append(f"Function={escape_field(token.function)}")
        if "_" in token:  # a column with this value would mean an empty column
            named = (("Lemma", token.lemma), ("Tag", token.tag), ("Morph", token.morph))
            misc.setdefault(at, []).extend(f"{name}=_" for name, text in named if text == "_")
    return {word: "|".join(fields) for word, fields in misc.items()}


def _blank(text: str) -> str:
    return "" if text == "_" else text


def _fields(misc: str) -> Mapping[str, str]:
    return dict(field.partition("=")[::2] for field in misc.split("|"))


def _token(word: Word, fields: Mapping[str, str]) -> Token:
    if not fields:
        return Token(word.form, word.xpos or word.upos, word.lemma, word.feats)
    return Token(
        word.form,
        word.xpos or word.upos or fields.get("Tag", ""),
        word.lemma or fields.get("Lemma", ""),
        word.feats or fields.get("Morph", ""),
        unescape(fields.get("Function", "")),
    )


def _read_places(
    fields: Mapping[int, Mapping[str, str]], name: str, spines: Sequence[int], repairs: Repairs
) -> dict[Place, Chain]:
    """Read a MISC field by place; entries for non-existent places are recorded as repairs."""
    found: dict[Place, Chain] = {}
    for word, field in fields.items():
        for entry in field[name].split(",") if name in field else ():
            event, colon, strings = entry.partition(":")
            if colon and event.isdecimal() and len(event) < 10 and int(event) <= spines[word]:
                found[Place(word, int(event))] = tuple(map(unescape, strings.split(">")))
            else:
                repairs.add(name.lower(), word)
    return found


# ── secondary edges ──────────────────────────────────────────────────────────────────────────────────


_SPINE_NODE = re.compile(r"([0-9]{1,9})(?:\.([0-9]{1,9}))?(?:\.([0-9]{1,9}))?\Z")


def _write_link(link: SecondaryLink) -> str:
    return ":".join([escape_field(link.label), _write_spine_node(link.child), _write_spine_node(link.parent)])


def _write_spine_node(spine_node: SpineNode) -> str:
    """Write word (counted from 1), event and unary rank, without trailing zeros."""
    numbers = [spine_node.word + 1, spine_node.event, spine_node.above]
    while not numbers[-1]:
        numbers.pop()
    return ".".join(map(str, numbers))


def _read_links(
    text: str, reduced: Reduced, spines: Sequence[int], repairs: Repairs
) -> tuple[SecondaryLink, ...]:
    """Read secondary edges; those between vertices that do not exist are recorded as repairs of the root."""
    links = []
    top = top_place(reduced.dtree)
    for entry in text.split(","):
        label, *texts = entry.split(":")
        ends = [
            SpineNode(int(match[1]) - 1, int(match[2] or 0), int(match[3] or 0))
            for match in map(_SPINE_NODE.match, texts)
            if match
        ]
        exist = [
            0 <= word < len(spines)
            and event <= spines[word]
            and above
            <= len(reduced.chains.get(Place(word, event), ()))
            + (reduced.wrapper is not None and (word, event) == top)
            for word, event, above in ends
        ]
        # a word cannot be the parent of an edge
        if exist == [True, True] and ends[1][1:] != (0, 0):
            links.append(SecondaryLink(unescape(label), ends[0], ends[1]))
        else:
            repairs.add("secondary", reduced.dtree.root)
    return tuple(links)


def _find_header(sentence: Dependencies) -> Header | None:
    return next(filter(None, map(Header.parse, sentence.comments)), None)
