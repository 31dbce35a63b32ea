"""Turns the SentencePiece model of a translation model into `tokenizer.json`, with pieces of one language.

A translation model shares one vocabulary between two languages. Its source language has a SentencePiece
model, and only the pieces of that can occur in its text: the rows of all others are removed from the
encoder's embeddings. Needs tokenizers.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

PIECES, NORMALIZER = 1, 3
"""The fields of a SentencePiece model that hold its pieces and its normalizer."""
PIECE_TEXT, PIECE_SCORE, PIECE_TYPE = 1, 2, 3
"""The fields of a piece."""
CHARACTER_MAP = 2
"""The field of the normalizer with the map of characters, in the form that `tokenizers` reads, too."""
NORMAL = 1
"""The type of pieces that occur in text; the others are control symbols and the unknown piece."""
END, UNKNOWN, PADDING = "</s>", "<unk>", "<pad>"
IMPOSSIBLE = -1e4
"""The score of special pieces, which never occur in text."""


class SentencePieces(NamedTuple):
    """The pieces of a SentencePiece model with their scores, and its map of characters (may be empty)."""

    scores: dict[str, float]
    character_map: bytes


class Vocabulary(NamedTuple):
    """The pieces that are kept, in their new order, and the row that each has in the whole vocabulary."""

    pieces: list[str]
    rows: list[int]


def read_pieces(model: bytes) -> SentencePieces:
    """Read a SentencePiece model, which is a protocol buffer."""
    scores: dict[str, float] = {}
    character_map = b""
    for field, value in _fields(model):
        if field == PIECES:
            piece = dict(_fields(value))
            if piece.get(PIECE_TYPE, NORMAL) == NORMAL:
                (scores[piece[PIECE_TEXT].decode("utf-8")],) = struct.unpack("<f", piece[PIECE_SCORE])
        elif field == NORMALIZER:
            character_map = dict(_fields(value)).get(CHARACTER_MAP, b"")
    return SentencePieces(scores, character_map)


def _fields(message: bytes) -> Iterator[tuple[int, Any]]:
    """Yield the number and the value of every field of a protocol buffer: a whole number, or bytes."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint(message, at)
            yield key >> 3, value
            continue
        if kind == 2:
            size, at = _varint(message, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise ValueError(f"no SentencePiece model: a field of kind {kind} at byte {at}")
        if at + size > len(message):
            raise ValueError(f"no SentencePiece model: it ends inside a field, at byte {at}")
        yield key >> 3, message[at : at + size]
        at += size


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """Return the number of variable length that starts here, and where it ends."""
    number = shift = 0
    while at < len(message):
        byte = message[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at
    raise ValueError(f"no SentencePiece model: it ends inside a number, at byte {at}")


def cut_vocabulary(whole: Mapping[str, int], scores: Mapping[str, float]) -> Vocabulary:
    """Keep the special pieces and those that the SentencePiece model of the source language produces.

    >>> cut_vocabulary({"</s>": 0, "<unk>": 1, "▁the": 2, "▁le": 3, "<pad>": 4}, {"▁the": -3.0})
    Vocabulary(pieces=['</s>', '<unk>', '▁the', '<pad>'], rows=[0, 1, 2, 4])
    """
    special = {END, UNKNOWN, PADDING}
    kept = [piece for piece in sorted(whole, key=whole.__getitem__) if piece in special or piece in scores]
    return Vocabulary(kept, [whole[piece] for piece in kept])


def tokenizer_json(pieces: list[str], model: SentencePieces) -> str:
    """Return the text of a `tokenizer.json` that splits words as the SentencePiece model does."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    scored = [(piece, model.scores.get(piece, IMPOSSIBLE)) for piece in pieces]
    tokenizer = Tokenizer(models.Unigram(scored, unk_id=pieces.index(UNKNOWN)))
    steps = [normalizers.Precompiled(model.character_map)] if model.character_map else []
    tokenizer.normalizer = normalizers.Sequence([*steps, normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.add_special_tokens([END, UNKNOWN, PADDING])
    # translation models read every sentence with this piece at its end
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"$A {END}", special_tokens=[(END, pieces.index(END))]
    )
    return str(tokenizer.to_str())


def tokenizer_config() -> str:
    """Return the text of the `tokenizer_config.json` beside it."""
    return json.dumps(
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "eos_token": END,
            "pad_token": PADDING,
            "unk_token": UNKNOWN,
        },
        indent=1,
    )
