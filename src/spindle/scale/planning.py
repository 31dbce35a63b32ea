"""What a corpus will cost: an estimate from measured figures, and a simulator that shows what it leaves out.

>>> costs = Costs(tokens_per_second=20_000)
>>> plan = estimate(1e9, workers=32, costs=costs)
>>> round(plan.core_hours), round(plan.hours * 60), plan.partitions
(14, 26, 1250)
"""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

HOUR = 3600.0


@dataclass(frozen=True)
class Costs:
    """Measured figures of a model and a cluster; `docs/scale.md` says where they come from."""

    tokens_per_second: float
    """What one core parses."""
    bytes_per_token: float = 5.0
    """Of plain text."""
    output_per_token: float = 17.0
    """Bytes of trees in brackets."""
    worker_seconds: float = 4.0
    """To start a worker and load the model."""
    overhead_seconds: float = 0.05
    """Of a worker, for each partition."""
    coordinator_seconds: float = 0.01
    """Of the process that hands out the partitions, for each of them: this happens one after the other."""
    deaths_per_hour: float = 0.0
    """How often one worker dies."""
    restart_seconds: float = 60.0
    """Until another worker is in its place."""


@dataclass(frozen=True)
class Plan:
    """What a corpus takes."""

    partitions: int
    seconds_per_partition: float
    core_hours: float
    """With the work that is lost when workers die."""
    hours: float
    lost: float
    """The proportion of the work that is done twice."""
    coordinator: float
    """The proportion of the time in which the coordinator is busy; above 1 it is the bottleneck."""
    output_bytes: float
    manifest_bytes: float


MANIFEST_BYTES = 700
"""What the manifest has about a part."""


def estimate(tokens: float, workers: int, costs: Costs, partition_bytes: float = 4e6) -> Plan:
    """Return what a corpus takes, given its tokens and the number of workers of one core."""
    partitions = max(math.ceil(tokens * costs.bytes_per_token / partition_bytes), 1)
    work = tokens / partitions / costs.tokens_per_second + costs.overhead_seconds
    rate = costs.deaths_per_hour / HOUR
    # The expected time until a partition is done without a death in between; each death costs a restart.
    expected = work if not rate else math.expm1(rate * work) / rate
    deaths = math.expm1(rate * work)
    total = partitions * (expected + deaths * costs.restart_seconds) + workers * costs.worker_seconds
    coordinator = partitions * costs.coordinator_seconds
    # at the end, workers wait for the last partition
    seconds = max(total / workers + (expected / 2 if workers > 1 else 0), coordinator)
    return Plan(
        partitions,
        work,
        total / HOUR,
        seconds / HOUR,
        expected / work - 1,
        coordinator / seconds,
        tokens * costs.output_per_token,
        partitions * MANIFEST_BYTES,
    )


@dataclass(frozen=True)
class Simulated:
    """What happened in a simulated run."""

    seconds: float
    deaths: int
    lost_seconds: float
    """The time that workers spent on partitions that were started again."""


def simulate(durations: Sequence[float], workers: int, costs: Costs, seed: int = 1) -> Simulated:
    """Simulate a run on `workers`, partition by partition, with the seconds that each of them takes.

    A free worker takes the next partition as soon as the coordinator has handed it out. Workers die at random
    moments; their partition is started again.
    """
    chance = random.Random(seed)
    rate = costs.deaths_per_hour / HOUR
    free = [(costs.worker_seconds, number) for number in range(workers)]
    heapq.heapify(free)
    waiting = list(reversed(durations))
    coordinator = end = lost = 0.0
    deaths = 0
    while waiting:
        now, worker = heapq.heappop(free)
        coordinator = max(coordinator, now) + costs.coordinator_seconds
        duration = waiting.pop() + costs.overhead_seconds
        until_death = chance.expovariate(rate) if rate else math.inf
        if until_death < duration:
            deaths, lost = deaths + 1, lost + until_death
            waiting.append(duration - costs.overhead_seconds)
            heapq.heappush(free, (coordinator + until_death + costs.restart_seconds, worker))
        else:
            heapq.heappush(free, (coordinator + duration, worker))
            end = max(end, coordinator + duration)
    return Simulated(end, deaths, lost)
