"""The neural parser: one network predicts tags, heads, labels and unary chains.

Training needs torch. It exports graphs that onnxruntime runs on batches of sentences of similar length; the
core decodes trees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from threading import Lock
from typing import NamedTuple, Self

import numpy

from spindle.decoding import marginals
from spindle.errors import ParserError
from spindle.models import Array, ModelPart
from spindle.models.schema import choice, items, record, text, whole
from spindle.parsers.backend import (
    PREDICTED,
    Backend,
    DistillationData,
    Example,
    FitSettings,
    Monitor,
    Prediction,
)
from spindle.parsers.neural import distillation
from spindle.parsers.neural.batches import batches_by_length, even_groups, joined, starts_of
from spindle.parsers.neural.candidates import MARGINS, best_trees, candidate_limits
from spindle.parsers.neural.classes import Classes
from spindle.parsers.neural.compression import compress
from spindle.parsers.neural.constituents import LabelTable
from spindle.parsers.neural.context import ArcContext, arc_context, column, node_context
from spindle.parsers.neural.dataset import Dataset, DatasetBuilder
from spindle.parsers.neural.graph_check import check_graph
from spindle.parsers.neural.options import ENCODERS, PRETRAINED_PREFIX, NeuralOptions, Precision
from spindle.parsers.neural.pretrained_tokenizer import MOST_CHARACTERS
from spindle.parsers.neural.readers import SubwordReader, WordReader
from spindle.parsers.neural.runtime import (
    ARCS,
    CONSTITUENTS,
    GRAPHS,
    NODES,
    SENTENCE,
    Graphs,
    check_shapes,
)
from spindle.parsers.neural.torch_environment import prepare_torch
from spindle.parsers.neural.words import WordTable
from spindle.parsers.packages import installed
from spindle.reduction import Encoding, Mode, Place
from spindle.reduction.isomorphism import Chain
from spindle.trees import DTree, Token

BATCH_WORDS = 1200
"""The number of words, padding included, that go through the network at a time."""
RUN_WORDS = 24
"""The words, padding included, that take as long as starting the network."""
LEAST_PLACES = 2
"""Sentences of one word are padded: products with a single column are rounded differently."""


class NeuralParser(Backend):
    """Predicts everything with one network."""

    name = "neural"
    predicts = PREDICTED
    one_shot = True
    Options = NeuralOptions
    SETTINGS = staticmethod(
        record(
            {
                "encoder": text(1_000),
                "mode": choice(*Mode),
                "classes": record(
                    {
                        **dict.fromkeys(
                            ("tags", "morphs", "labels", "root_labels", "symbols"), items(text(1_000))
                        ),
                        "chains": items(items(text(1_000), at_most=100), 1),
                    }
                ),
                "treebanks": whole(1, 10_000),
            },
            {
                "encoding": choice(*Encoding),
                "tokenizer": text(MOST_CHARACTERS),
                "longest": whole(8, 1_000_000),
            },
        )
    )
    uses_example_weights = True
    gives_k_best = True
    parallel = True
    needs = "torch and onnx to be trained: pip install 'spindle-parser[neural]'"

    def __init__(self) -> None:
        self._part = ModelPart()
        self._graphs: Graphs | None = None
        self._loading = Lock()

    @classmethod
    def version(cls) -> str | None:
        """The version of torch; None if torch or onnx is missing."""
        return installed("torch") if installed("onnx") else None

    @classmethod
    def check(cls, options: NeuralOptions) -> None:
        """Refuse an unknown encoder, and a precision for an encoder that has no choice."""
        super().check(options)
        encoder = options.encoder
        if encoder not in ENCODERS and not options.is_pretrained:
            names = f"{', '.join(ENCODERS)} and {PRETRAINED_PREFIX}NAME"
            raise ParserError(f"there is no encoder {encoder!r}; there are {names}")
        if encoder in ENCODERS and options.encoder_rate is not None:
            raise ParserError(f"encoder_rate applies to pretrained encoders only; {encoder} learns with rate")
        if encoder in ENCODERS and options.precision is not Precision.AUTO:
            raise ParserError(f"precision applies to pretrained encoders only; {encoder} always has 32 bits")

    @classmethod
    def will_predict(cls, settings: FitSettings) -> frozenset[str]:
        """Everything, whatever the settings."""
        return cls.predicts

    # ── training ─────────────────────────────────────────────────────────────────────────────────────

    def fit(
        self,
        train: Sequence[Example],
        dev: Sequence[Example],
        settings: FitSettings,
        monitor: Monitor,
        state: ModelPart | None = None,
    ) -> None:
        """Train on gold trees; a resumed training starts with the epoch after the last finished one."""
        classes = Classes.learn(train)
        self._train(DatasetBuilder(classes).gold(train), classes, settings, monitor, state)

    def fit_dataset(
        self,
        data: DistillationData,
        targets: ModelPart,
        settings: FitSettings,
        monitor: Monitor,
        state: ModelPart | None = None,
    ) -> None:
        """As the student: train on what `soft_targets` returned for this data, with the teacher's classes."""
        dataset, classes = distillation.read_targets(data, targets)
        self._train(dataset, classes, settings, monitor, state)

    def soft_targets(
        self, data: DistillationData, threads: int, progress: Callable[[int, int], None]
    ) -> ModelPart:
        """As the teacher: return predictions for all examples and sentences; see `distillation`."""
        return distillation.soft_targets(self, data, threads, progress)

    def _train(
        self,
        dataset: Dataset,
        classes: Classes,
        settings: FitSettings,
        monitor: Monitor,
        state: ModelPart | None,
    ) -> None:
        prepare_torch()
        from spindle.parsers.neural.trainer import train

        train(dataset, classes, settings, monitor, self._load, state)

    # ── storage ──────────────────────────────────────────────────────────────────────────────────────

    def to_part(self) -> ModelPart:
        """Return the graphs and the names of the classes."""
        return self._part

    @classmethod
    def from_part(cls, part: ModelPart) -> Self:
        """Load the parser; the inverse of `to_part`."""
        parser = cls()
        parser._load(part)
        return parser

    @classmethod
    def check_part(cls, part: ModelPart) -> None:
        """Check the settings, and the graphs without loading them."""
        super().check_part(part)
        _check_graphs(part)

    def compressed_variants(self, examples: Sequence[Example]) -> Iterator[Self]:
        """Yield the parser with weights of eight bits; then a variant that is slower but more precise."""
        for precise in (False, True):
            yield self.from_part(compress(self, examples, precise=precise))

    def with_graphs(self, graphs: Graphs) -> Self:
        """Return the same parser with other graphs, for calls with as many threads as these have."""
        parser = self.from_part(self._part)
        parser._graphs = graphs
        return parser

    def _load(self, part: ModelPart) -> None:
        settings, arrays = part.settings, part.arrays
        self._part = part
        self._graphs = None
        _check_graphs(part)
        self.classes = Classes.from_dict(settings["classes"])
        self._label_names = (*self.classes.labels, *self.classes.root_labels)
        words = WordTable(arrays["words"])
        if "tokenizer" in settings:
            self._reader: WordReader = SubwordReader(
                words, settings["treebanks"], settings["tokenizer"], settings["longest"]
            )
        else:
            self._reader = WordReader(words, settings["treebanks"])
        self._mode = Mode(settings["mode"])
        self._table = None
        if CONSTITUENTS in arrays:
            self._table = LabelTable.of(self.classes, Encoding(settings["encoding"]), self._mode)

    @property
    def _graph_names(self) -> list[str]:
        return [name for name in GRAPHS if name in self._part.arrays]

    def graphs(self, threads: int) -> Graphs:
        """Return the graphs, loaded to run on this number of threads."""
        with self._loading:
            if self._graphs is None or self._graphs.threads != threads:
                files = {name: self._part.arrays[name] for name in self._graph_names}
                self._graphs = Graphs(files, threads)
            return self._graphs

    @property
    def encoder(self) -> str:
        """The name of the encoder."""
        return str(self._part.settings["encoder"])

    # ── parsing ──────────────────────────────────────────────────────────────────────────────────────

    def parse(self, sentences: Sequence[Sequence[Token]], threads: int) -> list[Prediction]:
        """Predict everything but unary chains, which need a repaired tree (`predict_chains`)."""
        return [found for (found,) in self.parse_k_best(sentences, 1, threads)]

    def parse_k_best(
        self, sentences: Sequence[Sequence[Token]], k: int, threads: int
    ) -> list[list[Prediction]]:
        """Return up to `k` different trees per sentence with their scores, the best first."""
        found = [[Prediction((), (), ())] for _ in sentences]
        for numbers in batches_by_length(list(map(len, sentences)), BATCH_WORDS):
            batch = [sentences[number] for number in numbers]
            for number, predictions in zip(numbers, self._parse_batch(batch, k, threads), strict=True):
                found[number] = predictions
        return found

    @property
    def k_best_is_exact(self) -> bool:
        """False: the list has the trees with the best arcs, but the order depends on labels, too."""
        return False

    def _parse_batch(
        self, sentences: Sequence[Sequence[Token]], k: int, threads: int
    ) -> Iterator[list[Prediction]]:
        graphs = self.graphs(threads)
        lengths = list(map(len, sentences))
        states, arcs, tags, morphs = self._run_sentences(graphs, sentences, lengths)
        limits = candidate_limits(lengths, self._mode)
        forest = best_trees(arcs, lengths, self._mode, limits, k, MARGINS[self._mode], threads)
        owners = numpy.repeat(numpy.arange(len(lengths)), forest.counts)
        trees = TreeBatch(forest.heads, numpy.array(lengths)[owners], owners * states.shape[1])
        rows = states.reshape(-1, states.shape[2])
        labels = self._label(graphs, rows, trees)
        starts = starts_of(trees.sizes)
        extra = numpy.add.reduceat(labels.log_probabilities + labels.fit, starts)
        if self._table is not None:
            several = forest.counts[owners] > 1  # the only tree of a sentence needs no score
            extra[several] += self._score_constituents(graphs, self._table, rows, trees, labels.best, several)
        scores = forest.scores_with(extra)
        order = numpy.lexsort((-scores, owners))  # the best of every sentence first
        ranked = zip(
            self._tag(sentences, tags, morphs), forest.first.tolist(), forest.counts.tolist(), strict=True
        )
        for number, (tokens, first, count) in enumerate(ranked):
            size = len(tokens)
            state = SentenceState(
                states[number, :size], arcs[number], tags[number, :size], morphs[number, :size]
            )
            yield [
                Prediction(
                    forest.heads[starts[tree] : starts[tree] + size].tolist(),
                    self._names(labels.best[starts[tree] : starts[tree] + size]),
                    tokens,
                    score=float(scores[tree]) if k > 1 else None,
                    state=state,
                )
                for tree in order[first : first + min(count, k)].tolist()
            ]

    def _run_sentences(
        self, graphs: Graphs, sentences: Sequence[Sequence[Token]], lengths: Sequence[int]
    ) -> tuple[Array, ...]:
        """Return states, arc scores, tags and morphology of sentences, which are sorted, the longest first.

        Those that differ much in length go through the network apart, with less padding.
        """
        found = []
        start = 0
        for size in even_groups(lengths, RUN_WORDS):
            words = [[token.form for token in tokens] for tokens in sentences[start : start + size]]
            inputs = self._reader.read(words, at_least=LEAST_PLACES)
            states, arcs, tags, morphs = graphs.run(SENTENCE, *inputs)
            longest = max(lengths[start], LEAST_PLACES)
            check_shapes(
                SENTENCE,
                (states, (size, longest, None)),
                (arcs, (size, longest + 1, longest)),
                (tags, (size, longest, len(self.classes.tags))),
                (morphs, (size, longest, len(self.classes.morphs))),
            )
            found.append((states, arcs, tags, morphs))
            start += size
        return tuple(map(joined, zip(*found, strict=True)))

    def _score_constituents(
        self, graphs: Graphs, table: LabelTable, states: Array, trees: TreeBatch, labels: Array, chosen: Array
    ) -> Array:
        """Return the sum of the scores of its constituents for each of the chosen trees."""
        words = numpy.repeat(chosen, trees.sizes)
        sizes, rows = trees.sizes[chosen], trees.rows[chosen]
        found = table.constituents(
            trees.heads[words], labels[words], sizes.tolist(), rows.tolist(), len(states)
        )
        roles = found.roles[:, : graphs.width(CONSTITUENTS, 1)]
        (scores,) = graphs.run(CONSTITUENTS, states, roles, found.marks)
        check_shapes(CONSTITUENTS, (scores, (len(found.roles),)))
        return numpy.bincount(found.trees, scores[found.rows], len(sizes))

    def _names(self, labels: Array) -> list[str]:
        return list(map(self._label_names.__getitem__, labels.tolist()))

    def _label(self, graphs: Graphs, states: Array, trees: TreeBatch) -> ArcLabels:
        """Return the best label of every arc of some trees."""
        context = trees.arc_context(len(states))
        # models of the first versions have no output for the score of arcs in their tree
        scores, *fit = graphs.run(ARCS, states, context.roles, context.counts)
        rows = len(context.counts)
        check_shapes(ARCS, (scores, (rows, len(self._label_names))), *((one, (rows,)) for one in fit[:1]))
        context.forbid_labels(scores, len(self.classes.root_labels))
        best = scores.argmax(1)
        scores -= scores[numpy.arange(len(best)), best, None]
        log_probabilities = -numpy.log(numpy.exp(scores, out=scores).sum(1))
        columns = best, log_probabilities, sum(fit[:1], numpy.zeros(len(best)))
        return ArcLabels(*(of_description[context.rows] for of_description in columns))

    def _tag(self, sentences: Sequence[Sequence[Token]], tags: Array, morphs: Array) -> Iterator[list[Token]]:
        """Yield the tokens of every sentence with their best tags and morphology."""
        tag_names, morph_names = self.classes.tags.__getitem__, self.classes.morphs.__getitem__
        best_tags, best_morphs = tags.argmax(2).tolist(), morphs.argmax(2).tolist()
        for tokens, of_tags, of_morphs in zip(sentences, best_tags, best_morphs, strict=True):
            forms, lemmas = [token.form for token in tokens], [token.lemma for token in tokens]
            yield Token.of_columns(forms, map(tag_names, of_tags), lemmas, map(morph_names, of_morphs))

    def predict_chains(
        self, predictions: Sequence[Prediction], dtrees: Sequence[DTree], threads: int
    ) -> list[dict[Place, Chain]]:
        """Predict the unary chains of every d-tree."""
        names, numbers = self.classes.chains, self.classes.symbol_numbers
        if len(names) == 1 or not predictions:
            return [{} for _ in predictions]
        states = numpy.concatenate([prediction.state.states for prediction in predictions])
        starts = list(accumulate((len(dtree) for dtree in dtrees), initial=0))[:-1]
        sizes, words, events, *context = node_context(
            column(dtree.heads for dtree in dtrees),
            # a repair can create a symbol that does not occur in training
            column([numbers.get(symbol, 0) for symbol in dtree.symbols] for dtree in dtrees),
            column(dtree.events for dtree in dtrees),
            list(map(len, dtrees)),
            starts,
            len(states),
        )
        (scores,) = self.graphs(threads).run(NODES, states, *context)
        check_shapes(NODES, (scores, (len(words), len(names))))
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
        """Return the marginal probabilities of heads under the tree distribution of the arc scores."""
        del sentences, threads
        projective = self._mode is Mode.CONTINUOUS
        return [marginals(prediction.state.arc_table, projective=projective) for prediction in predictions]

    def arc_scores(
        self, sentences: Sequence[Sequence[Token]], predictions: Sequence[Prediction], threads: int
    ) -> list[Array]:
        """Return the scores that the network gives arcs."""
        del sentences, threads
        return [prediction.state.arc_table for prediction in predictions]

    def reattach(
        self,
        sentences: Sequence[Sequence[Token]],
        predictions: Sequence[Prediction],
        trees: Sequence[Sequence[Sequence[int]]],
        threads: int,
    ) -> list[Prediction]:
        """Return for each sentence the tree with the best score of arcs, labels and constituents."""
        del sentences
        graphs = self.graphs(threads)
        found = []
        for prediction, of_sentence in zip(predictions, trees, strict=True):
            states, arcs = prediction.state.states, prediction.state.arc_table
            heads, size, many = numpy.array(of_sentence), len(states), len(of_sentence)
            batch = TreeBatch(heads.reshape(-1), numpy.full(many, size), numpy.zeros(many, dtype=int))
            labels = self._label(graphs, states, batch)
            scores = arcs[heads + 1, numpy.arange(size)].sum(1)
            scores = scores + (labels.log_probabilities + labels.fit).reshape(many, size).sum(1)
            if self._table is not None:
                every = numpy.ones(many, dtype=bool)
                scores = scores + self._score_constituents(
                    graphs, self._table, states, batch, labels.best, every
                )
            best = int(scores.argmax())
            names = self._names(labels.best.reshape(many, size)[best])
            found.append(replace(prediction, heads=of_sentence[best], labels=names))
        return found

    def label_probabilities(self, predictions: Sequence[Prediction], threads: int) -> list[list[float]]:
        """Return the probability of every predicted label, which is the most probable of its arc."""
        if not predictions:
            return []
        sizes = numpy.array([len(prediction.heads) for prediction in predictions])
        ends = numpy.cumsum(sizes)
        trees = TreeBatch(column(prediction.heads for prediction in predictions), sizes, ends - sizes)
        states = numpy.concatenate([prediction.state.states for prediction in predictions])
        probabilities = numpy.exp(self._label(self.graphs(threads), states, trees).log_probabilities)
        return [part.tolist() for part in numpy.split(probabilities, ends[:-1])]


def _check_graphs(part: ModelPart) -> None:
    """Check all graphs, of which only that of constituents may be missing."""
    for name in GRAPHS:
        if name != CONSTITUENTS or name in part.arrays:
            check_graph(name, part.arrays[name])


class SentenceState(NamedTuple):
    """The states of a sentence's words, and the scores of arcs, tags and morphology, for later calls.

    Arc scores are padded: cutting them for every sentence would cost time, and few callers need them.
    """

    states: Array
    arcs: Array
    tags: Array
    morphs: Array

    @property
    def arc_table(self) -> Array:
        """The arc scores without padding, `[head + 1, modifier]`."""
        size = len(self.states)
        return self.arcs[: size + 1, :size]


class TreeBatch(NamedTuple):
    """Several trees: the heads of all words, the number of words of each tree, and the row of its first."""

    heads: Array
    sizes: Array
    rows: Array

    def arc_context(self, padding_row: int) -> ArcContext:
        """Return the features of all arcs."""
        return arc_context(self.heads, self.sizes.tolist(), self.rows.tolist(), padding_row)


class ArcLabels(NamedTuple):
    """For every arc of some trees: its best label, the label's log probability, and the arc's score."""

    best: Array
    log_probabilities: Array
    fit: Array
