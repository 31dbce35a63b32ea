"""The formats by name; the documentation page must agree with the code."""

from pathlib import Path
from typing import Any

import pytest

from spindle.cli.options import DEPENDENCIES, TREES
from spindle.treebanks.files import parse_tree
from spindle.treebanks.formats import (
    DEPENDENCY_FORMATS,
    NAMES,
    TREE_FORMATS,
    Format,
    format_by_ending,
    guess_format,
)
from spindle.treebanks.source import Source
from spindle.treebanks.transforms import PUNCTUATION, STRIP, merge_functions, resolve_traces, set_wrapper

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"


def rows(heading: str) -> list[list[str]]:
    """The rows of the table with this heading."""
    lines = PAGE.read_text("utf-8").splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    table = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        table.append([cell.strip() for cell in line.strip("|").split("|")])
    return table


def test_the_command_line_knows_all_formats() -> None:
    assert (*TREES, *DEPENDENCIES) == NAMES


def test_the_page_lists_all_formats() -> None:
    formats: dict[str, Format[Any]] = {**TREE_FORMATS, **DEPENDENCY_FORMATS}
    crossing = parse_tree("(S (NP (N 0=a) (N 2=c)) (N 1=b))")
    table = rows("name")
    assert [row[0] for row in table] == [f"`{name}`" for name in formats]
    for (_, _, endings, written, discontinuous), format in zip(table, formats.values(), strict=True):
        assert endings == " ".join(f"`{ending}`" for ending in format.endings)
        assert (written == "yes") is (format.write is not None)
        if format.name in TREE_FORMATS:
            assert (discontinuous == "yes") is (TREE_FORMATS[format.name].refusal(crossing) is None)


def test_the_page_says_what_is_lossy() -> None:
    said = {option.strip("`"): loss for option, _, loss in rows("option")}
    for option, transforms in (("--strip", STRIP), ("--punct", PUNCTUATION)):
        for name, transform in transforms.items():
            assert said.pop(f"{option} {name}") == ("lossless" if transform.is_lossless else "lossy")
    for option, function in (
        ("--resolve-traces", resolve_traces),
        ("--wrapper LABEL", set_wrapper),
        ("--functions", merge_functions),
    ):
        summary = (function.__doc__ or "").partition("\n")[0]
        assert summary.endswith(f"({said.pop(option).split()[0]})")
    assert not said


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.ptb", "bracket"),
        ("A.B.MRG.GZ", "bracket"),
        ("dir.export/a.dbr.zst", "discbracket"),
        ("a.psd.xz", "psd"),
        ("a.conll", "conllx"),
        ("a.xml", None),
        ("a.gz", None),
        ("-", None),
    ],
)
def test_endings(name: str, format: str | None) -> None:
    assert format_by_ending(name) == format


@pytest.mark.parametrize(
    ("text", "name", "format"),
    [
        ("(S (CD 1=2) (NN a) (NN b))", "a.dbr", "bracket"),  # the content decides
        ("(S (NN 0=a))", "a.ptb", "discbracket"),
        ("#BOS 1\n", "a.export3", "export3"),
        ("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n", "a.conllx", "conllx"),
        ("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n", "a", "conllu"),
        ("( (IP (N a-a)) (ID X,1))", "a", "psd"),
        ("( (IP (N a-a)))", "a.psd", "psd"),
        ("", "a.tiger", "tigerxml"),  # the name decides without content
    ],
)
def test_guessing(text: str, name: str, format: str) -> None:
    assert guess_format(Source.from_text(text, name)) == format
