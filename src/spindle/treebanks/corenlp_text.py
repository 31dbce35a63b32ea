"""The text output of CoreNLP, which is only read: the tree of a sentence in brackets, after its tokens.

    Sentence #1 (3 tokens):
    It works.

    Tokens:
    [Text=It CharacterOffsetBegin=0 CharacterOffsetEnd=2 PartOfSpeech=PRP Lemma=it]
    …

    Constituency parse:
    (ROOT
      (S …))

Older versions write all tokens on one line and have no headings. Words and tags are those of the tree,
lemmas those of the tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from spindle.errors import TreebankError, TreeError
from spindle.treebanks.annotated import Annotation, join, parsed, placed
from spindle.treebanks.limited import Limited
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
from spindle.trees import Tree

_HEADER = re.compile(r"Sentence #(\d+) \(\d+ tokens?\b")
_TOKEN = "[Text="
_TOKEN_END = re.compile(r"\](?= \[Text=|\s*$)")
_LEMMA = re.compile(r" Lemma=(\S+)(?: \w+=|$)")
_HEADING = "Constituency parse:"


@dataclass
class _Sentence:
    place: TreebankError
    words: list[Annotation] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    may_start: bool = False
    """Whether the tokens have been passed, after which the tree may begin."""
    depth: int = 0
    is_done: bool = False

    def read(self, line: str) -> None:
        """Process a line after the header."""
        if self.is_done:
            return
        if self.lines:
            if line.isspace():
                self.is_done = True
            else:
                self._add(line)
        elif line.startswith(_TOKEN):
            self.may_start = True
            for token in _TOKEN_END.split(line.strip()):
                if token.lstrip().startswith(_TOKEN):
                    lemma = _LEMMA.search(token)
                    self.words.append(Annotation(lemma=lemma[1] if lemma else ""))
        elif line.startswith(_HEADING):
            self.may_start = True
        elif self.may_start and line.startswith("("):
            self._add(line)

    def _add(self, line: str) -> None:
        self.lines.append(line)
        self.depth += line.count("(") - line.count(")")
        self.is_done = self.depth <= 0

    def tree(self, source: Source) -> Tree | TreebankError:
        text = "".join(self.lines)
        if undecoded := source.undecoded(text, self.place.line):
            return placed(undecoded.cause, self.place)
        if not text:
            self.place.hint = "run CoreNLP with the annotator `parse`"
            return placed("the sentence has no tree", self.place)
        try:
            return join(parsed(text, self.place), self.words, None)
        except TreeError as error:
            return placed(error.cause, self.place)
        except TreebankError as error:
            return error


def read_corenlp_text(source: Source, report: ReadingReport) -> Iterator[Tree | TreebankError]:
    """Yield the trees of a file, and an error for each sentence without a tree or with a malformed one."""
    del report
    sentence: _Sentence | None = None
    lines = Limited(source.lines(keep_undecoded=True), source.name)
    try:
        for number, line in enumerate(lines, start=1):
            if header := _HEADER.match(line):
                lines.restart()
                if sentence is not None:
                    yield sentence.tree(source)
                sentence = _Sentence(TreebankError("", file=source.name, line=number, sentence=header[1]))
            elif sentence is not None:
                sentence.read(line)
    except TreebankError as error:
        if sentence is not None:
            yield sentence.tree(source)
        yield error
        return
    if sentence is not None:
        yield sentence.tree(source)
