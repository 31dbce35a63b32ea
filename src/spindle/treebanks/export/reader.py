"""Reading NEGRA export."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spindle import _core
from spindle.errors import TreebankError
from spindle.treebanks.export.blocks import (
    NODE_NAME,
    Block,
    comment_text,
    is_row,
    split_blocks,
    split_mark,
    split_row,
)
from spindle.treebanks.export.comments import ID_KEY, WORDS_KEY, escape_tabs, in_order, node_notes
from spindle.treebanks.graph import NOT_GIVEN, GraphFault, build_from_graph, node_numbers, take_comment
from spindle.treebanks.limited import Limited
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
from spindle.trees import ROOT, SecondaryEdge, Token, Tree

_COLUMNS = {3: 5, 4: 6}  # up to and including the parent; pairs of secondary edges may follow
_COUNT = re.compile(r"[0-9]{1,9}")


def read_export(source: Source, report: ReadingReport) -> Iterator[Tree | TreebankError]:
    """Yield the trees of an export file, and an error for each malformed sentence.

    The file is in version 3 or 4, and in UTF-8 or else Latin-1.

    A sentence is malformed if #BOS or #EOS is missing, if a row has the wrong number of columns, if a
    parent is not a node, if a node is given twice, or if there is a cycle, a phrase without words, or no
    word at all. The reader reports Latin-1, a version other than announced, an #EOS with another id, and
    two things that it drops: a node at 0 without children, and a secondary edge to 0 in a sentence with one
    root.
    """
    reader = _Reader(source, report)
    failure = None
    lines = Limited(source.lines("latin-1", keep_undecoded=True), source.name)
    last: Tree | TreebankError | None = None  # delayed, as tables and comments may follow the last sentence
    try:
        if source.text_encoding is None and source.detected_encoding("latin-1") == "latin-1":
            reader.remark("read as Latin-1", "the file is not UTF-8 and is read as Latin-1", 0)
        for block in split_blocks(lines):
            lines.restart()
            item = reader.read(block)
            if item is not None:
                if last is not None:
                    yield last
                last = item
    except TreebankError as error:
        failure = error
    if isinstance(last, Tree) and (reader.tables or reader.comments):
        last = last.replace(comments=in_order((*last.comments, *reader.tables, *reader.comments)))
    if last is not None:
        yield last
    if failure is not None:
        yield failure


@dataclass
class _Rows:
    """The rows of a sentence."""

    columns: list[list[str]]  # of each row, up to the parent
    lines: list[int]
    edges: dict[int, list[str]]  # secondary edges, by row
    comments: dict[int, str]  # by row

    def selected(self, order: list[int]) -> _Rows:
        """Return these rows, in this order."""
        return _Rows(
            [self.columns[row] for row in order],
            [self.lines[row] for row in order],
            {new: self.edges[row] for new, row in enumerate(order) if row in self.edges},
            {new: self.comments[row] for new, row in enumerate(order) if row in self.comments},
        )


class _Reader:
    """Reads block after block; keeps the version, and the tables and comments for the next sentence."""

    def __init__(self, source: Source, report: ReadingReport) -> None:
        self.source, self.report = source, report
        self.version = 3
        self.announced = "no #FORMAT line, which means version 3,"
        self.tables: list[str] = []
        self.comments: list[str] = []
        self.id = ""
        self.in_stray = False

    def error(self, cause: str, line: int, hint: str = "") -> TreebankError:
        return TreebankError(cause, file=self.source.name, line=line, sentence=self.id, hint=hint)

    def remark(self, kind: str, cause: str, line: int) -> None:
        self.report.add(kind, self.error(cause, line))

    def read(self, block: Block) -> Tree | TreebankError | None:
        """Process a block; return its tree or its error, or None if it is neither."""
        was_in_stray, self.in_stray = self.in_stray, block.kind == "stray"
        self.id = ""
        first = block.rows[0]
        try:
            if error := self.source.undecoded("\n".join(block.rows), block.line):
                error.sentence = split_mark(first)[0][0] if block.kind == "sentence" else ""
                raise error
            if block.kind == "sentence":
                return self.sentence(block)
            if block.kind == "table":
                self.table(block)
            elif block.kind == "comment":
                self.comments.append(comment_text(first))
            elif block.kind == "format":
                self.format(first, block.line)
            elif not was_in_stray:  # one error for consecutive stray lines
                what = (
                    "#EOS without #BOS" if first.startswith("#EOS") else f"{first[:40]!r} outside a sentence"
                )
                raise self.error(what, block.line, "a sentence begins with #BOS and ends with #EOS")
        except TreebankError as error:
            return error
        return None

    def format(self, line: str, number: int) -> None:
        version = line[len("#FORMAT") :].partition("%%")[0].strip()
        if version in ("3", "4"):
            self.version = int(version)
        else:
            self.remark("unknown version", f"#FORMAT {version!r} is neither 3 nor 4", number)
        self.announced = f"#FORMAT {version},"

    def table(self, block: Block) -> None:
        name = " ".join(block.rows[0][len("#BOT") :].split())
        if not block.rows[-1].startswith("#EOT"):
            raise self.error(f"table {name} has no #EOT", block.line)
        self.tables.append(f"export_table = {name}")
        self.tables += [f"export_row = {escape_tabs(row)}" for row in block.rows[1:-1]]

    def sentence(self, block: Block) -> Tree:
        comments, self.comments = self.comments, []
        (begun, *fields), begin_comment = split_mark(block.rows[0])
        self.id = take_comment(comments, ID_KEY) or begun
        if fields:
            comments.append("export_bos = " + " ".join(fields))
        if begin_comment is not None:
            comments.append(f"export_bos_comment = {begin_comment}")
        end = block.rows[-1]
        if len(block.rows) == 1 or not end.startswith("#EOS") or is_row(end):
            raise self.error("the sentence has no #EOS", block.line)
        (ended, *_), end_comment = split_mark(end)
        if begun != ended:
            self.remark("ends with another id", f"#BOS {begun} ends with #EOS {ended}", block.line)
        rows, size = self.words_first(self.rows(block, comments), comments)
        if end_comment is not None:
            comments.append(end_comment)
        if not size:
            raise self.error("the sentence has no words", block.line)
        return self.tree(rows, size, comments)

    def rows(self, block: Block, comments: list[str]) -> _Rows:
        """Return the rows of a sentence, split into the columns of the version; collect its comment lines."""
        usual = _COLUMNS[self.version]
        rows = _Rows([], [], {}, {})
        regular = True
        for number, line in enumerate(block.rows[1:-1], block.line + 1):
            columns = line.split("\t")
            if len(columns) != usual or "" in columns or "%%" in line:
                if line.startswith("%%") and not is_row(line):
                    comments.append(comment_text(line))
                    continue
                columns, comment = split_row(line)
                if not columns:
                    continue
                if comment is not None:
                    rows.comments[len(rows.columns)] = comment
                regular = False
            rows.columns.append(columns)
            rows.lines.append(number)
        if not regular:
            count = self.choose_version(rows)
            for row, columns in enumerate(rows.columns):
                if len(columns) > count:
                    rows.columns[row], rows.edges[row] = columns[:count], columns[count:]
        return rows

    def choose_version(self, rows: _Rows) -> int:
        """Choose the version that fits the rows and return its number of columns.

        Secondary edges come in pairs of columns, so rows have an odd length in version 3 and an even one in
        4.
        """
        misfits = {
            version: [
                (columns, line)
                for columns, line in zip(rows.columns, rows.lines, strict=True)
                if len(columns) < count or (len(columns) - count) % 2
            ]
            for version, count in _COLUMNS.items()
        }
        other = 3 if self.version == 4 else 4
        better = other if len(misfits[other]) < len(misfits[self.version]) else self.version
        if misfits[better]:
            columns, line = misfits[better][0]
            raise self.error(
                f"the row has {len(columns)} columns, version {better} has {_COLUMNS[better]}",
                line,
                "separate columns by tabs; after the parent, secondary edges come in pairs",
            )
        if better != self.version:
            cause = f"{self.announced} but {_COLUMNS[better]} columns: read as version {better}"
            self.remark("version inferred from columns", cause, rows.lines[0])
            self.version = better
        return _COLUMNS[better]

    def words_first(self, rows: _Rows, comments: list[str]) -> tuple[_Rows, int]:
        """Return the rows with the words first, and the number of words."""
        names = [columns[0] for columns in rows.columns]
        parents = [columns[-1].strip() for columns in rows.columns]
        is_node = [name[0] == "#" and NODE_NAME.fullmatch(name) is not None for name in names]
        count = take_comment(comments, WORDS_KEY)
        if count is not None:
            size = int(count) if _COUNT.fullmatch(count) else 0
            if not 0 < size <= len(names) or not all(is_node[size:]):
                raise self.error(f"{WORDS_KEY}{count} does not fit the rows", rows.lines[0] if names else 0)
            is_node[:size] = [False] * size
        else:
            size = is_node.count(False)
            if True in is_node[:size]:
                _find_odd_words(names, parents, is_node)
                size = is_node.count(False)
        known = set(parents)
        order = []
        for row, node in enumerate(is_node):
            if node and parents[row] == "0" and names[row][1:] not in known:
                cause = f"node {names[row][1:]} has no children"
                self.remark("unused node dropped", cause, rows.lines[row])
            else:
                order.append(row)
        if len(order) < len(names) or True in is_node[:size]:
            rows = rows.selected(sorted(order, key=is_node.__getitem__))
        return rows, size

    def tree(self, rows: _Rows, size: int, comments: list[str]) -> Tree:
        columns = list(zip(*rows.columns, strict=True))
        names, labels, morphs, functions = columns[0], *map(_filled, columns[-4:-1])
        lemmas = _filled(columns[1]) if self.version == 4 else [""] * len(names)
        nodes = self.node_rows(rows, size)
        parents = [
            nodes[name] if name in nodes else self.parent(name, nodes, rows, row)
            for row, name in enumerate(columns[-1])
        ]
        tokens = list(map(Token, names[:size], labels, lemmas, morphs, functions))
        leaf_parents, parents = parents[:size], parents[size:]
        labels, functions = labels[size:], functions[size:]
        secondary = [
            SecondaryEdge("" if label == NOT_GIVEN else label, row, self.parent(name, nodes, rows, row))
            for row, edges in rows.edges.items()
            for label, name in zip(edges[::2], edges[1::2], strict=True)
        ]
        if any(edge.parent == ROOT for edge in secondary) and (*leaf_parents, *parents).count(ROOT) < 2:
            self.remark("secondary edge to 0 dropped", "a secondary edge leads to 0", rows.lines[0])
            secondary = [edge for edge in secondary if edge.parent != ROOT]
        comments = [*self.tables, *comments]
        try:
            tree = build_from_graph(tokens, leaf_parents, labels, functions, parents, secondary, self.id, ())
        except GraphFault as fault:
            row = size + fault.node
            raise self.error(f"node {names[row][1:]} {fault.what}", rows.lines[row]) from None
        self.tables = []  # not earlier: tables before a malformed sentence go to the next one
        comments += [
            f"export_comment {row + 1} = {text}" for row, text in rows.comments.items() if row < size
        ]
        if any(lemmas[size:]) or any(morphs[size:]) or max(rows.comments, default=-1) >= size:
            order = _core.arrange_tree(parents, leaf_parents)[0]
            written = node_numbers(tree)
            for number, row in sorted((written[new], size + old) for new, old in enumerate(order)):
                if number:  # an implied root has number 0 and no row
                    comments += node_notes(number, lemmas[row], morphs[row], rows.comments.get(row))
        return tree.replace(comments=in_order(comments)) if comments else tree

    def node_rows(self, rows: _Rows, size: int) -> dict[str, int]:
        """Return the node numbers by the names that rows use for their parents."""
        nodes = {"0": ROOT}
        for number, columns in enumerate(rows.columns[size:]):
            if nodes.setdefault(columns[0][1:], number) != number:
                raise self.error(f"node {columns[0][1:]} is given twice", rows.lines[size + number])
        return nodes

    def parent(self, name: str, nodes: dict[str, int], rows: _Rows, row: int) -> int:
        number = nodes.get(name.strip())
        if number is None:
            cause = f"{rows.columns[row][0]} has the parent {name}, which is not a node"
            raise self.error(cause, rows.lines[row], "a parent is 0 or the number of a node in this sentence")
        return number


def _find_odd_words(names: list[str], parents: list[str], is_node: list[bool]) -> None:
    """Mark rows as words that look like nodes but come before a word.

    Words come before nodes. So a `#500` before a word is a word if it has no children, or if there is
    another.
    """
    known = set(parents)
    after: set[str] = set()
    is_before_word = False
    for row in range(len(names) - 1, -1, -1):
        if is_node[row] and is_before_word and (names[row][1:] not in known or names[row] in after):
            is_node[row] = False
        is_before_word = is_before_word or not is_node[row]
        after.add(names[row])


def _filled(column: Sequence[str]) -> list[str]:
    return ["" if value == NOT_GIVEN else value for value in column]
