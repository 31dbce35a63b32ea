"""The output of EVALB and EVALB_SPMRL, character for character.

Known faults of EVALB_SPMRL are reproduced: its compact line swaps precision and recall, a sentence with a
length mismatch stays in the score with zero brackets, and an unparsed sentence that counts (-X) gets too many
gold brackets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import isnan, nan
from typing import Literal

from spindle.errors import EvaluationError
from spindle.evaluation.comparison import WordMismatch, compare_kept, kept_alone
from spindle.evaluation.pairing import Absent, Pair, read_pair
from spindle.evaluation.schemes import SPMRL
from spindle.evaluation.sentence_score import (
    ComparedPair,
    SentenceScore,
    Status,
    compare_pair,
    count_brackets,
)
from spindle.evaluation.settings import Settings
from spindle.evaluation.totals import Totals
from spindle.trees import Tree

View = Literal["full", "compact"]

HEAD = """\
  Sent.                        Matched  Bracket   Cross        Correct Tag
 ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy
"""
RULE = "=" * 76 + "\n"


class TooManyErrors(EvaluationError):
    """The official program stops here, without a summary."""


def evalb_output(
    pairs: Iterable[Pair[Tree]],
    settings: Settings,
    view: View,
    pred_name: str,
    on_message: Callable[[str], None],
) -> Iterator[str]:
    """Yield the program's output; its error messages go to `on_message`."""
    yield HEAD + RULE
    sentences: list[SentenceScore] = []
    for sentence in _sentences(pairs, settings, on_message):
        sentences.append(sentence)
        yield _row(sentence)
    everything = Totals.of(sentences)
    if view == "compact":
        yield _compact(everything, pred_name)
        return
    cutoff = settings.parameters.cutoff
    yield RULE + _sums(everything) + "=== Summary ===\n"
    yield "\n-- All --\n" + _summary(everything)
    short = (sentence for sentence in sentences if sentence.length <= cutoff)
    yield f"\n-- len<={cutoff} --\n" + _summary(Totals.of(short))


def _sentences(
    pairs: Iterable[Pair[Tree]], settings: Settings, on_message: Callable[[str], None]
) -> Iterator[SentenceScore]:
    """Yield the sentences as the program counts them; it stops at a file's end or too many errors."""
    errors = 0
    is_spmrl = settings.scheme is SPMRL

    def error(number: int, message: str) -> None:
        nonlocal errors
        errors += 1
        on_message(f"{number} : {message}")
        # the programs compare before they count, so one error more than MAX_ERROR passes
        if errors > settings.parameters.max_error + 1:
            raise TooManyErrors(f"more than {settings.parameters.max_error} errors (MAX_ERROR)")

    for pair in map(read_pair, pairs):
        if pair.gold is Absent.MISSING or pair.pred is Absent.MISSING:
            longer = "test" if pair.gold is Absent.MISSING else "gold"
            error(pair.number, f"Number of lines unmatch (too many lines in {longer} file)")
            return
        result = compare_pair(pair, settings)
        if is_spmrl and isinstance(pair.gold, Tree):
            if isinstance(result.compared, WordMismatch) and isinstance(result.compared.gold, int):
                yield result.sentence._replace(status=Status.SCORED)
                if result.compared.gold > 1:
                    error(pair.number, _message(result))
                    continue
                result = _compare_first_word(result, pair, settings)
            if result.sentence.status is Status.UNPARSED:
                yield result.sentence._replace(gold=_inflated_gold(pair.gold, settings))
                continue
        if result.sentence.status is Status.ERROR:
            error(pair.number, _message(result))
        yield result.sentence


def _compare_first_word(result: ComparedPair, pair: Pair[Tree], settings: Settings) -> ComparedPair:
    """After a length mismatch with a one-word gold sentence, EVALB_SPMRL compares the first words anyway."""
    if not isinstance(pair.gold, Tree) or not isinstance(pair.pred, Tree):
        return result
    kept_gold, kept_pred = kept_alone(pair.gold.tokens, settings), kept_alone(pair.pred.tokens, settings)
    return count_brackets(result.sentence, compare_kept(pair.gold, kept_gold, pair.pred, kept_pred, settings))


