"""CorpusSearch files (`.psd`): Penn-style brackets with lemmas, ids, empty words and annotators' remarks.

    ( (IP-MAT (NP-SBJ *con*) (VBPI langar-langa) (C 0) (CODE {sic}) (. .-.))
      (ID MODERN,1.2))

- A leaf is `form-lemma`, split at its last hyphen; `<dash/>` is a hyphen that does not split. Corpora without
  lemmas write `to-day` too: leaves are split only in trees where more than half of the words can be.
- Empty words (`0`, `*`, `*T*-1`, `*con*`) stand right beneath a phrase or tag: a node over a `-NONE-` token.
  A `0` under `NUM` or `CD` is the number.
- `(CODE …)` is a token tagged `CODE`.
- `(ID …)` is the tree's id; `(METADATA …)` and remarks between trees, `/* … */`, become its comments.
- A constituent with nothing in it, `(NP-SBJ )`, cannot be held: it is left out, with a remark.

Written is one tree a line with an empty line after it. The format holds forms, lemmas, tags, labels, ids and
comments; morphology and edge labels are lost. A discontinuous tree is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from spindle.errors import TreebankError, UnreadableFile
from spindle.treebanks.balance import balanced_stretches
from spindle.treebanks.bracket import TRACE, nest_continuous
from spindle.treebanks.escapes import escape_form, escape_label, restore_form, restore_label
from spindle.treebanks.nesting import Bracket, Fault, Nest, quoted, refuse_discontinuous, scan_nests
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
from spindle.trees import ROOT, Token, Tree

_EMPTY_WORD = re.compile(r"0|\*|\*-\d+|\*[\w?][^*]*\*.*")
_NUMBER_TAG = re.compile(r"(?:NUM|CD)(?![A-Za-z])")
_ESCAPED_ZERO = re.compile(r"\\+0")
_BLANKS = re.compile(r"[ \t\n\r]+")
# CorpusSearch writes remarks in both ways into what it finds.
_REMARK_START = re.compile(r"[ \t]*/~?\*")
_REMARK_END = re.compile(r"\*~?/")
_DASH = "<dash/>"


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────


def read_psd(source: Source, remarks: ReadingReport) -> Iterator[Tree | TreebankError]:
    """Read CorpusSearch trees."""
    waiting = _Waiting()
    for stretch in balanced_stretches(waiting.take_remarks(source, remarks), source):
        if isinstance(stretch, TreebankError):
            yield stretch
            continue
        for found in scan_nests(stretch.text):
            try:
                if isinstance(found, Fault):
                    raise found
                reading = _Reading(found, stretch.text)
            except Fault as fault:
                yield fault.in_file(source.name, stretch.line)
                continue
            for bracket in reading.left_out:
                remarks.add(
                    "constituent without words left out",
                    TreebankError(
                        f"{quoted(bracket.label)} has nothing in it",
                        file=source.name,
                        line=stretch.line + bracket.line - 1,
                        sentence=reading.id,
                    ),
                )
            waiting.metadata += reading.metadata
            if reading.tokens:
                yield reading.tree(waiting.release())
    for text in waiting.release():
        remarks.add("remark after the last tree left out", TreebankError(text, file=source.name))


@dataclass
class _Waiting:
    """ReadingReport and metadata that have been read and wait for the tree they stand before."""

    remarks: list[str] = field(default_factory=list)
    metadata: list[str] = field(default_factory=list)

    def take_remarks(self, source: Source, remarks: ReadingReport) -> Iterator[str]:
        """The lines with blank ones in place of remarks, so that line numbers stay."""
        remark: list[str] = []
        start = 0  # where the remark that is being read began
        for number, line in enumerate(source.lines(keep_undecoded=True), 1):
            opening = None if start else _REMARK_START.match(line)
            if opening:
                line = line[opening.end() :]
                start = number
            if not start:
                yield line
                continue
            closing = _REMARK_END.search(line)
            remark.append(line[: closing.start()] if closing else line)
            if closing:
                text = "".join(remark)
                if error := source.undecoded(text, start):
                    remarks.add("remark that cannot be decoded left out", error)
                else:
                    self.remarks.append(_BLANKS.sub(" ", text).strip(" "))
                remark, start = [], 0
            yield line[closing.end() :] if closing else "\n"
        if start:
            raise UnreadableFile(
                "a remark is never closed", file=source.name, line=start, hint="it should end in */"
            )

    def release(self) -> list[str]:
        """What waits: remarks first, then metadata, which is how they are written."""
        released = self.remarks + self.metadata
        self.remarks, self.metadata = [], []
        return released


class _Reading:
    """What one outermost bracket holds. Raises Fault if that is no tree."""

    def __init__(self, found: Nest, text: str) -> None:
        self.id = ""
        self.metadata: list[str] = []
        self.left_out: list[Bracket] = []
        self.tokens: list[Token] = []
        self.labels: list[str] = []
        self.parents: list[int] = []
        self.leaf_parents: list[int] = []
        self._read(found, text)
        if not self.tokens and not self.metadata:
            raise Fault(found.line, "empty tree (an unparsed sentence)", found.line)
        self._split_lemmas()

    def tree(self, comments: Sequence[str]) -> Tree:
        return Tree(
            tuple(self.tokens),
            tuple(self.labels),
            tuple(self.parents),
            tuple(self.leaf_parents),
            id=self.id,
            comments=tuple(comments),
        )

    def _read(self, found: Nest, text: str) -> None:
        is_filled = _filled(found)
        node_of = {ROOT: ROOT}  # the node that a bracket is; what is beneath the others is not read
        for number, word in found.order:
            bracket = found.brackets[number]
            if word is not None:
                if bracket.inner and number in node_of:
                    if not _EMPTY_WORD.fullmatch(word):
                        raise Fault(found.line, f"{quoted(word)} has no tag", bracket.line)
                    self._add_leaf(Token(restore_form(word), TRACE), node_of[number])
            elif bracket.parent not in node_of:
                continue
            elif bracket.parent == 0 and bracket.label == "ID" and bracket.is_text:
                self.id = restore_form(" ".join(bracket.words))
            elif bracket.parent == 0 and bracket.label == "METADATA":
                self.metadata.append(_BLANKS.sub(" ", text[bracket.start : bracket.end]))
            elif bracket.is_text:
                self._read_leaf(bracket, node_of[bracket.parent])
            elif bracket.is_bare and _EMPTY_WORD.fullmatch(bracket.label) and bracket.parent != ROOT:
                self._add_leaf(Token(restore_form(bracket.label), TRACE), node_of[bracket.parent])
            elif is_filled[number]:
                node_of[number] = self._add_node(bracket.label, node_of[bracket.parent])
            elif number == 0:
                node_of[number] = ROOT  # no tree, but there may be metadata
            elif bracket.label:
                self.left_out.append(bracket)

    def _read_leaf(self, bracket: Bracket, parent: int) -> None:
        text, tag = " ".join(bracket.words), restore_label(bracket.label)
        if _is_special(tag):
            self._add_leaf(Token(restore_form(text), tag), parent)
        elif _is_empty_word(text, tag):
            self._add_leaf(Token(restore_form(text), TRACE), self._add_node(bracket.label, parent))
        else:
            form = text[1:] if _ESCAPED_ZERO.fullmatch(text) else restore_form(text)
            self._add_leaf(Token(form, tag), parent)

    def _add_node(self, label: str, parent: int) -> int:
        self.labels.append(restore_label(label))
        self.parents.append(parent)
        return len(self.labels) - 1

    def _add_leaf(self, token: Token, parent: int) -> None:
        self.tokens.append(token)
        self.leaf_parents.append(parent)

    def _split_lemmas(self) -> None:
        """Only now is it known whether this tree has lemmas."""
        words = [position for position, token in enumerate(self.tokens) if not _is_special(token.tag)]
        splits = [_split(self.tokens[position].form) for position in words]
        has_lemmas = _is_most(splits)
        for position, split in zip(words, splits, strict=True):
            leaf, tag, *_ = self.tokens[position]
            form, lemma = split if has_lemmas and split else (leaf, "")
            self.tokens[position] = Token(form.replace(_DASH, "-"), tag, lemma.replace(_DASH, "-"))


def _filled(found: Nest) -> list[bool]:
    """Whether each bracket has something beneath it that becomes a token."""
    is_filled = [False] * len(found.brackets)
    for number in reversed(range(len(is_filled))):
        bracket = found.brackets[number]
        if bracket.parent == 0 and bracket.label in ("ID", "METADATA"):
            continue
        if bracket.words or (bracket.is_bare and _EMPTY_WORD.fullmatch(bracket.label)):
            is_filled[number] = True
        if is_filled[number] and bracket.parent != ROOT:
            is_filled[bracket.parent] = True
    return is_filled


def _is_special(tag: str) -> bool:
    """Whether what has this tag is no word, so that it is taken as it stands."""
    return tag == TRACE or tag == "CODE" or tag.startswith("CODE-")


def _is_empty_word(text: str, tag: str) -> bool:
    if text == "0":
        return not _NUMBER_TAG.match(tag)
    return _EMPTY_WORD.fullmatch(text) is not None


# ── lemmas, both ways ────────────────────────────────────────────────────────────────────────────────


def _split(leaf: str) -> tuple[str, str] | None:
    """The form and lemma of a leaf that can be split: `fjár-fé`, `.-.`, `---`, and `og-` with no lemma."""
    if not leaf.strip("-"):
        middle = len(leaf) // 2
        return (leaf[:middle], leaf[middle + 1 :]) if len(leaf) % 2 and middle else None
    if leaf.find("-") == len(leaf) - 1:
        return leaf[:-1], ""
    at = leaf.rfind("-", 1, len(leaf) - 1)
    return (leaf[:at], leaf[at + 1 :]) if at > 0 else None


def _is_most(splits: Sequence[tuple[str, str] | None]) -> bool:
    """Whether so many leaves can be split that they must be lemmas, not hyphens."""
    return 2 * splits.count(None) < len(splits)


def _join(tokens: Sequence[Token]) -> list[str]:
    """Leaves that are split into the forms and lemmas of these words again."""
    forms = [token.form for token in tokens]
    if not any(token.lemma for token in tokens):
        is_misread = _is_most([_split(form) for form in forms])
        return [form.replace("-", _DASH) for form in forms] if is_misread else forms
    leaves = [
        "-".join(part.replace("-", _DASH) for part in (token.form, token.lemma) if part) for token in tokens
    ]
    if not _is_most([_split(leaf) for leaf in leaves]):
        leaves = [leaf if token.lemma else leaf + "-" for leaf, token in zip(leaves, tokens, strict=True)]
    return leaves


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────


def refuse_for_psd(tree: Tree) -> TreebankError | None:
    """Why psd cannot hold a tree: it has gaps, or below its root what would be read as something else."""
    # a bare word stands alone, unless it needs a bracket around it and what is said of the sentence
    top = 0 if tree.labels or not (tree.id or tree.comments) else ROOT
    tops = [token.tag for token, parent in zip(tree.tokens, tree.leaf_parents, strict=True) if parent == top]
    nodes = [label for label, parent in zip(tree.labels, tree.parents, strict=True) if parent == 0]
    if "ID" in tops or "METADATA" in (*tops, *nodes):
        cause = "psd would take ID or METADATA right below the root for what it says of the sentence"
        return TreebankError(cause, hint="write another format")
    return refuse_discontinuous(tree)


def write_psd(trees: Iterable[Tree]) -> Iterator[str]:
    """Write CorpusSearch trees; raises TreebankError for those that psd cannot hold."""
    for number, tree in enumerate(trees, 1):
        if error := refuse_for_psd(tree):
            error.sentence = tree.id or str(number)
            raise error
        text = nest_continuous(tree, _leaves(tree), number)
        if tree.id and not tree.labels:
            text = f"( {text})"  # an id needs a bracket to stand in
        if tree.id:
            text = f"{text[:-1]} (ID {escape_form(tree.id)}))"
        for comment in reversed(tree.comments):
            if text.startswith("( (") and _is_metadata(comment):
                text = f"( {comment}{text[1:]}"
        remarks = [
            comment for comment in tree.comments if not (text.startswith("( (") and _is_metadata(comment))
        ]
        for comment in remarks:
            yield f"/* {_BLANKS.sub(' ', comment.replace('*/', '* /'))} */\n"
        yield text + "\n\n"


def _is_metadata(comment: str) -> bool:
    return comment.startswith("(METADATA") and comment.count("(") == comment.count(")")


def _leaves(tree: Tree) -> list[str]:
    is_word = [not _is_special(token.tag) for token in tree.tokens]
    words = iter(_join([token for token, is_one in zip(tree.tokens, is_word, strict=True) if is_one]))
    leaves: list[str] = []
    for token, is_one, parent in zip(tree.tokens, is_word, tree.leaf_parents, strict=True):
        text = escape_form(next(words) if is_one else token.form)
        if is_one and (_is_empty_word(text, token.tag) or _ESCAPED_ZERO.fullmatch(text)):
            text = "\\" + text
        if token.tag == TRACE and parent > 0 and len(tree.children[parent]) == 1:
            label = tree.labels[parent]
            if _is_empty_word(text, label) and not _is_special(label):
                leaves.append(text)
                continue
        leaves.append(f"({escape_label(token.tag)} {text})")
    return leaves
