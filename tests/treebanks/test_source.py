"""Files, pipes, archives and text encodings."""

import gzip
import io
import lzma
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from spindle.errors import TreebankError, UnreadableFile
from spindle.treebanks.formats import guess_format
from spindle.treebanks.source import SAMPLE_BYTES, Source, open_output

TEXT = "".join(f"(S (NN größe{number}))\n" for number in range(20_000))
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor(write_checksum=True).compress,
}


def source_of(folder: Path, data: bytes, name: str = "some.ptb", encoding: str | None = None) -> Source:
    file = folder / name
    file.write_bytes(data)
    return Source(str(file), encoding)


# ── compression ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("ending", PACKERS)
def test_what_is_written_compressed_is_read_again(tmp_path: Path, ending: str) -> None:
    name = str(tmp_path / f"some.ptb{ending}")
    with open_output(name) as stream:
        stream.write(TEXT)
    assert Path(name).stat().st_size < len(TEXT) // 4
    source = Source(name)
    assert "".join(source.lines()) == TEXT
    assert source.position == Path(name).stat().st_size
    assert source.head()[:SAMPLE_BYTES] == TEXT.encode()[:SAMPLE_BYTES]


@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.parametrize("padding", [b"", b"\0" * 4096])
def test_archives_may_be_strung_together(tmp_path: Path, ending: str, padding: bytes) -> None:
    packed = PACKERS[ending](TEXT.encode())
    source = source_of(tmp_path, packed + padding + packed + padding)
    assert "".join(source.lines()) == TEXT * 2


def test_zst_may_begin_with_a_frame_to_be_skipped(tmp_path: Path) -> None:
    skipped = b"\x50\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"abc"
    packed = PACKERS[".zst"](b"(S (NN a))\n")
    assert list(source_of(tmp_path, skipped + packed + skipped + packed).lines()) == ["(S (NN a))\n"] * 2


@pytest.mark.parametrize("ending", PACKERS)
def test_a_cut_off_archive_is_noticed_wherever_it_is_cut(tmp_path: Path, ending: str) -> None:
    packed = PACKERS[ending](TEXT.encode())
    for size in (len(packed) - 1, len(packed) - 9, len(packed) // 2):
        lines: list[str] = []
        with pytest.raises(UnreadableFile, match="cut off") as caught:
            lines.extend(source_of(tmp_path, packed[:size]).lines())
        assert caught.value.line == len(lines) + 1
        assert TEXT.startswith("".join(lines[:-1]))
    with pytest.raises(UnreadableFile, match="cut off"):
        source_of(tmp_path, packed[:6]).head()


@pytest.mark.parametrize("ending", PACKERS)
def test_a_damaged_archive_is_noticed(tmp_path: Path, ending: str) -> None:
    packed = bytearray(PACKERS[ending](TEXT.encode()))
    for place in (20, len(packed) // 2, len(packed) - 20):
        packed[place] ^= 0xFF
        with pytest.raises(UnreadableFile, match="cannot be read from here on: the"):
            list(source_of(tmp_path, bytes(packed), encoding="latin-1").lines())
        packed[place] ^= 0xFF


@pytest.mark.parametrize("ending", PACKERS)
def test_nothing_may_follow_an_archive(tmp_path: Path, ending: str) -> None:
    lines: list[str] = []
    with pytest.raises(UnreadableFile, match=f"the {ending} file is (damaged|cut off)"):
        lines.extend(source_of(tmp_path, PACKERS[ending](TEXT.encode()) + b"else").lines())
    assert len(lines) == 20_000


# ── encodings ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "U8", "utf_8", "latin-1"])
def test_encodings_and_byte_order_marks(tmp_path: Path, encoding: str) -> None:
    expected = TEXT.splitlines(keepends=True)
    data = TEXT.replace("\n", "\r\n").encode(encoding)
    assert list(source_of(tmp_path, data, encoding=encoding).lines()) == expected
    if encoding != "latin-1":
        assert list(source_of(tmp_path, data).lines()) == expected
    assert list(source_of(tmp_path, data).lines(fallback="latin-1")) == expected
    assert list(source_of(tmp_path, b"\xef\xbb\xbfa\n", encoding="U8").lines()) == ["a\n"]


def test_only_line_ends_end_a_line(tmp_path: Path) -> None:
    data = "a\u2028\x0b\x0c\x1c\x85b\rc\r\nd\ne".encode()
    assert list(source_of(tmp_path, data).lines()) == ["a\u2028\x0b\x0c\x1c\x85b\n", "c\n", "d\n", "e"]


def test_a_bad_byte_is_found_in_its_line(tmp_path: Path) -> None:
    source = source_of(tmp_path, b"a\nb\xff\nc\n")
    with pytest.raises(
        TreebankError, match=r"some\.ptb:2: byte 0xff is not utf-8; set the text encoding, e.g. to"
    ):
        list(source.lines())
    _, bad, good = source.lines(keep_undecoded=True)
    assert source.undecoded(good, 3) is None
    assert (error := source.undecoded("x\n" + bad, 1))
    assert error.line == 2


@pytest.mark.parametrize("name", ["lat1n", "rot13", "hex", "undefined"])
def test_what_is_no_encoding(tmp_path: Path, name: str) -> None:
    with pytest.raises(TreebankError, match=f"there is no text encoding '{name}'"):
        list(source_of(tmp_path, b"a\n", encoding=name).lines())


# ── files and pipes ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["none.ptb", "", "."])
def test_what_cannot_be_opened(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnreadableFile, match=r"No such file|Is a directory"):
        list(Source(str(tmp_path / name)).lines())


def through_pipe(pipe: Path, data: bytes) -> None:
    def feed() -> None:
        with pipe.open("wb") as stream:
            for start in range(0, len(data), 1000):  # the sample arrives in several pieces
                stream.write(data[start : start + 1000])
                stream.flush()

    os.mkfifo(pipe)
    threading.Thread(target=feed, daemon=True).start()


@pytest.mark.parametrize("pack", [bytes, *PACKERS.values()])
def test_a_pipe_is_looked_at_and_then_read_whole_and_once(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    pipe = tmp_path / "pipe"
    through_pipe(pipe, pack(TEXT.encode()))
    source = Source(str(pipe))
    assert guess_format(source) == "bracket"
    assert Source(str(pipe)).head()[:10] == b"(S (NN gr\xc3"
    assert "".join(source.lines()) == TEXT
    assert source.position == 0  # the size of a pipe is unknown
    assert not [link for link in Path("/proc/self/fd").glob("*") if link.exists() and link.samefile(pipe)]
    with pytest.raises(UnreadableFile, match="a pipe can be read only once; save it to a file first"):
        list(source.lines())


def test_standard_input_likewise(monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):  # standard input may be replaced
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(TEXT.encode()))))
        assert guess_format(Source("-")) == "bracket"
        assert "".join(Source("-").lines()) == TEXT
        assert not sys.stdin.closed
        with pytest.raises(UnreadableFile, match="standard input can be read only once"):
            list(Source("-").lines())


def test_what_cannot_be_written(tmp_path: Path) -> None:
    for name in (tmp_path / "no" / "such.ptb", tmp_path, Path("/dev/full")):
        if name.exists() or name.parent.name == "no":
            with (
                pytest.raises(TreebankError, match=f"{name}: cannot be written: "),
                open_output(str(name)) as stream,
            ):
                stream.write(TEXT)
