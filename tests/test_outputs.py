"""Outputs are replaced as a whole, never through a link, and by one process at a time."""

import multiprocessing
from pathlib import Path

import pytest

from spindle.outputs import Busy, only_writer, private_folder, replacing


def test_a_link_in_the_place_of_the_temporary_file_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / ".out.unfinished").symlink_to(victim)
    with pytest.raises(OSError, match="in the way"), replacing(tmp_path / "out"):
        raise AssertionError("not reached")
    assert victim.read_text() == "precious"


def test_a_leftover_is_replaced(tmp_path: Path) -> None:
    (tmp_path / ".out.unfinished").write_text("half")
    with replacing(tmp_path / "out") as file:
        file.write(b"whole")
    assert (tmp_path / "out").read_text() == "whole"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_failure_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("old")
    with pytest.raises(TypeError), replacing(tmp_path / "out") as file:
        file.write("no bytes")  # type: ignore[call-overload]
    assert (tmp_path / "out").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_the_second_writer_is_told(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with only_writer(path), pytest.raises(Busy, match="another process"), only_writer(path):
        raise AssertionError("not reached")
    with only_writer(path):
        pass


def _leave_a_folder(place: str) -> None:
    import os
    import tempfile

    tempfile.tempdir = place
    folder, _ = private_folder()
    (folder / "file").write_text("x")
    os._exit(1)


def test_folders_of_killed_processes_are_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    process = multiprocessing.get_context("spawn").Process(target=_leave_a_folder, args=(str(tmp_path),))
    process.start()
    process.join(60)
    assert len(list(tmp_path.iterdir())) == 1
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    first, remove_first = private_folder()
    second, remove_second = private_folder()
    assert {first, second} == set(tmp_path.iterdir())  # what is in use stays
    remove_first()
    remove_second()
    assert not list(tmp_path.iterdir())
