"""Part-of-speech tags and morphology, predicted."""

from spindle.tagging.tagger import Tagger

__all__ = ["Tagger"]
