"""The model file and the models that come with the package.

`spindle.models` is this package, and `spindle.models()` lists the bundled models.
"""

import sys
from types import ModuleType

from spindle.models.bundled import BundledModel, list_models
from spindle.models.model_file import ModelFile, read_model, write_model
from spindle.models.model_part import Array, ModelPart, bytes_of

__all__ = [
    "Array",
    "BundledModel",
    "ModelFile",
    "ModelPart",
    "bytes_of",
    "list_models",
    "read_model",
    "write_model",
]


class _CallableModule(ModuleType):
    """The type of this module: importing it sets `spindle.models`, which users call as a function."""

    def __call__(self) -> list[BundledModel]:
        """Return the bundled models, the default one first."""
        return list_models()


sys.modules[__name__].__class__ = _CallableModule
