"""Gold trees beside parsed trees: compared once, then filtered and paged through."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from threading import Lock
from typing import Any

from spindle.errors import EvaluationError
from spindle.evaluation.breakdown import BracketError, Kind
from spindle.evaluation.differences import (
    Differences,
    ErrorFilter,
    Order,
    SentenceDifference,
    find_differences,
    settings_for_diff,
)
from spindle.evaluation.pairing import pair_entries
from spindle.trees import Tree
from spindle.trees.records import node_records, token_records
from spindle.web.reading import Refusal, shown
from spindle.web.treebanks import OpenTreebank

KEPT = 8
"""The number of comparisons that are kept; the one that was not used for the longest time goes first."""


@dataclass(frozen=True)
class Question:
    """What is compared, and which errors are of interest."""

    gold: str
    pred: str
    scheme: str | None
    disc_only: bool
    interest: ErrorFilter
    order: Order

    @property
    def basis(self) -> Question:
        """The same question about all errors: filters by label and kind choose from its answer."""
        lengths = ErrorFilter(None, None, self.interest.min_length, self.interest.max_length)
        return Question(self.gold, self.pred, self.scheme, self.disc_only, lengths, "file")


@dataclass(frozen=True)
class Answer:
    """The differences that were asked for, under an id, and counts of all errors."""

    id: str
    differences: Differences
    remark: str
    labels: Mapping[str, int]
    kinds: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Return scores, coverage and counts."""
        found, totals = self.differences, self.differences.totals
        return {
            "id": self.id,
            "f1": totals.f1,
            "precision": totals.precision,
            "recall": totals.recall,
            "coverage": totals.coverage,
            "signature": found.signature,
            "remark": self.remark,
            "shown": len(found.sentences),
            "errors": found.errors,
            "labels": dict(self.labels),
            "kinds": dict(self.kinds),
        }


class Comparisons:
    """The last comparisons by id."""

    def __init__(self) -> None:
        self._answers: OrderedDict[Question, Answer] = OrderedDict()
        self._numbers = count(1)
        self._lock = Lock()

    def __getitem__(self, id: str) -> Answer:
        with self._lock:
            for answer in self._answers.values():
                if answer.id == id:
                    return answer
        raise Refusal(404, f"there is no comparison {shown(id)}; compare the treebanks again")

    def compare(self, question: Question, gold: OpenTreebank, pred: OpenTreebank) -> Answer:
        """Return the answer to a question about two treebanks."""
        basis = self._known(question.basis) or self._compare(question.basis, gold, pred)
        if question == question.basis:
            return basis
        chosen = basis.differences.only(question.interest, question.order)
        return self._known(question) or self._keep(question, chosen, basis.remark)

    def _compare(self, question: Question, gold: OpenTreebank, pred: OpenTreebank) -> Answer:
        remarks: list[str] = []
        settings, entries = settings_for_diff(
            gold.trees, question.scheme, None, question.disc_only, missing=None
        )
        pairs = pair_entries(entries, iter(pred.trees), on_remark=remarks.append)
        found = find_differences(pairs, settings, question.interest, "file")
        if not found.totals.gold_sentences:
            raise EvaluationError("there is no sentence of this length")
        return self._keep(question, found, "; ".join(remarks))

    def _known(self, question: Question) -> Answer | None:
        with self._lock:
            if question in self._answers:
                self._answers.move_to_end(question)
            return self._answers.get(question)

    def _keep(self, question: Question, found: Differences, remark: str) -> Answer:
        basis = self._known(question.basis)
        labels: Mapping[str, int]
        kinds: Mapping[str, int]
        if basis is not None:
            labels, kinds = basis.labels, basis.kinds
        else:
            errors = [error for one in found.sentences for error in (*one.missing, *one.extra)]
            labels = dict(Counter(error.label for error in errors).most_common())
            counted = Counter(error.kind for error in errors)
            kinds = {kind.value: counted[kind] for kind in Kind}
        with self._lock:
            answer = Answer(str(next(self._numbers)), found, remark, labels, kinds)
            self._answers[question] = answer
            while len(self._answers) > KEPT:
                self._answers.popitem(last=False)
        return answer


def row(number: int, sentence: SentenceDifference) -> dict[str, Any]:
    """Return a row of the list of sentences."""
    return {
        "number": number,
        "name": sentence.score.name,
        "f1": sentence.f1,
        "errors": sentence.errors,
        "words": sentence.score.length,
        "text": " ".join([token.form for token in sentence.gold.tokens[:40]])[:200],
    }


def sentence_record(number: int, sentence: SentenceDifference) -> dict[str, Any]:
    """Return both trees of a sentence, and the errors in each."""
    pred = sentence.pred
    return {
        **row(number, sentence),
        "gold": _tree_record(sentence.gold, sentence.missing),
        "pred": None if pred is None else _tree_record(pred, sentence.extra),
        "problem": sentence.score.problem,
    }


def _tree_record(tree: Tree, errors: tuple[BracketError, ...]) -> dict[str, Any]:
    nodes = node_records(tree)
    for node, head in zip(nodes, tree.heads or (), strict=False):
        node["head"] = head
    wrong = [
        {"node": error.node, "label": error.label, "kind": error.kind.value, "other": error.other}
        for error in errors
    ]
    return {"words": token_records(tree.tokens), "nodes": nodes, "errors": wrong}
