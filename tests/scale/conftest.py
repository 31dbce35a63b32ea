"""Small partitions: the files of these tests are a few kilobytes long."""

import pytest


@pytest.fixture(autouse=True)
def small_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spindle.scale.partitions.MIN_SIZE", 100)
