"""NEGRA export, versions 3 and 4: one row a word, one row a node, every row naming its parent.

    #FORMAT 4
    #BOS 57
    Es          es          PPER   3.Sg.Nom   SB   500
    kam         kommen      VVFIN  3.Sg.Past  HD   501
    nichts      nichts      PIAT   --         NK   500
    Neues       Neues       NN     Nom.Sg     NK   500
    #500        --          NP     --         SB   501
    #501        --          S      --         --   0
    #EOS 57

Columns are parted by tabs, any number of them; only a row without any tab is parted by blanks. So a word
may hold blanks if its columns are parted by tabs, as they always are when we write. `--` stands for a
lemma, tag, morphology, label or edge label that is not given. Version 3 has no lemma column.

Rows hang at 0 or at the row `#n`, n ≥ 500, of a node. A word may look like anything: `%%`, `#BOS` and `#EOS`
are words where the row is complete, `#7` always, `#500` where a word follows and nothing hangs below
it. Sentences with a word such as `#500` are written with their number of words, `%% export_words = 9`.

What a tree has no column for becomes comments of the tree: see `export_comments`. Tables and comments that
follow the last sentence go to that sentence. Sentences without an id are written with their number; an id
that would break the #BOS line is written as `%% export_id = …`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spindle import _core
from spindle.errors import TreebankError
from spindle.treebanks.export_comments import escape_tabs, in_order, node_notes, part_comments
from spindle.treebanks.graph import (
    NOTHING,
    GraphFault,
    build_from_graph,
    has_comment,
    node_numbers,
    take_comment,
)
from spindle.treebanks.reading_report import ReadingReport
from spindle.treebanks.source import Source
from spindle.trees import ROOT, SecondaryEdge, Token, Tree

_COLUMNS = {3: 5, 4: 6}  # up to and including the parent; pairs of secondary edges may follow
_NODE = re.compile(r"#([5-9][0-9]{2}|[1-9][0-9]{3,})")
_PARENT = re.compile(r"0|[5-9][0-9]{2}|[1-9][0-9]{3,}")
_COUNT = re.compile(r"[0-9]{1,9}")
_PARENT_AND_COMMENT = re.compile(r"([0-9]+)[ ]+%%")
_BLANKS = re.compile(r"[ \t]+")
_ID, _WORDS = "export_id = ", "export_words = "
_PLAIN_ID = re.compile(r"(?!%%)(?:(?!%%)\S)+")


def read_export(source: Source, remarks: ReadingReport) -> Iterator[Tree | TreebankError]:
    """Read NEGRA export, version 3 or 4, in UTF-8 or else Latin-1.

    What makes a sentence unreadable: a missing #BOS or #EOS, a row with the wrong number of columns, a
    parent that is no node, a node given twice, a cycle, a phrase without words, or no words at all. What is
    remarked: Latin-1, a version other than announced, an #EOS with another id, a node at 0 that nothing
    hangs below (dropped), a secondary edge to 0 in a sentence of one root (dropped).
    """
    reader = _Reader(source, remarks)
    failure = None
    last: Tree | TreebankError | None = None  # held back until it is known whether comments follow the end
    try:
        if source.encoding is None and source.encoding_read("latin-1") == "latin-1":
            reader.remark("read as Latin-1", "the file is not UTF-8 and is read as Latin-1", 0)
        for block in _blocks(source.lines("latin-1", keep_undecoded=True)):
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


def write_export(trees: Iterable[Tree]) -> Iterator[str]:
    """Write NEGRA export, version 4. A value that is itself `--` will be read as not given."""
    return _write(trees, 4)


def write_export3(trees: Iterable[Tree]) -> Iterator[str]:
    """Write NEGRA export, version 3, which has no lemmas."""
    return _write(trees, 3)


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


class _Block(NamedTuple):
    """Some lines that belong together: a sentence or table with its first and last line, or one line."""

    kind: str  # "sentence", "table", "comment", "format" or "stray"
    line: int
    rows: list[str]


def _blocks(lines: Iterable[str]) -> Iterator[_Block]:
    """ModelPart a file into its sentences, tables and comments; a sentence ends before the next #BOS."""
    kind = ""  # of the block that is open
    start = 0
    rows: list[str] = []
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\n")
        if kind == "sentence":
            if not line.startswith(("#EOS", "#BOS")) or line[4:5] not in ("", " ", "\t") or _is_row(line):
                rows.append(line)
                continue
            is_end = line.startswith("#EOS")
            yield _Block(kind, start, [*rows, line] if is_end else rows)
            kind = ""
            if is_end:
                continue
        mark = line[:4]
        if kind == "table":
            if mark not in ("#BOS", "#BOT"):
                rows.append(line)
                if mark != "#EOT":
                    continue
            yield _Block(kind, start, rows)
            kind = ""
            if mark == "#EOT":
                continue
        if mark == "#BOS":
            kind, start, rows = "sentence", number, [line]
        elif mark == "#BOT":
            kind, start, rows = "table", number, [line]
        elif mark[:2] == "%%":
            yield _Block("comment", number, [line])
        elif line.startswith("#FORMAT"):
            yield _Block("format", number, [line])
        elif line.strip():
            yield _Block("stray", number, [line])
    if kind:
        yield _Block(kind, start, rows)


