"""The index of a treebank: the same matches as without it, and nothing of one that is damaged or old."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import spindle
from spindle import _core
from spindle.errors import TreebankError, UnusableIndex
from spindle.heads import HeadFinder, load_rules
from spindle.reduction import Encoding, encode, write_rows
from spindle.search import Match, TreebankIndex, compile_pattern, write_index
from spindle.search.index import index_path, usable_index
from spindle.search.reading import read_dtrees
from spindle.treebanks import ReadingReport, Source
from spindle.trees import Tree
from support.search_patterns import (
    CONSTITUENT_OPERATORS,
    DEPENDENCY_OPERATORS,
    DESCRIPTIONS,
    patterns,
    random_trees,
)

SAMPLES = sorted(
    path for path in (Path(__file__).parents[1] / "samples").glob("odd*") if ".conll" not in path.name
)
TREES = """\
(S (NP (PPER 0=Es) (NN 2=nichts)) (VVFIN 1=kam))
(S (NP (NN 0=er)) (VP (VVFIN 1=kam)))
(S (NP (ART 0=der) (NN 1=Mann)) (VVFIN 2=kam))
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "some.dbr"
    path.write_text(TREES)
    return path


def make(path: Path, **options: object) -> TreebankIndex:
    return write_index(Source(str(path)), **options)  # type: ignore[arg-type]


def found(pattern: str, path: Path, **options: object) -> list[tuple[object, ...]]:
    def describe(match: Match) -> tuple[object, ...]:
        names = {name: [one.code for one in ones] for name, ones in match.names.items()}
        return match.vertex.code, names, match.tree

    return [describe(one) for one in spindle.search(pattern, path, **options)]  # type: ignore[arg-type]


def candidates(pattern: str, index: TreebankIndex, as_dtrees: bool = False) -> list[int]:
    return list(index.query(compile_pattern(pattern), as_dtrees=as_dtrees).candidates)


# ── the same as without an index ─────────────────────────────────────────────────────────────────────

scratch = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@scratch
@given(st.lists(random_trees, min_size=1, max_size=6), st.data())
def test_same_matches_in_trees(tmp_path: Path, drawn: list[Tree], data: st.DataObject) -> None:
    path = tmp_path / "some.export"
    spindle.write_trees(drawn, path)
    index = make(path)
    for pattern in data.draw(st.lists(patterns(CONSTITUENT_OPERATORS, DESCRIPTIONS), min_size=5, max_size=5)):
        with_index = found(pattern, path, heads="leftmost")
        assert with_index == found(pattern, path, heads="leftmost", use_index=False), pattern
        matching = [index.tree(number) for number in candidates(pattern, index)]
        assert {match[2].id for match in with_index} <= {tree.id for tree in matching}  # type: ignore[attr-defined]


@scratch
@given(st.lists(random_trees, min_size=1, max_size=6), st.data())
def test_same_matches_in_dtrees(tmp_path: Path, drawn: list[Tree], data: st.DataObject) -> None:
    path = tmp_path / "some.conllu"
    finder = HeadFinder(load_rules("leftmost"))
    spindle.write_dependencies(write_rows((encode(finder(tree)) for tree in drawn), Encoding.DIRECT), path)
    make(path)
    descriptions = (*DESCRIPTIONS, ":event=1", ":event>1", ":func=A")
    for pattern in data.draw(st.lists(patterns(DEPENDENCY_OPERATORS, descriptions), min_size=5, max_size=5)):
        assert found(pattern, path) == found(pattern, path, use_index=False), pattern


@scratch
@given(st.lists(random_trees, min_size=1, max_size=6), st.data())
def test_candidates_for_dtrees_of_trees(tmp_path: Path, drawn: list[Tree], data: st.DataObject) -> None:
    path = tmp_path / "some.export"
    spindle.write_trees(drawn, path)
    index = make(path)
    finder = HeadFinder(load_rules("leftmost"))
    dtrees = [encode(finder(tree)).dtree for tree in spindle.read_trees(path)]
    for pattern in data.draw(
        st.lists(patterns(DEPENDENCY_OPERATORS, (*DESCRIPTIONS, ":func=A")), min_size=5, max_size=5)
    ):
        matching = {number for number, dtree in enumerate(dtrees) if list(spindle.search(pattern, [dtree]))}
        assert matching <= set(candidates(pattern, index, as_dtrees=True)), pattern


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_an_index_holds_the_trees_of_any_format(tmp_path: Path, sample: Path) -> None:
    path = tmp_path / sample.name
    path.write_bytes(sample.read_bytes())
    expected = list(spindle.read_trees(path, on_error="skip"))
    assert list(make(path, on_error="skip").trees()) == expected


