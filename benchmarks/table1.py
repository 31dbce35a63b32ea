"""Print the paper's Table 1 for any treebank: dependency parsers as constituent parsers, and encodings.

    python benchmarks/table1.py english-gum                     # the paper's rows, all installed parsers
    python benchmarks/table1.py train.ptb --dev dev.ptb --grid  # every parser, with and without a labeler, …
    python benchmarks/table1.py dutch-alpino --only linear      # repeats some rows and keeps the others
    python benchmarks/table1.py english-gum --set mst.sentences=1000 --set mst.order=1 --set zpar.epochs=3

TREEBANK is a file, or a folder of ../shared/treebanks with a `train` and a `dev` file. `spindle backends`
lists the installed parsers. Parsers are trained on `train` and scored on `dev`, which is used for nothing
else: it does not choose the epoch. Tags are predicted, those of the training trees by jackknifing, once for
all rows; a parser with its own tagger uses that.

UAS and LAS exclude punctuation; a label is correct if symbol and event are. Speed is words per CPU second of
one thread, from tagged words to trees, including the start-up of an external program. Training time is that
of the dependency parser alone. Each finished row is appended to table1-NAME.jsonl; at the end the table
(table1-NAME.md) and a chart of F1 by speed (table1-NAME.svg) are written.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

from measuring import command_line, coverage, cpu_seconds, has_words, scheme_of, score_trees, train_and_dev
from spindle.drawing.elements import circle, number, path, svg_document, text
from spindle.drawing.style import BLUE, ORANGE
from spindle.errors import SpindleError
from spindle.evaluation.dependencies import score_dependencies
from spindle.evaluation.pairing import Absent, Pair
from spindle.evaluation.scheme_choice import RARE_DISCONTINUITY
from spindle.heads import HeadFinder
from spindle.models import ModelPart
from spindle.parsers import PARSERS, Backend, Prediction, find_parser
from spindle.pipeline import Parser, Sentence
from spindle.reduction import Encoding, Mode, write_labels
from spindle.training import TagSource, TrainOptions, Treebank
from spindle.training.checkpoint import Checkpoint
from spindle.training.listener import NullListener, TrainingLog
from spindle.training.run import Training
from spindle.training.treebank import reduce
from spindle.treebanks import read_trees
from spindle.trees import Dependencies, Token, Tree, Word

NOT_COMPARED = {"command", "oracle"}  # any program, and a parser that looks up gold trees
ORDERS = ("basic", "standard", "full")
USABLE_TAGS = (TagSource.JACKKNIFE, TagSource.GOLD)
ENCODINGS = (Encoding.HN, Encoding.DIRECT, Encoding.DELTA)


# ── rows ─────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Row:
    """What to train: a parser, one-shot or with a labeler, an encoding, and an order if the parser has it."""

    parser: str
    one_shot: bool
    encoding: Encoding
    order: str = ""

    @property
    def name(self) -> str:
        """The name in the table."""
        named = f"{self.parser} {self.order}".strip()
        return named if self.one_shot else f"{named} + labeler"


@dataclass(frozen=True)
class Result:
    """The figures of a row; `problem` is the error message if training failed."""

    row: Row
    mode: str = ""
    labels: int = 0
    uas: float = 0.0
    las: float = 0.0
    f1: float = 0.0
    disc_f1: float | None = None
    exact: float = 0.0
    speed: float = 0.0
    scored: str = ""
    evalb_f1: float = 0.0
    evalb_scored: str = ""
    training: float = 0.0
    settings: str = ""
    signature: str = ""
    problem: str = ""


def paper_rows(installed: Sequence[str], encoding: Encoding) -> Iterator[Row]:
    """Yield the rows of the paper: others one-shot, ours with a labeler, our best in all encodings."""
    for parser in installed:
        if parser == "turbo":
            yield from (Row(parser, True, encoding, order) for order in ORDERS)
        elif parser != "linear" and "labels" in find_parser(parser).predicts:
            yield Row(parser, True, encoding)
    for order in ORDERS[:-1]:
        yield Row("linear", False, encoding, order)
    for every in ENCODINGS:
        yield Row("linear", False, every, ORDERS[-1])


def labeled_rows(parser: str) -> Iterator[Row]:
    """Yield the rows of an outside parser with the separate labeler in all encodings, if it is installed."""
    if parser in installed_parsers() and is_possible(parser, False):
        yield from (Row(parser, False, every, ORDERS[-1]) for every in ENCODINGS)


def installed_parsers() -> list[str]:
    """Return the names of the parsers that can be compared here."""
    return [name for name in PARSERS if name not in NOT_COMPARED and find_parser(name).version() is not None]


def grid_rows(installed: Sequence[str]) -> Iterator[Row]:
    """Yield every combination that the parsers allow."""
    for parser in installed:
        choices = {one.name: one.choices for one in find_parser(parser).Options.describe()}
        orders = [order for order in ORDERS if order in choices.get("order", ())] or [""]
        shots = [one_shot for one_shot in (False, True) if is_possible(parser, one_shot)]
        yield from (
            Row(parser, one_shot, encoding, order)
            for order in orders
            for one_shot in shots
            for encoding in ENCODINGS
        )


def is_possible(parser: str, one_shot: bool) -> bool:
    """Return whether a parser can be trained one-shot, or with a labeler."""
    try:
        TrainOptions(parser=parser, one_shot=one_shot).check()
    except SpindleError:
        return False
    return True


# ── one row ──────────────────────────────────────────────────────────────────────────────────────────


class Clock(NullListener):
    """Records the CPU time at which the training of the dependency parser begins."""

    start = 0.0

    def stage(self, name: str) -> None:
        """Record the time if the stage is the parser."""
        if name == "parser":
            self.start = cpu_seconds()


class Experiment:
    """A treebank, and the stages that several rows share and that are trained once."""

    def __init__(
        self,
        train: Treebank,
        dev: Treebank,
        tags: TagSource,
        settings: dict[str, dict[str, str]],
        heads: str | None = None,
    ) -> None:
        self.heads = heads
        self.train, self.dev, self.tags, self.settings = train, dev, tags, settings
        self._parts: dict[str, Any] = {}
        self._backends: dict[tuple[str, str, str], tuple[ModelPart, float]] = {}

    def run(self, row: Row) -> Result:
        """Train a parser and score it."""
        own = dict(self.settings.get(row.parser, {}))
        shown = " ".join(f"{key}={value}" for key, value in own.items())
        count = int(own.pop("sentences", 0)) or len(self.train.trees)
        train = replace(self.train, trees=self.train.trees[:count])
        try:
            options = TrainOptions(
                parser=row.parser,
                order=row.order or None,
                parser_options=own,
                encoding=row.encoding,
                one_shot=row.one_shot,
                heads=self.heads,
                tags=None if "tags" in find_parser(row.parser).predicts else self.tags,
                threads=1,
            )
            options.check()
            # unlabeled arcs are the same in every encoding, so they are trained once
            key = (row.parser, row.order, shown)
            known = None if row.one_shot else self._backends.get(key)
            if known is not None:
                options = replace(options, parser=already_trained(options.backend, known[0]))
            clock = Clock()
            parser = self._trained(row, train, options, clock)
            training = cpu_seconds() - clock.start if known is None else known[1]
            if not row.one_shot:
                self._backends[key] = parser.backend.to_part(), training
            return replace(self._scored(row, parser), training=training, settings=shown)
        except SpindleError as error:
            return Result(row, settings=shown, problem=str(error).splitlines()[0])

    def _trained(self, row: Row, train: Treebank, options: TrainOptions, clock: Clock) -> Parser:
        shared = {
            "tagger": f"tagger {len(train.trees)}",
            "tags": f"tags {len(train.trees)}",
            "labeler": f"labeler {len(train.trees)} {row.encoding} {options.backend.is_nonprojective}",
            "unaries": f"unaries {len(train.trees)} {options.backend.is_nonprojective}",
        }
        parts = {name: self._parts[key] for name, key in shared.items() if key in self._parts}
        checkpoint = Checkpoint(None, "", parts)
        parser = Training(train, Treebank(), options, checkpoint, TrainingLog(clock, None)).run()
        for name, key in shared.items():
            if name in checkpoint.parts:
                self._parts[key] = checkpoint.parts[name]
        return parser

    def _scored(self, row: Row, parser: Parser) -> Result:
        conventions = parser.settings.conventions
        gold = [conventions.gold(tree) for tree in self.dev.trees]
        sentences = [Sentence.of(tree) for tree in gold]
        if parser.stages.tagger is not None:
            bare = [sentence.without_tags().tokens for sentence in sentences]
            tagged = parser.stages.tagger.tag(bare, 1)
            sentences = [
                replace(sentence, tokens=tuple(tokens))
                for sentence, tokens in zip(sentences, tagged, strict=True)
            ]
        elif parser.predicts_tags:
            sentences = [sentence.without_tags() for sentence in sentences]
        recorder = RecordingBackend(parser.backend)
        parser = replace(parser, backend=recorder)
        words = sum(len(sentence.tokens) for sentence in sentences)
        start = cpu_seconds()
        trees = list(parser.parse_many(sentences, threads=1, batch=len(sentences)))
        speed = words / (cpu_seconds() - start)
        # a continuous model of a discontinuous treebank is scored like the others
        score = score_trees(gold, trees, "discodop" if self.is_discontinuous else scheme_of(parser))
        evalb = score_trees(gold, trees, "evalb")
        arcs = compared_arcs(
            parser, self.dev.trees, [sentence.tokens for sentence in sentences], recorder.predictions
        )
        figures = score_dependencies(arcs).to_dict()
        return Result(
            row,
            str(parser.settings.mode),
            len(parser.card.label_sets["arcs"]),
            figures["uas_no_punctuation"],
            figures["las_no_punctuation"],
            score.f1 or 0.0,
            score.disc_f1 if self.is_discontinuous else None,
            score.exact or 0.0,
            speed,
            coverage(score),
            evalb.f1 or 0.0,
            coverage(evalb),
            signature=f"{score.signature}|attached:{conventions.punctuation}",
        )

    @property
    def is_discontinuous(self) -> bool:
        """Whether more than a few of the gold trees are discontinuous."""
        count = sum(not tree.is_continuous for tree in self.dev.trees)
        return count > RARE_DISCONTINUITY * len(self.dev.trees)


def compared_arcs(
    parser: Parser,
    trees: Sequence[Tree],
    sentences: Sequence[tuple[Token, ...]],
    predictions: Mapping[tuple[Token, ...], Prediction],
) -> Iterator[Pair[Dependencies]]:
    """Yield the arcs of gold trees paired with the predicted arcs before repair.

    A sentence that the parser was not given as a whole, or that it failed on, has no arcs.
    """
    finder = HeadFinder(parser.settings.head_rules)
    prepared = [parser.settings.conventions.prepare(tree) for tree in trees]
    for at, (_, gold) in enumerate(reduce(prepared, finder, Mode.DISCONTINUOUS)):
        correct = write_labels(gold.dtree, parser.settings.encoding)
        found = predictions.get(sentences[at])
        arcs: Dependencies | Absent = Absent.UNPARSED
        if found is not None:
            labels = found.labels or ()
            if parser.stages.labeler is not None:
                [labels] = parser.stages.labeler.label([sentences[at]], [found.heads], 1)
            arcs = _rows(gold.dtree.tokens, found.heads, labels)
        yield Pair(at + 1, _rows(gold.dtree.tokens, gold.dtree.heads, correct), arcs)


def already_trained(backend: type[Backend], part: ModelPart) -> type[Backend]:
    """Return a subclass of a backend whose training loads a model part."""

    class AlreadyTrained(backend):  # type: ignore[misc, valid-type]
        def fit(self, *_: Any) -> None:
            self.__dict__.update(backend.from_part(part).__dict__)

    return AlreadyTrained


class RecordingBackend(Backend):
    """Passes sentences on to a trained backend and records its predictions."""

    def __init__(self, parser: Backend) -> None:
        self.parser = parser
        self.predictions: dict[tuple[Token, ...], Prediction] = {}  # equal sentences have equal predictions

    def fit(self, *_: Any) -> None:
        """Raise an error: the backend is trained."""
        raise NotImplementedError

    def parse(self, sentences: Sequence[Sequence[Token]], threads: int) -> Sequence[Prediction]:
        """Record and return the predictions."""
        found = self.parser.parse(sentences, threads)
        self.predictions |= zip(map(tuple, sentences), found, strict=True)
        return found

    def to_part(self) -> ModelPart:
        """Raise an error: the recorder is not stored."""
        raise NotImplementedError

    @classmethod
    def from_part(cls, part: ModelPart) -> Self:
        """Raise an error: the recorder is not stored."""
        raise NotImplementedError


def _rows(tokens: Sequence[Token], heads: Sequence[int], labels: Sequence[str]) -> Dependencies:
    return Dependencies(
        tuple(
            Word(token.form, upos=token.tag, xpos=token.tag, head=head + 1, deprel=label)
            for token, head, label in zip(tokens, heads, labels, strict=True)
        )
    )


# ── the table and the chart ──────────────────────────────────────────────────────────────────────────


def markdown(results: Sequence[Result]) -> str:
    """Return the table."""
    done = [result for result in results if not result.problem]
    discontinuous = any(result.disc_f1 is not None for result in done)
    head = ["parser", "encoding", "labels", "UAS", "LAS", "F1", *(["disc. F1"] if discontinuous else [])]
    head += ["scored", *([] if discontinuous else ["EVALB F1", "EVALB scored"])]
    head += ["exact", "words / CPU s", "training, CPU s", "settings"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for one in results:
        cells = [one.row.name, one.row.encoding]
        if one.problem:
            cells += ["–"] * (len(head) - 3) + [f"{one.settings} {one.problem}".strip()]
        else:
            cells += [str(one.labels), f"{one.uas:.2f}", f"{one.las:.2f}", f"{one.f1:.2f}"]
            cells += [f"{one.disc_f1 or 0:.2f}"] if discontinuous else []
            cells += [one.scored, *([] if discontinuous else [f"{one.evalb_f1:.2f}", one.evalb_scored])]
            mode = " continuous" if discontinuous and one.mode == Mode.CONTINUOUS else ""
            cells += [f"{one.exact:.2f}", f"{one.speed:,.0f}", f"{one.training:,.0f}", one.settings + mode]
        lines.append(f"| {' | '.join(cells)} |")
    signatures = sorted({one.signature for one in done})
    return "\n".join(lines) + "\n\n" + "".join(f"F1: `{signature}`\n" for signature in signatures)


WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 460, 60, 150, 44, 48
NAME_WIDTH, NAME_HEIGHT = 150, 13
"""Names of points that are closer than this are moved apart. All in pixels."""


def chart(results: Sequence[Result], title: str) -> str:
    """Return an SVG chart of F1 by speed, with the Pareto front."""
    done = [result for result in results if not result.problem]
    speeds = [math.log10(result.speed) for result in done]
    lowest, highest = min(result.f1 for result in done) - 1, max(result.f1 for result in done) + 1
    slowest, fastest = min(speeds) - 0.1, max(speeds) + 0.1

    def point(result: Result) -> tuple[float, float]:
        x = LEFT + (WIDTH - LEFT - RIGHT) * (math.log10(result.speed) - slowest) / (fastest - slowest)
        return x, HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (result.f1 - lowest) / (highest - lowest)

    axis = f"words per CPU second: {10**slowest:,.0f} … {10**fastest:,.0f}, logarithmic"
    front = (f"{number(x)} {number(y)}" for x, y in map(point, pareto_front(done)))
    content = [
        text(LEFT, 24, title, "start small"),
        path(f"M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}", "axis"),
        text(LEFT, HEIGHT - 12, axis, "start small"),
        text(LEFT - 6, TOP + 4, f"{highest:.1f}", "end small"),
        text(LEFT - 6, HEIGHT - BOTTOM, f"{lowest:.1f}", "end small"),
        path("M" + "L".join(front), f"dashed {BLUE}"),
    ]
    names: list[tuple[float, float]] = []
    for result in sorted(done, key=lambda one: -one.f1):
        x, y = point(result)
        below = y
        while any(abs(x - left) < NAME_WIDTH and abs(below - top) < NAME_HEIGHT for left, top in names):
            below += 1
        names.append((x, below))
        colour = BLUE if result.row.parser == "linear" else ORANGE
        content.append(circle(x, y, 4, f"solid {colour}"))
        content.append(text(x + 7, below + 4, f"{result.row.name}, {result.row.encoding}", "start small"))
    return svg_document("".join(content), WIDTH, HEIGHT, title)


def pareto_front(results: Sequence[Result]) -> list[Result]:
    """Return the results that no other surpasses in both speed and F1, from slow to fast."""
    front: list[Result] = []
    best = -math.inf
    for result in sorted(results, key=lambda one: -one.speed):
        if result.f1 > best:
            front.append(result)
            best = result.f1
    return front[::-1]


# ── the command ──────────────────────────────────────────────────────────────────────────────────────


def read(name: str, dev: str | None, sentences: int | None) -> tuple[str, Treebank, Treebank]:
    """Return a name for the treebank, and its two parts."""
    files = train_and_dev(name, dev)
    train, dev_trees = (tuple(read_trees(file)) for file in files)
    short_name = name if dev is None else Path(name).name.partition(".")[0]
    return short_name, Treebank(train[:sentences]), Treebank(tuple(filter(has_words, dev_trees)))


def stored(path: Path) -> dict[Row, Result]:
    """Return the finished rows; the last result of a row counts."""
    if not path.exists():
        return {}
    records = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    results = []
    for record in records:
        record["row"]["encoding"] = Encoding(record["row"]["encoding"])
        results.append(Result(**{**record, "row": Row(**record["row"])}))
    return {result.row: result for result in results}


def finished(
    experiment: Experiment, rows: Sequence[Row], file: Path | None, only: Sequence[str] | None = None
) -> list[Result]:
    """Return the results of the rows; those that the file lacks, or of the parsers `only`, are measured."""
    done = stored(file) if file else {}
    for row in rows:
        is_done = row in done and not done[row].problem
        if row.parser not in only if only else is_done:
            continue
        print(f"{row.name}, {row.encoding} …", file=sys.stderr, flush=True)
        done[row] = experiment.run(row)
        if file:
            with open(file, "a", encoding="utf-8") as stream:
                stream.write(json.dumps(asdict(done[row]), ensure_ascii=False) + "\n")
    return [done[row] for row in rows if row in done]


def parser_settings(arguments: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the settings of every parser from arguments PARSER.KEY=VALUE."""
    settings: dict[str, dict[str, str]] = {}
    for argument in arguments:
        key, _, value = argument.partition("=")
        parser, _, option = key.partition(".")
        settings.setdefault(parser, {})[option] = value
    return settings


