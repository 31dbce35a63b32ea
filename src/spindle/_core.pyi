from collections.abc import Callable, Sequence
from typing import Any

import numpy

from spindle.trees.token import Token

Column = tuple[int, ...]
Array = numpy.ndarray[Any, Any]
# tokens, labels, parents, leaf parents
BracketColumns = tuple[tuple[Token, ...], tuple[str, ...], Column, Column]
# the line a tree starts on and its columns; or None for these, and what is wrong in which line
ParsedBracket = tuple[int, BracketColumns | None, str, int]

def arrange_tree(parents: Sequence[int], leaf_parents: Sequence[int]) -> tuple[Column, Column, Column]: ...
def check_heads(parents: Sequence[int], leaf_parents: Sequence[int], heads: Sequence[int]) -> None: ...
def tree_children(parents: Sequence[int], leaf_parents: Sequence[int]) -> tuple[Column, ...]: ...
def check_tree(parents: Sequence[int], leaf_parents: Sequence[int]) -> None: ...
def encode_tree(
    parents: Sequence[int], leaf_parents: Sequence[int], heads: Sequence[int]
) -> tuple[Column, Column, Column, Column, Column]: ...
def decode_tree(
    heads: Sequence[int],
    events: Sequence[int],
    chain_tokens: Sequence[int],
    chain_events: Sequence[int],
    chain_lengths: Sequence[int],
) -> tuple[Column, Column, Column, Column]: ...
def check_dtree(heads: Sequence[int], events: Sequence[int]) -> None: ...
def dtree_properties(
    heads: Sequence[int], symbols: Sequence[int], events: Sequence[int]
) -> tuple[bool, bool, bool, bool]: ...
def parse_brackets(text: str, is_nested: bool, token: type[Token]) -> tuple[list[ParsedBracket], bool]: ...
def parse_discbrackets(text: str, token: type[Token]) -> list[ParsedBracket]: ...
def outline(text: str) -> tuple[int, int]: ...

# length, gold, pred, matched, crossing, words, tags, discontinuous ones (gold, pred, matched), distinct ones
# (gold, pred)
SentenceCounts = tuple[int, int, int, int, int, int, int, int, int, int, int, int]

class TreeScorer:
    def __init__(
        self,
        label_code: Callable[[str], int],
        tag_facts: Callable[[str], tuple[int, bool, bool, bool, bool]],
        equal_words: dict[str, str],
        deleted_words: set[str],
        wrapper_labels: set[str],
        deletes_by_gold: bool,
        disc_only: bool,
        longest: int | None,
    ) -> None: ...
    def score_texts(
        self, gold: str, gold_is_discontinuous: bool, pred: str, pred_is_discontinuous: bool
    ) -> SentenceCounts | None: ...
    def score_columns(
        self,
        gold_forms: Sequence[str],
        gold_tags: Sequence[str],
        gold_labels: Sequence[str],
        gold_parents: Sequence[int],
        gold_leaf_parents: Sequence[int],
        pred_forms: Sequence[str],
        pred_tags: Sequence[str],
        pred_labels: Sequence[str],
        pred_parents: Sequence[int],
        pred_leaf_parents: Sequence[int],
        /,
    ) -> SentenceCounts | None: ...
    def tallies(
        self,
    ) -> tuple[list[int], list[int], list[int], dict[tuple[int, int], int], list[int], list[int]]: ...

class Sentence:
    def __init__(
        self, forms: Sequence[str], lemmas: Sequence[str] = ..., morphs: Sequence[str] = ...
    ) -> None: ...
    def set_tags(self, tags: Sequence[str]) -> None: ...
    def __len__(self) -> int: ...

def best_projective_tree(scores: Array) -> list[int]: ...
def best_tree(scores: Array) -> list[int]: ...

class ArcTrainer:
    def __init__(
        self,
        order: int,
        projective: bool,
        candidates: int,
        starts: int,
        seed: int,
        bits: int,
        sentences: list[Sentence],
        heads: list[list[int]],
        arcs: list[Array],
        scales: list[float],
        folds: list[int],
        aggressiveness: float,
    ) -> None: ...
    def train_epoch(self, epoch: int, threads: int) -> tuple[int, int, float]: ...
    def frozen(self) -> tuple[Array, float]: ...
    def state(self) -> tuple[Array, Array, int]: ...
    def restore(self, weights: Array, sums: Array, step: int) -> None: ...
    def dictionary(self) -> tuple[Array, Array]: ...

class ArcParser:
    def __init__(
        self,
        order: int,
        projective: bool,
        candidates: int,
        starts: int,
        seed: int,
        keys: Array,
        distances: Array,
        arcs: Array,
        parts: Array,
        arcs_scale: float,
        parts_scale: float,
    ) -> None: ...
    def parse(self, sentences: list[Sentence], threads: int) -> list[list[int]]: ...
    def score(self, sentence: Sentence, heads: list[int]) -> float: ...
