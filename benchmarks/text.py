"""Compare splitters of raw text: tokens, sentences, speed, and the trees that follow.

    python benchmarks/raw_text.py GUM CRAFT -o raw
    pip install spacy nltk pysbd syntok sentencex nupunkt blingfire
    python benchmarks/text.py raw
    python benchmarks/text.py raw --trees

All splitters run in one process on the same texts: english-gum dev and english-craft dev with their
paragraphs, the same without them (sentences joined by blanks), and four files of texts written for this in
`tests/samples`. The lessons of the model were written with the errors on `raw-text.txt` and
`raw-text-everyday.txt` in view; nothing was tuned on `raw-text-unseen.txt` and `raw-text-fresh.txt`.
A library that is not installed, or needs a download, is left out and named. Sentences and tokens count as
right if both of their ends are. `--trees` parses raw text and gold tokens with English models, and scores the
trees by the characters of their constituents.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from measuring import command_line
from spindle.pipeline import Parser, load
from spindle.text import GoldDocument, Lines, TextSplitter, read_documents
from spindle.text.alignment import SPELLINGS
from spindle.text.documents import read_marked
from spindle.trees import Tree

SAMPLES = Path(__file__).resolve().parents[1] / "tests" / "samples"
WRITTEN = {
    "sentences with traps": "raw-text.txt",
    "everyday texts": "raw-text-everyday.txt",
    "unseen traps": "raw-text-unseen.txt",
    "fresh traps": "raw-text-fresh.txt",
}
"""The sets that were written for this."""
Range = tuple[int, int]


class Found(NamedTuple):
    """The tokens and sentences of a text; None for what a splitter does not find."""

    tokens: list[Range] | None
    sentences: list[Range] | None


Splitter = Callable[[str], Found]


# ── splitters ────────────────────────────────────────────────────────────────────────────────────────


def spindle(parser: Parser) -> Splitter:
    """Return the front end of a model."""
    return of_splitter(parser.splitter)


def of_splitter(splitter: TextSplitter) -> Splitter:
    """Return a splitter of Spindle."""

    def split(text: str) -> Found:
        sentences = splitter.sentences(text, Lines.AUTO)
        return Found(
            [(start, end) for sentence in sentences for _, start, end in sentence],
            [(sentence[0].start, sentence[-1].end) for sentence in sentences],
        )

    return split


def spacy_rules() -> Splitter:
    """Return spaCy's English tokenizer and its sentencizer."""
    import spacy

    pipe = spacy.blank("en")
    pipe.add_pipe("sentencizer")
    pipe.max_length = 10**9

    def split(text: str) -> Found:
        doc = pipe(text)
        tokens = [(one.idx, one.idx + len(one)) for one in doc if not one.is_space]
        return Found(tokens, [trimmed(text, one.start_char, one.end_char) for one in doc.sents])

    return split


def nltk_punkt() -> Splitter:
    """Return NLTK's Treebank tokenizer and Punkt, which learns from the same raw texts as our model."""
    from nltk.tokenize import NLTKWordTokenizer
    from nltk.tokenize.punkt import PunktSentenceTokenizer, PunktTrainer

    trainer = PunktTrainer()
    for text in RAW_TRAINING_TEXT:
        trainer.train(text, finalize=False)
    trainer.finalize_training()
    punkt = PunktSentenceTokenizer(trainer.get_params())
    words = NLTKWordTokenizer()

    def split(text: str) -> Found:
        sentences = list(punkt.span_tokenize(text))
        tokens: list[Range] = []
        for start, end in sentences:
            tokens += [(start + begin, start + last) for begin, last in words.span_tokenize(text[start:end])]
        return Found(tokens, [trimmed(text, *one) for one in sentences])

    return split


def pysbd_rules() -> Splitter:
    """Return pysbd's rules for English."""
    import pysbd

    segmenter = pysbd.Segmenter(language="en", clean=False, char_span=False)
    return lambda text: Found(None, located(text, segmenter.segment(text)))


def syntok_rules() -> Splitter:
    """Return syntok's tokens and sentences."""
    from syntok import segmenter

    def split(text: str) -> Found:
        tokens: list[Range] = []
        sentences: list[Range] = []
        for paragraph in segmenter.analyze(text):
            for sentence in paragraph:
                ranges = [(one.offset, one.offset + len(one.value)) for one in sentence]
                tokens += ranges
                sentences.append((ranges[0][0], ranges[-1][1]))
        return Found(tokens, sentences)

    return split


