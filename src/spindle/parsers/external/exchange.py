"""Sentences on their way to another program and back, as CoNLL-X or CoNLL-U rows.

Nothing in a sentence may be misread on the way. Labels must come back as they were, so what might be reserved
anywhere (`|` and `%` and `~` in MaltParser, `||` in spaCy, `_` and `#` in the files themselves, blanks,
letters outside ASCII) is escaped:

    >>> escape_label("NP#1"), escape_label("S|VP#2"), escape_label("NP-é_#-1"), escape_label("")
    ('NP.1', 'S=7c=VP.2', 'NP-=e9==5f=.-1', '=')
    >>> unescape_label("NP-=e9==5f=.-1")
    'NP-é_#-1'

Words need not come back: answers are told apart by their order, and our own tokens are kept. What could not
stand in a column is replaced:

    >>> safe_text("caffè"), safe_text("New York"), safe_text("_"), safe_text("")
    ('caffè', 'New=20=York', '=5f=', '==')
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from hashlib import sha256
from itertools import count, zip_longest
from pathlib import Path
from typing import NamedTuple

from spindle.errors import ParserError
from spindle.parsers.backend import Example, Prediction
from spindle.reduction.labels import ROOT_LABEL
from spindle.treebanks.conll import write_conllu, write_conllx
from spindle.trees import Dependencies, Token, Word

ARC_LABEL = "arc"
"""The label of every arc where the parser is not asked for labels; the root keeps its own."""
LONGEST = 200
"""Longer words are cut: programs have buffers, and no model learns from such a word."""
SHOWN = 6
"""How many words of a sentence errors show."""


class Format(StrEnum):
    """The file formats that dependency parsers read and write."""

    CONLLX = "conllx"
    CONLLU = "conllu"


_WRITERS = {Format.CONLLX: write_conllx, Format.CONLLU: write_conllu}


# ── text that no program can misread ─────────────────────────────────────────────────────────────────

_SEPARATOR = "#"
_PLAIN_SEPARATOR = "."  # for the `#` of nearly every label, so that labels stay legible
_MARK = "="
_IN_LABELS = re.compile(r"[^A-Za-z0-9-]")
_ESCAPED = re.compile(r"=([0-9a-f]{1,6})=|\.")


def escape_label(label: str) -> str:
    """A label of nothing but ASCII letters, digits, `-`, `.` and `=`; never empty."""
    return _IN_LABELS.sub(_escape_in_label, label) or _MARK


def unescape_label(text: str) -> str:
    """The inverse of `escape_label`; what that cannot have written is left as it is."""
    return "" if text == _MARK else _ESCAPED.sub(_unescape, text)


def _escape_in_label(match: re.Match[str]) -> str:
    return _PLAIN_SEPARATOR if match[0] == _SEPARATOR else _escape(match[0])


def _escape(character: str) -> str:
    return f"{_MARK}{ord(character):x}{_MARK}"


def _unescape(match: re.Match[str]) -> str:
    if match[1] is None:
        return _SEPARATOR
    code = int(match[1], 16)
    return chr(code) if code <= 0x10FFFF else match[0]


def safe_text(text: str) -> str:
    """A word, lemma or tag as it can stand in a column: not empty, not `_`, without blanks, not too long."""
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]}{_MARK}{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    if text in ("", "_"):
        return _escape(text) if text else 2 * _MARK
    if text.isprintable() and " " not in text:
        return text
    return "".join([_escape(mark) if mark == " " or not mark.isprintable() else mark for mark in text])


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────


def write_examples(path: Path, examples: Iterable[Example], format: Format, *, labelled: bool) -> None:
    """Write sentences to learn from; unlabelled, all arcs but the root's have the same label."""
    _write(path, (_rows(one.tokens, one.heads, shown_labels(one, labelled)) for one in examples), format)


def write_questions(path: Path, sentences: Iterable[Sequence[Token]], format: Format) -> None:
    """Write sentences to be parsed. Many programs insist on some number as head, so all have 0."""
    rows = (_rows(tokens, [-1] * len(tokens), [""] * len(tokens)) for tokens in sentences if tokens)
    _write(path, rows, format)


def shown_labels(example: Example, labelled: bool) -> list[str]:
    """The labels of an example as another parser may see them."""
    if labelled:
        return list(map(escape_label, example.labels))
    return [ROOT_LABEL if head < 0 else ARC_LABEL for head in example.heads]


def _write(path: Path, sentences: Iterable[Dependencies], format: Format) -> None:
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(_WRITERS[format](sentences))


