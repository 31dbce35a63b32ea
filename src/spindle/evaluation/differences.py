"""Where predicted trees differ from gold trees: every wrong bracket of every sentence, the worst first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from spindle.drawing.comparison import ComparedTrees, MarkedNode, draw_comparison, svg_comparison
from spindle.drawing.page import comparison_page
from spindle.drawing.svg import svg_stack
from spindle.errors import EvaluationError
from spindle.evaluation.breakdown import BracketError, Kind, all_missing, find_errors
from spindle.evaluation.comparison import Comparison, brackets, kept_alone
from spindle.evaluation.corpus import Corpus, make_settings, read_corpus
from spindle.evaluation.pairing import Entry, Pair, pair_entries, read_pair
from spindle.evaluation.parameters import Parameters
from spindle.evaluation.scheme_choice import choose_scheme
from spindle.evaluation.schemes import EVALB, EVALB_GOLD
from spindle.evaluation.score import format_figure
from spindle.evaluation.sentence_score import SentenceScore, Status, compare_pair
from spindle.evaluation.settings import MissingPolicy, Settings
from spindle.evaluation.signature import signature
from spindle.evaluation.totals import Totals, percent
from spindle.trees import Tree
from spindle.trees.nodes import Node
from spindle.trees.records import tree_record

Order = Literal["errors", "f1", "file"]
"""Most errors first, lowest F1 first, or the order of the gold file."""


@dataclass(frozen=True)
class SentenceDifference:
    """A sentence with its errors: gold brackets that are missing, and predicted brackets that are wrong.

    `pred` is None if the prediction has no tree for the sentence.
    """

    score: SentenceScore
    gold: Tree
    pred: Tree | None
    missing: tuple[BracketError, ...]
    extra: tuple[BracketError, ...]

    @property
    def errors(self) -> int:
        """The number of missing and extra brackets."""
        return len(self.missing) + len(self.extra)

    @property
    def f1(self) -> float | None:
        """F1 of the sentence in per cent, with all of its brackets."""
        return percent(2 * self.score.matched, self.score.gold + self.score.pred)

    def only(self, interest: ErrorFilter) -> SentenceDifference:
        """Return the sentence with the errors of interest."""
        return replace(self, missing=interest.chosen(self.missing), extra=interest.chosen(self.extra))

    @property
    def picture(self) -> ComparedTrees:
        """What drawings of the two trees show."""
        counts = f"{len(self.missing)} missing, {len(self.extra)} extra"
        return ComparedTrees(
            name=self.score.name,
            facts=(f"F1 {format_figure(self.f1)}", counts, f"{self.score.length} words"),
            gold=self.gold,
            pred=self.pred,
            missing=tuple(_marked(error, self.gold) for error in self.missing),
            extra=tuple(_marked(error, self.pred) for error in self.extra if self.pred is not None),
            problem=self.score.problem,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the trees and the errors as plain data, ready for JSON."""
        return {
            "sentence": self.score.name,
            "length": self.score.length,
            "f1": self.f1,
            "gold": tree_record(self.gold),
            "pred": None if self.pred is None else tree_record(self.pred),
            "missing": [_error_record(error, self.gold) for error in self.missing],
            "extra": [] if self.pred is None else [_error_record(error, self.pred) for error in self.extra],
            **({"problem": self.score.problem} if self.score.problem else {}),
        }


