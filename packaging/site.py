"""Hooks of mkdocs: the pages of the documentation that are made when the site is built.

The home page is the README, the command reference comes from the commands themselves, and the gallery is
drawn by `spindle.drawing`. Links from a page to a file outside `docs/` lead to the repository.
"""

from __future__ import annotations

import importlib
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import spindle
from spindle.cli import cli
from spindle.drawing import svg_dtree, svg_tree
from spindle.heads import find_heads, load_rules
from spindle.models import list_models
from spindle.reduction import encode
from spindle.search import search_trees
from spindle.treebanks import parse_tree

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")

PACKAGES_THAT_ARE_CALLED: dict[str, Any] = {"models": list_models, "search": search_trees}

GALLERY = (
    ("Five words", "collins", "(S (NP (DT The) (NN sea)) (VP (VBZ is) (ADJP (JJ calm))) (. .))"),
    (
        "A relative clause that is extraposed: its noun phrase has a gap",
        "collins",
        "(S (NP (NP (DT 0=A) (NN 1=man)) (SBAR (WHNP (WP 4=who)) (S (VP (VBD 5=knew) (NP (PRP 6=us))))))"
        " (VP (VBD 2=came) (PRT (RP 3=in))) (. 7=.))",
    ),
    (
        "A noun phrase that is split by the verb, in German",
        "negra",
        "(VROOT (S (NP (PPER 0=Es) (NP (PIAT 2=nichts) (NN 3=Interessantes))) (VVFIN 1=kam)) ($. 4=.))",
    ),
    (
        "A verb cluster, in Dutch",
        "alpino",
        "(SSUB (PRON 0=hij) (INF (PRON 1=haar) (NP (DET 2=de) (NOUN 3=deur)) (VERB 5=openen)) (VERB 4=zag))",
    ),
    (
        "Twenty-two words",
        "collins",
        "(S (SBAR (IN When) (S (NP (DT the) (NN rain)) (VP (VBD stopped)))) (, ,)"
        " (NP (NP (DT the) (NNS children)) (PP (IN from) (NP (DT the) (JJ next) (NN house))))"
        " (VP (VBD ran) (PP (IN into) (NP (DT the) (NN garden)))"
        " (S (VP (TO to) (VP (VB look) (PP (IN for) (NP (PRP$ their) (NN ball))))))) (. .))",
    ),
)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages and pictures that are made by code."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    home = LINK.sub(_from_the_readme, readme)
    made = {"index.md": home, "commands.md": command_reference(), "api.md": api_reference(), **gallery()}
    for name, content in made.items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, config: MkDocsConfig, files: Files) -> str:
    """Let links to files outside `docs/` lead to the repository."""

    def absolute(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page.file.src_uri), match[2]))
        if "://" in match[2] or target.startswith("docs/"):
            return match[0]
        kind = "tree" if (ROOT / target).is_dir() else "blob"
        return f"{match[1]}{config.repo_url}/{kind}/main/{target}{match[3]}"

    return LINK.sub(absolute, markdown)


def _from_the_readme(match: re.Match[str]) -> str:
    """Return a link of the README as one from a page in `docs/`."""
    if "://" in match[2]:
        return match[0]
    inside = match[2].startswith("docs/")
    return match[1] + (match[2].removeprefix("docs/") if inside else f"../{match[2]}") + match[3]


def command_reference() -> str:
    """Return the page of all verbs with their arguments, options and examples."""
    context = click.Context(cli, info_name="spindle")
    parts = [
        "# Commands\n",
        "This page is generated from the commands; `spindle VERB --help` shows the same.\n",
    ]
    parts += ["| verb | |\n|---|---|"]
    names = cli.list_commands(context)
    commands = [(name, cli.get_command(context, name)) for name in names]
    parts += [
        f"| [{name}](#spindle-{name}) | {command.get_short_help_str(200)} |" for name, command in commands
    ]
    for name, command in commands:
        parts += _describe(command, f"spindle {name}", context)
    return "\n".join(parts) + "\n"


def _describe(command: click.Command, name: str, parent: click.Context) -> Iterator[str]:
    context = click.Context(command, info_name=name.rpartition(" ")[2], parent=parent)
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    yield f"\n##{'#' * (name.count(' ') - 1)} {name}\n\n```\n{usage}\n```\n"
    for paragraph in re.split(r"\n\s*\n", command.help or ""):
        lines = [line.strip() for line in paragraph.strip().splitlines()]
        if lines[:1] == ["\b"]:  # click's mark of a paragraph that keeps its lines
            yield f"\n{lines[1]}\n\n```\n" + "\n".join(lines[2:]) + "\n```\n"
        else:
            yield _escape(" ".join(lines)) + "\n"
    rows = [row for option in command.params if (row := option.get_help_record(context)) and row[1]]
    if rows:
        yield "| option | |\n|---|---|"
        for option, text in rows:
            yield f"| `{option.replace('|', chr(92) + '|')}` | {_escape(text)} |"
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            assert found is not None
            yield from _describe(found, f"{name} {below}", context)


def _escape(text: str) -> str:
    """Return a text in which Markdown finds no markup but code."""
    return re.sub(r"(`[^`]*`)|([<>|*_\[\]])", lambda match: match[1] or f"\\{match[2]}", text)


def api_reference() -> str:
    """Return the page of all public names, by layer; mkdocstrings fills in their documentation."""
    page = ["# Python reference\n", "Every name is imported from `spindle`.\n"]
    layers: dict[str, list[str]] = {layer: [] for layer in reversed(spindle._LAYERS)}
    for name in spindle.__all__:
        value = PACKAGES_THAT_ARE_CALLED.get(name) or getattr(spindle, name)
        layers[value.__module__.split(".")[1]].append(f"{value.__module__}.{value.__name__}")
    for layer, names in layers.items():
        about = (importlib.import_module(f"spindle.{layer}").__doc__ or "").partition("\n\n")[0]
        page += [f"\n## spindle.{layer}\n", f"{_escape(about)}\n", *(f"::: {name}\n" for name in names)]
    page += ["\n## spindle.decoding\n", "::: spindle.decoding\n"]
    return "\n".join(page)


def gallery() -> dict[str, str]:
    """Return the page of drawings and its pictures."""
    made = {}
    page = ["# Gallery\n", "These pictures are drawn when this page is built, by `spindle draw --to svg`.\n"]
    for number, (title, rules, brackets) in enumerate(GALLERY, start=1):
        tree = find_heads(parse_tree(brackets), load_rules(rules))
        made[f"gallery/tree-{number}.svg"] = svg_tree(tree)
        made[f"gallery/dtree-{number}.svg"] = svg_dtree(encode(tree).dtree)
        page += [f"\n## {title}\n", f"![{title}](gallery/tree-{number}.svg)\n"]
        page += [f"![The same as a head-ordered dependency tree](gallery/dtree-{number}.svg)\n"]
        page += [f"```\n{tree.draw()}\n```\n"]
    return {"gallery.md": "\n".join(page), **made}
