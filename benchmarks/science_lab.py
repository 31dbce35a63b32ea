"""The laboratory of science.py: it trains setups, parses with them, and keeps what was found."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from measuring import cpu_seconds, has_words, score_trees
from science_measures import arcs_found, by_discontinuity, costs_by_length, run_command, unaries_found
from science_setup import INDUCED, Setup
from science_store import Store, digest, key_of
from spindle.errors import SpindleError
from spindle.evaluation import Score
from spindle.evaluation.scheme_choice import RARE_DISCONTINUITY
from spindle.heads import guess_rules, load_rules
from spindle.heads.induce import induce_rules
from spindle.heads.table import HeadRules
from spindle.models import ModelPart
from spindle.models.bundled import DATA
from spindle.parsers import find_parser
from spindle.pipeline import Parser, Sentence, load
from spindle.pipeline.conventions import learn_conventions
from spindle.pipeline.ensemble import Ensemble
from spindle.training import TrainOptions, Treebank
from spindle.training.checkpoint import Checkpoint
from spindle.training.distillation import Distillation, DistillOptions, RawText
from spindle.training.listener import NullListener, TrainingLog
from spindle.training.run import Training
from spindle.treebanks import read_dependencies, read_trees
from spindle.trees import Tree
from table1 import RecordingBackend, already_trained

PARTS = ("train", "dev")


@dataclass(frozen=True)
class Run:
    """What a setup found with one seed; `facts` has the figures that need the model."""

    setup: Setup
    seed: int
    facts: Mapping[str, Any]
    score: Score | None = field(default=None, compare=False)
    behaviour: str = ""
    made: str = ""

    @property
    def problem(self) -> str:
        """Why there is no model; empty if there is one."""
        return str(self.facts.get("problem", ""))


@dataclass(frozen=True, eq=False)
class Lab:
    """Trains and keeps runs.

    `cut` are the largest numbers of training and development trees that are used of each treebank, spread
    evenly over it; None is all. The treebanks in `uncut` are used as a whole. Models of setups in `reused`
    are kept in the folder `models`, because an ensemble or another development part needs them again.
    """

    treebanks: Path
    store: Store
    models: Path
    cut: tuple[int | None, int | None] = (None, None)
    uncut: tuple[str, ...] = ()
    reused: frozenset[Setup] = frozenset()
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
    def whole(self, treebank: str, part: str) -> tuple[Tree, ...]:
        """Return all trees of a part that have words."""
        path = self.path(treebank, part)
        if path is None:
            sys.exit(f"{self.treebanks / treebank}: there is no {part} part")
        return tuple(filter(has_words, read_trees(path, on_error="skip")))

    @cache  # noqa: B019
    def trees(self, treebank: str, part: str) -> tuple[Tree, ...]:
        """Return the trees of a part that are used."""
        limit = None if treebank in self.uncut else self.cut[PARTS.index(part)]
        return spread_over(self.whole(treebank, part), limit)

    @cache  # noqa: B019
    def is_discontinuous(self, treebank: str) -> bool:
        """Return whether more than a few of the development trees are discontinuous."""
        trees = self.trees(treebank, "dev")
        return sum(not tree.is_continuous for tree in trees) > RARE_DISCONTINUITY * len(trees)

    def has_dependencies(self, treebank: str) -> bool:
        """Return whether the training part of a treebank has dependencies beside it."""
        return (self.treebanks / treebank / "train.conllu").exists()

    def scheme(self, setup: Setup) -> str:
        """Return the name of the evaluation scheme, which leaves no sentence out."""
        return "discodop" if self.is_discontinuous(setup.test or setup.treebank) else "evalb-gold"

    @cache  # noqa: B019
    def gold(self, treebank: str) -> tuple[Tree, ...]:
        """Return the development trees in the form in which they are scored."""
        conventions = learn_conventions(self.trees(treebank, "train"))
        return tuple(map(conventions.gold, self.trees(treebank, "dev")))

    # ── runs ─────────────────────────────────────────────────────────────────────────────────────────

    @cache  # noqa: B019
    def _digest(self, treebank: str, part: str) -> str:
        return digest("\n".join(tree.to_string("discbracket") for tree in self.trees(treebank, part)))

    @cache  # noqa: B019
    def key(self, setup: Setup, seed: int) -> str:
        """Return the key of a run."""
        parts = [(setup.treebank, "train"), (setup.test or setup.treebank, "dev")]
        return key_of(setup, seed, [self._digest(*part) for part in parts])

    def kept(self, setup: Setup, seed: int) -> Run | None:
        """Return a run if it is kept."""
        record = self.store.find(self.key(setup, seed))
        if record is None:
            return None
        return Run(
            setup, seed, record["facts"], self.store.score(record), record["behaviour"], record["made"]
        )

    def run(self, setup: Setup, seed: int) -> Run:
        """Train and parse; keep and return what was found."""
        record = {
            "key": self.key(setup, seed),
            "setup": setup.to_dict(),
            "seed": seed,
            "made": f"{datetime.now(UTC):%Y-%m-%d}",
            "behaviour": self.behaviour,
        }
        try:
            facts, found = self._measured(setup, seed)
        except (OSError, SpindleError) as error:
            self.store.add(setup.treebank, {**record, "facts": {"problem": str(error).splitlines()[0]}})
        else:
            score = score_trees(self.gold(setup.test or setup.treebank), found, self.scheme(setup))
            self.store.add_score(setup.treebank, {**record, "facts": short(facts)}, score)
        run = self.kept(setup, seed)
        assert run is not None
        return run

    def _measured(self, setup: Setup, seed: int) -> tuple[dict[str, Any], list[Tree | None]]:
        gold = self.gold(setup.test or setup.treebank)
        if setup.command:
            return run_command(setup.command, self._train(setup), gold)
        start = cpu_seconds()
        parser = self.trained(setup, seed)
        facts = {"training_cpu": cpu_seconds() - start}
        found, more = self._parsed(parser, setup, gold)
        return facts | more, found

    @cached_property
    def behaviour(self) -> str:
        """A digest of the trees that small models of the linear engine predict for the demo treebank."""
        train, dev = (list(read_trees(DATA / f"demo-{part}.dbr")) for part in PARTS)
        found = []
        for order in ("basic", "full"):
            options = TrainOptions(order=order, epochs=2, parser_options={"bits": 16}, threads=1)
            log = TrainingLog(NullListener(), None)
            parser = Training(Treebank(train), Treebank(), options, Checkpoint(None, "", {}), log).run()
            found += parser.parse_many([Sentence.of(tree).without_tags() for tree in dev], threads=1)
        return digest("\n".join("" if tree is None else tree.to_string("discbracket") for tree in found))[:8]

    # ── training ─────────────────────────────────────────────────────────────────────────────────────

    def _train(self, setup: Setup) -> tuple[Tree, ...]:
        return spread_over(self.trees(setup.treebank, "train"), setup.sentences or None)

    def trained(self, setup: Setup, seed: int) -> Parser | Ensemble:
        """Return the model of a run, or the ensemble of the models with the seeds 1 to `members`."""
        if setup.members:
            single = replace(setup, members=0)
            return Ensemble(tuple(self._model(single, 1 + at) for at in range(setup.members)))
        return self._model(replace(setup, test=""), seed)

    def _model(self, setup: Setup, seed: int) -> Parser:
        """Return a model from the folder of models, or train it."""
        path = self.models / f"{self.key(setup, seed)}.model"
        if path.exists():
            return load(path)
        parser = self._distilled(setup, seed) if setup.teacher else self._fitted(setup, seed)
        if setup in self.reused:
            self.models.mkdir(parents=True, exist_ok=True)
            parser.save(path)
        return parser

    def _fitted(self, setup: Setup, seed: int) -> Parser:
        train = Treebank(self._train(setup), (setup.treebank,))
        options = setup.options_of_training(seed)
        if setup.heads == INDUCED:
            options = replace(options, heads=self._induced(setup.treebank))
        of_data = f"{setup.treebank} {setup.sentences} {seed}"
        if not any(name.startswith(of_data) for name in self._shared):
            self._shared.clear()  # setups come treebank by treebank, and seed by seed
        # tagging the training trees by jackknifing takes long, and is the same for all parsers
        tags_itself = "tags" in find_parser(setup.parser).predicts
        names = {} if tags_itself else {name: f"{of_data} {setup.mode} {name}" for name in ("tagger", "tags")}
        # without labels the linear parser is the same for all encodings
        arcs = replace(setup, encoding="", one_shot=None, rerank=False, test="")
        place = f"{of_data} {arcs}" if setup.parser == "linear" and not setup.one_shot else ""
        if place in self._shared:
            trained = already_trained(find_parser("linear"), self._shared[place])
            options = replace(options, parser=trained, order=None, epochs=None, parser_options={})
        parts = {name: self._shared[key] for name, key in names.items() if key in self._shared}
        checkpoint = Checkpoint(None, "", parts)
        log = TrainingLog(NullListener(), None)
        parser = Training(train, Treebank(), options, checkpoint, log).run()
        self._shared.update(
            {key: checkpoint.parts[name] for name, key in names.items() if name in checkpoint.parts}
        )
        if place:
            self._shared[place] = parser.backend.to_part()
        return parser

    def _distilled(self, setup: Setup, seed: int) -> Parser:
        assert setup.teacher is not None
        teacher = self._model(setup.teacher, seed)
        train = self._train(setup)
        known = set(map(id, train))
        rest = [tree for tree in self.trees(setup.treebank, "train") if id(tree) not in known]
        text = RawText(tuple(tuple(token.form for token in tree.tokens) for tree in rest))
        options = DistillOptions(
            encoder=setup.encoder,
            epochs=setup.epochs,
            parser_options=dict(setup.options),
            seed=seed,
            threads=1,
        )
        name, log = setup.teacher.name, TrainingLog(NullListener(), None)
        treebank = Treebank(train, (setup.treebank,))
        checkpoint = Checkpoint(None, "", {})
        return Distillation(teacher, name, text, treebank, Treebank(), options, checkpoint, log).run()

    @cache  # noqa: B019
    def _induced(self, treebank: str) -> HeadRules:
        """Return head rules from the dependencies of a treebank; the guessed table decides the rest."""
        trees = self.whole(treebank, "train")
        sentences = {
            tuple(word.form for word in one.words): one
            for one in read_dependencies(self.treebanks / treebank / "train.conllu")
        }
        words = [tuple(token.form for token in tree.tokens) for tree in trees]
        pairs = [(tree, sentences[key]) for tree, key in zip(trees, words, strict=True) if key in sentences]
        return replace(
            induce_rules(pairs, load_rules(guess_rules(trees).name)).rules, name=f"{INDUCED}-{treebank}"
        )

    # ── parsing ──────────────────────────────────────────────────────────────────────────────────────

    def _parsed(
        self, parser: Parser | Ensemble, setup: Setup, gold: Sequence[Tree]
    ) -> tuple[list[Tree | None], dict[str, Any]]:
        sentences = [Sentence.of(tree).without_tags() for tree in gold]
        recorder = None
        if isinstance(parser, Parser):
            recorder = RecordingBackend(parser.backend)
            parser = replace(parser, backend=recorder)
        start = cpu_seconds()
        analyses = list(parser.analyse(sentences, threads=1))
        seconds = cpu_seconds() - start
        repairs: Counter[str] = Counter()
        for one in analyses:
            if one.candidates:
                repairs.update(one.candidates[0].repairs.counts)
                repairs["any"] += len(one.candidates[0].repairs.tokens)
        found = [one.tree for one in analyses]
        facts: dict[str, Any] = {
            "words": sum(len(sentence.tokens) for sentence in sentences),
            "parse_cpu": seconds,
            "repairs": {str(name): count for name, count in repairs.items()},
        }
        scheme = self.scheme(setup)
        if scheme == "discodop":
            facts["disc"] = by_discontinuity(gold, found, scheme)
        if isinstance(parser, Parser) and recorder is not None:
            facts["seconds"] = dict(parser.seconds)
            facts["labels"] = len(parser.card.label_sets.get("arcs", ()))
            dev = self.trees(setup.test or setup.treebank, "dev")
            facts |= arcs_found(parser, recorder, sentences, dev, gold, scheme)
            parser = replace(parser, backend=recorder.parser)
            facts["unaries"] = unaries_found(parser, dev)
            if not setup.test:
                words = [token.form for one in sentences for token in one.tokens]
                facts["lengths"] = costs_by_length(parser, words)
        return found, facts


def spread_over(trees: tuple[Tree, ...], count: int | None) -> tuple[Tree, ...]:
    """Return `count` trees, evenly spread, so that a part is like the whole in domain and length."""
    if count is None or count >= len(trees):
        return trees
    return tuple(trees[at * len(trees) // count] for at in range(count))


def short(facts: Any) -> Any:
    """Return facts with all numbers rounded to five digits."""
    if isinstance(facts, dict):
        return {key: short(value) for key, value in facts.items()}
    return float(f"{facts:.5g}") if isinstance(facts, float) else facts
