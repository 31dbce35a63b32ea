"""The biaffine parser of supar, from PyPI."""

from __future__ import annotations

from typing import Any
from warnings import catch_warnings, simplefilter

import numpy

from spindle.parsers.external.graph_network import GraphNetworkParser
from spindle.parsers.external.vocabulary import UNKNOWN, Batch, Gold, Vocabulary


class SuparParser(GraphNetworkParser):
    """supar's biaffine network over words, tags and characters, without pretrained vectors."""

    name = "supar"
    package = "supar"
    needs = "the packages supar and torch: pip install 'spindle-parser[supar]'"

    @classmethod
    def build(cls, vocabulary: Vocabulary, width: int, layers: int, dropout: float) -> Any:
        """Return the network."""
        from supar.models.dep import BiaffineDependencyModel

        return BiaffineDependencyModel(
            n_words=vocabulary.size("words"),
            n_rels=len(vocabulary.labels),
            n_tags=vocabulary.size("tags"),
            n_chars=vocabulary.size("characters"),
            feat=["tag", "char"],
            n_lstm_hidden=width,
            n_lstm_layers=layers,
            embed_dropout=dropout,
            encoder_dropout=dropout,
            mlp_dropout=dropout,
            pad_index=0,
            unk_index=UNKNOWN,
        )

    def loss(self, batch: Batch, gold: Gold) -> Any:
        """Return supar's loss."""
        from torch import from_numpy

        mask = from_numpy(batch.words > 0)
        mask[:, 0] = False
        heads, labels = (from_numpy(numpy.pad(column, ((0, 0), (1, 0)))) for column in gold)
        return self.network.loss(*self.score(batch), heads, labels, mask)

    def score(self, batch: Batch) -> tuple[Any, Any]:
        """Return the scores of arcs and of labels."""
        from torch import from_numpy

        features = [from_numpy(batch.characters), from_numpy(batch.tags)]
        with catch_warnings():
            simplefilter("ignore", FutureWarning)  # supar uses a function that torch will remove
            arcs, labels = self.network(from_numpy(batch.words), features)
        return arcs, labels
