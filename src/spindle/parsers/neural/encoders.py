"""Encoders: from what a reader gives to the states of the words in their sentence. Needs torch."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from spindle.parsers.neural.dropout import SharedDropout
from spindle.parsers.neural.words import AFFIX_ROWS, GRAM_ROWS, PADDING

HIDDEN = (0.2, 0.1, 0.1)
"""How often one who learns is not shown a word, its affixes, or its spelling: none of them alone will do."""

HIDDEN_PIECES = 0.1
"""How often it is not shown a sub-word."""


class WordLayer(nn.Module):
    """Words, their affixes and the pieces of their spelling as vectors, one beside the other."""

    width = 320

    def __init__(self, words: int, dropout: float) -> None:
        super().__init__()
        self.words = nn.Embedding(words, 128, padding_idx=PADDING)
        self.affixes = nn.Embedding(AFFIX_ROWS, 128, padding_idx=PADDING)
        self.grams = nn.Embedding(GRAM_ROWS, 64, padding_idx=PADDING)
        for table, scale in ((self.words, 0.3), (self.affixes, 0.15), (self.grams, 0.2)):
            _start(table, scale)
        self.norm = nn.LayerNorm(self.width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, words: Tensor, affixes: Tensor, grams: Tensor) -> Tensor:
        """The vectors of the words of sentences."""
        parts = [self.words(words), self.affixes(affixes).sum(2), self.grams(grams).sum(2)]
        if self.training:
            shown = torch.rand(*words.shape, len(parts)) >= torch.tensor(HIDDEN)
            parts = [part * shown[:, :, number, None] for number, part in enumerate(parts)]
        vectors: Tensor = self.dropout(self.norm(torch.cat(parts, 2)))
        return vectors


@torch.no_grad()
def _start(table: nn.Embedding, scale: float) -> None:
    """Vectors to begin with; that of padding is none."""
    nn.init.normal_(table.weight, std=scale)
    table.weight[PADDING] = 0


class BiLstm(nn.Module):
    """Two layers of recurrent units that read the sentence from both sides."""

    def __init__(self, words: int, dropout: float, hidden: int) -> None:
        super().__init__()
        self.width = 2 * hidden
        self.input = WordLayer(words, dropout)
        self.first = nn.LSTM(self.input.width, hidden, batch_first=True, bidirectional=True)
        self.second = nn.LSTM(self.width, hidden, batch_first=True, bidirectional=True)
        self.dropout = SharedDropout(dropout)

    def forward(self, words: Tensor, affixes: Tensor, grams: Tensor, lengths: Tensor) -> Tensor:
        """The states of words."""
        first = read(self.first, self.input(words, affixes, grams), lengths)
        return read(self.second, self.dropout(first), lengths)


def read(layer: nn.LSTM, states: Tensor, lengths: Tensor) -> Tensor:
    """What a recurrent layer makes of sentences of different lengths."""
    if layer.training:
        return _both_ways(layer, states, lengths)
    packed = nn.utils.rnn.pack_padded_sequence(states, lengths, batch_first=True)
    found: Tensor = nn.utils.rnn.pad_packed_sequence(layer(packed)[0], batch_first=True)[0]
    return found


def _both_ways(layer: nn.LSTM, states: Tensor, lengths: Tensor) -> Tensor:
    """The same from the first word on, then from the last, padding being read at the end.

    Torch has fast code for this, forth and back, but not for packed sentences.
    """
    sentences, size, _ = states.shape
    at = torch.arange(size)
    turned = torch.where(at < lengths[:, None], lengths[:, None] - 1 - at, at)[:, :, None]

    def turn(rows: Tensor) -> Tensor:
        return rows.gather(1, turned.expand(-1, -1, rows.shape[2]))

    start = states.new_zeros(1, sentences, layer.hidden_size)
    forth, back = (
        torch.lstm(given, (start, start), weights, True, 1, 0.0, True, False, True)[0]
        for given, weights in zip((states, turn(states)), layer.all_weights, strict=True)
    )
    return torch.cat([forth, turn(back)], 2)


class Convolutions(nn.Module):
    """Layers in which every word looks at two others, as far before it as after it."""

    steps = (1, 2, 4, 8, 2, 1)
    """How far each layer looks."""

    def __init__(self, words: int, dropout: float, hidden: int) -> None:
        super().__init__()
        self.width = hidden
        self.input = WordLayer(words, dropout)
        self.narrow = nn.Linear(self.input.width, hidden)
        self.layers = nn.ModuleList(nn.Linear(3 * hidden, hidden) for _ in self.steps)
        self.norms = nn.ModuleList(nn.LayerNorm(hidden) for _ in self.steps)
        self.dropout = SharedDropout(dropout / 2)

    def forward(self, words: Tensor, affixes: Tensor, grams: Tensor, lengths: Tensor) -> Tensor:
        """The states of words."""
        there = (torch.arange(words.shape[1]) < lengths[:, None])[:, :, None].float()
        states: Tensor = self.narrow(self.input(words, affixes, grams))
        for step, layer, norm in zip(self.steps, self.layers, self.norms, strict=True):
            seen = nn.functional.pad(states * there, (0, 0, step, step))
            around = torch.cat([seen[:, : -2 * step], seen[:, step:-step], seen[:, 2 * step :]], 2)
            states = norm(states + self.dropout(nn.functional.leaky_relu(layer(around), 0.1)))
        return states


class Pretrained(nn.Module):
    """A pretrained encoder of sub-words: a word has the state of its first one, its affixes' vectors beside.

    Recurrent units read both, from the two sides. While it learns, some sub-words are hidden behind `mask`,
    if the encoder knows such a one; and with `halves` it multiplies numbers of 16 bits.
    """

    affix_width = 64

    def __init__(self, model: nn.Module, dropout: float, hidden: int, mask: int | None, halves: bool) -> None:
        super().__init__()
        self.model, self.mask, self.halves = model, mask, halves
        self.affixes = nn.Embedding(AFFIX_ROWS, self.affix_width, padding_idx=PADDING)
        _start(self.affixes, 0.15)
        self.norm = nn.LayerNorm(self.affix_width)
        self.dropout = SharedDropout(dropout / 3)
        wide = model.config.hidden_size + self.affix_width
        half = max(hidden // 2, 1)
        self.reader = nn.LSTM(wide, half, batch_first=True, bidirectional=True)
        self.width = wide + 2 * half

    def forward(
        self,
        words: Tensor,
        affixes: Tensor,
        grams: Tensor,
        lengths: Tensor,
        pieces: Tensor,
        there: Tensor,
        places: Tensor,
    ) -> Tensor:
        """The states of words."""
        del words, grams  # sub-words tell more
        if self.training and self.mask is not None:
            pieces = pieces.masked_fill(torch.rand(pieces.shape) < HIDDEN_PIECES, self.mask)
        # what is added to the attention: nothing to sub-words, much less than nothing to padding
        attention = (1 - there)[:, None, None, :] * -10_000.0
        # weights and what is exported have all their bits
        with torch.autocast("cpu", torch.bfloat16, enabled=self.training and self.halves):
            found = self.model(input_ids=pieces, attention_mask=attention).last_hidden_state
        states = found.float().reshape(-1, found.shape[2])[places]
        seen = self.dropout(torch.cat([states, self.norm(self.affixes(affixes).sum(2))], 2))
        return torch.cat([seen, read(self.reader, seen, lengths)], 2)


def is_fast_with_halves() -> bool:
    """Whether the processor multiplies numbers of 16 bits by itself; others would be slower than with 32."""
    return bool(torch.cpu._is_avx512_bf16_supported())
