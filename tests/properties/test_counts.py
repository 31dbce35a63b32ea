"""No reader loses a sentence silently: sentences read and reported are as many as a count of the file says.

One line or block of a file is damaged; the count of the others is independent of the readers.
"""

import random

import pytest

from spindle.errors import TreebankError
from spindle.treebanks import ReadingReport, Source
from spindle.treebanks.formats import DEPENDENCY_FORMATS, TREE_FORMATS

SENTENCES = 10
FILES = 150
ROW = "{0}\t{1}\t_\tN\tN\t_\t{2}\tdep\t_\t_\n"


def block(format: str, number: int) -> str:
    """Return the text of one sentence of two words."""
    words = f"a{number}", f"b{number}"
    if format == "bracket":
        return f"(S (A {words[0]}) (B {words[1]}))\n"
    if format == "discbracket":
        return f"(S (A 0={words[0]}) (B 1={words[1]}))\n"
    if format == "export":
        rows = "".join(f"{word}\tN\t--\t--\t500\n" for word in words)
        return f"#BOS {number} 0 0 0\n{rows}#500\tS\t--\t--\t0\n#EOS {number}\n"
    return "".join(ROW.format(at + 1, word, at) for at, word in enumerate(words)) + "\n"


def damaged(text: str, format: str, chance: random.Random) -> str:
    """Remove or add a character that matters, but not the end of the sentence."""
    marks = "()" if "bracket" in format else "\t0123456789"
    places = [at for at, mark in enumerate(text) if mark in marks and at > (1 if format == "export" else 0)]
    at = chance.choice(places)
    return text[:at] + text[at + 1 :] if chance.random() < 0.5 else text[:at] + text[at] + text[at:]


@pytest.mark.parametrize("format", ["discbracket", "export", "conllu", "conllx"])
def test_nothing_is_lost(format: str) -> None:
    chance = random.Random(f"counts {format}")
    read = (TREE_FORMATS.get(format) or DEPENDENCY_FORMATS[format]).read
    for _ in range(FILES):
        blocks = [block(format, number) for number in range(SENTENCES)]
        places = chance.sample(range(SENTENCES), chance.randint(1, 3))
        for place in places:
            blocks[place] = damaged(blocks[place], format, chance)
        text = "".join(blocks)
        items = list(read(Source.from_text(text, "file"), ReadingReport()))
        sentences = [item for item in items if not isinstance(item, TreebankError)]
        assert len(items) >= SENTENCES, text
        assert len(sentences) >= SENTENCES - len(places), text


def test_an_open_bracket_does_not_swallow_lines() -> None:
    lines = [block("discbracket", number) for number in range(SENTENCES)]
    lines[0] = lines[0].replace("(S (A", "(S ((A")
    lines[7] = lines[7].replace("\n", ")\n")
    items = list(TREE_FORMATS["discbracket"].read(Source.from_text("".join(lines)), ReadingReport()))
    errors = [item for item in items if isinstance(item, TreebankError)]
    assert [error.line for error in errors] == [1, 8]
    assert len(items) == SENTENCES
