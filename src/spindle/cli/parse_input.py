"""What `spindle parse` reads: sentences from arguments and files, in whichever form they come."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from spindle.cli.common import Reporter, note, open_dependencies, open_trees, progress
from spindle.errors import TreebankError
from spindle.pipeline import Parser, Sentence
from spindle.treebanks import Source
from spindle.treebanks.files import OnError
from spindle.treebanks.formats import DEPENDENCY_FORMATS, TREE_FORMATS, format_by_ending
from spindle.trees import Dependencies, Token

UNDECODED = "line with bytes that are not in the text's encoding"
UNTAGGED = "sentence with a word that has no tag, tagged anew"
NOTHING = Sentence(())
"""What an empty line holds."""
_BLANKS = re.compile(r"[ \t]+")


@dataclass(frozen=True)
class Reader:
    """Reads what is to be parsed; `kind` is None where it must be guessed, `tags` where it is not said."""

    parser: Parser
    kind: str | None
    tags: str | None
    format: str | None
    encoding: str | None
    on_error: OnError
    reporter: Reporter

    def read(self, argument: str) -> Iterator[Sentence]:
        """The sentences of an argument: a file, `-`, or the sentence itself."""
        kind = self._kind(argument)
        if is_text(argument):
            text = argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            return self._with_tags(self._of_line(text, kind, 1, "<argument>"), kind)
        if kind not in ("text", self.kind) and self.format is None:
            note(f"{argument}: taken for {kind}; --input says otherwise")
        return self._with_tags(self._of_file(argument, kind), kind)

    def check(self, argument: str) -> None:
        """Refuse options that do not apply to an argument, before anything is written."""
        kind = self._kind(argument)
        if kind in ("trees", "conllu"):
            if is_text(argument):
                raise click.UsageError(f"--input {kind} reads files; a sentence is text, tokens or tagged.")
            if self.format is not None and (self.format in DEPENDENCY_FORMATS) != (kind == "conllu"):
                raise click.UsageError(f"--from {self.format} does not go with --input {kind}.")
        elif self.format is not None:
            raise click.UsageError(f"--from {self.format} does not apply to --input {kind}.")
        if kind in ("text", "tokens") and self.tags == "gold":
            raise click.UsageError(f"--tags gold does not apply to --input {kind}, which has no tags.")

    def _kind(self, argument: str) -> str:
        if self.kind is not None:
            return self.kind
        return "text" if is_text(argument) else guess_kind(argument, self.format)

    def _with_tags(self, sentences: Iterator[Sentence], kind: str) -> Iterator[Sentence]:
        """Tags of `tagged` input are used, others only if it is said, or if nobody else could tag."""
        if self.tags is None:
            keeps = kind == "tagged" or not self.parser.tags_by_itself
        else:
            keeps = self.tags == "gold"
        return sentences if keeps else (sentence.without_tags() for sentence in sentences)

    def _of_file(self, name: str, kind: str) -> Iterator[Sentence]:
        if kind == "trees":
            trees = open_trees(name, self.format, self.encoding, self.on_error, self.reporter)
            return map(Sentence.of, trees)
        if kind == "conllu":
            rows = open_dependencies(name, self.format, self.encoding, self.on_error, self.reporter)
            return map(_of_rows, rows)
        return self._of_lines(name, kind)

    def _of_lines(self, name: str, kind: str) -> Iterator[Sentence]:
        source = Source(name, self.encoding)
        lines: Iterable[str] = source.lines(keep_undecoded=True)
        if self.reporter.shows_progress:
            lines = progress(lines, [source])
        for number, line in enumerate(lines, start=1):
            if error := source.undecoded(line, number):
                self.reporter.report.add(UNDECODED, error)
                line = line.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            yield from self._of_line(line.removesuffix("\n"), kind, number, name)

    def _of_line(self, line: str, kind: str, number: int, file: str) -> Iterator[Sentence]:
        """The sentences of a line: one, or in raw text as many as there are."""
        if kind == "text":
            yield from self.parser.sentences(line) or [NOTHING]
            return
        words = [word for word in _BLANKS.split(line) if word]
        if kind == "tokens":
            yield Sentence(tuple([Token(word) for word in words]))
            return
        sentence = Sentence(tuple(map(_tagged, words)))
        if not sentence.is_tagged:
            bare = next(token.form for token in sentence.tokens if not token.tag)
            remark = TreebankError(f"{bare!r} has no tag", file=file, line=number, hint="words are word_TAG")
            self.reporter.report.add(UNTAGGED, remark)
        yield sentence


def is_text(argument: str) -> bool:
    """Whether an argument is a sentence to parse: it contains a blank, or nothing, and is no file."""
    if argument and not _BLANKS.search(argument):
        return False
    try:
        return not argument or not Path(argument).exists()
    except (OSError, ValueError):  # too long for a name, or with a NUL
        return True


def guess_kind(name: str, format: str | None) -> str:
    """What is in a file, told by the format that is named, or by its ending: trees, rows, or else text."""
    format = format or format_by_ending(name)
    if format in TREE_FORMATS or Path(name).is_dir():
        return "trees"
    return "conllu" if format in DEPENDENCY_FORMATS else "text"


def _tagged(word: str) -> Token:
    form, mark, tag = word.rpartition("_")
    return Token(form, tag) if mark and form else Token(word)


def _of_rows(rows: Dependencies) -> Sentence:
    tokens = tuple([Token(word.form, word.xpos or word.upos, word.lemma, word.feats) for word in rows.words])
    # what we have written into a file says nothing about the trees to come
    comments = [one for one in rows.comments if not one.startswith(("sent_id =", "spindle ", "spindle_"))]
    return Sentence(tokens, rows.id, tuple(comments))
