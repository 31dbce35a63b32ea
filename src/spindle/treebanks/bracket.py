"""Bracketed trees, as in the Penn Treebank: `(S (NP (DT The) (NN cat)) (VP (VBZ sleeps)))`.

The reader accepts a tree per line, a tree over many lines, and several trees on a line. It accepts any
wrapper (`( (S …))`, `(ROOT (S …))`), traces, and labels with functions, which it keeps whole. It also
accepts

- escapes in words and labels: see `escapes`;
- several trees on a line: one sentence with several roots if every line before was one sentence, otherwise
  one sentence each;
- leaves written as `(TAG (word))`; `(NN (New York))` is one word with a blank, and so is `(NN New York)`.
  Each tree shows how it writes its leaves. A tree that does not show it (`(NP (NN dog))` fits both ways) is
  read like the tree before it;
- empty elements without a tag, `*U*`, `(0)`, `(NP (*-2))`: they become tokens tagged `-NONE-`. A lone `0`
  or `*` under a tag is a word, as in `(CD (0))`;
- morphology in the tag, `(N##lem=maison|g=f## maisons)`, as in the SPMRL treebanks.

The writer writes one tree per line. The format keeps forms, tags, labels, and morphology in the form of
features (`g=f`). Other morphology, lemmas, edge labels, comments and ids are lost. The writer refuses
discontinuous trees.

    >>> tree = parse_bracket("( (S (NP-SBJ (-NONE- *)) (VP (VB Go)) (-RRB- -RRB-)))")
    >>> [(token.form, token.tag) for token in tree.tokens]
    [('*', '-NONE-'), ('Go', 'VB'), (')', '-RRB-')]
    >>> print(*write_bracket([tree]), end="")
    ( (S (NP-SBJ (-NONE- *)) (VP (VB Go)) (-RRB- -RRB-)))
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from spindle import _core
from spindle.errors import TreebankError
from spindle.treebanks.balance import MIN_ONE_LINE_TREES, Stretch, balanced_stretches
from spindle.treebanks.escapes import escape_form, escape_label, restore_form, restore_label
from spindle.treebanks.nesting import (
    Bracket,
    Fault,
    Nest,
    nest,
    quoted,
    refuse_discontinuous,
    scan_nests,
)
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
from spindle.trees import ROOT, Token, Tree

TRACE = "-NONE-"
JOINED = "several trees on one line taken as one sentence with several roots"
# Chinese treebanks put each tree between markup lines, <S ID=1> and </S>.
_MARKUP = re.compile(r"\s*<[^()]*>\s*")
_FEATURES = re.compile(r"(.*?)##(?!#)(.*=.*)##")
_LEMMA = re.compile(r"(?:^|\|)lem=([^|]*)")
# Under these labels a lone 0 or * is a trace: S, SBAR, SINV, NP-SBJ-1, WHNP, … but not CD, SYM or NNP.
_PHRASE = re.compile(r"(S|SBARQ?|SINV|SQ|FRAG|(?!NNP)[A-Z]*P)(?![A-Za-z])")


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────


def read_bracket(source: Source, report: ReadingReport) -> Iterator[Tree | TreebankError]:
    """Yield the trees of a bracketed file, and an error for each malformed tree."""
    reader = BracketReader(source, report)
    for stretch in balanced_stretches(source.lines(keep_undecoded=True), source):
        yield from reader.read(stretch)


class BracketReader:
    """Reads the stretches of a bracketed file in order; earlier ones show how to read later ones."""

    def __init__(self, source: Source, report: ReadingReport) -> None:
        self.is_nested = False
        """Whether leaves are written as `(TAG (word))`, as far as the last tree that shows it."""
        self._source = source
        self._report = report
        self._lines = _LineStatistics()

    def read(self, stretch: Stretch | TreebankError) -> Iterator[Tree | TreebankError]:
        """Yield the trees of the next stretch, and an error for each malformed tree."""
        source, report = self._source, self._report
        if isinstance(stretch, TreebankError):
            yield stretch
        elif _MARKUP.fullmatch(stretch.text):
            markup = TreebankError(stretch.text.strip(), file=source.name, line=stretch.line)
            report.add("markup between trees left out", markup)
        else:
            parsed, self.is_nested = _core.parse_brackets(stretch.text, self.is_nested, Token)
            if len(parsed) > 1 and self._lines.are_sentences and all(columns for _, columns, _, _ in parsed):
                report.add(JOINED, TreebankError(JOINED, file=source.name, line=stretch.line))
                yield join_trees([Tree.trusted(*columns) for _, columns, _, _ in parsed if columns])
            else:
                self._lines.update(stretch.text, len(parsed))
                for bracket in parsed:
                    yield tree_or_error(bracket, source.name, stretch.line)

    def skip(self, stretch: Stretch) -> None:
        """Take note of a stretch that is one plain tree, and that the caller has read."""
        self._lines.update(stretch.text, 1)


class _LineStatistics:
    """Determines whether each line of a file is one sentence: the first few lines must have one tree each."""

    def __init__(self) -> None:
        self.single, self.is_open = 0, True

    @property
    def are_sentences(self) -> bool:
        return self.single >= MIN_ONE_LINE_TREES

    def update(self, text: str, trees: int) -> None:
        """Update the statistics with whole lines that contain this number of trees."""
        if self.is_open and not self.are_sentences:
            self.is_open = trees == 1 and text.count("\n") <= 1
            self.single += self.is_open


def join_trees(trees: Sequence[Tree]) -> Tree:
    """Return one tree whose root has an empty label and the given trees as children."""
    tokens: list[Token] = []
    labels, parents, leaf_parents = [""], [ROOT], list[int]()
    for tree in trees:
        first = len(labels)
        leaf_parents += [first + parent if parent != ROOT else 0 for parent in tree.leaf_parents]
        parents += [first + parent if parent != ROOT else 0 for parent in tree.parents]
        labels += tree.labels
        tokens += tree.tokens
    return Tree.build(tokens, labels, parents, leaf_parents)


def parse_bracket(text: str) -> Tree:
    """Return the only tree in `text`; raises a TreebankError if there is none, or more than one."""
    try:
        parsed, _ = _core.parse_brackets(text, False, Token)
    except UnicodeEncodeError as error:
        raise TreebankError(f"not text: {error.reason}") from None
    return only_tree(parsed)


def tree_or_error(parsed: _core.ParsedBracket, file: str, first_line: int) -> Tree | TreebankError:
    """Return a parsed tree, or its error; the parsed text starts on line `first_line` of the file."""
    line, columns, cause, fault_line = parsed
    if columns is None:
        return Fault(line, cause, fault_line).in_file(file, first_line)
    return Tree.trusted(*columns)


def only_tree(parsed: Sequence[_core.ParsedBracket]) -> Tree:
    """Return the only tree; raises a TreebankError if there is none, more than one, or a malformed one."""
    trees: list[Tree] = []
    for bracket in parsed:
        tree = tree_or_error(bracket, "", 1)
        if isinstance(tree, TreebankError):
            raise tree
        trees.append(tree)
    if len(trees) != 1:
        raise TreebankError("more than one tree" if trees else "no tree")
    return trees[0]


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────


def write_bracket(trees: Iterable[Tree]) -> Iterator[str]:
    """Yield one line per tree; raises a TreebankError for a discontinuous tree."""
    for number, tree in enumerate(trees, 1):
        leaves = [f"({tag_text(token)} {escape_form(token.form)})" for token in tree.tokens]
        yield nest_continuous(tree, leaves, number) + "\n"


def nest_continuous(tree: Tree, leaves: Sequence[str], number: int) -> str:
    """Return the `number`th tree in brackets; raises a TreebankError if it is discontinuous."""
    text, is_continuous = nest(tree, [escape_label(label) for label in tree.labels], leaves)
    if not is_continuous and (error := refuse_discontinuous(tree)):
        error.sentence = tree.id or str(number)
        raise error
    return text


def tag_text(token: Token) -> str:
    """Return a token's tag as it is written: with its morphology, if that consists of features."""
    tag = escape_label(token.tag)
    return f"{tag}##{escape_label(token.morph)}##" if "=" in token.morph else tag


