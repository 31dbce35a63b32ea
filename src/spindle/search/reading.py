"""The trees of files to search. Plain brackets stay text, which the core parses faster than Python can."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

from spindle.errors import PatternError, TreebankError
from spindle.heads import SAMPLE_TREES, HeadFinder, HeadRules, guess_rules, load_rules
from spindle.reduction import encode, read_rows
from spindle.treebanks import ReadingReport, Source, read_dependencies, read_trees
from spindle.treebanks.balance import Stretch, balanced_stretches
from spindle.treebanks.bracket import BracketReader
from spindle.treebanks.files import OnError, apply_error_policy
from spindle.treebanks.formats import DEPENDENCY_FORMATS, guess_format
from spindle.trees import DTree, Tree


@dataclass(frozen=True)
class BracketText:
    """Whole lines of a bracketed file: one tree, or else something that the reader reads."""

    stretch: Stretch
    reader: BracketReader
    on_error: OnError
    report: ReadingReport

    @property
    def text(self) -> str:
        """The text of the lines."""
        return self.stretch.text

    @property
    def is_plain(self) -> bool:
        """Whether the trees before have plain leaves, so that the core may read this one."""
        return not self.reader.is_nested

    def skip(self) -> None:
        """Tell the reader that the core has read this text as one tree."""
        self.reader.skip(self.stretch)

    def trees(self) -> Iterator[Tree]:
        """Yield the trees as the reader reads them."""
        return apply_error_policy(self.reader.read(self.stretch), self.on_error, self.report)


Item = Tree | DTree | BracketText


def read_items(
    source: Source, format: str | None, on_error: OnError, report: ReadingReport
) -> Iterator[Tree | BracketText]:
    """Yield the trees of a file, as text where it is plain brackets."""
    source.head()  # raises for a file that cannot be opened, whatever the error policy
    format = format or guess_format(source)
    if format != "bracket":
        yield from read_trees([source], format, None, on_error, report)
        return
    reader = BracketReader(source, report)
    for stretch in balanced_stretches(source.lines(keep_undecoded=True), source):
        if isinstance(stretch, TreebankError):
            yield from apply_error_policy([stretch], on_error, report)
        else:
            yield BracketText(stretch, reader, on_error, report)


def as_trees(items: Iterable[Item]) -> Iterator[Tree]:
    """Yield the trees of all items; raises a `PatternError` for a d-tree, which has no heads to look for."""
    for item in items:
        if isinstance(item, BracketText):
            yield from item.trees()
        elif isinstance(item, DTree):
            raise PatternError("heads (# and :head) are for constituent trees, not for d-trees")
        else:
            yield item


def read_dtrees(
    source: Source, format: str | None, on_error: OnError, report: ReadingReport
) -> Iterator[DTree]:
    """Yield the d-trees of a file that `spindle encode` wrote."""
    for reduced, _ in read_rows(read_dependencies([source], format, None, on_error, report)):
        yield reduced.dtree


def has_dependencies(source: Source, format: str | None) -> bool:
    """Return whether a file contains dependencies."""
    return (format or guess_format(source)) in DEPENDENCY_FORMATS


def encoded(trees: Iterable[Tree]) -> Iterator[DTree]:
    """Yield the d-tree of every tree; the trees must have heads."""
    for tree in trees:
        yield encode(tree).dtree


def headed(trees: Iterable[Tree], rules: HeadRules | str | None = None) -> Iterator[Tree]:
    """Yield the trees with heads; trees that have heads keep them.

    Without `rules`, the rules are guessed from the first trees.
    """
    trees = iter(trees)
    if rules is None:
        sample = list(islice(trees, SAMPLE_TREES))
        trees = chain(sample, trees)
        rules = guess_rules(sample).name
    finder = HeadFinder(load_rules(rules) if isinstance(rules, str) else rules)
    for tree in trees:
        yield tree if tree.heads is not None else finder(tree)
