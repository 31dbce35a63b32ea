"""A parsed search pattern: what `parse_pattern` returns and `compile_pattern` takes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum


class Relation(IntEnum):
    """How a vertex A relates to a vertex B. The numbers are those of the core."""

    CHILD = 0
    PARENT = 1
    DESCENDANT = 2
    ANCESTOR = 3
    NTH_CHILD = 4
    NTH_CHILD_OF = 5
    ONLY_CHILD = 6
    ONLY_CHILD_OF = 7
    LEFTMOST = 8
    LEFTMOST_OF = 9
    RIGHTMOST = 10
    RIGHTMOST_OF = 11
    UNARY_PATH = 12
    UNARY_PATH_OF = 13
    SISTER = 14
    NEXT_SISTER = 15
    PREVIOUS_SISTER = 16
    LATER_SISTER = 17
    EARLIER_SISTER = 18
    NEXT = 19
    PREVIOUS = 20
    LATER = 21
    EARLIER = 22
    HEAD_CHILD = 23
    HEAD_CHILD_OF = 24
    HEAD_PATH = 25
    HEAD_PATH_OF = 26
    CROSSES = 27
    SURROUNDS = 28
    EQUAL = 29
    ANYWHERE = 30


HEAD_RELATIONS = frozenset(
    {Relation.HEAD_CHILD, Relation.HEAD_CHILD_OF, Relation.HEAD_PATH, Relation.HEAD_PATH_OF}
)


class TextAttribute(IntEnum):
    """A string of a vertex. The numbers are those of the core."""

    LABEL = 0
    TAG = 1
    WORD = 2
    LEMMA = 3
    MORPH = 4
    FUNC = 5
    HEAD = 6
    HEADTAG = 7


class NumberAttribute(IntEnum):
    """A number of a vertex. The numbers are those of the core."""

    KIND = 0
    GAP = 1
    LEN = 2
    DEPTH = 3
    HEIGHT = 4
    CHILDREN = 5
    CHAIN = 6
    FIRST = 7
    LAST = 8
    EVENT = 9


COMPARISONS = {"=": 0, "!=": 1, "<": 2, "<=": 3, ">": 4, ">=": 5}
"""The comparisons of numbers, with the numbers of the core."""


class Compare(Enum):
    """How a text is compared."""

    EXACT = "exact"
    BASIC = "basic category"
    ANY_CASE = "any case"
    REGEX = "regular expression"
    BASIC_REGEX = "regular expression for the basic category"


@dataclass(frozen=True)
class Text:
    """One alternative of a label or value, and its place in the pattern."""

    text: str
    compare: Compare
    at: int


@dataclass(frozen=True)
class TextTest:
    """The attribute is one of the alternatives, or none of them if the test is negated."""

    attribute: TextAttribute
    alternatives: tuple[Text, ...]
    is_negated: bool = False


@dataclass(frozen=True)
class NumberTest:
    """The attribute compares with a value."""

    attribute: NumberAttribute
    comparison: str
    value: int


@dataclass(frozen=True)
class All:
    """All parts hold."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True)
class Any:
    """At least one part holds."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True)
class Not:
    """The part does not hold."""

    part: Formula


@dataclass(frozen=True)
class Related:
    """A vertex like `vertex` is in this relation; `argument` is the N of `<N`."""

    relation: Relation
    argument: int
    vertex: VertexPattern
    at: int


Formula = All | Any | Not | Related


@dataclass(frozen=True)
class VertexPattern:
    """What a vertex must be like.

    `name` names the vertex. If `is_reference` is set, the vertex must be the one that has this name already;
    with `same_label` it must have the label of the vertex that has this name. `name_at` and `label_at` are
    the places of the names in the pattern.
    """

    tests: tuple[TextTest | NumberTest, ...] = ()
    name: str | None = None
    is_reference: bool = False
    same_label: str | None = None
    formula: Formula | None = None
    at: int = 0
    name_at: int = 0
