"""Models: the parts a pipeline learns, and the file that holds them."""

from spindle.models.model_file import ModelFile, read_model, write_model
from spindle.models.part import Part

__all__ = ["ModelFile", "Part", "read_model", "write_model"]
