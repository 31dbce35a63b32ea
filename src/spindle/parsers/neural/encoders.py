"""Encoders: compute a state for every word of a sentence from the arrays of a reader. Needs torch."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from spindle.parsers.neural.dropout import SharedDropout
from spindle.parsers.neural.options import PRETRAINED_PREFIX, NeuralOptions, Precision
from spindle.parsers.neural.pretrained import load_pretrained
from spindle.parsers.neural.readers import SubwordReader, WordReader
from spindle.parsers.neural.recipes import recipe_of
from spindle.parsers.neural.words import AFFIX_ROWS, GRAM_ROWS, PADDING, WordTable

INPUT_DROPOUT = (0.2, 0.1, 0.1)
"""Input dropout during training, for word, affix and character n-gram embeddings."""
SUBWORD_DROPOUT = 0.1
"""The probability during training that a sub-word is replaced by the mask token."""
SUBWORD_STEP = 8
"""During training windows are padded to multiples of this many sub-words: torch compiles code for every
size that it meets, and few sizes fit into its cache."""
MASKED = -10_000.0
"""Added to the attention scores of padding: its probability becomes zero."""


class WordLayer(nn.Module):
    """Concatenates the embeddings of a word, of its affixes (summed) and of its n-grams (summed)."""

    width = 320

    def __init__(self, words: int, dropout: float) -> None:
        super().__init__()
        self.words = nn.Embedding(words, 128, padding_idx=PADDING)
        self.affixes = nn.Embedding(AFFIX_ROWS, 128, padding_idx=PADDING)
        self.grams = nn.Embedding(GRAM_ROWS, 64, padding_idx=PADDING)
        for table, scale in ((self.words, 0.3), (self.affixes, 0.15), (self.grams, 0.2)):
            _initialize(table, scale)
        self.norm = nn.LayerNorm(self.width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, words: Tensor, affixes: Tensor, grams: Tensor) -> Tensor:
        """Return the vectors of words, `[sentences, words, width]`."""
        parts = [self.words(words), self.affixes(affixes).sum(2), self.grams(grams).sum(2)]
        if self.training:
            kept = torch.rand(*words.shape, len(parts)) >= torch.tensor(INPUT_DROPOUT)
            parts = [part * kept[:, :, number, None] for number, part in enumerate(parts)]
        vectors: Tensor = self.dropout(self.norm(torch.cat(parts, 2)))
        return vectors


@torch.no_grad()
def _initialize(table: nn.Embedding, scale: float) -> None:
    """Draw random embeddings; that of padding is zero."""
    nn.init.normal_(table.weight, std=scale)
    table.weight[PADDING] = 0


class BiLstm(nn.Module):
    """Two bidirectional LSTM layers."""

    def __init__(self, words: int, dropout: float, hidden: int) -> None:
        super().__init__()
        self.width = 2 * hidden
        self.input = WordLayer(words, dropout)
        self.first = nn.LSTM(self.input.width, hidden, batch_first=True, bidirectional=True)
        self.second = nn.LSTM(self.width, hidden, batch_first=True, bidirectional=True)
        self.dropout = SharedDropout(dropout)

    def forward(self, words: Tensor, affixes: Tensor, grams: Tensor, lengths: Tensor) -> Tensor:
        """Return the states of words, `[sentences, words, width]`."""
        first = run_lstm(self.first, self.input(words, affixes, grams), lengths)
        return run_lstm(self.second, self.dropout(first), lengths)


def run_lstm(layer: nn.LSTM, states: Tensor, lengths: Tensor) -> Tensor:
    """Return the outputs of a bidirectional LSTM for padded sentences; padding changes nothing."""
    if layer.training:
        return _run_directions(layer, states, lengths)
    packed = nn.utils.rnn.pack_padded_sequence(states, lengths, batch_first=True)
    found: Tensor = nn.utils.rnn.pad_packed_sequence(layer(packed)[0], batch_first=True)[0]
    return found


def _run_directions(layer: nn.LSTM, states: Tensor, lengths: Tensor) -> Tensor:
    """Run the two directions one after the other, the second on reversed sentences.

    Padding comes last in both. Torch has fast code for this, forward and backward, but not for packed
    sentences.
    """
    sentences, size, _ = states.shape
    at = torch.arange(size)
    reversed_at = torch.where(at < lengths[:, None], lengths[:, None] - 1 - at, at)[:, :, None]

    def reverse(rows: Tensor) -> Tensor:
        return rows.gather(1, reversed_at.expand(-1, -1, rows.shape[2]))

    start = states.new_zeros(1, sentences, layer.hidden_size)
    forward, backward = (
        torch.lstm(given, (start, start), weights, True, 1, 0.0, True, False, True)[0]
        for given, weights in zip((states, reverse(states)), layer.all_weights, strict=True)
    )
    return torch.cat([forward, reverse(backward)], 2)


class Convolutions(nn.Module):
    """Dilated convolutions: each layer combines a word with two others, one on each side."""

    dilations = (1, 2, 4, 8, 2, 1)
    """The distance to those two words, for each layer."""

    def __init__(self, words: int, dropout: float, hidden: int) -> None:
        super().__init__()
        self.width = hidden
        self.input = WordLayer(words, dropout)
        self.narrow = nn.Linear(self.input.width, hidden)
        self.layers = nn.ModuleList(nn.Linear(3 * hidden, hidden) for _ in self.dilations)
        self.norms = nn.ModuleList(nn.LayerNorm(hidden) for _ in self.dilations)
        self.dropout = SharedDropout(dropout / 2)

    def forward(self, words: Tensor, affixes: Tensor, grams: Tensor, lengths: Tensor) -> Tensor:
        """Return the states of words, `[sentences, words, width]`."""
        mask = (torch.arange(words.shape[1]) < lengths[:, None])[:, :, None].float()
        states: Tensor = self.narrow(self.input(words, affixes, grams))
        for step, layer, norm in zip(self.dilations, self.layers, self.norms, strict=True):
            seen = nn.functional.pad(states * mask, (0, 0, step, step))
            around = torch.cat([seen[:, : -2 * step], seen[:, step:-step], seen[:, 2 * step :]], 2)
            states = norm(states + self.dropout(nn.functional.leaky_relu(layer(around), 0.1)))
        return states


class Pretrained(nn.Module):
    """A pretrained encoder, affix embeddings beside it, and a bidirectional LSTM above both.

    A word has the state of its first sub-word. During training some sub-words are replaced by `mask_id`,
    unless that is None, and with `bf16` the encoder multiplies numbers of 16 bits.
    """

    affix_width = 64

    def __init__(
        self, model: nn.Module, dropout: float, hidden: int, mask_id: int | None, bf16: bool
    ) -> None:
        super().__init__()
        self.model, self.mask_id, self.bf16 = model, mask_id, bf16
        self.affixes = nn.Embedding(AFFIX_ROWS, self.affix_width, padding_idx=PADDING)
        _initialize(self.affixes, 0.15)
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
        subwords: Tensor,
        mask: Tensor,
        positions: Tensor,
    ) -> Tensor:
        """Return the states of words, `[sentences, words, width]`."""
        del words, grams  # sub-words are enough
        if self.training and self.mask_id is not None:
            subwords = subwords.masked_fill(torch.rand(subwords.shape) < SUBWORD_DROPOUT, self.mask_id)
        attention = (1 - mask)[:, None, None, :] * MASKED
        # the weights, and the exported network, have 32 bits
        with torch.autocast("cpu", torch.bfloat16, enabled=self.training and self.bf16):
            found = self.model(input_ids=subwords, attention_mask=attention).last_hidden_state
        states = found.float().reshape(-1, found.shape[2])[positions]
        seen = self.dropout(torch.cat([states, self.norm(self.affixes(affixes).sum(2))], 2))
        return torch.cat([seen, run_lstm(self.reader, seen, lengths)], 2)


def has_fast_bf16() -> bool:
    """Whether the processor multiplies 16-bit numbers in hardware; without that 32 bits are faster."""
    return bool(torch.cpu._is_avx512_bf16_supported())


_FROM_SCRATCH = {"bilstm": BiLstm, "cnn": Convolutions}


def make_encoder(words: WordTable, treebanks: int, options: NeuralOptions) -> tuple[nn.Module, WordReader]:
    """Return the encoder that the options name, and the reader that makes its inputs."""
    recipe = recipe_of(options)
    if not options.is_pretrained:
        encoder = _FROM_SCRATCH[options.encoder](len(words), recipe.dropout, recipe.hidden)
        return encoder, WordReader(words, treebanks)
    found = load_pretrained(options.encoder.removeprefix(PRETRAINED_PREFIX))
    bf16 = has_fast_bf16() if options.precision is Precision.AUTO else options.precision is Precision.BF16
    return (
        Pretrained(found.model, recipe.dropout, recipe.hidden, found.mask_id, bf16),
        SubwordReader(words, treebanks, found.tokenizer, found.max_subwords, SUBWORD_STEP),
    )