# ── reading, slow and readable: the reference implementation that tests the compiled parser ──────────


def parse_brackets_reference(text: str, is_nested: bool) -> tuple[list[_core.ParsedBracket], bool]:
    """Return the same as `_core.parse_brackets`.

    `is_nested` says whether the trees before this text wrote leaves as `(TAG (word))`. It applies to trees
    that fit both ways. The returned flag is for the text that follows.
    """
    parsed: list[_core.ParsedBracket] = []
    for found in scan_nests(text):
        try:
            if isinstance(found, Fault):
                raise found
            is_nested = _has_nested_leaves(found, is_nested)
            parsed.append((found.line, _columns(found, is_nested), "", 0))
        except Fault as fault:
            parsed.append((fault.line, None, fault.cause, fault.fault_line))
    return parsed, is_nested


def _has_nested_leaves(found: Nest, otherwise: bool) -> bool:
    """Return whether this tree writes leaves as `(TAG (word))`; `otherwise` if it fits both ways."""
    plain: Bracket | None = None
    nested: Bracket | None = None
    for bracket in found.brackets:
        around = found.brackets[bracket.parent] if bracket.parent != ROOT else None
        if bracket.is_text and bracket.label and (around is None or around.size > 1):
            plain = plain or bracket
        elif around is not None and _is_nested_word(bracket, around):
            nested = nested or bracket
    if plain and nested:
        cause = "some leaves are written like (TAG word), others like (TAG (word)), as is "
        cause += quoted(nested.label)
        raise Fault(found.line, cause, nested.line)
    return nested is not None or (otherwise and plain is None)


