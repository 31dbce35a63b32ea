"""The estimate of a run, against the simulator; the simulator, against what must hold for any schedule."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.scale.planning import Costs, estimate, simulate

NO_COSTS = Costs(1.0, worker_seconds=0, overhead_seconds=0, coordinator_seconds=0)


@given(st.lists(st.floats(0.1, 50), min_size=1, max_size=40), st.integers(1, 8))
def test_a_schedule_is_between_its_bounds(durations: list[float], workers: int) -> None:
    """The next task goes to a free worker: Graham's bounds of list scheduling."""
    found = simulate(durations, workers, NO_COSTS)
    shortest = max(sum(durations) / workers, max(durations))
    assert shortest - 1e-6 <= found.seconds <= sum(durations) / workers + max(durations) + 1e-6
    assert (found.deaths, found.lost_seconds) == (0, 0)
    assert simulate(durations, 1, NO_COSTS).seconds == pytest.approx(sum(durations))


@pytest.mark.parametrize("deaths", [0.0, 0.5, 5.0])
@pytest.mark.parametrize("workers", [1, 16])
def test_the_estimate_is_what_is_simulated(deaths: float, workers: int) -> None:
    costs = Costs(20_000, deaths_per_hour=deaths)
    plan = estimate(4e8, workers, costs)
    work = plan.seconds_per_partition - costs.overhead_seconds
    found = [simulate([work] * plan.partitions, workers, costs, seed).seconds for seed in range(5)]
    assert sum(found) / len(found) / 3600 == pytest.approx(plan.hours, rel=0.05)


def test_the_coordinator_is_a_bottleneck() -> None:
    costs = Costs(1e6, coordinator_seconds=0.1)
    plan = estimate(1e9, 1000, costs)
    assert plan.coordinator == 1.0
    assert plan.hours * 3600 == pytest.approx(plan.partitions * 0.1)
    work = plan.seconds_per_partition - costs.overhead_seconds
    found = simulate([work] * plan.partitions, 1000, costs)
    assert found.seconds / 3600 == pytest.approx(plan.hours, rel=0.1)


def test_failures_cost_more_with_larger_partitions() -> None:
    costs = Costs(20_000, deaths_per_hour=1.0)
    small, large = (estimate(1e9, 10, costs, size) for size in (4e6, 400e6))
    assert small.lost < 0.01 < large.lost
    assert small.core_hours < large.core_hours
