"""The text of a pattern, read by recursive descent; docs/search.md defines the language."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NoReturn

from spindle.errors import PatternError
from spindle.search.pattern import (
    All,
    Any,
    Compare,
    Formula,
    Not,
    NumberAttribute,
    NumberTest,
    Related,
    Relation,
    Text,
    TextAttribute,
    TextTest,
    VertexPattern,
)

MAX_DEPTH = 100
"""Brackets and negations inside each other; deeper patterns are refused."""
MAX_LENGTH = 10_000
"""Longer patterns are refused."""

_SAME = {
    Relation.CHILD: ("<",),
    Relation.PARENT: (">",),
    Relation.DESCENDANT: ("<<",),
    Relation.ANCESTOR: (">>",),
    Relation.ONLY_CHILD: ("<:",),
    Relation.ONLY_CHILD_OF: (">:",),
    Relation.LEFTMOST: ("<<,", "<<1"),
    Relation.LEFTMOST_OF: (">>,", ">>1"),
    Relation.RIGHTMOST: ("<<-", "<<'", "<<`"),
    Relation.RIGHTMOST_OF: (">>-", ">>'", ">>`"),
    Relation.UNARY_PATH: ("<<:",),
    Relation.UNARY_PATH_OF: (">>:",),
    Relation.SISTER: ("$", "%"),
    Relation.NEXT_SISTER: ("$.", "$+", "%.", "%+"),
    Relation.PREVIOUS_SISTER: ("$,", "$-", "%,", "%-"),
    Relation.LATER_SISTER: ("$..", "$++", "%..", "%++"),
    Relation.EARLIER_SISTER: ("$,,", "$--", "%,,", "%--"),
    Relation.NEXT: (".",),
    Relation.PREVIOUS: (",",),
    Relation.LATER: ("..",),
    Relation.EARLIER: (",,",),
    Relation.HEAD_CHILD: ("<#",),
    Relation.HEAD_CHILD_OF: (">#",),
    Relation.HEAD_PATH: ("<<#",),
    Relation.HEAD_PATH_OF: (">>#",),
    Relation.CROSSES: ("><",),
    Relation.SURROUNDS: ("<>",),
    Relation.EQUAL: ("==",),
}
OPERATORS = {spelling: relation for relation, spellings in _SAME.items() for spelling in spellings}
"""The relation of every operator, without those that contain a number."""

_NUMBERED = re.compile(r"([<>])(?:(-?)([0-9]+)|([,'`])|(-))")
_OPERATOR = re.compile("|".join(re.escape(text) for text in sorted(OPERATORS, key=len, reverse=True)))
_STARTS_OPERATOR = re.compile(r"[<>$%.,]|==")
_BLANK = re.compile(r"\s*")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ATTRIBUTE = re.compile(r":(!?)([a-z]+)")
_COMPARISON = re.compile(r"(!=|<=|>=|[=<>])(-?[0-9]+)")
_LABEL_CHARACTERS = re.compile(r"(?:\\.|[^\s()\[\]|&!$%.,<>=:;\"\\]|\$(?=[\s)\]|&=:]|$))+", re.DOTALL)
_QUOTED = re.compile(r'"((?:\\.|[^"\\])*)"', re.DOTALL)
_REGEX = re.compile(r"/((?:\\.|[^/\\])*)/", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)

_FLAGS = {
    "gap": NumberTest(NumberAttribute.GAP, ">=", 1),
    "unary": NumberTest(NumberAttribute.CHILDREN, "=", 1),
    "root": NumberTest(NumberAttribute.DEPTH, "=", 0),
    "node": NumberTest(NumberAttribute.KIND, "=", 0),
    "tag": NumberTest(NumberAttribute.KIND, "=", 1),
    "word": NumberTest(NumberAttribute.KIND, "=", 2),
}
"""The attributes that need no value."""
_NEGATED = {">=": "<", "=": "!="}
_TEXTS = {one.name.lower(): one for one in TextAttribute if one != TextAttribute.LABEL}
_NUMBERS = {one.name.lower(): one for one in NumberAttribute if one != NumberAttribute.KIND}


def parse_pattern(text: str) -> VertexPattern:
    """Return the parsed pattern; a `PatternError` points at the place where it cannot be read.

    >>> parse_pattern("NP < (NN")
    Traceback (most recent call last):
    spindle.errors.PatternError: a bracket is not closed
      NP < (NN
           ^
    """
    if len(text) > MAX_LENGTH:
        raise PatternError(f"a pattern has at most {MAX_LENGTH:,} characters")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise PatternError(f"not text: {error.reason}") from None
    return _Parser(text).pattern()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.bound: frozenset[str] = frozenset()  # names that have a vertex wherever the parser is

    # ── the levels of the grammar ────────────────────────────────────────────────────────────────────

    def pattern(self) -> VertexPattern:
        """`vertex : vertex : …`: each of the later ones is anywhere in the tree."""
        first = self.expression()
        while self.looking_at(":"):
            place = self.at
            self.at += 1
            anywhere = Related(Relation.ANYWHERE, 0, self.expression(), place)
            first = _with(first, anywhere)
        if self.at < len(self.text):
            character = self.text[self.at]
            if character in ")]":
                self.fail(f'"{character}" closes nothing')
            self.fail("a relation such as < or .. is expected here")
        return first

    def expression(self) -> VertexPattern:
        """A vertex and its relations."""
        self.skip()
        vertex = self.vertex()
        self.skip()
        if self.is_at_formula():
            vertex = _with(vertex, self.any())
        return vertex

    def any(self) -> Formula:
        """`… | …`."""
        before = self.bound
        parts = [self.all()]
        bound = self.bound
        while self.looking_at("|"):
            self.at += 1
            self.skip()
            if not self.is_at_formula():
                self.fail("a relation is expected after |")
            self.bound = before
            parts.append(self.all())
            bound &= self.bound
        self.bound = bound
        return parts[0] if len(parts) == 1 else Any(tuple(parts))

    def all(self) -> Formula:
        """`… & …`; the & may be left out."""
        parts = [self.one()]
        while True:
            self.skip()
            if self.looking_at("&"):
                self.at += 1
                self.skip()
                if not self.is_at_formula():
                    self.fail("a relation is expected after &")
            elif not self.is_at_formula():
                break
            parts.append(self.one())
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def one(self) -> Formula:
        """One relation, or several in brackets; either may be negated."""
        if self.text[self.at] == "!":
            self.enter()
            if not self.is_at_formula():
                self.fail("a relation is expected after !")
            before = self.bound
            negated = self.one()
            self.bound = before  # a vertex that must not exist has no name outside
            self.depth -= 1
            return Not(negated)
        if self.text[self.at] == "[":
            start = self.enter()
            if not self.is_at_formula():
                self.fail("a relation is expected after [")
            inner = self.any()
            self.leave("]", start)
            return inner
        place = self.at
        relation, argument = self.operator()
        self.skip()
        return Related(relation, argument, self.vertex(), place)

    def operator(self) -> tuple[Relation, int]:
        """An operator and its number, if it has one."""
        simple = _OPERATOR.match(self.text, self.at)
        numbered = _NUMBERED.match(self.text, self.at)
        if numbered and (simple is None or numbered.end() > simple.end()):
            place, self.at = self.at, numbered.end()
            direction, minus, digits, other, _ = numbered.groups()
            argument = int(digits) if digits else 1
            if argument == 0:
                self.fail("children are counted from 1", place)
            if minus or not (digits or other == ","):
                argument = -argument
            return (Relation.NTH_CHILD if direction == "<" else Relation.NTH_CHILD_OF), argument
        if simple is None:
            self.fail("a relation such as < or .. is expected here")
        self.at = simple.end()
        return OPERATORS[simple[0]], 0

    # ── a vertex ─────────────────────────────────────────────────────────────────────────────────────

    def vertex(self) -> VertexPattern:
        """A description, or an expression in brackets."""
        if not self.text[self.at : self.at + 1]:
            self.fail("a label is expected at the end of the pattern")
        if self.text[self.at] != "(":
            return self.description()
        start = self.enter()
        inner = self.expression()
        self.leave(")", start)
        if self.at < len(self.text) and self.text[self.at] == "=" and inner.name is None:
            inner = self.named(inner)
        return inner

    def description(self) -> VertexPattern:
        """Label, name and attributes."""
        start = self.at
        vertex = VertexPattern(at=start)
        is_negated = self.text[self.at] == "!"
        if is_negated:
            self.at += 1
        character = self.text[self.at : self.at + 1]
        if character == "=" and not is_negated:
            vertex = self.reference(vertex)
        elif character == "~" and not is_negated:
            vertex = self.with_same_label(vertex)
        elif character != ":" or is_negated:
            alternatives = self.alternatives("a label")
            if alternatives:
                test = TextTest(TextAttribute.LABEL, alternatives, is_negated)
                vertex = replace(vertex, tests=(test,))
            elif is_negated:
                self.fail("every label matches this, so none is left", start)
        while self.at < len(self.text):
            if self.text[self.at] == "=" and vertex.name is None and self.text[self.at + 1 :][:1] != "=":
                vertex = self.named(vertex)
            elif _ATTRIBUTE.match(self.text, self.at):
                vertex = replace(vertex, tests=(*vertex.tests, self.attribute()))
            else:
                break
        if self.at == start:
            self.fail("a label is expected here")
        return vertex

    def named(self, vertex: VertexPattern) -> VertexPattern:
        name, at = self.name()
        self.bound |= {name}
        return replace(vertex, name=name, name_at=at)

    def reference(self, vertex: VertexPattern) -> VertexPattern:
        name, at = self.name()
        self.check_bound(name, at)
        return replace(vertex, name=name, name_at=at, is_reference=True)

    def with_same_label(self, vertex: VertexPattern) -> VertexPattern:
        name, at = self.name()
        self.check_bound(name, at)
        return replace(vertex, same_label=name)

    def name(self) -> tuple[str, int]:
        self.at += 1
        found = _NAME.match(self.text, self.at)
        if not found:
            self.fail("a name of letters and digits is expected here")
        self.at = found.end()
        return found[0], found.start()

    def check_bound(self, name: str, at: int) -> None:
        if name not in self.bound:
            self.fail(f"no vertex before this place always has the name {name}", at)

    def alternatives(self, what: str) -> tuple[Text, ...]:
        """`A|B|C`; nothing if one of them is every label."""
        found = [self.alternative(what)]
        while self.at < len(self.text):
            ahead = _BLANK.match(self.text, self.at)
            end = ahead.end() if ahead else self.at
            if self.text[end : end + 1] != "|":
                break
            after = _BLANK.match(self.text, end + 1)
            next_at = after.end() if after else end + 1
            if self.is_at_formula(next_at):
                break
            self.at = next_at
            found.append(self.alternative(what))
        return () if None in found else tuple(one for one in found if one is not None)

    def alternative(self, what: str) -> Text | None:
        place = self.at
        compare = Compare.EXACT
        if self.text.startswith("i@", self.at):
            compare, self.at = Compare.ANY_CASE, self.at + 2
        elif self.text.startswith("@", self.at):
            compare, self.at = Compare.BASIC, self.at + 1
        if quoted := _QUOTED.match(self.text, self.at):
            self.at = quoted.end()
            return Text(_ESCAPE.sub(r"\1", quoted[1]), compare, place)
        if regex := _REGEX.match(self.text, self.at):
            self.at = regex.end()
            return Text(*self.checked_regex(regex[1], compare, regex.start(1)), place)
        for mark, name in (('"', "a quotation mark"), ("/", "a regular expression")):
            if self.text.startswith(mark, self.at) and (mark != "/" or "/" not in self.text[self.at + 1 :]):
                self.fail(f"{name} is not closed")
        plain = _LABEL_CHARACTERS.match(self.text, self.at)
        if not plain:
            self.fail(f"{what} is expected here; put it in quotes if it has one of . , : $ = < > ( ) [ ]")
        self.at = plain.end()
        if plain[0] in ("*", "__") and compare is Compare.EXACT:
            return None
        return Text(_ESCAPE.sub(r"\1", plain[0]), compare, place)

    def checked_regex(self, regex: str, compare: Compare, at: int) -> tuple[str, Compare]:
        regex = regex.replace("\\/", "/")
        if compare is Compare.ANY_CASE:
            regex = f"(?i:{regex})"
        try:
            re.compile(regex)
        except (re.error, OverflowError, RecursionError) as error:
            place = getattr(error, "pos", None) or 0
            self.fail(f"not a regular expression: {getattr(error, 'msg', error)}", at + place)
        return regex, Compare.BASIC_REGEX if compare is Compare.BASIC else Compare.REGEX

    def attribute(self) -> TextTest | NumberTest:
        """`:name`, `:!name`, `:name=text` or `:name>=3`."""
        found = _ATTRIBUTE.match(self.text, self.at)
        assert found is not None
        place, (negation, name) = self.at, found.groups()
        self.at = found.end()
        number = _COMPARISON.match(self.text, self.at) if name in _NUMBERS else None
        if number and not negation:
            self.at = number.end()
            return NumberTest(_NUMBERS[name], number[1], int(number[2]))
        if name in _TEXTS and not negation and re.compile("!?=").match(self.text, self.at):
            is_negated = self.text[self.at] == "!"
            self.at += 1 + is_negated
            alternatives = self.alternatives("a value")
            if not alternatives:
                self.fail("every value matches this", place)
            return TextTest(_TEXTS[name], alternatives, is_negated)
        if name in _FLAGS:
            flag = _FLAGS[name]
            return replace(flag, comparison=_NEGATED[flag.comparison]) if negation else flag
        names = ", ".join(sorted({*_TEXTS, *_NUMBERS, *_FLAGS}))
        cause = f"there is no attribute {name}; choose one of {names}"
        if name in _NUMBERS:
            cause = f"a comparison such as {name}>=2 is expected"
        elif name in _TEXTS:
            cause = f"a value such as {name}=X is expected"
        raise PatternError(cause, self.text, place + 1)

    # ── characters ───────────────────────────────────────────────────────────────────────────────────

    def skip(self) -> None:
        found = _BLANK.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def looking_at(self, character: str) -> bool:
        self.skip()
        return self.text.startswith(character, self.at)

    def is_at_formula(self, at: int | None = None) -> bool:
        at = self.at if at is None else at
        return self.text[at : at + 1] in ("!", "[") or bool(_STARTS_OPERATOR.match(self.text, at))

    def enter(self) -> int:
        """Step over an opening bracket, or a negation, and return its place."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"more than {MAX_DEPTH} brackets or negations inside each other")
        start = self.at
        self.at += 1
        self.skip()
        return start

    def leave(self, closing: str, start: int) -> None:
        """Step over the bracket that closes the one at `start`."""
        if not self.looking_at(closing):
            if self.at < len(self.text):
                self.fail(f'a relation or "{closing}" is expected here')
            self.fail("a bracket is not closed", start)
        self.depth -= 1
        self.at += 1

    def fail(self, cause: str, at: int | None = None) -> NoReturn:
        raise PatternError(cause, self.text, self.at if at is None else at)


def _with(vertex: VertexPattern, formula: Formula) -> VertexPattern:
    """Return a vertex that must also satisfy a formula."""
    if vertex.formula is None:
        return replace(vertex, formula=formula)
    parts = vertex.formula.parts if isinstance(vertex.formula, All) else (vertex.formula,)
    return replace(vertex, formula=All((*parts, formula)))
