"""No reader loses a sentence silently: sentences read and reported are as many as a count of the file says.

One line or block of a file is damaged; the count of the others is independent of the readers.
"""

import random

import pytest

from spindle.errors import TreebankError, UnreadableFile
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
    if format == "indented":
        return f"(S (A {words[0]})\n  (B {words[1]}))\n"
    if format == "psd":
        return f"( (S (A {words[0]})\n  (B {words[1]}))\n  (ID x,{number}))\n\n"
    if format == "tigerxml":
        terminals = "".join(f'<t id="t{at}" word="{word}" pos="N"/>' for at, word in enumerate(words))
        edges = '<edge label="X" idref="t0"/><edge label="X" idref="t1"/>'
        return (
            f'<s id="s{number}"><graph root="n"><terminals>{terminals}</terminals><nonterminals>'
            f'<nt id="n" cat="S">{edges}</nt></nonterminals></graph></s>\n'
        )
    if format == "alpino":
        nodes = "".join(f'<node begin="{at}" pt="N" word="{word}"/>' for at, word in enumerate(words))
        return f'<alpino_ds id="{number}"><node cat="top"><node cat="S">{nodes}</node></node></alpino_ds>\n'
    if format == "discbracket":
        return f"(S (A 0={words[0]}) (B 1={words[1]}))\n"
    if format == "export":
        rows = "".join(f"{word}\tN\t--\t--\t500\n" for word in words)
        return f"#BOS {number} 0 0 0\n{rows}#500\tS\t--\t--\t0\n#EOS {number}\n"
    tree = f"(S (A {words[0]}) (B {words[1]}))"
    if format == "corenlp-text":
        tokens = "".join(f"[Text={word} Lemma={word}]\n" for word in words)
        return f"Sentence #{number + 1} (2 tokens):\n{' '.join(words)}\n\nTokens:\n{tokens}\n{tree}\n\n"
    if format == "corenlp-json":
        tokens = ", ".join(f'{{"lemma": "{word}"}}' for word in words)
        return f'{{"parse": "{tree}", "tokens": [{tokens}]}}'
    if format == "corenlp-xml":
        tokens = "".join(f"<token><lemma>{word}</lemma></token>" for word in words)
        return f'<sentence id="{number}"><tokens>{tokens}</tokens><parse>{tree}</parse></sentence>\n'
    if format == "brat":
        first, start = 3 * number + 1, 10 * number
        spans = "".join(
            f"T{first + at}\tN {start + 3 * at} {start + 3 * at + 2}\t{word}\n"
            for at, word in enumerate(words)
        )
        edges = "".join(f"R{first + at}\tchild Arg1:T{first + 2} Arg2:T{first + at}\n" for at in (0, 1))
        return f"{spans}T{first + 2}\tS {start} {start + 5}\t{' '.join(words)}\n{edges}"
    rows = "".join(ROW.format(at + 1, word, at) for at, word in enumerate(words)) + "\n"
    return f"# constituency = {tree}\n{rows}" if format == "conllu-tree" else rows


def damaged(text: str, format: str, chance: random.Random) -> str:
    """Remove or add a character that matters, but not the end of the sentence."""
    marks = "()" if "bracket" in format or format in ("indented", "psd", "corenlp-text") else "\t0123456789"
    first = text.index("\n(") if format == "corenlp-text" else 1 if format == "export" else 0
    places = [at for at, mark in enumerate(text) if mark in marks and at > first]
    at = chance.choice(places)
    return text[:at] + text[at + 1 :] if chance.random() < 0.5 else text[:at] + text[at] + text[at:]


@pytest.mark.parametrize(
    "format", ["discbracket", "export", "conllu-tree", "corenlp-text", "brat", "conllu", "conllx"]
)
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


