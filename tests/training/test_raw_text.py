"""`spindle train --text`: the front end is learned from the raw text of the treebank."""

from pathlib import Path

import pytest

import spindle
import spindle.text
from spindle.errors import SpindleError
from spindle.text import read_documents
from spindle.text.alignment import align, aligned_document
from spindle.training.listener import NullListener
from spindle.training.raw_text import train_text_model

SENTENCES = [["Es", "kam", "z.B.", "Prof.", "Rau", "."], ["Er", "(", "sie", ")", "ging", "'s", "an", "."]]
TEXT = "Titel\n\nEs kam z.B. Prof. Rau.\nEr (sie)\nging's an. Mehr.\n"
ROWS = """# newdoc
1\tEs\t_\t_\t_\t_\t0\t_\t_\t_
2-3\tging's\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\tging\t_\t_\t_\t_\t0\t_\t_\t_
3\t's\t_\t_\t_\t_\t0\t_\t_\t_
4\t.\t_\t_\t_\t_\t0\t_\t_\t_

# newpar
1-2\tzum\t_\t_\t_\t_\t_\t_\t_\t_
1\tzu\t_\t_\t_\t_\t0\t_\t_\t_
2\tdem\t_\t_\t_\t_\t0\t_\t_\t_
2.1\tx\t_\t_\t_\t_\t_\t_\t_\t_
3\tHaus\t_\t_\t_\t_\t0\t_\t_\t_

"""


class Saying(NullListener):
    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, text: str) -> None:
        self.said.append(text)


def test_sentences_are_found_in_their_text() -> None:
    aligned, lost = align([*SENTENCES, ["not", "there", "at", "all"]], TEXT)
    assert lost == 1
    document = aligned_document(aligned)
    assert document.text == "Es kam z.B. Prof. Rau.\nEr (sie)\nging's an. "
    assert [document.text[start:end] for start, end in document.tokens] == [
        w for one in SENTENCES for w in one
    ]


def test_ranges_of_conllu() -> None:
    (document,) = read_documents(ROWS.splitlines())
    assert document.text == "Es ging's.\n\nzum Haus "
    words = [[document.text[start:end] for start, end in one] for one in document.sentences]
    assert words == [["Es", "ging", "'s", "."], ["zum", "Haus"]]


@pytest.mark.parametrize(("name", "text"), [("a.txt", TEXT), ("a.conllu", ROWS)])
def test_a_model_learns_from_files(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text * 20, "utf-8")
    listener = Saying()
    model = train_text_model([tmp_path / name], SENTENCES * 20, 1, listener)
    assert model is not None
    splitter = spindle.text.TextSplitter(model=model)
    words = SENTENCES[1][4:] if name == "a.txt" else ["ging", "'s", "."]
    text = "ging's an." if name == "a.txt" else "ging's."
    assert [word.form for word in splitter.words(text)] == words
    assert any("learned from" in said for said in listener.said)


def test_without_text_the_style_is_learned(tmp_path: Path) -> None:
    listener = Saying()
    assert train_text_model([], SENTENCES, 1, listener) is None
    assert "the treebank's words only" in listener.said[0]
    (tmp_path / "a.txt").write_text("Nothing of it.", "utf-8")
    with pytest.raises(SpindleError, match="no sentence"):
        train_text_model([tmp_path / "a.txt"], SENTENCES, 1, listener)
    (tmp_path / "a.conllu").write_text("1\ta\t_\t_\t_\t_\t0\t_\t_\t_\n\n", "utf-8")
    with pytest.raises(SpindleError, match="SpaceAfter"):
        train_text_model([tmp_path / "a.conllu"], SENTENCES, 1, listener)


def test_training_learns_the_text(tmp_path: Path) -> None:
    (tmp_path / "raw.txt").write_text("He doesn't. She sleeps! ", "utf-8")
    trees = [
        spindle.Tree.from_string("(ROOT (S (NP (PRP He)) (VP (VBZ does) (RB n't)) (. .)))"),
        spindle.Tree.from_string("(ROOT (S (NP (PRP She)) (VP (VBZ sleeps)) (. !)))"),
    ]
    listener = Saying()
    parser = spindle.train(trees, text=[tmp_path / "raw.txt"], epochs=1, listener=listener)
    assert parser.card.chosen["words"] == parser.settings.tokenization.describe()
    assert f"words: {parser.card.chosen['words']}" in listener.said
    assert parser.text_model is not None
    assert parser.card.options["text"] == ["raw.txt"]
