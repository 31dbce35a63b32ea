"""`spindle demo`: the idea on one sentence, a parser trained in seconds, and the bundled model."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import click

from spindle.cli.options import FILE

SENTENCE = (
    "(ROOT (S (NP (NP (DT 0=A) (NN 1=man)) (SBAR (WHNP (WP 4=who)) (S (VP (VBD 5=knew) (NP (PRP 6=us))))))"
    " (VP (VBD 2=came) (PRT (RP 3=in))) (. 7=.)))"
)
TEXT_FOR_SMALL_PARSER = "A teacher appeared who knew the song. The miller found a new lamp in the garden."
"""New sentences made of words that occur in the demo treebank."""
TEXT_FOR_BUNDLED_MODEL = "The public is still cautious. She bought three books and a lamp."


FILES = ("demo-train.dbr", "demo-dev.dbr")
"""The treebank of the demo, among the data of the package."""


@click.command()
@click.option(
    "--files",
    metavar="DIR",
    type=FILE,
    help="Write the little treebank of the demo to a folder instead, to try the other verbs on.",
)
def demo(files: str | None) -> None:
    """Show how a tree becomes a dependency tree and back, train a parser, and parse sentences.

    \b
    Examples:
      spindle demo
      spindle demo --files treebank
    """
    if files is not None:
        _write_files(Path(files))
        return
    _show_the_idea()
    _train_and_parse()
    _parse_with_the_bundled_model()


def _write_files(folder: Path) -> None:
    """Copy the treebank to a folder, which is made if necessary; existing files are not replaced."""
    from spindle.models.bundled import DATA

    targets = {folder / name.removeprefix("demo-"): DATA / name for name in FILES}
    if existing := next((target for target in targets if target.exists()), None):
        raise click.UsageError(f"{existing} exists; name another folder.")
    folder.mkdir(parents=True, exist_ok=True)
    for target, source in targets.items():
        target.write_bytes(source.read_bytes())
    train, dev = targets
    click.echo(f"{train}  {dev}\n\nTry:")
    for command in (
        f"spindle draw {dev} --limit 1",
        f"spindle stats {train}",
        f"spindle train {train} --dev {dev} -o demo.model",
        f"spindle parse {dev} --model demo.model -o parsed.dbr",
        f"spindle evaluate {dev} parsed.dbr",
    ):
        click.echo(f"  {command}")


def _show_the_idea() -> None:
    from spindle.drawing import draw_dtree, draw_tree
    from spindle.heads import find_heads, load_rules
    from spindle.reduction import decode, encode
    from spindle.treebanks import parse_tree

    tree = find_heads(parse_tree(SENTENCE), load_rules("collins"))
    reduced = encode(tree)
    restored = decode(reduced)
    click.echo("A sentence with a gap: `who knew us` belongs to `A man`, and `came in` is in between.\n")
    click.echo(draw_tree(tree))
    click.echo("\nThe same tree as a head-ordered dependency tree. NP#2 on an arc means: this word attaches")
    click.echo("to the second node of its head's spine, an NP. Any dependency parser can learn these.\n")
    click.echo(draw_dtree(reduced.dtree))
    click.echo("\nDecoded again:", nl=False)
    click.echo(" equal to the first tree.\n" if restored == tree else " NOT equal to the first tree.\n")
    click.echo(draw_tree(restored))
    if restored != tree:
        raise click.ClickException("the decoded tree differs; please report this.")


def _train_and_parse() -> None:
    from spindle.drawing import draw_tree
    from spindle.models.bundled import DATA
    from spindle.training import train

    start = perf_counter()
    # No jackknifing: a tenth of so small a treebank is too much to hold out.
    parser = train(DATA / "demo-train.dbr", DATA / "demo-dev.dbr", tags="predicted")
    seconds, card = perf_counter() - start, parser.card
    click.echo(
        f"\nA parser trained on {card.training.sentences} sentences in {seconds:.1f} seconds", nl=False
    )
    click.echo(f" (F1 on {card.development.sentences} others: {card.scores['f1']:.1f}) parses new ones:")
    for tree in parser.parse_text(TEXT_FOR_SMALL_PARSER):
        click.echo(f"\n{draw_tree(tree)}")


def _parse_with_the_bundled_model() -> None:
    from spindle.drawing import draw_tree
    from spindle.models.bundled import DEFAULT, bundled_models
    from spindle.pipeline import load

    if DEFAULT not in bundled_models():
        click.echo("\nThis installation has no bundled model; train one with `spindle train`.")
        return
    click.echo('\nThe bundled model, as in `spindle parse "The public is still cautious."`:')
    for tree in load().parse_text(TEXT_FOR_BUNDLED_MODEL):
        click.echo(f"\n{draw_tree(tree)}")
