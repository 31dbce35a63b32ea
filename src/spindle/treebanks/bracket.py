"""Bracketed trees, as in the Penn Treebank: `(S (NP (DT The) (NN cat)) (VP (VBZ sleeps)))`.

Read is what treebanks really hold: a tree a line or over many lines, several on a line, any wrapper
(`( (S …))`, `(ROOT (S …))`), traces, labels with function tags (kept whole), and

- escapes in words and labels: see `escapes`;
- several trees on a line: a sentence with several roots where each line is a sentence, else one by one;
- leaves as `(TAG (word))`, where `(NN (New York))` is one word with a blank, as is `(NN New York)`. Which
  way a tree writes its leaves is told by the tree; where it does not tell (`(NP (NN dog))` could be either)
  the trees before it do;
- empty elements that stand bare among constituents or in brackets of their own, `*U*`, `(0)`, `(NP (*-2))`:
  tokens tagged `-NONE-`. A lone `0` or `*` is a word where what is above it is no phrase, as in `(CD (0))`;
- morphology at the tag, `(N##lem=maison|g=f## maisons)`, as in the SPMRL treebanks.

Written is one tree a line. The format holds forms, tags and labels, and morphology that is a list of
features (`g=f`): lemmas, edge labels, comments and ids are lost, and so is other morphology. A discontinuous
tree is refused.

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
from spindle.treebanks.balance import ENOUGH_ONE_LINERS, balanced_stretches
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
# Chinese treebanks put each tree between lines like <S ID=1> and </S>.
_MARKUP = re.compile(r"\s*<[^()]*>\s*")
_FEATURES = re.compile(r"(.*?)##(?!#)(.*=.*)##")
_LEMMA = re.compile(r"(?:^|\|)lem=([^|]*)")
# Where a lone 0 or * is a trace: S, SBAR, SINV, NP-SBJ-1, WHNP, … but not CD, SYM or NNP.
_PHRASE = re.compile(r"(S|SBARQ?|SINV|SQ|FRAG|(?!NNP)[A-Z]*P)(?![A-Za-z])")


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────


def read_bracket(source: Source, remarks: ReadingReport) -> Iterator[Tree | TreebankError]:
    """Read bracketed trees."""
    is_nested = False
    lines = _Lines()
    for stretch in balanced_stretches(source.lines(keep_undecoded=True), source):
        if isinstance(stretch, TreebankError):
            yield stretch
        elif _MARKUP.fullmatch(stretch.text):
            markup = TreebankError(stretch.text.strip(), file=source.name, line=stretch.line)
            remarks.add("markup between trees left out", markup)
        else:
            parsed, is_nested = _core.parse_brackets(stretch.text, is_nested, Token)
            if len(parsed) > 1 and lines.are_sentences and all(one[1] for one in parsed):
                remarks.add(JOINED, TreebankError(JOINED, file=source.name, line=stretch.line))
                yield join_trees([Tree.trusted(*one[1]) for one in parsed if one[1]])
            else:
                lines.see(stretch.text, len(parsed))
                for one in parsed:
                    yield tree_or_error(one, source.name, stretch.line)


class _Lines:
    """Whether a file has a sentence a line: if its first few lines held one tree each."""

    def __init__(self) -> None:
        self.single, self.is_open = 0, True

    @property
    def are_sentences(self) -> bool:
        return self.single >= ENOUGH_ONE_LINERS

    def see(self, text: str, trees: int) -> None:
        """Learn from whole lines that held so many trees."""
        if self.is_open and not self.are_sentences:
            self.is_open = trees == 1 and text.count("\n") <= 1
            self.single += self.is_open


def join_trees(trees: Sequence[Tree]) -> Tree:
    """One tree of several: its root has no label and their roots as children."""
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
    """The one tree that `text` holds; raises TreebankError for anything else."""
    try:
        parsed, _ = _core.parse_brackets(text, False, Token)
    except UnicodeEncodeError as error:
        raise TreebankError(f"not text: {error.reason}") from None
    return only_tree(parsed)


def tree_or_error(parsed: _core.ParsedBracket, file: str, first_line: int) -> Tree | TreebankError:
    """A parsed tree, or what is wrong, in a text that starts on line `first_line` of a file."""
    line, columns, cause, fault_line = parsed
    if columns is None:
        return Fault(line, cause, fault_line).in_file(file, first_line)
    return Tree.trusted(*columns)


def only_tree(parsed: Sequence[_core.ParsedBracket]) -> Tree:
    """The tree of a text that should hold just one."""
    trees: list[Tree] = []
    for one in parsed:
        tree = tree_or_error(one, "", 1)
        if isinstance(tree, TreebankError):
            raise tree
        trees.append(tree)
    if len(trees) != 1:
        raise TreebankError("more than one tree" if trees else "no tree")
    return trees[0]


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────


def write_bracket(trees: Iterable[Tree]) -> Iterator[str]:
    """Write trees, one a line; raises TreebankError for a discontinuous tree."""
    for number, tree in enumerate(trees, 1):
        leaves = [f"({tag_text(token)} {escape_form(token.form)})" for token in tree.tokens]
        yield nest_continuous(tree, leaves, number) + "\n"


def nest_continuous(tree: Tree, leaves: Sequence[str], number: int) -> str:
    """The `number`th tree as brackets, which must be a continuous one."""
    text, is_continuous = nest(tree, [escape_label(label) for label in tree.labels], leaves)
    if not is_continuous and (error := refuse_discontinuous(tree)):
        error.sentence = tree.id or str(number)
        raise error
    return text


def tag_text(token: Token) -> str:
    """How to write a token's tag, with its morphology if that is a list of features."""
    tag = escape_label(token.tag)
    return f"{tag}##{escape_label(token.morph)}##" if "=" in token.morph else tag


