from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from mmap import mmap
from typing import Any

import numpy

from spindle.trees.token import Token

Column = tuple[int, ...]
Array = numpy.ndarray[Any, Any]
# tokens, labels, parents, leaf parents
BracketColumns = tuple[tuple[Token, ...], tuple[str, ...], Column, Column]
# the line a tree starts on, its columns, "", 0; or that line, None, the fault, and the line of the fault
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
def bracket_balance(text: str) -> tuple[int, int]: ...

# length, gold, pred, matched, crossing, words, tags, disc_gold, disc_pred, disc_matched, distinct_gold,
# distinct_pred
SentenceCounts = tuple[int, int, int, int, int, int, int, int, int, int, int, int]

# forms, tags, labels, parents, leaf parents
ScoredColumns = tuple[Sequence[str], Sequence[str], Sequence[str], Sequence[int], Sequence[int]]

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
    def score_columns(self, gold: ScoredColumns, pred: ScoredColumns) -> SentenceCounts | None: ...
    def tallies(
        self,
    ) -> tuple[list[int], list[int], list[int], dict[tuple[int, int], int], list[int], list[int]]: ...

class Sentence:
    def __init__(
        self,
        forms: Sequence[str],
        lemmas: Sequence[str] = ...,
        morphs: Sequence[str] = ...,
        with_attributes: bool = ...,
    ) -> None: ...
    def set_tags(self, tags: Sequence[str]) -> None: ...
    def __len__(self) -> int: ...

def repair_events(
    heads: Sequence[int],
    symbols: Sequence[str],
    indices: Sequence[int],
    continuous: bool,
    lower_nearer: bool,
) -> tuple[tuple[int, ...], tuple[str, ...], tuple[list[int], ...], tuple[bool, bool, bool, bool]] | None: ...
def arc_context(
    heads: Array, sizes: Sequence[int], starts: Sequence[int], padding_row: int
) -> tuple[Array, Array, Array]: ...
def node_context(
    heads: Array,
    symbols: Array,
    events: Array,
    sizes: Sequence[int],
    starts: Sequence[int],
    padding_row: int,
) -> tuple[Array, Array, Array, Array, Array]: ...
def constituents(
    heads: Array,
    symbols: Array,
    indices: Array,
    sizes: Sequence[int],
    starts: Sequence[int],
    padding_row: int,
    continuous: bool,
    differences: bool,
) -> tuple[Array, Array, Array, Array, Array]: ...
def best_projective_tree(scores: Array) -> list[int]: ...
def best_tree(scores: Array) -> list[int]: ...
def best_projective_trees(scores: Array, k: int, within: float = ...) -> list[list[int]]: ...
def best_trees(scores: Array, k: int, within: float = ...) -> list[list[int]]: ...
def projective_marginals(scores: Array) -> Array: ...
def marginals(scores: Array) -> Array: ...
def best_trees_batch(
    tables: Array,
    lengths: Sequence[int],
    k: Sequence[int],
    within: float,
    projective: bool,
    threads: int,
) -> tuple[Array, Array, Array]: ...
def marginals_batch(
    tables: Array, lengths: Sequence[int], projective: bool, threads: int
) -> tuple[list[float], Array]: ...

class ArcOptions:
    def __init__(self, *, order: int, projective: bool, candidates: int, starts: int, seed: int) -> None: ...

class ArcTrainer:
    def __init__(
        self,
        options: ArcOptions,
        *,
        bits: int,
        sentences: list[Sentence],
        heads: list[list[int]],
        labels: list[list[int]] = ...,
        label_count: int = ...,
        tables: list[Array] = ...,
        scales: list[float] = ...,
        folds: list[int] = ...,
    ) -> None: ...
    def train_epoch(self, epoch: int, threads: int) -> tuple[int, int, float]: ...
    def quantized(self) -> tuple[Array, float]: ...
    def state(self) -> tuple[Array, Array, Array, int]: ...
    def restore(self, weights: Array, sums: Array, squares: Array, step: int) -> None: ...
    def dictionary(self) -> tuple[Array, Array]: ...
    def labels(self) -> dict[str, Array]: ...

