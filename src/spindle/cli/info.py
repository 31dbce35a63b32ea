"""`spindle info`: the card of a model."""

from __future__ import annotations

import json
import sys
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from spindle.cli.common import plain
from spindle.cli.names import MODEL
from spindle.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from spindle.models import ModelFile
    from spindle.pipeline import Card

SHOWN = 12
"""The number of labels of a set that are shown."""


@click.command()
@click.argument("model", metavar="[MODEL]", required=False, type=MODEL)
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
@click.option(
    "--verify", is_flag=True, help="Only check the whole file, without building anything from its weights."
)
def info(model: str | None, as_json: bool, verify: bool) -> None:
    """Show the card of a model: what it was trained on, its options, labels, size and scores.

    Without MODEL, show the default model of `spindle parse`.

    \b
    Examples:
      spindle info
      spindle info my.model --json
      spindle info --verify from-a-stranger.model
    """
    from spindle.models.bundled import find_model
    from spindle.models.model_file import read_model
    from spindle.pipeline.card import Card
    from spindle.pipeline.parser import KIND
    from spindle.pipeline.parser import verify as verify_model

    path = find_model(model)
    if verify:
        content = verify_model(path)
        arrays = sum(len(part.arrays) for part in content.parts.values())
        click.echo(
            plain(
                f"{path}: the checksums of {arrays} arrays, the settings of {len(content.parts)} parts "
                "and all networks are as Spindle writes them"
            )
        )
        return
    content = read_model(path, KIND)
    try:
        if as_json:
            shown = _harmless(json.dumps(_everything(path, content), ensure_ascii=False, indent=2))
        else:
            shown = _page(_rows(path, content, Card.from_dict(content.card)))
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{path}: the model does not fit together: {error}") from error
    click.echo(shown)


def _everything(path: Path, content: ModelFile) -> dict[str, Any]:
    sizes = {
        name: sum(array.nbytes for array in part.arrays.values()) for name, part in content.parts.items()
    }
    pipeline = content.parts["pipeline"].settings
    return {
        **content.card,
        "model": path.name,
        "created_by": content.created_by,
        "bytes": path.stat().st_size,
        "parts": sizes,
        "pipeline": {
            name: value for name, value in pipeline.items() if name not in ("tokenization", "head_rules")
        },
    }


def _harmless(text: str) -> str:
    """Return the same JSON, in which characters that could control a terminal are escaped."""
    if text.isprintable():
        return text
    return "".join(
        [mark if mark.isprintable() or mark == "\n" else json.dumps(mark)[1:-1] for mark in text]
    ).replace("\x7f", "\\u007f")


def _rows(path: Path, content: ModelFile, card: Card) -> Iterator[tuple[str, str]]:
    pipeline = content.parts["pipeline"].settings
    yield "model", f"{path.name}, {path.stat().st_size / 1e6:,.1f} MB, by {content.created_by}"
    corpora = (("trained on", card.training), ("distilled on", card.text), ("developed on", card.development))
    for title, corpus in corpora:
        if corpus.sentences:
            files = ", ".join(corpus.files) or "trees in memory"
            yield title, f"{files}: {corpus.sentences:,} sentences, {corpus.tokens:,} tokens"
    if card.teacher:
        score = "" if card.teacher["f1"] is None else f", F1 {card.teacher['f1']:.2f}"
        yield "distilled from", f"{card.teacher['name']} ({card.teacher['encoder']}{score})"
    yield "licence of the data", card.licence or "not stated"
    yield "parser", f"{pipeline['parser']}, {pipeline['encoding']} labels, {pipeline['mode']} trees"
    chosen = {
        **{key: value for key, value in card.options.items() if value not in (None, "", {})},
        **card.chosen,
    }
    yield "options", ", ".join(f"{key} {_shown(value)}" for key, value in chosen.items() if key != "parser")
    for name, labels in card.label_sets.items():
        if labels:
            more = f" and {len(labels) - SHOWN:,} more" if len(labels) > SHOWN else ""
            yield (
                f"{len(labels):,} {name}",
                f"{'  '.join(label or '(empty)' for label in labels[:SHOWN])}{more}",
            )
    for name, part in content.parts.items():
        size = sum(array.nbytes for array in part.arrays.values())
        if name != "pipeline":
            yield f"part {name}", f"{size / 1e6:,.1f} MB"
    scores = dict(card.scores)
    signature = scores.pop("signature", "")
    if scores:
        yield (
            "scores",
            "  ".join(
                f"{name} {value:.2f}" if isinstance(value, float) else f"{name} {value}"
                for name, value in scores.items()
            ),
        )
    if signature:
        yield "signature", signature


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple):
        return " ".join(map(str, value)) or "nothing"
    if isinstance(value, dict):
        return " ".join(f"{key}={one}" for key, one in value.items())
    return str(value) if value != "" else "(empty)"


def _page(rows: Iterable[tuple[str, str]]) -> str:
    """Return the rows as lines; long values are wrapped if the output is a terminal."""
    rows = [(plain(name), plain(value)) for name, value in rows]
    page: list[str] = []
    margin = max(len(name) for name, _ in rows) + 2
    width = get_terminal_size().columns - margin if sys.stdout.isatty() else None
    for name, value in rows:
        lines = [value] if width is None else wrap(value, max(width, 20), break_on_hyphens=False)
        for number, line in enumerate(lines):
            page.append(click.style(f"{'' if number else name:<{margin}}", bold=True) + line)
    return "\n".join(page)