def _rows(tokens: Sequence[Token], heads: Sequence[int], labels: Sequence[str]) -> Dependencies:
    return Dependencies(
        tuple(
            [
                Word(
                    safe_text(form),
                    lemma and safe_text(lemma),
                    tag and safe_text(tag),
                    tag and safe_text(tag),
                    morph and features(morph),
                    head + 1,
                    label,
                )
                for (form, tag, lemma, morph, _), head, label in zip(tokens, heads, labels, strict=True)
            ]
        )
    )


def features(morph: str) -> str:
    """Morphology as `Name=Value|…`, which is how strict readers of the FEATS column want it."""
    values = (safe_text(value) for value in morph.split("|") if value)
    return "|".join(
        value if "=" in value.strip("=") else f"Morph{number}={value}"
        for number, value in enumerate(values, start=1)
    )


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────


class _Answer(NamedTuple):
    forms: list[str]
    heads: list[int]
    labels: list[str]


def read_answers(
    path: Path,
    sentences: Sequence[Sequence[Token]],
    name: str,
    *,
    labelled: bool,
    placeholder: str = "",
) -> list[Prediction]:
    """What a program says of the sentences that it was given by `write_questions`.

    Sentences that are missing, reordered or cut into other words are an error that names them; `name` is
    what it calls the program, and `placeholder` what may stand in the place of any word.
    """
    if not path.is_file():
        raise ParserError(f"{name} has written no output file")
    asked = [tokens for tokens in sentences if tokens]
    answers = list(_read(path, name))
    _check(asked, answers, name, placeholder)
    found = iter(answers)
    predictions = []
    for tokens in sentences:
        answer = next(found) if tokens else _Answer([], [], [])
        labels = [unescape_label(label) for label in answer.labels] if labelled else None
        predictions.append(Prediction([head - 1 for head in answer.heads], labels))
    return predictions


def _read(path: Path, name: str) -> Iterator[_Answer]:
    """The sentences of a CoNLL file: of the columns only number, form, head and label are looked at."""
    answer = _Answer([], [], [])
    with open(path, encoding="utf-8", errors="replace", newline="\n") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                if answer.forms:
                    yield answer
                answer = _Answer([], [], [])
                continue
            columns = line.rstrip("\r\n").split("\t") if "\t" in line else line.split()
            if line.startswith("#") or "-" in columns[0] or "." in columns[0]:
                continue  # a comment, or a row of CoNLL-U that is no word
            if len(columns) < 8 or not (columns[6].isdecimal() and len(columns[6]) < 10):
                raise ParserError(
                    f"line {number} of what {name} has written is no row with a head in column 7: "
                    f"{line.strip()[:80]!r}"
                )
            answer.forms.append(columns[1])
            answer.heads.append(int(columns[6]))
            answer.labels.append(columns[7])
    if answer.forms:
        yield answer


def _check(asked: Sequence[Sequence[Token]], answers: Sequence[_Answer], name: str, placeholder: str) -> None:
    sent = [[safe_text(token.form) for token in tokens] for tokens in asked]
    for number, words, answer in zip_longest(range(len(sent)), sent, answers):
        if words is None:
            raise ParserError(f"{name} gave {len(answers)} sentences back, but was given {len(sent)}")
        if answer is None:
            raise ParserError(f"{name} gave nothing back for {_called(number, words)}")
        changed = [
            at for at, form in enumerate(answer.forms[: len(words)]) if form not in (words[at], placeholder)
        ]
        if len(answer.forms) == len(words) and not changed:
            continue
        if answer.forms in sent:
            other = next((at for at in count(number + 1) if sent[at % len(sent)] == answer.forms), 0) % len(
                sent
            )
            if len(answers) < len(sent) and other > number:
                raise ParserError(f"{name} gave nothing back for {_called(number, words)}")
            raise ParserError(
                f"{name} gave {_called(other, sent[other])} in the place of {_called(number, words)}: "
                "the order must stay"
            )
        if len(answer.forms) != len(words):
            raise ParserError(
                f"{name} gave {len(answer.forms)} words for the {len(words)} of {_called(number, words)}: "
                "it must not split or join words or sentences"
            )
        at = changed[0]
        raise ParserError(
            f"{name} has changed word {at + 1} of {_called(number, words)}: "
            f"{words[at]!r} came back as {answer.forms[at]!r}"
        )


def _called(number: int, words: Sequence[str]) -> str:
    return f"sentence {number + 1} ({' '.join(words[:SHOWN])}{' …' if len(words) > SHOWN else ''})"
