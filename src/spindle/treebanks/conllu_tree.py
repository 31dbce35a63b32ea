r"""CoNLL-U with the tree of every sentence in a comment, as Stanza writes it.

    # sent_id = 57
    # text = It works.
    # constituency = (ROOT (S (NP (PRP It)) (VP (VBZ works)) (. .)))
    1	It	it	_	PRP	_	2	dep	_	start_char=0|end_char=2
    2	works	work	_	VBZ	_	0	root	_	SpaceAfter=No|start_char=3|end_char=8
    3	.	.	_	.	_	2	dep	_	start_char=8|end_char=9

The writer makes the dependencies from the heads of the constituents: the head word of a constituent governs
those of its other children. The relation is the edge label of what depends, if the treebank has one, or
else `dep`. Without heads these columns are empty. The reader takes the words, lemmas and features of the
rows, and the tags of the tree; it does not use the dependencies. A lemma or features `_` are missing ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from spindle.errors import TreebankError
from spindle.treebanks.annotated import Annotation
from spindle.treebanks.conll import numbered_sentences, write_conllu
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.sentence_comments import comments_of, tree_of
from spindle.treebanks.source import Source
from spindle.trees import ROOT, Dependencies, Tree, Word

NO_RELATION, ROOT_RELATION = "dep", "root"
_START, _END = (re.compile(rf"(?:^|\|){name}=(\d{{1,15}})(?:\||$)") for name in ("start_char", "end_char"))


def read_conllu_tree(source: Source, report: ReadingReport) -> Iterator[Tree | TreebankError]:
    """Yield the trees of a file, and an error for each sentence without a tree or with a malformed one."""
    for line, sentence in numbered_sentences(source, report):
        if isinstance(sentence, TreebankError):
            yield sentence
            continue
        words = [Annotation(word.form, word.lemma, word.feats, _span(word.misc)) for word in sentence.words]
        place = TreebankError("", file=source.name, line=line, sentence=sentence.id)
        try:
            yield tree_of(sentence.comments, words, place)
        except TreebankError as error:
            yield error


def write_conllu_tree(trees: Iterable[Tree]) -> Iterator[str]:
    """Yield the comments and rows of each sentence as one string."""
    return write_conllu(map(_rows, trees))


def _rows(tree: Tree) -> Dependencies:
    words = []
    for position, ((head, relation), token) in enumerate(zip(_arcs(tree), tree.tokens, strict=True)):
        words.append(
            Word(
                token.form,
                lemma=token.lemma,
                xpos=token.tag,
                feats=token.morph,
                head=head,
                deprel=relation,
                misc=_misc(tree, position),
            )
        )
    return Dependencies(tuple(words), tuple(comments_of(tree)))


def _arcs(tree: Tree) -> list[tuple[int, str]]:
    """Return the head of every word, from 1, and its relation; -1 and "" if the tree has no heads."""
    if tree.heads is None and tree.labels:
        return [(-1, "")] * len(tree)
    size = len(tree)
    arcs = [(0, ROOT_RELATION)] * size
    for node, children in enumerate(tree.children):
        head = tree.heads[node] if tree.heads is not None else ROOT
        for child in children:
            is_word = child < size
            word = child if is_word or tree.heads is None else tree.heads[child - size]
            if word != head:
                relation = tree.tokens[child].function if is_word else tree.functions[child - size]
                arcs[word] = head + 1, relation or NO_RELATION
    return arcs


def _misc(tree: Tree, position: int) -> str:
    """Return the place in the text, and whether a blank follows."""
    if tree.text is None:
        return ""
    start, end = tree.offsets[position]
    is_last = position + 1 == len(tree)
    joins_next = not is_last and tree.offsets[position + 1][0] == end
    return ("SpaceAfter=No|" if joins_next else "") + f"start_char={start}|end_char={end}"


def _span(misc: str) -> tuple[int, int] | None:
    start, end = _START.search(misc), _END.search(misc)
    return (int(start[1]), int(end[1])) if start and end else None
