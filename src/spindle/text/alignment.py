"""Find the sentences of a treebank in their raw text, so that its blanks become known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from spindle.text.documents import DocumentBuilder, GoldDocument

SPELLINGS = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
}
"""How treebanks write brackets that their format uses itself."""
_WINDOW = 400
"""How many characters after a difference are searched for the sentence."""


class Placed(NamedTuple):
    """A word as the text writes it, and the blanks after it."""

    form: str
    blanks: str


def align(sentences: Iterable[Sequence[str]], text: str) -> tuple[list[list[Placed]], int]:
    """Return the sentences as the text writes them, and the number of those that it does not have.

    Sentences are searched in order. A sentence that differs from the text by any character but blanks is left
    out.
    """
    places = [at for at, letter in enumerate(text) if not letter.isspace()]
    plain = "".join([text[at] for at in places])
    aligned: list[list[Placed]] = []
    lost = at = 0
    for words in sentences:
        bare = ["".join(SPELLINGS.get(word, word).split()) for word in words]
        whole = "".join(bare)
        if not plain.startswith(whole, at):
            found = plain.find(whole, at, at + len(whole) + _WINDOW)
            if found < 0:
                at += _matched(whole, plain[at : at + len(whole) + _WINDOW])
                lost += 1
                continue
            at = found
        sentence: list[Placed] = []
        for word in filter(None, bare):
            start, end = places[at], places[at + len(word) - 1] + 1
            at += len(word)
            following = places[at] if at < len(places) else len(text)
            sentence.append(Placed(text[start:end], text[end:following]))
        if sentence:
            aligned.append(sentence)
    return aligned, lost


def _matched(sentence: str, text: str) -> int:
    """Return where the last part that the text shares with a sentence ends."""
    blocks = SequenceMatcher(None, sentence, text, autojunk=False).get_matching_blocks()[:-1]
    long = [block for block in blocks if block.size > 3]
    return long[-1].b + long[-1].size if long else 0


def aligned_document(sentences: Sequence[Sequence[Placed]]) -> GoldDocument:
    """Return a document of aligned sentences."""
    builder = DocumentBuilder()
    for sentence in sentences:
        builder.add(sentence)
        if sentence[-1].blanks.count("\n") > 1:
            builder.start_paragraph()
    return builder.build()
