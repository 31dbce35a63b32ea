"""Merges the sentences of concurrent requests into batches, so that a parser works as fast as on a file.

While a batch is parsed, the sentences of other requests wait; the next batch takes from all of them in turn.
So a long text does not hold up a short one, and no request waits for others to arrive.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections import deque
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from threading import Condition, Thread
from time import perf_counter

from spindle.pipeline import Analysis, ParsingFace, Sentence

BATCH = 64
"""The number of sentences that are parsed together on one thread, at most."""

THREAD_SECONDS = 0.01
"""The work that is worth a thread: for less, starting it takes longer than it helps."""
RECENT = 32
"""How many batches show the time of a word. The quickest counts: the others may have waited for a core."""

_logger = logging.getLogger(__name__)


class Stopped(Exception):
    """The server stops and does not take sentences any more."""


@dataclass(eq=False)
class _Job:
    """The sentences of one request, and where their analyses go."""

    sentences: Sequence[Sentence]
    options: tuple[int, bool]
    """`k`, and whether confidences are wanted."""
    loop: asyncio.AbstractEventLoop
    taken: int = 0
    is_cancelled: bool = False
    results: asyncio.Queue[list[Analysis] | Exception] = field(default_factory=asyncio.Queue)


Delivery = tuple[_Job, list[Analysis] | Exception]


def _deliver(deliveries: Sequence[Delivery]) -> None:
    """Pass results to their event loops, each of which is woken once."""
    by_loop: dict[asyncio.AbstractEventLoop, list[Delivery]] = {}
    for job, result in deliveries:
        by_loop.setdefault(job.loop, []).append((job, result))
    for loop, some in by_loop.items():
        try:
            loop.call_soon_threadsafe(_put, some)
        except RuntimeError:  # the loop is closed
            for job, _ in some:
                job.is_cancelled = True


def _put(deliveries: Sequence[Delivery]) -> None:
    for job, result in deliveries:
        job.results.put_nowait(result)


class Batcher:
    """Parses the sentences of all requests to one parser, on a thread of its own."""

    def __init__(self, parser: ParsingFace, name: str, threads: int | None = None) -> None:
        self.parser = parser
        self.sentences = self.batches = 0
        """The numbers of sentences and batches that were parsed."""
        self._threads = threads or os.cpu_count() or 1
        self._seconds = deque([THREAD_SECONDS / 10], maxlen=RECENT)  # for a word, on one thread
        self._jobs: deque[_Job] = deque()
        self._changed = Condition()
        self._stops = False
        self._thread = Thread(target=self._work, name=f"spindle-{name}", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """The number of sentences that wait."""
        with self._changed:
            return sum(len(job.sentences) - job.taken for job in self._jobs)

    async def analyse(
        self, sentences: Sequence[Sentence], k: int = 1, confidences: bool = False
    ) -> AsyncIterator[Analysis]:
        """Yield the analyses of sentences, in order; what still waits is dropped if the caller leaves."""
        if not sentences:
            return
        job = _Job(sentences, (k, confidences), asyncio.get_running_loop())
        with self._changed:
            if self._stops:
                raise Stopped
            self._jobs.append(job)
            self._changed.notify()
        try:
            done = 0
            while done < len(sentences):
                found = await job.results.get()
                if isinstance(found, Exception):
                    raise found
                for analysis in found:
                    yield analysis
                done += len(found)
        finally:
            job.is_cancelled = True

    def close(self) -> None:
        """Finish what waits and stop the thread."""
        with self._changed:
            self._stops = True
            self._changed.notify()
        self._thread.join()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._jobs or self._stops)
                if not self._jobs:
                    return
                parts = self._next_batch()
            if parts:
                self._parse(parts)

    def _next_batch(self) -> list[tuple[_Job, Sequence[Sentence]]]:
        """Take sentences of all jobs with the options of the first, as evenly as possible."""
        waiting = [job for job in self._jobs if not job.is_cancelled]
        if not waiting:
            self._jobs.clear()
            return []
        chosen = [job for job in waiting if job.options == waiting[0].options]
        room = BATCH * self._threads
        shares = dict.fromkeys(chosen, 0)
        for left in range(len(chosen), 0, -1):
            # those with the fewest sentences first, so that the others get what these leave
            job = min(chosen, key=lambda job: len(job.sentences) - job.taken)
            chosen.remove(job)
            shares[job] = min(len(job.sentences) - job.taken, -(-room // left))
            room -= shares[job]
        parts = []
        for job, share in shares.items():
            if share:
                parts.append((job, job.sentences[job.taken : job.taken + share]))
                job.taken += share
        # jobs that were served go behind those that were not
        unserved = [job for job in waiting if not shares.get(job)]
        rest = [job for job, _ in parts if job.taken < len(job.sentences)]
        self._jobs = deque(unserved + rest)
        return parts

    def _parse(self, parts: Sequence[tuple[_Job, Sequence[Sentence]]]) -> None:
        """Parse a batch; if that fails, each job by itself, so that only the one at fault fails."""
        options = parts[0][0].options
        try:
            found = self._analyses([sentence for _, part in parts for sentence in part], *options)
        except Exception as error:
            if len(parts) == 1:
                _logger.debug("a batch failed: %s", error)
                parts[0][0].is_cancelled = True
                _deliver([(parts[0][0], error)])
                return
            for one in parts:
                self._parse([one])
            return
        rest = iter(found)
        _deliver([(job, list(islice(rest, len(part)))) for job, part in parts])

    def _analyses(self, sentences: Sequence[Sentence], k: int, confidences: bool) -> list[Analysis]:
        words = sum([len(sentence.tokens) for sentence in sentences]) or 1
        threads = max(1, min(self._threads, int(words * min(self._seconds) / THREAD_SECONDS)))
        # Of few sentences every thread gets some.
        batch = min(BATCH, -(-len(sentences) // threads))
        start = perf_counter()
        # A batch of one would keep the parser from using its threads for different sentences.
        found = list(
            self.parser.analyse(sentences, threads=threads, k=k, confidences=confidences, batch=max(batch, 2))
        )
        self._seconds.append((perf_counter() - start) * threads / words)
        self.sentences += len(sentences)
        self.batches += 1
        return found
