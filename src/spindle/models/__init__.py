"""The model file and the models that come with the package."""

from spindle.models.model_file import ModelFile, read_model, write_model
from spindle.models.model_part import Array, ModelPart

__all__ = ["Array", "ModelFile", "ModelPart", "read_model", "write_model"]