class ArcParser:
    def __init__(
        self,
        options: ArcOptions,
        *,
        keys: Array,
        distances: Array,
        arcs: Array,
        arcs_scale: float,
        parts: Array,
        parts_scale: float,
        labels: dict[str, Array] = ...,
        label_count: int = ...,
    ) -> None: ...
    def parse(self, sentences: list[Sentence], threads: int) -> list[list[int]]: ...
    def label(
        self, sentences: list[Sentence], heads: Sequence[Sequence[int]], threads: int
    ) -> list[list[int]]: ...
    def parse_k_best(
        self, sentences: list[Sentence], k: int, threads: int
    ) -> list[list[tuple[list[int], float]]]: ...
    def head_probabilities(
        self, sentences: list[Sentence], temperature: float, threads: int
    ) -> list[Array]: ...
    def score(self, sentence: Sentence, heads: list[int]) -> float: ...

class Lexicon:
    def __init__(
        self, words: Array, starts: Array, labels: Array, open: Array, label_count: int, tags: Sequence[str]
    ) -> None: ...
    @staticmethod
    def learn(
        sentences: Sequence[Sentence], gold: Sequence[Sequence[int]], label_count: int, tags: Sequence[str]
    ) -> Lexicon: ...
    def columns(self) -> tuple[Array, Array, Array, Array]: ...

class SequenceTrainer:
    def __init__(self, lexicon: Lexicon, bits: int) -> None: ...
    def learn(self, sentences: Sequence[Sentence], gold: Sequence[Sequence[int]]) -> int: ...
    def weights(self) -> Array: ...

class SequenceModel:
    def __init__(self, lexicon: Lexicon, weights: Array) -> None: ...
    def decode(self, sentences: Sequence[Sentence], threads: int) -> list[list[int]]: ...
    def score(self, sentence: Sentence, labels: Sequence[int]) -> float: ...
    def candidates(self, sentence: Sentence) -> list[list[int]]: ...

def best_sequence(single: Sequence[Sequence[float]], pairs: Sequence[Sequence[float]]) -> list[int]: ...
def sequence_marginals(
    single: Sequence[Sequence[float]], pairs: Sequence[Sequence[float]]
) -> tuple[list[float], list[float]]: ...

class LabelerTrainer:
    def __init__(
        self,
        sentences: list[Sentence],
        heads: Sequence[Sequence[int]],
        labels: Sequence[Sequence[int]],
        *,
        label_count: int,
        bits: int,
        epochs: int,
        seed: int,
        templates: int = 0,
    ) -> None: ...
    def run_epoch(self, threads: int) -> int: ...
    def arrays(self) -> dict[str, Array]: ...

class Labeler:
    def __init__(self, arrays: dict[str, Array], label_count: int, templates: int = 0) -> None: ...
    def label(
        self, sentences: list[Sentence], heads: Sequence[Sequence[int]], with_confidences: bool, threads: int
    ) -> tuple[list[list[int]], list[list[float]]]: ...

# labels, parents, leaf parents, heads
TreeColumns = tuple[Sequence[str], Sequence[int], Sequence[int], Sequence[int]]
# heads, symbols, events
DTreeColumns = tuple[Sequence[int], Sequence[str], Sequence[int]]

# word, event, class
PlacedClass = tuple[int, int, int]

class NodeClassifierTrainer:
    @staticmethod
    def of_trees(
        sentences: list[Sentence],
        trees: Sequence[TreeColumns],
        gold: Sequence[Sequence[int]],
        *,
        class_count: int,
        bits: int,
        epochs: int,
        seed: int,
        threads: int,
    ) -> NodeClassifierTrainer: ...
    @staticmethod
    def of_dtrees(
        sentences: list[Sentence],
        trees: Sequence[DTreeColumns],
        gold: Sequence[Sequence[PlacedClass]],
        *,
        class_count: int,
        bits: int,
        epochs: int,
        seed: int,
        threads: int,
    ) -> NodeClassifierTrainer: ...
    def run_epoch(self) -> int: ...
    def arrays(self) -> dict[str, Array]: ...

class RerankerTrainer:
    def __init__(self, *, bits: int, epochs: int, seed: int) -> None: ...
    def add(
        self,
        sentence: Sentence,
        trees: Sequence[TreeColumns],
        parser_scores: Sequence[float],
        qualities: Sequence[float],
    ) -> None: ...
    def run_epoch(self) -> float: ...
    def arrays(self) -> dict[str, Array]: ...

class Reranker:
    def __init__(self, arrays: dict[str, Array]) -> None: ...
    def scores(
        self,
        sentences: list[Sentence],
        trees: Sequence[Sequence[TreeColumns]],
        parser_scores: Sequence[Sequence[float]],
        threads: int,
    ) -> list[list[float]]: ...

