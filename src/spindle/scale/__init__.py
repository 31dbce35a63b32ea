"""Corpora that are too large for one process: parsed partition by partition, on one machine, Dask or Ray."""

from spindle.scale.collections import parse_bag, parse_dataframe, parse_dataset
from spindle.scale.corpus import Corpus, Listener, parse_corpus
from spindle.scale.jobs import CorpusError
from spindle.scale.manifest import Manifest
from spindle.scale.shards import Matches, evaluate, search, stats

__all__ = [
    "Corpus",
    "CorpusError",
    "Listener",
    "Manifest",
    "Matches",
    "evaluate",
    "parse_bag",
    "parse_corpus",
    "parse_dataframe",
    "parse_dataset",
    "search",
    "stats",
]
