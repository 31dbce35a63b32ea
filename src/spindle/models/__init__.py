"""The model file format and the bundled models."""

from spindle.models.model_file import ModelFile, read_model, write_model
from spindle.models.model_part import ModelPart

__all__ = ["ModelFile", "ModelPart", "read_model", "write_model"]
