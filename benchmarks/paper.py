"""Repeat the experiments of the paper, if you have the licensed data.

    python benchmarks/paper.py ptb /corpora/treebank_3
    python benchmarks/paper.py ptb /corpora/treebank_3 --table 1 --output tables
    python benchmarks/paper.py spmrl /corpora/SPMRL_SHARED_2014 --language french --language polish
    python benchmarks/paper.py tiger-spmrl /corpora/SPMRL_SHARED_2014
    python benchmarks/paper.py tiger-hn /corpora/tiger
    python benchmarks/paper.py negra /corpora/negra

Each experiment finds the files of a licensed copy in the layout of its distribution, checks the number of
sentences, trains with the paper's settings on the published split, and prints the paper's table with a column
for Spindle. Models are written to the folder --output, if it is given.

    ptb          Penn Treebank 3, parsed/mrg/wsj/: §02–21, 22, 23; Collins' heads, delta, jackknifed tags;
                 --table 1: every installed parser, with the labeler ours and TurboParser in three encodings
    spmrl        SPMRL 2014, LANGUAGE_SPMRL/{gold,pred}/: its own split, predicted tags, lemmas, morphology
    tiger-spmrl  the same, GERMAN_SPMRL/gold/xml/: discontinuous, direct, no unaries; punctuation counts
    tiger-hn     TIGER 2.1, *.export or *.xml: every tenth sentence is test, the one before it development
    negra        negra-corpus.export: 1–18,602 / 19,603–20,602 / 18,603–19,602

Gold tags are tags alone, without lemmas and morphology, except in tiger-spmrl, where the predicted setting
has them, too; the tables say so. docs/parsers.md lists what could not be verified without the data.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from corpora import Corpus, find_file, negra, ptb, spmrl, spmrl_folder, spmrl_names, tiger_hn
from measuring import command_line, cpu_seconds
from spindle.errors import SpindleError
from spindle.evaluation import Parameters, Score, evaluate
from spindle.evaluation.pairing import Absent
from spindle.evaluation.schemes import DISCODOP
from spindle.heads import HeadRules, induce_rules, load_rules
from spindle.pipeline import Parser, Sentence
from spindle.reduction import Encoding, Mode
from spindle.training import TagSource, TrainOptions, Treebank
from spindle.training.checkpoint import Checkpoint
from spindle.training.listener import NullListener, TrainingLog
from spindle.training.run import Training
from spindle.training.stage_training import StageTrainer
from spindle.training.treebank import PreparedTreebank
from spindle.treebanks import read_dependencies
from spindle.trees import Token, Tree
from table1 import (
    Experiment,
    finished,
    installed_parsers,
    labeled_rows,
    markdown,
    paper_rows,
    parser_settings,
)

# ── training ─────────────────────────────────────────────────────────────────────────────────────────


class Outcome(NamedTuple):
    """Gold trees, the trees found by a parser in the same order, and its speed in words per CPU second."""

    gold: list[Tree]
    found: list[Tree | None]
    speed: float

    def score(self, scheme: str, parameters: Parameters | None = None, cutoff: int | None = None) -> Score:
        """Score the trees; a sentence without a tree counts as a failure."""
        found = [Absent.UNPARSED if tree is None else tree for tree in self.found]
        return evaluate(self.gold, found, scheme, parameters, cutoff)


class TrainingWithTags(Training):
    """A training on tags that come with the treebank; head rules see the gold tags."""

    def __init__(
        self,
        provided: Sequence[tuple[Token, ...]],
        train: Treebank,
        dev: Treebank,
        options: TrainOptions,
    ) -> None:
        super().__init__(train, dev, options, *no_files())
        self.provided = provided

    def _train_tagger(
        self, trainer: StageTrainer, prepared: PreparedTreebank, source: TagSource | None
    ) -> tuple[None, Sequence[tuple[Token, ...]]]:
        return None, [self.provided[number] for number in prepared.numbers]


def no_files() -> tuple[Checkpoint, TrainingLog]:
    """Return a checkpoint and a log that are not written to disk."""
    return Checkpoint(None, ""), TrainingLog(NullListener(), None)


def retagged(tree: Tree, tokens: Sequence[Token]) -> Tree:
    """Return a tree with the annotation of other tokens, one for each word that is not a trace."""
    given = iter(tokens)
    return tree.replace(
        tokens=tuple(
            token
            if token.is_empty
            else token._replace(tag=(other := next(given)).tag, lemma=other.lemma, morph=other.morph)
            for token in tree.tokens
        )
    )


def tags_only(tree: Tree) -> Tree:
    """Return a tree without lemmas and morphology."""
    return tree.replace(tokens=tuple(token._replace(lemma="", morph="") for token in tree.tokens))


GOLD, RICH = "gold tags", "gold tags, lemmas and morphology"
JACKKNIFED, PROVIDED = "jackknifed tags", "provided tags, lemmas and morphology"
"""What parsers are trained on and see."""


def trained(corpus: Corpus, tags: str, options: TrainOptions, output: Path | None) -> Parser:
    """Train a parser on gold, jackknifed or provided tags."""
    options = replace(options, tags=TagSource.JACKKNIFE if tags == JACKKNIFED else TagSource.GOLD)
    train, dev = (Treebank(prepared(corpus.parts[part], tags)) for part in ("train", "dev"))
    print(f"{corpus.name}, {tags}: training …", file=sys.stderr, flush=True)
    if tags == PROVIDED:
        dev = Treebank(tuple(map(retagged, dev.trees, corpus.provided["dev"])))
        training: Training = TrainingWithTags(corpus.provided["train"], train, dev, options)
    else:
        training = Training(train, dev, options, *no_files())
    parser = training.run()
    if output is not None:
        more = "-morphology" if tags == RICH else ""
        parser.save(output / f"{corpus.name}-{tags.partition(' ')[0]}{more}.model")
    return parser


def prepared(trees: Sequence[Tree], tags: str) -> tuple[Tree, ...]:
    """Return trees without annotation that the parser must not see."""
    return tuple(map(tags_only, trees)) if tags == GOLD else tuple(trees)


def parsed(parser: Parser, corpus: Corpus, tags: str, part: str = "test") -> Outcome:
    """Parse a part of the corpus."""
    trees = [parser.settings.conventions.gold(tree) for tree in corpus.parts[part]]
    sentences = [Sentence.of(tree) for tree in prepared(trees, tags)]
    if tags == PROVIDED:
        sentences = [
            replace(sentence, tokens=tokens)
            for sentence, tokens in zip(sentences, corpus.provided[part], strict=True)
        ]
    elif tags == JACKKNIFED:
        sentences = [sentence.without_tags() for sentence in sentences]
    start = cpu_seconds()
    found = list(parser.parse_many(sentences, threads=1))
    seconds = max(cpu_seconds() - start, 1e-9)
    return Outcome(trees, found, sum(len(tree) for tree in found if tree is not None) / seconds)


# ── the tables ───────────────────────────────────────────────────────────────────────────────────────


Figures = Sequence[float | None]


def table(title: str, rows: Sequence[str], columns: Mapping[str, Figures]) -> None:
    """Print figures with a column for every parser."""
    print(f"\n{title}\n\n| | {' | '.join(columns)} |\n{'|---' * (1 + len(columns))}|")
    for row, figures in zip(rows, zip(*columns.values(), strict=True), strict=True):
        places = 0 if row == SPEED else 2
        cells = ("–" if figure is None else f"{figure:,.{places}f}" for figure in figures)
        print(f"| {row} | {' | '.join(cells)} |")


PAPER, OURS, SPEED = "the paper", "ours", "words/s"
PTB_COUNTS = (39_832, 1_700, 2_416)
PTB_TEST: Mapping[str, Figures] = {  # LR, LP, F1, words per second
    "Charniak 2000": (89.5, 89.9, 89.5, None),
    "Klein & Manning 2003": (85.3, 86.5, 85.9, 143),
    "Petrov & Klein 2007": (90.0, 90.3, 90.1, 169),
    "Carreras et al. 2008": (90.7, 91.4, 91.1, None),
    "Zhu et al. 2013": (90.3, 90.6, 90.4, 1_290),
    "Stanford shift-reduce": (89.1, 89.1, 89.1, 655),
    "Hall et al. 2014": (88.4, 88.8, 88.6, 12),
    "Charniak & Johnson 2005 (reranking)": (91.2, 91.8, 91.5, 84),
    "Socher et al. 2013 (reranking)": (89.1, 89.7, 89.4, 70),
    PAPER: (89.9, 90.4, 90.2, 957),
}
PTB_DEV = (90.94, 912)


def run_ptb(path: Path, options: Options) -> None:
    """Print Table 2 and the last row of Table 1, or all of Table 1."""
    corpus = ptb(path).checked(PTB_COUNTS, options.any_count)
    if options.table == 1:
        run_table1(corpus, options)
        return
    parser = trained(corpus, JACKKNIFED, options.training("collins", Encoding.DELTA), options.output)
    outcome, dev = (parsed(parser, corpus, JACKKNIFED, part) for part in ("test", "dev"))
    score = outcome.score("evalb")
    ours = (score.recall, score.precision, score.f1, outcome.speed)
    table("PTB §23", ("LR", "LP", "F1", SPEED), {**PTB_TEST, OURS: ours})
    table("PTB §22", ("F1", SPEED), {PAPER: PTB_DEV, OURS: (dev.score("evalb").f1, dev.speed)})
    print(f"\n`{score.signature}`")


def run_table1(corpus: Corpus, options: Options) -> None:
    """Print Table 1: the rows of the paper for section 22, one for every parser that is installed."""
    settings: dict[str, dict[str, str]] = parser_settings(options.settings)
    if options.epochs is not None:
        settings.setdefault("linear", {}).setdefault("epochs", str(options.epochs))
    experiment = Experiment(
        Treebank(corpus.parts["train"]),
        Treebank(corpus.parts["dev"]),
        TagSource.JACKKNIFE,
        settings,
        "collins",
    )
    rows = [*paper_rows(installed_parsers(), Encoding.DELTA), *labeled_rows("turbo")]
    if options.only:
        rows = [row for row in rows if row.parser in options.only]
    results = finished(experiment, rows, options.output and options.output / "table1-PTB.jsonl")
    print(f"Table 1, PTB §22\n\n{markdown(results)}")


class Language(NamedTuple):
    """A treebank of SPMRL: its head rules, its numbers of sentences, and the F1 of `SPMRL_PARSERS`."""

    heads: str
    counts: tuple[int, int, int]
    f1: Figures


SPMRL_PARSERS = (
    "Berkeley",
    "Berkeley, given tags",
    "Hall et al. 2014",
    "Crabbé & Seddah 2014",
    "Björkelund et al. 2014 (ensemble)",
    PAPER,
)
INDUCED = "induced"
LANGUAGES = {
    "basque": Language("rightmost", (7_577, 948, 946), (70.50, 74.74, 83.39, 85.35, 88.24, 85.90)),
    "french": Language("french-spmrl", (14_759, 1_235, 2_541), (80.38, 79.76, 79.70, 79.68, 82.53, 78.75)),
    "german": Language("negra-released", (40_472, 5_000, 5_000), (78.30, 78.28, 78.43, 77.15, 81.66, 78.66)),
    "hebrew": Language("leftmost", (5_000, 500, 716), (86.96, 85.42, 87.18, 86.19, 89.80, 88.97)),
    "hungarian": Language("rightmost", (8_146, 1_051, 1_009), (81.62, 85.22, 88.25, 87.51, 91.72, 88.16)),
    "korean": Language("rightmost", (23_010, 2_066, 2_287), (71.42, 78.56, 80.18, 79.35, 83.81, 79.28)),
    "polish": Language("leftmost", (6_578, 821, 822), (79.23, 86.75, 90.66, 91.60, 90.50, 91.20)),
    "swedish": Language(INDUCED, (5_000, 494, 666), (79.19, 80.64, 82.00, 82.72, 85.50, 82.80)),
}


def run_spmrl(path: Path, options: Options) -> None:
    """Print Table 3."""
    rows: dict[str, list[float]] = {}
    signature = ""
    for name in options.languages or LANGUAGES:
        language = LANGUAGES[name]
        corpus = spmrl(path, name).checked(language.counts, options.any_count)
        heads = induced(path, name, corpus) if language.heads == INDUCED else language.heads
        parser = trained(corpus, PROVIDED, options.training(heads, Encoding.DELTA), options.output)
        score = parsed(parser, corpus, PROVIDED).score("spmrl")
        rows[corpus.name] = [figure or 0 for figure in (*language.f1, score.f1)]
        signature = score.signature
    if len(rows) > 1:
        rows["average"] = [sum(column) / len(column) for column in zip(*rows.values(), strict=True)]
    columns = zip(*rows.values(), strict=True)
    table(
        "SPMRL 2014, predicted tags: F1", list(rows), dict(zip((*SPMRL_PARSERS, OURS), columns, strict=True))
    )
    print(f"\n`{signature}`")


def induced(path: Path, language: str, corpus: Corpus) -> HeadRules:
    """Induce head rules from the dependencies of the treebank."""
    patterns = [f"{name}.gold.conll" for name in spmrl_names("train", language.capitalize())]
    file = find_file(spmrl_folder(path, language) / "gold" / "conll", "dependencies", *patterns)
    pairs = zip(corpus.parts["train"], read_dependencies(str(file), "conllx"), strict=True)
    return replace(induce_rules(pairs, load_rules("swedish")).rules, name=INDUCED)


# Like the parameters of disco-dop, but punctuation counts.
WITH_PUNCTUATION = Parameters(
    delete_labels=("NOPARSE", "TOP", "ROOT", "VROOT", "-NONE-"),
    equal_words=DISCODOP.parameters.equal_words,
)


class German(NamedTuple):
    """A discontinuous treebank: its reader, its scoring, and F1 and exact match for every cut-off."""

    find: Callable[[Path], Corpus]
    counts: tuple[int, int, int]
    parameters: Parameters | None
    cutoffs: tuple[int | None, ...]
    predicted_tags: str
    gold: Mapping[str, Figures]
    predicted: Mapping[str, Figures]
    speeds: Mapping[tuple[str, str], float] = {}
    """Words per second of a parser with some tags."""


GERMAN = {
    "tiger-spmrl": German(
        lambda path: replace(spmrl(path, "german", "xml"), name="TIGER-SPMRL"),
        (40_472, 5_000, 5_000),
        WITH_PUNCTUATION,
        (40, 70, None),
        PROVIDED,
        {
            "Versley 2014a": (78.34, 42.78, 76.46, 41.05, 76.11, 40.94),
            PAPER: (82.56, 45.25, 80.98, 43.44, 80.62, 43.32),
        },
        {
            "Versley 2014a": (None, None, 73.90, 37.00, None, None),
            PAPER: (79.57, 40.39, 77.72, 38.75, 77.32, 38.64),
        },
    ),
    "tiger-hn": German(
        tiger_hn,
        (40_380, 5_047, 5_047),
        None,
        (30, 40, None),
        JACKKNIFED,
        {
            "Hall & Nivre 2008": (None, None, 79.93, 37.78, None, None),
            "Versley 2014b": (76.47, 40.61, 74.23, 37.32, None, None),
            PAPER: (86.63, 54.88, 85.53, 51.21, 84.22, 49.63),
        },
        {
            "Hall & Nivre 2008": (None, None, 75.33, 32.63, None, None),
            "van Cranenburgh & Bod 2013": (None, None, 78.8, 40.8, None, None),
            PAPER: (83.94, 49.54, 82.57, 45.93, 81.12, 44.48),
        },
    ),
    "negra": German(
        negra,
        (18_602, 1_000, 1_000),
        None,
        (30, 40, None),
        JACKKNIFED,
        {
            "Maier et al. 2012": (74.5, None, None, None, None, None),
            "van Cranenburgh 2012": (None, None, 72.33, 33.16, 71.08, 32.10),
            "Kallmeyer & Maier 2013": (75.75, None, None, None, None, None),
            "van Cranenburgh & Bod 2013": (None, None, 76.8, 40.5, None, None),
            PAPER: (82.56, 52.13, 81.08, 48.04, 80.52, 46.70),
        },
        {
            "van Cranenburgh & Bod 2013": (None, None, 74.8, 38.7, None, None),
            PAPER: (79.63, 48.43, 77.93, 44.83, 76.95, 43.50),
        },
        {(PAPER, JACKKNIFED): 618},
    ),
}


def run_german(name: str, path: Path, options: Options) -> None:
    """Print a part of Table 4: gold and predicted tags."""
    german = GERMAN[name]
    corpus = german.find(path).checked(german.counts, options.any_count)
    rows = [
        f"{figure}, {'all' if cutoff is None else f'≤ {cutoff}'}"
        for cutoff in german.cutoffs
        for figure in ("F1", "EX")
    ]
    # Gold lemmas and morphology are used where the predicted setting has some, too; else in a column apart.
    gold = (RICH,) if corpus.provided else (GOLD, RICH) if options.gold_morphology else (GOLD,)
    signature = ""
    for columns, others in ((gold, german.gold), ((german.predicted_tags,), german.predicted)):
        ours: dict[str, Figures] = {}
        for tags in columns:
            parser = trained(
                corpus, tags, options.training("negra-released", Encoding.DIRECT), options.output
            )
            outcome = parsed(parser, corpus, tags)
            figures: list[float | None] = []
            for cutoff in german.cutoffs:
                score = outcome.score("discodop", german.parameters, cutoff)
                figures += [score.f1, score.exact]
                signature = f"{score.signature}|attached:{parser.settings.conventions.punctuation}"
            ours[OURS if tags == columns[0] else f"{OURS}, with lemmas and morphology"] = [
                *figures,
                outcome.speed,
            ]
        theirs = {name: [*figures, german.speeds.get((name, columns[0]))] for name, figures in others.items()}
        table(f"{corpus.name}, {columns[0]}", [*rows, SPEED], {**theirs, **ours})
    print(f"\n`{signature}`")


# ── the command ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Options:
    """The options of the command line."""

    order: str
    epochs: int | None
    threads: int
    any_count: bool
    output: Path | None
    languages: Sequence[str]
    table: int
    only: Sequence[str]
    settings: Sequence[str]
    gold_morphology: bool

    def training(self, heads: str | HeadRules, encoding: Encoding) -> TrainOptions:
        """Return the paper's settings: discontinuous trees have direct labels and no unary stage."""
        is_discontinuous = encoding is Encoding.DIRECT
        return TrainOptions(
            order=self.order,
            epochs=self.epochs,
            encoding=encoding,
            heads=heads,
            mode=Mode.DISCONTINUOUS if is_discontinuous else Mode.CONTINUOUS,
            unaries=not is_discontinuous,
            threads=self.threads,
        )


