"""Measure the accuracy, speed and size of trained parsers on a treebank.

    python benchmarks/engine.py accuracy english-gum --order standard   # one row: trains, parses dev, scores
    python benchmarks/engine.py speed MODEL english-gum                 # tokens per CPU second, by step
    python benchmarks/engine.py threads MODEL english-gum               # two threads against one
    python benchmarks/engine.py lengths MODEL… -o scaling.svg           # time by sentence length, as a plot
    python benchmarks/engine.py sizes english-gum                       # F1 with smaller weight tables

TREEBANK is a folder of ../shared/treebanks. Tags are predicted (jackknifed for training). Scores are those of
the dev part without wrappers, by the rules of EVALB for continuous models and of disco-dop for others.
Models, logs and learning curves are written to the folder --models. Speeds are the best of several rounds
with one thread, from words to trees.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import resource
import time
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Any

from measuring import (
    command_line,
    coverage,
    dev_trees,
    part_trees,
    scheme_of,
    score_trees,
    timed,
    untagged,
)
from spindle.drawing.elements import number, path, svg_document, text
from spindle.drawing.style import accent_class
from spindle.models import Array
from spindle.parsers.neural.runtime import Graphs
from spindle.pipeline import Parser, Sentence, load
from spindle.training import TagSource, TrainOptions, Treebank, train_parser

# ── accuracy and size ────────────────────────────────────────────────────────────────────────────────


def treebank(name: str, which: str) -> Treebank:
    """Return one part of a treebank."""
    return Treebank(tuple(part_trees(name, which)), (f"{name}/{which}",))


def more_options(pairs: list[str]) -> dict[str, Any]:
    """Return the training options of `--set`."""
    yes_or_no = {"yes": True, "no": False}.__getitem__
    readers: dict[str, Any] = {
        "encoding": str,
        "labeler_features": str,
        "one_shot": yes_or_no,
        "rerank": yes_or_no,
    }
    try:
        return {name: readers[name](value) for name, value in (pair.split("=", 1) for pair in pairs)}
    except (KeyError, ValueError):
        raise SystemExit(
            f"--set {' '.join(pairs)}: set encoding=…, labeler_features=own|paper, one_shot=yes|no or "
            "rerank=yes|no"
        ) from None


def accuracy(given: argparse.Namespace) -> None:
    """Train a parser and print one row of the table of accuracies, as JSON."""
    extra = more_options(given.set)
    output = given.models / f"{given.treebank}-{given.order}{'-' + given.tag if given.tag else ''}.model"
    given.models.mkdir(parents=True, exist_ok=True)
    train, dev = (treebank(given.treebank, which) for which in ("train", "dev"))
    train = replace(train, trees=train.trees[: given.sentences])
    parser_options = dict(pair.split("=", 1) for pair in given.parser_option)
    options = TrainOptions(
        order=given.order,
        seed=given.seed,
        threads=given.threads,
        tags=TagSource.GOLD if given.gold_tags else None,
        parser_options=parser_options,
        **extra,
    )
    training = timed(lambda: train_parser(train, dev, options, output=output))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    parser = load(output)  # the stored form, as users run it
    gold = dev_trees(parser, given.treebank)
    words = sum(map(len, gold))
    sentences = [Sentence.of(tree) for tree in gold] if given.gold_tags else untagged(gold)
    parsing = timed(lambda: list(parser.parse_many(sentences, threads=1)), given.rounds)
    score = score_trees(gold, parsing.result, scheme_of(parser))
    evalb = score_trees(gold, parsing.result, "evalb")
    analyses = parser.analyse(sentences)
    repaired = sum(len(one.candidates[0].repairs.tokens) for one in analyses if one.candidates)
    row = {
        "treebank": given.treebank,
        "order": given.order,
        **extra,
        **parser_options,
        "training_sentences": len(train.trees),
        "seed": given.seed,
        "f1": score.f1,
        "scored": coverage(score),
        "evalb_f1": evalb.f1,
        "evalb_scored": coverage(evalb),
        "disc_f1": score.disc_f1,
        "exact": score.exact,
        "tags": score.tags,
        "repaired": 100 * repaired / words,
        "training_cpu": training.cpu,
        "training_wall": training.wall,
        "peak_mb": peak,
        "model_mb": output.stat().st_size / 1e6,
        "tokens_per_cpu_second": words / parsing.cpu,
        "signature": score.signature,
    }
    print(json.dumps({key: round(v, 2) if isinstance(v, float) else v for key, v in row.items()}))


def sizes(given: argparse.Namespace) -> None:
    """Print model size and accuracy for smaller weight tables."""
    train, dev = (treebank(given.treebank, which) for which in ("train", "dev"))
    given.models.mkdir(parents=True, exist_ok=True)
    print("| halved | model, MB | F1 |\n|---|---|---|")
    for shrink in given.shrink:
        output = given.models / f"{given.treebank}-shrink{shrink}.model"
        parser = train_parser(train, dev, TrainOptions(order=given.order, shrink=shrink), output=output)
        size = output.stat().st_size / 1e6
        print(f"| {shrink} | {size:.1f} | {parser.card.scores['f1']:.2f} |", flush=True)


# ── speed ────────────────────────────────────────────────────────────────────────────────────────────


def parse_all(parser: Parser, sentences: list[Sentence], threads: int) -> None:
    """Parse sentences and drop the trees."""
    deque(parser.parse_many(sentences, threads=threads), maxlen=0)


def speed(given: argparse.Namespace) -> None:
    """Print the speed of every step of parsing."""
    parser = load(given.model)
    sentences = untagged(dev_trees(parser, given.treebank))
    words = sum(len(sentence.tokens) for sentence in sentences)
    best: dict[str, float] = {}
    total = float("inf")
    time_network(parser)
    gc.freeze()  # as `spindle parse` does
    for _ in range(given.rounds):
        parser.seconds.clear()
        total = min(total, timed(lambda: parse_all(parser, sentences, 1)).cpu)
        for step, taken in parser.seconds.items():
            best[step] = min(best.get(step, taken), taken)
    gc.unfreeze()  # else the bindings report leaks at exit
    print("| step | tokens / CPU s | of the total, % |\n|---|---|---|")
    for step, seconds in best.items():
        print(f"| {step} | {words / seconds:,.0f} | {100 * seconds / total:.1f} |")
    without_tagger = total - best.get("tagger", 0.0)
    print(f"| all but the tagger | {words / without_tagger:,.0f} | |")
    print(f"| words to trees | {words / total:,.0f} | |")


def time_network(parser: Parser) -> None:
    """Make the graphs of a neural parser, which run inside several steps, appear as a step of their own."""
    run = Graphs.run

    def timed_run(self: Graphs, name: str, *inputs: Array) -> list[Array]:
        start = time.thread_time()
        outputs = run(self, name, *inputs)
        parser.seconds["of these, the network"] += time.thread_time() - start  # type: ignore[assignment]
        return outputs

    Graphs.run = timed_run  # type: ignore[method-assign]


def threads(given: argparse.Namespace) -> None:
    """Compare two threads with one, in wall-clock time."""
    parser = load(given.model)
    sentences = untagged(dev_trees(parser, given.treebank))
    seconds: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(given.rounds):
        for count in seconds:  # in turn, because the load of the machine changes
            seconds[count].append(timed(lambda count=count: parse_all(parser, sentences, count)).wall)  # type: ignore[misc]
    one, two = map(min, seconds.values())
    ratios = sorted(one / two for one, two in zip(*seconds.values(), strict=True))
    print(
        f"one thread {one:.2f} s, two {two:.2f} s: {one / two:.2f} times as fast "
        f"(round by round {ratios[0]:.2f} to {ratios[-1]:.2f}, median {ratios[len(ratios) // 2]:.2f})"
    )


LENGTHS = (10, 20, 40, 80, 160, 320, 400)
MAX_SENTENCES = 200


def lengths(given: argparse.Namespace) -> None:
    """Print the time per sentence for several lengths, and plot it if there is an output file."""
    trees = part_trees(given.treebank, "dev")
    words = [word.form for tree in trees for word in tree.tokens if not word.is_empty]
    curves: dict[str, list[float]] = {}
    for model in given.models:
        parser = load(model)
        curves[model.stem] = [milliseconds(parser, words, length, given.rounds) for length in LENGTHS]
    print(f"| words | {' | '.join(curves)} |\n|---|{'---|' * len(curves)}")
    for at, length in enumerate(LENGTHS):
        print(f"| {length} | {' | '.join(f'{curve[at]:.2f}' for curve in curves.values())} |")
    if given.output:
        given.output.write_text(plot(curves), encoding="utf-8")


def milliseconds(parser: Parser, words: list[str], length: int, rounds: int) -> float:
    """Return the CPU time per sentence of this length; the text is cut regardless of its sentences."""
    count = max(1, min(MAX_SENTENCES, len(words) // length))
    sentences = [words[at * length : (at + 1) * length] for at in range(count)]
    best = timed(lambda: list(parser.parse_many(sentences, threads=1, longest=length)), rounds)
    return 1000 * best.cpu / count


WIDTH, HEIGHT, MARGIN = 560, 320, 46


def plot(curves: dict[str, list[float]]) -> str:
    """Return an SVG plot of milliseconds per sentence by length; both axes are logarithmic."""
    low, high = min(map(min, curves.values())), max(map(max, curves.values()))

    def across(length: float) -> float:
        return MARGIN + (WIDTH - 2 * MARGIN) * log_position(length, LENGTHS[0], LENGTHS[-1])

    def down(value: float) -> float:
        return HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * log_position(value, low, high)

    content = [text(MARGIN, 16, "CPU milliseconds per sentence, by its length in words", "start small")]
    content += [text(across(length), HEIGHT - 24, str(length), "small faint") for length in LENGTHS]
    marks = [10.0**power for power in range(-3, 6) if low <= 10.0**power <= high]
    content += [text(MARGIN - 6, down(mark) + 4, f"{mark:g}", "end small faint") for mark in marks]
    for at, (name, curve) in enumerate(curves.items()):
        points = (
            f"{number(across(length))} {number(down(value))}"
            for length, value in zip(LENGTHS, curve, strict=True)
        )
        content.append(path("M" + "L".join(points), f"thick {accent_class(at)}"))
        end = across(LENGTHS[-1]) - 4, down(curve[-1]) - 6
        content.append(text(*end, name, f"end small {accent_class(at)}"))
    return svg_document("".join(content), WIDTH, HEIGHT, "Parsing time by sentence length")


def log_position(value: float, low: float, high: float) -> float:
    """Return where a value lies between two others on a logarithmic scale, from 0 to 1."""
    return math.log(value / low) / math.log(high / low)


# ── the command ──────────────────────────────────────────────────────────────────────────────────────


def main() -> None:
    """Print one of the tables."""
    arguments = command_line(__doc__)
    tables = arguments.add_subparsers(required=True, metavar="TABLE")
    one = tables.add_parser("accuracy")
    one.add_argument("treebank")
    one.add_argument("--order", default="standard")
    one.add_argument("--seed", type=int, default=1)
    one.add_argument("--threads", type=int, default=2)
    one.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE")
    one.add_argument("--parser-option", action="append", default=[], metavar="OPTION=VALUE")
    one.add_argument("--sentences", type=int, help="train on the first sentences only")
    one.add_argument("--gold-tags", action="store_true", help="train and parse with the treebank's tags")
    one.add_argument("--rounds", type=int, default=1, help="of parsing; the speed is that of the best")
    one.add_argument("--tag", default="", help="added to the name of the model file")
    one.add_argument("--models", type=Path, default=Path("build/models"))
    one.set_defaults(run=accuracy)
    for name, run in (("speed", speed), ("threads", threads)):
        one = tables.add_parser(name)
        one.add_argument("model", type=Path)
        one.add_argument("treebank")
        one.add_argument("--rounds", type=int, default=5)
        one.set_defaults(run=run)
    one = tables.add_parser("lengths")
    one.add_argument("models", type=Path, nargs="+")
    one.add_argument("--treebank", default="english-gum")
    one.add_argument("--rounds", type=int, default=3)
    one.add_argument("-o", "--output", type=Path)
    one.set_defaults(run=lengths)
    one = tables.add_parser("sizes")
    one.add_argument("treebank")
    one.add_argument("--models", type=Path, default=Path("build/models"))
    one.add_argument("--order", default="standard")
    one.add_argument("--shrink", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    one.set_defaults(run=sizes)
    given = arguments.parse_args()
    given.run(given)


if __name__ == "__main__":
    main()
