"""The options of the neural parser."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from spindle.parsers.options import BackendOptions, option

ENCODERS = ("bilstm", "cnn")
"""The encoders that are trained from scratch."""
PRETRAINED_PREFIX = "hf:"
"""How the name of a pretrained encoder begins; a name of the Hugging Face hub or a folder follows."""


class Precision(StrEnum):
    """The number of bits with which a pretrained encoder multiplies during training."""

    AUTO = "auto"
    BF16 = "16"
    FLOAT32 = "32"

    @classmethod
    def _missing_(cls, value: object) -> Precision | None:
        return cls(str(value)) if isinstance(value, int) else None


class Switch(StrEnum):
    """Whether a part of the network exists."""

    ON = "on"
    OFF = "off"


@dataclass(frozen=True)
class NeuralOptions(BackendOptions):
    """What a user may choose about the network and its training; None leaves it to the encoder's recipe."""

    encoder: str = option("bilstm", "bilstm, cnn (fastest), or hf:NAME for a pretrained encoder")
    epochs: int | None = option(None, "passes over the training data", at_least=1)
    batch: int | None = option(None, "words per batch, padding included", at_least=1)
    rate: float = option(0.002, "learning rate of the weights that are not pretrained", above=0)
    dropout: float | None = option(None, "share of the features set to zero", at_least=0, below=1)
    hidden: int | None = option(None, "width of the encoder, or of the layer above it", at_least=1)
    precision: Precision = option(Precision.AUTO, "bits of the products of a pretrained encoder")
    encoder_rate: float | None = option(None, "learning rate of pretrained weights: a tenth of rate", above=0)
    constituents: Switch = option(Switch.ON, "constituents are scored, too, to choose among trees")

    @property
    def is_pretrained(self) -> bool:
        """Whether the encoder is a pretrained one."""
        return self.encoder.startswith(PRETRAINED_PREFIX)
