"""The output of disco-dop's evaluator: the table of sentences and the summary, character for character.

Its tables of frequent errors, between the two, are not reproduced; our own report has such tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal

from spindle.errors import EvaluationError
from spindle.evaluation.pairing import Pair
from spindle.evaluation.sentence_score import SentenceScore, Status, compare_pair
from spindle.evaluation.settings import Settings
from spindle.evaluation.totals import Totals
from spindle.trees import Tree

HEAD = (
    "   Sentence                 Matched   Brackets            Corr POS",
    "  ID Length  Recall  Precis Bracket   gold   cand  Words  POS  Accur.",
)


class Stopped(EvaluationError):
    """The official program stops at the first sentence that it cannot compare."""


def discodop_output(
    pairs: Iterable[Pair[Tree]], settings: Settings, on_message: Callable[[str], None]
) -> Iterator[str]:
    """Yield the table and the summary; unparsed sentences are left out and reported to `on_message`."""
    sentences = []
    for pair in pairs:
        sentence, _ = compare_pair(pair, settings)
        if sentence.status is Status.ERROR:
            raise Stopped(f"sentence {sentence.name}: {sentence.problem}")
        if sentence.status is Status.SKIPPED:
            on_message(f"sentence {sentence.name}: {sentence.problem}")
        else:
            sentences.append(sentence)
    yield from _table(sentences)
    yield "\n"
    yield _summary(sentences, settings)


def _table(sentences: list[SentenceScore]) -> Iterator[str]:
    names = [sentence.name for sentence in sentences]
    width = max(map(len, names), default=0)
    for line in HEAD:
        yield " " * (width - 4) + line + "\n"
    yield " " + "_" * (width - 5 + len(HEAD[-1])) + "\n"
    for name, sentence in zip(names, sentences, strict=True):
        yield (
            f"{name:>{width}}  {sentence.length:5d}  {_ratio(sentence.matched, sentence.gold)}  "
            f"{_ratio(sentence.matched, sentence.pred)}   {sentence.matched:5d}  {sentence.gold:5d}  "
            f"{sentence.pred:5d}  {sentence.words:5d}  {sentence.tags:4d}  "
            f"{_ratio_or_0div(sentence.tags, sentence.words)} \n"
        )


def _summary(sentences: list[SentenceScore], settings: Settings) -> str:
    """Return the summary: one column, or two if some sentences are longer than the cut-off."""
    cutoff = settings.parameters.cutoff
    short = [sentence for sentence in sentences if sentence.length <= cutoff]
    if len(short) == len(sentences):
        lines = [" Summary (ALL) ".center(35, "_")]
        columns = [_column(sentences, settings)]
    else:
        lines = [f"{' Summary ':_^27} <= {cutoff} ______ ALL"]
        columns = [_column(short, settings), _column(sentences, settings)]
    gold, pred = columns[-1]["disc. gold brackets"], columns[-1]["disc. cand. brackets"]
    has_disc = int(gold) > 0 or int(pred) > 0
    for name in columns[-1]:
        values = [column[name] for column in columns]
        if name.startswith("disc."):
            if not has_disc or len(columns) == 1:
                continue
        elif has_disc and len(columns) == 1 and name.endswith("brackets"):
            values = [f"{values[0]} ({columns[0]['disc. ' + name].strip()})"]
            name += " (disc.)"
        lines.append(f"{name + ':':<27}" + "     ".join(values))
    return "\n".join(lines) + "\n"


def _column(sentences: list[SentenceScore], settings: Settings) -> dict[str, str]:
    """Return one column of the summary: formatted figures by name."""
    totals = Totals.of(sentences)
    disc_only = settings.parameters.disc_only
    counted, exact = (
        (totals.disc_sentences, totals.disc_exact_matches)
        if disc_only
        else (totals.counted, totals.exact_matches)
    )
    return {
        "number of sentences": f"{counted:6d}",
        "longest sentence": f"{totals.longest:6d}",
        # the program prints the number of distinct brackets, but computes with all of them
        "gold brackets": f"{sum(sentence.distinct_gold for sentence in sentences):6d}",
        "cand. brackets": f"{sum(sentence.distinct_pred for sentence in sentences):6d}",
        "disc. gold brackets": f"{totals.disc_gold:6d}",
        "disc. cand. brackets": f"{totals.disc_pred:6d}",
        "labeled recall": _ratio(totals.matched, totals.gold),
        "labeled precision": _ratio(totals.matched, totals.pred),
        "labeled f-measure": _f_measure(totals),
        "exact match": _ratio_or_0div(exact, counted),
        "pos accuracy": _ratio_or_0div(totals.correct_tags, totals.words),
    }


# The program computes with 28 decimal digits and rounds only what it prints.


def _ratio(part: int, whole: int) -> str:
    return f"{float(100 * (Decimal(part) / whole)):6.2f}" if whole else "   nan"


def _ratio_or_0div(part: int, whole: int) -> str:
    return _ratio(part, whole) if whole else " 0DIV!"


def _f_measure(totals: Totals) -> str:
    if not totals.matched:
        return "   nan"
    precision, recall = Decimal(totals.matched) / totals.pred, Decimal(totals.matched) / totals.gold
    half = Decimal("0.5")
    return f"{float(100 * (1 / (half / precision + half / recall))):6.2f}"
