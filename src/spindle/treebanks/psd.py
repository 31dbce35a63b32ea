"""CorpusSearch files (`.psd`): Penn-style brackets with lemmas, ids, empty words and comments.

    ( (IP-MAT (NP-SBJ *con*) (VBPI langar-langa) (C 0) (CODE {sic}) (. .-.))
      (ID MODERN,1.2))

- A leaf is `form-lemma`, split at its last hyphen; `<dash/>` is a hyphen that does not split. Corpora
  without lemmas also have forms such as `to-day`. So leaves are split only in trees where more than half of
  the words can be split.
- Empty words (`0`, `*`, `*T*-1`, `*con*`) are directly below a phrase or tag: they become a node above a
  `-NONE-` token. A `0` under `NUM` or `CD` is the number.
- `(CODE …)` is a token tagged `CODE`.
- `(ID …)` is the tree's id; `(METADATA …)` and comments between trees, `/* … */`, become its comments.
- An empty constituent, `(NP-SBJ )`, cannot be represented: it is left out and reported.

The writer writes one tree per line, with an empty line after it. The format keeps forms, lemmas, tags,
labels, ids and comments; morphology and edge labels are lost. The writer refuses discontinuous trees.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from spindle.errors import TreebankError, UnreadableFile
from spindle.treebanks.balance import balanced_stretches
from spindle.treebanks.bracket import TRACE, nest_continuous
from spindle.treebanks.escapes import escape_form, escape_label, restore_form, restore_label
from spindle.treebanks.limited import Limited
from spindle.treebanks.nesting import Bracket, Fault, Nest, quoted, refuse_discontinuous, scan_nests
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
from spindle.trees import ROOT, Token, Tree

_EMPTY_WORD = re.compile(r"0|\*|\*-\d+|\*[\w?][^*]*\*.*")
_NUMBER_TAG = re.compile(r"(?:NUM|CD)(?![A-Za-z])")
_ESCAPED_ZERO = re.compile(r"\\+0")
_BLANKS = re.compile(r"[ \t\n\r]+")
# CorpusSearch writes both kinds of comments into its output.
_COMMENT_START = re.compile(r"[ \t]*/~?\*")
_COMMENT_END = re.compile(r"\*~?/")
_DASH = "<dash/>"


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────


def read_psd(source: Source, report: ReadingReport) -> Iterator[Tree | TreebankError]:
    """Yield the trees of a CorpusSearch file, and an error for each malformed tree."""
    pending = _PendingComments()
    for stretch in balanced_stretches(pending.take_from(source, report), source):
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
                report.add(
                    "constituent without words left out",
                    TreebankError(
                        f"{quoted(bracket.label)} is empty",
                        file=source.name,
                        line=stretch.line + bracket.line - 1,
                        sentence=reading.id,
                    ),
                )
            pending.metadata += reading.metadata
            if reading.tokens:
                yield reading.tree(pending.release())
    for text in pending.release():
        report.add("comment after the last tree left out", TreebankError(text, file=source.name))


@dataclass
class _PendingComments:
    """Comments and metadata that have been read before their tree."""

    comments: list[str] = field(default_factory=list)
    metadata: list[str] = field(default_factory=list)

    def take_from(self, source: Source, report: ReadingReport) -> Iterator[str]:
        """Collect the comments; yield all lines, with blank lines for comments to keep the line numbers."""
        comment: list[str] = []
        start = 0  # the line where the open comment starts; 0 if none is open
        lines = Limited(source.lines(keep_undecoded=True), source.name, "comment")
        for number, line in enumerate(lines, 1):
            opening = None if start else _COMMENT_START.match(line)
            if opening:
                line = line[opening.end() :]
                start = number
            if not start:
                lines.restart()
                yield line
                continue
            closing = _COMMENT_END.search(line)
            comment.append(line[: closing.start()] if closing else line)
            if closing:
                text = "".join(comment)
                if error := source.undecoded(text, start):
                    report.add("comment that cannot be decoded left out", error)
                else:
                    self.comments.append(_BLANKS.sub(" ", text).strip(" "))
                comment, start = [], 0
            yield line[closing.end() :] if closing else "\n"
        if start:
            raise UnreadableFile(
                "a comment is never closed", file=source.name, line=start, hint="it should end in */"
            )

    def release(self) -> list[str]:
        """Return and forget the comments, then the metadata: the order in which they are written."""
        released = self.comments + self.metadata
        self.comments, self.metadata = [], []
        return released


class _Reading:
    """The content of one outermost bracket. Raises a Fault if it is not a tree."""

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
        node_of = {ROOT: ROOT}  # bracket number → node number; other brackets are ignored with their content
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
                node_of[number] = ROOT  # not a tree, but it may contain metadata
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
        """Split forms from lemmas, if the tree has lemmas: only the whole tree shows that."""
        words = [position for position, token in enumerate(self.tokens) if not _is_special(token.tag)]
        splits = [_split(self.tokens[position].form) for position in words]
        has_lemmas = _is_most(splits)
        for position, split in zip(words, splits, strict=True):
            leaf, tag, *_ = self.tokens[position]
            form, lemma = split if has_lemmas and split else (leaf, "")
            self.tokens[position] = Token(form.replace(_DASH, "-"), tag, lemma.replace(_DASH, "-"))


def _filled(found: Nest) -> list[bool]:
    """Return for each bracket whether it contains a token."""
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
    """Return whether this is a tag of non-words, which are read literally."""
    return tag == TRACE or tag == "CODE" or tag.startswith("CODE-")


def _is_empty_word(text: str, tag: str) -> bool:
    if text == "0":
        return not _NUMBER_TAG.match(tag)
    return _EMPTY_WORD.fullmatch(text) is not None


# ── lemmas, read and written ─────────────────────────────────────────────────────────────────────────


def _split(leaf: str) -> tuple[str, str] | None:
    """Return form and lemma of a leaf such as `fjár-fé`, `.-.` or `og-` (no lemma); None for others."""
    if not leaf.strip("-"):
        middle = len(leaf) // 2
        return (leaf[:middle], leaf[middle + 1 :]) if len(leaf) % 2 and middle else None
    if leaf.find("-") == len(leaf) - 1:
        return leaf[:-1], ""
    at = leaf.rfind("-", 1, len(leaf) - 1)
    return (leaf[:at], leaf[at + 1 :]) if at > 0 else None


def _is_most(splits: Sequence[tuple[str, str] | None]) -> bool:
    """Return whether most leaves can be split: then the hyphens separate lemmas."""
    return 2 * splits.count(None) < len(splits)


def _join(tokens: Sequence[Token]) -> list[str]:
    """Return the leaves that the reader splits into the forms and lemmas of these words."""
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
    """Return the reason why psd cannot represent a tree, or None.

    It cannot represent discontinuous trees, and children of the root that would be read as id or metadata.
    """
    # A tree of one word without a phrase gets a bracket around it only if it has an id.
    top = 0 if tree.labels or not tree.id else ROOT
    tops = [token.tag for token, parent in zip(tree.tokens, tree.leaf_parents, strict=True) if parent == top]
    nodes = [label for label, parent in zip(tree.labels, tree.parents, strict=True) if parent == 0]
    if "ID" in tops or "METADATA" in (*tops, *nodes):
        cause = "psd would read ID or METADATA directly below the root as id or metadata of the sentence"
        return TreebankError(cause, hint="write another format")
    return refuse_discontinuous(tree)


def write_psd(trees: Iterable[Tree]) -> Iterator[str]:
    """Yield the text of each tree; raises a TreebankError for a tree that psd cannot represent."""
    for number, tree in enumerate(trees, 1):
        if error := refuse_for_psd(tree):
            error.sentence = tree.id or str(number)
            raise error
        text = nest_continuous(tree, _leaves(tree), number)
        if tree.id and not tree.labels:
            text = f"( {text})"  # the id needs a bracket around it
        if tree.id:
            text = f"{text[:-1]} (ID {escape_form(tree.id)}))"
        for comment in reversed(tree.comments):
            if text.startswith("( (") and _is_metadata(comment):
                text = f"( {comment}{text[1:]}"
        for comment in tree.comments:
            if not (text.startswith("( (") and _is_metadata(comment)):
                yield f"/* {_BLANKS.sub(' ', comment.replace('*/', '* /'))} */\n"
        yield text + "\n\n"


def _is_metadata(comment: str) -> bool:
    return comment.startswith("(METADATA") and comment.count("(") == comment.count(")")


def _leaves(tree: Tree) -> list[str]:
    words = iter(_join([token for token in tree.tokens if not _is_special(token.tag)]))
    leaves: list[str] = []
    for token, parent in zip(tree.tokens, tree.leaf_parents, strict=True):
        is_word = not _is_special(token.tag)
        text = escape_form(next(words) if is_word else token.form)
        if is_word and (_is_empty_word(text, token.tag) or _ESCAPED_ZERO.fullmatch(text)):
            text = "\\" + text
        if token.tag == TRACE and parent > 0 and len(tree.children[parent]) == 1:
            label = tree.labels[parent]
            if _is_empty_word(text, label) and not _is_special(label):
                leaves.append(text)
                continue
        leaves.append(f"({escape_label(token.tag)} {text})")
    return leaves
