"""The tokenizer of a pretrained encoder, as a model file stores it: checked before the library builds it.

The library turns patterns into regular expressions, and some expressions take for ever on some texts. So only
components of known kinds are allowed, and of regular expressions only those that common encoders use.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from spindle.errors import ModelError, ParserError

MOST_CHARACTERS = 50_000_000
"""The longest text of a tokenizer."""
MOST_NESTED = 12


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


KINDS = _names(
    """
    BPE Unigram WordPiece WordLevel
    BertNormalizer Lowercase NFC NFD NFKC NFKD Precompiled Prepend Replace Strip StripAccents Sequence
    BertPreTokenizer ByteLevel CharDelimiterSplit Digits Metaspace Punctuation Split Whitespace
    WhitespaceSplit BertProcessing RobertaProcessing TemplateProcessing ByteFallback Fuse
    """
)
"""The components that a tokenizer may consist of."""
EXPRESSIONS = frozenset(["\\s+", " {2,}", "\\s{2,}|[\\n\\r\\t]", "\\d{3}(?=\\d)", "''", "``", " "])
"""The regular expressions that normalizers of common encoders use; none can take long."""


class Tokenizer:
    """Splits words into sub-words; its errors are `ModelError`s."""

    def __init__(self, text: str) -> None:
        _check(text)
        try:
            import tokenizers
        except ImportError:
            raise ParserError("this neural parser needs tokenizers: pip install tokenizers") from None
        try:
            self._tokenizer = tokenizers.Tokenizer.from_str(text)
            self._tokenizer.no_truncation()
            self._tokenizer.no_padding()
        except BaseException as error:  # a panic of the library is no Exception
            raise _failed(error) from None

    def encode(self, text: str, *, special: bool) -> tuple[list[int], list[int]]:
        """Return the numbers of the sub-words of a text, and a mask that is 1 for special ones."""
        try:
            encoded = self._tokenizer.encode(text, add_special_tokens=special)
        except BaseException as error:
            raise _failed(error) from None
        return encoded.ids, encoded.special_tokens_mask


def _failed(error: BaseException) -> BaseException:
    """Return the error to raise; what is not the tokenizer's fault stays what it is."""
    if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError | GeneratorExit):
        return error
    return ModelError(
        f"the tokenizer of the encoder cannot be used: {(str(error).splitlines() or ['?'])[0][:200]}"
    )


def _check(text: str) -> None:
    """Raise a `ModelError` for a tokenizer with components that are not allowed."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise ModelError("the tokenizer of the encoder is no JSON") from None
    if not isinstance(content, dict) or not isinstance(content.get("model"), dict):
        raise ModelError("the tokenizer of the encoder has no model")
    parts = {**content, "model": {**content["model"], "vocab": None, "merges": None}, "added_tokens": None}
    for table in _tables(parts, MOST_NESTED):
        kind = table.get("type")
        if kind is not None and (not isinstance(kind, str) or kind not in KINDS):
            raise ModelError(f"the tokenizer of the encoder has a component {ascii(kind)[:60]}")
        if "Regex" in table and table["Regex"] not in EXPRESSIONS:
            shown = ascii(table["Regex"])[:60]
            raise ModelError(f"the tokenizer of the encoder has a regular expression of its own: {shown}")


def _tables(value: Any, depth: int) -> Iterator[dict[str, Any]]:
    if depth == 0:
        raise ModelError(f"the tokenizer of the encoder is nested more than {MOST_NESTED} times")
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _tables(one, depth - 1)
