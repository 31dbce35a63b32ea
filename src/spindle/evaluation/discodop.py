"""The output of disco-dop's evaluator: the table of sentences and the summary, character for character.

It has a column of function tags where the prediction has some. Its tables of frequent errors, between the
two, are not reproduced; our own report has such tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from itertools import compress

from spindle.errors import EvaluationError
from spindle.evaluation.comparison import Comparison, WordMismatch
from spindle.evaluation.functions import FunctionCounts, add_up, compare_functions
from spindle.evaluation.pairing import Pair, read_pair
from spindle.evaluation.sentence_score import SentenceScore, Status, compare_pair
from spindle.evaluation.settings import Settings
from spindle.evaluation.totals import Totals
from spindle.trees import Tree

HEAD = (
    "   Sentence                 Matched   Brackets            Corr POS",
    "  ID Length  Recall  Precis Bracket   gold   cand  Words  POS  Accur.",
)


FUNCTION_TAGS = "function tags"


class Stopped(EvaluationError):
    """The official program stops at the first sentence that it cannot compare."""


def discodop_output(
    pairs: Iterable[Pair[Tree]], settings: Settings, on_message: Callable[[str], None]
) -> Iterator[str]:
    """Yield the table and the summary; unparsed sentences are left out and reported to `on_message`."""
    sentences: list[SentenceScore] = []
    functions: list[FunctionCounts] = []
    for pair in pairs:
        sentence, compared = compare_pair(pair, settings)
        if sentence.status is Status.ERROR:
            raise Stopped(f"sentence {sentence.name}: {sentence.problem}")
        if sentence.status is Status.SKIPPED:
            on_message(f"sentence {sentence.name}: {sentence.problem}")
        else:
            sentences.append(sentence)
            functions.append(_functions(pair, compared, settings))
    yield from _table(sentences, functions)
    yield "\n"
    yield _summary(sentences, functions, settings)


def _functions(
    pair: Pair[Tree], compared: Comparison | WordMismatch | None, settings: Settings
) -> FunctionCounts:
    pair = read_pair(pair)
    if isinstance(compared, Comparison) and isinstance(pair.gold, Tree) and isinstance(pair.pred, Tree):
        return compare_functions(pair.gold, pair.pred, compared, settings)
    return FunctionCounts()


def _table(sentences: list[SentenceScore], functions: list[FunctionCounts]) -> Iterator[str]:
    names = [sentence.name for sentence in sentences]
    width = max(map(len, names), default=0)
    for line in HEAD:
        yield " " * (width - 4) + line + "\n"
    yield " " + "_" * (width - 5 + len(HEAD[-1])) + "\n"
    for name, sentence, tags in zip(names, sentences, functions, strict=True):
        yield (
            f"{name:>{width}}  {sentence.length:5d}  {_ratio(sentence.matched, sentence.gold)}  "
            f"{_ratio(sentence.matched, sentence.pred)}   {sentence.matched:5d}  {sentence.gold:5d}  "
            f"{sentence.pred:5d}  {sentence.words:5d}  {sentence.tags:4d}  "
            f"{_ratio_or_0div(sentence.tags, sentence.words)} {_function_tags(tags) if tags.pred else ''}\n"
        )


def _summary(sentences: list[SentenceScore], functions: list[FunctionCounts], settings: Settings) -> str:
    """Return the summary: one column, or two if some sentences are longer than the cut-off."""
    cutoff = settings.parameters.cutoff
    is_short = [sentence.length <= cutoff for sentence in sentences]
    short = list(compress(sentences, is_short))
    if len(short) == len(sentences):
        lines = [" Summary (ALL) ".center(35, "_")]
        columns = [_column(sentences, functions, settings)]
    else:
        lines = [f"{' Summary ':_^27} <= {cutoff} ______ ALL"]
        columns = [
            _column(short, list(compress(functions, is_short)), settings),
            _column(sentences, functions, settings),
        ]
    gold, pred = columns[-1]["disc. gold brackets"], columns[-1]["disc. cand. brackets"]
    has_disc = int(gold) > 0 or int(pred) > 0
    for name in columns[-1]:
        values = [column[name] for column in columns]
        if name == FUNCTION_TAGS and not any(tags.pred for tags in functions):
            continue
        if name.startswith("disc."):
            if not has_disc or len(columns) == 1:
                continue
        elif has_disc and len(columns) == 1 and name.endswith("brackets"):
            values = [f"{values[0]} ({columns[0]['disc. ' + name].strip()})"]
            name += " (disc.)"
        lines.append(f"{name + ':':<27}" + "     ".join(values))
    return "\n".join(lines) + "\n"


def _column(
    sentences: list[SentenceScore], functions: list[FunctionCounts], settings: Settings
) -> dict[str, str]:
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
        FUNCTION_TAGS: _function_tags(add_up(functions) if functions else FunctionCounts()),
        "pos accuracy": _ratio_or_0div(totals.correct_tags, totals.words),
    }


# The program computes with 28 decimal digits and rounds only what it prints.


def _ratio(part: int, whole: int) -> str:
    return f"{float(100 * (Decimal(part) / whole)):6.2f}" if whole else "   nan"


def _ratio_or_0div(part: int, whole: int) -> str:
    return _ratio(part, whole) if whole else " 0DIV!"


def _f_measure(totals: Totals) -> str:
    return _harmonic_mean(totals.matched, totals.gold, totals.pred)


def _function_tags(counts: FunctionCounts) -> str:
    return _harmonic_mean(counts.matched, counts.gold, counts.pred)


def _harmonic_mean(matched: int, gold: int, pred: int) -> str:
    if not matched:
        return "   nan"
    precision, recall = Decimal(matched) / pred, Decimal(matched) / gold
    half = Decimal("0.5")
    return f"{float(100 * (1 / (half / precision + half / recall))):6.2f}"
