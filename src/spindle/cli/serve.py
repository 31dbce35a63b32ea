"""`spindle serve`: a page in the browser, and a JSON API."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spindle.cli.common import note
from spindle.cli.names import MODEL
from spindle.cli.options import FILE, threads_option
from spindle.errors import SpindleError

if TYPE_CHECKING:
    from spindle.web import Address


@click.command()
@click.argument("files", metavar="[FILES…]", nargs=-1, type=FILE)
@click.option("--host", metavar="H", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--port",
    metavar="N",
    type=click.IntRange(0, 65535),
    default=8090,
    show_default=True,
    help="The port to listen at; 0 is any that is free.",
)
@click.option(
    "--model",
    "models",
    metavar="NAME",
    type=MODEL,
    multiple=True,
    help="A model file, or a model that comes with Spindle; the first one is the default. "
    "[default: all that come with Spindle]",
)
@click.option(
    "--token",
    metavar="TEXT",
    envvar="SPINDLE_TOKEN",
    help="Answer only requests with this token; better set as SPINDLE_TOKEN in the environment.",
)
@click.option(
    "--allow-origin",
    "origins",
    metavar="URL",
    multiple=True,
    help="Let pages of this address use the API, such as https://example.org.",
)
@click.option(
    "--work",
    metavar="FOLDER",
    type=click.Path(file_okay=False),
    help="The folder for annotations and the models that are trained in the page. Without it, the server "
    "writes nothing.",
)
@threads_option
def serve(
    files: tuple[str, ...],
    host: str,
    port: int,
    models: tuple[str, ...],
    token: str | None,
    origins: tuple[str, ...],
    work: str | None,
    threads: int | None,
) -> None:
    """Serve a page for the browser, and a JSON API.

    The page parses text, shows and searches treebanks (FILES, and those that you open in it), and compares
    parsed trees with gold trees. With --work, sentences are annotated and models trained in it.

    Only this machine can connect unless --host is set. Ctrl-C stops the server; begun requests are finished.
    A line of JSON for every request is logged on standard error.

    \b
    Examples:
      spindle serve
      spindle serve train.export dev.export
      spindle serve --model my.model --model english --port 8000
      spindle serve --work my-treebank
    """
    try:
        from spindle.web import Address, Limits, ServedModels, Service, WorkFolder
        from spindle.web import serve as run
    except ModuleNotFoundError as error:
        if error.name not in ("orjson", "starlette", "uvicorn"):
            raise
        raise SpindleError(
            f"the server needs the package {error.name}", hint='pip install "spindle-parser[web]"'
        ) from None
    logging.getLogger("spindle.web.access").addHandler(logging.StreamHandler())

    def on_start(address: Address) -> None:
        click.echo(f"Spindle is at {address}" + (f"#token={token}" if token else ""))
        if not address.is_local and token is None:
            note("every machine that can reach this one can use the server; --token restricts it")

    limits = Limits()
    folder = None if work is None else WorkFolder(Path(work), limits)
    served = ServedModels.load(models, threads)
    if folder is not None:
        for name, parser in folder.models(on_error=lambda error: note(str(error))):
            served.check_new(name, ())
            served.add(name, parser)
    service = Service(served, limits, token, folder)
    service.treebanks.open_files(files)
    run(service, Address(host, port), origins=origins, on_start=on_start)
