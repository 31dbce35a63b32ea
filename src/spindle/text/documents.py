"""Documents with gold boundaries: raw text whose tokens and sentences are known, for training and scoring."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

NO_BLANK = "SpaceAfter=No"
"""What CoNLL-U says of a word that has no blank after it."""


@dataclass(frozen=True)
class GoldDocument:
    """A text, and the tokens of its sentences as ranges of characters."""

    text: str
    sentences: tuple[tuple[tuple[int, int], ...], ...]

    @property
    def tokens(self) -> list[tuple[int, int]]:
        """The tokens of all sentences."""
        return [token for sentence in self.sentences for token in sentence]


class DocumentBuilder:
    """Puts sentences together to a document: words and the blanks after them."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._sentences: list[tuple[tuple[int, int], ...]] = []

    def add(self, words: Sequence[tuple[str, str]]) -> None:
        """Add a sentence of words, each with the blanks after it."""
        tokens: list[tuple[int, int]] = []
        for form, blanks in words:
            tokens.append((self._length, self._length + len(form)))
            self._pieces += (form, blanks)
            self._length += len(form) + len(blanks)
        if tokens:
            self._sentences.append(tuple(tokens))

    def start_paragraph(self) -> None:
        """End the paragraph with an empty line."""
        if self._pieces:
            last = self._pieces[-1]
            self._pieces[-1] = last.rstrip() + "\n\n"
            self._length += len(self._pieces[-1]) - len(last)

    def build(self) -> GoldDocument:
        """Return the document."""
        return GoldDocument("".join(self._pieces), tuple(self._sentences))


def read_documents(lines: Iterable[str], paragraphs: bool = True) -> Iterator[GoldDocument]:
    """Yield the documents of CoNLL-U lines with `SpaceAfter=No`, `# newpar` and `# newdoc`.

    Without `paragraphs`, sentences are joined by blanks only. A range such as `1-2 can't` is its words if the
    text writes them one after the other (`ca`, `n't`), else one token.
    """
    builder = DocumentBuilder()
    words: list[tuple[str, str]] = []
    whole: tuple[str, str] = ("", "")  # the word of the range at hand, and the blanks after it
    last = 0
    parts: list[str] = []
    for line in lines:
        line = line.rstrip("\r\n")
        if not line.strip():
            builder.add(words)
            words, last = [], 0
        elif line.startswith("#"):
            kind = line[1:].split()[:1]
            if kind == ["newdoc"]:
                yield from _built(builder)
                builder = DocumentBuilder()
            elif kind == ["newpar"] and paragraphs:
                builder.start_paragraph()
        else:
            number, form, *_, misc = line.split("\t")
            blanks = "" if NO_BLANK in misc else " "
            first, dash, end = number.partition("-")
            if dash:
                whole, last, parts = (form, blanks), int(end), []
            elif "." not in number and int(first) <= last:
                parts.append(form)
                if int(first) == last:
                    words += _words_of_range(parts, *whole)
            elif "." not in number:
                words.append((form, blanks))
    builder.add(words)
    yield from _built(builder)


def _words_of_range(parts: Sequence[str], whole: str, blanks: str) -> list[tuple[str, str]]:
    if "".join(parts) != whole:
        return [(whole, blanks)]
    return [*[(part, "") for part in parts[:-1]], (parts[-1], blanks)]


def _built(builder: DocumentBuilder) -> Iterator[GoldDocument]:
    document = builder.build()
    if document.sentences:
        yield document


MARK, LINE_END = "|", "⏎"


def read_marked(text: str) -> Iterator[GoldDocument]:
    """Yield documents that are written by hand: a sentence a line, an empty line after every document.

    `|` stands between words that have no blank between them. `⏎` is the end of a line of the text; all other
    sentences are joined by blanks.
    """
    for part in text.strip("\n").split("\n\n"):
        builder = DocumentBuilder()
        for line in part.splitlines():
            builder.add(_marked_words(line))
        yield from _built(builder)


def _marked_words(line: str) -> list[tuple[str, str]]:
    """Return the words of a marked line, each with the blanks after it."""
    words: list[tuple[str, str]] = []
    for piece in line.replace(LINE_END, f" {LINE_END} ").split():
        if piece == LINE_END:
            if words:
                form, blanks = words[-1]
                words[-1] = (form, blanks.strip(" ") + "\n")
            continue
        *inner, last = piece.split(MARK)
        words += [(form, "") for form in inner] + [(last, " ")]
    return words
