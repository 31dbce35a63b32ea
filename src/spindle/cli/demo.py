"""`spindle demo`: the whole idea on one sentence."""

from __future__ import annotations

import click

SENTENCE = (
    "(ROOT (S (NP (NP (DT 0=A) (NN 1=man)) (SBAR (WHNP (WP 4=who)) (S (VP (VBD 5=knew) (NP (PRP 6=us))))))"
    " (VP (VBD 2=came) (PRT (RP 3=in))) (. 7=.)))"
)


@click.command()
def demo() -> None:
    """See a tree become a dependency tree and come back.

    \b
    Example:
      spindle demo
    """
    from spindle.heads import find_heads, load_rules
    from spindle.reduction import decode, encode
    from spindle.treebanks import parse_tree
    from spindle.trees import draw_dtree, draw_tree

    tree = find_heads(parse_tree(SENTENCE), load_rules("collins"))
    reduced = encode(tree)
    restored = decode(reduced)
    click.echo("A sentence with a gap: `who knew us` belongs to `A man`, and `came in` is in between.\n")
    click.echo(draw_tree(tree))
    click.echo("\nThe same as a head-ordered dependency tree. NP#2 on an arc: the head takes this word in at")
    click.echo("the second step of its spine, which makes an NP. Any dependency parser can learn that.\n")
    click.echo(draw_dtree(reduced.dtree))
    click.echo("\nAnd decoded:", nl=False)
    click.echo(" equal to the first tree.\n" if restored == tree else " NOT equal to the first tree.\n")
    click.echo(draw_tree(restored))
    if restored != tree:
        raise click.ClickException("the tree has not survived; please report this.")
