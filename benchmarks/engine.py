"""How accurate, fast and big the engine is, treebank by treebank.

    python benchmarks/engine.py accuracy english-gum --order standard   # one row: trains, parses dev, scores
    python benchmarks/engine.py speed MODEL english-gum                 # tokens a CPU second, by stage
    python benchmarks/engine.py threads MODEL english-gum               # two threads against one
    python benchmarks/engine.py lengths MODEL… -o scaling.svg           # time by sentence length, as a plot
    python benchmarks/engine.py sizes english-gum                       # smaller tables against accuracy

TREEBANK is a folder of ../shared/treebanks. Tags are predicted (jackknifed for training), scores are those
of the dev part with the wrapper not counted, by EVALB's rules for continuous treebanks and by disco-dop's for
others. Models, logs and learning curves go to the folder --models. Speeds are the best of several rounds, of
one thread, from words to trees.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import resource
import time
from collections.abc import Sequence
from html import escape
from pathlib import Path

from measuring import part
from spindle.evaluation import Score, evaluate
from spindle.parsers.neural.runtime import Array, Graphs
from spindle.pipeline import Parser, Sentence, load
from spindle.reduction import Mode
from spindle.training import TrainOptions, Treebank, train_parser
from spindle.treebanks import read_trees
from spindle.trees import Tree


def dev_trees(parser: Parser, name: str) -> list[Tree]:
    """The development trees as they are scored."""
    trees = read_trees(part(name, "dev"), on_error="skip")
    return [
        parser.settings.conventions.gold(tree)
        for tree in trees
        if any(not word.is_empty for word in tree.tokens)
    ]


def scored(parser: Parser, gold: Sequence[Tree]) -> Score:
    """The score of what is parsed from the words alone."""
    found = parser.parse_many([Sentence.of(tree).without_tags() for tree in gold])
    scheme = "evalb" if parser.settings.mode is Mode.CONTINUOUS else "discodop"
    return evaluate(gold, [tree for tree in found if tree is not None], scheme)


# ── tables ───────────────────────────────────────────────────────────────────────────────────────────


def accuracy(given: argparse.Namespace) -> None:
    """One row of the table of accuracies."""
    output = given.models / f"{given.treebank}-{given.order}{'-' + given.tag if given.tag else ''}.model"
    given.models.mkdir(parents=True, exist_ok=True)
    train = Treebank(
        tuple(read_trees(part(given.treebank, "train"), on_error="skip")), (f"{given.treebank}/train",)
    )
    dev = Treebank(
        tuple(read_trees(part(given.treebank, "dev"), on_error="skip")), (f"{given.treebank}/dev",)
    )
    extra = dict(pair.split("=", 1) for pair in given.set)
    options = TrainOptions(
        order=given.order,
        seed=given.seed,
        threads=given.threads,
        encoding=extra.get("encoding"),
        one_shot=extra.get("one_shot") == "yes" if "one_shot" in extra else None,
    )
    cpu, wall = time.process_time(), time.perf_counter()
    train_parser(train, dev, options, output=output)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    parser = load(output)  # as a user would have it
    gold = dev_trees(parser, given.treebank)
    start = time.process_time()
    score = scored(parser, gold)
    words = sum(map(len, gold))
    speed = words / (time.process_time() - start)
    # what the repairs touched
    analyses = list(parser.analyse([Sentence.of(tree).without_tags() for tree in gold]))
    repaired = sum(len(one.candidates[0].repairs.tokens) for one in analyses if one.candidates)
    row = {
        "treebank": given.treebank,
        "order": given.order,
        **extra,
        "seed": given.seed,
        "f1": score.f1,
        "disc_f1": score.disc_f1,
        "exact": score.exact,
        "tags": score.tags,
        "repaired": 100 * repaired / words,
        "training_cpu": cpu,
        "training_wall": wall,
        "peak_mb": peak,
        "model_mb": output.stat().st_size / 1e6,
        "tokens_per_cpu_second": speed,
        "signature": parser.card.scores.get("signature", score.signature),
    }
    print(json.dumps({key: round(v, 2) if isinstance(v, float) else v for key, v in row.items()}))


def speed(given: argparse.Namespace) -> None:
    """Where the time goes."""
    parser = load(given.model)
    sentences = [Sentence.of(tree).without_tags() for tree in dev_trees(parser, given.treebank)]
    words = sum(len(sentence.tokens) for sentence in sentences)
    best: dict[str, float] = {}
    total = float("inf")
    _time_the_network(parser)
    gc.freeze()  # as `spindle parse` does
    for _ in range(given.rounds):
        parser.seconds.clear()
        start = time.process_time()
        for _ in parser.parse_many(sentences, threads=1):
            pass
        total = min(total, time.process_time() - start)
        for stage, seconds in parser.seconds.items():
            best[stage] = min(best.get(stage, seconds), seconds)
    print("| stage | tokens / CPU s | share, % |\n|---|---|---|")
    for stage, seconds in best.items():
        print(f"| {stage} | {words / seconds:,.0f} | {100 * seconds / total:.1f} |")
    without = total - best.get("tagger", 0.0)
    print(f"| all but the tagger | {words / without:,.0f} | |")
    print(f"| words to trees | {words / total:,.0f} | |")


def _time_the_network(parser: Parser) -> None:
    """Let a neural parser's graphs, which run inside other stages, appear as a stage of their own."""
    run = Graphs.run

    def timed(graphs: Graphs, name: str, *inputs: Array) -> list[Array]:
        start = time.thread_time()
        outputs = run(graphs, name, *inputs)
        parser.seconds["of these, the network"] += time.thread_time() - start  # type: ignore[assignment]
        return outputs

    Graphs.run = timed  # type: ignore[method-assign]


