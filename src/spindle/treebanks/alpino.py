"""Alpino XML, the format of Dutch treebanks: dependency structures as nested nodes.

    <alpino_ds version="1.3" id="57">
      <node begin="0" end="3" cat="top" rel="top">
        <node begin="0" end="2" cat="smain" rel="--">
          <node begin="0" end="1" rel="su" pt="vnw" postag="VNW(…)" lemma="het" word="Het" />
          <node begin="1" end="2" rel="hd" pt="ww" postag="WW(…)" lemma="regenen" word="regent" />
        </node>
        <node begin="2" end="3" rel="--" pt="let" postag="LET()" lemma="." word="." />
      </node>
      <sentence>Het regent .</sentence>
    </alpino_ds>

A file contains one `<alpino_ds>`, or many inside a `<treebank>`. Words are sorted by `begin`. `pt` is the
tag (`pos` in files without `pt`), `postag` the morphology, `rel` the function; `--` is an empty function. A
node that only repeats another by its `index` is left out, and so is a phrase that contains nothing else.
`top` is not a phrase: its children are the roots. One root is the root of the tree; several roots get the
root node `VROOT`, as in export.

The text of `<sentence>` is kept as a comment, `text = Het regent .`, and so is every `<comment>`. The id is
the `sentid` of the sentence, or else the `id` of the structure, or else the name of a file with a single
structure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from spindle.errors import TreebankError, TreeError, UnreadableFile
from spindle.treebanks.graph import NOT_GIVEN, build_from_graph, one_line
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
from spindle.treebanks.xmlstream import Event, xml_events
from spindle.trees import ROOT, Token, Tree

_ENDS = frozenset({"alpino_ds", "node", "sentence", "comment"})
_POSITION = re.compile(r"[0-9]{1,9}")
_FILE_ID = re.compile(r"(?:.*[/\\])?([^/\\]+)\.xml(?:\.\w+)?")


def read_alpino(source: Source, report: ReadingReport) -> Iterator[Tree | TreebankError]:
    """Yield the trees of an Alpino XML file, and an error for each malformed sentence.

    A sentence is malformed if a word has no `begin` or the same `begin` as another word, if a node is both
    a word and a phrase, or if it is neither and does not repeat another by `index`. Broken XML ends the
    file; the sentences before it are yielded.
    """
    outermost = ""
    structure: _Structure | None = None
    found = False
    try:
        for event in xml_events(source, _ENDS, "alpino_ds"):
            if event.kind == "start":
                outermost = outermost or event.name
                if event.name == "alpino_ds":
                    file_id = _FILE_ID.fullmatch(source.name) if outermost == "alpino_ds" else None
                    id = event.attributes.get("id") or (file_id[1] if file_id else "")
                    structure = _Structure(source.name, event.line, id)
                    found = True
                elif structure is not None:
                    structure.open(event)
            elif event.kind == "end" and structure is not None:
                if event.name == "alpino_ds":
                    try:
                        yield structure.tree()
                    except TreeError as error:
                        yield structure.error(str(error), structure.line)
                    except TreebankError as error:
                        yield error
                    structure = None
                else:
                    structure.close(event)
    except TreebankError as error:
        if structure is not None:
            error.sentence = structure.id
        yield error
        return
    if not found and outermost != "treebank":
        yield UnreadableFile(
            f"<{outermost}> contains no <alpino_ds>", file=source.name, hint="is this file in Alpino XML?"
        )


@dataclass
class _Structure:
    """One dependency structure: its nodes in the order in which they open, and their parents' numbers."""

    file: str
    line: int
    id: str
    nodes: list[Event] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    unclosed: list[int] = field(default_factory=list)

    def error(self, cause: str, line: int, hint: str = "") -> TreebankError:
        return TreebankError(cause, file=self.file, line=line, sentence=self.id, hint=hint)

    def open(self, event: Event) -> None:
        """Process the start of an element."""
        if event.name == "node":
            self.parents.append(self.unclosed[-1] if self.unclosed else ROOT)
            self.unclosed.append(len(self.nodes))
            self.nodes.append(event)
        elif event.name == "sentence":
            self.id = event.attributes.get("sentid") or self.id

    def close(self, event: Event) -> None:
        """Process the end of an element."""
        if event.name == "node":
            self.unclosed.pop()
        elif event.name == "sentence":
            self.comments.append(f"text = {one_line(event.text.strip())}")
        elif event.name == "comment":
            self.comments.append(one_line(event.text.strip()))

    def tree(self) -> Tree:
        """Return the tree of all nodes that have words."""
        words = self.words()
        if not words:
            raise self.error("the sentence has no words", self.line)
        has_words = [False] * len(self.nodes)
        for word in words:
            has_words[word] = True
        # Children come after their parents, so one backward pass reaches all ancestors of a word.
        for node in range(len(self.nodes) - 1, -1, -1):
            if has_words[node] and self.parents[node] != ROOT:
                has_words[self.parents[node]] = True
        is_word = set(words)
        phrases = [node for node, kept in enumerate(has_words) if kept and node not in is_word]
        phrases = [node for node in phrases if not self.is_top(node)]
        numbers = {node: number for number, node in enumerate(phrases)}  # without `top`
        return build_from_graph(
            [self.token(self.nodes[word]) for word in words],
            [numbers.get(self.parents[word], ROOT) for word in words],
            [self.nodes[node].attributes.get("cat", "") for node in phrases],
            [_function(self.nodes[node]) for node in phrases],
            [numbers.get(self.parents[node], ROOT) for node in phrases],
            (),
            self.id,
            self.comments,
        )

    def is_top(self, node: int) -> bool:
        return self.parents[node] == ROOT and self.nodes[node].attributes.get("cat") == "top"

    def words(self) -> list[int]:
        """Return the numbers of the nodes that are words, in the order of the sentence."""
        inner = set(self.parents)
        positions: dict[int, int] = {}
        for number, node in enumerate(self.nodes):
            attributes = node.attributes
            word = attributes.get("word")
            if number in inner:
                if word is not None:
                    raise self.error(f"the word {word!r} has nodes beneath it", node.line)
            elif word:
                begin = attributes.get("begin", "")
                if not _POSITION.fullmatch(begin):
                    raise self.error(
                        f"the word {word!r} has no position in the sentence: begin={begin!r}", node.line
                    )
                if positions.setdefault(int(begin), number) != number:
                    raise self.error(f"the word {word!r} begins at {begin}, as another word does", node.line)
            elif word is not None or "index" not in attributes:
                name = f"node {attributes['id']}" if "id" in attributes else "a node"
                raise self.error(f"{name} has no word and nothing beneath it", node.line)
        return [positions[begin] for begin in sorted(positions)]

    def token(self, node: Event) -> Token:
        attributes = node.attributes
        return Token(
            attributes["word"],
            attributes.get("pt") or attributes.get("pos", ""),
            attributes.get("lemma", ""),
            attributes.get("postag", ""),
            _function(node),
        )


def _function(node: Event) -> str:
    relation = node.attributes.get("rel", "")
    return "" if relation == NOT_GIVEN else relation