def _is_nested_word(bracket: Bracket, around: Bracket) -> bool:
    """Return whether `bracket` is the `(word)` of a `(TAG (word))`."""
    if not (bracket.is_bare and bracket.label and around.size == 1 and around.label):
        return False
    if bracket.label in ("0", "*"):
        return not _PHRASE.match(around.label)
    return not _is_empty_element(bracket.label)


def _is_nested_text(bracket: Bracket, around: Bracket) -> bool:
    """Return whether `bracket` can be the `(two words)` of a `(TAG (two words))`, or else a plain leaf."""
    return bracket.is_text and bool(bracket.label and around.label)


def _is_empty_element(word: str) -> bool:
    return word == "0" or word.startswith("*")


def _columns(found: Nest, is_nested: bool) -> _core.BracketColumns:
    found.check_not_empty()
    tokens: list[Token] = []
    labels: list[str] = []
    parents: list[int] = []
    leaf_parents: list[int] = []
    node_of = {ROOT: ROOT}  # bracket number → node number
    nested_words: set[int] = set()

    def add_leaf(parent: int, tag: str, *words: str) -> None:
        tokens.append(leaf_token(tag, " ".join(words)))
        leaf_parents.append(node_of[parent])

    for number, word in found.order:
        bracket = found.brackets[number]
        if word is not None:
            if bracket.is_text:
                continue  # added together with its bracket
            if not _is_empty_element(word):
                raise Fault(found.line, f"{quoted(word)} has no tag", bracket.line)
            add_leaf(number, TRACE, word)
        elif number in nested_words:
            continue
        elif bracket.is_text:
            add_leaf(bracket.parent, bracket.label, *bracket.words)
        elif bracket.parent != ROOT and bracket.is_bare and _is_empty_element(bracket.label):
            add_leaf(bracket.parent, TRACE, bracket.label)
        else:
            found.check_not_bare(bracket)
            only = found.brackets[number + 1] if bracket.size == bracket.inner == 1 else None
            if only and (_is_nested_word(only, bracket) or (is_nested and _is_nested_text(only, bracket))):
                nested_words.add(number + 1)
                add_leaf(bracket.parent, bracket.label, only.label, *only.words)
            else:
                node_of[number] = len(labels)
                labels.append(restore_label(bracket.label))
                parents.append(node_of[bracket.parent])
    return tuple(tokens), tuple(labels), tuple(parents), tuple(leaf_parents)


def leaf_token(tag: str, word: str) -> Token:
    """Return the token of a leaf; the tag may contain features."""
    morph = lemma = ""
    if features := _FEATURES.fullmatch(tag):
        tag, morph = features[1], restore_label(features[2])
        if found := _LEMMA.search(morph):
            lemma = found[1]
    return Token(restore_form(word), restore_label(tag), lemma, morph)
