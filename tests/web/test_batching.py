"""Requests are merged into batches, and every request gets its own analyses."""

import asyncio
import threading
import time
from collections.abc import Coroutine, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest

pytest.importorskip("starlette", reason="needs spindle-parser[web]")

from spindle.errors import ParserError
from spindle.pipeline import Analysis, KBest, Parser, Sentence
from spindle.trees import Token
from spindle.web.batching import BATCH, Batcher, Stopped

T = TypeVar("T")


class Fake:
    """A parser that waits until it may go on, and fails for the word `wrong`."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.batches: list[list[str]] = []

    def analyse(self, sentences: Iterable[Sentence], **options: Any) -> Iterator[Analysis]:
        batch = list(sentences)
        self.batches.append([sentence.tokens[0].form for sentence in batch])
        self.go.wait(10)
        for sentence in batch:
            if sentence.tokens[0].form == "wrong":
                raise ParserError("this word is wrong")
            yield Analysis(sentence, KBest())


def in_a_loop(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on a thread of its own: Playwright keeps a loop in this one when it tests the page."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def sentences(*words: str) -> list[Sentence]:
    return [Sentence((Token(word),)) for word in words]


async def words_of(batcher: Batcher, *words: str, k: int = 1) -> list[str]:
    return [one.sentence.tokens[0].form async for one in batcher.analyse(sentences(*words), k)]


async def until(condition: Any) -> None:
    for _ in range(1000):
        if condition():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("this did not happen")


def started(fake: Fake) -> Batcher:
    return Batcher(fake, "fake", threads=1)  # type: ignore[arg-type]


def test_requests_that_wait_are_merged() -> None:
    fake = Fake()
    batcher = started(fake)

    async def run() -> list[list[str]]:
        first = asyncio.create_task(words_of(batcher, "a"))
        await until(lambda: fake.batches)
        others = [asyncio.create_task(words_of(batcher, f"b{at}", f"c{at}")) for at in range(16)]
        await until(lambda: batcher.waiting == 32)
        fake.go.set()
        return await asyncio.gather(first, *others)

    found = in_a_loop(run())
    batcher.close()
    assert found == [["a"], *([f"b{at}", f"c{at}"] for at in range(16))]
    assert [len(batch) for batch in fake.batches] == [1, 32]


def test_a_long_text_does_not_hold_up_a_short_one() -> None:
    fake = Fake()
    batcher = started(fake)

    async def run() -> None:
        long = asyncio.create_task(words_of(batcher, *(f"w{at}" for at in range(5 * BATCH))))
        await until(lambda: fake.batches)
        short = asyncio.create_task(words_of(batcher, "short"))
        await until(lambda: batcher.waiting == 4 * BATCH + 1)
        fake.go.set()
        assert await short == ["short"]
        assert await long == [f"w{at}" for at in range(5 * BATCH)]

    in_a_loop(run())
    batcher.close()
    assert "short" in fake.batches[1]
    assert max(map(len, fake.batches)) <= BATCH


def test_an_error_reaches_only_the_request_at_fault() -> None:
    fake = Fake()
    batcher = started(fake)

    async def run() -> None:
        first = asyncio.create_task(words_of(batcher, "a"))
        await until(lambda: fake.batches)
        right, wrong = (asyncio.create_task(words_of(batcher, word)) for word in ("right", "wrong"))
        await until(lambda: batcher.waiting == 2)
        fake.go.set()
        assert await first == ["a"]
        assert await right == ["right"]
        with pytest.raises(ParserError, match="this word is wrong"):
            await wrong

    in_a_loop(run())
    batcher.close()
    assert fake.batches[1] == ["right", "wrong"]


def test_different_options_are_not_merged() -> None:
    fake = Fake()
    batcher = started(fake)

    async def run() -> None:
        first = asyncio.create_task(words_of(batcher, "a"))
        await until(lambda: fake.batches)
        others = [asyncio.create_task(words_of(batcher, f"k{k}", k=k)) for k in (1, 2, 1)]
        await until(lambda: batcher.waiting == 3)
        fake.go.set()
        await asyncio.gather(first, *others)

    in_a_loop(run())
    batcher.close()
    assert fake.batches == [["a"], ["k1", "k1"], ["k2"]]


def test_a_request_that_was_given_up_is_not_parsed() -> None:
    fake = Fake()
    batcher = started(fake)

    async def run() -> None:
        first = asyncio.create_task(words_of(batcher, "a"))
        await until(lambda: fake.batches)
        given_up = asyncio.create_task(words_of(batcher, "given", "up"))
        await until(lambda: batcher.waiting == 2)
        given_up.cancel()
        await asyncio.gather(given_up, return_exceptions=True)
        other = asyncio.create_task(words_of(batcher, "b"))
        await until(lambda: batcher.waiting == 3)
        fake.go.set()
        await asyncio.gather(first, other)

    in_a_loop(run())
    batcher.close()
    assert fake.batches == [["a"], ["b"]]


def test_a_stopped_batcher_finishes_and_takes_no_more() -> None:
    fake = Fake()
    fake.go.set()
    batcher = started(fake)

    async def run() -> None:
        assert await words_of(batcher, "a", "b") == ["a", "b"]
        await asyncio.to_thread(batcher.close)
        with pytest.raises(Stopped):
            await words_of(batcher, "c")
        assert await words_of(batcher) == []

    in_a_loop(run())


def test_many_requests_get_their_own_trees(fast: Parser) -> None:
    texts = [
        f"The {noun} {verb} {at} times."
        for at in range(8)
        for noun, verb in (("cat", "slept"), ("dog", "ate"))
    ]
    batcher = Batcher(fast, "light")

    async def one(text: str) -> str:
        return " ".join([str(found) async for found in batcher.analyse(fast.sentences(text))])

    async def run() -> list[str]:
        return await asyncio.gather(*map(one, texts))

    found = in_a_loop(run())
    batcher.close()
    assert found == [str(fast(text)) for text in texts]


def test_threads_are_used_where_they_pay() -> None:
    """Of a fast parser, a small batch is one thread's work; of a slow one it is shared."""

    class Counting(Fake):
        def __init__(self, seconds: float) -> None:
            super().__init__()
            self.go.set()
            self.seconds = seconds
            self.threads: list[int] = []

        def analyse(self, sentences: Iterable[Sentence], **options: Any) -> Iterator[Analysis]:
            self.threads.append(options["threads"])
            given = list(sentences)
            time.sleep(self.seconds * len(given) / options["threads"])
            return super().analyse(given, **options)

    used = {}
    for seconds in (0.0, 0.02):
        fake = Counting(seconds)
        batcher = Batcher(fake, "fake", threads=2)  # type: ignore[arg-type]
        for _ in range(40):
            in_a_loop(words_of(batcher, "a", "b", "c"))
        batcher.close()
        used[seconds] = fake.threads[-1]
    assert used == {0.0: 1, 0.02: 2}
