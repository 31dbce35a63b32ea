"""The accurate engine: one network that finds tags, heads, labels and unary chains.

Training needs torch. What it leaves are graphs that onnxruntime runs, in batches of sentences of similar
lengths; trees are decoded in the core.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy

from spindle import _core
from spindle.errors import ParserError
from spindle.models import Part
from spindle.parsers.neural.batches import by_length, flat_roles
from spindle.parsers.neural.classes import Classes
from spindle.parsers.neural.context import arc_context, node_context
from spindle.parsers.neural.readers import SubwordReader, WordReader
from spindle.parsers.neural.runtime import ARCS, NODES, SENTENCE, Graphs
from spindle.parsers.neural.words import WordTable
from spindle.parsers.packages import installed
from spindle.parsers.protocol import Backend, Example, FitSettings, Prediction, Watch
from spindle.reduction import Encoding, Mode, Place, read_labels, repair
from spindle.reduction.isomorphism import Chain
from spindle.trees import ROOT, Token

Array = numpy.ndarray[Any, Any]

ENCODERS = ("bilstm", "cnn")
TOGETHER = 1200
"""How many words go through the network at a time."""


class NeuralParser(Backend):
    """Finds everything with one network."""

    name = "neural"
    predicts = frozenset({"labels", "tags", "chains"})
    one_shot = True
    options: ClassVar = {
        "encoder": ("bilstm",),
        "epochs": ("25",),
        "batch": ("800",),
        "rate": ("0.002",),
        "dropout": ("0.33",),
        "hidden": ("200",),
    }
    needs = "torch to be trained: pip install 'spindle-parser[neural]'"

    def __init__(self) -> None:
        self._part = Part()
        self._graphs: Graphs | None = None

    @classmethod
    def version(cls) -> str | None:
        """The version of torch."""
        return installed("torch")

    @classmethod
    def check(cls, options: Mapping[str, str]) -> None:
        """Refuse an encoder that there is not."""
        super().check(options)
        encoder = options["encoder"]
        if encoder not in ENCODERS and not encoder.startswith("hf:"):
            raise ParserError(f"there is no encoder {encoder!r}; there are {', '.join(ENCODERS)} and hf:NAME")

    @classmethod
    def will_predict(cls, settings: FitSettings) -> frozenset[str]:
        """Everything that it can."""
        return cls.predicts

    def fit(
        self,
        train: Sequence[Example],
        dev: Sequence[Example],
        settings: FitSettings,
        watch: Watch,
        state: Part | None = None,
    ) -> None:
        """Learn; an interrupted training goes on with the epoch after the last finished one."""
        from spindle.parsers.neural.learning import learn

        learn(train, settings, watch, self._take, state)

    def to_part(self) -> Part:
        """The graphs, and what their numbers mean."""
        return self._part

    @classmethod
    def from_part(cls, part: Part) -> Self:
        """The parser again."""
        parser = cls()
        parser._take(part)
        return parser

    def lighter(self) -> Self:
        """The same parser with weights of eight bits."""
        from spindle.parsers.neural.shrink import shrink

        arrays = self._part.arrays
        graphs = {name: shrink(arrays[name]) for name in (SENTENCE, ARCS, NODES)}
        return self.from_part(Part(self._part.settings, {**arrays, **graphs}))

    def _take(self, part: Part) -> None:
        settings, arrays = part.settings, part.arrays
        self._part = part
        self._graphs = None
        self._classes = Classes.from_dict(settings["classes"])
        words = WordTable(arrays["words"])
        if "tokenizer" in settings:
            self._reader: WordReader = SubwordReader(words, settings["tokenizer"], settings["longest"])
        else:
            self._reader = WordReader(words)
        self._encoding, self._mode = Encoding(settings["encoding"]), Mode(settings["mode"])

    # ── parsing ──────────────────────────────────────────────────────────────────────────────────────

    def parse(self, sentences: Sequence[Sequence[Token]], threads: int) -> list[Prediction]:
        """Everything about every sentence."""
        found: list[Prediction] = [Prediction(())] * len(sentences)
        lengths = [len(tokens) for tokens in sentences]
        for numbers in by_length(lengths, TOGETHER):
            together = [sentences[number] for number in numbers]
            for number, prediction in zip(numbers, self._parse_batch(together, threads), strict=True):
                found[number] = prediction
        return found

    def _parse_batch(self, sentences: Sequence[Sequence[Token]], threads: int) -> Iterator[Prediction]:
        graphs = self._graphs_for(threads)
        lengths = [len(tokens) for tokens in sentences]
        inputs = self._reader.read([[token.form for token in tokens] for tokens in sentences])
        states, arcs, tags, morphs = graphs.run(SENTENCE, *inputs)
        width = states.shape[1]
        flat = states.reshape(-1, states.shape[2])
        best = _core.best_projective_tree if self._mode is Mode.CONTINUOUS else _core.best_tree
        heads = [
            best(numpy.ascontiguousarray(scores[: length + 1, :length]))
            for scores, length in zip(arcs, lengths, strict=True)
        ]
        labels = self._label(graphs, flat, width, heads)
        tokens = self._tag(sentences, tags, morphs)
        chains = self._recover(graphs, flat, width, sentences, heads, labels)
        return map(Prediction, heads, labels, tokens, chains)

    def _label(
        self, graphs: Graphs, states: Array, width: int, heads: Sequence[Sequence[int]]
    ) -> list[list[str]]:
        contexts = [arc_context(of_sentence) for of_sentence in heads]
        roles = flat_roles([context.roles for context in contexts], width, len(states))
        counts = numpy.array([counts for context in contexts for counts in context.counts])
        (scores,) = graphs.run(ARCS, states, roles, counts)
        common = len(self._classes.labels)
        inside = scores[:, :common].argmax(1).tolist() if common else [0] * len(scores)
        above = scores[:, common:].argmax(1).tolist()
        names, root_names = self._classes.labels, self._classes.root_labels
        found, start = [], 0
        for of_sentence in heads:
            found.append(
                [
                    root_names[above[word]] if head == ROOT else names[inside[word]]
                    for word, head in enumerate(of_sentence, start=start)
                ]
            )
            start += len(of_sentence)
        return found

    def _tag(self, sentences: Sequence[Sequence[Token]], tags: Array, morphs: Array) -> list[list[Token]]:
        tag_names, morph_names = self._classes.tags, self._classes.morphs
        return [
            [
                Token(token.form, tag_names[tag], token.lemma, morph_names[morph])
                for token, tag, morph in zip(tokens, of_tags, of_morphs, strict=False)
            ]
            for tokens, of_tags, of_morphs in zip(
                sentences, tags.argmax(2).tolist(), morphs.argmax(2).tolist(), strict=True
            )
        ]

    def _recover(
        self,
        graphs: Graphs,
        states: Array,
        width: int,
        sentences: Sequence[Sequence[Token]],
        heads: Sequence[Sequence[int]],
        labels: Sequence[Sequence[str]],
    ) -> list[dict[Place, Chain]]:
        if len(self._classes.chains) == 1:
            return [{} for _ in sentences]
        contexts = []
        for tokens, of_sentence, named in zip(sentences, heads, labels, strict=True):
            symbols, indices, _ = read_labels(of_sentence, named, self._encoding)
            dtree, _ = repair(tokens, of_sentence, symbols, indices, mode=self._mode)
            contexts.append(node_context(dtree.heads, dtree.symbols, dtree.events))
        numbers = self._classes.symbol_numbers
        roles = flat_roles([context.roles for context in contexts], width, len(states))
        marks = numpy.array(
            [
                (numbers.get(symbol, 0), numbers.get(above, 0), count)
                for context in contexts
                for (symbol, above), count in zip(context.symbols, context.counts, strict=True)
            ]
        )
        best = iter(graphs.run(NODES, states, roles, marks)[0].argmax(1).tolist())
        names = self._classes.chains
        return [
            {place: names[chain] for place, chain in zip(context.places, best, strict=False) if chain}
            for context in contexts
        ]

    def _graphs_for(self, threads: int) -> Graphs:
        if self._graphs is None or self._graphs.threads != threads:
            files = {name: self._part.arrays[name] for name in (SENTENCE, ARCS, NODES)}
            self._graphs = Graphs(files, threads)
        return self._graphs
