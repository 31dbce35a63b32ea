"""How fast `spindle serve` answers under load, beside the parser's own speed in the same run.

    python benchmarks/web_load.py TEXT --model light --clients 16 --requests 2000 --sentences 1,5
    python benchmarks/web_load.py --memory 100000
    python benchmarks/web_load.py TEXT --overload 300

TEXT has one sentence a line. Each of the clients, which run in a process of their own, sends one request
after the other, over one connection; `--sentences` is how many sentences a request has. The speed of the
parser itself is that of `parse_many` with as many threads on the same sentences in this process, before and
after the load, with the trees written in brackets. Both are given as sentences per second and as CPU
milliseconds for a sentence: the second depends less on the other programs of a machine, and the clients are
not part of it.

Every answer is compared with its request: it must have its words. Trees that are not those of `parse_many`
are counted apart: only networks that are not quantised may have some.

`--memory N` sends N requests of one short sentence and prints the memory of the server after each tenth.
`--overload N` sends N requests at once, from several addresses, to a server that admits only some, and checks
that each is answered with its own tree or with 503 or 429.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from threading import Thread
from time import perf_counter
from typing import NamedTuple
from urllib.parse import urlsplit

import spindle

SECONDS = 1800
"""The longest time that the load may take."""
SHORT = "Dogs bark ."
HOSTS = 8
"""The addresses from which an overload comes: a server admits fewer requests of one than of all."""
Request = list[str]
"""The sentences of a request, words between blanks."""


class Answer(NamedTuple):
    """The seconds until an answer, its status, and its trees."""

    seconds: float
    status: int
    trees: list[str]


class Server(NamedTuple):
    """A running server."""

    address: str
    pid: int

    @property
    def cpu(self) -> float:
        """The CPU seconds that it has used."""
        columns = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(columns[11]) + int(columns[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def memory(self) -> float:
        """The resident memory in MB."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


@contextmanager
def server(model: str) -> Iterator[Server]:
    """Start a server, and stop it at the end."""
    command = [sys.executable, "-m", "spindle", "serve", "--port", "0", "--model", model]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            yield Server(process.stdout.readline().split()[-1], process.pid)
        finally:
            process.terminate()


# ── the clients, in a process of their own ───────────────────────────────────────────────────────────