def sentencex_rules() -> Splitter:
    """Return sentencex's sentences."""
    from sentencex import segment

    return lambda text: Found(None, located(text, segment("en", text)))


def nupunkt_model() -> Splitter:
    """Return nupunkt's own English model."""
    import nupunkt

    return lambda text: Found(None, located(text, nupunkt.sent_tokenize(text)))


def blingfire_model() -> Splitter:
    """Return Blingfire's words and sentences."""
    import blingfire

    def split(text: str) -> Found:
        _, sentences = blingfire.text_to_sentences_and_offsets(text)
        _, words = blingfire.text_to_words_with_offsets(text)
        return Found([tuple(one) for one in words], [trimmed(text, *one) for one in sentences])

    return split


def stanza_model() -> Splitter:
    """Return Stanza's English tokenizer, if its model is on this machine."""
    import stanza

    pipe = stanza.Pipeline("en", processors="tokenize", download_method=None, verbose=False)

    def split(text: str) -> Found:
        doc = pipe(text)
        return Found(
            [(word.start_char, word.end_char) for one in doc.sentences for word in one.words],
            [(one.tokens[0].start_char, one.tokens[-1].end_char) for one in doc.sentences],
        )

    return split


OTHERS: dict[str, Callable[[], Splitter]] = {
    "spaCy (rules)": spacy_rules,
    "NLTK (Treebank words, Punkt)": nltk_punkt,
    "pysbd": pysbd_rules,
    "syntok": syntok_rules,
    "sentencex": sentencex_rules,
    "nupunkt": nupunkt_model,
    "Blingfire": blingfire_model,
    "Stanza": stanza_model,
}
RAW_TRAINING_TEXT: list[str] = []


def trimmed(text: str, start: int, end: int) -> Range:
    """Return a range without blanks at its ends."""
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())


def located(text: str, sentences: Sequence[str]) -> list[Range]:
    """Return the ranges of sentences that a splitter returns as strings."""
    found: list[Range] = []
    at = 0
    for sentence in sentences:
        bare = sentence.strip()
        place = text.find(bare, at) if bare else -1
        if place >= 0:
            found.append((place, place + len(bare)))
            at = place + len(bare)
    return found


# ── scores ───────────────────────────────────────────────────────────────────────────────────────────


class Counts:
    """Adds up what is right, and what gold and prediction have."""

    def __init__(self) -> None:
        self.right = self.gold = self.found = 0

    def add(self, gold: Sequence[Any], found: Sequence[Any]) -> None:
        """Compare two lists as multisets."""
        self.right += (Counter(gold) & Counter(found)).total()
        self.gold += len(gold)
        self.found += len(found)

    @property
    def f1(self) -> float:
        """F1 in percent."""
        return 200 * self.right / max(self.gold + self.found, 1)


def measure(split: Splitter, documents: Sequence[GoldDocument]) -> str:
    """Return a row of a table: token F1, sentence F1, tokens per CPU second."""
    tokens, sentences = Counts(), Counts()
    gc.collect()
    gc.freeze()  # the objects of other libraries are not searched while one is timed
    start = time.process_time()
    found = [split(document.text) for document in documents]
    seconds = time.process_time() - start
    for document, one in zip(documents, found, strict=True):
        if one.tokens is not None:
            tokens.add(document.tokens, one.tokens)
        if one.sentences is not None:
            gold = [(sentence[0][0], sentence[-1][1]) for sentence in document.sentences]
            sentences.add(gold, [one for one in one.sentences if one[0] < one[1]])
    count = sum(len(document.tokens) for document in documents)
    word = f"{tokens.f1:6.2f}" if tokens.gold else "     –"
    return f"{word} | {sentences.f1:6.2f} | {count / max(seconds, 1e-9):>10,.0f}"


def trees_by_characters(
    trees: Sequence[Tree], ranges: Sequence[Sequence[Range]]
) -> Iterator[tuple[str, int, int]]:
    """Yield the label and the range of characters of every constituent below the root."""
    for tree, places in zip(trees, ranges, strict=True):
        for node in tree.nodes():
            if node.parent is not None:
                positions = node.positions
                yield node.label, places[positions[0]][0], places[positions[-1]][1]


