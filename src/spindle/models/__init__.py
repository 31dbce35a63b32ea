"""Models: the parts a pipeline learns, and the file that holds them."""

from spindle.models.part import Part

__all__ = ["Part"]
