"""Corpora on Ray: actors on this machine, one of which is killed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from spindle.scale import Manifest
from support.clusters import TESTS
from support.corpora import in_one_process, joined, write_texts

pytest.importorskip("ray", reason="the engine ray is an extra")

RUN = """
import os, signal, sys, warnings
warnings.simplefilter("ignore")
import ray, spindle.scale.corpus, spindle.scale.partitions
from spindle.scale import Listener, parse_corpus
from support.corpora import dies_on_two, takes_its_time

class Saboteur(Listener):
    done = 0
    def finished(self, record, size):
        self.done += 1
        if self.done == 3:
            os.kill(int(record.process.rpartition(":")[2]), signal.SIGKILL)

if __name__ == "__main__":
    spindle.scale.partitions.MIN_SIZE = 100
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    for work, out, listener in ((takes_its_time, "out", Saboteur()), (dies_on_two, "poisoned", None)):
        spindle.scale.corpus.parse_partition = work
        options = dict(to="json", engine="ray", workers=2, threads=1, partition_size=2500, tries=2)
        corpus = parse_corpus(sys.argv[1:], out, "light", listener=listener, **options)
        print("found", corpus.is_finished, sorted(corpus.failed), len(corpus.parts))
    ray.shutdown()
"""


def test_an_actor_is_killed_and_a_partition_kills_actors(tmp_path: Path) -> None:
    names = write_texts(tmp_path / "in", 7, 2000)
    (tmp_path / "run.py").write_text(RUN)
    done = subprocess.run(
        [sys.executable, "run.py", *names],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(TESTS), "RAY_DISABLE_IMPORT_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=240,
    )
    found = [line for line in done.stdout.splitlines() if line.startswith("found")]  # Ray prints, too
    assert found == ["found True [] 7", "found False [2] 6"], done.stdout + done.stderr
    assert joined(tmp_path / "out") == in_one_process(names, tmp_path / "whole", "--to", "json")
    manifest = Manifest.read(tmp_path / "out")
    assert len(manifest.events) >= 1
    assert len({record.process for record in manifest.records.values()}) >= 2
    assert Manifest.read(tmp_path / "poisoned").records.keys() == {0, 1, 3, 4, 5, 6}
