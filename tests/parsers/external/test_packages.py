"""Trains the parsers of other projects: UDPipe, spaCy, Stanza, supar, and the programs that are installed."""

from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

import spindle
from spindle.errors import ModelError, ParserError
from spindle.models import ModelPart, read_model
from spindle.parsers import Backend, FitSettings, find_parser
from spindle.parsers.external.program import Program
from spindle.parsers.external.training_program import TrainingProgram
from spindle.reduction import Encoding, Mode
from spindle.treebanks import read_trees
from spindle.trees import Token
from support.examples import words
from support.watching import EXAMPLES, SENTENCES, Diary

QUICK = {
    "udpipe": {"epochs": "30", "hidden_layer": "20"},
    "spacy": {"epochs": "12", "width": "32", "depth": "1"},
    "stanza": {"epochs": "15", "width": "48", "layers": "1", "dropout": "0.1", "rate": "0.01"},
    "supar": {"epochs": "12", "width": "48", "layers": "1", "dropout": "0.1"},
}
GRAPH_NETWORKS = ("stanza", "supar")
DATA = files("spindle.models") / "data"


@pytest.fixture(params=QUICK)
def backend(request: pytest.FixtureRequest) -> type[Backend]:
    found = find_parser(request.param)
    if found.version() is None:
        pytest.skip(f"needs {found.needs}")
    return found


def fitted(backend: type[Backend], mode: Mode, one_shot: bool = True, **others: str) -> Backend:
    parser = backend()
    options = backend.Options.read({**QUICK[backend.name], **others}, backend.name)
    parser.fit(EXAMPLES * 25, EXAMPLES, FitSettings(mode=mode, one_shot=one_shot, options=options), Diary())
    return parser


def test_it_learns_hostile_labels_and_crossing_arcs(backend: type[Backend]) -> None:
    parser = fitted(backend, Mode.DISCONTINUOUS)
    again = backend.from_part(parser.to_part())
    for one in (parser, again):
        for example, found in zip(EXAMPLES, one.parse(SENTENCES, threads=1), strict=True):
            assert tuple(found.heads) == example.heads
            assert tuple(found.labels or ()) == example.labels


def test_it_parses_any_words(backend: type[Backend]) -> None:
    parser = fitted(backend, Mode.CONTINUOUS, one_shot=False, epochs="1")
    forms = ["", " ", "_", "#", "|", "a\tb", "x" * 10_000, "\u2028", "é", "1-2", "\ud800", "=5f=", "\x00"]
    hostile = [Token(word, word, word, word) for word in forms]
    alone = words("No/A")
    for sentence, found in zip(
        [hostile, alone, ()], parser.parse([hostile, alone, ()], threads=1), strict=True
    ):
        assert len(found.heads) == len(sentence)
        assert found.labels is None
        assert sum(head < 0 for head in found.heads) == bool(sentence)


EPOCHS = {"udpipe": 5, "spacy": 12, "stanza": 12, "supar": 12, "mst": 3, "zpar": 3, "turbo": 3}


@pytest.mark.parametrize("one_shot", [True, False])
@pytest.mark.parametrize("name", ["udpipe", "spacy", "stanza", "supar", "malt", "mst", "zpar", "turbo"])
def test_the_whole_pipeline_with_it(name: str, one_shot: bool, tmp_path: Path) -> None:
    backend = find_parser(name)
    if backend.version() is None:
        pytest.skip(f"needs {backend.needs}")
    options = {key: value for key, value in QUICK.get(name, {}).items() if key != "epochs"}
    dev = list(read_trees(str(DATA / "demo-dev.dbr")))
    parser = spindle.train(
        str(DATA / "demo-train.dbr"),
        dev,
        tmp_path / "model",
        parser=name,
        parser_options=options,
        epochs=EPOCHS.get(name),
        one_shot=one_shot,
        tags="gold",
        threads=1,
    )
    assert parser.card.scores["f1"] > 50
    assert (parser.stages.labeler is None) == one_shot
    assert list(spindle.load(tmp_path / "model").parse_many(dev)) == list(parser.parse_many(dev))
    log = (tmp_path / "model.log.jsonl").read_text(encoding="utf-8")
    assert ('"event": "output", "text": "$ ' in log) == issubclass(backend, TrainingProgram)
    assert_altered_files_are_refused(tmp_path / "model")


def assert_altered_files_are_refused(model: Path) -> None:
    """Change a single bit of the parser's arrays; the model must not load."""
    stored = bytearray(model.read_bytes())
    for content in read_model(model, "parser").parts["parser"].arrays.values():
        if len(beginning := content.tobytes()[:64]) == 64 and any(beginning):
            stored[stored.index(beginning) + 32] ^= 1
            break
    model.write_bytes(stored)
    with pytest.raises(ModelError, match="has been altered or damaged"):
        spindle.load(model)


def test_a_damaged_udpipe_model_is_refused() -> None:
    backend = find_parser("udpipe")
    if backend.version() is None:
        pytest.skip(f"needs {backend.needs}")
    part = fitted(backend, Mode.CONTINUOUS, epochs="1").to_part()
    damaged = backend.from_part(ModelPart(part.settings, {"parser": part.arrays["parser"][:100]}))
    with pytest.raises(ModelError, match="UDPipe model inside"):
        damaged.parse(SENTENCES, threads=1)


def test_udpipe_labels_roots_with_spines() -> None:
    backend = find_parser("udpipe")
    if backend.version() is None:
        pytest.skip(f"needs {backend.needs}")
    spined = [
        replace(
            example,
            labels=tuple("S|X#0" if head < 0 else "NP#1" for head in example.heads),
        )
        for example in EXAMPLES
    ]
    parser = backend()
    options = backend.Options.read(QUICK["udpipe"], "udpipe")
    parser.fit(
        spined * 25, spined, FitSettings(encoding=Encoding.HN, one_shot=True, options=options), Diary()
    )
    (found,) = parser.parse(SENTENCES[:1], threads=1)
    assert found.labels == ["NP#1", "NP#1", "S|X#0"]


def test_spacy_cannot_label_roots() -> None:
    backend = find_parser("spacy")
    with pytest.raises(ParserError, match="every root ROOT: with the encoding hn, train it in two stages"):
        backend.will_predict(FitSettings(one_shot=True, encoding=Encoding.HN))
    assert backend.will_predict(FitSettings(one_shot=False, encoding=Encoding.HN)) == set()


@pytest.mark.parametrize("name", QUICK)
def test_without_its_package_it_says_what_it_needs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = find_parser(name)

    def nothing() -> Mapping[str, str] | None:
        return None

    monkeypatch.setattr(backend, "version", nothing)
    with pytest.raises(
        ParserError, match=rf"{name} needs the packages? .*pip install 'spindle-parser\[{name}\]'"
    ):
        backend.check(backend.Options())
    assert issubclass(backend, Backend)
    assert issubclass(backend, TrainingProgram) == (name == "udpipe")
    assert not issubclass(backend, Program)
