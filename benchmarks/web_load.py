"""How fast `spindle serve` answers under load, beside the parser's own speed in the same run.

    python benchmarks/web_load.py TEXT --model fast --clients 16 --requests 2000

TEXT has one sentence a line. Each of the clients, which run in a process of their own, sends one sentence
after the other, over one connection. The speed of the parser itself is that of `parse_many` on the same
sentences in this process, before and after the load. `--overload N` then sends N requests at once to a
server that admits only a few, and checks that each is answered with its own tree or with 503 or 429.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import subprocess
import sys
from collections import Counter
from pathlib import Path
from statistics import median, quantiles
from threading import Thread
from time import perf_counter
from urllib.parse import urlsplit

import spindle

SECONDS = 300
"""The longest time that the load may take."""


def client(address: str, sentences: list[str], found: list[tuple[float, int, str]]) -> None:
    """Send sentences one after the other; add latency, status and tree of each."""
    parts = urlsplit(address)
    assert parts.hostname is not None
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=SECONDS)
    for sentence in sentences:
        start = perf_counter()
        body = json.dumps({"tokens": [sentence.split()]})
        connection.request("POST", "/api/parse", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        record = json.loads(response.read())
        tree = record["sentences"][0]["tree"] if response.status == 200 else ""
        found.append((perf_counter() - start, response.status, tree))
    connection.close()


def load(address: str, parts: list[list[str]], results: multiprocessing.Queue) -> None:  # type: ignore[type-arg]
    """Run all clients; report the time and the answers of each."""
    answers: list[list[tuple[float, int, str]]] = [[] for _ in parts]
    threads = [Thread(target=client, args=(address, *pair)) for pair in zip(parts, answers, strict=True)]
    start = perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results.put((perf_counter() - start, answers))


def under_load(address: str, parts: list[list[str]]) -> tuple[float, list[list[tuple[float, int, str]]]]:
    """Run the clients in a process of their own."""
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    process = context.Process(target=load, args=(address, parts, results))
    process.start()
    found: tuple[float, list[list[tuple[float, int, str]]]] = results.get(timeout=SECONDS)
    process.join()
    return found


def own_speed(parser: spindle.Parser, sentences: list[list[str]]) -> tuple[float, list[str]]:
    start = perf_counter()
    trees = [str(tree) for tree in parser.parse_many(sentences)]
    return len(sentences) / (perf_counter() - start), trees


def memory(pid: int) -> int:
    """The resident memory of a process in MB; 0 where the system does not say."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return 0
    return next(
        int(line.split()[1]) // 1024 for line in status.read_text().splitlines() if line.startswith("VmRSS")
    )


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("text", type=Path)
    options.add_argument("--model", default="fast")
    options.add_argument("--clients", type=int, default=16)
    options.add_argument("--requests", type=int, default=2000)
    options.add_argument("--overload", type=int, default=0)
    given = options.parse_args()
    lines = [line.strip() for line in given.text.read_text(encoding="utf-8").splitlines() if line.strip()]
    sentences = [lines[at % len(lines)] for at in range(given.requests)]
    parser = spindle.load(given.model)
    assert isinstance(parser, spindle.Parser)
    words = [sentence.split() for sentence in sentences]
    own_speed(parser, words[:64])  # warm
    before, trees = own_speed(parser, words)
    command = [sys.executable, "-m", "spindle", "serve", "--port", "0", "--model", given.model]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[-1]
            parts = [list(range(at, len(sentences), given.clients)) for at in range(given.clients)]
            under_load(address, [sentences[:64]])
            at_start = memory(server.pid)
            seconds, answers = under_load(address, [[sentences[at] for at in part] for part in parts])
            at_end = memory(server.pid)
            if given.overload:
                overloaded(address, sentences, trees, given.overload)
        finally:
            server.terminate()
    after, _ = own_speed(parser, words)
    wrong = sum(
        tree != trees[at]
        for part, answer in zip(parts, answers, strict=True)
        for at, (_, _, tree) in zip(part, answer, strict=True)
    )
    latencies = [1000 * latency for answer in answers for latency, _, _ in answer]
    cuts = quantiles(latencies, n=100)
    speed, own = len(sentences) / seconds, (before + after) / 2
    print(f"parse_many      {before:,.0f} and {after:,.0f} sentences/s (before, after)")
    print(f"{given.clients} clients      {speed:,.0f} sentences/s: {speed / own:.0%} of parse_many")
    print(f"latency         p50 {median(latencies):.1f} ms, p95 {cuts[94]:.1f} ms, p99 {cuts[98]:.1f} ms")
    print(f"memory          {at_start} MB before, {at_end} MB after {len(sentences):,} requests")
    print(f"answers         {len(latencies):,}, of them wrong {wrong}")


def overloaded(address: str, sentences: list[str], trees: list[str], number: int) -> None:
    """Send requests at once, each on a connection of its own."""
    chosen = [at % len(sentences) for at in range(number)]
    _, answers = under_load(address, [[sentences[at]] for at in chosen])
    statuses: Counter[int] = Counter()
    mixed_up = 0
    for at, [(_, status, tree)] in zip(chosen, answers, strict=True):
        statuses[status] += 1
        mixed_up += status == 200 and tree != trees[at]
    told = ", ".join(f"{count} × {status}" for status, count in sorted(statuses.items()))
    print(f"overload        {number} at once: {told}; lost {number - len(answers)}, mixed up {mixed_up}")


if __name__ == "__main__":
    main()
