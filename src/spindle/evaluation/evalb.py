"""What EVALB and EVALB_SPMRL print, character for character.

Where EVALB_SPMRL differs from EVALB, and from what its own users expect, it is followed: its compact line
swaps precision and recall, a sentence of the wrong length stays in the score as one without brackets, and
an unparsed sentence that counts (-X) has too many gold brackets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import isnan, nan
from typing import Literal

from spindle.errors import EvaluationError
from spindle.evaluation.comparison import WordMismatch, compare_kept, kept_alone
from spindle.evaluation.pairing import Absent, Pair, read_pair
from spindle.evaluation.schemes import SPMRL
from spindle.evaluation.sentence import ComparedPair, Sentence, Status, compare_pair, count
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
    """The official program gives up here, without a summary."""


def evalb_output(
    pairs: Iterable[Pair[Tree]], settings: Settings, view: View, pred_name: str, tell: Callable[[str], None]
) -> Iterator[str]:
    """The program's output line by line; its messages go to `tell`."""
    yield HEAD + RULE
    sentences: list[Sentence] = []
    for sentence in _sentences(pairs, settings, tell):
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
    pairs: Iterable[Pair[Tree]], settings: Settings, tell: Callable[[str], None]
) -> Iterator[Sentence]:
    """The sentences as the program sees them: it stops where a file ends and at too many errors."""
    errors = 0
    is_spmrl = settings.scheme is SPMRL

    def error(number: int, message: str) -> None:
        nonlocal errors
        errors += 1
        tell(f"{number} : {message}")
        if errors > settings.parameters.max_error:
            raise TooManyErrors(f"more than {settings.parameters.max_error} errors (MAX_ERROR)")

    for pair in map(read_pair, pairs):
        if pair.gold is Absent.MISSING or pair.pred is Absent.MISSING:
            longer = "test" if pair.gold is Absent.MISSING else "gold"
            error(pair.number, f"Number of lines unmatch (too many lines in {longer} file)")
            return
        judged = compare_pair(pair, settings)
        if is_spmrl and isinstance(pair.gold, Tree):
            if isinstance(judged.compared, WordMismatch) and isinstance(judged.compared.gold, int):
                yield judged.sentence._replace(status=Status.SCORED)
                if judged.compared.gold > 1:
                    error(pair.number, _message(judged))
                    continue
                judged = _judge_first_word(judged, pair, settings)
            if judged.sentence.status is Status.UNPARSED:
                yield judged.sentence._replace(gold=_inflated_gold(pair.gold, settings))
                continue
        if judged.sentence.status is Status.ERROR:
            error(pair.number, _message(judged))
        yield judged.sentence


def _judge_first_word(judged: ComparedPair, pair: Pair[Tree], settings: Settings) -> ComparedPair:
    """Where gold has one word only, EVALB_SPMRL goes on after a wrong length and compares what there is."""
    if not isinstance(pair.gold, Tree) or not isinstance(pair.pred, Tree):
        return judged
    kept_gold, kept_pred = kept_alone(pair.gold.tokens, settings), kept_alone(pair.pred.tokens, settings)
    return count(judged.sentence, compare_kept(pair.gold, kept_gold, pair.pred, kept_pred, settings))


def _message(judged: ComparedPair) -> str:
    sentence, compared = judged
    if isinstance(compared, WordMismatch):
        if isinstance(compared.gold, int):
            return f"Length unmatch ({compared.gold}|{compared.pred})"
        return f"Words unmatch ({_in_brackets(compared.gold)}|{_in_brackets(str(compared.pred))})"
    return sentence.problem


def _in_brackets(word: str) -> str:
    return word.replace("(", "-LRB-").replace(")", "-RRB-")


def _inflated_gold(tree: Tree, settings: Settings) -> int:
    """EVALB_SPMRL counts a bracket once for itself and once for every DELETE_LABEL that is not its label."""
    deleted = settings.parameters.delete_labels
    kept = set(kept_alone(tree.tokens, settings))
    return sum(
        1 + sum(settings.bare_label(label) != settings.bare_label(other) for other in deleted)
        for label, mask in zip(tree.labels, tree.masks, strict=True)
        if any(mask >> position & 1 for position in kept)
    )


def _row(sentence: Sentence) -> str:
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
        "Number of Valid sentence": totals.scored,
    }
    figures = {
        "Bracketing Recall": _percent(totals.matched, totals.gold),
        "Bracketing Precision": _percent(totals.matched, totals.pred),
        "Bracketing FMeasure": _f_measure(totals),
        "Complete match": _percent(totals.exact_matches, totals.scored),
        "Average crossing": totals.crossing / totals.scored if totals.scored else 0.0,
        "No crossing": _percent(totals.without_crossing, totals.scored),
        "2 or less crossing": _percent(totals.with_two_crossing, totals.scored),
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
        f"EX: {_figure(_percent(totals.exact_matches, totals.scored))} %\t"
        f"Unparsed: {totals.skipped + totals.errors:6d}\tSent: {totals.sentences:6d}\tfile: {pred_name}\n"
    )


def _percent(part: int, whole: int) -> float:
    return 100.0 * part / whole if whole else 0.0


def _f_measure(totals: Totals) -> float:
    # computed from the two figures, as the programs do: the last digit may hang on it
    precision, recall = _percent(totals.matched, totals.pred), _percent(totals.matched, totals.gold)
    return 2 * precision * recall / (precision + recall) if precision + recall else nan


def _figure(value: float) -> str:
    return "  -nan" if isnan(value) else f"{value:6.2f}"