@dataclass(frozen=True)
class Differences:
    """The sentences with errors, in the chosen order, and the counts of all sentences that were compared."""

    settings: Settings
    totals: Totals
    sentences: tuple[SentenceDifference, ...]

    @property
    def signature(self) -> str:
        """One line that says how the trees were compared."""
        return signature(self.settings, self.totals)

    @property
    def errors(self) -> int:
        """The number of errors in all these sentences."""
        return sum(sentence.errors for sentence in self.sentences)

    def only(self, interest: ErrorFilter, order: Order = "errors") -> Differences:
        """Return the sentences with errors of interest, in this order; the totals stay as they are.

        Equal sentences keep their order, and `file` keeps it for all.
        """
        found = [one.only(interest) for one in self.sentences if interest.accepts_length(one.score.length)]
        found = [one for one in found if one.errors]
        if order == "errors":
            found.sort(key=lambda one: (-one.errors, one.f1 or 0.0))
        elif order == "f1":
            found.sort(key=lambda one: (one.f1 or 0.0, -one.errors))
        return replace(self, sentences=tuple(found))

    def to_text(self, width: int | None = None, color: bool = False) -> str:
        """Draw the sentences as text, gold above parsed, with the wrong brackets marked."""
        return "\n".join(draw_comparison(one.picture, width=width, color=color) for one in self.sentences)

    def to_svg(self) -> str:
        """Draw the sentences as one SVG document, from top to bottom."""
        return svg_stack([svg_comparison(one.picture) for one in self.sentences])

    def to_html(self, title: str = "Differences") -> str:
        """Return a page that needs no other file, with both trees of every sentence and filters."""
        coverage = self.totals.coverage
        facts = {
            "F1": format_figure(self.totals.f1),
            "sentences": f"{coverage['sentences']:,}",
            "scored": f"{coverage['scored']:,}",
            "missing": f"{coverage['missing']:,}",
            "left out": f"{coverage['left_out']:,}",
            "shown here": f"{len(self.sentences):,}",
        }
        return comparison_page(title, facts, [one.picture for one in self.sentences], self.signature)

    def first(self, limit: int | None) -> Differences:
        """Return the first sentences only; None keeps all of them."""
        return self if limit is None else replace(self, sentences=self.sentences[:limit])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, ready for JSON."""
        return {
            "f1": self.totals.f1,
            **self.totals.coverage,
            "errors": self.errors,
            "differences": [sentence.to_dict() for sentence in self.sentences],
            "signature": self.signature,
        }


@dataclass(frozen=True)
class ErrorFilter:
    """Which errors are of interest: by label in either tree, by kind, by the length of the sentence."""

    label: str | None = None
    kind: Kind | None = None
    min_length: int = 0
    max_length: int | None = None

    def accepts_length(self, length: int) -> bool:
        """Return whether sentences of this length are of interest."""
        return self.min_length <= length and (self.max_length is None or length <= self.max_length)

    def chosen(self, errors: Iterable[BracketError]) -> tuple[BracketError, ...]:
        """Return the errors of interest."""
        return tuple(
            error
            for error in errors
            if (self.label is None or self.label in (error.label, error.other))
            and (self.kind is None or error.kind is self.kind)
        )


def diff(
    gold: Corpus,
    pred: Corpus,
    scheme: str | None = None,
    params: str | Parameters | None = None,
    disc_only: bool = False,
    missing: MissingPolicy = "count",
    *,
    label: str | None = None,
    kind: Kind | str | None = None,
    min_length: int = 0,
    max_length: int | None = None,
    order: Order = "errors",
) -> Differences:
    """Find the sentences with wrong brackets, the worst first, compared as `evaluate` does.

    Without a `scheme`, discontinuous gold trees are compared like disco-dop does, others by `evalb-gold`, so
    that no sentence is left out because of a wrong punctuation tag.
    `label`, `kind` (attachment, unary, coordination or label) and the two lengths choose the errors of
    interest; sentences without any are left out.

        >>> from spindle.treebanks.bracket import parse_bracket
        >>> gold = parse_bracket("(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))")
        >>> pred = parse_bracket("(S (NX (DT the) (NN cat)) (VP (VBZ sleeps)))")
        >>> found = diff([gold], [pred]).sentences[0]
        >>> found.missing[0].label, found.missing[0].other, found.missing[0].kind.value
        ('NP', 'NX', 'label')
    """
    settings, entries = settings_for_diff(read_corpus(gold), scheme, params, disc_only, missing)
    return find_differences(
        pair_entries(entries, read_corpus(pred)),
        settings,
        ErrorFilter(label, None if kind is None else as_kind(kind), min_length, max_length),
        order,
    )


def settings_for_diff(
    gold: Iterable[Entry[Tree]],
    scheme: str | None,
    params: str | Parameters | None,
    disc_only: bool,
    missing: MissingPolicy | None,
) -> tuple[Settings, Iterable[Entry[Tree]]]:
    """Build the settings; without a scheme, one that leaves no sentence out. Returns all entries, too."""
    if scheme is None:
        (scheme, _), gold = choose_scheme(gold)
        scheme = EVALB_GOLD.name if scheme == EVALB.name else scheme
    return make_settings(scheme, params, None, disc_only, missing), gold


def as_kind(name: Kind | str) -> Kind:
    """Return the kind of error with this name."""
    try:
        return Kind(name)
    except ValueError:
        names = ", ".join(kind.value for kind in Kind)
        raise EvaluationError(f"there is no kind of error {name!r}; choose one of {names}") from None


def find_differences(
    pairs: Iterable[Pair[Tree]],
    settings: Settings,
    interest: ErrorFilter,
    order: Order = "errors",
    on_problem: Callable[[SentenceScore], None] = lambda _: None,
) -> Differences:
    """Compare sentence by sentence; `on_problem` is called with every sentence that has a problem."""
    scores: list[SentenceScore] = []
    found: list[SentenceDifference] = []
    for pair in map(read_pair, pairs):
        score, compared = compare_pair(pair, settings)
        if not interest.accepts_length(score.length):
            continue
        scores.append(score)
        if score.problem:
            on_problem(score)
        if not isinstance(pair.gold, Tree) or not score.counts:
            continue
        pred = pair.pred if isinstance(pair.pred, Tree) else None
        if isinstance(compared, Comparison) and pred is not None:
            lost, added = find_errors(pair.gold, pred, compared)
        else:
            assert score.status is Status.UNPARSED
            kept = kept_alone(pair.gold.tokens, settings)
            lost, added = all_missing(pair.gold, brackets(pair.gold, kept, settings)), []
        found.append(SentenceDifference(score, pair.gold, pred, tuple(lost), tuple(added)))
    return Differences(settings, Totals.of(scores), tuple(found)).only(interest, order)


def _marked(error: BracketError, tree: Tree) -> MarkedNode:
    text = Node(tree, error.node).text
    return MarkedNode(error.node, tree.labels[error.node], error.kind.value, text, error.other)


def _error_record(error: BracketError, tree: Tree) -> dict[str, Any]:
    node = Node(tree, error.node)
    record = {"node": error.node, "label": error.label, "kind": error.kind.value, "text": node.text}
    return {**record, "other": error.other} if error.kind is Kind.LABEL else record