def _is_row(line: str) -> bool:
    """Whether a line that looks like a mark or a comment is the row of a word."""
    columns = list(filter(None, line.split("\t")))
    return any(_PARENT.fullmatch(column.strip()) for column in columns[4:6])


@dataclass
class _Rows:
    """The rows of a sentence: their columns up to the parent, and what few of them have."""

    columns: list[list[str]]
    lines: list[int]
    edges: dict[int, list[str]]
    comments: dict[int, str]

    def rearranged(self, order: list[int]) -> _Rows:
        """Some of the rows, in another order."""
        return _Rows(
            [self.columns[row] for row in order],
            [self.lines[row] for row in order],
            {new: self.edges[row] for new, row in enumerate(order) if row in self.edges},
            {new: self.comments[row] for new, row in enumerate(order) if row in self.comments},
        )


class _Reader:
    """What is known between sentences: the version, and the comments for the sentence to come."""

    def __init__(self, source: Source, remarks: ReadingReport) -> None:
        self.source, self.remarks = source, remarks
        self.version = 3
        self.announced = "no #FORMAT line, which means version 3,"
        self.tables: list[str] = []
        self.comments: list[str] = []
        self.id = ""
        self.in_stray = False

    def error(self, cause: str, line: int, hint: str = "") -> TreebankError:
        return TreebankError(cause, file=self.source.name, line=line, sentence=self.id, hint=hint)

    def remark(self, kind: str, cause: str, line: int) -> None:
        self.remarks.add(kind, self.error(cause, line))

    def read(self, block: _Block) -> Tree | TreebankError | None:
        """Take in a block; only a sentence or an error gives something."""
        was_in_stray, self.in_stray = self.in_stray, block.kind == "stray"
        self.id = ""
        first = block.rows[0]
        try:
            if error := self.source.undecoded("\n".join(block.rows), block.line):
                error.sentence = _split_mark(first)[0][0] if block.kind == "sentence" else ""
                raise error
            if block.kind == "sentence":
                return self.sentence(block)
            if block.kind == "table":
                self.table(block)
            elif block.kind == "comment":
                self.comments.append(_comment(first))
            elif block.kind == "format":
                self.format(first, block.line)
            elif not was_in_stray:  # one report for a run of such lines
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

    def table(self, block: _Block) -> None:
        name = " ".join(block.rows[0][len("#BOT") :].split())
        if not block.rows[-1].startswith("#EOT"):
            raise self.error(f"table {name} has no #EOT", block.line)
        self.tables.append(f"export_table = {name}")
        self.tables += [f"export_row = {escape_tabs(row)}" for row in block.rows[1:-1]]

    def sentence(self, block: _Block) -> Tree:
        comments, self.comments = self.comments, []
        (begun, *fields), begin_comment = _split_mark(block.rows[0])
        self.id = take_comment(comments, _ID) or begun
        if fields:
            comments.append("export_bos = " + " ".join(fields))
        if begin_comment is not None:
            comments.append(f"export_bos_comment = {begin_comment}")
        end = block.rows[-1]
        if len(block.rows) == 1 or not end.startswith("#EOS") or _is_row(end):
            raise self.error("the sentence has no #EOS", block.line)
        (ended, *_), end_comment = _split_mark(end)
        if begun != ended:
            self.remark("ends with another id", f"#BOS {begun} ends with #EOS {ended}", block.line)
        rows, size = self.words_first(self.rows(block, comments), comments)
        if end_comment is not None:
            comments.append(end_comment)
        if not size:
            raise self.error("the sentence has no words", block.line)
        return self.tree(rows, size, comments)

    def rows(self, block: _Block, comments: list[str]) -> _Rows:
        """The rows in columns, as many as the version wants."""
        usual = _COLUMNS[self.version]
        rows = _Rows([], [], {}, {})
        regular = True
        for number, line in enumerate(block.rows[1:-1], block.line + 1):
            columns = line.split("\t")
            if len(columns) != usual or "" in columns or "%%" in line:
                if line.startswith("%%") and not _is_row(line):
                    comments.append(_comment(line))
                    continue
                columns, comment = _split_row(line)
                if not columns:
                    continue
                if comment is not None:
                    rows.comments[len(rows.columns)] = comment
                regular = False
            rows.columns.append(columns)
            rows.lines.append(number)
        if not regular:
            count = self.settle_version(rows)
            for row, columns in enumerate(rows.columns):
                if len(columns) > count:
                    rows.columns[row], rows.edges[row] = columns[:count], columns[count:]
        return rows

    def settle_version(self, rows: _Rows) -> int:
        """Choose the version by the columns: as edges come in pairs, 3 has odd rows and 4 even ones."""
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
                "columns are parted by tabs; after the parent, secondary edges come in pairs",
            )
        if better != self.version:
            cause = f"{self.announced} but {_COLUMNS[better]} columns: read as version {better}"
            self.remark("version told by columns", cause, rows.lines[0])
            self.version = better
        return _COLUMNS[better]

    def words_first(self, rows: _Rows, comments: list[str]) -> tuple[_Rows, int]:
        """The rows with those of words first, and the number of these."""
        names = [columns[0] for columns in rows.columns]
        parents = [columns[-1].strip() for columns in rows.columns]
        is_node = [name[0] == "#" and _NODE.fullmatch(name) is not None for name in names]
        count = take_comment(comments, _WORDS)
        if count is not None:
            size = int(count) if _COUNT.fullmatch(count) else 0
            if not 0 < size <= len(names) or not all(is_node[size:]):
                raise self.error(f"{_WORDS}{count} does not fit the rows", rows.lines[0] if names else 0)
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
                cause = f"nothing hangs below node {names[row][1:]}"
                self.remark("unused node dropped", cause, rows.lines[row])
            else:
                order.append(row)
        if len(order) < len(names) or True in is_node[:size]:
            rows = rows.rearranged(sorted(order, key=is_node.__getitem__))
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
            SecondaryEdge("" if label == NOTHING else label, row, self.parent(name, nodes, rows, row))
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
        self.tables = []  # not before: they are the file's and outlive a sentence that cannot be read
        comments += [
            f"export_comment {row + 1} = {text}" for row, text in rows.comments.items() if row < size
        ]
        if any(lemmas[size:]) or any(morphs[size:]) or max(rows.comments, default=-1) >= size:
            order = _core.arrange_tree(parents, leaf_parents)[0]
            written = node_numbers(tree)
            for number, row in sorted((written[new], size + old) for new, old in enumerate(order)):
                if number:  # an implied root has no row
                    comments += node_notes(number, lemmas[row], morphs[row], rows.comments.get(row))
        return tree.replace(comments=in_order(comments)) if comments else tree

    def node_rows(self, rows: _Rows, size: int) -> dict[str, int]:
        """The nodes by the names that rows have for their parents."""
        nodes = {"0": ROOT}
        for number, columns in enumerate(rows.columns[size:]):
            if nodes.setdefault(columns[0][1:], number) != number:
                raise self.error(f"node {columns[0][1:]} is given twice", rows.lines[size + number])
        return nodes

    def parent(self, name: str, nodes: dict[str, int], rows: _Rows, row: int) -> int:
        number = nodes.get(name.strip())
        if number is None:
            cause = f"{rows.columns[row][0]} has the parent {name}, which is no node"
            raise self.error(cause, rows.lines[row], "a parent is 0 or the number of a node in this sentence")
        return number


