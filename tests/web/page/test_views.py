"""The page in Chromium: text and treebanks, the keyboard, hostile input, accessibility."""

from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, expect

from web.page.conftest import TREEBANK, WAIT, check_accessibility, drop_files


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
    expect(page.locator("svg.drawing")).to_have_count(0)


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
    tops = page.locator('svg[role="tree"]').evaluate_all("all => all.map(one => one.getBoundingClientRect())")
    assert len({round(box["y"]) for box in tops}) == 1, "they are side by side"
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


def test_copies_and_links(page: Page, address: str) -> None:
    parse(page, address, "It works.", k="2")
    page.locator(".tools select").first.select_option("discbracket")
    page.get_by_role("button", name="Copy", exact=True).first.click()
    page.locator(".tools output", has_text="copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").startswith("(ROOT")
    page.get_by_role("button", name="Copy link").click()
    page.locator("#parse-status", has_text="copied").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator('svg[role="tree"]')).to_have_count(2)
    assert page.locator("#parse-text").input_value() == "It works."
    # another link in the same tab
    page.goto(link.replace("It+works.", "It+is+here."))
    page.locator("#parse-status", has_text="4 words").wait_for()


def test_tabs_are_in_the_address(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("#tab-parse").focus()
    for view in ("treebank", "errors", "edit", "parse"):
        page.keyboard.press("ArrowRight")
        page.locator(f"#view-{view}").wait_for()
        assert f"view={view}" in page.url
    page.keyboard.press("ArrowLeft")
    page.locator("#view-edit").wait_for()
    page.reload()
    page.locator("#view-edit").wait_for()


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
    page.locator("#treebank-status", has_text="1 match in 1 of 3 trees").wait_for()
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
    page.locator("summary", has_text="Statistics").click()
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


ROWS = """async () => {
  const { RowList } = await import("./list.js");
  const box = document.createElement("div");
  Object.assign(box, { id: "many", className: "list" });
  document.querySelector("main").prepend(box);
  const draw = (row) => [row];
  const list = new RowList(box, { draw, onChoose: (at) => list.mark(at), onError() {} });
  await list.show(5_000_000, async (at) => `row ${at}.`);
  const shown = () => [...box.querySelectorAll(".row")].filter((row) => {
    const [inner, outer] = [row.getBoundingClientRect(), box.getBoundingClientRect()];
    return inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
  }).map((row) => row.textContent);
  const found = [shown()[0]];
  await list.mark(4_999_999);
  found.push(shown().at(-1));
  await list.mark(2_500_000);
  found.push(shown().includes("row 2500000."));
  box.remove();
  return found;
}"""


def test_a_list_that_is_taller_than_browsers_can_draw(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("#parse-model option").first.wait_for(state="attached")
    assert page.evaluate(ROWS) == ["row 0.", "row 4999999.", True]


def test_the_page_on_a_phone(browser: Browser, address: str) -> None:
    with browser.new_context(viewport={"width": 360, "height": 640}) as context:
        page = context.new_page()
        page.set_default_timeout(WAIT)
        for text in ("It works.", "The cat that I saw in the garden of the old house is not here. " * 2):
            page.goto("about:blank")
            parse(page, address, text)
            assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessibility(browser: Browser, address: str, axe: str, tmp_path: Path, scheme: str) -> None:
    file = tmp_path / "small.dbr"
    file.write_text(TREEBANK, encoding="utf-8")
    with browser.new_context(color_scheme=scheme) as context:  # type: ignore[arg-type]
        page = context.new_page()
        page.set_default_timeout(WAIT)
        parse(page, address, "It works. The old cat sleeps.", scores="1")
        page.locator('svg[role="tree"]').wait_for()
        check_accessibility(page, axe)
        page.locator("#tab-treebank").click()
        page.locator("#treebank-files").set_input_files(file)
        page.locator("#treebank-status", has_text="3 trees").wait_for()
        page.locator("#treebank-tree svg").first.wait_for()
        page.locator("summary", has_text="Statistics").click()
        page.locator(".bars").first.wait_for()
        check_accessibility(page, axe)


def test_files_can_be_dropped(page: Page, address: str, tmp_path: Path) -> None:
    file = tmp_path / "dropped.dbr"
    file.write_text(TREEBANK, encoding="utf-8")
    page.goto(f"{address}#view=treebank")
    page.locator("#treebank-files").wait_for()
    drop_files(page, "#view-treebank", file)
    page.locator("#treebank-status", has_text="3 trees").wait_for()
    assert "dropped.dbr" in (page.locator("#treebank-choice").inner_text())


def test_the_first_hit_of_a_wide_tree_is_in_sight(page: Page, address: str, tmp_path: Path) -> None:
    file = tmp_path / "wide.ptb"
    words = " ".join(f"(NN word{number})" for number in range(80))
    file.write_text(f"(S {words} (XP (RB here)))\n")
    page.goto(f"{address}#view=treebank")
    page.locator("#treebank-files").set_input_files(file)
    hit = page.locator('#treebank-tree g[aria-label^="XP: here"]')
    hit.wait_for(state="attached")
    expect(hit).not_to_be_in_viewport()
    page.locator("#treebank-pattern").fill("XP")
    page.get_by_role("button", name="Search").click()
    page.locator("#treebank-tree g.hit-mark").first.wait_for(state="attached")
    expect(hit).to_be_in_viewport()
    # so is its head in the d-tree, which is too tall for the window
    scrolled = page.locator("#treebank-tree .scroll").nth(1)
    assert scrolled.evaluate("box => box.scrollLeft + box.clientWidth >= box.scrollWidth - 100")
