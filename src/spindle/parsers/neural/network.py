"""The network: an encoder of sentences, and heads that score arcs, tags, labels and chains. Needs torch.

It is three modules that run one after the other, with a decoder between them, and each becomes a graph of its
own in the model file:

    SentenceNetwork   words → states, arc scores, tags, morphology
    ArcNetwork        states and a tree → labels, and how well each arc fits into the tree
    NodeNetwork       states and a labelled tree → unary chains
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from spindle.parsers.neural.classes import Classes
from spindle.parsers.neural.context import ARC_COUNTS, ARC_ROLES, DISTANCES, MOST, NODE_ROLES
from spindle.parsers.neural.dropout import SharedDropout


class SentenceNetwork(nn.Module):
    """States, arc scores, tags and morphology of the words of some sentences."""

    def __init__(self, encoder: nn.Module, classes: Classes, dropout: float, arc_width: int = 200) -> None:
        super().__init__()
        self.encoder = encoder
        width = encoder.width
        self.dropout = SharedDropout(dropout)
        self.heads = nn.Linear(width, arc_width)
        self.modifiers = nn.Linear(width, arc_width)
        self.root = nn.Parameter(torch.randn(1, 1, arc_width) * 0.1)
        self.bilinear = nn.Linear(arc_width, arc_width)  # its bias scores the head alone
        nn.init.xavier_uniform_(self.bilinear.weight, gain=0.5)
        self.tag_layer = nn.Linear(width, 128)
        self.tags = nn.Linear(128, len(classes.tags))
        self.morphs = nn.Linear(128, len(classes.morphs))

    def forward(self, *inputs: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """States, arc scores `[sentences, head + 1, modifier]`, and scores of tags and morphology."""
        states = self.dropout(self.encoder(*inputs))
        heads = self.dropout(nn.functional.leaky_relu(self.heads(states), 0.1))
        modifiers = self.dropout(nn.functional.leaky_relu(self.modifiers(states), 0.1))
        root = self.root.expand(heads.shape[0], 1, heads.shape[2])
        arcs = torch.matmul(torch.cat([root, heads], 1), self.bilinear(modifiers).transpose(1, 2))
        tags = self.dropout(nn.functional.leaky_relu(self.tag_layer(states), 0.1))
        return states, arcs, self.tags(tags), self.morphs(tags)


class RoleLayer(nn.Module):
    """Adds up what the words in several roles say, each role with weights of its own."""

    def __init__(self, width: int, roles: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.roles, self.hidden = roles, hidden
        # a narrow layer first: without it this would cost as much as a layer of the encoder
        self.narrow = nn.Linear(width, hidden)
        self.dropout = nn.Dropout(dropout)
        self.projection = nn.Linear(hidden, roles * hidden)
        self.nobody = nn.Parameter(torch.zeros(1, roles * hidden))

    def forward(self, states: Tensor, roles: Tensor) -> Tensor:
        """For every row of word numbers: the sum. The number after the last word's stands for nobody."""
        narrow = self.dropout(nn.functional.leaky_relu(self.narrow(states), 0.1))
        said = torch.cat([self.projection(narrow), self.nobody], 0).reshape(-1, self.hidden)
        numbers = roles * self.roles + torch.arange(self.roles)
        return said[numbers].sum(1)


class ArcNetwork(nn.Module):
    """Scores of labels, and of arcs by what is around them in their tree."""

    def __init__(self, width: int, classes: Classes, dropout: float, hidden: int) -> None:
        super().__init__()
        self.roles = RoleLayer(width, ARC_ROLES, hidden, dropout)
        self.counts = nn.Embedding(DISTANCES + (ARC_COUNTS - 1) * MOST, hidden)
        nn.init.normal_(self.counts.weight, std=0.1)
        self.dropout = nn.Dropout(dropout)
        self.labels = nn.Linear(hidden, len(classes.labels) + len(classes.root_labels))
        self.fit = nn.Linear(hidden, 1)

    def forward(self, states: Tensor, roles: Tensor, counts: Tensor) -> tuple[Tensor, Tensor]:
        """Label scores of arcs, and how well they fit; the roles' numbers are rows of the states."""
        starts = torch.tensor([0, DISTANCES, DISTANCES + MOST])
        hidden = self.roles(states, roles) + self.counts(counts + starts).sum(1)
        hidden = self.dropout(nn.functional.leaky_relu(hidden, 0.1))
        return self.labels(hidden), self.fit(hidden).squeeze(1)


class NodeNetwork(nn.Module):
    """Scores of unary chains."""

    def __init__(self, width: int, classes: Classes, dropout: float, hidden: int = 96) -> None:
        super().__init__()
        self.roles = RoleLayer(width, NODE_ROLES, hidden, dropout)
        self.symbols = nn.Embedding(2 * len(classes.symbols) + MOST, hidden)
        self.symbol_count = len(classes.symbols)
        nn.init.normal_(self.symbols.weight, std=0.3)
        self.dropout = nn.Dropout(dropout)
        self.chains = nn.Linear(hidden, len(classes.chains))

    def forward(self, states: Tensor, roles: Tensor, marks: Tensor) -> Tensor:
        """Chain scores of nodes; `marks` are its symbol, the one above, and how many nodes are left above."""
        starts = torch.tensor([0, self.symbol_count, 2 * self.symbol_count])
        hidden = self.roles(states, roles) + self.symbols(marks + starts).sum(1)
        return self.chains(self.dropout(nn.functional.leaky_relu(hidden, 0.1)))


class Network(nn.Module):
    """All three, as they are trained together."""

    def __init__(self, encoder: nn.Module, classes: Classes, dropout: float, around: int) -> None:
        super().__init__()
        self.sentence = SentenceNetwork(encoder, classes, dropout)
        width = encoder.width
        self.arcs = ArcNetwork(width, classes, dropout, around)
        self.nodes = NodeNetwork(width, classes, dropout)