def _split_mark(line: str) -> tuple[list[str], str | None]:
    """The fields of a #BOS or #EOS line, of which the id is there even if it is empty, and its comment."""
    fields, mark, comment = line[len("#BOS") :].partition("%%")
    return _BLANKS.split(fields.strip(" \t")), _comment(comment) if mark else None


def _split_row(line: str) -> tuple[list[str], str | None]:
    """The columns of a row, as many as it has, and the comment that may follow them."""
    separator = "\t" if "\t" in line else " "
    columns = [column for column in line.split(separator) if column]
    for place in range(4, len(columns)):
        column = columns[place]
        if place > 4 and column.startswith("%%"):
            return columns[:place], _comment(separator.join(columns[place:]))
        if parent := _PARENT_AND_COMMENT.match(column):
            comment = separator.join((column[parent.end() - 2 :], *columns[place + 1 :]))
            return [*columns[:place], parent[1]], _comment(comment)
    return columns, None


def _find_odd_words(names: list[str], parents: list[str], is_node: list[bool]) -> None:
    """Words come first: before one of them, a `#500` without children, or one of two, is a word too."""
    known = set(parents)
    after: set[str] = set()
    is_before_word = False
    for row in range(len(names) - 1, -1, -1):
        if is_node[row] and is_before_word and (names[row][1:] not in known or names[row] in after):
            is_node[row] = False
        is_before_word = is_before_word or not is_node[row]
        after.add(names[row])


