r"""The standoff format of brat: annotations of a text, which is in a file of its own.

The text `doc.txt` has one sentence on a line; `doc.ann` has the annotations. A word and a constituent are
text-bound annotations with the tag or label as type. A discontinuous constituent has several spans. A
relation leads from a constituent to each of its children; its type is the edge label, or `child`:

    T1	NP 0 2;7 13	Es nichts
    T2	PPER 0 2	Es
    T3	NN 7 13	nichts
    R1	child Arg1:T1 Arg2:T2
    R2	child Arg1:T1 Arg2:T3

Notes have what brat has no field for: `Lemma` and `Morphology` of words, `Id` and `Comment` of the topmost
constituent, and `Word` for a word that is a tree of its own. Types consist of letters, digits, `-` and `_`:
other characters are written as their codes, `$,` as `_24__2c_`, an empty type as `_`.

The annotations have all words, so the text is not read. Lines may be in any order, as brat leaves them. So a
file is in memory as a whole.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from spindle.errors import TreebankError, TreeError
from spindle.treebanks.graph import GraphFault, find_fault
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
from spindle.trees import ROOT, Token, Tree

CHILD = "child"
OTHER, SECOND_PARENT = "annotation of another kind left out", "second parent dropped"
LEMMA, MORPHOLOGY, ID, COMMENT, WORD = "Lemma", "Morphology", "Id", "Comment", "Word"
_SPANS = re.compile(r"(\S+) (\d{1,15} \d{1,15}(?:;\d{1,15} \d{1,15})*)")
_RELATION = re.compile(r"(\S+) Arg1:(T\d+) Arg2:(T\d+)\s*")
_NOTE = re.compile(r"(\S+) (\S+)")
_ESCAPED = re.compile(r"_([0-9a-f]{1,6})_")
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9-]")


def escape_type(text: str) -> str:
    """Return a label as a type of brat.

    >>> escape_type("NP-SBJ"), escape_type("$,"), escape_type("")
    ('NP-SBJ', '_24__2c_', '_')
    """
    return _NOT_PLAIN.sub(lambda match: f"_{ord(match[0]):x}_", text) or "_"


def restore_type(text: str) -> str:
    """Return the label that a type stands for; a type that is not escaped stays as it is."""
    return "" if text == "_" else _ESCAPED.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    return chr(code) if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else match[0]


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────


class _Vertex(NamedTuple):
    """A text-bound annotation."""

    name: str
    label: str
    start: int
    text: str
    line: int


@dataclass
class _Document:
    source: Source
    report: ReadingReport
    vertices: dict[str, _Vertex] = field(default_factory=dict)
    parents: dict[str, tuple[str, str, int]] = field(default_factory=dict)
    """The parent of an annotation, the edge label, and the line of the relation."""
    notes: defaultdict[str, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))
    errors: list[TreebankError] = field(default_factory=list)

    def error(self, cause: str, line: int, sentence: str = "") -> TreebankError:
        return TreebankError(cause, file=self.source.name, line=line, sentence=sentence)

    def read(self, line: str, number: int) -> None:
        """Take note of a line."""
        name, *fields = line.split("\t", 2)
        kind = name[:1]
        if error := self.source.undecoded(line, number):
            self.errors.append(error)
        elif kind == "T":
            self._read_vertex(name, fields, number)
        elif kind == "R":
            self._read_relation(fields, number)
        elif kind == "#":
            found = _NOTE.fullmatch(fields[0]) if len(fields) == 2 else None
            if found and found[1] in (LEMMA, MORPHOLOGY, ID, COMMENT, WORD):
                self.notes[found[2]].append((found[1], fields[1]))
            else:
                self.report.add(OTHER, self.error(OTHER, number))
        elif kind in ("E", "A", "M", "N", "*"):
            self.report.add(OTHER, self.error(f"{OTHER}: {name}", number))
        else:
            self.errors.append(self.error(f"{name[:40]!r} is no annotation of brat", number))

    def _read_vertex(self, name: str, fields: list[str], number: int) -> None:
        found = _SPANS.fullmatch(fields[0]) if len(fields) == 2 else None
        if not found or not re.fullmatch(r"T\d+", name):
            cause = f"{name[:40]!r} has no type, spans and text; columns are separated by tabs"
            self.errors.append(self.error(cause, number))
        elif name in self.vertices:
            self.errors.append(self.error(f"{name} is used twice", number))
        else:
            start = min(int(span.split()[0]) for span in found[2].split(";"))
            self.vertices[name] = _Vertex(name, restore_type(found[1]), start, fields[1], number)

    def _read_relation(self, fields: list[str], number: int) -> None:
        found = _RELATION.fullmatch(fields[0]) if fields else None
        if not found:
            self.errors.append(self.error("a relation has no type, Arg1 and Arg2", number))
            return
        label, parent, child = found.groups()
        if child in self.parents:
            self.report.add(SECOND_PARENT, self.error(f"{child} has two parents", number))
        else:
            self.parents[child] = parent, "" if label == CHILD else restore_type(label), number

    # ── trees ────────────────────────────────────────────────────────────────────────────────────────

    def trees(self) -> Iterator[Tree | TreebankError]:
        """Yield the trees in the order of the text, and what is wrong."""
        yield from self.errors
        for child, (parent, _, line) in self.parents.items():
            for name in (parent, child):
                if name not in self.vertices:
                    yield self.error(
                        f"a relation leads from {parent} to {child}, but there is no {name}", line
                    )
        parents = {
            child: parent
            for child, (parent, _, _) in self.parents.items()
            if child in self.vertices and parent in self.vertices
        }
        members: defaultdict[str, list[_Vertex]] = defaultdict(list)
        roots: dict[str, str] = {}
        for name, vertex in self.vertices.items():
            members[_root(name, parents, roots)].append(vertex)
        phrases = set(parents.values())
        for _, root in sorted((min(one.start for one in members[root]), root) for root in members):
            try:
                yield self._tree(root, members[root], parents, phrases)
            except TreebankError as error:
                yield error

    def _tree(self, root: str, members: list[_Vertex], parents: dict[str, str], phrases: set[str]) -> Tree:
        top = self.vertices[root]
        notes = self.notes[root]
        id = next((value for kind, value in notes if kind == ID), "")
        if root in parents:
            raise self.error(f"{root} is its own ancestor", top.line, id)
        if root not in phrases and not any(kind == WORD for kind, _ in notes):
            cause = f"{root} is in no tree: no relation leads to it, and none from it"
            raise self.error(cause, top.line, id)
        words = sorted((one for one in members if one.name not in phrases), key=lambda one: one.start)
        nodes = [one for one in members if one.name in phrases]
        numbers = {node.name: number for number, node in enumerate(nodes)}

        def parent_of(vertex: _Vertex) -> int:
            return numbers[parents[vertex.name]] if vertex.name in parents else ROOT

        def label_of(vertex: _Vertex) -> str:
            return self.parents[vertex.name][1] if vertex.name in parents else ""

        leaf_parents, node_parents = [*map(parent_of, words)], [*map(parent_of, nodes)]
        try:
            return Tree.build(
                [self._token(word, label_of(word)) for word in words],
                [node.label for node in nodes],
                node_parents,
                leaf_parents,
                [label_of(node) for node in nodes],
                id,
                [value for kind, value in notes if kind == COMMENT],
            )
        except TreeError as error:
            fault: GraphFault | None = find_fault(node_parents, leaf_parents)
            cause = f"{nodes[fault.node].name} {fault.what}" if fault else error.cause
            raise self.error(cause, top.line, id) from None

    def _token(self, word: _Vertex, function: str) -> Token:
        notes = dict(self.notes[word.name])
        return Token(word.text, word.label, notes.get(LEMMA, ""), notes.get(MORPHOLOGY, ""), function)


def _root(name: str, parents: dict[str, str], known: dict[str, str]) -> str:
    """Return the topmost annotation above one; of a cycle one of its members."""
    path: list[str] = []
    passed: set[str] = set()
    while name in parents and name not in known and name not in passed:
        path.append(name)
        passed.add(name)
        name = parents[name]
    root = known.get(name, name)
    for one in (*path, name):
        known[one] = root
    return root


def read_brat(source: Source, report: ReadingReport) -> Iterator[Tree | TreebankError]:
    """Yield the trees of an annotation file in the order of the text, and an error for each malformed one.

    Events, attributes, normalisations and equivalences are left out and counted.
    """
    document = _Document(source, report)
    failure = None
    try:
        for number, line in enumerate(source.lines(keep_undecoded=True), start=1):
            if not line.isspace():
                document.read(line.removesuffix("\n"), number)
    except TreebankError as error:
        failure = error
    yield from document.trees()
    if failure is not None:
        yield failure


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────


def brat_text(tree: Tree) -> str:
    """Return the line of a sentence in the text that the annotations refer to."""
    return " ".join([token.form for token in tree.tokens]) + "\n"


def write_brat(trees: Iterable[Tree]) -> Iterator[str]:
    """Yield the annotations of each sentence; `brat_text` has their text."""
    start = vertices = relations = notes = 0
    for tree in trees:
        lines, edges, remarks = list[str](), list[str](), list[tuple[int, str, str]]()
        size, first = len(tree), vertices + 1
        places = _places(tree, start)
        for position, (token, (begin, end)) in enumerate(zip(tree.tokens, places, strict=True)):
            lines.append(f"T{first + position}\t{escape_type(token.tag)} {begin} {end}\t{token.form}\n")
            remarks += [
                (position, kind, value)
                for kind, value in ((LEMMA, token.lemma), (MORPHOLOGY, token.morph))
                if value
            ]
        for node in tree.nodes():
            spans = [(places[i][0], places[j - 1][1]) for i, j in node.spans]
            text = " ".join(" ".join(tree.tokens[at].form for at in range(i, j)) for i, j in node.spans)
            shown = ";".join(f"{begin} {end}" for begin, end in spans)
            lines.append(f"T{first + size + node.number}\t{escape_type(node.label)} {shown}\t{text}\n")
            for child in tree.children[node.number]:
                function = tree.tokens[child].function if child < size else tree.functions[child - size]
                relations += 1
                edges.append(
                    f"R{relations}\t{_edge(function)} Arg1:T{first + size + node.number} "
                    f"Arg2:T{first + child}\n"
                )
        top = size if tree.labels else 0
        remarks += [(top, ID, tree.id)] if tree.id else []
        remarks += [(top, COMMENT, comment) for comment in tree.comments]
        remarks += [] if tree.labels else [(top, WORD, "a tree of one word")]
        for vertex, kind, value in remarks:
            notes += 1
            edges.append(f"#{notes}\t{kind} T{first + vertex}\t{value}\n")
        yield "".join((*lines, *edges))
        start += len(brat_text(tree))
        vertices += size + len(tree.labels)


def _edge(function: str) -> str:
    """Return the type of a relation; an edge label `child` is escaped as a whole."""
    if function == CHILD:
        return "".join(f"_{ord(letter):x}_" for letter in CHILD)
    return escape_type(function) if function else CHILD


def _places(tree: Tree, start: int) -> list[tuple[int, int]]:
    """Return the start and end of every word in the text."""
    places = []
    for token in tree.tokens:
        places.append((start, start + len(token.form)))
        start += len(token.form) + 1
    return places