def arguments() -> argparse.Namespace:
    """Return the arguments of the command line."""
    options = command_line(__doc__)
    options.add_argument("treebank", metavar="TREEBANK")
    options.add_argument("--dev", metavar="FILE")
    options.add_argument("--grid", action="store_true", help="every combination")
    options.add_argument(
        "--only", metavar="PARSER", action="append", help="repeat the rows of this parser only"
    )
    options.add_argument("--set", metavar="PARSER.KEY=VALUE", action="append", default=[], dest="settings")
    options.add_argument("--tags", type=TagSource, choices=USABLE_TAGS, default=TagSource.JACKKNIFE)
    options.add_argument("--sentences", type=int, metavar="N", help="train on the first N sentences only")
    options.add_argument("--output", metavar="FOLDER", type=Path, default=Path())
    return options.parse_args()


def main() -> None:
    """Train and score the rows that are missing, then write the table and the chart."""
    chosen = arguments()
    name, train, dev = read(chosen.treebank, chosen.dev, chosen.sentences)
    experiment = Experiment(train, dev, chosen.tags, parser_settings(chosen.settings))
    encoding = Encoding.DIRECT if experiment.is_discontinuous else Encoding.DELTA
    installed = installed_parsers()
    rows = list(grid_rows(installed) if chosen.grid else paper_rows(installed, encoding))
    file = chosen.output / f"table1-{name}.jsonl"
    results = finished(experiment, rows, file, chosen.only)
    table = markdown(results)
    file.with_suffix(".md").write_text(table, encoding="utf-8")
    if any(not result.problem for result in results):
        title = f"{name}: F1 and speed of dependency parsers as constituent parsers"
        file.with_suffix(".svg").write_text(chart(results, title), encoding="utf-8")
    print(table, end="")


if __name__ == "__main__":
    main()
