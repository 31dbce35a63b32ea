"""The paper's own experiments, for whoever holds the data.

    python benchmarks/paper.py ptb /corpora/treebank_3
    python benchmarks/paper.py spmrl /corpora/SPMRL_SHARED_2014 --language french --language polish
    python benchmarks/paper.py tiger-spmrl /corpora/SPMRL_SHARED_2014
    python benchmarks/paper.py tiger-hn /corpora/tiger
    python benchmarks/paper.py negra /corpora/negra

Each finds the files of a licensed copy in the layout it is distributed in, checks how many sentences there
are, trains with the paper's settings on the published split, and prints the paper's table with our column
beside its figures. Models are kept in --output, if that is given.

    ptb          Penn Treebank 3, parsed/mrg/wsj/: §02–21, 22, 23; Collins' heads, delta, jackknifed tags
    spmrl        SPMRL 2014, LANGUAGE_SPMRL/{gold,pred}/: its own split and predicted tags, delta
    tiger-spmrl  the same, GERMAN_SPMRL/gold/xml/: discontinuous, direct, no unaries; punctuation counts
    tiger-hn     TIGER 2.1, *.export or *.xml: every tenth sentence is test, the one before it development
    negra        negra-corpus.export: 1–18,602 / 19,603–20,602 / 18,603–19,602

What could not be verified without the data is in docs/parsers.md.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from measuring import cpu_seconds
from spindle.errors import SpindleError
from spindle.evaluation import Parameters, Score, evaluate
from spindle.evaluation.schemes import DISCODOP
from spindle.heads import format_rules, induce_rules, load_rules
from spindle.pipeline import Parser, Sentence, TrainOptions, Treebank
from spindle.pipeline.checkpoint import Checkpoint, tokens_to_part
from spindle.pipeline.log import Silence, TrainingLog
from spindle.pipeline.training import Training
from spindle.treebanks import read_dependencies, read_trees
from spindle.trees import Dependencies, Token, Tree

PARTS = ("train", "dev", "test")


class Problem(SpindleError):
    """Files that are not there or not as many sentences as they should be."""


# ── data ─────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Corpus:
    """The parts of a treebank; `provided` are its sentences with the tags that its makers predicted."""

    name: str
    parts: Mapping[str, tuple[Tree, ...]]
    provided: Mapping[str, tuple[tuple[Token, ...], ...]] = field(default_factory=dict)

    def check(self, counts: Sequence[int], any_count: bool) -> None:
        """Refuse a copy that has not the sentences it should have."""
        found = [len(self.parts[part]) for part in PARTS]
        told = f"{self.name}: {' / '.join(f'{count:,}' for count in found)} sentences"
        print(f"{told} (train / dev / test)", file=sys.stderr, flush=True)
        if found != list(counts) and not any_count:
            expected = " / ".join(f"{count:,}" for count in counts)
            raise Problem(f"{told}, where the paper has {expected}; --any-count goes on all the same")


def one_of(path: Path, what: str, *patterns: str) -> Path:
    """The first file under a folder that fits a pattern, the first pattern first."""
    for pattern in patterns:
        if found := sorted(file for file in path.rglob(pattern) if file.is_file()):
            return found[0]
    raise Problem(f"{path}: there is no {what} here, which would be called {' or '.join(patterns)}")


def ptb(path: Path) -> Corpus:
    """The Wall Street Journal sections of the Penn Treebank."""
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
    """A treebank of the SPMRL shared task, as `ptb` or as `xml`, with its predicted tags."""
    name = language.capitalize()
    folder = next((one for one in (path, *path.rglob("*")) if one.name == f"{language.upper()}_SPMRL"), None)
    if folder is None:
        raise Problem(f"{path}: there is no folder {language.upper()}_SPMRL here")
    parts: dict[str, tuple[Tree, ...]] = {}
    provided: dict[str, tuple[tuple[Token, ...], ...]] = {}
    for part in PARTS:
        # Hebrew and Swedish have no more than the 5,000 sentences of the small setting
        names = [f"{one}/{one}.{name}" for one in ((part, f"{part}5k") if part == "train" else (part,))]
        trees = one_of(folder / "gold" / kind, f"{part} part", *(f"{one}.gold.{kind}" for one in names))
        tags = one_of(folder / "pred" / "conll", f"{part} part", *(f"{one}.pred.conll" for one in names))
        parts[part] = tuple(read_trees(str(trees)))
        rows = tuple(read_dependencies(str(tags), "conllx"))
        provided[part] = tuple(_provided(parts[part], rows, f"{name} {part}"))
    return Corpus(name, parts, provided)


def _provided(trees: Sequence[Tree], rows: Sequence[Dependencies], name: str) -> Iterator[tuple[Token, ...]]:
    """The words of trees with the tags of the same sentences in another file."""
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
    """TIGER as Hall and Nivre split it."""
    file = one_of(path, "TIGER treebank", "tiger*.export*", "*.export*", "tiger*.xml*", "*.xml")
    parts: dict[str, list[Tree]] = {part: [] for part in PARTS}
    for number, tree in enumerate(read_trees(str(file)), start=1):
        parts[{0: "test", 9: "dev"}.get(number % 10, "train")].append(tree)
    return Corpus("TIGER-H&N", {part: tuple(trees) for part, trees in parts.items()})


def negra(path: Path) -> Corpus:
    """NEGRA, split by the numbers of its sentences."""
    file = one_of(path, "NEGRA treebank", "negra*.export*", "*.export*")
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
    """A parser's test trees beside the gold ones."""

    gold: list[Tree]
    found: list[Tree]
    speed: float

    def score(self, scheme: str, parameters: Parameters | None = None, cutoff: int | None = None) -> Score:
        """The score of the trees."""
        return evaluate(self.gold, self.found, scheme, parameters, cutoff)


