"""`spindle index`: indexes of treebanks, for `spindle search`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spindle.cli.common import Reporter, complain, progress
from spindle.cli.options import DEPENDENCIES, FILE, TREES, reading_options, threads_option

if TYPE_CHECKING:
    from pathlib import Path

    from spindle.search import TreebankIndex
    from spindle.treebanks.files import OnError


@click.command()
@click.argument("files", metavar="FILES…", type=FILE, nargs=-1, required=True)
@click.option("--check", is_flag=True, help="Make nothing; verify the indexes, every byte of them.")
@click.option("--force", is_flag=True, help="Make an index again even if it is up to date.")
@reading_options(*TREES, *DEPENDENCIES)
@threads_option
def index(
    files: tuple[str, ...],
    check: bool,
    force: bool,
    from_: str | None,
    text_encoding: str | None,
    on_error: OnError,
    threads: int | None,
) -> None:
    """Make an index of every file, with which `spindle search` is fast.

    The index of train.ptb is train.ptb.spindle-index. It contains the trees, so rare labels and words are
    found without reading the treebank. If the treebank changes, the index is not used until it is made again.

    \b
    Examples:
      spindle index train.ptb
      spindle index corpora/ --on-error skip
      spindle index --check train.ptb
    """
    from spindle.errors import UnusableIndex
    from spindle.search.index import TreebankIndex, index_path, write_index
    from spindle.treebanks.files import sources

    reporter = Reporter()
    faults = 0
    for source in [source for name in files for source in sources(name, text_encoding)]:
        path = index_path(source.name)
        try:
            if not check and (force or not path.exists()):
                raise UnusableIndex
            found = TreebankIndex(path)
            found.check_source(source.name)
            if check:
                found.verify()
            _describe(found, path, "undamaged" if check else "up to date")
        except UnusableIndex as error:
            if check:
                complain(str(error))
                faults += 1
                continue
            bar = progress if reporter.shows_progress else None
            found = write_index(
                source, from_, on_error, report=reporter.report, threads=threads, progress=bar
            )
            _describe(found, path, "")
    reporter.sum_up()
    if faults:
        raise click.exceptions.Exit(1)


def _describe(index: TreebankIndex, path: Path, state: str) -> None:
    size = path.stat().st_size / 1e6
    text = f"{path}: {len(index):,} trees, {index.core.words:,} words, {size:.1f} MB"
    click.echo(f"{text}, {state}" if state else text)
