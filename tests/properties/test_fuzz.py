"""Mutated treebank files give a tree or a clean error: never a crash, a hang or a traceback."""

import random
import time
from pathlib import Path

import pytest

from spindle.errors import TreebankError
from spindle.treebanks import ReadingReport, Source
from spindle.treebanks.formats import DEPENDENCY_FORMATS, TREE_FORMATS, guess_format
from spindle.trees import Dependencies, Tree

MUTANTS = 10_000
OTHER_TOOLS = ("conllu-tree", "stanza", "corenlp-json", "corenlp-xml", "corenlp-text", "brat")
"""Formats that are made of others: a quarter of the mutants."""
SECONDS = 2.0
"""The time limit for one mutant, in seconds; mutants have a few hundred bytes."""

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
"""Hand-made files with every unusual feature of their format."""
SEEDS = {
    "bracket": ["odd.ptb"],
    "psd": ["odd.psd"],
    "discbracket": ["odd.dbr"],
    "export": ["odd.export", "odd-3.export"],
    "tigerxml": ["odd.tiger.xml"],
    "alpino": ["odd.alpino.xml"],
    "conllu-tree": ["odd.conllu-tree.conllu"],
    "stanza": ["odd.stanza.json"],
    "corenlp-json": ["odd.corenlp.json"],
    "corenlp-xml": ["odd.corenlp.xml"],
    "corenlp-text": ["odd.corenlp.txt"],
    "brat": ["odd.ann"],
    "conllu": ["odd.conllu"],
    "conllx": ["odd.conllx"],
}
PIECES = [
    *rb"( ) (( )) # #BOS #EOS #500 0= 99= -1 < > /> </nt> &x; -NONE- *T*-1 ## #SP# %% = 501 9999999".split(),
    *(b" ", b"\n", b"\n\n", b"\t", b'"', b"\xff", b"\x00", b"\xe2\x80\xa8", b"\r"),
]


def mutate(text: bytes, chance: random.Random) -> bytes:
    """One to four random changes: cut, copy, move, swap or replace pieces, flip bits, truncate."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.choice((0, 1, 1, 2, 5, 20, 100)))
        kind = chance.randrange(6)
        if kind == 0:
            text = text[:start] + text[end:]
        elif kind == 1:
            text = text[:start] + chance.choice(PIECES) + text[end:]
        elif kind == 2:
            text = text[:start] + chance.choice(PIECES) + text[start:]
        elif kind == 3:
            goal = chance.randrange(len(text) + 1)
            text = text[:goal] + text[start:end] + text[goal:]
        elif kind == 4:
            text = text[:start] + text[start:end] * chance.choice((2, 50)) + text[end:]
        elif text:
            place = chance.randrange(len(text))
            text = text[:place] + bytes([text[place] ^ 1 << chance.randrange(8)]) + text[place + 1 :]
    return text


def seeds(format: str, treebanks: Path) -> list[bytes]:
    """The samples, and the start of a real file if there is one."""
    real = {
        "bracket": "english-craft/dev.ptb",
        "psd": "icelandic-modern/dev/althingi_bo_2013_G-33-4727062.psd",
        "export": "german-pcc/dev.export",
        "tigerxml": "german-pcc/dev-tigerxml/maz-5144.xml",
        "alpino": "dutch-alpino/dev-100.xml",
        "conllu": "english-gum/dev.conllu",
    }
    files = [(SAMPLES / name).read_bytes() for name in SEEDS[format]]
    if format in real and (treebanks / real[format]).is_file():
        files.append((treebanks / real[format]).read_bytes()[:1500])
    return files


@pytest.mark.parametrize("format", SEEDS)
def test_mutated_files(format: str) -> None:
    chance = random.Random(f"spindle {format}")
    treebanks = Path(__file__).resolve().parents[3] / "shared" / "treebanks"
    files = seeds(format, treebanks)
    read = (TREE_FORMATS.get(format) or DEPENDENCY_FORMATS[format]).read
    outcomes = {"sentence": 0, "error": 0}
    mutants = MUTANTS // 4 if format in OTHER_TOOLS else MUTANTS
    for _ in range(mutants):
        data = mutate(chance.choice(files), chance)
        source = Source.from_bytes(data, "mutant", None)
        start = time.perf_counter()
        for item in read(source, ReadingReport()):
            if isinstance(item, TreebankError):
                assert str(item).startswith("mutant")
                outcomes["error"] += 1
            else:
                assert isinstance(item, Tree | Dependencies)
                outcomes["sentence"] += 1
        assert time.perf_counter() - start < SECONDS, data
    # the test would be useless if all mutants were malformed, or none
    assert min(outcomes.values()) > mutants / 20


@pytest.mark.parametrize("format", SEEDS)
def test_formats_are_told_apart(format: str) -> None:
    for name in SEEDS[format]:
        assert guess_format(Source(str(SAMPLES / name))) == format
