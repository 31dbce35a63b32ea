"""What disco-dop's evaluator prints: the table of sentences and the summary, character for character.

Between the two it prints tables of frequent errors, which are for reading; ours are in the report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal

from spindle.errors import EvaluationError
from spindle.evaluation.pairing import Pair
from spindle.evaluation.sentence import Sentence, Status, compare_pair
from spindle.evaluation.settings import Settings
from spindle.evaluation.totals import Totals
from spindle.trees import Tree

HEAD = (
    "   Sentence                 Matched   Brackets            Corr POS",
    "  ID Length  Recall  Precis Bracket   gold   cand  Words  POS  Accur.",
)


class Stopped(EvaluationError):
    """The official program gives up at the first sentence that it cannot compare."""


def discodop_output(
    pairs: Iterable[Pair[Tree]], settings: Settings, tell: Callable[[str], None]
) -> Iterator[str]:
    """The table and the summary; the sentences that were not parsed are told and left out."""
    sentences = []
    for pair in pairs:
        sentence, _ = compare_pair(pair, settings)
        if sentence.status is Status.ERROR:
            raise Stopped(f"sentence {sentence.name}: {sentence.problem}")
        if sentence.status is Status.SKIPPED:
            tell(f"sentence {sentence.name}: {sentence.problem}")
        else:
            sentences.append(sentence)
    yield from _table(sentences)
    yield "\n"
    yield _summary(sentences, settings)


def _table(sentences: list[Sentence]) -> Iterator[str]:
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
            f"{_share(sentence.tags, sentence.words)} \n"
        )


def _summary(sentences: list[Sentence], settings: Settings) -> str:
    """One column, or two where some sentences are longer than the cut-off."""
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


def _column(sentences: list[Sentence], settings: Settings) -> dict[str, str]:
    """The lines of the summary for some sentences, formatted."""
    totals = Totals.of(sentences)
    disc_only = settings.parameters.disc_only
    judged, exact = (
        (totals.disc_sentences, totals.disc_exact_matches)
        if disc_only
        else (totals.scored, totals.exact_matches)
    )
    return {
        "number of sentences": f"{judged:6d}",
        "longest sentence": f"{totals.longest:6d}",
        # the program says how many different brackets there are, but computes with all of them
        "gold brackets": f"{sum(sentence.distinct_gold for sentence in sentences):6d}",
        "cand. brackets": f"{sum(sentence.distinct_pred for sentence in sentences):6d}",
        "disc. gold brackets": f"{totals.disc_gold:6d}",
        "disc. cand. brackets": f"{totals.disc_pred:6d}",
        "labeled recall": _ratio(totals.matched, totals.gold),
        "labeled precision": _ratio(totals.matched, totals.pred),
        "labeled f-measure": _f_measure(totals),
        "exact match": _share(exact, judged),
        "pos accuracy": _share(totals.correct_tags, totals.words),
    }


# The program computes with decimals of 28 digits, and only rounds what it prints.


def _ratio(part: int, whole: int) -> str:
    return f"{float(100 * (Decimal(part) / whole)):6.2f}" if whole else "   nan"


def _share(part: int, whole: int) -> str:
    return _ratio(part, whole) if whole else " 0DIV!"


def _f_measure(totals: Totals) -> str:
    if not totals.matched:
        return "   nan"
    precision, recall = Decimal(totals.matched) / totals.pred, Decimal(totals.matched) / totals.gold
    half = Decimal("0.5")
    return f"{float(100 * (1 / (half / precision + half / recall))):6.2f}"
