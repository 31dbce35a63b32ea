"""A parser with the interface of NLTK's parsers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from nltk.parse.api import ParserI

from spindle.errors import WrongType
from spindle.pipeline import Analysis, ParsingFace, load
from spindle.pipeline.sentence import Input
from spindle.text import Lines
from spindle.trees import Token


class SpindleParser(ParserI):  # type: ignore[misc]
    """Parses sentences into `nltk.Tree`s: up to `k` for each, the best first.

    `model` is a loaded parser, or what `spindle.load` takes. The leaves of a discontinuous tree are words
    with their positions, such as `0=word` (see `spindle.Tree.to_nltk`).
    """

    def __init__(
        self, model: ParsingFace | str | Path | None = None, *, k: int = 1, threads: int | None = None
    ) -> None:
        self.parser = model if isinstance(model, ParsingFace) else load(model)
        self.k = k
        self.threads = threads

    def __repr__(self) -> str:
        return f"<SpindleParser with {self.parser!r}>"

    def parse(self, sent: Sequence[str]) -> Iterator[Any]:
        """Return an iterator of the trees of a sentence, a list of words."""
        return next(self.parse_sents([sent]))

    def parse_sents(self, sents: Iterable[Sequence[str]]) -> Iterator[Iterator[Any]]:
        """Yield the iterators of the trees of many sentences, in order, as the sentences arrive."""
        return self._trees(_listed(words, "raw_parse") for words in sents)

    def raw_parse(self, sentence: str) -> Iterator[Any]:
        """Return an iterator of the trees of a sentence that is a string; its words are found first."""
        return next(self.raw_parse_sents([sentence]))

    def raw_parse_sents(self, sentences: Iterable[str]) -> Iterator[Iterator[Any]]:
        """Yield the iterators of the trees of many sentences that are strings."""
        return self._trees(map(_text, sentences))

    def tagged_parse(self, sentence: Sequence[tuple[str, str]]) -> Iterator[Any]:
        """Return an iterator of the trees of a sentence with tags; the trees have these tags."""
        return next(self.tagged_parse_sents([sentence]))

    def tagged_parse_sents(self, sentences: Iterable[Sequence[tuple[str, str]]]) -> Iterator[Iterator[Any]]:
        """Yield the iterators of the trees of many sentences with tags."""
        return self._trees(_tagged(words) for words in sentences)

    def parse_text(self, text: str, lines: Lines | str = Lines.AUTO) -> Iterator[Any]:
        """Yield the best tree of every sentence of a text; `lines` is that of `spindle.Parser.sentences`."""
        trees = self.parser.parse_text(text, lines=lines, threads=self.threads)
        return (tree.to_nltk() for tree in trees)

    def _trees(self, sentences: Iterable[Input]) -> Iterator[Iterator[Any]]:
        return map(_of, self.parser.analyse(sentences, threads=self.threads, k=self.k))


def _of(analysis: Analysis) -> Iterator[Any]:
    return (candidate.tree.to_nltk() for candidate in analysis.candidates)


def _listed(words: Any, other: str) -> Any:
    if isinstance(words, str):
        raise WrongType("a sentence is a list of words, not a string", hint=f"`{other}` takes a string")
    return words


def _text(sentence: Any) -> str:
    if not isinstance(sentence, str):
        hint = "`parse` takes a list of words, `tagged_parse` pairs of word and tag"
        raise WrongType(f"a sentence is a string here, not {type(sentence).__name__}", hint=hint)
    return sentence


def _tagged(words: Any) -> list[Token]:
    tokens = []
    for pair in _listed(words, "raw_parse"):
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not all(isinstance(x, str) for x in pair):
            raise WrongType(f"a pair of word and tag is expected, not {pair!r}", hint="`parse` takes words")
        tokens.append(Token(*pair))
    return tokens