def main() -> None:
    """Run one experiment."""
    arguments = command_line(__doc__)
    arguments.add_argument("experiment", choices=["ptb", "spmrl", *GERMAN])
    arguments.add_argument("path", type=Path, metavar="PATH")
    arguments.add_argument("--language", action="append", choices=LANGUAGES, help="of spmrl [default: all]")
    arguments.add_argument("--order", choices=["basic", "standard", "full"], default="full")
    arguments.add_argument("--epochs", type=int)
    arguments.add_argument("--threads", type=int, default=1)
    arguments.add_argument("--output", type=Path, metavar="FOLDER", help="write the models there")
    arguments.add_argument("--any-count", action="store_true", help="accept other numbers of sentences")
    arguments.add_argument("--table", type=int, choices=[1, 2], default=2, help="of ptb: 1 has every parser")
    arguments.add_argument("--only", action="append", metavar="PARSER", help="of --table 1: only its rows")
    arguments.add_argument(
        "--set", action="append", default=[], metavar="PARSER.KEY=VALUE", help="of --table 1: as in table1.py"
    )
    arguments.add_argument(
        "--gold-morphology", action="store_true", help="of tiger-hn and negra: a column with gold lemmas, too"
    )
    chosen = arguments.parse_args()
    if chosen.experiment != "ptb" and (chosen.table == 1 or chosen.only or chosen.set):
        arguments.error("--table, --only and --set are options of ptb")
    options = Options(
        chosen.order,
        chosen.epochs,
        chosen.threads,
        chosen.any_count,
        chosen.output,
        chosen.language or (),
        chosen.table,
        chosen.only or (),
        chosen.set,
        chosen.gold_morphology,
    )
    try:
        if chosen.experiment == "ptb":
            run_ptb(chosen.path, options)
        elif chosen.experiment == "spmrl":
            run_spmrl(chosen.path, options)
        else:
            run_german(chosen.experiment, chosen.path, options)
    except SpindleError as error:
        sys.exit(f"paper.py: {error}")


if __name__ == "__main__":
    main()
