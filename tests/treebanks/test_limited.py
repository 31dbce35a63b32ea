"""A sentence, row or value that never ends is an error, and does not fill the memory."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from spindle.errors import UnreadableFile
from spindle.tables import read_rows
from spindle.treebanks import ReadingReport, Source, limited
from spindle.treebanks.conll import read_conllu
from spindle.treebanks.files import read_trees

CONLLU = "1\tword\t_\tNN\tNN\t_\t0\troot\t_\t_\n"
EXPORT = "word\t--\tNN\t--\t--\t0\n"
TIGER = '<s id="s1"><graph root="s1_1"><terminals>'
ENDLESS = {
    "rows.conllu": ("", "1\tword\t_\tNN\tNN\t_\t0\troot\t_\t_\n"),
    "comments.conllu": ("", "# comment\n"),
    "rows.export": ("#BOS 1\n", EXPORT),
    "table.export": ("#BOT WORDTAG\n", "1\tNN\n"),
    "word.xml": (f"<corpus><body>{TIGER}", '<t id="s1_1" word="a" pos="NN"/>\n'),
    "attributes.xml": (f"<corpus><body>{TIGER}<t ", "{}='1'\n"),
    "nodes.xml": ("<alpino_ds>", '<node id="1">\n'),
    "comment.psd": ("/*\n", "word\n"),
    "values.json": ('{"sentences": [{"parse": "', "(S (NN word)) "),
    "value.csv": ('text\n"', "word\n"),
    "values.csv": ("text\n", '"word\n",'),
}
COMPLETE = {
    "rows.conllu": ("", f"{CONLLU}\n", ""),
    "rows.export": ("", f"#BOS 1\n{EXPORT}#EOS 1\n", ""),
    "words.xml": (
        "<corpus><body>",
        f'{TIGER}<t id="s1_1" word="a" pos="NN"/></terminals><nonterminals/></graph></s>\n',
        "</body></corpus>",
    ),
    "value.csv": ("text\n", "word\n", ""),
}
SIZE = 5000
"""How often the repeated part is written: more than the limit of the tests."""


@pytest.fixture(autouse=True)
def small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    # a file of XML comes in chunks of 65,536 bytes
    monkeypatch.setattr(limited, "MAX_SENTENCE", 20_000)


def items(path: Path) -> Iterator[object]:
    if path.suffix == ".csv":
        return read_rows(path)
    if path.suffix == ".conllu":
        return read_conllu(Source(str(path)), ReadingReport())
    return read_trees(path)


def raise_first(found: Iterator[object]) -> None:
    for one in found:
        if isinstance(one, Exception):
            raise one


@pytest.mark.parametrize("name", ENDLESS)
def test_what_never_ends_is_an_error(name: str, tmp_path: Path) -> None:
    start, part = ENDLESS[name]
    (tmp_path / name).write_text(start + "".join([part.replace("{}", f"a{n}") for n in range(SIZE)]))
    with pytest.raises(UnreadableFile, match="has no end within 20,000 characters"):
        raise_first(items(tmp_path / name))


@pytest.mark.parametrize("name", COMPLETE)
def test_many_sentences_are_no_long_one(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name.endswith(".xml"):
        monkeypatch.setattr(limited, "MAX_SENTENCE", 100_000)
    start, part, end = COMPLETE[name]
    (tmp_path / name).write_text(start + part * SIZE + end)
    found = list(items(tmp_path / name))
    assert len(found) == SIZE
    assert not [one for one in found if isinstance(one, Exception)]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_error_closes_the_file(tmp_path: Path) -> None:
    """It is closed although the error, and so the reader's frames, are still held."""
    path = tmp_path / "entities.xml"
    path.write_text('<!DOCTYPE c [<!ENTITY a "b">]><corpus>&a;</corpus>', "utf-8")
    with pytest.raises(UnreadableFile) as held:
        list(read_trees(path))
    assert held.value.file
    assert str(path) not in {str(one.resolve()) for one in Path("/proc/self/fd").iterdir() if one.exists()}