@pytest.mark.parametrize(
    ("format", "intact"),
    # where several trees may stand on a line, the first trees show how the file is written
    [("bracket", 3), ("indented", 3), ("psd", 0)],
)
def test_no_bracketed_tree_is_lost(format: str, intact: int) -> None:
    chance = random.Random(f"counts {format}")
    read = TREE_FORMATS["bracket" if format == "indented" else format].read
    for _ in range(FILES):
        blocks = [block(format, number) for number in range(SENTENCES)]
        places = chance.sample(range(intact, SENTENCES), chance.randint(1, 3))
        for place in places:
            blocks[place] = damaged(blocks[place], format, chance)
        text = "".join(blocks)
        items = list(read(Source.from_text(text, "file"), ReadingReport()))
        sentences = [item for item in items if not isinstance(item, TreebankError)]
        assert len(items) >= SENTENCES, text
        read_words = {token.form for tree in sentences for token in tree.tokens}
        whole = [number for number in range(SENTENCES) if number not in places]
        assert {f"{mark}{number}" for mark in "ab" for number in whole} <= read_words, text
        assert all(len(tree.tokens) <= 3 for tree in sentences), text  # none is joined with the next


ENVELOPES = {
    "tigerxml": ('<corpus id="c"><body>\n', "</body></corpus>\n"),
    "alpino": ("<treebank>\n", "</treebank>\n"),
    "corenlp-xml": ("<root><document><sentences>\n", "</sentences></document></root>\n"),
}


@pytest.mark.parametrize("format", ENVELOPES)
def test_no_sentence_in_xml_is_lost(format: str) -> None:
    """Damage inside values costs one sentence; damage of the markup ends the reading with an error there."""
    chance = random.Random(f"counts {format}")
    head, tail = ENVELOPES[format]
    broken = 0
    for _ in range(FILES):
        blocks = [block(format, number) for number in range(SENTENCES)]
        place = chance.randrange(SENTENCES)
        at = chance.randrange(1, len(blocks[place]) - 1)
        cut = chance.choice((0, 1, 1, 4))
        blocks[place] = blocks[place][:at] + chance.choice(("", "x", "<", '"')) + blocks[place][at + cut :]
        text = head + "".join(blocks) + tail
        items = list(TREE_FORMATS[format].read(Source.from_text(text, "file"), ReadingReport()))
        errors = [item for item in items if isinstance(item, TreebankError)]
        if isinstance(items[-1], UnreadableFile):
            broken += 1
            assert items[-1].line is not None
            assert items[-1].line >= place + 2, text
            assert len(items) > place, text
            assert len(errors) <= 2, text
        else:
            assert len(items) >= SENTENCES, text
            assert len(errors) <= 1, text
    assert FILES / 10 < broken < FILES


def test_an_open_bracket_does_not_swallow_lines() -> None:
    lines = [block("discbracket", number) for number in range(SENTENCES)]
    lines[0] = lines[0].replace("(S (A", "(S ((A")
    lines[7] = lines[7].replace("\n", ")\n")
    items = list(TREE_FORMATS["discbracket"].read(Source.from_text("".join(lines)), ReadingReport()))
    errors = [item for item in items if isinstance(item, TreebankError)]
    assert [error.line for error in errors] == [1, 8]
    assert len(items) == SENTENCES


def test_no_sentence_of_json_is_lost() -> None:
    """Damage of a value costs one sentence; where brackets do not match, reading ends with an error there."""
    chance = random.Random("counts corenlp-json")
    read = TREE_FORMATS["corenlp-json"].read
    broken = 0
    for _ in range(FILES):
        blocks = [block("corenlp-json", number) for number in range(SENTENCES)]
        place = chance.randrange(SENTENCES)
        at = chance.randrange(1, len(blocks[place]) - 1)
        cut = chance.choice((0, 1, 1, 4))
        damage = chance.choice(("", "x", "{", "]", '"', ",", ":", "\\"))
        blocks[place] = blocks[place][:at] + damage + blocks[place][at + cut :]
        text = '{"sentences": [\n' + ",\n".join(blocks) + "\n]}\n"
        items = list(read(Source.from_text(text, "file"), ReadingReport()))
        errors = [item for item in items if isinstance(item, TreebankError)]
        if isinstance(items[-1], UnreadableFile):
            broken += 1
            assert (items[-1].line or 0) >= place + 2, text
            assert len(items) > place, text
        else:
            assert len(items) >= SENTENCES, text
        assert len(errors) <= 2, text
        assert len(items) - len(errors) >= place, text
    assert FILES / 10 < broken < FILES