# ── reading, slow and readable: the oracle of the compiled parser ────────────────────────────────────


def parse_brackets_reference(text: str, is_nested: bool) -> tuple[list[_core.ParsedBracket], bool]:
    """What `_core.parse_brackets` does.

    `is_nested` says how the trees before wrote their leaves, for a tree that does not tell; what comes
    back with the trees says the same to those that follow.
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
    """Whether leaves are `(TAG (word))` in this tree."""
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
    """Whether this is the `(word)` of a `(TAG (word))`."""
    if not (bracket.is_bare and bracket.label and around.size == 1 and around.label):
        return False
    if bracket.label in ("0", "*"):
        return not _PHRASE.match(around.label)
    return not _is_empty_element(bracket.label)


def _is_nested_text(bracket: Bracket, around: Bracket) -> bool:
    """Whether this may be the `(two words)` of a `(TAG (two words))`; it may be a plain leaf as well."""
    return bracket.is_text and bool(bracket.label and around.label)


def _is_empty_element(word: str) -> bool:
    return word == "0" or word.startswith("*")


def _columns(found: Nest, is_nested: bool) -> _core.BracketColumns:
    found.check_not_empty()
    tokens: list[Token] = []
    labels: list[str] = []
    parents: list[int] = []
    leaf_parents: list[int] = []
    node_of = {ROOT: ROOT}  # the node that a bracket is
    nested_words: set[int] = set()

    def add_leaf(parent: int, tag: str, *words: str) -> None:
        tokens.append(leaf_token(tag, " ".join(words)))
        leaf_parents.append(node_of[parent])

    for number, word in found.order:
        bracket = found.brackets[number]
        if word is not None:
            if bracket.is_text:
                continue  # taken with its bracket
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
    """The token that a tag, perhaps with features, and a word stand for."""
    morph = lemma = ""
    if features := _FEATURES.fullmatch(tag):
        tag, morph = features[1], restore_label(features[2])
        if found := _LEMMA.search(morph):
            lemma = found[1]
    return Token(restore_form(word), restore_label(tag), lemma, morph)