def test_an_index_holds_dtrees(tmp_path: Path) -> None:
    path = tmp_path / "some.conllu"
    finder = HeadFinder(load_rules("leftmost"))
    trees = [
        finder(tree) for tree in spindle.read_trees(SAMPLES[-1].with_name("odd.export"), on_error="skip")
    ]
    spindle.write_dependencies(write_rows(map(encode, trees), Encoding.DIRECT), path)
    expected = list(read_dtrees(Source(str(path)), None, "stop", ReadingReport()))
    assert len(expected) == len(trees) > 0
    assert list(make(path).trees()) == expected


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_any_number_of_threads(tmp_path: Path, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spindle.search.index.BATCH", 300)
    path = tmp_path / "some.ptb"
    path.write_text("".join(f"(S (NP (NN cat{at % 7})) (VP (VBZ sleeps)))\n" for at in range(1300)))
    make(path, threads=threads)
    expected = sum(at % 7 in (1, 3, 5) for at in range(1300))
    matches = [one.tree for one in spindle.search("NP < (NN < /[135]$/)", path, threads=threads)]
    assert matches == [
        one.tree for one in spindle.search("NP < (NN < /[135]$/)", path, use_index=False, threads=1)
    ]
    assert len(matches) == expected


def test_compressed_files(tmp_path: Path) -> None:
    text = TREES.encode()
    for name, data in (
        ("some.dbr.gz", gzip.compress(text)),
        ("some.dbr.zst", zstandard.ZstdCompressor().compress(text)),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        assert len(make(path)) == 3
        assert len(found("NP < NN", path)) == 3


# ── what is left out ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("pattern", "numbers"),
    [
        ("PPER", [0]),
        ("nichts|er", [0, 1]),
        ("NP < ART", [2]),
        ("@S << /^V/", [0, 1, 2]),
        ("VP", [1]),
        ("NP !< ART", [0, 1, 2]),
        ("!NP < ART", [2]),
        ("NP [< ART | < PPER]", [0, 2]),
        ("NP [< ART | !< PPER]", [0, 1, 2]),
        ("NP:gap", [0]),
        ("NP:!gap", [0, 1, 2]),
        ("__ >< VVFIN", [0]),
        ("__ : VP", [1]),
        ("S < NP=x $ =x", [0, 1, 2]),
        (":word=Mann", [2]),
        (":func=SB", []),
        ("XP", []),
        (":lemma=/x*/", []),
    ],
)
def test_only_trees_that_may_match_are_read(file: Path, pattern: str, numbers: list[int]) -> None:
    assert candidates(pattern, make(file)) == numbers


# ── damage ───────────────────────────────────────────────────────────────────────────────────────────


def damaged(path: Path, data: bytes) -> bool:
    path.write_bytes(data)
    try:
        TreebankIndex(path).verify()
    except UnusableIndex as error:
        return str(path) in str(error)
    return False


def test_every_damaged_byte_is_noticed(file: Path) -> None:
    make(file)
    path = index_path(file)
    whole = path.read_bytes()
    assert not damaged(path, whole)
    for at in range(len(whole)):
        assert damaged(path, whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :]), at
        assert damaged(path, whole[:at]), at
    assert damaged(path, whole + b"\0")


