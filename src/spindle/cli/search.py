"""`spindle search`: queries over trees."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from spindle.cli.common import Reporter, check_output, choose_heads, note, progress
from spindle.cli.options import (
    DEPENDENCIES,
    FILE,
    TREES,
    WRITABLE_TREES,
    head_rule_options,
    output_option,
    reading_options,
    threads_option,
    to_option,
    transform_options,
)
from spindle.cli.search_output import (
    FORMS,
    FREQUENCIES,
    Counts,
    Form,
    Found,
    FoundTree,
    count_frequencies,
    draw_matches,
    print_counts,
    print_csv,
    print_frequencies,
    print_ids,
    print_json,
    print_kwic,
    subtrees,
    write_pictures,
)

if TYPE_CHECKING:
    from spindle.search import Searcher, TreeMatches
    from spindle.search.reading import Item
    from spindle.treebanks import Source
    from spindle.treebanks.files import OnError
    from spindle.trees import Tree


@click.command()
@click.argument("pattern")
@click.argument("files", metavar="FILES…", type=FILE, nargs=-1, required=True)
@click.option(
    "--show",
    type=click.Choice(FORMS),
    default="kwic",
    show_default=True,
    help="kwic: a line for each match, in its context; ids, whole trees or drawings of trees with a match; "
    "matching subtrees; csv: a row for each match.",
)
@click.option("--count", is_flag=True, help="Print only the numbers of matches and trees, by file.")
@click.option(
    "--freq",
    metavar="NAME",
    help="Print how often the vertices with this name have each label; . is the matching vertex itself.",
)
@click.option(
    "--by",
    type=click.Choice(FREQUENCIES),
    default="label",
    show_default=True,
    help="What --freq counts.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--svg", metavar="OUT", type=FILE, help="Write drawings of the trees with a match to an SVG file."
)
@click.option("--limit", type=click.IntRange(min=1), help="Stop after this many trees with a match.")
@click.option(
    "--context", type=click.IntRange(min=0), help="Characters of context on each side. [default: fit]"
)
@click.option("--no-index", is_flag=True, help="Read the files even if they have an index.")
@click.option("--dtree", is_flag=True, help="Search the head-ordered dependency trees of constituent trees.")
@output_option("OUT", "Where --show trees and subtrees are written", required=False)
@to_option(*WRITABLE_TREES, default="by OUT's ending, else discbracket")
@reading_options(*TREES, *DEPENDENCIES)
@head_rule_options()
@transform_options
@threads_option
def search(
    pattern: str,
    files: tuple[str, ...],
    show: Form,
    count: bool,
    freq: str | None,
    by: str,
    as_json: bool,
    svg: str | None,
    limit: int | None,
    context: int | None,
    no_index: bool,
    dtree: bool,
    output: str,
    to: str | None,
    from_: str | None,
    text_encoding: str | None,
    on_error: OnError,
    heads: str | None,
    edges_first: bool,
    strip: tuple[str, ...],
    punct: str,
    threads: int | None,
) -> None:
    """Search treebanks with a pattern in the language of tgrep2 and Tregex.

    FILES are treebank files in any format, folders of them, or `-`. In files that `spindle encode` wrote, the
    vertices are the words of the dependency tree. docs/search.md defines the language:

    \b
      NP < NN             an NP with the child NN        A << B   A dominates B
      @NP < /^NN/ !< DT   basic category, regular        A .. B   A precedes B
                          expression, negation           A $ B    A is a sister of B
      NP:gap              a discontinuous NP             A <# B   B is the head child of A

    \b
    Examples:
      spindle search 'VP < (NP $.. NP)' train.ptb
      spindle search 'NP=x < /^NN/=n' train.ptb --freq n --by words
      spindle search 'VP:gap' tiger.export --show drawings --limit 3
      spindle search '@NP:head=cell' train.ptb dev.ptb --json
    """
    from spindle.search import Searcher, compile_pattern

    compiled = compile_pattern(pattern)
    if freq not in (None, ".") and freq not in compiled.names:
        names = ", ".join(compiled.names) or "no names"
        raise click.UsageError(f"--freq: the pattern does not name {freq!r}; it has {names}.")
    if sum((count, freq is not None and not as_json, svg is not None, as_json and freq is None)) > 1:
        raise click.UsageError("Choose one of --count, --freq, --json and --svg.")
    writes_trees = show in ("trees", "subtrees")
    if not writes_trees and (output != "-" or to is not None):
        raise click.UsageError("--output and --to are for --show trees and --show subtrees.")
    check_output(files, output)
    if svg is not None:
        check_output(files, svg)
    needs_names = as_json or freq is not None or show == "csv"
    searcher = Searcher(compiled, collects_names=needs_names, threads=threads)
    reporter = Reporter(svg or output)
    counts = Counts()
    reading = _Reading(from_, text_encoding, on_error, heads, edges_first, strip, punct, dtree, no_index)
    found = _find(searcher, reading, files, counts, reporter, limit)
    if count:
        for _ in found:
            pass
        print_counts(counts)
    elif freq is not None:
        print_frequencies(count_frequencies(found, freq.removeprefix("."), by), as_json)
    elif as_json:
        print_json(pattern, found, counts)
    elif svg is not None:
        write_pictures(svg, found)
    elif writes_trees:
        _write_trees(found, show, output, to, on_error, reporter)
    else:
        is_colored = sys.stdout.isatty() and not (
            os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        )
        if show == "kwic":
            print_kwic(found, context, is_colored)
        elif show == "ids":
            print_ids(found)
        elif show == "csv":
            print_csv(found, compiled.names)
        else:
            draw_matches(found, is_colored)
    if not (count or as_json or freq is not None):
        note(
            f"{counts.matches.total():,} matches in {counts.trees.total():,} of "
            f"{counts.searched.total():,} trees"
        )
    reporter.sum_up()


@dataclass(frozen=True)
class _Reading:
    """How files are read before they are searched."""

    format: str | None
    text_encoding: str | None
    on_error: OnError
    heads: str | None
    edges_first: bool
    strip: tuple[str, ...]
    punct: str
    dtree: bool
    no_index: bool

    @property
    def changes_trees(self) -> bool:
        return bool(self.strip) or self.punct != "leave"

    def find(self, searcher: Searcher, source: Source, reporter: Reporter) -> Iterator[TreeMatches]:
        """Yield the trees of a file with matches; with its index, if it has one."""
        uses_heads = searcher.pattern.uses_heads
        if (found := self.find_in_index(searcher, source, reporter)) is not None:
            return found
        items = self.items(source, uses_heads, reporter)
        return searcher.find(progress(items, [source]) if reporter.shows_progress else items)

    def find_in_index(
        self, searcher: Searcher, source: Source, reporter: Reporter
    ) -> Iterator[TreeMatches] | None:
        """Return the trees with matches if the file has an index that can be used."""
        from spindle.errors import UnusableIndex
        from spindle.search.index import usable_index
        from spindle.search.reading import as_trees

        if self.no_index or self.changes_trees:
            return None
        index = usable_index(source, self.format, self.on_error, note)
        if index is None:
            return None
        uses_heads = searcher.pattern.uses_heads
        self.check(source, index.meta.format in DEPENDENCIES, uses_heads)

        def prepare(trees: Iterator[Tree]) -> Iterable[Item]:
            find_heads, _, _ = choose_heads(as_trees(index.trees()), self.heads, self.edges_first)
            return self.with_heads(map(find_heads, trees))

        try:
            found = searcher.find_in(
                index, prepare if uses_heads or self.dtree else None, as_dtrees=self.dtree
            )
        except UnusableIndex as error:
            note(f"{error}; searching without it")
            return None
        reporter.report.counts.update(index.meta.remarks)
        return found

    def items(self, source: Source, uses_heads: bool, reporter: Reporter) -> Iterable[Item]:
        """Return what a file contains, in the form in which it is searched."""
        from spindle.search import reading
        from spindle.treebanks import files
        from spindle.treebanks.transforms import apply, plan

        on_error, report = self.on_error, reporter.report
        has_dependencies = reading.has_dependencies(source, self.format)
        self.check(source, has_dependencies, uses_heads)
        if has_dependencies:
            return reading.read_dtrees(source, self.format, on_error, report)
        items = reading.read_items(source, self.format, on_error, report)
        if not (self.changes_trees or uses_heads or self.dtree):
            return items
        trees = reading.as_trees(items)
        if self.changes_trees:
            changed = apply(plan(strip=self.strip, punctuation=self.punct), trees, source.name)
            trees = files.apply_error_policy(changed, on_error, report)
        if uses_heads or self.dtree:
            find_heads, _, trees = choose_heads(trees, self.heads, self.edges_first)
            return self.with_heads(map(find_heads, trees))
        return trees

    def check(self, source: Source, has_dependencies: bool, uses_heads: bool) -> None:
        """Raise a usage error for options that do not fit the file or the pattern."""
        if has_dependencies:
            if self.changes_trees or uses_heads or self.dtree or self.heads or self.edges_first:
                raise click.UsageError(
                    f"{source.name} has dependencies: heads, --dtree, --strip and --punct are for trees."
                )
        elif (self.heads or self.edges_first) and not (uses_heads or self.dtree):
            raise click.UsageError("The pattern does not use heads; leave --heads and --edges-first out.")

    def with_heads(self, trees: Iterable[Tree]) -> Iterable[Item]:
        """Return the form in which trees with heads are searched."""
        from spindle.search.reading import encoded

        return encoded(trees) if self.dtree else trees


def _find(
    searcher: Searcher,
    reading: _Reading,
    names: tuple[str, ...],
    counts: Counts,
    reporter: Reporter,
    limit: int | None,
) -> Iterator[FoundTree]:
    """Yield the trees with matches in all files, and count them."""
    from spindle.treebanks import files

    for name in names:
        for source in files.sources(name, reading.text_encoding):
            before = searcher.trees
            counts.searched[source.name] += 0
            for tree in reading.find(searcher, source, reporter):
                counts.matches[source.name] += len(tree.codes)
                counts.trees[source.name] += 1
                counts.searched[source.name] = tree.number
                yield FoundTree(source.name, tree)
                if counts.trees.total() == limit:
                    return
            counts.searched[source.name] = searcher.trees - before


def _write_trees(
    found: Found, show: Form, output: str, to: str | None, on_error: OnError, reporter: Reporter
) -> None:
    """Write whole trees, or the matching subtrees, in any format."""
    from spindle.treebanks import files, formats
    from spindle.trees import DTree

    def trees() -> Iterator[Tree]:
        for tree in found:
            if isinstance(tree.found.tree, DTree):
                raise click.UsageError("--show trees and subtrees are for constituent trees.")
            if show == "subtrees":
                yield from subtrees([tree])
            else:
                yield tree.found.tree

    to = to or formats.format_by_ending(output) or "discbracket"
    if to not in WRITABLE_TREES:
        raise click.UsageError(f"{to} cannot hold constituent trees; set --to.")
    writable = files.writable(trees(), output, to)
    files.write_trees(files.apply_error_policy(writable, on_error, reporter.report), output, to)
