"""Exchange of sentences with other programs, as CoNLL-X or CoNLL-U rows.

Labels must come back unchanged. So every character that some program reserves (`|`, `%` and `~` in
MaltParser, `||` in spaCy, `_` and `#` in the files themselves, blanks, letters outside ASCII) is escaped:

    >>> escape_label("NP#1"), escape_label("S|VP#2"), escape_label("NP-é_#-1"), escape_label("")
    ('NP.1', 'S=7c=VP.2', 'NP-=e9==5f=.-1', '=')
    >>> unescape_label("NP-=e9==5f=.-1")
    'NP-é_#-1'

Words need not come back, because answers are matched by their order. What a column cannot hold is replaced:

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
"""The label of every arc but the root's if the parser does not predict labels."""
MAX_WORD_LENGTH = 200
"""Longer words are cut, because programs have buffers of fixed size."""
SHOWN_WORDS = 6
"""The number of words of a sentence in an error."""


class Format(StrEnum):
    """The file formats that dependency parsers read and write."""

    CONLLX = "conllx"
    CONLLU = "conllu"


_WRITERS = {Format.CONLLX: write_conllx, Format.CONLLU: write_conllu}


# ── escaping ─────────────────────────────────────────────────────────────────────────────────────────

_SEPARATOR = "#"
_PLAIN_SEPARATOR = "."  # for `#`, which nearly every label contains, so that labels stay legible
_MARK = "="
_IN_LABELS = re.compile(r"[^A-Za-z0-9-]")
_ESCAPED = re.compile(r"=([0-9a-f]{1,6})=|\.")


def escape_label(label: str) -> str:
    """Return a label of ASCII letters, digits, `-`, `.` and `=` only, which is never empty."""
    return _IN_LABELS.sub(_escape_in_label, label) or _MARK


def unescape_label(text: str) -> str:
    """The inverse of `escape_label`; text that `escape_label` cannot return stays unchanged."""
    return "" if text == _MARK else _ESCAPED.sub(_unescape, text)


def _escape_in_label(match: re.Match[str]) -> str:
    return _PLAIN_SEPARATOR if match[0] == _SEPARATOR else _escape(match[0])


def _escape(character: str) -> str:
    return f"{_MARK}{ord(character):x}{_MARK}"


def _unescape(match: re.Match[str]) -> str:
    if match[1] is None:
        return _SEPARATOR
    code = int(match[1], 16)
    is_character = code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF  # a surrogate is none
    return chr(code) if is_character else match[0]


def safe_text(text: str) -> str:
    """Return a word, lemma or tag for a column: not empty, not `_`, without blanks, not too long."""
    if len(text) > MAX_WORD_LENGTH:
        digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()  # keeps long words distinct
        text = f"{text[:MAX_WORD_LENGTH]}{_MARK}{digest[:8]}"
    if text in ("", "_"):
        return _escape(text) if text else 2 * _MARK
    if text.isprintable() and " " not in text:
        return text
    return "".join([_escape(mark) if mark == " " or not mark.isprintable() else mark for mark in text])


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────


def write_examples(path: Path, examples: Iterable[Example], format: Format, *, labelled: bool) -> None:
    """Write training sentences; without `labelled`, all arcs but the root's have the same label."""
    _write(path, (_rows(one.tokens, one.heads, shown_labels(one, labelled)) for one in examples), format)


def write_questions(path: Path, sentences: Iterable[Sequence[Token]], format: Format) -> None:
    """Write sentences to parse. Every head is 0, because many programs require a number there."""
    rows = (_rows(tokens, [-1] * len(tokens), [""] * len(tokens)) for tokens in sentences if tokens)
    _write(path, rows, format)


def shown_labels(example: Example, labelled: bool) -> list[str]:
    """Return the labels of an example for another parser."""
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
    """Return morphology as `Name=Value|…`, which strict readers of the FEATS column require."""
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
    """Return a program's predictions for the sentences of `write_questions`.

    Sentences that are missing, reordered or split differently raise a `ParserError` that names them. `name`
    is the name of the program in errors; `placeholder` is accepted in the place of any word.
    """
    if not path.is_file():
        raise ParserError(f"{name} wrote no output file")
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
    """Yield the sentences of a CoNLL file; only the columns for number, form, head and label are read."""
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
                continue  # a comment, or a CoNLL-U row for a multiword token or an empty node
            if len(columns) < 8 or not (columns[6].isdecimal() and len(columns[6]) < 10):
                raise ParserError(
                    f"line {number} of the output of {name} is no row with a head in column 7: "
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
            raise ParserError(f"{name} returned {len(answers)} sentences for {len(sent)}")
        if answer is None:
            raise ParserError(f"{name} returned nothing for {_called(number, words)}")
        changed = [
            at for at, form in enumerate(answer.forms[: len(words)]) if form not in (words[at], placeholder)
        ]
        if len(answer.forms) == len(words) and not changed:
            continue
        if answer.forms in sent:
            places = (at % len(sent) for at in count(number + 1))
            other = next(at for at in places if sent[at] == answer.forms)
            if len(answers) < len(sent) and other > number:
                raise ParserError(f"{name} returned nothing for {_called(number, words)}")
            raise ParserError(
                f"{name} returned {_called(other, sent[other])} in the place of {_called(number, words)}: "
                "it must keep the order of sentences"
            )
        if len(answer.forms) != len(words):
            raise ParserError(
                f"{name} returned {len(answer.forms)} words for the {len(words)} of "
                f"{_called(number, words)}: it must not split or join words or sentences"
            )
        at = changed[0]
        raise ParserError(
            f"{name} changed word {at + 1} of {_called(number, words)} from {words[at]!r} to "
            f"{answer.forms[at]!r}"
        )


def _called(number: int, words: Sequence[str]) -> str:
    more = " …" if len(words) > SHOWN_WORDS else ""
    return f"sentence {number + 1} ({' '.join(words[:SHOWN_WORDS])}{more})"