def trained(corpus: Corpus, tags: str, options: TrainOptions, output: Path | None) -> Parser:
    """A parser of the corpus. With tags "provided", all its stages learn from those."""
    checkpoint = Checkpoint(None, "")
    if tags == "provided":
        # Heads are found with the gold tags all the same, as the trees were made.
        checkpoint.parts["tags"] = tokens_to_part(corpus.provided["train"])
    options = replace(options, tags="gold" if tags == "gold" else "jackknife")
    train, dev = (Treebank(corpus.parts[part]) for part in ("train", "dev"))
    print(f"{corpus.name}, {tags} tags: training …", file=sys.stderr, flush=True)
    parser = Training(train, dev, options, checkpoint, TrainingLog(Silence(), None)).run()
    if output is not None:
        parser.save(output / f"{corpus.name}-{tags}.model")
    return parser


def parsed(parser: Parser, corpus: Corpus, tags: str, part: str = "test") -> Outcome:
    """What a parser makes of a part of the corpus."""
    trees = [parser.conventions.gold(tree) for tree in corpus.parts[part]]
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


def table(
    title: str, heads: Sequence[str], rows: Sequence[tuple[str, Sequence[float], Sequence[float]]]
) -> None:
    """Print figures, the paper's and ours in turn."""
    print(f"\n{title}\n")
    print(f"| | {' | '.join(f'{head}, paper | {head}, ours' for head in heads)} |")
    print("|---" * (1 + 2 * len(heads)) + "|")
    for name, theirs, ours in rows:
        pairs = zip(theirs, ours, strict=True)
        print(f"| {name} | {' | '.join(f'{_shown(their)} | {_shown(our)}' for their, our in pairs)} |")


def _shown(figure: float) -> str:
    return f"{figure:,.0f}" if figure > 100 else f"{figure:.2f}"


PTB_COUNTS = (39_832, 1_700, 2_416)
PTB_TEST = (89.9, 90.4, 90.2, 957)
PTB_DEV = (90.94, 912)


