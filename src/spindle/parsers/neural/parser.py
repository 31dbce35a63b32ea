"""The accurate engine: one network that finds tags, heads, labels and unary chains.

Training needs torch. What it leaves are graphs that onnxruntime runs, in batches of sentences of similar
lengths; trees are decoded in the core.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from threading import Lock
from typing import ClassVar, NamedTuple, Self

import numpy

from spindle import _core
from spindle.errors import ParserError
from spindle.models import Array, ModelPart
from spindle.parsers.backend import Backend, Example, FitSettings, Monitor, Prediction
from spindle.parsers.neural.batches import by_length, starts_of
from spindle.parsers.neural.candidates import MARGINS, best_trees, candidates_of
from spindle.parsers.neural.classes import Classes
from spindle.parsers.neural.context import ArcContext, arc_context, column, node_context
from spindle.parsers.neural.dataset import Dataset, DatasetBuilder, Targets
from spindle.parsers.neural.readers import SubwordReader, WordReader
from spindle.parsers.neural.runtime import ARCS, NODES, SENTENCE, Graphs
from spindle.parsers.neural.words import WordTable
from spindle.parsers.packages import installed
from spindle.reduction import Mode, Place
from spindle.reduction.isomorphism import Chain
from spindle.trees import DTree, Token

ENCODERS = ("bilstm", "cnn")
TOGETHER = 1200
"""How many words go through the network at a time."""
TINY = 1e-9
"""Of what is more improbable than this no logarithm is taken."""


class NeuralParser(Backend):
    """Finds everything with one network."""

    name = "neural"
    predicts = frozenset({"labels", "tags", "chains", "confidences"})
    one_shot = True
    uses_example_weights = True
    parallel = True
    options: ClassVar = {
        "encoder": ("bilstm",),
        "epochs": ("auto",),
        "batch": ("auto",),
        "rate": ("0.002",),
        "dropout": ("auto",),
        "hidden": ("auto",),
        "precision": ("auto", "16", "32"),
    }
    shares = frozenset({"dropout"})
    needs = "torch and onnx to be trained: pip install 'spindle-parser[neural]'"

    def __init__(self) -> None:
        self._part = ModelPart()
        self._graphs: Graphs | None = None
        self._loading = Lock()

    @classmethod
    def version(cls) -> str | None:
        """The version of torch, if nothing else is missing."""
        return installed("torch") if installed("onnx") else None

    @classmethod
    def check(cls, options: Mapping[str, str]) -> None:
        """Refuse an encoder that there is not."""
        super().check(options)
        encoder = options["encoder"]
        if encoder not in ENCODERS and not encoder.startswith("hf:"):
            raise ParserError(f"there is no encoder {encoder!r}; there are {', '.join(ENCODERS)} and hf:NAME")
        if encoder in ENCODERS and options["precision"] != "auto":
            raise ParserError(f"precision is chosen for pretrained encoders; {encoder} always has 32 bits")

    @classmethod
    def will_predict(cls, settings: FitSettings) -> frozenset[str]:
        """Everything that it can."""
        return cls.predicts

    def fit(
        self,
        train: Sequence[Example],
        dev: Sequence[Example],
        settings: FitSettings,
        watch: Monitor,
        state: ModelPart | None = None,
    ) -> None:
        """Learn; an interrupted training goes on with the epoch after the last finished one."""
        classes = Classes.learn(train, settings.encoding)
        self.fit_dataset(
            DatasetBuilder(classes, settings.encoding).gold(train), classes, settings, watch, state
        )

    def fit_dataset(
        self,
        lessons: Dataset,
        classes: Classes,
        settings: FitSettings,
        watch: Monitor,
        state: ModelPart | None,
    ) -> None:
        """Learn from lessons that are there already, with the classes that their numbers stand for."""
        from spindle.parsers.neural.trainer import learn

        learn(lessons, classes, settings, watch, self._take, state)

    def to_part(self) -> ModelPart:
        """The graphs, and what their numbers mean."""
        return self._part

    @classmethod
    def from_part(cls, part: ModelPart) -> Self:
        """The parser again."""
        parser = cls()
        parser._take(part)
        return parser

    def compressed_variants(self) -> Iterator[Self]:
        """The same parser with weights of eight bits; then one that is a little slower and more exact."""
        from spindle.parsers.neural.quantize import shrink

        arrays = self._part.arrays
        for careful in (False, True):
            graphs = {name: shrink(arrays[name], careful=careful) for name in (SENTENCE, ARCS, NODES)}
            yield self.from_part(ModelPart(self._part.settings, {**arrays, **graphs}))

    def _take(self, part: ModelPart) -> None:
        settings, arrays = part.settings, part.arrays
        self._part = part
        self._graphs = None
        self.classes = Classes.from_dict(settings["classes"])
        self._names = (*self.classes.labels, *self.classes.root_labels)
        words = WordTable(arrays["words"])
        if "tokenizer" in settings:
            self._reader: WordReader = SubwordReader(
                words, settings["treebanks"], settings["tokenizer"], settings["longest"]
            )
        else:
            self._reader = WordReader(words, settings["treebanks"])
        self._mode = Mode(settings["mode"])

    # ── parsing ──────────────────────────────────────────────────────────────────────────────────────

    def parse(self, sentences: Sequence[Sequence[Token]], threads: int) -> list[Prediction]:
        """Everything but the unary chains of every sentence; those need a whole tree (`recover`)."""
        return [found for (found,) in self.parse_k_best(sentences, 1, threads)]

    def parse_k_best(
        self, sentences: Sequence[Sequence[Token]], k: int, threads: int
    ) -> list[list[Prediction]]:
        """Up to `k` different trees of every sentence, the best first, with their scores."""
        nothing = Prediction((), (), ())
        found = [[nothing] for _ in sentences]
        for numbers in by_length([len(tokens) for tokens in sentences], TOGETHER):
            together = [sentences[number] for number in numbers]
            for number, predictions in zip(numbers, self._parse_batch(together, k, threads), strict=True):
                found[number] = predictions
        return found

    @property
    def k_best_is_exact(self) -> bool:
        """What has the best arcs may not have the best labels."""
        return False

    def _parse_batch(
        self, sentences: Sequence[Sequence[Token]], k: int, threads: int
    ) -> Iterator[list[Prediction]]:
        graphs = self._graphs_for(threads)
        inputs = self._reader.read([[token.form for token in tokens] for tokens in sentences])
        states, arcs, tags, morphs = graphs.run(SENTENCE, *inputs)
        lengths = list(map(len, sentences))
        some = candidates_of(lengths, self._mode)
        forest = best_trees(arcs, lengths, self._mode, some, k, MARGINS[self._mode], threads)
        owners = numpy.repeat(numpy.arange(len(lengths)), forest.counts)
        trees = Trees(forest.heads, numpy.array(lengths)[owners], owners * states.shape[1])
        labels = self._label(graphs, states.reshape(-1, states.shape[2]), trees)
        starts = starts_of(trees.sizes)
        scores = forest.scores_with(numpy.add.reduceat(labels.sure + labels.fit, starts))
        order = numpy.lexsort((-scores, owners)).tolist()  # the best of every sentence first
        for at, (tokens, first, count) in enumerate(
            zip(
                self._tag(sentences, tags, morphs),
                forest.first.tolist(),
                forest.counts.tolist(),
                strict=True,
            )
        ):
            size = len(tokens)
            memory = Memory(states[at, :size], arcs[at], tags[at, :size], morphs[at, :size])
            yield [
                Prediction(
                    forest.heads[starts[tree] : starts[tree] + size].tolist(),
                    list(
                        map(self._names.__getitem__, labels.best[starts[tree] : starts[tree] + size].tolist())
                    ),
                    tokens,
                    score=float(scores[tree]) if k > 1 else None,
                    memory=memory,
                )
                for tree in order[first : first + min(count, k)]
            ]

    def _label(self, graphs: Graphs, states: Array, trees: Trees) -> Labels:
        """The labels of trees."""
        arcs = trees.arcs(len(states))
        # a model from before arcs were asked how well they fit does not know
        scores, *fit = graphs.run(ARCS, states, arcs.roles, arcs.counts)
        count = len(self.classes.labels)
        # labels of the root and of other words do not compete
        scores[arcs.is_root, :count] = scores[~arcs.is_root, count:] = -numpy.inf
        best = scores.argmax(1)
        scores -= scores[numpy.arange(len(best)), best, None]
        sure = -numpy.log(numpy.exp(scores, out=scores).sum(1))
        return Labels(*(column[arcs.places] for column in (best, sure, sum(fit, numpy.zeros(len(best))))))

    def _tag(self, sentences: Sequence[Sequence[Token]], tags: Array, morphs: Array) -> Iterator[list[Token]]:
        tag_names, morph_names = self.classes.tags.__getitem__, self.classes.morphs.__getitem__
        best_tags, best_morphs = tags.argmax(2).tolist(), morphs.argmax(2).tolist()
        for tokens, of_tags, of_morphs in zip(sentences, best_tags, best_morphs, strict=True):
            forms, lemmas = [token.form for token in tokens], [token.lemma for token in tokens]
            yield Token.of_columns(forms, map(tag_names, of_tags), lemmas, map(morph_names, of_morphs))

    def predict_chains(
        self, predictions: Sequence[Prediction], dtrees: Sequence[DTree], threads: int
    ) -> list[dict[Place, Chain]]:
        """The unary chains."""
        names, numbers = self.classes.chains, self.classes.symbol_numbers
        if len(names) == 1 or not predictions:
            return [{} for _ in predictions]
        states = numpy.concatenate([prediction.memory.states for prediction in predictions])
        starts = list(accumulate((len(dtree) for dtree in dtrees), initial=0))[:-1]
        sizes, words, events, *context = node_context(
            column(dtree.heads for dtree in dtrees),
            # a repair may have made a symbol that training had none of
            column([numbers.get(symbol, 0) for symbol in dtree.symbols] for dtree in dtrees),
            column(dtree.events for dtree in dtrees),
            list(map(len, dtrees)),
            starts,
            len(states),
        )
        (scores,) = self._graphs_for(threads).run(NODES, states, *context)
        best = scores.argmax(1)
        found: list[dict[Place, Chain]] = [{} for _ in predictions]
        owners = numpy.repeat(numpy.arange(len(sizes)), sizes)
        at = best.nonzero()[0]
        for owner, word, event, chain in zip(
            *(of_node[at].tolist() for of_node in (owners, words, events, best)), strict=True
        ):
            found[owner][Place(word, event)] = names[chain]
        return found

    def head_probabilities(
        self, sentences: Sequence[Sequence[Token]], predictions: Sequence[Prediction], threads: int
    ) -> list[Array]:
        """Those under which the probability of a tree is the product of its arcs'."""
        del sentences, threads
        marginals = _core.projective_marginals if self._mode is Mode.CONTINUOUS else _core.marginals
        return [marginals(prediction.memory.arc_table) for prediction in predictions]

    def label_probabilities(self, predictions: Sequence[Prediction], threads: int) -> list[list[float]]:
        """Those that the network gives to the labels it has chosen, which are the most probable ones."""
        if not predictions:
            return []
        sizes = numpy.array([len(prediction.heads) for prediction in predictions])
        ends = numpy.cumsum(sizes)
        trees = Trees(column(prediction.heads for prediction in predictions), sizes, ends - sizes)
        states = numpy.concatenate([prediction.memory.states for prediction in predictions])
        sure = numpy.exp(self._label(self._graphs_for(threads), states, trees).sure)
        return [part.tolist() for part in numpy.split(sure, ends[:-1])]

    @property
    def encoder(self) -> str:
        """What reads the sentences."""
        return str(self._part.settings["encoder"])

    # ── teaching ─────────────────────────────────────────────────────────────────────────────────────

    def soft_targets(
        self, lessons: Dataset, predictions: Sequence[Prediction], gold: float, threads: int
    ) -> Dataset:
        """The lessons with what the parser, whose predictions these are, thinks of their sentences and trees.

        Where it has been said already what is right, that keeps a share of `gold`.
        """
        memories = [prediction.memory for prediction in predictions]
        states = numpy.concatenate([memory.states for memory in memories])
        starts = list(accumulate((len(memory.states) for memory in memories), initial=0))
        graphs, nobody = self._graphs_for(threads), starts.pop()
        arcs = lessons.arcs(starts, nobody)
        labels, *_ = graphs.run(ARCS, states, arcs.roles, arcs.counts)
        nodes = lessons.tree_nodes(starts, nobody)
        (chains,) = graphs.run(NODES, states, nodes.roles, nodes.marks)
        thoughts = {
            "tags": numpy.concatenate([memory.tags for memory in memories]),
            "morphs": numpy.concatenate([memory.morphs for memory in memories]),
            "labels": labels,
            "chains": chains,
        }
        right = {kind: targets.numbers[:, 0] for kind, targets in lessons.targets.items()}
        heads = right.get("heads")
        # what is probable of a head is so among all trees
        probable = self.head_probabilities([], predictions, threads)
        of_heads = [
            Targets.mixed(
                numpy.log(table.T + TINY),
                None if heads is None else heads[start : start + len(table.T)],
                gold,
            )
            for start, table in zip(starts, probable, strict=True)
        ]
        mixed = {kind: Targets.mixed(scores, right.get(kind), gold) for kind, scores in thoughts.items()}
        return replace(lessons, targets={"heads": Targets.joined(of_heads), **mixed})

    def _graphs_for(self, threads: int) -> Graphs:
        with self._loading:
            if self._graphs is None or self._graphs.threads != threads:
                files = {name: self._part.arrays[name] for name in (SENTENCE, ARCS, NODES)}
                self._graphs = Graphs(files, threads)
            return self._graphs


class Memory(NamedTuple):
    """What is known of a sentence that may be asked for later: its words' states, and scores.

    The scores of arcs are padded, because hardly anybody asks for them.
    """

    states: Array
    arcs: Array
    tags: Array
    morphs: Array

    @property
    def arc_table(self) -> Array:
        """The scores of arcs without those of padding."""
        size = len(self.states)
        return numpy.ascontiguousarray(self.arcs[: size + 1, :size])


class Trees(NamedTuple):
    """Some trees: the heads of all their words, how many words each has, and in which row they start."""

    heads: Array
    sizes: Array
    rows: Array

    def arcs(self, nobody: int) -> ArcContext:
        """What there is to see of their arcs."""
        return arc_context(self.heads, self.sizes.tolist(), self.rows.tolist(), nobody)


class Labels(NamedTuple):
    """Of every arc of some trees: its best label, how sure that is, and how well the arc fits its tree."""

    best: Array
    sure: Array
    fit: Array
