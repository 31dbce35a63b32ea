"""What the server refuses, so that no request can take all of its memory or time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The limits of a server; a request beyond one of them gets an answer that names it."""

    body_bytes: int = 64 << 20
    """The size of a request."""
    sentence_words: int = 10_000
    """The length of a sentence; those above the parser's own limit are parsed in pieces."""
    k: int = 50
    """The number of trees of a sentence."""
    seconds: float = 60.0
    """The time that a request may take, waiting included."""
    requests: int = 128
    """The number of requests that are worked on or wait; more are answered with 503."""
    client_requests: int = 64
    """The same for one client address; more are answered with 429."""
    treebanks: int = 16
    """The number of treebanks that pages have opened; the oldest is closed for a new one."""
    annotations: int = 100
    """The number of annotations in the work folder."""
    annotation_sentences: int = 100_000
    """The number of sentences of an annotation."""
    work_bytes: int = 4 << 30
    """The size of the work folder; beyond that nothing new is begun in it."""