def threads(given: argparse.Namespace) -> None:
    """Two threads against one, by the clock."""
    parser = load(given.model)
    sentences = [Sentence.of(tree).without_tags() for tree in dev_trees(parser, given.treebank)]
    seconds: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(given.rounds):
        for count, times in seconds.items():  # in turn, for the machine may be slower in the next second
            start = time.perf_counter()
            for _ in parser.parse_many(sentences, threads=count):
                pass
            times.append(time.perf_counter() - start)
    one, two = (min(times) for times in seconds.values())
    ratios = sorted(one / two for one, two in zip(*seconds.values(), strict=True))
    print(
        f"one thread {one:.2f} s, two {two:.2f} s: {one / two:.2f} times as fast "
        f"(round by round {ratios[0]:.2f} to {ratios[-1]:.2f}, median {ratios[len(ratios) // 2]:.2f})"
    )


LENGTHS = (10, 20, 40, 80, 160, 320, 400)


def lengths(given: argparse.Namespace) -> None:
    """How the time for a sentence grows with its length: a table, and a plot if there is an output."""
    curves: dict[str, list[float]] = {}
    for path in given.models:
        parser = load(path)
        trees = read_trees(part(given.treebank, "dev"), on_error="skip")
        words = [word.form for tree in trees for word in tree.tokens if not word.is_empty]
        curves[path.stem] = []
        for length in LENGTHS:
            count = max(1, min(200, len(words) // length))
            sentences = [words[at * length : (at + 1) * length] for at in range(count)]
            best = float("inf")
            for _ in range(given.rounds):
                start = time.process_time()
                for _ in parser.parse_many(sentences, threads=1, longest=length):
                    pass
                best = min(best, time.process_time() - start)
            curves[path.stem].append(1000 * best / count)
    print(f"| words | {' | '.join(curves)} |\n|---|{'---|' * len(curves)}")
    for at, length in enumerate(LENGTHS):
        print(f"| {length} | {' | '.join(f'{curve[at]:.2f}' for curve in curves.values())} |")
    if given.output:
        given.output.write_text(plot(curves), encoding="utf-8")


def plot(curves: dict[str, list[float]]) -> str:
    """Milliseconds a sentence by its length, both axes logarithmic."""
    width, height, margin = 560, 320, 46
    low, high = min(map(min, curves.values())), max(map(max, curves.values()))

    def across(length: float) -> float:
        return margin + (width - 2 * margin) * math.log(length / LENGTHS[0]) / math.log(
            LENGTHS[-1] / LENGTHS[0]
        )

    def down(value: float) -> float:
        return height - margin - (height - 2 * margin) * math.log(value / low) / math.log(high / low)

    pieces = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        'font-size="11" fill="#777">',
        f'<text x="{margin}" y="16">CPU milliseconds a sentence, by its length in words</text>',
    ]
    pieces += [
        f'<text x="{across(at):.0f}" y="{height - 24}" text-anchor="middle">{at}</text>' for at in LENGTHS
    ]
    marks = [10.0**power for power in range(-3, 6) if low <= 10.0**power <= high]
    pieces += [
        f'<text x="{margin - 6}" y="{down(mark) + 4:.0f}" text-anchor="end">{mark:g}</text>' for mark in marks
    ]
    for (name, curve), colour in zip(
        curves.items(), ("#1f77b4", "#d62728", "#2ca02c", "#9467bd"), strict=False
    ):
        points = " ".join(
            f"{across(at):.1f},{down(value):.1f}" for at, value in zip(LENGTHS, curve, strict=True)
        )
        pieces.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        end = f'x="{across(LENGTHS[-1]) - 4:.0f}" y="{down(curve[-1]) - 6:.0f}"'
        pieces.append(f'<text {end} text-anchor="end" fill="{colour}">{escape(name)}</text>')
    return "\n".join([*pieces, "</svg>", ""])


def sizes(given: argparse.Namespace) -> None:
    """Smaller tables of weights against accuracy."""
    train = Treebank(tuple(read_trees(part(given.treebank, "train"), on_error="skip")))
    dev = Treebank(tuple(read_trees(part(given.treebank, "dev"), on_error="skip")))
    given.models.mkdir(parents=True, exist_ok=True)
    print("| halved | model, MB | F1 |\n|---|---|---|")
    for shrink in given.shrink:
        output = given.models / f"{given.treebank}-shrink{shrink}.model"
        parser = train_parser(train, dev, TrainOptions(order=given.order, shrink=shrink), output=output)
        size = output.stat().st_size / 1e6
        print(f"| {shrink} | {size:.1f} | {parser.card.scores['f1']:.2f} |", flush=True)


def main() -> None:
    """Run one of the tables."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    tables = arguments.add_subparsers(required=True, metavar="TABLE")
    one = tables.add_parser("accuracy")
    one.add_argument("treebank")
    one.add_argument("--order", default="standard")
    one.add_argument("--seed", type=int, default=1)
    one.add_argument("--threads", type=int, default=2)
    one.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE")
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
