"""Corpora on Dask: real schedulers and workers, which are killed, lost, and run out of room."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from spindle.scale import Listener, Manifest, parse_corpus
from spindle.scale.jobs import Failure, Record
from spindle.scale.planning import Costs, simulate
from support import corpora
from support.clusters import TESTS, DaskCluster
from support.corpora import in_one_process, joined, write_texts

pytest.importorskip("distributed", reason="the engine dask is an extra")
# Sockets of clusters that a test has killed are closed by the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore:.*distributed"),
]

SIZE = 6000


class Saboteur(Listener):
    """Kills a worker, and later the scheduler; starts others in their place."""

    def __init__(self, cluster: DaskCluster) -> None:
        self.cluster = cluster
        self.done: list[Record] = []
        self.failures: list[Failure] = []
        self.notes: list[str] = []

    def finished(self, record: Record, size: int) -> None:
        self.done.append(record)
        if len(self.done) == 3:
            os.kill(int(record.process.rpartition(":")[2]), signal.SIGKILL)
            self.cluster.start_worker()
        if len(self.done) == 7:
            self.cluster.scheduler.kill()
            self.cluster.scheduler.wait(timeout=30)
            self.cluster.start_scheduler()
            self.cluster.start_worker()
            self.cluster.start_worker()

    def failed(self, failure: Failure, tries: int, is_given_up: bool) -> None:
        self.failures.append(failure)
        assert not is_given_up

    def note(self, text: str) -> None:
        self.notes.append(text)


def test_the_corpus_is_that_of_one_process_whatever_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker is killed with -9, another has a full disk, and the scheduler is restarted."""
    names = write_texts(tmp_path / "in", 14, SIZE)
    whole = in_one_process(names, tmp_path / "whole", "--to", "export")
    monkeypatch.setattr("spindle.scale.corpus.parse_partition", corpora.takes_its_time)
    monkeypatch.setattr("spindle.scale.dask_engine.CHECK_SECONDS", 0.5)
    with DaskCluster(tmp_path) as cluster:
        cluster.start_worker(largest_file=4)
        cluster.start_worker()
        saboteur = Saboteur(cluster)
        corpus = parse_corpus(
            names,
            tmp_path / "out",
            "light",
            to="export",
            engine="dask",
            scheduler=cluster.address,
            partition_size=SIZE + 1000,
            tries=6,
            reconnect_seconds=120,
            listener=saboteur,
        )
    assert corpus.is_finished
    assert corpus.failed == {}
    assert joined(tmp_path / "out") == whole
    assert sorted(record.number for record in saboteur.done) == list(range(14))  # nothing twice
    assert "File too large" in {
        failure.error.partition("] ")[2].partition(":")[0] for failure in saboteur.failures
    }
    assert any("the scheduler is back" in note for note in saboteur.notes)
    assert len({record.process for record in saboteur.done}) >= 3
    assert Manifest.read(tmp_path / "out").records.keys() == set(range(14))


RUN = """
import sys, spindle.scale.corpus, spindle.scale.partitions
from support.corpora import dies_on_two
from spindle.cli import main
if __name__ == "__main__":
    spindle.scale.corpus.parse_partition = dies_on_two
    spindle.scale.partitions.MIN_SIZE = 100
    main(sys.argv[1:])
"""


def test_a_partition_that_kills_workers_is_isolated(tmp_path: Path) -> None:
    names = write_texts(tmp_path / "in", 5, 2000)
    (tmp_path / "run.py").write_text(RUN)
    options = ["-o", "out", "--engine", "dask", "--workers", "2", "--threads", "1", "--tries", "3"]
    done = subprocess.run(
        [sys.executable, "run.py", "parse", *names, *options, "--model", "light", "--partition-size", "2500"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.returncode == 1, done.stderr
    assert "1 of 5 partitions could not be parsed: partition 2: the worker" in done.stderr, done.stderr
    assert "Traceback" not in done.stderr
    found = Manifest.read(tmp_path / "out")
    private, shared = map(int, re.findall(r"(\d+) MB", done.stderr)[:2])
    assert all(0.6 < one.memory / 1e6 / (private + shared) < 1.6 for one in found.records.values())
    assert found.records.keys() == {0, 1, 3, 4}
    assert sum(event["number"] == 2 for event in found.events) == 3
    corpus = parse(names, tmp_path / "out")
    assert corpus.is_finished  # where nothing dies, the same request completes the folder
    assert joined(tmp_path / "out") == in_one_process(names, tmp_path / "whole")


def parse(names: list[str], out: Path) -> Any:
    return parse_corpus(names, out, "light", partition_size=2500)


def test_the_simulator_predicts_a_real_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The partitions take the times of the real run; when which worker gets which one is simulated."""
    names = write_texts(tmp_path / "in", 8, 500)
    monkeypatch.setattr("spindle.scale.corpus.parse_partition", corpora.sleeps_and_parses)
    options: dict[str, Any] = {"engine": "dask", "workers": 2, "threads": 1, "partition_size": 600}
    corpus = parse_corpus(names, tmp_path / "out", "light", **options)
    found = sorted(Manifest.read(corpus.folder).records.values(), key=lambda record: record.started)
    assert len({record.process for record in found}) == 2
    real = max(record.started + record.seconds for record in found) - found[0].started
    simulated = simulate([record.seconds for record in found], 2, Costs(1.0, worker_seconds=0.0))
    assert simulated.seconds == pytest.approx(real, rel=0.3, abs=2)


def test_no_scheduler_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spindle.scale.dask_engine.CONNECT_SECONDS", 1.0)
    names = write_texts(tmp_path / "in", 1, 500)
    with pytest.raises(Exception, match="no Dask scheduler answers"):
        parse_corpus(names, tmp_path / "out", "light", engine="dask", scheduler="tcp://127.0.0.1:9")
