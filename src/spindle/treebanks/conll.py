"""CoNLL-X (2006) and CoNLL-U: one row per token, ten columns, a blank line after each sentence.

Both have the same first eight columns. The last two are DEPS and MISC in CoNLL-U, PHEAD and PDEPREL in
CoNLL-X; `Word.deps` and `Word.misc` hold them in both cases. Comment lines belong to CoNLL-U, but are read
and written in both formats.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from spindle.errors import TreebankError
from spindle.treebanks.limited import Limited
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
from spindle.trees import Dependencies, Word

COLUMNS = 10
MULTIWORD, EMPTY_NODE = "multiword token range skipped", "empty node skipped"
_RANGE = re.compile(r"[0-9]+-[0-9]+\Z")
_DECIMAL = re.compile(r"[0-9]+\.[0-9]+\Z")


def read_conllu(source: Source, report: ReadingReport) -> Iterator[Dependencies | TreebankError]:
    """Yield the sentences of a CoNLL-U file. Multiword ranges and empty nodes are skipped and counted."""
    return (sentence for _, sentence in numbered_sentences(source, report))


def read_conllx(source: Source, report: ReadingReport) -> Iterator[Dependencies | TreebankError]:
    """Yield the sentences of a CoNLL-X file; `#SP#` in a form is a blank."""
    for _, sentence in numbered_sentences(source, report):
        if isinstance(sentence, Dependencies):
            words = tuple(word._replace(form=word.form.replace("#SP#", " ")) for word in sentence.words)
            yield Dependencies(words, sentence.comments)
        else:
            yield sentence


def write_conllu(sentences: Iterable[Dependencies]) -> Iterator[str]:
    """Yield the rows of each sentence as one string."""
    for sentence in sentences:
        yield _comments(sentence) + "".join(map(_row, range(1, len(sentence) + 1), sentence.words)) + "\n"


def write_conllx(sentences: Iterable[Dependencies]) -> Iterator[str]:
    """Yield the rows of each sentence as one string; blanks in forms become `#SP#`, as some programs need."""
    for sentence in sentences:
        words = (word._replace(form=word.form.replace(" ", "#SP#")) for word in sentence.words)
        yield _comments(sentence) + "".join(map(_row, range(1, len(sentence) + 1), words)) + "\n"


def _comments(sentence: Dependencies) -> str:
    return "".join(f"# {comment}\n" for comment in sentence.comments)


def _row(number: int, word: Word) -> str:
    form, lemma, upos, xpos, feats, head, deprel, deps, misc = word
    return (
        f"{number}\t{form}\t{lemma or '_'}\t{upos or '_'}\t{xpos or '_'}\t{feats or '_'}\t"
        f"{head if head >= 0 else '_'}\t{deprel or '_'}\t{deps or '_'}\t{misc or '_'}\n"
    )


def numbered_sentences(
    source: Source, report: ReadingReport
) -> Iterator[tuple[int, Dependencies | TreebankError]]:
    """Yield the sentences of a file, or their errors, with the numbers of their first lines."""
    block: list[str] = []
    start = number = 0
    lines = Limited(source.lines(keep_undecoded=True), source.name)
    try:
        for number, line in enumerate(lines, start=1):
            if line.isspace():
                lines.restart()
                for found in _sentence(block, start, source, report) if block else ():
                    yield start, found
                block = []
            else:
                if not block:
                    start = number
                block.append(line.rstrip("\n"))
    except TreebankError as error:
        yield number + 1, error
        return
    for found in _sentence(block, start, source, report) if block else ():
        yield start, found


def _sentence(
    block: list[str], start: int, source: Source, report: ReadingReport
) -> Iterator[Dependencies | TreebankError]:
    """Yield the sentence of a block, or its error; a block without words yields nothing and is reported."""
    comments = tuple([line[1:].removeprefix(" ") for line in block if line[0] == "#"])
    if error := source.undecoded("\n".join(block), start):
        error.sentence = Dependencies((), comments).id
        yield error
        return
    words: list[Word] = []
    for number, line in enumerate(block, start=start):
        if line[0] == "#":
            continue
        columns = line.split("\t") if "\t" in line else line.split()
        if fault := _fault(columns, len(words) + 1):
            place = TreebankError(
                fault, file=source.name, line=number, sentence=Dependencies((), comments).id
            )
            if fault.startswith((MULTIWORD, EMPTY_NODE)):
                report.add(fault.partition(":")[0], place)
                continue
            yield place
            return
        _, form, lemma, upos, xpos, feats, head, deprel, deps, misc = [
            "" if column == "_" else column for column in columns
        ]
        words.append(
            Word(form or "_", lemma, upos, xpos, feats, int(head) if head else -1, deprel, deps, misc)
        )
    for row, word in enumerate(words, start=1):
        if word.head > len(words):
            cause = f"token {row} has head {word.head}, but there are {len(words)} tokens"
            yield TreebankError(cause, file=source.name, line=start, sentence=Dependencies((), comments).id)
            return
    if words:
        yield Dependencies(tuple(words), comments)
    else:
        alone = TreebankError("a sentence without words", file=source.name, line=start)
        report.add("comments without a sentence left out", alone)


def _fault(columns: list[str], expected: int) -> str:
    """Return what is wrong with a row, or why it is not a word; an empty string for a valid word."""
    if len(columns) != COLUMNS:
        return f"{len(columns)} columns instead of {COLUMNS}; columns are separated by tabs"
    number, form, head = columns[0], columns[1], columns[6]
    if number != str(expected):
        if _RANGE.match(number):
            return f"{MULTIWORD}: {number}"
        if _DECIMAL.match(number):
            return f"{EMPTY_NODE}: {number}"
        return f"token number {number!r} where {expected} was expected"
    if not form:
        return f"token {number} has no form"
    if head != "_" and not (head.isdecimal() and head.isascii() and len(head) < 10):
        return f"head {head!r} of token {number} is not a number"
    return ""