def _filled(column: Sequence[str]) -> list[str]:
    return ["" if value == NOTHING else value for value in column]


def _comment(text: str) -> str:
    """The text of a comment: a tree's comments hold no tabs."""
    return text.removeprefix("%%").removeprefix(" ").replace("\t", " ")


# ── writing ──────────────────────────────────────────────────────────────────────────────────────


def _write(trees: Iterable[Tree], version: int) -> Iterator[str]:
    yield f"#FORMAT {version}\n"
    for count, tree in enumerate(trees, 1):
        if error := refuse_odd_edges(tree):
            error.sentence = tree.id or str(count)
            raise error
        yield "\n".join((*_sentence_lines(tree, str(count), version), ""))


def refuse_odd_edges(tree: Tree) -> TreebankError | None:
    """Why export cannot hold a tree."""
    for label, _, _ in tree.secondary:
        if label.startswith("%%"):
            return TreebankError(
                f"export would read edge label {label!r} as a comment", hint="write tigerxml instead"
            )
    return None


def _sentence_lines(tree: Tree, count: str, version: int) -> Iterator[str]:
    numbers = node_numbers(tree)
    id = tree.id if _PLAIN_ID.fullmatch(tree.id) else count
    tables, lines, notes = part_comments(tree, numbers, version)
    yield from tables
    if (tree.id and id != tree.id) or has_comment(tree, _ID):
        yield f"%% {_ID}{tree.id or id}"
    is_odd = any(token.form[0] == "#" and _NODE.fullmatch(token.form) for token in tree.tokens)
    if is_odd or has_comment(tree, _WORDS):
        yield f"%% {_WORDS}{len(tree)}"
    yield from lines
    begin = f"#BOS {id}"
    if "bos" in notes:
        begin += f" {notes['bos']}"
    if "bos_comment" in notes:
        begin += f" %% {notes['bos_comment']}"
    yield begin
    edges: dict[int, list[str]] = {}
    for label, child, parent in tree.secondary:
        edges.setdefault(child, []).extend((label, str(numbers[parent])))
    above = {ROOT: "0", **{node: str(number) for node, number in enumerate(numbers)}}
    for position, (token, parent) in enumerate(zip(tree.tokens, tree.leaf_parents, strict=True)):
        form, tag, lemma, morph, function = token
        columns = [form, lemma, tag, morph, function, above[parent], *edges.get(position, ())]
        yield _row(columns, notes.get(f"comment {position + 1}"), version)
    for node in sorted(range(len(numbers)), key=numbers.__getitem__):
        if not numbers[node]:
            continue
        name = f"#{numbers[node]}"
        columns = [
            name,
            notes.get(f"lemma {name}", ""),
            tree.labels[node],
            notes.get(f"morph {name}", ""),
            tree.functions[node],
            above[tree.parents[node]],
            *edges.get(len(tree) + node, ()),
        ]
        yield _row(columns, notes.get(f"comment {name}"), version)
    yield f"#EOS {id}"


def _row(columns: list[str], comment: str | None, version: int) -> str:
    if version == 3:
        del columns[1]
    row = "\t".join([column or NOTHING for column in columns])
    return row if comment is None else f"{row}\t%% {comment}"
