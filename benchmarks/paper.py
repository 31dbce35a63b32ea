"""Repeat the experiments of the paper, if you have the licensed data.

    python benchmarks/paper.py ptb /corpora/treebank_3
    python benchmarks/paper.py spmrl /corpora/SPMRL_SHARED_2014 --language french --language polish
    python benchmarks/paper.py tiger-spmrl /corpora/SPMRL_SHARED_2014
    python benchmarks/paper.py tiger-hn /corpora/tiger
    python benchmarks/paper.py negra /corpora/negra

Each experiment finds the files of a licensed copy in the layout of its distribution, checks the number of
sentences, trains with the paper's settings on the published split, and prints the paper's table with a column
for Spindle. Models are written to the folder --output, if it is given.

    ptb          Penn Treebank 3, parsed/mrg/wsj/: §02–21, 22, 23; Collins' heads, delta, jackknifed tags
    spmrl        SPMRL 2014, LANGUAGE_SPMRL/{gold,pred}/: its own split and predicted tags, delta
    tiger-spmrl  the same, GERMAN_SPMRL/gold/xml/: discontinuous, direct, no unaries; punctuation counts
    tiger-hn     TIGER 2.1, *.export or *.xml: every tenth sentence is test, the one before it development
    negra        negra-corpus.export: 1–18,602 / 19,603–20,602 / 18,603–19,602

docs/parsers.md lists what could not be verified without the data.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from measuring import command_line, cpu_seconds
from spindle.errors import SpindleError
from spindle.evaluation import Parameters, Score, evaluate
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
from spindle.treebanks import read_dependencies, read_trees
from spindle.trees import Dependencies, Token, Tree

PARTS = ("train", "dev", "test")


class Problem(SpindleError):
    """A file is missing, or the number of sentences is not that of the paper."""


# ── data ─────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Corpus:
    """The parts of a treebank; `provided` has the sentences with the predicted tags that come with it."""

    name: str
    parts: Mapping[str, tuple[Tree, ...]]
    provided: Mapping[str, tuple[tuple[Token, ...], ...]] = field(default_factory=dict)

    def check(self, counts: Sequence[int], any_count: bool) -> None:
        """Print the numbers of sentences, and raise a `Problem` if they are not those of the paper."""
        found = [len(self.parts[part]) for part in PARTS]
        actual = f"{self.name}: {' / '.join(f'{count:,}' for count in found)} sentences"
        print(f"{actual} (train / dev / test)", file=sys.stderr, flush=True)
        if found != list(counts) and not any_count:
            expected = " / ".join(f"{count:,}" for count in counts)
            raise Problem(f"{actual}, where the paper has {expected}; --any-count continues anyway")


def find_file(path: Path, what: str, *patterns: str) -> Path:
    """Return the first file under a folder that matches the first possible pattern."""
    for pattern in patterns:
        if found := sorted(file for file in path.rglob(pattern) if file.is_file()):
            return found[0]
    raise Problem(f"{path}: there is no {what} here; its name would be {' or '.join(patterns)}")


def ptb(path: Path) -> Corpus:
    """Read the Wall Street Journal sections of the Penn Treebank."""
    for folder in (path, *sorted(path.rglob("*"))):
        if folder.name.lower() == "wsj" and any(folder.glob("23/*.[mM][rR][gG]")):
            sections = {"train": range(2, 22), "dev": range(22, 23), "test": range(23, 24)}
            return Corpus(
                "PTB",
                {part: tuple(_sections(folder, numbers)) for part, numbers in sections.items()},
            )
    raise Problem(f"{path}: there is no parsed/mrg/wsj with a section 23 here")


def _sections(folder: Path, numbers: range) -> Iterator[Tree]:
    for number in numbers:
        for file in sorted((folder / f"{number:02}").glob("*.[mM][rR][gG]")):
            yield from read_trees(str(file))


def spmrl(path: Path, language: str, kind: str = "ptb") -> Corpus:
    """Read a treebank of the SPMRL shared task, in the format `ptb` or `xml`, with its predicted tags."""
    name = language.capitalize()
    folder = spmrl_folder(path, language)
    parts: dict[str, tuple[Tree, ...]] = {}
    provided: dict[str, tuple[tuple[Token, ...], ...]] = {}
    for part in PARTS:
        names = spmrl_names(part, name)
        trees = find_file(folder / "gold" / kind, f"{part} part", *(f"{one}.gold.{kind}" for one in names))
        tags = find_file(folder / "pred" / "conll", f"{part} part", *(f"{one}.pred.conll" for one in names))
        parts[part] = tuple(read_trees(str(trees)))
        rows = tuple(read_dependencies(str(tags), "conllx"))
        provided[part] = tuple(_provided(parts[part], rows, f"{name} {part}"))
    return Corpus(name, parts, provided)


def spmrl_folder(path: Path, language: str) -> Path:
    """Return the folder of a language."""
    name = f"{language.upper()}_SPMRL"
    folder = next((one for one in (path, *path.rglob("*")) if one.name == name), None)
    if folder is None:
        raise Problem(f"{path}: there is no folder {name} here")
    return folder


def spmrl_names(part: str, name: str) -> list[str]:
    """Return the possible names of a part; Hebrew and Swedish have only a small training part."""
    return [f"{one}/{one}.{name}" for one in ((part, f"{part}5k") if part == "train" else (part,))]


def _provided(trees: Sequence[Tree], rows: Sequence[Dependencies], name: str) -> Iterator[tuple[Token, ...]]:
    """Yield the words of trees with the tags of the same sentences in another file."""
    if len(trees) != len(rows):
        raise Problem(f"{name}: {len(trees):,} trees, but {len(rows):,} sentences with predicted tags")
    for number, (tree, sentence) in enumerate(zip(trees, rows, strict=True), start=1):
        tokens = [token for token in tree.tokens if not token.is_empty]
        if len(tokens) != len(sentence):
            raise Problem(
                f"{name}, sentence {number}: {len(tokens)} words in the tree, "
                f"but {len(sentence)} with predicted tags"
            )
        yield tuple(
            token._replace(tag=word.upos, lemma="", morph="", function="")
            for token, word in zip(tokens, sentence.words, strict=True)
        )


def tiger_hn(path: Path) -> Corpus:
    """Read TIGER in the split of Hall and Nivre."""
    file = find_file(path, "TIGER treebank", "tiger*.export*", "*.export*", "tiger*.xml*", "*.xml")
    parts: dict[str, list[Tree]] = {part: [] for part in PARTS}
    for number, tree in enumerate(read_trees(str(file)), start=1):
        parts[{0: "test", 9: "dev"}.get(number % 10, "train")].append(tree)
    return Corpus("TIGER-H&N", {part: tuple(trees) for part, trees in parts.items()})


def negra(path: Path) -> Corpus:
    """Read NEGRA, split by the numbers of its sentences."""
    file = find_file(path, "NEGRA treebank", "negra*.export*", "*.export*")
    numbers = {"train": range(1, 18_603), "dev": range(19_603, 20_603), "test": range(18_603, 19_603)}
    trees = list(read_trees(str(file)))
    return Corpus(
        "NEGRA",
        {part: tuple(tree for tree in trees if _number(tree) in chosen) for part, chosen in numbers.items()},
    )


def _number(tree: Tree) -> int:
    digits = "".join(character for character in tree.id if character.isdecimal())
    return int(digits) if digits else 0


# ── training ─────────────────────────────────────────────────────────────────────────────────────────


class Outcome(NamedTuple):
    """Gold trees, the trees found by a parser, and its speed in words per CPU second."""

    gold: list[Tree]
    found: list[Tree]
    speed: float

    def score(self, scheme: str, parameters: Parameters | None = None, cutoff: int | None = None) -> Score:
        """Score the trees."""
        return evaluate(self.gold, self.found, scheme, parameters, cutoff)


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
    """Return a tree with the tags of other tokens, one for each word that is not a trace."""
    tags = iter(token.tag for token in tokens)
    return tree.replace(
        tokens=tuple(
            token if token.is_empty else token._replace(tag=next(tags), lemma="", morph="")
            for token in tree.tokens
        )
    )


def trained(corpus: Corpus, tags: str, options: TrainOptions, output: Path | None) -> Parser:
    """Train a parser on gold, jackknifed or provided tags."""
    options = replace(options, tags=TagSource.JACKKNIFE if tags == "jackknifed" else TagSource.GOLD)
    train, dev = (Treebank(corpus.parts[part]) for part in ("train", "dev"))
    print(f"{corpus.name}, {tags} tags: training …", file=sys.stderr, flush=True)
    if tags == "provided":
        dev = Treebank(tuple(map(retagged, dev.trees, corpus.provided["dev"])))
        training: Training = TrainingWithTags(corpus.provided["train"], train, dev, options)
    else:
        training = Training(train, dev, options, *no_files())
    parser = training.run()
    if output is not None:
        parser.save(output / f"{corpus.name}-{tags}.model")
    return parser


def parsed(parser: Parser, corpus: Corpus, tags: str, part: str = "test") -> Outcome:
    """Parse a part of the corpus."""
    trees = [parser.settings.conventions.gold(tree) for tree in corpus.parts[part]]
    sentences = [Sentence.of(tree) for tree in trees]
    if tags == "provided":
        sentences = [
            replace(sentence, tokens=tokens)
            for sentence, tokens in zip(sentences, corpus.provided[part], strict=True)
        ]
    elif tags != "gold":
        sentences = [sentence.without_tags() for sentence in sentences]
    start = cpu_seconds()
    found = [tree for tree in parser.parse_many(sentences, threads=1) if tree is not None]
    return Outcome(trees, found, sum(map(len, found)) / max(cpu_seconds() - start, 1e-9))


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
    """Print Table 2 and the last row of Table 1."""
    corpus = ptb(path)
    corpus.check(PTB_COUNTS, options.any_count)
    parser = trained(corpus, "jackknifed", options.training("collins", Encoding.DELTA), options.output)
    outcome, dev = (parsed(parser, corpus, "jackknifed", part) for part in ("test", "dev"))
    score = outcome.score("evalb")
    ours = (score.recall, score.precision, score.f1, outcome.speed)
    table("PTB §23", ("LR", "LP", "F1", SPEED), {**PTB_TEST, OURS: ours})
    table("PTB §22", ("F1", SPEED), {PAPER: PTB_DEV, OURS: (dev.score("evalb").f1, dev.speed)})
    print(f"\n`{score.signature}`")


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
    "german": Language("negra", (40_472, 5_000, 5_000), (78.30, 78.28, 78.43, 77.15, 81.66, 78.66)),
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
        corpus = spmrl(path, name)
        corpus.check(language.counts, options.any_count)
        heads = induced(path, name, corpus) if language.heads == INDUCED else language.heads
        parser = trained(corpus, "provided", options.training(heads, Encoding.DELTA), options.output)
        score = parsed(parser, corpus, "provided").score("spmrl")
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


GERMAN = {
    "tiger-spmrl": German(
        lambda path: replace(spmrl(path, "german", "xml"), name="TIGER-SPMRL"),
        (40_472, 5_000, 5_000),
        WITH_PUNCTUATION,
        (40, 70, None),
        "provided",
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
        "jackknifed",
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
        "jackknifed",
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
    ),
}


def run_german(name: str, path: Path, options: Options) -> None:
    """Print a part of Table 4: gold and predicted tags."""
    german = GERMAN[name]
    corpus = german.find(path)
    corpus.check(german.counts, options.any_count)
    rows = [
        f"{figure}, {'all' if cutoff is None else f'≤ {cutoff}'}"
        for cutoff in german.cutoffs
        for figure in ("F1", "EX")
    ]
    signature = ""
    for tags, others in (("gold", german.gold), (german.predicted_tags, german.predicted)):
        parser = trained(corpus, tags, options.training("negra", Encoding.DIRECT), options.output)
        outcome = parsed(parser, corpus, tags)
        ours: list[float | None] = []
        for cutoff in german.cutoffs:
            score = outcome.score("discodop", german.parameters, cutoff)
            ours += [score.f1, score.exact]
            signature = f"{score.signature}|attached:{parser.settings.conventions.punctuation}"
        table(f"{corpus.name}, {tags} tags", rows, {**others, OURS: ours})
        print(f"{corpus.name}, {tags} tags: {outcome.speed:,.0f} words per CPU second", file=sys.stderr)
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
    chosen = arguments.parse_args()
    options = Options(
        chosen.order, chosen.epochs, chosen.threads, chosen.any_count, chosen.output, chosen.language or ()
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
