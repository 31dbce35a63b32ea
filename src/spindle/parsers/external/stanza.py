"""Stanza's graph-based parser, from PyPI: a network that scores arcs, their direction and their length."""

from __future__ import annotations

from typing import Any

import numpy

from spindle.parsers.external.graph_network import GraphNetworkParser
from spindle.parsers.external.vocabulary import Batch, Gold, Vocabulary

RESERVED = 4
"""The number of entries at the start of every vocabulary of Stanza, which its network subtracts."""


class StanzaParser(GraphNetworkParser):
    """Stanza's graph-based network over words, tags and characters, without pretrained vectors."""

    name = "stanza"
    package = "stanza"
    needs = "the packages stanza and torch: pip install 'spindle-parser[stanza]'"

    @classmethod
    def build(cls, vocabulary: Vocabulary, width: int, layers: int, dropout: float) -> Any:
        """Return Stanza's network; of Stanza's vocabularies it needs the sizes only."""
        from stanza.models.depparse.model import GraphParser

        sizes = {
            "word": vocabulary.size("words"),
            "lemma": vocabulary.size("lemmas"),
            "upos": vocabulary.size("tags"),
            "char": vocabulary.size("characters"),
            "deprel": RESERVED + len(vocabulary.labels),
        }
        options = {
            "word_emb_dim": 75,
            "tag_emb_dim": 50,
            "use_upos": True,
            "use_xpos": False,
            "use_ufeats": False,
            "char": True,
            "char_emb_dim": 100,
            "char_hidden_dim": width,
            "char_num_layers": 1,
            "char_rec_dropout": 0,
            "charlm": None,
            "transformed_dim": 125,
            "pretrain": False,
            "bert_model": None,
            "hidden_dim": width,
            "num_layers": layers,
            "deep_biaff_hidden_dim": width,
            "dropout": dropout,
            "word_dropout": dropout,
            "rec_dropout": 0,
            "linearization": True,
            "distance": True,
        }
        return GraphParser(options, {name: range(size) for name, size in sizes.items()})

    def loss(self, batch: Batch, gold: Gold) -> Any:
        """Return Stanza's loss."""
        loss, _ = self.network.loss(**_inputs(batch, gold))
        return loss

    def score(self, batch: Batch) -> tuple[Any, Any]:
        """Return the scores of arcs, with those of direction and length, and of labels."""
        size = len(batch.words), batch.words.shape[1] - 1
        unknown = Gold(*(numpy.zeros(size, dtype=numpy.int64) for _ in Gold._fields))
        arcs, labels, *_ = self.network.forward_scores(**_inputs(batch, unknown))
        return arcs, labels


def _inputs(batch: Batch, gold: Gold) -> dict[str, Any]:
    """Return the arguments of the network. Characters are those of all words, the longest word first."""
    from torch import from_numpy

    words = batch.characters[batch.words > 0]
    lengths = (words > 0).sum(1)
    order = numpy.argsort(-lengths, kind="stable")
    return {
        "word": from_numpy(batch.words),
        "word_mask": from_numpy(batch.words == 0),
        "wordchars": from_numpy(words[order]),
        "wordchars_mask": None,
        "upos": from_numpy(batch.tags),
        "xpos": None,
        "ufeats": None,
        "pretrained": None,
        "lemma": from_numpy(batch.lemmas),
        "head": from_numpy(gold.heads),
        "deprel": from_numpy(gold.labels + RESERVED),
        "word_orig_idx": order.tolist(),
        "sentlens": batch.lengths.tolist(),
        "wordlens": lengths[order].tolist(),
        "text": None,
    }
