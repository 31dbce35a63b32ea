"""The order of a graph-based parser."""

from __future__ import annotations

from enum import StrEnum


class Order(StrEnum):
    """How large the parts of a tree are that a graph-based parser scores, from the smallest up."""

    BASIC = "basic"
    """Single arcs."""
    STANDARD = "standard"
    """Also pairs of arcs: neighbouring siblings, and grandparents."""
    FULL = "full"
    """Also pairs of any siblings, and parts of three arcs."""
