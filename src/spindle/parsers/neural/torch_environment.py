"""Settings of torch that are read from the environment; they are set when a training starts."""

from __future__ import annotations

import os

VARIABLES = {
    # the exporter warns of what tests show to be harmless
    "TORCH_CPP_LOG_LEVEL": "ERROR",
    # torch compiles code for every shape that it meets; the code for all shapes of a training should stay
    # cached
    "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "8192",
}


def prepare_torch() -> None:
    """Set the variables that the user has not set; call this before the first import of torch."""
    for name, value in VARIABLES.items():
        os.environ.setdefault(name, value)
