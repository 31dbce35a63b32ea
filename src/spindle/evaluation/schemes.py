"""The schemes for scoring brackets, as settings of one implementation: three established and one of ours."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from spindle.errors import EvaluationError
from spindle.evaluation.parameters import Parameters


class Deletion(Enum):
    """Which words are deleted before brackets are compared; the value appears in the signature."""

    BY_OWN_TAG = "own-tags"
    """Each file's own tags decide: a wrong tag on a comma causes a length mismatch."""
    NEVER = "kept"
    """Tags delete no words: punctuation counts."""
    BY_GOLD = "gold-tags"
    """The gold tag (or the word itself) decides for both files."""


@dataclass(frozen=True)
class Scheme:
    """How an official program applies its parameters.

    Labels are cut at the first mark (`NP-SBJ`, `NP=2`), unless they start with it (`-NONE-`).
    """

    name: str
    program: str
    """The official program; "" for a scheme of our own."""
    deletion: Deletion
    label_marks: str
    tag_marks: str
    # whether EQ_LABEL applies to tags as well as to phrase labels
    equates_tags: bool
    parameters_name: str
    parameters: Parameters
    # faults of a program, which only official output reproduces
    cuts_first_character: bool = False
    """Whether a label that starts with a mark is cut to nothing."""
    cuts_deleted_labels: bool = False
    """Whether the labels to delete are cut, too: `-NONE-` then deletes brackets without a label."""


PENN_PUNCTUATION = (",", ":", "``", "''", ".")

EVALB = Scheme(
    name="evalb",
    program="EVALB",
    deletion=Deletion.BY_OWN_TAG,
    label_marks="-=",
    tag_marks="",
    equates_tags=True,
    parameters_name="collins",
    parameters=Parameters(
        delete_labels=("TOP", "-NONE-", *PENN_PUNCTUATION),
        delete_labels_for_length=("-NONE-",),
        equal_labels=(("ADVP", "PRT"),),
    ),
    cuts_first_character=True,
)

EVALB_GOLD = replace(EVALB, name="evalb-gold", program="", deletion=Deletion.BY_GOLD)
"""EVALB with punctuation decided by the gold tags, so that a wrong tag on a comma leaves no sentence out."""

SPMRL = Scheme(
    name="spmrl",
    program="EVALB_SPMRL",
    deletion=Deletion.NEVER,
    label_marks="-=#",
    tag_marks="-=#",
    equates_tags=True,
    parameters_name="spmrl",
    parameters=Parameters(
        max_error=10_000,
        cutoff=70,
        delete_labels=("TOP", "ROOT", "S1", "-NONE-", "VROOT"),
        delete_labels_for_length=("-NONE-",),
    ),
    cuts_first_character=True,
    cuts_deleted_labels=True,
)

DISCODOP = Scheme(
    name="discodop",
    program="disco-dop",
    deletion=Deletion.BY_GOLD,
    label_marks="-=",
    tag_marks="-=",
    equates_tags=False,
    parameters_name="proper",
    parameters=Parameters(
        delete_labels=(
            *("NOPARSE", "TOP", "ROOT", "VROOT"),
            *("$,", "$(", "$[", "$."),
            *("PUNCT", "punct", "LET[]", "LET()", "LET", "let[]", "let()", "let"),
            *PENN_PUNCTUATION,
            "-NONE-",
        ),
        delete_words=(
            *(".", ",", ":", ";", "'", "`", '"', "``", "''", "-", "(", ")", "/", "&", "$"),
            *("!", "!!!", "?", "??", "???", "..", "...", "«", "»"),
        ),
        equal_labels=(("ADVP", "PRT"),),
        equal_words=(("-LRB-", "("), ("-RRB-", ")")),
    ),
)

SCHEMES = {scheme.name: scheme for scheme in (EVALB, EVALB_GOLD, SPMRL, DISCODOP)}


def find_scheme(name: str) -> Scheme:
    """Return the scheme with this name."""
    if name not in SCHEMES:
        raise EvaluationError(f"unknown scheme {name!r}; choose one of {', '.join(SCHEMES)}")
    return SCHEMES[name]
