"""TIGER-XML: a sentence is a graph of terminals, nonterminals and labelled edges.

    <s id="s57">
      <graph root="s57_501">
        <terminals>
          <t id="s57_1" word="Es" lemma="es" pos="PPER" morph="3.Sg.Nom" />
          …
        </terminals>
        <nonterminals>
          <nt id="s57_500" cat="NP"><edge label="NK" idref="s57_3" />…</nt>
          …
        </nonterminals>
      </graph>
    </s>

`--` is a missing value. A secondary edge is inside its child and names its parent. Words and phrases
without a parent are roots; several roots get the parent `VROOT`, whether the file contains it or not.

If a word has no `morph`, its other attributes become its morphology: `case=Nom|number=Sg`. If it has one,
attributes that repeat part of it are left out; TIGER 2 has such attributes.

Information that a tree has no column for becomes comments of the tree. Comments are written as XML comments
inside the sentence and read from there (`--`, which XML forbids in comments, as `-&#45;`):

    tiger_corpus = …            the id of the corpus, in its first sentence
    tiger_s art_id = 5144       an attribute of the sentence other than its id
    tiger_t 9 comment = …       an attribute of word 9 that the token has no field for
    tiger_id = 57               an id that is not an XML name; read back as the id
    tiger_function = SB         the function of a root, which has no edge; read back as the function
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from spindle.errors import TreebankError, TreeError, UnreadableFile
from spindle.treebanks.graph import (
    FIRST_NODE,
    IMPLIED_ROOT,
    NOT_GIVEN,
    GraphFault,
    build_from_graph,
    has_comment,
    node_numbers,
    one_line,
    take_comment,
)
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
from spindle.treebanks.xmlstream import Event, xml_events
from spindle.trees import ROOT, SecondaryEdge, Token, Tree

_ENDS = frozenset({"s", "nt"})
_CORPORA = ("corpus", "subcorpus")
_NO_CORPUS = "corpus"  # the format requires an id; a corpus without one gets this
_WORD_ATTRIBUTES = frozenset({"id", "word", "lemma", "pos", "morph"})
_ID, _FUNCTION = "tiger_id = ", "tiger_function = "
_XML_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKUP = re.compile('[&<>"]')
_IN_ATTRIBUTE = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


def read_tigerxml(source: Source, report: ReadingReport) -> Iterator[Tree | TreebankError]:
    """Yield the trees of a TIGER-XML file, and an error for each malformed sentence.

    A sentence is malformed if it has an edge to an unknown id, an id used twice, an element without id or
    word, a cycle, a phrase without words inside the tree, or no words. The reader drops and reports a
    second parent, a phrase without words outside the tree, a secondary edge to a word, and an attribute of
    a phrase other than `cat`. Broken XML ends the file; the sentences before it are yielded.
    """
    outermost = ""
    corpus: list[str] = []
    sentence: _Sentence | None = None
    found = False
    try:
        for event in xml_events(source, _ENDS, "s"):
            if event.kind == "start":
                outermost = outermost or event.name
                if event.name == "s":
                    if sentence is not None:
                        yield sentence.error("a sentence begins within this one", sentence.line)
                    sentence = _Sentence(source.name, report, event)
                    found = True
                elif sentence is not None:
                    sentence.add(event)
                elif event.name in _CORPORA and event.attributes.get("id", _NO_CORPUS) != _NO_CORPUS:
                    corpus.append(f"tiger_corpus = {one_line(event.attributes['id'])}")
            elif sentence is None:
                continue
            elif event.kind == "comment":
                sentence.comments.append(_read_comment(event.text))
            elif event.name == "s":
                try:
                    yield sentence.tree(corpus)
                    corpus = []
                except TreebankError as error:
                    yield error
                sentence = None
            else:
                sentence.owner = ""  # an edge after the end of its phrase has no owner
    except TreebankError as error:
        if sentence is not None:
            error.sentence = sentence.id
        yield error
        return
    if not found and outermost not in _CORPORA:
        yield UnreadableFile(
            f"<{outermost}> contains no sentence <s>", file=source.name, hint="is this file in TIGER-XML?"
        )


def write_tigerxml(trees: Iterable[Tree]) -> Iterator[str]:
    """Yield the text of a TIGER-XML document in UTF-8.

    The head names the features but not their values: that would require all trees before the first is
    written. Sentences without an id are numbered `s1`, `s2`, …. A value that is itself `--` is read back as
    missing.
    """
    yield _HEAD
    for count, tree in enumerate(trees, 1):
        if error := refuse_not_xml(tree):
            error.sentence = tree.id or str(count)
            raise error
        yield "\n".join((*_sentence_lines(tree, count), ""))
    yield "</body>\n</corpus>\n"


def refuse_not_xml(tree: Tree) -> TreebankError | None:
    """Return the reason why TIGER-XML cannot represent a tree, or None."""
    text = "".join(tree.strings())
    # Fast path: all characters that XML forbids are unprintable, and nearly all text is printable.
    if text.isprintable() or not (bad := _NOT_XML.search(text)):
        return None
    return TreebankError(
        f"XML cannot contain the character U+{ord(bad[0]):04X}", hint="replace it, or write another format"
    )


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


class _Edge(NamedTuple):
    label: str
    owner: str  # the id of the element that contains the edge
    target: str
    line: int


@dataclass
class _Sentence:
    """The elements of a sentence so far; an edge may come before the element that it leads to."""

    file: str
    report: ReadingReport
    start: Event
    comments: list[str] = field(default_factory=list)
    words: list[Event] = field(default_factory=list)
    phrases: list[Event] = field(default_factory=list)
    edges: list[_Edge] = field(default_factory=list)
    secondary: list[_Edge] = field(default_factory=list)
    owner: str = ""

    @property
    def id(self) -> str:
        return self.start.attributes.get("id", "")

    @property
    def line(self) -> int:
        return self.start.line

    def error(self, cause: str, line: int, hint: str = "") -> TreebankError:
        return TreebankError(cause, file=self.file, line=line, sentence=self.id, hint=hint)

    def remark(self, kind: str, cause: str, line: int) -> None:
        self.report.add(kind, self.error(cause, line))

    def add(self, event: Event) -> None:
        """Process an element of the sentence; unknown elements, such as matches, are ignored."""
        attributes = event.attributes
        if event.name == "t" or event.name == "nt":
            (self.words if event.name == "t" else self.phrases).append(event)
            self.owner = attributes.get("id", "")
        elif event.name == "edge" or event.name == "secedge":
            edge = _Edge(_value(attributes, "label"), self.owner, attributes.get("idref", ""), event.line)
            (self.edges if event.name == "edge" else self.secondary).append(edge)

    def tree(self, corpus: list[str]) -> Tree:
        """Return the tree that the edges form."""
        comments = [*corpus, *self.sentence_attributes(), *self.comments]
        tokens = [self.token(position, word, comments) for position, word in enumerate(self.words)]
        if not tokens:
            raise self.error("the sentence has no words", self.line)
        self.drop_unused()
        size = len(tokens)
        vertices = self.vertices()
        parents = [ROOT] * (size + len(self.phrases))
        functions = [""] * len(parents)
        for edge in self.edges:
            child, parent = self.ends(edge, vertices, edge.target, edge.owner)
            if parent < size:
                raise self.error(f"the word {edge.owner!r} cannot have children", edge.line)
            if parents[child] == ROOT:
                parents[child], functions[child] = parent - size, edge.label
            else:
                self.remark("second parent dropped", f"{edge.target!r} has two parents", edge.line)
        labels = [_value(phrase.attributes, "cat") for phrase in self.phrases]
        self.hang_at_explicit_root(labels, parents, functions)
        if (function := take_comment(comments, _FUNCTION)) and parents.count(ROOT) == 1:
            functions[parents.index(ROOT)] = function
        tokens = [
            Token(form, tag, lemma, morph, function)
            for (form, tag, lemma, morph, _), function in zip(tokens, functions[:size], strict=True)
        ]
        id = take_comment(comments, _ID) or self.id
        secondary = self.secondary_edges(vertices, size)
        try:
            return build_from_graph(
                tokens, parents[:size], labels, functions[size:], parents[size:], secondary, id, comments
            )
        except GraphFault as fault:
            phrase = self.phrases[fault.node]
            raise self.error(f"{phrase.attributes['id']!r} {fault.what}", phrase.line) from None
        except TreeError as error:
            raise self.error(str(error), self.line) from None

    def sentence_attributes(self) -> Iterator[str]:
        for name, value in self.start.attributes.items():
            if name != "id" and not name.startswith("xml"):
                yield f"tiger_s {name} = {one_line(value)}"

    def token(self, position: int, word: Event, comments: list[str]) -> Token:
        attributes = word.attributes
        if not attributes.get("word"):
            raise self.error(f"word {position + 1} has no attribute `word`", word.line)
        morph = _value(attributes, "morph")
        if len(attributes) > len(_WORD_ATTRIBUTES & attributes.keys()):
            others = {
                name: value
                for name, value in attributes.items()
                if name not in _WORD_ATTRIBUTES and value != NOT_GIVEN
            }
            if morph:
                known = {morph, *morph.split(".")}
                notes = {name: value for name, value in others.items() if value not in known}
            else:
                notes = {"comment": others.pop("comment")} if "comment" in others else {}
                morph = "|".join(f"{name}={value}" for name, value in others.items())
            comments += [
                f"tiger_t {position + 1} {name} = {one_line(value)}" for name, value in notes.items()
            ]
        return Token(attributes["word"], _value(attributes, "pos"), _value(attributes, "lemma"), morph)

    def drop_unused(self) -> None:
        """Drop and report phrases without any edge, and attributes that a node has no field for."""
        touched = {edge.owner for edge in self.edges}
        touched.update(edge.target for edge in self.edges)
        kept = []
        for phrase in self.phrases:
            name = phrase.attributes.get("id", "")
            if name and name not in touched:
                self.remark("unused node dropped", f"{name!r} has no children", phrase.line)
                continue
            kept.append(phrase)
            for attribute in phrase.attributes.keys() - {"id", "cat"}:
                cause = f"attribute {attribute} of {name!r} has no field in a tree"
                self.remark("attribute of a phrase dropped", cause, phrase.line)
        names = {event.attributes.get("id", "") for event in (*self.words, *kept)}
        self.secondary = [edge for edge in self.secondary if edge.owner in names or not edge.owner]
        self.phrases = kept

    def vertices(self) -> dict[str, int]:
        """Return the numbers of words, then phrases, by their ids."""
        vertices: dict[str, int] = {}
        for number, event in enumerate((*self.words, *self.phrases)):
            name = event.attributes.get("id", "")
            if not name:
                raise self.error(f"<{event.name}> has no id", event.line)
            if vertices.setdefault(name, number) != number:
                raise self.error(f"the id {name!r} is used twice", event.line)
        return vertices

    def ends(self, edge: _Edge, vertices: dict[str, int], child: str, parent: str) -> tuple[int, int]:
        if not edge.owner:
            raise self.error("an edge is outside any <nt> or <t> with an id", edge.line)
        if edge.target not in vertices:
            raise self.error(
                f"an edge of {edge.owner!r} leads to {edge.target!r}, which does not exist", edge.line
            )
        return vertices[child], vertices[parent]

    def hang_at_explicit_root(self, labels: list[str], parents: list[int], functions: list[str]) -> None:
        """If the file contains a VROOT, make it the parent of all other roots."""
        size = len(parents) - len(labels)
        roots = [vertex for vertex, parent in enumerate(parents) if parent == ROOT]
        explicit = [vertex for vertex in roots if vertex >= size and labels[vertex - size] == IMPLIED_ROOT]
        if len(explicit) == 1:
            for vertex in roots:
                if vertex != explicit[0]:
                    parents[vertex] = explicit[0] - size

    def secondary_edges(self, vertices: dict[str, int], size: int) -> list[SecondaryEdge]:
        edges = []
        for edge in self.secondary:
            child, parent = self.ends(edge, vertices, edge.owner, edge.target)
            if parent < size:
                self.remark("secondary edge to a word dropped", f"{edge.target!r} is a word", edge.line)
            else:
                edges.append(SecondaryEdge(edge.label, child, parent - size))
        return edges


def _value(attributes: dict[str, str], name: str) -> str:
    value = attributes.get(name, "")
    return "" if value == NOT_GIVEN else value


# ── writing ──────────────────────────────────────────────────────────────────────────────────────

_HEAD = f"""<?xml version="1.0" encoding="UTF-8"?>
<corpus id="{_NO_CORPUS}">
<head>
<annotation>
<feature name="word" domain="T" />
<feature name="lemma" domain="T" />
<feature name="pos" domain="T" />
<feature name="morph" domain="T" />
<feature name="cat" domain="NT" />
<edgelabel />
<secedgelabel />
</annotation>
</head>
<body>
"""


def _sentence_lines(tree: Tree, count: int) -> Iterator[str]:
    size = len(tree)
    id = tree.id or f"s{count}"
    if not _XML_NAME.fullmatch(id):
        id = f"s{id}" if _XML_NAME.fullmatch(f"s{id}") else f"s{count}"
    names = [f"{id}_{position + 1}" for position in range(size)]
    offset = 0 if size < FIRST_NODE else size  # words and nodes share one set of ids in this format
    names += [f"{id}_{number + offset if number else IMPLIED_ROOT}" for number in node_numbers(tree)]
    secondary: dict[int, list[str]] = {}
    for label, child, parent in tree.secondary:
        secondary.setdefault(child, []).append(
            f'<secedge label="{_written(label)}" idref="{names[size + parent]}" />'
        )

    yield f'<s id="{id}">'
    if (tree.id and tree.id != id) or has_comment(tree, _ID):
        yield _comment(f"{_ID}{tree.id or id}")
    if tree.root.function or has_comment(tree, _FUNCTION):
        yield _comment(f"{_FUNCTION}{tree.root.function}")
    yield from map(_comment, tree.comments)
    yield f'<graph root="{names[size] if tree.labels else names[0]}">'
    yield "<terminals>"
    for position, (form, tag, lemma, morph, _) in enumerate(tree.tokens):
        start = (
            f'<t id="{names[position]}" word="{_written(form)}" lemma="{_written(lemma)}"'
            f' pos="{_written(tag)}" morph="{_written(morph)}"'
        )
        edges = secondary.get(position)
        yield f"{start}>{''.join(edges)}</t>" if edges else f"{start} />"
    yield "</terminals>"
    yield "<nonterminals>"
    for node, children in enumerate(tree.children):
        yield f'<nt id="{names[size + node]}" cat="{_written(tree.labels[node])}">'
        for child in children:
            function = tree.tokens[child].function if child < size else tree.functions[child - size]
            yield f'<edge label="{_written(function)}" idref="{names[child]}" />'
        yield from secondary.get(size + node, ())
        yield "</nt>"
    yield "</nonterminals>"
    yield "</graph>"
    yield "</s>"


def _written(value: str) -> str:
    """Return a value as the content of an attribute."""
    return value.translate(_IN_ATTRIBUTE) if _MARKUP.search(value) else value or NOT_GIVEN


def _comment(text: str) -> str:
    return f"<!-- {text.replace('&', '&amp;').replace('--', '-&#45;')} -->"


def _read_comment(text: str) -> str:
    text = one_line(text).removeprefix(" ").removesuffix(" ")
    return text.replace("&#45;", "-").replace("&amp;", "&")
