"""How a treebank cuts text into words, told by the words it has.

Treebanks differ: English ones of today cut at hyphens, but not after `anti-`; French ones cut after `l'`,
Dutch ones leave `zo'n` whole. What a treebank does, and which abbreviations its language has, can be seen
from its words, so that a tokenizer for it needs no lists by hand.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

APOSTROPHES = "'’"
_CLITIC = re.compile(rf"(?:n[{APOSTROPHES}]t|[{APOSTROPHES}][^\W\d_]{{1,3}})\Z", re.IGNORECASE)
_ELISION = re.compile(rf"[^\W\d_]{{1,8}}[{APOSTROPHES}]\Z")
_ABBREVIATION = re.compile(r"[^\W\d_](?:[\w.-]*\w)?\.\Z")
_ORDINAL = re.compile(r"[0-9]{1,2}\.\Z")
_COMPOUND = re.compile(r"([^\W\d_]+)-\w[\w-]*\Z")
_EITHER_OR = re.compile(r"[^\W\d_]+/[^\W\d_]+\Z")
_BRACKET_INSIDE = re.compile(r"\w\(\w+\)\Z")
_RARE = 2  # a clitic or an elision that is seen less often is taken for an accident
_STARTERS = 150


@dataclass(frozen=True)
class TokenizationStyle:
    """What is cut and what is not. Words are in lower case; apostrophes are straight."""

    clitics: frozenset[str] = frozenset()
    """What is cut off the end of a word: `'s`, `n't`."""
    elisions: frozenset[str] = frozenset()
    """What is cut off its start: `l'`, `qu'`."""
    cuts_hyphens: bool = False
    prefixes: frozenset[str] = frozenset()
    """After these a hyphen is no place to cut: `anti`, `e`."""
    cuts_slashes: bool = False
    brackets_inside: bool = False
    """Whether a bracket may be inside a word: `AUTRE(S)`."""
    penn_quotes: bool = False
    """Whether quotation marks are spelled `` and ''."""
    abbreviations: frozenset[str] = frozenset()
    """Words that end in a full stop of their own, without it."""
    ordinals: bool = False
    """Whether `3.` may be one word."""
    starters: frozenset[str] = frozenset()
    """Words that often begin a sentence."""

    def to_dict(self) -> dict[str, Any]:
        """The habits as JSON can hold them."""
        return {
            name: sorted(value) if isinstance(value, frozenset) else value
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> TokenizationStyle:
        """The inverse of `to_dict`."""
        fields: dict[str, Any] = {
            name: frozenset(value) if isinstance(value, list) else value for name, value in values.items()
        }
        return cls(**fields)


def learn_tokenization_style(sentences: Iterable[Sequence[str]]) -> TokenizationStyle:
    """The habits of a treebank, from the words of its sentences."""
    words: Counter[str] = Counter()
    starters: Counter[str] = Counter()
    for sentence in sentences:
        words.update(straight(word) for word in sentence)
        starters.update(word.lower() for word in sentence[:1] if word[:1].isupper())
    compounds = Counter[str]()
    for word, count in words.items():
        if match := _COMPOUND.match(word):
            compounds[match[1].lower()] += count
    cuts_hyphens = words["-"] > compounds.total()
    return TokenizationStyle(
        clitics=_seen(words, _CLITIC),
        elisions=_seen(words, _ELISION),
        cuts_hyphens=cuts_hyphens,
        prefixes=frozenset(compounds) if cuts_hyphens else frozenset(),
        cuts_slashes=words["/"] > sum(count for word, count in words.items() if _EITHER_OR.match(word)),
        brackets_inside=any(map(_BRACKET_INSIDE.search, words)),
        penn_quotes=words["``"] > words['"'] + words["“"],
        abbreviations=frozenset(
            word[:-1].lower()
            for word, count in words.items()
            # `no.` before a number is one, but most often `no` is a word
            if _ABBREVIATION.match(word) and count > words[word[:-1]]
        ),
        ordinals=sum(count for word, count in words.items() if _ORDINAL.match(word)) > _RARE,
        starters=frozenset(word for word, _ in starters.most_common(_STARTERS)),
    )


def straight(word: str) -> str:
    """The word with straight apostrophes."""
    return word.replace("’", "'")


def _seen(words: Counter[str], pattern: re.Pattern[str]) -> frozenset[str]:
    counts: Counter[str] = Counter()
    for word, count in words.items():
        if pattern.match(word):
            counts[word.lower()] += count
    return frozenset(word for word, count in counts.items() if count > _RARE)


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


ENGLISH = TokenizationStyle(
    clitics=_set("'s 're 've 'll 'd 'm n't"),
    cuts_hyphens=True,
    prefixes=_set("anti co e ex mid multi non post pre pro re semi sub un"),
    cuts_slashes=True,
    abbreviations=_set(
        "mr mrs ms dr prof sen rep gov gen col st jr sr inc ltd co corp vs etc al eds fig figs vol pp "
        "e.g i.e cf approx jan feb mar apr jun jul aug sep sept oct nov dec a.m p.m u.s u.k u.n ph.d"
    ),
    starters=_set(
        "the it in he this i we they but she and if as a there that at when for however on what so you no "
        "these after our his an to one all by then with their its"
    ),
)
"""Today's English treebanks, for models that have learned nothing else."""
