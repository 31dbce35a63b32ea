"""The laboratory of science.py: setups, and runs that are trained once and kept.

A run is a setup with a seed. What it found (figures and predicted trees) is kept in a folder under a
fingerprint of the code, the trees and the setup, so that an interrupted `science.py` continues, and a change
of the code or the data is measured anew.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property, partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from labeling import chain_scores
from measuring import cpu_seconds, has_words, run_program, score_trees
from spindle.errors import SpindleError
from spindle.evaluation import Score
from spindle.evaluation.dependencies import score_dependencies
from spindle.evaluation.scheme_choice import RARE_DISCONTINUITY
from spindle.heads import HeadFinder
from spindle.models import ModelPart
from spindle.outputs import replacing
from spindle.parsers import find_parser
from spindle.pipeline import Parser, Sentence
from spindle.pipeline import parser as parsing
from spindle.pipeline.conventions import learn_conventions
from spindle.pipeline.ensemble import Ensemble
from spindle.reduction import Nesting
from spindle.training import TrainOptions, Treebank
from spindle.training.checkpoint import Checkpoint
from spindle.training.distillation import Distillation, DistillOptions, RawText
from spindle.training.listener import NullListener, TrainingLog
from spindle.training.run import Training
from spindle.training.treebank import reduce
from spindle.treebanks import read_trees, write_trees
from spindle.trees import Tree
from table1 import RecordingBackend, compared_arcs

CODE = Path(__file__).resolve().parents[1]
CODE_FOLDERS = (
    *(f"core/{room}" for room in ("decoding", "linear", "neural", "support", "trees")),
    *(f"src/spindle/{room}" for room in ("heads", "parsers", "pipeline", "reduction", "training", "trees")),
)
"""The code that a figure depends on."""
PARTS = ("train", "dev")


@dataclass(frozen=True)
class Setup:
    """What is trained and how; an empty value leaves a choice to the training.

    `sentences` cuts the training trees. `members` are the seeds of an ensemble. `test` names another
    treebank, whose development part is parsed instead. `teacher` is the setup of the model that teaches this
    one on the words of the training sentences that are cut off. `command` trains and parses with a program of
    other people.
    """

    treebank: str
    parser: str = "linear"
    order: str = ""
    encoder: str = ""
    epochs: int = 0
    encoding: str = ""
    one_shot: bool | None = None
    heads: str = ""
    mode: str = ""
    sentences: int = 0
    options: tuple[tuple[str, str], ...] = ()
    members: int = 0
    test: str = ""
    teacher: Setup | None = None
    command: str = ""

    @property
    def name(self) -> str:
        """The name in tables, without the treebank."""
        first = (self.command and self.parser) or " ".join(
            filter(None, (self.parser, self.order, self.encoder))
        )
        stages = {None: "", True: "one stage", False: "two stages"}[self.one_shot]
        chosen = [f"{key}={value}" for key, value in self.options]
        cut = f"{self.sentences} sentences" if self.sentences else ""
        more = f"ensemble of {self.members}" if self.members else ""
        taught = "taught" if self.teacher else ""
        parts = (first, self.encoding, stages, self.heads, self.mode, *chosen, cut, more, taught)
        return ", ".join(filter(None, parts)) + (f" → {self.test}" if self.test else "")

    def options_of_training(self, seed: int) -> TrainOptions:
        """The options of the training."""
        return TrainOptions(
            parser=self.parser,
            order=self.order or None,
            encoder=self.encoder or None,
            epochs=self.epochs or None,
            parser_options=dict(self.options),
            encoding=self.encoding or None,  # type: ignore[arg-type]
            one_shot=self.one_shot,
            heads=self.heads or None,
            mode=self.mode or None,  # type: ignore[arg-type]
            seed=seed,
            threads=1,
        )


@dataclass(frozen=True)
class Run:
    """What a setup found with one seed; `facts` has the figures that need the model."""

    setup: Setup
    seed: int
    facts: Mapping[str, Any]
    score: Score | None = field(default=None, compare=False)

    @property
    def problem(self) -> str:
        """Why there is no model; empty if there is one."""
        return str(self.facts.get("problem", ""))


@dataclass(frozen=True, eq=False)
class Lab:
    """Trains and keeps runs.

    `cut` are the numbers of training and development trees that are used of each treebank; None is all.
    """

    treebanks: Path
    folder: Path
    cut: tuple[int | None, int | None] = (None, None)
    say: Callable[[str], None] = print
    _shared: dict[str, ModelPart] = field(default_factory=dict)

    def path(self, treebank: str, part: str) -> Path | None:
        """Return the file or folder with a part of a treebank; None if it is not there."""
        found = sorted((self.treebanks / treebank).glob(f"{part}*"))
        named = [path for path in found if path.name.split(".")[0] == part and path.suffix != ".conllu"]
        return named[0] if named else None

    def names(self) -> list[str]:
        """Return the treebanks that have both parts."""
        folders = sorted(path.name for path in self.treebanks.iterdir() if path.is_dir())
        return [name for name in folders if all(self.path(name, part) for part in PARTS)]

    @cache  # noqa: B019
    def trees(self, treebank: str, part: str) -> tuple[Tree, ...]:
        """Return the trees of a part that have words."""
        path = self.path(treebank, part)
        if path is None:
            sys.exit(f"{self.treebanks / treebank}: there is no {part} part")
        limit = self.cut[PARTS.index(part)]
        return tuple(islice(filter(has_words, read_trees(path, on_error="skip")), limit))

    @cache  # noqa: B019
    def is_discontinuous(self, treebank: str) -> bool:
        """Return whether more than a few of the development trees are discontinuous."""
        trees = self.trees(treebank, "dev")
        return sum(not tree.is_continuous for tree in trees) > RARE_DISCONTINUITY * len(trees)

    @cached_property
    def code(self) -> str:
        """The fingerprint of the code."""
        digest = hashlib.sha256()
        for name in CODE_FOLDERS:
            for path in sorted((CODE / name).rglob("*")):
                if path.suffix in {".py", ".cpp", ".hpp", ".toml"}:
                    digest.update(path.read_bytes())
        return digest.hexdigest()

    @cache  # noqa: B019
    def _fingerprint_of_trees(self, treebank: str, part: str) -> str:
        digest = hashlib.sha256()
        for tree in self.trees(treebank, part):
            digest.update(tree.to_string("discbracket").encode())
        return digest.hexdigest()

    def fingerprint(self, setup: Setup, seed: int) -> str:
        """Return the name of a run in the folder."""
        parts = [(setup.treebank, "train"), (setup.test or setup.treebank, "dev")]
        trees = [self._fingerprint_of_trees(*part) for part in parts]
        given = json.dumps([self.code, trees, asdict(setup), seed], sort_keys=True)
        return hashlib.sha256(given.encode()).hexdigest()[:24]

    # ── runs ─────────────────────────────────────────────────────────────────────────────────────────

    def is_done(self, setup: Setup, seed: int) -> bool:
        """Return whether a run is kept."""
        return (self.folder / f"{self.fingerprint(setup, seed)}.json").exists()

    def run(self, setup: Setup, seed: int) -> Run:
        """Return a run, which is trained if it is not kept."""
        place = self.folder / f"{self.fingerprint(setup, seed)}.json"
        trees = place.with_suffix(".dbr")
        if not place.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            facts, found = self._measured(setup, seed)
            if found:
                write_trees(found, trees, "discbracket")
            with replacing(place) as stream:  # last, so that a run with this file is whole
                stream.write(json.dumps(facts).encode())
        facts = json.loads(place.read_text(encoding="utf-8"))
        if facts.get("problem"):
            return Run(setup, seed, facts)
        found = iter(read_trees(trees))
        # a sentence without a tree is written as nothing, so that it must be counted
        parsed = [None if at in facts["unparsed"] else next(found) for at in range(facts["sentences"])]
        return Run(setup, seed, facts, score_trees(self._gold(setup), parsed, self._scheme(setup)))

    def _scheme(self, setup: Setup) -> str:
        return "discodop" if self.is_discontinuous(setup.test or setup.treebank) else "evalb-gold"

    def _gold(self, setup: Setup) -> Sequence[Tree]:
        return self.gold(setup.test or setup.treebank)

    @cache  # noqa: B019
    def gold(self, treebank: str) -> tuple[Tree, ...]:
        """Return the development trees in the form in which they are scored."""
        conventions = learn_conventions(self.trees(treebank, "train"))
        return tuple(map(conventions.gold, self.trees(treebank, "dev")))

    def _measured(self, setup: Setup, seed: int) -> tuple[dict[str, Any], list[Tree]]:
        try:
            if setup.command:
                return self._measured_command(setup)
            start = cpu_seconds()
            parser = self.trained(setup, seed)
            facts = {"training_cpu": cpu_seconds() - start}
            found, more = self._parsed(parser, setup)
            return facts | more, found
        except (OSError, SpindleError) as error:
            return {"problem": str(error).splitlines()[0]}, []

    def trained(self, setup: Setup, seed: int) -> Parser | Ensemble:
        """Return the model of a run, or the ensemble of `members` seeds from this one on."""
        if setup.members:
            single = replace(setup, members=0)
            return Ensemble(tuple(self.trained(single, seed + 100 * at) for at in range(setup.members)))
        train = Treebank(self.trees(setup.treebank, "train")[: setup.sentences or None], (setup.treebank,))
        log, options = TrainingLog(NullListener(), None), setup.options_of_training(seed)
        if setup.teacher is not None:
            teacher = self.trained(setup.teacher, seed)
            assert isinstance(teacher, Parser)
            forms = [
                tuple(token.form for token in tree.tokens) for tree in self.trees(setup.treebank, "train")
            ]
            text = RawText(tuple(forms[setup.sentences :]))
            distill = DistillOptions(
                encoder=setup.encoder,
                epochs=setup.epochs,
                parser_options=dict(setup.options),
                seed=seed,
                threads=1,
            )
            name = setup.teacher.name
            return Distillation(
                teacher, name, text, train, Treebank(), distill, Checkpoint(None, "", {}), log
            ).run()
        # tagging the training trees by jackknifing takes longest, and is the same for all parsers
        tags_itself = "tags" in find_parser(setup.parser).predicts
        key = f"{setup.treebank} {setup.sentences} {seed} {setup.mode} "
        names = () if tags_itself else ("tagger", "tags")
        parts = {name: self._shared[key + name] for name in names if key + name in self._shared}
        checkpoint = Checkpoint(None, "", parts)
        parser = Training(train, Treebank(), options, checkpoint, log).run()
        self._shared.update(
            {key + name: checkpoint.parts[name] for name in names if name in checkpoint.parts}
        )
        return parser

    def _parsed(self, parser: Parser | Ensemble, setup: Setup) -> tuple[list[Tree], dict[str, Any]]:
        gold = self._gold(setup)
        sentences = [Sentence.of(tree).without_tags() for tree in gold]
        words = sum(len(sentence.tokens) for sentence in sentences)
        start = cpu_seconds()
        analyses = list(parser.analyse(sentences, threads=1))
        seconds = cpu_seconds() - start
        steps = dict(parser.seconds) if isinstance(parser, Parser) else {}
        repairs: Counter[str] = Counter()
        for one in analyses:
            if one.candidates:
                repairs.update(one.candidates[0].repairs.counts)
                repairs["any"] += len(one.candidates[0].repairs.tokens)
        found = [one.tree for one in analyses if one.tree is not None]
        facts: dict[str, Any] = {
            "sentences": len(gold),
            "unparsed": [at for at, one in enumerate(analyses) if one.tree is None],
            "words": words,
            "parse_cpu": seconds,
            "seconds": steps,
            "repairs": dict(repairs),
        }
        if isinstance(parser, Parser):
            facts["lengths"] = costs_by_length(
                parser, [token.form for one in sentences for token in one.tokens]
            )
            facts["unaries"] = self._unaries(parser, setup)
            facts["labels"] = len(parser.card.label_sets.get("arcs", ()))
            facts |= self._arcs(parser, setup, sentences)
        return found, facts

    def _unaries(self, parser: Parser, setup: Setup) -> dict[str, float]:
        """Return how well unary chains are found on gold unaryless trees; nothing without a classifier."""
        classifier = parser.stages.unaries
        if classifier is None:
            return {}
        finder, conventions = HeadFinder(parser.settings.head_rules), parser.settings.conventions
        prepared = [conventions.prepare(tree) for tree in self.trees(setup.test or setup.treebank, "dev")]
        reduced = [found for _, found in reduce(prepared, finder, parser.settings.mode)]
        found = classifier.predict_chains([one.dtree for one in reduced])
        all_nodes, unaries = chain_scores(reduced, found)
        nodes = sum(len(tree.labels) for tree in prepared)
        count = sum(len(chain) for one in reduced for chain in one.chains.values())
        return {"f1": all_nodes, "f1_of_unaries": unaries, "share": 100 * count / nodes}

    def _arcs(self, parser: Parser, setup: Setup, sentences: Sequence[Sentence]) -> dict[str, Any]:
        """Return UAS and LAS, and F1 with the other way to restore nesting."""
        if parser.stages.tagger is not None:
            tagged = parser.stages.tagger.tag([one.tokens for one in sentences], 1)
            sentences = [
                replace(one, tokens=tuple(tokens)) for one, tokens in zip(sentences, tagged, strict=True)
            ]
        gold = self._gold(setup)
        recorder = RecordingBackend(parser.backend)
        recorded = replace(parser, backend=recorder)
        with other_nesting():
            found = list(recorded.parse_many(sentences, threads=1))
        other = score_trees(gold, found, self._scheme(setup))
        tokens = [tuple(sentence.tokens) for sentence in sentences]
        annotated = self.trees(setup.test or setup.treebank, "dev")
        arcs = compared_arcs(parser, annotated, tokens, recorder.predictions)
        figures = score_dependencies(arcs).to_dict()
        return {
            "uas": figures["uas_no_punctuation"],
            "las": figures["las_no_punctuation"],
            "f1_other_nesting": other.f1,
        }

    def _measured_command(self, setup: Setup) -> tuple[dict[str, Any], list[Tree]]:
        """Train and parse with a program that reads brackets from {train} and {dev} and writes {output}."""
        gold = self._gold(setup)
        with TemporaryDirectory() as folder:
            files = {name: str(Path(folder) / name) for name in ("train", "dev", "output")}
            write_trees(self.trees(setup.treebank, "train"), files["train"], "bracket")
            write_trees(gold, files["dev"], "bracket")
            command = [part.format(**files) for part in shlex.split(setup.command)]
            done = run_program(command)
            found = list(read_trees(files["output"]))
        words = sum(len(tree.tokens) for tree in gold)
        facts = {"sentences": len(gold), "unparsed": [], "words": words, "parse_cpu": done.cpu, "repairs": {}}
        return facts, found


LENGTHS = (10, 25, 50, 100, 200, 400)
SENTENCES_PER_LENGTH = 12


def costs_by_length(parser: Parser, words: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the CPU seconds per million words of every step, for sentences cut to each of some lengths."""
    costs = {}
    for length in LENGTHS:
        if len(words) < length:
            break
        count = min(SENTENCES_PER_LENGTH, len(words) // length)
        sentences = [list(words[at * length : (at + 1) * length]) for at in range(count)]
        parser.seconds.clear()
        for _ in parser.parse_many(sentences, threads=1, longest=length):
            pass
        costs[str(length)] = {
            step: 1e6 * seconds / (count * length) for step, seconds in parser.seconds.items()
        }
    return costs


@contextmanager
def other_nesting() -> Iterator[None]:
    """Repair broken nesting as the authors' program does, not as the paper says."""
    usual = parsing.repair
    parsing.repair = partial(usual, nesting=Nesting.RAISE_FARTHER)  # type: ignore[assignment]
    try:
        yield
    finally:
        parsing.repair = usual
