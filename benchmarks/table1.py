"""The paper's Table 1 for any treebank: dependency parsers as constituent parsers, and what encodings cost.

    python benchmarks/table1.py english-gum                     # the paper's rows, with every parser found
    python benchmarks/table1.py train.ptb --dev dev.ptb --grid  # every parser, with and without a labeler, …
    python benchmarks/table1.py dutch-alpino --only linear      # some rows again; the others are kept
    python benchmarks/table1.py english-gum --set mst.sentences=1000 --set mst.order=1 --set zpar.epochs=3

TREEBANK is a file, or a folder of ../shared/treebanks with a `train` and a `dev` file. `spindle backends`
says which parsers are here. Trees are learned from `train` and scored on `dev`, which is used for nothing
else: no epoch is chosen by it. Tags are predicted, those of the training trees by jackknifing, once for all
rows; a parser that tags by itself is left to do so.

UAS and LAS are without punctuation; a label is right if symbol and event are. Speed is words per CPU second,
of one thread, from tagged words to trees, with whatever time a program needs to start; training is that of
the dependency parser alone. Rows are written to table1-NAME.jsonl as they are done, then the table
(table1-NAME.md) and the accuracy/speed front (.svg).
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from html import escape
from pathlib import Path
from typing import Any, Self

from measuring import TREEBANKS, cpu_seconds, part
from spindle.errors import SpindleError
from spindle.evaluation import evaluate
from spindle.evaluation.dependencies import score_dependencies
from spindle.evaluation.pairing import Pair
from spindle.heads import HeadFinder
from spindle.models import ModelPart
from spindle.parsers import PARSERS, Backend, Prediction, find_parser
from spindle.pipeline import Parser, Sentence
from spindle.reduction import Mode, write_labels
from spindle.training import TrainOptions, Treebank
from spindle.training.checkpoint import Checkpoint
from spindle.training.listener import NullListener, TrainingLog
from spindle.training.run import RARE_DISCONTINUITY, Training
from spindle.training.treebank import reduce
from spindle.treebanks import read_trees
from spindle.trees import Dependencies, Token, Tree, Word

NOT_COMPARED = {"command", "oracle"}  # the one is anything, the other knows the answers
ORDERS = ("basic", "standard", "full")
ENCODINGS = ("hn", "direct", "delta")


# ── rows ─────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Row:
    """What to train: a parser, with or without our labeler, in an encoding; `order` if the parser has one."""

    parser: str
    one_shot: bool
    encoding: str
    order: str = ""

    @property
    def name(self) -> str:
        """What the table calls it."""
        named = f"{self.parser} {self.order}".strip()
        return named if self.one_shot else f"{named} + labeler"


@dataclass(frozen=True)
class Result:
    """What came of a row; `problem` is set if nothing did."""

    row: Row
    mode: str = ""
    labels: int = 0
    uas: float = 0.0
    las: float = 0.0
    f1: float = 0.0
    disc_f1: float | None = None
    exact: float = 0.0
    speed: float = 0.0
    training: float = 0.0
    settings: str = ""
    signature: str = ""
    problem: str = ""


def paper_rows(installed: Sequence[str], encoding: str) -> Iterator[Row]:
    """The rows of the paper: others in one shot, ours with a labeler, the best of ours in all encodings."""
    for parser in installed:
        if parser == "turbo":
            yield from (Row(parser, True, encoding, order) for order in ORDERS)
        elif parser != "linear" and "labels" in find_parser(parser).predicts:
            yield Row(parser, True, encoding)
    for order in ORDERS[:-1]:
        yield Row("linear", False, encoding, order)
    for every in ENCODINGS:
        yield Row("linear", False, every, ORDERS[-1])


def grid_rows(installed: Sequence[str]) -> Iterator[Row]:
    """Every combination."""
    for parser in installed:
        choices = {one.name: one.choices for one in find_parser(parser).Options.describe()}
        orders = [order for order in ORDERS if order in choices.get("order", ())] or [""]
        shots = [False, True] if "labels" in find_parser(parser).predicts else [False]
        yield from (
            Row(parser, one_shot, encoding, order)
            for order in orders
            for one_shot in shots
            for encoding in ENCODINGS
        )


# ── one row ──────────────────────────────────────────────────────────────────────────────────────────


class Clock(NullListener):
    """Notes when the dependency parser begins to learn."""

    start = 0.0

    def stage(self, name: str) -> None:
        if name == "parser":
            self.start = cpu_seconds()


class Experiment:
    """A treebank, and the stages that several rows share: they are trained once."""

    def __init__(
        self, train: Treebank, dev: Treebank, tags: str, settings: dict[str, dict[str, str]]
    ) -> None:
        self.train, self.dev, self.tags, self.settings = train, dev, tags, settings
        self._parts: dict[str, Any] = {}
        self._backends: dict[tuple[str, str, str], tuple[ModelPart, float]] = {}

    def run(self, row: Row) -> Result:
        """Train and score."""
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
                tags=None if "tags" in find_parser(row.parser).predicts else self.tags,
                threads=1,
            )
            options.check()
            # arcs are the same in every encoding, so without their labels they are learned only once
            key = (row.parser, row.order, shown)
            known = None if row.one_shot else self._backends.get(key)
            if known is not None:
                options = replace(options, parser=again(options.backend, known[0]))
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
        recorder = Recorder(parser.backend)
        parser = replace(parser, backend=recorder)
        words = sum(len(sentence.tokens) for sentence in sentences)
        start = cpu_seconds()
        trees = [tree for tree in parser.parse_many(sentences, threads=1, batch=len(sentences)) if tree]
        speed = words / (cpu_seconds() - start)
        scheme = (
            "evalb" if parser.settings.mode is Mode.CONTINUOUS and not self.is_discontinuous else "discodop"
        )
        score = evaluate(gold, trees, scheme)
        arcs = self._arcs(parser, [sentence.tokens for sentence in sentences], recorder.predictions)
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
            signature=f"{score.signature}|attached:{conventions.punctuation}",
        )

    @property
    def is_discontinuous(self) -> bool:
        """Whether enough of the gold trees are, for it to count."""
        return sum(not tree.is_continuous for tree in self.dev.trees) > RARE_DISCONTINUITY * len(
            self.dev.trees
        )

    def _arcs(
        self, parser: Parser, sentences: Sequence[Sequence[Token]], predictions: Sequence[Prediction]
    ) -> Iterator[Pair[Dependencies]]:
        """The arcs that the parser and the labeler find, unrepaired, beside those of the gold trees."""
        heads = [prediction.heads for prediction in predictions]
        labels = (
            [prediction.labels or () for prediction in predictions]
            if parser.stages.labeler is None
            else parser.stages.labeler.label(sentences, heads, 1)
        )
        finder = HeadFinder(parser.settings.head_rules)
        prepared = [parser.settings.conventions.prepare(tree) for tree in self.dev.trees]
        for number, (_, gold) in enumerate(reduce(prepared, finder, Mode.DISCONTINUOUS)):
            right = write_labels(gold.dtree, parser.settings.encoding)
            yield Pair(
                number + 1,
                _rows(gold.dtree.tokens, gold.dtree.heads, right),
                _rows(gold.dtree.tokens, heads[number], labels[number]),
            )


def again(backend: type[Backend], part: ModelPart) -> type[Backend]:
    """A parser that learns by remembering what one of its kind has learned before."""

    class Again(backend):  # type: ignore[misc, valid-type]
        def fit(self, *_: Any) -> None:
            self.__dict__.update(backend.from_part(part).__dict__)

    return Again


class Recorder(Backend):
    """A trained parser, and what it has said."""

    def __init__(self, parser: Backend) -> None:
        self.parser, self.predictions = parser, list[Prediction]()

    def fit(self, *_: Any) -> None:
        raise NotImplementedError

    def parse(self, sentences: Sequence[Sequence[Token]], threads: int) -> Sequence[Prediction]:
        found = self.parser.parse(sentences, threads)
        self.predictions += found
        return found

    def to_part(self) -> ModelPart:
        raise NotImplementedError

    @classmethod
    def from_part(cls, part: ModelPart) -> Self:
        raise NotImplementedError


def _rows(tokens: Sequence[Token], heads: Sequence[int], labels: Sequence[str]) -> Dependencies:
    return Dependencies(
        tuple(
            Word(token.form, upos=token.tag, xpos=token.tag, head=head + 1, deprel=label)
            for token, head, label in zip(tokens, heads, labels, strict=True)
        )
    )


# ── the table and the picture ────────────────────────────────────────────────────────────────────────


def markdown(results: Sequence[Result]) -> str:
    """The table."""
    done = [result for result in results if not result.problem]
    with_gaps = any(result.disc_f1 is not None for result in done)
    head = ["parser", "encoding", "labels", "UAS", "LAS", "F1", *(["disc. F1"] if with_gaps else []), "exact"]
    head += ["words / CPU s", "training, CPU s", "settings"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for one in results:
        row = one.row
        cells = [row.name, row.encoding]
        if one.problem:
            cells += ["–"] * (len(head) - 3) + [f"{one.settings} {one.problem}".strip()]
        else:
            cells += [str(one.labels), f"{one.uas:.2f}", f"{one.las:.2f}", f"{one.f1:.2f}"]
            cells += [f"{one.disc_f1 or 0:.2f}"] if with_gaps else []
            continuous = " continuous" if with_gaps and one.mode == str(Mode.CONTINUOUS) else ""
            cells += [
                f"{one.exact:.2f}",
                f"{one.speed:,.0f}",
                f"{one.training:,.0f}",
                one.settings + continuous,
            ]
        lines.append(f"| {' | '.join(cells)} |")
    signatures = sorted({one.signature for one in done})
    return "\n".join(lines) + "\n\n" + "".join(f"F1: `{signature}`\n" for signature in signatures)


WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 460, 60, 150, 44, 48
STYLE = """<style>
.front{color-scheme:light dark;color:#24292f}
.front text{fill:currentColor;font:12px "Noto Sans","DejaVu Sans",Verdana,Helvetica,Arial,sans-serif}
.front .ground{fill:#fff}
.front .axis{fill:none;stroke:currentColor;opacity:.35}
.front .others{fill:#57606a}
.front .ours{fill:#0969da}
.front .line{fill:none;stroke:#0969da;stroke-width:1.5;stroke-dasharray:5 3}
@media (prefers-color-scheme:dark){
.front{color:#e6edf3}
.front .ground{fill:#0d1117}
.front .others{fill:#8b949e}
.front .ours{fill:#6cb6ff}
.front .line{stroke:#6cb6ff}}
</style>
"""


def picture(results: Sequence[Result], title: str) -> str:
    """F1 against speed, with the front that nobody is above and right of."""
    done = [result for result in results if not result.problem]
    speeds = [math.log10(result.speed) for result in done]
    lowest, highest = min(result.f1 for result in done) - 1, max(result.f1 for result in done) + 1
    slowest, fastest = min(speeds) - 0.1, max(speeds) + 0.1

    def place(result: Result) -> tuple[float, float]:
        x = LEFT + (WIDTH - LEFT - RIGHT) * (math.log10(result.speed) - slowest) / (fastest - slowest)
        return x, HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (result.f1 - lowest) / (highest - lowest)

    pieces = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="front" role="img" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}">\n<title>{escape(title)}</title>\n{STYLE}',
        f'<rect class="ground" width="{WIDTH}" height="{HEIGHT}"/>\n',
        f'<text x="{LEFT}" y="24">{escape(title)}</text>\n',
        f'<path class="axis" d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/>\n',
        f'<text x="{LEFT}" y="{HEIGHT - 12}">words per CPU second: {10**slowest:,.0f} … {10**fastest:,.0f}, '
        "logarithmic</text>\n",
        f'<text x="{LEFT - 6}" y="{TOP + 4}" text-anchor="end">{highest:.1f}</text>\n',
        f'<text x="{LEFT - 6}" y="{HEIGHT - BOTTOM}" text-anchor="end">{lowest:.1f}</text>\n',
    ]
    front = " ".join("{:.1f},{:.1f}".format(*place(result)) for result in pareto(done))
    pieces.append(f'<polyline class="line" points="{front}"/>\n')
    names: list[tuple[float, float]] = []
    for result in sorted(done, key=lambda one: -one.f1):
        x, y = place(result)
        below = y
        while any(abs(x - left) < 150 and abs(below - top) < 13 for left, top in names):
            below += 1  # no name on top of another
        names.append((x, below))
        kind = "ours" if result.row.parser == "linear" else "others"
        name = escape(f"{result.row.name}, {result.row.encoding}")
        pieces.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>\n')
        pieces.append(f'<text x="{x + 7:.1f}" y="{below + 4:.1f}">{name}</text>\n')
    return "".join(pieces) + "</svg>\n"


def pareto(results: Sequence[Result]) -> list[Result]:
    """Those that no other is both faster and better than, from slow to fast."""
    front: list[Result] = []
    best = -math.inf
    for result in sorted(results, key=lambda one: -one.speed):
        if result.f1 > best:
            front.append(result)
            best = result.f1
    return front[::-1]


# ── the command ──────────────────────────────────────────────────────────────────────────────────────


def read(name: str, dev: str | None, sentences: int | None) -> tuple[str, Treebank, Treebank]:
    """A name for the treebank, and its two parts."""
    folder = TREEBANKS / name
    if dev is None:
        if not folder.is_dir():
            sys.exit(f"{name} is no folder in {TREEBANKS}; name two files: TRAIN --dev DEV")
        train, dev = (str(part(name, which)) for which in ("train", "dev"))
    else:
        train, name = name, Path(name).name.partition(".")[0]
    parts = [tuple(read_trees(path)) for path in (train, dev)]
    kept = tuple(tree for tree in parts[1] if _has_words(tree))
    return name, Treebank(parts[0][:sentences]), Treebank(kept)


def _has_words(tree: Tree) -> bool:
    return not all(token.is_empty for token in tree.tokens)


def stored(path: Path) -> dict[Row, Result]:
    """The rows that are done already; of several for one, the last."""
    if not path.exists():
        return {}
    records = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    results = [Result(**{**record, "row": Row(**record["row"])}) for record in records]
    return {result.row: result for result in results}


def main() -> None:
    description, _, _ = (__doc__ or "").partition("\n")
    options = argparse.ArgumentParser(description=description)
    options.add_argument("treebank", metavar="TREEBANK")
    options.add_argument("--dev", metavar="FILE")
    options.add_argument("--grid", action="store_true", help="every combination")
    options.add_argument("--only", metavar="PARSER", action="append", help="only rows of this parser, again")
    options.add_argument("--set", metavar="PARSER.KEY=VALUE", action="append", default=[], dest="settings")
    options.add_argument("--tags", choices=["jackknife", "gold"], default="jackknife")
    options.add_argument("--sentences", type=int, metavar="N", help="learn from the first N sentences only")
    options.add_argument("--output", metavar="FOLDER", type=Path, default=Path())
    chosen = options.parse_args()
    settings: dict[str, dict[str, str]] = {}
    for setting in chosen.settings:
        key, _, value = setting.partition("=")
        parser, _, option = key.partition(".")
        settings.setdefault(parser, {})[option] = value
    name, train, dev = read(chosen.treebank, chosen.dev, chosen.sentences)
    experiment = Experiment(train, dev, chosen.tags, settings)
    installed = [
        parser
        for parser in PARSERS
        if parser not in NOT_COMPARED and find_parser(parser).version() is not None
    ]
    encoding = "direct" if experiment.is_discontinuous else "delta"
    rows = list(grid_rows(installed) if chosen.grid else paper_rows(installed, encoding))
    path = chosen.output / f"table1-{name}.jsonl"
    done = stored(path)
    for row in rows:
        if (row in done and not done[row].problem and not chosen.only) or (
            chosen.only and row.parser not in chosen.only
        ):
            continue
        print(f"{row.name}, {row.encoding} …", file=sys.stderr, flush=True)
        done[row] = experiment.run(row)
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(done[row]), ensure_ascii=False) + "\n")
    results = [done[row] for row in rows if row in done]
    table = markdown(results)
    path.with_suffix(".md").write_text(table, encoding="utf-8")
    if any(not result.problem for result in results):
        title = f"{name}: F1 and speed of dependency parsers as constituent parsers"
        path.with_suffix(".svg").write_text(picture(results, title), encoding="utf-8")
    print(table, end="")


if __name__ == "__main__":
    main()
