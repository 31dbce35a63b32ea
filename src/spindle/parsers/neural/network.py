"""The network: an encoder of sentences, and layers that score arcs, tags, labels and chains. Needs torch.

It consists of modules with decoders between them. Each becomes a graph of its own in the model file:

    SentenceNetwork      words → states, arc scores, tags, morphology
    ArcNetwork           states and a tree → label scores, and a score of each arc in its tree
    ConstituentNetwork   states and a labelled tree → a score of each constituent
    NodeNetwork          states and a labelled tree → scores of unary chains
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from spindle.parsers.neural.classes import Classes
from spindle.parsers.neural.constituents import CONSTITUENT_MARKS
from spindle.parsers.neural.context import ARC_COUNTS, ARC_ROLES, COUNT_LIMIT, DISTANCES, NODE_ROLES
from spindle.parsers.neural.dropout import SharedDropout


class SentenceNetwork(nn.Module):
    """Computes the states of words, and scores of arcs, tags and morphology."""

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
        """Return states, arc scores `[sentences, head + 1, modifier]`, tag scores and morphology scores."""
        states = self.dropout(self.encoder(*inputs))
        heads = self.dropout(nn.functional.leaky_relu(self.heads(states), 0.1))
        modifiers = self.dropout(nn.functional.leaky_relu(self.modifiers(states), 0.1))
        root = self.root.expand(heads.shape[0], 1, heads.shape[2])
        arcs = torch.matmul(torch.cat([root, heads], 1), self.bilinear(modifiers).transpose(1, 2))
        tags = self.dropout(nn.functional.leaky_relu(self.tag_layer(states), 0.1))
        return states, arcs, self.tags(tags), self.morphs(tags)


class RoleLayer(nn.Module):
    """Sums projections of the words in several roles; each role has its own weights."""

    def __init__(self, width: int, roles: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.roles, self.hidden = roles, hidden
        # a narrow layer first, or the projections would cost as much as a layer of the encoder
        self.narrow = nn.Linear(width, hidden)
        self.dropout = nn.Dropout(dropout)
        self.projection = nn.Linear(hidden, roles * hidden)
        self.padding = nn.Parameter(torch.zeros(1, roles * hidden))

    def forward(self, states: Tensor, roles: Tensor) -> Tensor:
        """Return the sum for every row of `roles`, which are rows of `states`; the next row is padding."""
        narrow = self.dropout(nn.functional.leaky_relu(self.narrow(states), 0.1))
        projected = torch.cat([self.projection(narrow), self.padding], 0).reshape(-1, self.hidden)
        numbers = roles * self.roles + torch.arange(self.roles)
        return projected[numbers].sum(1)


class ArcNetwork(nn.Module):
    """Scores labels, and arcs given their tree."""

    def __init__(self, width: int, classes: Classes, dropout: float, hidden: int) -> None:
        super().__init__()
        self.roles = RoleLayer(width, ARC_ROLES, hidden, dropout)
        self.counts = nn.Embedding(DISTANCES + (ARC_COUNTS - 1) * COUNT_LIMIT, hidden)
        nn.init.normal_(self.counts.weight, std=0.1)
        self.dropout = nn.Dropout(dropout)
        self.labels = nn.Linear(hidden, len(classes.labels) + len(classes.root_labels))
        self.fit = nn.Linear(hidden, 1)

    def forward(self, states: Tensor, roles: Tensor, counts: Tensor) -> tuple[Tensor, Tensor]:
        """Return label scores `[arcs, labels]` and arc scores `[arcs]`; `roles` are rows of `states`."""
        starts = torch.tensor([0, DISTANCES, DISTANCES + COUNT_LIMIT])
        hidden = self.roles(states, roles) + self.counts(counts + starts).sum(1)
        hidden = self.dropout(nn.functional.leaky_relu(hidden, 0.1))
        return self.labels(hidden), self.fit(hidden).squeeze(1)


class NodeNetwork(nn.Module):
    """Scores unary chains."""

    def __init__(self, width: int, classes: Classes, dropout: float, hidden: int = 96) -> None:
        super().__init__()
        self.roles = RoleLayer(width, NODE_ROLES, hidden, dropout)
        self.symbols = nn.Embedding(2 * len(classes.symbols) + COUNT_LIMIT, hidden)
        self.symbol_count = len(classes.symbols)
        nn.init.normal_(self.symbols.weight, std=0.3)
        self.dropout = nn.Dropout(dropout)
        self.chains = nn.Linear(hidden, len(classes.chains))

    def forward(self, states: Tensor, roles: Tensor, marks: Tensor) -> Tensor:
        """Return chain scores `[nodes, chains]`; `marks` are described in `NODE_MARKS`."""
        starts = torch.tensor([0, self.symbol_count, 2 * self.symbol_count])
        hidden = self.roles(states, roles) + self.symbols(marks + starts).sum(1)
        return self.chains(self.dropout(nn.functional.leaky_relu(hidden, 0.1)))


class ConstituentNetwork(nn.Module):
    """Scores constituents of labelled trees, which the first `roles` of their roles describe."""

    def __init__(self, width: int, classes: Classes, dropout: float, hidden: int, roles: int) -> None:
        super().__init__()
        self.roles = RoleLayer(width, roles, hidden, dropout)
        self.marks = nn.Embedding(2 * len(classes.symbols) + (CONSTITUENT_MARKS - 2) * COUNT_LIMIT, hidden)
        nn.init.normal_(self.marks.weight, std=0.3)
        symbols = len(classes.symbols)
        self.starts = [0, symbols, *(2 * symbols + COUNT_LIMIT * at for at in range(CONSTITUENT_MARKS - 2))]
        self.dropout = nn.Dropout(dropout)
        self.score = nn.Linear(hidden, 1)

    def forward(self, states: Tensor, roles: Tensor, marks: Tensor) -> Tensor:
        """Return scores `[constituents]`; `marks` are described in `CONSTITUENT_MARKS`."""
        hidden = self.roles(states, roles) + self.marks(marks + torch.tensor(self.starts)).sum(1)
        return self.score(self.dropout(nn.functional.leaky_relu(hidden, 0.1))).squeeze(1)


class Network(nn.Module):
    """The modules, which are trained together.

    `constituent_roles` is the number of roles that describe a constituent; with 0 none are scored.
    """

    def __init__(
        self, encoder: nn.Module, classes: Classes, dropout: float, context_width: int, constituent_roles: int
    ) -> None:
        super().__init__()
        self.sentence = SentenceNetwork(encoder, classes, dropout)
        width = encoder.width
        self.arcs = ArcNetwork(width, classes, dropout, context_width)
        self.nodes = NodeNetwork(width, classes, dropout)
        self.constituents = (
            ConstituentNetwork(width, classes, dropout, context_width, constituent_roles)
            if constituent_roles
            else None
        )
