"""Chromium, a server, and a page on which nothing may go wrong."""

import faulthandler
import json
import resource
import shutil
import subprocess
import sys
import tarfile
from _thread import interrupt_main
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

pytest.importorskip("starlette", reason="needs spindle-parser[web]")
pytest.importorskip("playwright", reason="needs playwright")

from playwright.sync_api import Browser, Page, expect, sync_playwright

from web.test_server import running

CHROMIUM = shutil.which("chromium")
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--renderer-process-limit=1", "--disable-software-rasterizer", "--disable-extensions"),
]
MEMORY = 2 << 30
"""A page that needs more fails, instead of filling the memory of the machine."""
GROWTH = 1 << 30
"""How much the process of the tests may grow."""
WAIT = 30_000  # milliseconds; the machine may be busy
expect.set_options(timeout=WAIT)
TREEBANK = """(S (NP (PPER 0=Es) (NN 2=nichts)) (VVFIN 1=kam))
(S (NP (DT 0=the) (NN 1=<script>alert`1`</script>)) (VP (VB 2=sleeps)))
(<b>X</b> (A 0=\u202egnal) (B 1=b))
"""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("needs chromium")
    with sync_playwright() as playwright:
        limit = f"--js-flags=--max-old-space-size={MEMORY >> 20}"
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS, limit])


@pytest.fixture(scope="session", autouse=True)
def memory_watch() -> Iterator[None]:
    """Stop these tests, and show where they are, if this process grows by much."""
    limit = resident() + GROWTH
    done = Event()

    def watch() -> None:
        while not done.wait(1):
            if resident() > limit:
                faulthandler.dump_traceback(file=sys.__stderr__ or 2)
                interrupt_main()
                return

    Thread(target=watch, daemon=True).start()
    yield
    done.set()


def resident() -> int:
    """Return the bytes of memory that this process has."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:  # not Linux
        return 0


@pytest.fixture(scope="session")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the server may write."""
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="session")
def address(work: Path) -> Iterator[str]:
    with running("--work", str(work)) as (_, address):
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A page without errors, and without requests to other hosts."""
    yield from watched_page(browser, address)


def watched_page(browser: Browser, address: str) -> Iterator[Page]:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    context.set_default_timeout(WAIT)
    page = context.new_page()
    faults: list[str] = []

    def fault(text: str) -> None:
        is_expected = "Failed to load resource" in text or "Content Security Policy" in text
        if len(faults) < 20 and not is_expected:
            faults.append(text[:500])

    page.on("pageerror", lambda error: fault(str(error)))
    page.on("console", lambda message: fault(message.text) if message.type == "error" else None)
    page.on("dialog", lambda dialog: fault(f"dialog: {dialog.message}"))
    page.on(
        "request",
        lambda request: None if request.url.startswith((address, "blob:")) else fault(request.url),
    )
    yield page
    context.close()
    assert faults == []


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The source of axe-core, which checks accessibility."""
    if shutil.which("npm") is None:
        pytest.skip("needs npm, for axe-core")
    folder = tmp_path_factory.mktemp("axe")
    command = ["npm", "pack", "axe-core@4", "--silent"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=90)
    except subprocess.TimeoutExpired:
        pytest.skip("axe-core cannot be fetched with npm")
    packed = sorted(folder.glob("*.tgz"))
    if done.returncode or not packed:
        pytest.skip("axe-core cannot be fetched with npm")
    with tarfile.open(packed[0]) as archive:
        member = archive.extractfile("package/axe.min.js")
        assert member is not None
        return member.read().decode()


def check_accessibility(page: Page, axe: str) -> None:
    """Let axe-core check what the page shows now."""
    page.evaluate(f"{axe}; undefined")
    found = page.evaluate(
        "axe.run(document, {resultTypes: ['violations']}).then(found => found.violations.map(one =>"
        " [one.id, one.help, one.nodes.slice(0, 3).map(node => node.html.slice(0, 200))]))"
    )
    assert found == [], json.dumps(found, indent=1)


def drop_files(page: Page, selector: str, *files: Path) -> None:
    """Drop files on a part of the page, as a user drags them there."""
    given = [[file.name, file.read_text(encoding="utf-8")] for file in files]
    transfer = page.evaluate_handle(
        "files => { const all = new DataTransfer();"
        " for (const [name, text] of files) all.items.add(new File([text], name)); return all; }",
        given,
    )
    for kind in ("dragenter", "dragover", "drop"):
        page.dispatch_event(selector, kind, {"dataTransfer": transfer})