def run_ptb(path: Path, options: Options) -> None:
    """Table 2, and the last row of Table 1."""
    corpus = ptb(path)
    corpus.check(PTB_COUNTS, options.any_count)
    parser = trained(corpus, "jackknifed", options.training("collins", "delta"), options.output)
    outcome, dev = (parsed(parser, corpus, "jackknifed", part) for part in ("test", "dev"))
    score = outcome.score("evalb")
    ours = (score.recall or 0, score.precision or 0, score.f1 or 0, outcome.speed)
    table("PTB §23", ("LR", "LP", "F1", "words/s"), [("full, delta", PTB_TEST, ours)])
    of_dev = dev.score("evalb")
    table("PTB §22", ("F1", "words/s"), [("full, delta", PTB_DEV, (of_dev.f1 or 0, dev.speed))])
    print(f"\n`{score.signature}`")


class Language(NamedTuple):
    """A treebank of SPMRL: its head rules, how many sentences it has, and the paper's F1."""

    heads: str
    counts: tuple[int, int, int]
    f1: float


LANGUAGES = {
    "basque": Language("rightmost", (7_577, 948, 946), 85.90),
    "french": Language("french-spmrl", (14_759, 1_235, 2_541), 78.75),
    "german": Language("negra", (40_472, 5_000, 5_000), 78.66),
    "hebrew": Language("leftmost", (5_000, 500, 716), 88.97),
    "hungarian": Language("rightmost", (8_146, 1_051, 1_009), 88.16),
    "korean": Language("rightmost", (23_010, 2_066, 2_287), 79.28),
    "polish": Language("leftmost", (6_578, 821, 822), 91.20),
    "swedish": Language("induced", (5_000, 494, 666), 82.80),
}


def run_spmrl(path: Path, options: Options) -> None:
    """Table 3."""
    rows: list[tuple[str, Sequence[float], Sequence[float]]] = []
    signature = ""
    for name in options.languages or LANGUAGES:
        language = LANGUAGES[name]
        corpus = spmrl(path, name)
        corpus.check(language.counts, options.any_count)
        with tempfile.TemporaryDirectory() as folder:
            heads = language.heads
            if heads == "induced":
                heads = str(Path(folder) / "induced.toml")
                Path(heads).write_text(induced(path, name, corpus), encoding="utf-8")
            parser = trained(corpus, "provided", options.training(heads, "delta"), options.output)
        score = parsed(parser, corpus, "provided").score("spmrl")
        rows.append((corpus.name, (language.f1,), (score.f1 or 0,)))
        signature = score.signature
    if len(rows) > 1:
        theirs = sum(theirs for _, (theirs,), _ in rows) / len(rows)
        ours = sum(ours for *_, (ours,) in rows) / len(rows)
        rows.append(("average", (theirs,), (ours,)))
    table("SPMRL 2014, predicted tags", ("F1",), rows)
    print(f"\n`{signature}`")


def induced(path: Path, language: str, corpus: Corpus) -> str:
    """A head table from the treebank's own dependencies."""
    name = language.capitalize()
    patterns = [f"{one}/{one}.{name}.gold.conll" for one in ("train", "train5k")]
    folder = next(one for one in (path, *path.rglob("*")) if one.name == f"{language.upper()}_SPMRL")
    rows = read_dependencies(str(one_of(folder / "gold" / "conll", "dependencies", *patterns)), "conllx")
    return format_rules(
        induce_rules(zip(corpus.parts["train"], rows, strict=True), load_rules("swedish")).rules
    )


# As disco-dop's own parameters, but punctuation counts.
WITH_PUNCTUATION = Parameters(
    delete_labels=("NOPARSE", "TOP", "ROOT", "VROOT", "-NONE-"),
    equal_words=DISCODOP.parameters.equal_words,
)


