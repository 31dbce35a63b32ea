"""The XML of CoreNLP: the tree of a sentence in brackets, beside its tokens.

    <root><document><sentences>
      <sentence id="1">
        <tokens><token id="1"><word>It</word><lemma>it</lemma>…<POS>PRP</POS></token>…</tokens>
        <parse>(ROOT (S (NP (PRP It)) (VP (VBZ works)))) </parse>
      </sentence>
    </sentences></document></root>

Words and tags are those of the tree, lemmas those of the tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape

from spindle.errors import TreebankError, TreeError, UnreadableFile
from spindle.treebanks.annotated import Annotation, bracket_line, join, parsed, placed
from spindle.treebanks.nesting import refuse_discontinuous
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
from spindle.treebanks.tigerxml import refuse_not_xml
from spindle.treebanks.xmlstream import xml_events
from spindle.trees import Tree

_ENDS = frozenset({"sentences", "sentence", "token", "lemma", "parse"})


@dataclass
class _Sentence:
    """What has been read of a sentence; `has_ended` is false inside an element that is not finished."""

    place: TreebankError
    words: list[Annotation] = field(default_factory=list)
    brackets: str = ""
    lemma: str = ""

    def tree(self) -> Tree | TreebankError:
        if not self.brackets.strip():
            self.place.hint = "run CoreNLP with the annotator `parse`"
            return placed("the sentence has no <parse>", self.place)
        try:
            return join(parsed(self.brackets, self.place), self.words, None)
        except TreeError as error:
            return placed(error.cause, self.place)
        except TreebankError as error:
            return error


def read_corenlp_xml(source: Source, report: ReadingReport) -> Iterator[Tree | TreebankError]:
    """Yield the trees of a file, and an error for each sentence without a tree or with a malformed one.

    Broken XML ends the file; the sentences before it are yielded.
    """
    del report
    outermost = ""
    is_inside = found = False  # coreference has elements <sentence>, too, which are no sentences
    sentence: _Sentence | None = None
    try:
        for event in xml_events(source, _ENDS, "sentence"):
            if event.kind == "start":
                outermost = outermost or event.name
                if event.name == "sentences":
                    is_inside = found = True
                elif event.name == "sentence" and is_inside:
                    place = TreebankError(
                        "", file=source.name, line=event.line, sentence=event.attributes.get("id", "")
                    )
                    if sentence is not None:
                        yield placed("a sentence begins within this one", sentence.place)
                    sentence = _Sentence(place)
                elif event.name == "token" and sentence is not None:
                    sentence.lemma = ""
            elif event.kind == "end":
                if event.name == "sentences":
                    is_inside = False
                elif sentence is None:
                    continue
                elif event.name == "lemma":
                    sentence.lemma = event.text
                elif event.name == "token":
                    sentence.words.append(Annotation(lemma=sentence.lemma))
                elif event.name == "parse":
                    sentence.brackets = event.text
                elif event.name == "sentence" and is_inside:
                    yield sentence.tree()
                    sentence = None
    except TreebankError as error:
        if sentence is not None:
            error.sentence = sentence.place.sentence
        yield error
        return
    if not found:
        yield UnreadableFile(
            f"<{outermost}> contains no <sentences>", file=source.name, hint="is this file from CoreNLP?"
        )


def refuse_for_corenlp_xml(tree: Tree) -> TreebankError | None:
    """Return the reason why the format cannot represent a tree, or None."""
    return refuse_discontinuous(tree) or refuse_not_xml(tree)


def write_corenlp_xml(trees: Iterable[Tree]) -> Iterator[str]:
    """Yield the text of one document; a discontinuous tree raises a `TreebankError`."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<root>\n<document>\n<sentences>\n'
    for number, tree in enumerate(trees, start=1):
        if error := refuse_for_corenlp_xml(tree):
            error.sentence = tree.id or str(number)
            raise error
        yield "\n".join((*_lines(tree, number), ""))
    yield "</sentences>\n</document>\n</root>\n"


def _lines(tree: Tree, number: int) -> Iterator[str]:
    yield f'<sentence id="{number}">'
    yield "<tokens>"
    for position, token in enumerate(tree.tokens):
        columns = {"word": token.form, "lemma": token.lemma}
        if tree.text is not None:
            start, end = tree.offsets[position]
            columns |= {"CharacterOffsetBegin": str(start), "CharacterOffsetEnd": str(end)}
        inner = "".join(
            f"<{name}>{escape(value, quote=False)}</{name}>"
            for name, value in {**columns, "POS": token.tag}.items()
            if value
        )
        yield f'<token id="{position + 1}">{inner}</token>'
    yield "</tokens>"
    yield f"<parse>{escape(bracket_line(tree), quote=False)}</parse>"
    yield "</sentence>"
