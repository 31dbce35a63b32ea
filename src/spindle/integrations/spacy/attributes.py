"""The extension attributes of spaCy's documents, spans and tokens, with the names that benepar uses.

An attribute of a span refers to the constituent that covers the span. White space at the ends of a span does
not count. The wrapper of a tree (`ROOT`) is left out, except in `doc._.trees`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spindle.errors import TreeError
from spindle.integrations.spacy.constituents import constituents, tree_text
from spindle.integrations.spacy.stored import NAME, ParsedSentence, Vertex, sentence_at, sentences
from spindle.trees import Tree


def register() -> None:
    """Define the attributes; attributes of the same name from elsewhere are replaced."""
    from spacy.tokens import Doc, Span, Token

    for target, getters in ((Doc, OF_DOC), (Span, OF_SPAN), (Token, OF_TOKEN)):
        for name, getter in getters.items():
            target.set_extension(name, getter=getter, force=True)
    Span.set_extension(NAME, default=None, force=True)


def trees(doc: Any) -> tuple[Tree, ...]:
    """Return the best tree of every sentence."""
    return tuple([sentence.trees[0] for sentence in sentences(doc)])


def k_best(span: Any) -> tuple[Tree, ...]:
    """Return all trees of the sentence that the span is in, the best first."""
    return _sentence(span).trees


def scores(span: Any) -> tuple[float | None, ...]:
    """Return the scores of `k_best`; None where the parser gives no score."""
    return _sentence(span).scores


def parse_string(span: Any) -> str:
    """Return the constituent in brackets."""
    return tree_text(_chain(span)[0])


def labels(span: Any) -> tuple[str, ...]:
    """Return the labels of the constituents that cover the span, the topmost first; none for a bare word."""
    return tuple([vertex.label for vertex in _phrases(_chain(span))])


def parent(span: Any) -> Any:
    """Return the span of the next larger constituent without a gap; None at the top."""
    chain = _chain(span)
    above = chain[0].parent
    while above is not None and not above.is_continuous:
        above = above.parent
    return None if above is None else _as_span(span.doc, _sentence(span), above)


def children(span: Any) -> Iterator[Any]:
    """Yield the spans of the constituents and words directly below.

    In place of a discontinuous constituent, which no span covers, come those below it.
    """
    chain = _chain(span)
    lowest = chain[-1]
    if len(lowest.positions) == 1:
        return
    sentence = _sentence(span)
    below: list[Vertex] = []
    waiting: list[Vertex] = list(lowest.children)
    while waiting:
        child = waiting.pop()
        if len(child.spans) == 1:
            below.append(child)
        else:
            waiting.extend(child.children)
    for child in sorted(below, key=lambda vertex: vertex.span):
        yield _as_span(span.doc, sentence, child)


def all_constituents(span: Any) -> Iterator[Any]:
    """Yield the spans of this constituent and of all below it, words included, parents before children."""
    sentence = _sentence(span)
    seen = set()
    for vertex in _chain(span)[0].preorder():
        if len(vertex.spans) == 1 and vertex.span not in seen:
            seen.add(vertex.span)
            yield _as_span(span.doc, sentence, vertex)


def confidence(span: Any) -> float | None:
    """Return the confidence of the topmost constituent that covers the span, if it is known."""
    return _sentence(span).confidence(_chain(span)[0])


def head(span: Any) -> Any:
    """Return the head word as a token."""
    found = _chain(span)[0].head
    return None if found is None else span.doc[_sentence(span).words[found]]


def token_labels(token: Any) -> tuple[str, ...]:
    """Return the labels of the constituents that cover exactly this token."""
    return () if token.is_space else labels(_one(token))


def token_parent(token: Any) -> Any:
    """Return the span of the next larger constituent; None for white space."""
    return None if token.is_space else parent(_one(token))


def token_parse_string(token: Any) -> str:
    """Return the constituents that cover exactly this token in brackets; nothing for white space."""
    return "" if token.is_space else parse_string(_one(token))


OF_DOC = {"trees": trees, "constituents": constituents}
OF_SPAN = {
    "parse_string": parse_string,
    "labels": labels,
    "parent": parent,
    "children": children,
    "constituents": all_constituents,
    "confidence": confidence,
    "constituent_head": head,
    "k_best": k_best,
    "k_best_scores": scores,
}
OF_TOKEN = {"labels": token_labels, "parent": token_parent, "parse_string": token_parse_string}


def _one(token: Any) -> Any:
    return token.doc[token.i : token.i + 1]


def _as_span(doc: Any, sentence: ParsedSentence, vertex: Vertex) -> Any:
    start, end = sentence.tokens_of(vertex.span)
    return doc[start:end]


def _phrases(chain: list[Vertex]) -> list[Vertex]:
    return chain[:-1] if not chain[-1].children else chain


def _sentence(span: Any) -> ParsedSentence:
    found = sentence_at(span.doc, _trimmed(span)[0])
    if found is None:
        raise TreeError(
            f"{span.text[:40]!r} has not been parsed", hint="call `nlp` with the component `spindle`"
        )
    return found


def _trimmed(span: Any) -> tuple[int, int]:
    """Return the first token of a span and one past the last, without white space at its ends."""
    words = [token.i for token in span if not token.is_space]
    return (words[0], words[-1] + 1) if words else (span.start, span.start)


def _chain(span: Any) -> list[Vertex]:
    sentence = _sentence(span)
    start, end = _trimmed(span)
    words = sentence.words_in(start, end) if end <= sentence.end else None
    chain = None if words is None else sentence.chains.get(words)
    if chain is None:
        raise TreeError(
            f"{span.text[:40]!r} is not a constituent",
            hint="`doc._.constituents` has all constituents, also those with gaps",
        )
    return chain
