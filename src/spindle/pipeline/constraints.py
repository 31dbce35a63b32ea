"""Constraints on the tree of a sentence: what a person has fixed, for the parser to fill in the rest.

    >>> fixed = Constraints(required=[Bracket(range(2, 4), "NP")], heads={0: 1}, tags={0: "PRP"})
    >>> fixed == Constraints.from_dict(fixed.to_dict())
    True

Positions of words start at 0. `spindle.pipeline.constrained` makes a parser honour constraints.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from spindle.errors import ConstraintError, TreebankError
from spindle.reduction import encode
from spindle.treebanks import Source
from spindle.trees import ROOT, Token, Tree
from spindle.trees.labels import base_label


@dataclass(frozen=True)
class Bracket:
    """A node over exactly these words, with this label; without a label, with any.

    The words may have gaps. A label is compared without functions if the treebank writes functions in labels.
    """

    words: tuple[int, ...]
    label: str | None = None

    def __init__(self, words: Iterable[int], label: str | None = None) -> None:
        try:
            positions = tuple(sorted(set(words)))
        except TypeError:
            positions = ()
        if not positions or not all(type(word) is int and word >= 0 for word in positions):
            raise ConstraintError(f"the words of a bracket are positions from 0, not {words!r}")
        if label is not None and (not isinstance(label, str) or not _is_name(label)):
            raise ConstraintError(f"{label!r} cannot be a label")
        object.__setattr__(self, "words", positions)
        object.__setattr__(self, "label", label)

    @property
    def mask(self) -> int:
        """The words as a bit set, as in `Tree.masks`."""
        return sum(1 << word for word in self.words)

    def describe(self, tokens: Sequence[Token]) -> str:
        """Return the bracket as messages show it: `NP over words 2, 3 ("a map")`."""
        forms = " ".join([tokens[word].form for word in self.words if word < len(tokens)])
        numbers = ", ".join(map(str, self.words))
        return f"{self.label or 'a node'} over word{'s' * (len(self.words) > 1)} {numbers} ({forms!r})"


@dataclass(frozen=True)
class Constraints:
    """What the tree of one sentence must be like.

    `required` brackets must be in the tree and `forbidden` ones must not; a forbidden bracket without a label
    forbids all nodes over its words. `tags` and `heads` give the tags and heads of words; the head of the
    root is -1.
    """

    required: tuple[Bracket, ...] = ()
    forbidden: tuple[Bracket, ...] = ()
    tags: Mapping[int, str] = field(default_factory=dict)
    heads: Mapping[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("required", "forbidden"):
            brackets = tuple(dict.fromkeys(getattr(self, name)))
            if not all(isinstance(one, Bracket) for one in brackets):
                raise ConstraintError(f"`{name}` has something that is not a Bracket: {brackets!r}")
            object.__setattr__(self, name, brackets)
        for word, tag in self.tags.items():
            if type(word) is not int or word < 0 or not isinstance(tag, str) or not _is_name(tag):
                raise ConstraintError(f"word {word!r} cannot have the tag {tag!r}")
        for word, head in self.heads.items():
            if type(word) is not int or type(head) is not int or word < 0 or head < ROOT or word == head:
                raise ConstraintError(f"word {word!r} cannot have the head {head!r}")

    def __bool__(self) -> bool:
        """Return whether anything is fixed."""
        return bool(self.required or self.forbidden or self.tags or self.heads)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Read constraints from JSON: the inverse of `to_dict`."""
        if not isinstance(values, Mapping):
            raise ConstraintError(f"constraints are an object, not {type(values).__name__}")
        if unknown := sorted(values.keys() - {"required", "forbidden", "tags", "heads"}):
            raise ConstraintError(
                f"unknown kind of constraints: {unknown[0]!r}", hint="use required, forbidden, tags, heads"
            )
        try:
            return cls(
                tuple(Bracket(one["words"], one.get("label")) for one in values.get("required", ())),
                tuple(Bracket(one["words"], one.get("label")) for one in values.get("forbidden", ())),
                {int(word): tag for word, tag in values.get("tags", {}).items()},
                {int(word): head for word, head in values.get("heads", {}).items()},
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            if isinstance(error, ConstraintError):
                raise
            hint = 'a bracket is {"words": [0, 1], "label": "NP"}; tags and heads are {"0": …}'
            raise ConstraintError(f"constraints that cannot be read: {values!r}", hint=hint) from None

    def to_dict(self) -> dict[str, Any]:
        """Return the constraints for JSON."""
        return {
            "required": [_record(one) for one in self.required],
            "forbidden": [_record(one) for one in self.forbidden],
            "tags": {str(word): tag for word, tag in self.tags.items()},
            "heads": {str(word): head for word, head in self.heads.items()},
        }

    @property
    def has_structure(self) -> bool:
        """Whether more is fixed than tags."""
        return bool(self.required or self.forbidden or self.heads)

    def tagged(self, tokens: Sequence[Token]) -> tuple[Token, ...]:
        """Return the tokens with the fixed tags."""
        tags = self.tags
        return tuple([token._replace(tag=tags.get(word, token.tag)) for word, token in enumerate(tokens)])

    def items(self) -> Iterator[tuple[str, Any]]:
        """Iterate over single constraints but tags, as names of fields and values."""
        yield from (("required", one) for one in self.required)
        yield from (("forbidden", one) for one in self.forbidden)
        yield from (("heads", pair) for pair in self.heads.items())

    @classmethod
    def of_items(cls, items: Iterable[tuple[str, Any]]) -> Self:
        """Return the constraints of these items; the inverse of `items`."""
        found: dict[str, list[Any]] = {"required": [], "forbidden": [], "heads": []}
        for name, value in items:
            found[name].append(value)
        return cls(tuple(found["required"]), tuple(found["forbidden"]), {}, dict(found["heads"]))

    def describe(self, tokens: Sequence[Token]) -> list[str]:
        """Return every constraint but the tags as messages show it."""
        heads = [
            f"{'the root' if head == ROOT else f'word {head} ({tokens[head].form!r})'} "
            f"as the head of word {word} ({tokens[word].form!r})"
            for word, head in self.heads.items()
        ]
        return [
            *(one.describe(tokens) for one in self.required),
            *(f"not {one.describe(tokens)}" for one in self.forbidden),
            *heads,
        ]

    # ── what a tree has and what it cannot have ──────────────────────────────────────────────────────

    def violations(self, tree: Tree, *, ignore_functions: bool = False) -> list[str]:
        """Return a description of every constraint that a tree does not satisfy; its heads must be known."""
        labels: dict[int, list[str]] = {}
        for label, mask in zip(tree.labels, tree.masks, strict=True):
            labels.setdefault(mask, []).append(base_label(label) if ignore_functions else label)
        heads = encode(tree).dtree.heads if self.heads else ()
        broken = Constraints(
            tuple(one for one in self.required if not _has(labels, one)),
            tuple(one for one in self.forbidden if _has(labels, one)),
            {},
            {word: head for word, head in self.heads.items() if heads[word] != head},
        ).describe(tree.tokens)
        tags = [
            f"the tag {tag} of word {word}" for word, tag in self.tags.items() if tree.tokens[word].tag != tag
        ]
        return broken + tags

    def check(self, tokens: Sequence[Token]) -> None:
        """Raise a `ConstraintError` for constraints that no tree over these words satisfies, as far as pairs
        of them show it.
        """
        size = len(tokens)
        brackets = [*self.required, *self.forbidden]
        words = [word for one in brackets for word in one.words]
        words += [*self.tags, *self.heads, *self.heads.values()]
        if outside := [word for word in words if word >= size]:
            raise ConstraintError(
                f"there is no word {outside[0]}; the sentence has the words 0 to {size - 1}"
            )
        for at, one in enumerate(self.required):
            for other in self.required[:at]:
                if one.mask & other.mask not in (0, one.mask, other.mask):
                    raise _clash("cross", one.describe(tokens), other.describe(tokens))
            for other in self.forbidden:
                if one.words == other.words and other.label in (None, one.label):
                    raise _clash("contradict", one.describe(tokens), f"not {other.describe(tokens)}")
        for one in self.forbidden:
            if one.label is None and len(one.words) == size > 1:
                raise ConstraintError(f"a tree has a node over all words: not {one.describe(tokens)}")
        roots = [word for word, head in self.heads.items() if head == ROOT]
        if len(roots) > 1:
            raise ConstraintError(f"words {roots[0]} and {roots[1]} cannot both be the root")
        for word in self.heads:
            path = [word]
            while (head := self.heads.get(path[-1], ROOT)) != ROOT:
                if head in path:
                    cycle = " → ".join(map(str, [*path[path.index(head) :], head]))
                    raise ConstraintError(f"the heads of words go round in a circle: {cycle}")
                path.append(head)


def read_constraints(name: str) -> Iterator[Constraints | None]:
    """Yield the constraints of a file with one JSON object a line, as `Constraints.to_dict` returns them.

    An empty line, or `null`, is a sentence without constraints.
    """
    for number, line in enumerate(Source(name).lines(), start=1):
        try:
            values = json.loads(line) if line.strip() else None
        except ValueError as error:
            raise TreebankError(f"not JSON: {error}", file=name, line=number) from None
        try:
            found = None if values is None else Constraints.from_dict(values)
        except ConstraintError as error:
            raise TreebankError(error.cause, file=name, line=number, hint=error.hint) from None
        yield found


def _has(labels: Mapping[int, Sequence[str]], bracket: Bracket) -> bool:
    found = labels.get(bracket.mask, ())
    return bool(found) if bracket.label is None else bracket.label in found


def _record(bracket: Bracket) -> dict[str, Any]:
    record: dict[str, Any] = {"words": list(bracket.words)}
    return record if bracket.label is None else {**record, "label": bracket.label}


def _is_name(text: str) -> bool:
    return bool(text) and not any(one.isspace() or one in "()" for one in text)


def _clash(verb: str, one: str, other: str) -> ConstraintError:
    return ConstraintError(f"two constraints {verb} each other: {one}; {other}")
