"""A pattern as tables for the core, and the predicates that Python evaluates for it."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

from spindle import _core
from spindle.errors import PatternError
from spindle.search.parse import parse_pattern
from spindle.search.pattern import (
    COMPARISONS,
    HEAD_RELATIONS,
    All,
    Any,
    Compare,
    Formula,
    Not,
    Related,
    Text,
    TextAttribute,
    TextTest,
    VertexPattern,
)
from spindle.trees.labels import base_label

REGEX_SECONDS = 10.0
"""How long the regular expressions of a pattern may take for one batch of strings."""
_NONE = -1
_ALL, _ANY, _NOT, _RELATED = range(4)  # the kinds of formulas in the core
_FUNCTIONS = re.compile(r"[-=]")
_FEATURES = re.compile(r"[|.]")

Predicate = Callable[[str], bool]


@dataclass(frozen=True)
class CompiledPattern:
    """A pattern for the core."""

    text: str
    names: tuple[str, ...]
    """The names of the pattern, in the order in which they occur."""
    uses_heads: bool
    predicates: tuple[frozenset[str] | Predicate, ...]
    vertices: tuple[_core.PatternVertex, ...]
    formulas: tuple[_core.PatternFormula, ...]

    def searcher(self, store: _core.TreeStore, collects_names: bool) -> _core.TreeSearcher:
        """Return a new searcher of the core for the trees of a store."""
        literals = [one if isinstance(one, frozenset) else None for one in self.predicates]
        root = len(self.vertices) - 1
        return _core.TreeSearcher(
            store, literals, self.vertices, self.formulas, root, len(self.names), collects_names
        )

    def evaluate(self, searcher: _core.TreeSearcher) -> None:
        """Evaluate the predicates of the pattern for the strings that are new to a searcher."""
        functions = [(at, one) for at, one in enumerate(self.predicates) if not isinstance(one, frozenset)]
        if not functions:
            return
        strings = searcher.new_symbols()
        with _time_limit(REGEX_SECONDS, self.text):
            for number, function in functions:
                searcher.extend(number, bytes(map(function, strings)))


def compile_pattern(text: str) -> CompiledPattern:
    """Return the compiled pattern; a `PatternError` points at the place where it cannot be read."""
    compiler = _Compiler()
    compiler.add_vertex(parse_pattern(text))
    return CompiledPattern(
        text,
        tuple(compiler.names),
        compiler.uses_heads,
        tuple(compiler.predicates),
        tuple(compiler.vertices),
        tuple(compiler.formulas),
    )


@dataclass
class _Compiler:
    """Numbers the parts of a pattern; every part comes after the parts that it contains."""

    names: list[str] = field(default_factory=list)
    uses_heads: bool = False
    predicates: list[frozenset[str] | Predicate] = field(default_factory=list)
    vertices: list[_core.PatternVertex] = field(default_factory=list)
    formulas: list[_core.PatternFormula] = field(default_factory=list)

    def add_vertex(self, vertex: VertexPattern) -> int:
        name = self.number_of(vertex.name)
        same_label = self.number_of(vertex.same_label)
        formula = _NONE if vertex.formula is None else self.add_formula(vertex.formula)
        texts = []
        numbers = []
        for test in vertex.tests:
            if isinstance(test, TextTest):
                self.uses_heads |= test.attribute in (TextAttribute.HEAD, TextAttribute.HEADTAG)
                predicate = self.add_predicate(text_predicate(test))
                of_label = _label_predicate(test)
                label_predicate = _NONE if of_label is None else self.add_predicate(of_label)
                texts.append((int(test.attribute), predicate, label_predicate, test.is_negated))
            else:
                numbers.append((int(test.attribute), COMPARISONS[test.comparison], _small(test.value)))
        self.vertices.append((texts, numbers, name, same_label, formula))
        return len(self.vertices) - 1

    def add_formula(self, formula: Formula) -> int:
        match formula:
            case All(parts):
                row = (_ALL, [self.add_formula(part) for part in parts], 0, 0, _NONE)
            case Any(parts):
                row = (_ANY, [self.add_formula(part) for part in parts], 0, 0, _NONE)
            case Not(part):
                row = (_NOT, [self.add_formula(part)], 0, 0, _NONE)
            case Related(relation, argument, vertex):
                self.uses_heads |= relation in HEAD_RELATIONS
                row = (_RELATED, [], int(relation), _small(argument), self.add_vertex(vertex))
        self.formulas.append(row)
        return len(self.formulas) - 1

    def add_predicate(self, predicate: frozenset[str] | Predicate) -> int:
        self.predicates.append(predicate)
        return len(self.predicates) - 1

    def number_of(self, name: str | None) -> int:
        if name is None:
            return _NONE
        if name not in self.names:
            self.names.append(name)
        return self.names.index(name)


def _small(value: int) -> int:
    """Return a number that fits the core; no tree is that large."""
    return max(-(1 << 30), min(value, 1 << 30))


# ── predicates ───────────────────────────────────────────────────────────────────────────────────────


def text_predicate(test: TextTest) -> frozenset[str] | Predicate:
    """Return the strings that pass a test, or a function that decides."""
    if test.attribute is TextAttribute.MORPH:
        return _any_part(test.alternatives, _parts_of_morphology)
    if all(one.compare is Compare.EXACT for one in test.alternatives):
        return frozenset(one.text for one in test.alternatives)
    return _any_of([_of(one) for one in test.alternatives])


def _label_predicate(test: TextTest) -> Predicate | None:
    """Return the test of the functions in a label such as NP-SBJ, if the test is of functions."""
    if test.attribute is not TextAttribute.FUNC:
        return None
    return _any_part(test.alternatives, _functions_in)


def _any_part(alternatives: Sequence[Text], parts_of: Callable[[str], list[str]]) -> Predicate:
    tests = _any_of([_of(one) for one in alternatives])
    return lambda text: any(map(tests, parts_of(text)))


def _any_of(tests: list[Predicate]) -> Predicate:
    return tests[0] if len(tests) == 1 else lambda text: any(test(text) for test in tests)


def _of(alternative: Text) -> Predicate:
    wanted = alternative.text
    match alternative.compare:
        case Compare.EXACT:
            return lambda text: text == wanted
        case Compare.BASIC:
            return lambda text: base_label(text) == wanted
        case Compare.ANY_CASE:
            folded = wanted.casefold()
            return lambda text: text.casefold() == folded
        case Compare.REGEX:
            search = re.compile(wanted).search
            return lambda text: search(text) is not None
        case Compare.BASIC_REGEX:
            search = re.compile(wanted).search
            return lambda text: search(base_label(text)) is not None


def _functions_in(label: str) -> list[str]:
    """Return the functions in a label: `NP-SBJ-1` has SBJ and 1."""
    return [] if label[:1] in ("-", "=") else _FUNCTIONS.split(label)[1:]


def _parts_of_morphology(text: str) -> list[str]:
    """Return a morphology, its features, and their values: `Case=Nom|Number=Sing`, `Nom.Sg.Masc`."""
    features = _FEATURES.split(text)
    return [text, *features, *(feature.partition("=")[2] for feature in features if "=" in feature)]


@contextmanager
def _time_limit(seconds: float, pattern: str) -> Iterator[None]:
    """Raise a `PatternError` after some time, where the system can interrupt a regular expression."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(signal_number: int, frame: FrameType | None) -> None:
        hint = "avoid repetitions inside repetitions, such as (a+)+"
        raise PatternError(f"a regular expression of {pattern!r} takes too long", hint=hint)

    before = signal.signal(signal.SIGALRM, stop)
    timer = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, before)