def _message(result: ComparedPair) -> str:
    sentence, compared = result
    if isinstance(compared, WordMismatch):
        if isinstance(compared.gold, int):
            return f"Length unmatch ({compared.gold}|{compared.pred})"
        return f"Words unmatch ({_in_brackets(compared.gold)}|{_in_brackets(str(compared.pred))})"
    return sentence.problem


def _in_brackets(word: str) -> str:
    return word.replace("(", "-LRB-").replace(")", "-RRB-")


def _inflated_gold(tree: Tree, settings: Settings) -> int:
    """Count each bracket once, and once more for every DELETE_LABEL that differs, as EVALB_SPMRL does."""
    deleted = settings.parameters.delete_labels
    kept = set(kept_alone(tree.tokens, settings))
    return sum(
        1 + sum(settings.bare_label(label) != settings.bare_label(other) for other in deleted)
        for label, mask in zip(tree.labels, tree.masks, strict=True)
        if any(mask >> position & 1 for position in kept)
    )


def _row(sentence: SentenceScore) -> str:
    recall, precision = _percent(sentence.matched, sentence.gold), _percent(sentence.matched, sentence.pred)
    return (
        f"{sentence.number:4d}  {sentence.length:3d}    {sentence.status:d}  {recall:6.2f} {precision:6.2f}"
        f"   {sentence.matched:3d}    {sentence.gold:3d}  {sentence.pred:3d}    {sentence.crossing:3d}"
        f"   {sentence.words:4d}  {sentence.tags:4d}   {_percent(sentence.tags, sentence.words):6.2f}\n"
    )


def _sums(totals: Totals) -> str:
    brackets = ""
    if totals.gold and totals.pred:
        recall, precision = _percent(totals.matched, totals.gold), _percent(totals.matched, totals.pred)
        brackets = (
            f"{'':16}{recall:6.2f} {precision:6.2f} "
            f"{totals.matched:6d} {totals.gold:5d} {totals.pred:5d}  {totals.crossing:5d}"
        )
    tags = _percent(totals.correct_tags, totals.words)
    return f"{brackets}  {totals.words:5d} {totals.correct_tags:5d}   {tags:6.2f}\n"


def _summary(totals: Totals) -> str:
    counts = {
        "Number of sentence": totals.sentences,
        "Number of Error sentence": totals.errors,
        "Number of Skip  sentence": totals.skipped,
        "Number of Valid sentence": totals.counted,
    }
    figures = {
        "Bracketing Recall": _percent(totals.matched, totals.gold),
        "Bracketing Precision": _percent(totals.matched, totals.pred),
        "Bracketing FMeasure": _f_measure(totals),
        "Complete match": _percent(totals.exact_matches, totals.counted),
        "Average crossing": totals.crossing / totals.counted if totals.counted else 0.0,
        "No crossing": _percent(totals.without_crossing, totals.counted),
        "2 or less crossing": _percent(totals.with_two_crossing, totals.counted),
        "Tagging accuracy": _percent(totals.correct_tags, totals.words),
    }
    lines = [f"{name:<26}= {count:6d}\n" for name, count in counts.items()]
    lines += [f"{name:<26}= {_figure(figure)}\n" for name, figure in figures.items()]
    return "".join(lines)


def _compact(totals: Totals, pred_name: str) -> str:
    recall, precision = _percent(totals.matched, totals.gold), _percent(totals.matched, totals.pred)
    return (
        f"F1: {_figure(_f_measure(totals))} %\tPrec: {_figure(recall)} %\tRec: {_figure(precision)} %\t"
        f"POS: {_figure(_percent(totals.correct_tags, totals.words))} %\t"
        f"EX: {_figure(_percent(totals.exact_matches, totals.counted))} %\t"
        f"Unparsed: {totals.skipped + totals.errors:6d}\tSent: {totals.sentences:6d}\tfile: {pred_name}\n"
    )


def _percent(part: int, whole: int) -> float:
    return 100.0 * part / whole if whole else 0.0


def _f_measure(totals: Totals) -> float:
    # computed from the two figures, as the programs do: the last digit may depend on it
    precision, recall = _percent(totals.matched, totals.pred), _percent(totals.matched, totals.gold)
    return 2 * precision * recall / (precision + recall) if precision + recall else nan


def _figure(value: float) -> str:
    return "  -nan" if isnan(value) else f"{value:6.2f}"
