"""Head-rule tables as TOML files, which linguists can read and change.

    title = "…"                  the name of the table
    source = "…"                 where the rules come from
    for = "…"                    the treebanks that the rules fit
    tags = "NN NNS VB"           their tags, for guessing the table of a treebank
    like = "collins"             a bundled table; keys and rules that are missing here are taken from it
    otherwise = "leftmost"       or "rightmost": the head under a label without a rule
    conjunctions = "CC CONJP"    a head directly after one of these moves to the conjunct before it
    cut-labels-at = "-="         look up `NP-SBJ` as NP
    ignore-case = false          if true, look up labels in lower case, and write them so below
    edges-first = false          if true, an edge that the treebank marks as head overrides the rules
    head-edges = "HD hd"         the labels of such edges
    skip-punctuation = true      if false, punctuation can be a head like any word

    [rules]                      one line per label, or for several labels: steps in order of priority
    ADJP = ["leftmost NNS QP NN", "rightmost"]
    "NP NX" = ["final POS", "rightmost of NN NNP"]

`spindle.heads.steps` explains the steps. The empty label of an outermost node is looked up as ROOT.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from spindle.errors import HeadRuleError
from spindle.heads.steps import Step
from spindle.heads.table import HeadRules

_FOLDER = resources.files("spindle.heads") / "rules"
# The keys of a file, with the field of HeadRules and its type.
_KEYS: dict[str, tuple[str, type]] = {
    "title": ("title", str),
    "source": ("source", str),
    "for": ("purpose", str),
    "tags": ("tags", frozenset),
    "otherwise": ("otherwise", str),
    "conjunctions": ("conjunctions", frozenset),
    "cut-labels-at": ("cut_labels_at", str),
    "ignore-case": ("ignore_case", bool),
    "edges-first": ("edges_first", bool),
    "head-edges": ("head_edges", tuple),
    "skip-punctuation": ("skips_punctuation", bool),
}


@cache
def available_rules() -> tuple[str, ...]:
    """Return the names of the bundled tables."""
    names = (file.name for file in _FOLDER.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def load_rules(name: str) -> HeadRules:
    """Load head rules: a bundled table by its name, or a TOML file."""
    if name in available_rules():
        return parse_rules((_FOLDER / f"{name}.toml").read_text("utf-8"), name)
    try:
        text = Path(name).read_text("utf-8")
    except FileNotFoundError:
        close = get_close_matches(name, available_rules(), n=1)
        hint = f"did you mean {close[0]}?" if close else f"choose one of {', '.join(available_rules())}"
        raise HeadRuleError(f"there are no head rules and no file named '{name}'", hint=hint) from None
    except UnicodeDecodeError as error:
        raise HeadRuleError(f"{name}: not UTF-8 ({error.reason} at byte {error.start})") from None
    except (OSError, ValueError) as error:
        raise HeadRuleError(f"{name}: {getattr(error, 'strerror', '') or error}") from None
    return parse_rules(text, name)


def parse_rules(text: str, name: str) -> HeadRules:
    """Parse the text of a rule file: the inverse of `format_rules`. `name` becomes the name of the rules.

    >>> rules = load_rules("collins")
    >>> parse_rules(format_rules(rules), rules.name) == rules
    True
    """
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise HeadRuleError(f"{name}: {error}", hint="is this a file of head rules, in TOML?") from None
    fields: dict[str, Any] = {"title": name}
    steps: dict[str, tuple[Step, ...]] = {}
    if "like" in content:
        base = _named_table(content.pop("like"), name)
        steps |= base.steps
        fields = {field: getattr(base, field) for field, _ in _KEYS.values()}
    steps |= _rules(content.pop("rules", {}), name)
    fields |= dict(_field(key, value, name) for key, value in content.items())
    try:
        return HeadRules(name=name, steps=steps, **fields)
    except HeadRuleError as error:
        raise HeadRuleError(f"{name}: {error}") from None


def format_rules(rules: HeadRules) -> str:
    """Return the text of a self-contained rule file (without `like`) for these rules."""
    lines = []
    for key, (field, kind) in _KEYS.items():
        value = getattr(rules, field)
        if kind is frozenset:
            value = " ".join(sorted(value))
        elif kind is tuple:
            value = " ".join(value)
        lines.append(f"{key} = {_toml(value)}")
    lines += ["", "[rules]"]
    for label, steps in rules.steps.items():
        lines.append(f"{_toml(label)} = [{', '.join(_toml(str(step)) for step in steps)}]")
    return "\n".join(lines) + "\n"


def _field(key: str, value: Any, name: str) -> tuple[str, Any]:
    """Return the field of HeadRules for a key of the file, and its value."""
    if key not in _KEYS:
        close = get_close_matches(key, (*_KEYS, "like", "rules"), n=1)
        hint = f"did you mean '{close[0]}'?" if close else f"choose one of {', '.join(_KEYS)}, like, rules"
        raise HeadRuleError(f"{name}: unknown key '{key}'", hint=hint)
    field, kind = _KEYS[key]
    if type(value) is not (bool if kind is bool else str):
        wanted = "true or false" if kind is bool else "a string"
        raise HeadRuleError(f"{name}: '{key}' must be {wanted}, not {value!r}")
    return field, kind(str(value).split()) if kind in (frozenset, tuple) else value


def _named_table(base: object, name: str) -> HeadRules:
    if base not in available_rules():
        hint = f"choose one of {', '.join(available_rules())}"
        raise HeadRuleError(f"{name}: 'like' must name a bundled table, not {base!r}", hint=hint)
    return load_rules(str(base))


def _rules(content: object, name: str) -> dict[str, tuple[Step, ...]]:
    """Return the rules of a file, with one entry per label."""
    if not isinstance(content, Mapping):
        raise HeadRuleError(f"{name}: 'rules' must be a table that starts with [rules], not {content!r}")
    rules: dict[str, tuple[Step, ...]] = {}
    for labels, texts in content.items():
        if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
            raise HeadRuleError(f"{name}: the rule for {labels} must be a list of steps, not {texts!r}")
        steps = []
        for number, text in enumerate(texts, 1):
            try:
                steps.append(Step.parse(text))
            except HeadRuleError as error:
                raise HeadRuleError(f"{name}: rule for {labels}, step {number}: {error}") from None
        if not labels.split():
            raise HeadRuleError(f"{name}: a rule without a label", hint="an empty label is written ROOT")
        for label in labels.split():
            if label in rules:
                raise HeadRuleError(f"{name}: there are two rules for {label}", hint="keep one of them")
            rules[label] = tuple(steps)
    return rules


def _toml(value: str | bool) -> str:
    """Return a TOML value. JSON has the same syntax for strings and booleans, but does not escape DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
