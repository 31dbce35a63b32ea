"""LaTeX drawings: everything is there, braces and environments are balanced, and a tree can be read back.

The tests read the code with a small reader of their own; where LaTeX is installed, they also compile it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.drawing.display import arc_label, node_label, visible
from spindle.drawing.latex import STYLES, LatexStyle, escape_latex, latex_document, latex_dtree, latex_tree
from spindle.reduction import encode
from spindle.trees import DTree, Token, Tree
from support.notation import tree
from support.strategies import deep_tree, dtrees, headed_trees, texts, tokens, trees

SPECIAL = "\\{}$&#%_^~<>|\"[]-`',"
HOSTILE = trees(
    labels=texts(SPECIAL), tokens=tokens(forms=texts(SPECIAL), functions=texts() | st.just("")), max_tokens=6
)
CONTINUOUS = trees(continuous=True, labels=texts(SPECIAL), tokens=tokens(forms=texts(SPECIAL)), max_tokens=6)
GERMAN = "(VROOT (S (NP (PPER 0=Es) (NP (PIAT 2=nichts) (NN 3=Neues))) (VVFIN 1=kam)) ($. 4=.))"

COMMANDS = {
    r"\textbackslash{}": "\\",
    r"\textasciicircum{}": "^",
    r"\textasciitilde{}": "~",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    r"{\char34}": '"',
    "{}": "",
}


def printed(code: str) -> str:
    """What LaTeX prints for escaped text; anything that LaTeX would not print fails."""
    text = ""
    while code:
        command = next((command for command in COMMANDS if code.startswith(command)), None)
        if command is not None:
            text, code = text + COMMANDS[command], code[len(command) :]
        elif code[0] == "\\":
            assert code[1] in "{}$&#%_", code
            text, code = text + code[1], code[2:]
        else:
            assert code[0] not in '{}$&#%_^~<>|"', code
            assert not re.match(r"--|``|''|,,|[!?]`", code), code
            text, code = text + code[0], code[1:]
    return text


def groups(code: str) -> list[str]:
    """The outermost groups in braces; fails if braces are not balanced."""
    found, depth, start = [], 0, 0
    for place in re.finditer(r"\\.|[{}]", code):
        if place[0] == "{":
            start = place.end() if depth == 0 else start
            depth += 1
        elif place[0] == "}":
            depth -= 1
            assert depth >= 0
            if depth == 0:
                found.append(code[start : place.start()])
    assert depth == 0
    return found


def check_environments(code: str) -> None:
    stack = []
    for kind, name in re.findall(r"\\(begin|end)\{([^}]*)\}", code):
        if kind == "begin":
            stack.append(name)
        else:
            assert stack.pop() == name
    assert not stack


def unbold(code: str) -> str:
    return code.removeprefix(r"\textbf{").removesuffix("}") if code.startswith(r"\textbf{") else code


def expected_texts(drawn: Tree) -> list[str]:
    texts = list(map(node_label, drawn.labels, drawn.functions))
    for token in drawn.tokens:
        texts += [node_label(token.tag, token.function)] if token.tag or token.function else []
        texts.append(visible(token.form))
    return sorted(texts)


@given(st.text(st.sampled_from(SPECIAL + "ab!?é句")))
def test_escaped_text_is_printed_as_it_is(text: str) -> None:
    assert printed(escape_latex(text)) == text


@given(HOSTILE | headed_trees(HOSTILE) | CONTINUOUS | headed_trees(CONTINUOUS), st.sampled_from(STYLES))
def test_everything_is_in_the_picture(drawn: Tree, style: LatexStyle) -> None:
    code = latex_tree(drawn, style)
    check_environments(code)
    shown = [group for group in groups(code) if not re.fullmatch(r"forest|tikzpicture|tier=word|", group)]
    if drawn.is_continuous:
        shown = [group for group in shown if not group.startswith("frontier/")]
    else:
        shown = [group.removeprefix(r"\strut ") for group in shown if group.startswith(r"\strut ")]
    assert sorted(printed(unbold(group)) for group in shown) == expected_texts(drawn)


@given(CONTINUOUS | headed_trees(CONTINUOUS), st.sampled_from(STYLES))
def test_a_continuous_tree_can_be_read_back(drawn: Tree, style: LatexStyle) -> None:
    lines = latex_tree(drawn, style).splitlines()
    lines = lines[2:-1] if style == "forest" else lines[3:-1]
    stack: list[list[Any]] = [[]]
    for line in lines:
        body = re.fullmatch(r" +(\[?\.?)\{(.*)\}([\] ]*)", line)
        assert body is not None, line
        node = [printed(unbold(body[2]))]
        stack[-1].append(node)
        if body[1]:
            stack.append(node)
        for _ in range(body[3].count("]")):
            stack.pop()
    assert len(stack) == 1
    assert stack[0] == [nested(drawn)]


def nested(drawn: Tree) -> list[Any]:
    def leaf(position: int) -> list[Any]:
        token = drawn.tokens[position]
        word = [visible(token.form)]
        return [node_label(token.tag, token.function), word] if token.tag or token.function else word

    built: list[list[Any]] = [leaf(position) for position in range(len(drawn))]
    built += [[label] for label in map(node_label, drawn.labels, drawn.functions)]
    for node, children in enumerate(drawn.children):
        built[len(drawn) + node] += [built[child] for child in children]
    return built[len(drawn)] if drawn.labels else built[0]


def test_branches_cross_without_touching() -> None:
    code = latex_tree(tree(GERMAN))
    line = next(line for line in code.splitlines() if line.startswith(r"  \draw[spindleA]"))
    assert r"\definecolor{spindleA}" in code
    horizontal = [
        (int(start), int(end), y)
        for start, y, end, other in re.findall(r"\((\d+),(\d+)\) -- \((\d+),(\d+)\)", line)
        if y == other
    ]
    (_, before, y), (after, _, same) = horizontal
    assert y == same
    verb = re.search(r"\\node at \((\d+),0\) \{\\strut VVFIN\}", code)
    assert verb is not None
    assert before < int(verb[1]) < after


def test_heads_are_bold_if_they_are_known_and_wanted() -> None:
    for text, heads in (("(S (NP (DT The) (NN cat)) (VBZ is))", (2, 1)), (GERMAN, (1, 1, 3, 3))):
        headed = tree(text).replace(heads=heads)
        for style in STYLES:
            assert r"\textbf{" in latex_tree(headed, style)
            assert latex_tree(headed, style, heads=False) == latex_tree(tree(text), style)
            assert r"\textbf{" not in latex_tree(tree(text), style)


def test_an_unknown_style_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown LaTeX style 'qtree'; choose from forest, tikz-qtree"):
        latex_tree(tree(GERMAN), cast(LatexStyle, "qtree"))


@pytest.mark.parametrize("style", STYLES)
def test_depth_needs_no_recursion(style: LatexStyle) -> None:
    assert latex_tree(deep_tree(2000), style).count("{X}") == 2000


@given(dtrees(symbols=texts(SPECIAL), tokens=tokens(forms=texts(SPECIAL)), max_tokens=6))
def test_everything_is_in_the_picture_of_a_dtree(drawn: DTree) -> None:
    code = latex_dtree(drawn)
    check_environments(code)
    shown = groups(code)
    assert [shown[0], shown[-1]] == ["dependency"] * 2
    for word, token in enumerate(drawn.tokens):
        # \\& separates the cells of the table
        cell = escape_latex(visible(token.form)).replace(r"\&", r"{\char38}")
        assert f"{{{cell}}}" in code
        head = drawn.heads[word]
        label = escape_latex(arc_label(head, drawn.symbols[word], drawn.events[word]))
        arc = rf"\deproot{{{word + 1}}}" if head < 0 else rf"\depedge{{{head + 1}}}{{{word + 1}}}"
        assert f"{arc}{{{label}}}\n" in code


CAT = tree("(S (NP (DT The) (NN cat)) (VBZ sleeps))")
DOCUMENT = latex_document([latex_tree(CAT), latex_tree(CAT, "tikz-qtree"), latex_tree(tree(GERMAN))])


def test_a_document_has_one_page_for_each_picture() -> None:
    check_environments(DOCUMENT)
    assert DOCUMENT.count(r"\begin{drawing}") == 3
    assert all(rf"\begin{{{name}}}" in DOCUMENT for name in ("document", "forest", "tikzpicture"))


@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
def test_a_document_can_be_compiled(engine: str, tmp_path: Path) -> None:
    if shutil.which(engine) is None:
        pytest.skip(f"{engine} is not installed")
    forms = [*SPECIAL, "--", "``", "<<", "?`", "AT&T", "it's"]
    special = Tree.build([Token(form, form) for form in forms], ["NP"], [-1], [0] * len(forms))
    german = tree(GERMAN).replace(heads=(1, 1, 3, 3))
    drawn = [latex_tree(one, style) for one in (special, german) for style in STYLES]
    drawn += [latex_dtree(encode(one.replace(heads=one.heads or (0,))).dtree) for one in (special, german)]
    (tmp_path / "trees.tex").write_text(latex_document([*drawn, latex_tree(deep_tree(20))]), "utf-8")
    done = subprocess.run(
        [engine, "-interaction=nonstopmode", "-halt-on-error", "trees.tex"],
        cwd=tmp_path,
        capture_output=True,
        timeout=300,
    )
    said = done.stdout.decode(errors="replace")
    if missing := re.search(r"File `([^']+)' not found", said):
        pytest.skip(f"{engine} has no {missing[1]}")
    assert done.returncode == 0, said
    assert f"({len(drawn) + 1} pages" in said.replace("\n", "")