def score_trees(name: str, documents: Sequence[GoldDocument], gold: Sequence[Tree]) -> None:
    """Print the F1 of a model's trees, from raw text, from gold sentences, and from gold tokens."""
    parser = load(name)
    total = {kind: Counts() for kind in ("gold tokens", "gold sentences, our tokens", "raw text")}
    trees = iter(gold)
    for document in documents:
        right = [next(trees) for _ in document.sentences]
        wanted = list(trees_by_characters(right, document.sentences))
        words = [[document.text[start:end] for start, end in sentence] for sentence in document.sentences]
        found = [tree for tree in parser.parse_many(words) if tree is not None]
        total["gold tokens"].add(wanted, list(trees_by_characters(found, document.sentences)))
        places: list[list[Range]] = []
        forms: list[list[str]] = []
        for sentence in document.sentences:
            start, end = sentence[0][0], sentence[-1][1]
            spans = parser.splitter.words(document.text[start:end])
            places.append([(start + span.start, start + span.end) for span in spans])
            forms.append([span.form for span in spans])
        found = [tree for tree in parser.parse_many(forms) if tree is not None]
        total["gold sentences, our tokens"].add(wanted, list(trees_by_characters(found, places)))
        doc = parser(document.text)
        total["raw text"].add(
            wanted, list(trees_by_characters(doc.trees, [tree.offsets for tree in doc.trees]))
        )
    for kind, counts in total.items():
        print(f"| {name} | {kind} | {counts.f1:.2f} |", flush=True)


def gold_trees(name: str, documents: Sequence[GoldDocument]) -> list[Tree]:
    """Return the gold trees of the sentences that have raw text, in the form of the training trees."""
    from bundled_model import adapted, craft
    from measuring import TREEBANKS
    from spindle.treebanks import read_trees

    annotated = craft("dev") if "craft" in name else read_trees(TREEBANKS / name / "dev.ptb")
    by_words: dict[str, list[Tree]] = {}
    for tree in map(adapted, annotated):
        by_words.setdefault(
            squeezed("".join(SPELLINGS.get(token.form, token.form) for token in tree.tokens)), []
        ).append(tree)
    found: list[Tree] = []
    for document in documents:
        for sentence in document.sentences:
            same = by_words[squeezed(document.text[sentence[0][0] : sentence[-1][1]])]
            found.append(same[0])
            if len(same) > 1:
                same.append(same.pop(0))
    return found


def squeezed(text: str) -> str:
    """Return a text without blanks."""
    return "".join(text.split())


def lines_of(path: Path) -> list[str]:
    """Return the lines of a file."""
    return path.read_text(encoding="utf-8").splitlines()


def main() -> None:
    """Print a table for every set."""
    arguments = command_line(__doc__)
    arguments.add_argument("raw", type=Path, help="the folder that raw_text.py has written")
    arguments.add_argument("--trees", action="store_true")
    arguments.add_argument("--models", nargs="+", default=["english", "fast"])
    given: argparse.Namespace = arguments.parse_args()
    names = ("english-gum", "english-craft")
    rows = {name: lines_of(given.raw / f"{name}-dev.conllu") for name in names}
    documents = {name: list(read_documents(rows[name])) for name in names}
    if given.trees:
        for name in names:
            print(f"\n{name} dev\n\n| model | input | F1 |\n|---|---|---|", flush=True)
            for model in given.models:
                score_trees(model, documents[name], gold_trees(name, documents[name]))
        return
    train = read_documents(lines_of(given.raw / "free-train.conllu"))
    RAW_TRAINING_TEXT.extend(document.text for document in train)
    sets = {
        **{f"{name} dev": documents[name] for name in names},
        **{f"{name} dev, no paragraphs": list(read_documents(rows[name], False)) for name in names},
        **{name: list(read_marked((SAMPLES / file).read_text("utf-8"))) for name, file in WRITTEN.items()},
    }
    parser = load("light")
    splitters = {
        "Spindle": spindle(parser),
        "Spindle, style only": of_splitter(TextSplitter(parser.settings.tokenization)),
    }
    for name, make in OTHERS.items():
        try:
            splitters[name] = make()
        except Exception as error:  # whatever a library raises that is not there, or not whole
            print(f"left out: {name} ({type(error).__name__}: {str(error).splitlines()[0]})")
    for name, texts in sets.items():
        sentences = sum(len(document.sentences) for document in texts)
        print(f"\n{name}: {sentences:,} sentences, {sum(len(one.tokens) for one in texts):,} tokens\n")
        print("| splitter | token F1 | sentence F1 | tokens per CPU second |\n|---|---|---|---|")
        for splitter, split in splitters.items():
            split("A text to warm up.")
            print(f"| {splitter} | {measure(split, texts)} |", flush=True)


if __name__ == "__main__":
    main()