def client(address: str, requests: list[Request], found: list[Answer], host: int) -> None:
    """Send requests one after the other, from one of the addresses of this machine."""
    parts = urlsplit(address)
    assert parts.hostname is not None
    connection = http.client.HTTPConnection(
        parts.hostname, parts.port, timeout=SECONDS, source_address=(f"127.0.0.{1 + host}", 0)
    )
    for sentences in requests:
        start = perf_counter()
        body = json.dumps({"tokens": [sentence.split() for sentence in sentences]})
        connection.request("POST", "/api/parse", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        record = json.loads(response.read())
        trees = [one["tree"] for one in record["sentences"]] if response.status == 200 else []
        found.append(Answer(perf_counter() - start, response.status, trees))
    connection.close()


def load(address: str, parts: list[list[Request]], hosts: int, results: multiprocessing.Queue) -> None:  # type: ignore[type-arg]
    """Run all clients, from several addresses; report the time and the answers of each."""
    answers: list[list[Answer]] = [[] for _ in parts]
    pairs = zip(parts, answers, strict=True)
    threads = [Thread(target=client, args=(address, *pair, at % hosts)) for at, pair in enumerate(pairs)]
    start = perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results.put((perf_counter() - start, answers))


def under_load(
    address: str, requests: list[Request], clients: int, hosts: int = 1
) -> tuple[float, list[Answer | None]]:
    """Send requests from several clients; return the seconds and the answers in the order of the requests."""
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    parts = [requests[at::clients] for at in range(clients)]
    process = context.Process(target=load, args=(address, parts, hosts, results))
    process.start()
    seconds, answers = results.get(timeout=SECONDS)
    process.join()
    found: list[Answer | None] = [None] * len(requests)
    for at, some in enumerate(answers):
        for number, answer in enumerate(some):
            found[at + number * clients] = answer
    return seconds, found


# ── what is measured ─────────────────────────────────────────────────────────────────────────────────


class Speed(NamedTuple):
    """Sentences per second, and CPU milliseconds for a sentence."""

    per_second: float
    milliseconds: float

    def __str__(self) -> str:
        return f"{self.per_second:,.0f} sentences/s, {self.milliseconds:.2f} CPU ms a sentence"


def own_speed(parser: spindle.Parser, sentences: list[str]) -> tuple[Speed, list[str]]:
    """Return the speed of the parser itself, and its trees."""
    words = [sentence.split() for sentence in sentences]
    start, cpu = perf_counter(), time.process_time()
    trees = [str(tree) for tree in parser.parse_many(words)]
    seconds, cpu = perf_counter() - start, time.process_time() - cpu
    return Speed(len(words) / seconds, 1000 * cpu / len(words)), trees


def mixed_up(requests: list[Request], answers: list[Answer | None]) -> int:
    """Return how many requests got no answer, or one with other words."""

    def words(tree: str) -> list[str]:
        return [leaf.form for leaf in spindle.parse_tree(tree).tokens]

    return sum(
        answer is None or [words(tree) for tree in answer.trees] != [one.split() for one in sentences]
        for sentences, answer in zip(requests, answers, strict=True)
    )


def other_trees(requests: list[Request], answers: list[Answer | None], trees: dict[str, str]) -> int:
    """Return how many trees of the answers are not those of `parse_many`."""
    return sum(
        trees[sentence] != tree
        for sentences, answer in zip(requests, answers, strict=True)
        if answer
        for sentence, tree in zip(sentences, answer.trees, strict=False)
    )


def measure(model: str, lines: list[str], clients: int, number: int, size: int) -> None:
    """Print the speed under load with requests of `size` sentences."""
    sentences = [lines[at % len(lines)] for at in range(number * size)]
    requests = [sentences[at : at + size] for at in range(0, len(sentences), size)]
    parser = spindle.load(model)
    assert isinstance(parser, spindle.Parser)
    own_speed(parser, sentences[:64])  # warm
    before, found = own_speed(parser, sentences)
    trees = dict(zip(sentences, found, strict=True))
    with server(model) as running:
        under_load(running.address, requests[:64], clients)
        memory, cpu = running.memory, running.cpu
        seconds, answers = under_load(running.address, requests, clients)
        served = Speed(len(sentences) / seconds, 1000 * (running.cpu - cpu) / len(sentences))
        memory_after = running.memory
    after, _ = own_speed(parser, sentences)
    latencies = [1000 * answer.seconds for answer in answers if answer]
    cuts = quantiles(latencies, n=100)
    per_second = (before.per_second + after.per_second) / 2
    milliseconds = (before.milliseconds + after.milliseconds) / 2
    print(f"{model}, {clients} clients, {number:,} requests of {size} sentences")
    print(f"  parse_many  {before}; after the load {after}")
    print(f"  server      {served}")
    print(f"  share       {served.per_second / per_second:.0%} of the speed", end=", ")
    print(f"{milliseconds / served.milliseconds:.0%} by CPU time")
    print(f"  latency     p50 {median(latencies):.1f} ms, p95 {cuts[94]:.1f} ms, p99 {cuts[98]:.1f} ms")
    print(f"  memory      {memory:.0f} MB before, {memory_after:.0f} MB after")
    print(f"  answers     {len(latencies):,}, lost or mixed up {mixed_up(requests, answers)}", end=", ")
    print(f"{other_trees(requests, answers, trees)} other trees")


def measure_memory(model: str, number: int, clients: int) -> None:
    """Print the memory of a server after each tenth of many requests."""
    wrong = 0
    with server(model) as running:
        under_load(running.address, [[SHORT]] * 1000, clients)
        memories = [running.memory]
        cpu = running.cpu
        for _ in range(10):
            requests = [[SHORT]] * (number // 10)
            _, answers = under_load(running.address, requests, clients)
            wrong += mixed_up(requests, answers)
            memories.append(running.memory)
        cpu = running.cpu - cpu
    print(
        f"{model}, {number:,} requests of {len(SHORT.split())} words, {1000 * cpu / number:.2f} CPU ms each"
    )
    print(f"  memory      {', '.join(f'{one:.1f}' for one in memories)} MB")
    print(f"  answers     lost or mixed up {wrong}")


def overload(model: str, lines: list[str], number: int) -> None:
    """Send requests at once, each on a connection of its own."""
    requests = [[lines[at % len(lines)]] for at in range(number)]
    with server(model) as running:
        _, answers = under_load(running.address, requests, number, HOSTS)
    statuses = Counter(answer.status for answer in answers if answer)
    answered = [at for at, answer in enumerate(answers) if answer and answer.status == 200]
    wrong = mixed_up([requests[at] for at in answered], [answers[at] for at in answered])
    told = ", ".join(f"{count} × {status}" for status, count in sorted(statuses.items()))
    print(f"overload      {number} at once: {told}; lost {answers.count(None)}, mixed up {wrong}")


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("text", type=Path, nargs="?")
    options.add_argument("--model", default="light")
    options.add_argument("--clients", type=int, default=16)
    options.add_argument("--requests", type=int, default=2000)
    options.add_argument("--sentences", default="1", metavar="N,…")
    options.add_argument("--memory", type=int, default=0, metavar="N")
    options.add_argument("--overload", type=int, default=0, metavar="N")
    given = options.parse_args()
    if given.memory:
        measure_memory(given.model, given.memory, given.clients)
        return
    if given.text is None:
        options.error("name a text")
    lines = [line.strip() for line in given.text.read_text(encoding="utf-8").splitlines() if line.strip()]
    if given.overload:
        overload(given.model, lines, given.overload)
        return
    for size in map(int, given.sentences.split(",")):
        measure(given.model, lines, given.clients, given.requests // size, size)


if __name__ == "__main__":
    main()
