"""The line that says how a score was computed; two scores with the same line can be compared."""

from __future__ import annotations

import hashlib

from spindle.evaluation.parameters import write_parameters
from spindle.evaluation.schemes import Deletion
from spindle.evaluation.settings import Settings
from spindle.evaluation.totals import Totals
from spindle.trees.punctuation import PUNCTUATION_TAGS


def signature(settings: Settings, totals: Totals) -> str:
    """For example `evalb|prm:collins|labels:yes|punct:deleted-by-own-tags|wrapper:ignored|…|v:0.1.0`."""
    from spindle import __version__

    parts = {
        "prm": _parameters(settings),
        "labels": "yes" if settings.parameters.labeled else "no",
        "punct": _punctuation(settings),
        "wrapper": "by-prm" if settings.to_the_letter else "ignored",
        "tags": _tags(totals),
        "unparsed": settings.unparsed,
        "cut": "all" if settings.cutoff is None else str(settings.cutoff),
        "v": __version__,
    }
    if settings.parameters.disc_only:
        parts["brackets"] = "disc"
    return "|".join([settings.scheme.name, *(f"{key}:{value}" for key, value in parts.items())])


def _parameters(settings: Settings) -> str:
    """The name of the parameters; those from a file with a digest of what they say."""
    if settings.parameters_name == settings.scheme.parameters_name:
        return settings.parameters_name
    digest = hashlib.sha256(write_parameters(settings.parameters).encode()).hexdigest()
    return f"{settings.parameters_name}#{digest[:8]}"


def _punctuation(settings: Settings) -> str:
    deleted = settings.parameters.delete_words or PUNCTUATION_TAGS & set(settings.parameters.delete_labels)
    if settings.scheme.deletion is Deletion.EMPTIES or not deleted:
        return "kept"
    return f"deleted-by-{settings.scheme.deletion.value}"


def _tags(totals: Totals) -> str:
    """Told by the tags themselves: where all are as in gold, gold tags were given or are as good as given."""
    if not totals.words:
        return "unknown"
    return "gold" if totals.correct_tags == totals.words else "pred"
