"""The signature: one line that says how a score was computed. Scores with equal signatures are comparable."""

from __future__ import annotations

import hashlib

from spindle import __version__
from spindle.evaluation.parameters import write_parameters
from spindle.evaluation.schemes import Deletion
from spindle.evaluation.settings import Settings
from spindle.evaluation.totals import Totals
from spindle.trees.punctuation import PUNCTUATION_TAGS


def signature(settings: Settings, totals: Totals) -> str:
    """Return the signature, such as `evalb|prm:collins|labels:yes|punct:deleted-by-own-tags|…|v:0.1.0`."""
    parts = {
        "prm": _parameters(settings),
        "labels": "yes" if settings.parameters.labeled else "no",
        "punct": _punctuation(settings),
        "wrapper": "by-prm" if settings.official else "ignored",
        "tags": _tags(totals),
        "missing": settings.missing,
        "scored": totals.scored_of_all,
        "cut": "all" if settings.cutoff is None else str(settings.cutoff),
        "v": __version__,
    }
    if settings.parameters.disc_only:
        parts["brackets"] = "disc"
    return "|".join([settings.scheme.name, *(f"{key}:{value}" for key, value in parts.items())])


def _parameters(settings: Settings) -> str:
    """Return the name of the parameters; parameters from a file get a digest of their content."""
    if settings.parameters_name == settings.scheme.parameters_name:
        return settings.parameters_name
    digest = hashlib.sha256(write_parameters(settings.parameters).encode()).hexdigest()
    return f"{settings.parameters_name}#{digest[:8]}"


def _punctuation(settings: Settings) -> str:
    deleted = settings.parameters.delete_words or PUNCTUATION_TAGS & set(settings.parameters.delete_labels)
    if settings.scheme.deletion is Deletion.NEVER or not deleted:
        return "kept"
    return f"deleted-by-{settings.scheme.deletion.value}"


def _tags(totals: Totals) -> str:
    """Infer the kind of tags: if all of them are correct, they are gold tags or as good as gold tags."""
    if not totals.words:
        return "unknown"
    return "gold" if totals.correct_tags == totals.words else "pred"
