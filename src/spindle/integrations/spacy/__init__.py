"""Spindle as a component of spaCy's pipelines: `nlp.add_pipe("spindle")`.

spaCy finds the component by the entry point `spacy_factories`, so no program has to import this package.
"""

from spindle.integrations.spacy.component import SpindleComponent, make_component
from spindle.integrations.spacy.constituents import Constituent
from spindle.integrations.spacy.picture import render

__all__ = ["Constituent", "SpindleComponent", "make_component", "render"]
