"""The page in Chromium: every view, the keyboard, hostile input, accessibility."""

import json
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

pytest.importorskip("starlette", reason="needs spindle-parser[web]")
pytest.importorskip("playwright", reason="needs playwright")

from playwright.sync_api import Browser, Page, expect, sync_playwright

from web.test_server import running

CHROMIUM = shutil.which("chromium")
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
TREEBANK = """(S (NP (PPER 0=Es) (NN 2=nichts)) (VVFIN 1=kam))
(S (NP (DT 0=the) (NN 1=<script>alert`1`</script>)) (VP (VB 2=sleeps)))
(<b>X</b> (A 0=\u202egnal) (B 1=b))
"""
WAIT = 30_000  # milliseconds; the machine may be busy


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("needs chromium")
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running() as (_, address):
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A page on which nothing goes wrong, and that asks nobody else."""
    context = browser.new_context()
    context.set_default_timeout(WAIT)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.on("dialog", lambda dialog: faults.append(f"dialog: {dialog.message}"))
    page.on(
        "request",
        lambda request: None if request.url.startswith((address, "blob:")) else faults.append(request.url),
    )
    yield page
    context.close()
    assert [fault for fault in faults if "Failed to load resource" not in fault] == []


def parse(page: Page, address: str, text: str, **options: str) -> None:
    page.goto(f"{address}#{urlencode({'view': 'parse', 'text': text, **options})}")
    page.locator("#parse-status", has_text="sentence").wait_for()


def test_trees_grow_as_you_type(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("#parse-text").fill("It works. It is fast.")
    page.locator("#parse-status", has_text="2 sentences, 7 words").wait_for()
    page.locator("#parse-sentences button").nth(1).click()
    assert "It is fast" in (page.locator('svg[role="tree"]').get_attribute("aria-label") or "")
    assert "It%2Bis" not in page.url
    assert "text=It+works" in page.url
    page.locator("#parse-text").fill("")
    expect(page.locator("svg.drawing")).to_have_count(0, timeout=WAIT)


def test_tree_and_dtree_light_up_together(page: Page, address: str) -> None:
    parse(page, address, "The old cat is here.")
    tree, dtree = page.locator('svg[role="tree"]'), page.locator('svg[role="img"]')
    node = tree.locator('g[aria-label^="NP"]').first
    node.locator("text").hover()
    words = (node.get_attribute("aria-label") or "").partition(": ")[2].split()
    assert tree.locator('g.lit[data-vertex^="w"]').count() == len(words)
    assert dtree.locator('g.lit[data-vertex^="a"]').count() == len(words) - 1
    dtree.locator('g[data-vertex="a0"] text').hover()
    assert tree.locator('g.lit[data-vertex^="n"]').count() == 1
    assert tree.locator('g.lit[data-vertex^="w"]').count() == 2


def test_a_tree_by_keyboard(page: Page, address: str) -> None:
    parse(page, address, "The old cat is here.")
    page.locator('svg[role="tree"] g').first.focus()
    assert page.locator("g:focus").get_attribute("data-vertex") == "n0"
    page.keyboard.press("ArrowDown")
    assert page.locator("g:focus").get_attribute("data-vertex") == "n1"
    page.keyboard.press("ArrowDown")
    folded = page.locator("g:focus").get_attribute("data-vertex")
    before = page.locator('svg[role="tree"] g').count()
    page.keyboard.press(" ")
    assert page.locator('svg[role="tree"] g').count() < before
    assert page.locator("g:focus").get_attribute("data-vertex") == folded
    page.keyboard.press(" ")
    assert page.locator('svg[role="tree"] g').count() == before
    page.keyboard.press("ArrowUp")
    assert page.locator("g:focus").get_attribute("data-vertex") == "n1"


def test_several_trees_with_confidence(page: Page, address: str) -> None:
    parse(page, address, "I saw her duck with a telescope.", k="3", scores="1")
    assert page.locator('svg[role="tree"]').count() == 3
    assert page.locator(".legend").count() == 3
    assert "confidence" in (page.locator('svg[role="tree"] g').nth(1).get_attribute("aria-label") or "")


@pytest.mark.parametrize(
    ("format", "start"),
    [
        ("bracket", "(ROOT"),
        ("conllu", "# spindle"),
        ("json", '{"'),
        ("svg", "<svg"),
        ("latex", "\\doc"),
        ("png", "\x89PNG"),
    ],
)
def test_downloads(page: Page, address: str, format: str, start: str) -> None:
    parse(page, address, "It works.")
    page.locator(".tools select").select_option(format)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    assert Path(download.value.path()).read_bytes().startswith(start.encode("latin-1"))


def test_hostile_text(page: Page, address: str) -> None:
    parse(
        page, address, "<script>alert(1)</script> <img src=x onerror=alert(1)> \u202egnal\u202c \u0007 &amp;"
    )
    page.locator('svg[role="tree"]').wait_for()
    assert page.locator("main img, main script").count() == 0
    assert "\u202e" not in page.locator('svg[role="tree"]').inner_html()


def test_a_very_long_sentence(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("#parse-text").fill("word " * 5_000)
    page.locator("#parse-status", has_text="5,000 words").wait_for(timeout=120_000)
    page.get_by_role("button", name="Draw all 5,000 words").first.wait_for()


def test_errors_are_shown(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("#parse-model option").first.wait_for(state="attached")
    page.route("**/api/parse", lambda route: route.abort())
    page.locator("#parse-text").fill("It works.")
    page.locator("#parse-status.wrong", has_text="the server does not answer").wait_for()
    page.unroute("**/api/parse")
    page.locator("#parse-text").fill("It works again.")
    page.locator("#parse-status", has_text="4 words").wait_for()


def test_treebank(page: Page, address: str, tmp_path: Path) -> None:
    file = tmp_path / "small <i>.dbr"
    file.write_text(TREEBANK, encoding="utf-8")
    page.goto(f"{address}#view=treebank")
    page.locator("#treebank-files").set_input_files(file)
    page.locator("#treebank-status", has_text="3 trees").wait_for()
    page.locator(".row", has_text="<script>alert`1`</script>").click()
    page.locator('svg[role="tree"] g[aria-label^="NP: the <script>"]').wait_for()
    # search, with hits in colour
    page.locator("#treebank-pattern").fill("NP:gap")
    page.get_by_role("button", name="Search").click()
    page.locator("#treebank-status", has_text="1 matches in 1 of 3 trees").wait_for()
    page.locator('svg[role="tree"] g.hit-mark[aria-label^="NP: Es nichts"]').wait_for()
    assert page.locator(".row").count() == 1
    page.locator("#treebank-pattern").fill("NP <")
    page.get_by_role("button", name="Search").click()
    page.locator("#treebank-status.wrong", has_text="^").wait_for()
    # the list by keyboard
    page.locator("#treebank-pattern").fill("")
    page.get_by_role("button", name="Search").click()
    page.locator(".row").nth(2).wait_for()
    page.locator("#treebank-list").focus()
    page.keyboard.press("End")
    page.locator('.row[aria-selected="true"]', has_text="�gnal").wait_for()
    page.locator("summary").click()
    page.locator(".bars caption", has_text="Labels").wait_for()
    assert page.locator(".bars").first.get_by_role("row").count() == 4


def test_a_long_list_has_only_the_rows_in_sight(page: Page, address: str, tmp_path: Path) -> None:
    file = tmp_path / "long.ptb"
    file.write_text("".join(f"(S (A a{number}))\n" for number in range(20_000)))
    page.goto(f"{address}#view=treebank")
    page.locator("#treebank-files").set_input_files(file)
    page.locator("#treebank-status", has_text="20,000 trees").wait_for()
    page.locator("#treebank-list").evaluate("list => list.scrollTop = list.scrollHeight")
    page.locator(".row", has_text="a19999").wait_for()
    assert page.locator(".row").count() < 100


def test_the_page_on_a_phone(browser: Browser, address: str) -> None:
    with browser.new_context(viewport={"width": 360, "height": 640}) as context:
        page = context.new_page()
        page.set_default_timeout(WAIT)
        for text in ("It works.", "The cat that I saw in the garden of the old house is not here. " * 2):
            page.goto("about:blank")
            parse(page, address, text)
            assert page.evaluate("document.documentElement.scrollWidth") <= 360


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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessibility(browser: Browser, address: str, axe: str, tmp_path: Path, scheme: str) -> None:
    file = tmp_path / "small.dbr"
    file.write_text(TREEBANK, encoding="utf-8")
    with browser.new_context(color_scheme=scheme) as context:  # type: ignore[arg-type]
        page = context.new_page()
        page.set_default_timeout(WAIT)
        parse(page, address, "It works. The old cat sleeps.", scores="1")
        page.locator('svg[role="tree"]').wait_for()
        check(page, axe)
        page.locator("#tab-treebank").click()
        page.locator("#treebank-files").set_input_files(file)
        page.locator("#treebank-tree svg").first.wait_for()
        page.locator("summary").click()
        page.locator(".bars").first.wait_for()
        check(page, axe)


def check(page: Page, axe: str) -> None:
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    told = [(one["id"], one["help"], [node["html"][:200] for node in one["nodes"]][:3]) for one in found]
    assert told == [], json.dumps(told, indent=1)
