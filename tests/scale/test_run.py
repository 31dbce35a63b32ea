"""Retries, stragglers, poison, back-pressure and lost schedulers, with an engine whose clock is a counter."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.scale import run
from spindle.scale.engines import AnyTask, Ended, Engine, EngineLost, Result, Work
from spindle.scale.jobs import CorpusError, Failure, Job, ModelName, ParseSettings, Record, Task
from spindle.scale.partitions import Partition
from spindle.scale.run import Limits, Run

JOB = Job("out", ModelName(("light",), "", "0"), ParseSettings("bracket"))
DIED = "died"
FAILED = "failed"
LOST = "lost"
NEVER = "never"


def tasks(count: int) -> Iterator[Task]:
    for number in range(count):
        yield Task(JOB, Partition(number, ()))


class Script(Engine):
    """Ends tasks as a script says: what happens on each try of a partition; then they succeed."""

    name = "script"
    workers = 2

    def __init__(self, plan: dict[int, list[str]]) -> None:
        self.plan = {number: list(steps) for number, steps in plan.items()}
        self.flights: dict[int, AnyTask] = {}
        self.most = self.count = self.reconnections = 0
        self.avoided: list[frozenset[str]] = []
        self.together: list[set[int]] = []
        self.forgotten: list[int] = []

    def submit(self, work: Work, task: AnyTask, avoid: frozenset[str]) -> int:
        self.count += 1
        self.flights[self.count] = task
        self.most = max(self.most, len(self.flights))
        self.avoided.append(avoid)
        return self.count

    def wait(self, seconds: float) -> list[Ended]:
        for ticket, task in self.flights.items():
            steps = self.plan.get(task.number, [])
            step = steps[0] if steps else ""
            if step == NEVER:
                steps.remove(step)
                self.plan[task.number] = steps
                self.hanging = ticket
                continue
            if ticket == getattr(self, "hanging", 0):
                continue
            if steps:
                steps.pop(0)
            if step == LOST:
                self.flights.clear()
                raise EngineLost
            self.together.append({one.number for one in self.flights.values()})
            del self.flights[ticket]
            return [Ended(ticket, self.result(task, step))]
        return []

    def result(self, task: AnyTask, step: str) -> Result:
        if step == DIED:
            return Failure(task.number, "it died", died=True)
        if step == FAILED:
            return Failure(task.number, "no room", f"worker{len(self.avoided)}")
        return Record(task.number, f"part-{task.number}")

    def forget(self, ticket: int) -> None:
        self.forgotten.append(ticket)
        self.flights.pop(ticket, None)

    def reconnect(self, seconds: float) -> None:
        self.reconnections += 1
        if not seconds:
            raise EngineLost

    def close(self) -> None:
        self.flights.clear()


class Diary:
    """Keeps what happened."""

    def __init__(self) -> None:
        self.given_up: list[int] = []
        self.notes: list[str] = []

    def started(self, task: AnyTask) -> None:
        pass

    def failed(self, failure: Failure, tries: int, is_given_up: bool) -> None:
        if is_given_up:
            self.given_up.append(failure.number)

    def note(self, text: str) -> None:
        self.notes.append(text)

    def tick(self) -> None:
        pass


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "RETRY_SECONDS", 0.0)


def work(task: AnyTask, on_tokens: Callable[[int], None] | None = None) -> Result:
    raise AssertionError


def carry_out(engine: Script, count: int, **limits: Any) -> tuple[list[int], Diary]:
    diary = Diary()
    found = Run(engine, work, diary, Limits(**limits)).results(tasks(count))
    return [record.number for record in found], diary


STEPS = st.lists(st.sampled_from([DIED, FAILED, LOST]), max_size=5)


@given(st.dictionaries(st.integers(0, 9), STEPS, max_size=6))
def test_every_partition_is_done_once_or_given_up(plan: dict[int, list[str]]) -> None:
    run.RETRY_SECONDS = 0.0
    engine = Script(plan)
    found, diary = carry_out(engine, 10)
    assert sorted(found + diary.given_up) == list(range(10))
    assert engine.most <= engine.in_flight
    assert engine.reconnections == len([note for note in diary.notes if "is back" in note])
    for number, steps in plan.items():
        failures = [step for step in steps if step != LOST]
        assert (number in diary.given_up) == (len(failures) >= 3)


def test_no_more_partitions_are_taken_than_there_is_room_for() -> None:
    taken = 0

    def endless() -> Iterator[Task]:
        nonlocal taken
        for task in tasks(10**9):
            taken += 1
            yield task

    engine = Script({})
    results = Run(engine, work, Diary(), Limits()).results(endless())
    for done in range(1, 6):
        next(results)
        assert taken <= done + engine.in_flight
    results.close()  # type: ignore[attr-defined]
    assert not engine.flights
    assert engine.forgotten


def test_the_last_try_of_a_deadly_partition_is_alone() -> None:
    engine = Script({1: [DIED] * 3})
    found, diary = carry_out(engine, 6)
    assert sorted(found) == [0, 2, 3, 4, 5]
    assert diary.given_up == [1]
    assert engine.together[-1] == {1}


def test_a_worker_where_a_partition_failed_is_avoided() -> None:
    engine = Script({0: [FAILED, FAILED]})
    carry_out(engine, 1)
    assert [len(one) for one in engine.avoided] == [0, 1, 2]


def test_a_partition_that_failed_everywhere_waits_for_another_worker() -> None:
    class Lonely(Script):
        asked = 0

        def has_others(self, avoid: frozenset[str]) -> bool:
            self.asked += 1
            return self.asked > 3

    engine = Lonely({0: [FAILED]})
    assert carry_out(engine, 1)[0] == [0]
    assert engine.asked == 4
    engine = Lonely({0: [FAILED]})
    assert carry_out(engine, 1, reconnect_seconds=0.0)[0] == [0]
    assert engine.asked == 1  # it is tried again where it failed


def test_a_straggler_is_started_again_and_the_first_result_counts() -> None:
    engine = Script({3: [NEVER]})
    found, diary = carry_out(engine, 4, straggler_seconds=0.0)
    assert sorted(found) == [0, 1, 2, 3]
    assert engine.count == 5
    assert any("started on another worker" in note for note in diary.notes)
    assert engine.forgotten == [engine.hanging]


def test_a_scheduler_that_stays_away_ends_the_run() -> None:
    with pytest.raises(CorpusError, match="did not come back"):
        carry_out(Script({0: [LOST]}), 3, reconnect_seconds=0.0)


def test_a_failure_that_every_worker_would_have_ends_the_run() -> None:
    class Fatal(Script):
        def result(self, task: AnyTask, step: str) -> Result:
            return Failure(task.number, "another model", is_fatal=True)

    with pytest.raises(CorpusError, match="another model"):
        carry_out(Fatal({}), 3)
