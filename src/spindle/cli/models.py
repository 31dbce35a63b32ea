"""`spindle models`: the models that come with Spindle."""

from __future__ import annotations

import json

import click

from spindle.cli.options import report_options
from spindle.cli.tables import Table, print_tables


@click.command()
@report_options("json")
def models(report: str) -> None:
    """List the models that come with Spindle, the default one first; `spindle info NAME` shows a card.

    F1 is that on the development trees of the training. For other languages, `spindle train` makes a model of
    your treebank.

    \b
    Examples:
      spindle models
      spindle parse "Le chat dort." --model french
    """
    from spindle.models.bundled import list_models

    found = list_models()
    if report == "json":
        records = [
            {
                "name": one.name,
                "description": one.description,
                "megabytes": round(one.megabytes, 1),
                "f1": one.f1,
                "licence": one.licence,
                "default": one.is_default,
            }
            for one in found
        ]
        click.echo(json.dumps(records, ensure_ascii=False, indent=2))
        return
    table = Table("", ("model", "MB", "F1", "what it is"), texts=(0, 3))
    for one in found:
        default = " (the default)" if one.is_default else ""
        score = "–" if one.f1 is None else f"{one.f1:.1f}"
        table.add(one.name, f"{one.megabytes:.1f}", score, one.description + default)
    print_tables([table])
    click.echo("\nFor another language: spindle train TREEBANK --dev 10% -o MODEL")
