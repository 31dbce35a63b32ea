"""The parts of a bracket label: a symbol, functions and co-indices, as in `NP-SBJ-1` or `VP=2`."""

from __future__ import annotations

import re

# any numeric part of a label except the first part
_CO_INDEX = re.compile(r"(?<=.)[-=][0-9]+(?=[-=]|$)", re.DOTALL)
_IDENTITY = re.compile(r"(?<=.)-([0-9]+)$", re.DOTALL)


def base_label(label: str) -> str:
    """Return the symbol without functions and indices; a label that starts with `-` or `=` is all symbol.

    >>> base_label("NP-SBJ-1"), base_label("VP=2"), base_label("-NONE-"), base_label("--")
    ('NP', 'VP', '-NONE-', '--')
    """
    if label[:1] in ("-", "="):
        return label
    return label.partition("-")[0].partition("=")[0]


def without_indices(label: str) -> str:
    """Return the label without its co-indices; functions are kept.

    >>> without_indices("NP-SBJ-1"), without_indices("NP-OB1=2"), without_indices("S-1-TPC")
    ('NP-SBJ', 'NP-OB1', 'S-TPC')
    """
    return _CO_INDEX.sub("", label)


def co_index(label: str) -> str:
    """Return the number by which traces refer to a constituent; "" if it has none.

    `=2` is not such a number: it relates the parts of a gapped clause to those of a full clause.

    >>> co_index("WHNP-1"), co_index("NP-SBJ"), co_index("NP=2"), co_index("*T*-12")
    ('1', '', '', '12')
    """
    match = _IDENTITY.search(label)
    return match[1] if match else ""