class German(NamedTuple):
    """A discontinuous treebank: where it is found, how it is scored, and the paper's F1 and exact match."""

    find: Callable[[Path], Corpus]
    counts: tuple[int, int, int]
    parameters: Parameters | None
    cutoffs: tuple[int | None, ...]
    predicted_tags: str
    gold: tuple[float, ...]
    predicted: tuple[float, ...]


GERMAN = {
    "tiger-spmrl": German(
        lambda path: replace(spmrl(path, "german", "xml"), name="TIGER-SPMRL"),
        (40_472, 5_000, 5_000),
        WITH_PUNCTUATION,
        (40, 70, None),
        "provided",
        (82.56, 45.25, 80.98, 43.44, 80.62, 43.32),
        (79.57, 40.39, 77.72, 38.75, 77.32, 38.64),
    ),
    "tiger-hn": German(
        tiger_hn,
        (40_380, 5_047, 5_047),
        None,
        (30, 40, None),
        "jackknifed",
        (86.63, 54.88, 85.53, 51.21, 84.22, 49.63),
        (83.94, 49.54, 82.57, 45.93, 81.12, 44.48),
    ),
    "negra": German(
        negra,
        (18_602, 1_000, 1_000),
        None,
        (30, 40, None),
        "jackknifed",
        (82.56, 52.13, 81.08, 48.04, 80.52, 46.70),
        (79.63, 48.43, 77.93, 44.83, 76.95, 43.50),
    ),
}


def run_german(name: str, path: Path, options: Options) -> None:
    """A part of Table 4: gold and predicted tags."""
    german = GERMAN[name]
    corpus = german.find(path)
    corpus.check(german.counts, options.any_count)
    rows: list[tuple[str, Sequence[float], Sequence[float]]] = []
    signature = ""
    for tags, theirs in (("gold", german.gold), (german.predicted_tags, german.predicted)):
        parser = trained(corpus, tags, options.training("negra", "direct"), options.output)
        outcome = parsed(parser, corpus, tags)
        ours: list[float] = []
        for cutoff in german.cutoffs:
            score = outcome.score("discodop", german.parameters, cutoff)
            ours += [score.f1 or 0, score.exact or 0]
            signature = f"{score.signature}|attached:{parser.conventions.punctuation}"
        rows.append((f"{tags} tags", theirs, ours))
        print(f"{corpus.name}, {tags} tags: {outcome.speed:,.0f} words per CPU second", file=sys.stderr)
    heads = [
        f"{figure} {'all' if cutoff is None else f'≤ {cutoff}'}"
        for cutoff in german.cutoffs
        for figure in ("F1", "EX")
    ]
    table(corpus.name, heads, rows)
    print(f"\n`{signature}`")


# ── the command ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Options:
    """What was asked for."""

    order: str
    epochs: int | None
    threads: int
    any_count: bool
    output: Path | None
    languages: Sequence[str]

    def training(self, heads: str, encoding: str) -> TrainOptions:
        """The paper's settings: discontinuous trees get direct labels and no unary stage."""
        is_discontinuous = encoding == "direct"
        return TrainOptions(
            order=self.order,
            epochs=self.epochs,
            encoding=encoding,
            heads=heads,
            mode="discontinuous" if is_discontinuous else "continuous",
            unaries=not is_discontinuous,
            threads=self.threads,
        )


def main() -> None:
    description, _, _ = (__doc__ or "").partition("\n")
    arguments = argparse.ArgumentParser(description=description)
    arguments.add_argument("experiment", choices=["ptb", "spmrl", *GERMAN])
    arguments.add_argument("path", type=Path, metavar="PATH")
    arguments.add_argument("--language", action="append", choices=LANGUAGES, help="for spmrl; default: all")
    arguments.add_argument("--order", choices=["basic", "standard", "full"], default="full")
    arguments.add_argument("--epochs", type=int)
    arguments.add_argument("--threads", type=int, default=1)
    arguments.add_argument("--output", type=Path, metavar="FOLDER", help="keep the models there")
    arguments.add_argument("--any-count", action="store_true", help="go on with another number of sentences")
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
