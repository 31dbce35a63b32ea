"""Pretrained encoders: found locally, in the cache, or downloaded, by transformers. Needs torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spindle.errors import ParserError

PREFIX = "hf:"
LONGEST = 512
"""How many sub-words an encoder may read that sets no limit itself: more would be slow."""


@dataclass(frozen=True)
class Found:
    """An encoder, its tokenizer's JSON, and how many sub-words it can read at once.

    `mask` is the sub-word that stands for a hidden one, if there is such.
    """

    model: Any
    tokenizer: str
    longest: int
    mask: int | None


def find_pretrained(name: str) -> Found:
    """The pretrained encoder of a name or in a folder."""
    try:
        import transformers
    except ImportError:
        raise ParserError(
            "a pretrained encoder needs transformers to be trained: pip install 'spindle-parser[neural]'"
        ) from None
    transformers.utils.logging.disable_progress_bar()
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name)
        # plain attention is what the exporter knows
        model = transformers.AutoModel.from_pretrained(name, attn_implementation="eager", dtype="float32")
    except (OSError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise ParserError(
            f"no encoder {PREFIX}{name}: {reason} (name a folder with config.json, tokenizer.json and "
            "weights, or a model of the Hugging Face hub)"
        ) from None
    if model.config.is_encoder_decoder:
        raise ParserError(f"{PREFIX}{name} both reads and writes; name a model that only encodes")
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        raise ParserError(f"the tokenizer of {PREFIX}{name} has no tokenizer.json, which parsing needs")
    longest = getattr(model.config, "max_position_embeddings", LONGEST) - 2
    return Found(model, backend.to_str(), longest, tokenizer.mask_token_id)
