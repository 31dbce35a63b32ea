"""The raw text of a treebank, from which a model learns where tokens and sentences end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from spindle.errors import SpindleError
from spindle.text import BoundaryModel, GoldDocument, read_documents, train_boundaries
from spindle.text.alignment import align, aligned_document
from spindle.text.documents import NO_BLANK
from spindle.training.listener import Listener
from spindle.treebanks import Source
from spindle.treebanks.formats import DEPENDENCY_FORMATS, format_by_ending


def train_text_model(
    files: Sequence[str | Path], sentences: Sequence[Sequence[str]], seed: int, listener: Listener
) -> BoundaryModel | None:
    """Train a text model on files; None if there are none.

    A file is CoNLL-U with `SpaceAfter=No`, or plain text in which the sentences of the treebank are found in
    their order.
    """
    if not files:
        listener.say(
            "raw text: learned from the treebank's words only; text=FILE learns from the text itself"
        )
        return None
    listener.stage("text")
    documents: list[GoldDocument] = []
    plain: list[str] = []
    for file in map(str, files):
        source = Source(file)
        if format_by_ending(file) in DEPENDENCY_FORMATS:
            lines = list(source.lines())
            if not any(NO_BLANK in line for line in lines):
                raise SpindleError(
                    f"{file}: no word has {NO_BLANK}, so the raw text is not known",
                    hint="give CoNLL-U with it, or the plain text of the treebank",
                )
            documents += read_documents(lines)
        else:
            plain.append("".join(source.pieces()))
    if plain:
        aligned, lost = align(sentences, "\n\n".join(plain))
        listener.say(f"raw text: {len(aligned):,} sentences of the treebank are in it, {lost:,} are not")
        if aligned:
            documents.append(aligned_document(aligned))
    if not documents:
        raise SpindleError(
            "no sentence of the treebank is in the raw text", hint="check that they belong together"
        )
    tokens = sum(len(document.tokens) for document in documents)
    listener.say(f"raw text: tokens and sentences are learned from {tokens:,} tokens")
    return train_boundaries(documents, seed=seed, card={"tokens": tokens})