class NodeClassifier:
    def __init__(self, arrays: dict[str, Array], class_count: int, by_parent: bool) -> None: ...
    def classify_trees(
        self, sentences: list[Sentence], trees: Sequence[TreeColumns], threads: int
    ) -> list[list[int]]: ...
    def classify_dtrees(
        self, sentences: list[Sentence], trees: Sequence[DTreeColumns], threads: int
    ) -> list[list[PlacedClass]]: ...
    def decode_dtrees(
        self,
        sentences: list[Sentence],
        trees: Sequence[DTreeColumns],
        chain_lengths: Sequence[int],
        threads: int,
    ) -> list[tuple[Column, Column, Column, Column, list[PlacedClass]]]: ...

# attribute, predicate, predicate of labels, is negated
PatternText = tuple[int, int, int, bool]
# attribute, comparison, value
PatternNumber = tuple[int, int, int]
# tests, name, name of the same label, formula
PatternVertex = tuple[Sequence[PatternText], Sequence[PatternNumber], int, int, int]
# kind, parts, relation, argument, vertex
PatternFormula = tuple[int, Sequence[int], int, int, int]
# word w is w, node n is words + n, the word below a tag is -1 - w
VertexCode = int
# a matching vertex, and the vertices of every name
# the number of a tree, its matching vertices (None if it needs too many steps), and for each of them the
# vertices of every name (None if names are not collected)
FoundInTree = tuple[int, tuple[VertexCode, ...] | None, list[list[list[VertexCode]]] | None]

class TreeStore:
    def __init__(self) -> None: ...
    def add_tree(
        self,
        tokens: tuple[Token, ...],
        labels: tuple[str, ...],
        parents: Sequence[int],
        leaf_parents: Sequence[int],
        functions: tuple[str, ...],
        heads: Sequence[int] | None,
    ) -> None: ...
    def add_dtree(
        self,
        tokens: tuple[Token, ...],
        heads: Sequence[int],
        symbols: tuple[str, ...],
        events: Sequence[int],
    ) -> None: ...
    def add_texts(self, texts: list[str], threads: int) -> list[bool]: ...
    def clear(self) -> None: ...
    def __len__(self) -> int: ...

class TreeSearcher:
    def __init__(
        self,
        store: TreeStore,
        predicates: Sequence[frozenset[str] | None],
        vertices: Sequence[PatternVertex],
        formulas: Sequence[PatternFormula],
        root: int,
        names: int,
        collects_names: bool,
    ) -> None: ...
    def new_symbols(self) -> list[str]: ...
    def extend(self, predicate: int, holds: bytes) -> None: ...
    def find(self, threads: int) -> list[FoundInTree]: ...
    def find_in_index(self, index: TreeIndex, trees: memoryview, threads: int) -> list[FoundInTree]: ...
    def candidates(self, index: TreeIndex, as_dtrees: bool) -> bytes: ...

class BadIndex(ValueError): ...

class IndexWriter:
    trees: int
    words: int
    def __init__(self) -> None: ...
    def add(self, store: TreeStore, number: int, details: bytes) -> None: ...
    def finish(self, store: TreeStore, meta: bytes) -> None: ...
    def take(self) -> bytes: ...

class TreeIndex:
    trees: int
    words: int
    def __init__(self, bytes: mmap) -> None: ...
    def fill(self, store: TreeStore) -> None: ...
    def meta(self) -> bytes: ...
    def verify(self) -> None: ...

class IndexReader:
    def __init__(self, index: TreeIndex, store: TreeStore) -> None: ...
    def read(self, number: int) -> tuple[Any, ...]: ...

class BoundaryModel:
    def __init__(
        self,
        keys: Array,
        kinds: Array,
        vocabulary: Array,
        token_weights: Array,
        sentence_weights: Array,
    ) -> None: ...
    def find(self, codes: Array, plain: Array, classes: Array) -> tuple[Array, Array, Array]: ...

class BoundaryTrainer:
    decisions: int
    def __init__(self, keys: Array, kinds: Array, vocabulary: Array, bits: int, seed: int) -> None: ...
    def add(
        self, codes: Array, plain: Array, classes: Array, begins: Array, ends: Array, sentence_starts: Array
    ) -> None: ...
    def run_epoch(self, rate: float) -> int: ...
    def token_weights(self) -> Array: ...
    def sentence_weights(self) -> Array: ...

def vocabulary(words: Array, names: Array, bits: int) -> Array: ...
def word_key(plain: Array) -> int: ...
def read_bytes(file: int, size: int) -> bytes: ...

class Stop:
    """A flag that stops the work of all threads that follow it."""

    def __init__(self) -> None: ...
    def set(self) -> None: ...
    def following(self) -> AbstractContextManager[None]: ...
