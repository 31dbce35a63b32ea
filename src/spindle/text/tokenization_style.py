"""How a treebank splits text into words, learned from its words.

Treebanks differ. Recent English treebanks split at hyphens, but not after `anti-`. French treebanks split
after `l'`; Dutch ones keep `zo'n` whole. The words of a treebank show its style and the abbreviations of
its language, so the tokenizer needs no handwritten lists.
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
_MAX_ACCIDENTS = 2  # a clitic or elision with this count or less is taken for an error in the treebank
_MAX_STARTERS = 150
_MAX_SHOWN = 8


@dataclass(frozen=True)
class TokenizationStyle:
    """Where text is split into words. All words are in lower case, with straight apostrophes."""

    clitics: frozenset[str] = frozenset()
    """Split off the end of a word: `'s`, `n't`."""
    elisions: frozenset[str] = frozenset()
    """Split off the start of a word: `l'`, `qu'`."""
    cuts_hyphens: bool = False
    prefixes: frozenset[str] = frozenset()
    """Prefixes that stay joined by their hyphen: `anti`, `e`."""
    cuts_slashes: bool = False
    brackets_inside: bool = False
    """Whether a bracket may be inside a word: `AUTRE(S)`."""
    penn_quotes: bool = False
    """Whether quotation marks are written as `` and ''."""
    abbreviations: frozenset[str] = frozenset()
    """Words that end in a full stop, without the full stop."""
    ordinals: bool = False
    """Whether `3.` may be one word."""
    starters: frozenset[str] = frozenset()
    """Words that often start a sentence."""

    def to_dict(self) -> dict[str, Any]:
        """Return the style as values that JSON can represent."""
        return {
            name: sorted(value) if isinstance(value, frozenset) else value
            for name, value in asdict(self).items()
        }

    def describe(self) -> str:
        """Return in one line how words are written.

        >>> TokenizationStyle(clitics=frozenset({"'s", "n't"}), cuts_hyphens=True).describe()
        "contractions split ('s n't); hyphens split; slashes kept; brackets split; quotes as in the text"
        """
        contractions = self.clitics | self.elisions
        parts = {
            "contractions": f"split ({_shown(contractions)})" if contractions else "kept",
            "hyphens": "split" if self.cuts_hyphens else "kept",
            "slashes": "split" if self.cuts_slashes else "kept",
            "brackets": "kept inside words" if self.brackets_inside else "split",
            "quotes": "written `` and ''" if self.penn_quotes else "as in the text",
        }
        if self.cuts_hyphens and self.prefixes:
            parts["hyphens"] += f", but not after {_shown(self.prefixes)}"
        return "; ".join(f"{name} {what}" for name, what in parts.items())

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> TokenizationStyle:
        """Return the style of a dictionary: the inverse of `to_dict`."""
        fields: dict[str, Any] = {
            name: frozenset(value) if isinstance(value, list) else value for name, value in values.items()
        }
        return cls(**fields)


def learn_tokenization_style(sentences: Iterable[Sequence[str]]) -> TokenizationStyle:
    """Learn the tokenization style of a treebank from the words of its sentences."""
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
        clitics=_frequent(words, _CLITIC),
        elisions=_frequent(words, _ELISION),
        cuts_hyphens=cuts_hyphens,
        prefixes=frozenset(compounds) if cuts_hyphens else frozenset(),
        cuts_slashes=words["/"] > sum(count for word, count in words.items() if _EITHER_OR.match(word)),
        brackets_inside=any(map(_BRACKET_INSIDE.search, words)),
        penn_quotes=words["``"] > words['"'] + words["“"],
        abbreviations=frozenset(
            word[:-1].lower()
            for word, count in words.items()
            # `no.` can be an abbreviation, but `no` is more frequent as a word
            if _ABBREVIATION.match(word) and count > words[word[:-1]]
        ),
        ordinals=sum(count for word, count in words.items() if _ORDINAL.match(word)) > _MAX_ACCIDENTS,
        starters=frozenset(word for word, _ in starters.most_common(_MAX_STARTERS)),
    )


def straight(word: str) -> str:
    """Return a word with straight apostrophes."""
    return word.replace("’", "'")


def _frequent(words: Counter[str], pattern: re.Pattern[str]) -> frozenset[str]:
    """Return the words, in lower case, that match the pattern and are not accidents."""
    counts: Counter[str] = Counter()
    for word, count in words.items():
        if pattern.match(word):
            counts[word.lower()] += count
    return frozenset(word for word, count in counts.items() if count > _MAX_ACCIDENTS)


def _shown(words: frozenset[str]) -> str:
    """Return the first words, and how many more there are."""
    more = f" and {len(words) - _MAX_SHOWN} more" if len(words) > _MAX_SHOWN else ""
    return " ".join(sorted(words)[:_MAX_SHOWN]) + more


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
"""The style of recent English treebanks: the default."""