def test_a_damaged_index_is_named_and_not_used(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    make(file)
    path = index_path(file)
    whole = path.read_bytes()
    for at in range(16, len(whole), 7):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        caplog.clear()
        assert len(found("NP < NN", file)) == 3
        assert "searching without it" in caplog.text


def test_a_forged_index_is_refused(file: Path) -> None:
    """Checksums are right, but numbers lead nowhere: nothing is read outside of the file."""
    make(file)
    index = index_path(file)
    meta = TreebankIndex(index).core.meta()
    full, empty = _core.TreeStore(), _core.TreeStore()
    for tree in spindle.read_trees(file):
        full.add_tree(tree.tokens, tree.labels, tree.parents, tree.leaf_parents, tree.functions, None)
    for symbols, details, of in (
        (empty, b"", meta),
        (full, b"{", meta),
        (full, b"[]", meta),
        (full, b"", b""),
    ):
        writer = _core.IndexWriter()
        for number in range(len(full)):
            writer.add(full, number, details)
        writer.finish(symbols, of)
        assert damaged(index, writer.take())


NUMBER = 10**400
HOSTILE = [
    b"[" * 100_000,
    b'{"id": 1}',
    b'{"comments": [1]}',
    b'{"comments": "abc"}',
    b'{"secondary": [["NP", 0]]}',
    b'{"secondary": [[1, 0, {}]]}',
    b'{"edges": [1, 2, 3]}',
    b'{"heads": [0]}',
    b'{"id": "\\ud800"}',
]


@pytest.mark.parametrize("details", HOSTILE)
def test_what_an_index_adds_to_a_tree_is_checked(file: Path, details: bytes) -> None:
    make(file)
    meta = TreebankIndex(index_path(file)).core.meta()
    forge(file, details, meta)
    with pytest.raises(UnusableIndex, match="is not the index of a treebank"):
        TreebankIndex(index_path(file)).tree(0)


@pytest.mark.parametrize(
    "change",
    [
        {"source": {"size": "1"}},
        {"source": {"size": NUMBER}},
        {"source": {"samples": 1}},
        {"remarks": [1]},
        {"remarks": {"a": "b"}},
        {"format": []},
        {"text_encoding": 1},
        {"more": 1},
    ],
)
def test_what_an_index_says_about_itself_is_checked(file: Path, change: dict[str, Any]) -> None:
    make(file)
    meta = json.loads(TreebankIndex(index_path(file)).core.meta())
    changed = {**meta, **change, "source": {**meta["source"], **change.get("source", {})}}
    forge(file, b"", json.dumps(changed).encode())
    with pytest.raises(UnusableIndex, match="is not the index of a treebank"):
        TreebankIndex(index_path(file))


def forge(file: Path, details: bytes, meta: bytes) -> None:
    """Write an index with right checksums, which adds `details` to every tree."""
    store, writer = _core.TreeStore(), _core.IndexWriter()
    for tree in spindle.read_trees(file):
        store.add_tree(tree.tokens, tree.labels, tree.parents, tree.leaf_parents, tree.functions, None)
    for number in range(len(store)):
        writer.add(store, number, details)
    writer.finish(store, meta)
    index_path(file).write_bytes(writer.take())


def test_an_index_is_not_written_through_a_link(file: Path) -> None:
    other = file.with_name("precious")
    other.write_text("precious")
    index_path(file).symlink_to(other)
    with pytest.raises(TreebankError, match="this is a link"):
        make(file)
    assert other.read_text() == "precious"


# ── another state of the treebank ────────────────────────────────────────────────────────────────────


@pytest.fixture
def said() -> list[str]:
    return []


def is_used(path: Path, say: Callable[[str], None], **options: object) -> bool:
    given = {"format": None, "on_error": "stop", **options}
    return usable_index(Source(str(path)), say=say, **given) is not None  # type: ignore[arg-type]


def test_a_changed_treebank_is_noticed(file: Path, said: list[str]) -> None:
    make(file)
    assert is_used(file, said.append)
    before = file.stat()
    file.write_text(TREES.replace("Mann", "Mond"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))  # the same size and time
    assert not is_used(file, said.append)
    file.write_text(TREES + TREES)
    assert not is_used(file, said.append)
    assert len(said) == 2
    assert all("out of date" in one and "spindle index" in one for one in said)


def test_a_touched_or_copied_treebank_is_the_same(file: Path, said: list[str]) -> None:
    make(file)
    os.utime(file)
    assert is_used(file, said.append)
    assert said == []


def test_a_change_between_the_samples_is_noticed(tmp_path: Path, said: list[str]) -> None:
    path = tmp_path / "some.ptb"
    trees = [f"(S (NN w{at:06}))\n" for at in range(40_000)]
    path.write_text("".join(trees))
    make(path)
    trees[111] = trees[111].replace("NN", "XX")
    path.write_text("".join(trees))
    assert not is_used(path, said.append)


def test_options_of_reading(file: Path, said: list[str]) -> None:
    make(file)
    assert is_used(file, said.append, format="discbracket")
    assert not is_used(file, said.append, format="bracket")
    assert "another format" in said[0]


def test_malformed_sentences(file: Path, said: list[str]) -> None:
    file.write_text(TREES + "(S (NP\n")
    with pytest.raises(TreebankError):
        make(file)
    assert not index_path(file).exists()
    make(file, on_error="skip")
    assert is_used(file, said.append, on_error="skip")
    assert not is_used(file, said.append)
    assert "malformed" in said[0]


def test_only_files_have_indexes(tmp_path: Path) -> None:
    for name in ("-", str(tmp_path), str(tmp_path / "none.ptb")):
        with pytest.raises(TreebankError, match="only a file"):
            write_index(Source(name))


def test_a_folder_does_not_contain_its_indexes(file: Path) -> None:
    make(file)
    assert len(list(spindle.read_trees(file.parent))) == 3
    assert len(found("NP < NN", file.parent)) == 3


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_while_it_is_made(tmp_path: Path) -> None:
    path = tmp_path / "some.ptb"
    path.write_text("(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))\n" * 100_000)
    unfinished = tmp_path / ".some.ptb.spindle-index.unfinished"
    command = [sys.executable, "-m", "spindle", "index", str(path), "--threads", "1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        end = time.monotonic() + 60
        while not (unfinished.exists() and unfinished.stat().st_size):
            assert time.monotonic() < end
            assert process.poll() is None
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
    assert not index_path(path).exists()
    assert next(iter(spindle.search("NP < NN", path))).vertex.label == "NP"
    make(path)
    assert not unfinished.exists()
    assert usable_index(Source(str(path)), None, "stop", print) is not None
