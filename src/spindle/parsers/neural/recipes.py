"""Recipes: the sizes and the training length of each encoder's network, unless the user chooses otherwise."""

from __future__ import annotations

from typing import NamedTuple

from spindle.parsers.neural.options import NeuralOptions


class Recipe(NamedTuple):
    """The width of the encoder, its training, and `context_width`: that of the layer that scores labels."""

    hidden: int
    epochs: int
    dropout: float
    context_width: int


RECIPES = {"bilstm": Recipe(256, 20, 0.33, 160), "cnn": Recipe(192, 20, 0.33, 160)}
PRETRAINED_RECIPE = Recipe(512, 8, 0.2, 256)


def recipe_of(options: NeuralOptions) -> Recipe:
    """Return the recipe of the encoder, with the values that the user has chosen.

    >>> recipe_of(NeuralOptions("cnn", epochs=3))
    Recipe(hidden=192, epochs=3, dropout=0.33, context_width=160)
    """
    recipe = RECIPES.get(options.encoder, PRETRAINED_RECIPE)
    chosen = {name: getattr(options, name) for name in ("hidden", "epochs", "dropout")}
    return recipe._replace(**{name: value for name, value in chosen.items() if value is not None})
