"""Loads pretrained encoders with transformers: from a folder, from its cache, or from the Hugging Face hub.

Of a model that encodes and decodes, such as a translation model, the encoder is used. Needs torch.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spindle.errors import ParserError
from spindle.parsers.neural.options import PRETRAINED_PREFIX

DEFAULT_POSITIONS = 512
"""The number of positions of an encoder that sets no limit: longer windows would be slow."""
TOKENIZER_FILE = "tokenizer.json"


@dataclass(frozen=True)
class PretrainedEncoder:
    """A model, the JSON text of its tokenizer, and the number of sub-words it can read at once.

    `mask_id` is the sub-word that stands for a masked one, or None if the encoder has none.
    """

    model: Any
    tokenizer: str
    max_subwords: int
    mask_id: int | None


def load_pretrained(name: str) -> PretrainedEncoder:
    """Load the pretrained encoder with this name or in this folder."""
    try:
        import transformers
    except ImportError:
        raise ParserError(
            "a pretrained encoder needs transformers to be trained: pip install 'spindle-parser[neural]'"
        ) from None
    transformers.utils.logging.disable_progress_bar()
    try:
        tokenizer = _load_tokenizer(name)
        # the exporter supports the plain implementation of attention only
        model = transformers.AutoModel.from_pretrained(name, attn_implementation="eager", dtype="float32")
    except (ImportError, OSError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise ParserError(
            f"no encoder {PRETRAINED_PREFIX}{name}: {reason} (name a folder with config.json, "
            f"{TOKENIZER_FILE} and weights, or a model of the Hugging Face hub)"
        ) from None
    if model.config.is_encoder_decoder:
        model = model.get_encoder()
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        raise ParserError(
            f"the tokenizer of {PRETRAINED_PREFIX}{name} has no {TOKENIZER_FILE}, which parsing needs; "
            "choose an encoder with one"
        )
    positions = getattr(model.config, "max_position_embeddings", DEFAULT_POSITIONS)
    # some encoders reserve two positions for padding
    return PretrainedEncoder(model, backend.to_str(), positions - 2, tokenizer.mask_token_id)


def _load_tokenizer(name: str) -> Any:
    """Load the tokenizer of an encoder; if its own class fails, the JSON file in the folder is enough."""
    import transformers

    has_file = (Path(name) / TOKENIZER_FILE).is_file()
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name)
    except Exception:  # each class fails in its own way if a file or a package that it needs is missing
        if not has_file:
            raise
        tokenizer = None
    if has_file and not hasattr(tokenizer, "backend_tokenizer"):
        return transformers.PreTrainedTokenizerFast.from_pretrained(name)
    return tokenizer
