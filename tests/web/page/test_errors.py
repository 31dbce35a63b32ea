"""The view of errors in Chromium: two files, a model, filters, both trees."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from web.page.conftest import WAIT, check_accessibility, drop_files

GOLD = """(S (NP (DT 0=the) (NN 1=cat)) (VP (VBZ 2=sleeps)))
(S (NP (PRP 0=She)) (VP (VBD 1=saw) (NP (NP (DT 2=a) (NN 3=man)) (PP (IN 4=with) (NP (DT 5=a) (NN 6=hat))))))
(S (NP (PPER 0=Es) (NN 2=nichts)) (VVFIN 1=kam))
"""
PARSED = """(S (NX (DT 0=the) (NN 1=cat)) (VP (VBZ 2=sleeps)))
(S (NP (PRP 0=She)) (VP (VBD 1=saw) (NP (DT 2=a) (NN 3=man)) (PP (IN 4=with) (NP (DT 5=a) (NN 6=hat)))))
(S (PPER 0=Es) (VVFIN 1=kam) (NP (NN 2=nichts)))
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    gold, parsed = tmp_path / "gold.dbr", tmp_path / "parsed <b>.dbr"
    gold.write_text(GOLD)
    parsed.write_text(PARSED)
    return gold, parsed


def compared(page: Page, address: str, files: tuple[Path, Path]) -> None:
    page.goto(f"{address}#view=errors")
    page.locator("#errors-pred optgroup").nth(1).wait_for(state="attached")
    drop_files(page, "#view-errors", *files)
    page.locator("#errors-status", has_text="errors in 3 sentences").wait_for()


def test_two_files(page: Page, address: str, files: tuple[Path, Path]) -> None:
    compared(page, address, files)
    page.locator("#errors-status", has_text="5 errors in 3 sentences").wait_for()
    expect(page.locator("#errors-scores code")).to_contain_text("scored:3/3")
    assert "sentences\n3\nscored\n3\nmissing\n0" in page.locator("#errors-scores dl").inner_text()
    # most errors first: a label that differs, and a node that is elsewhere, have two each
    names = page.locator("#errors-list .row .faint").all_inner_texts()
    assert [name.split(" error")[0].split(" · ")[1] for name in names] == ["2", "2", "1"]
    page.locator("#errors-list .row", has_text="the cat").click()
    page.locator('svg[role="tree"] g.c4[aria-label="−NP: the cat, missing"]').wait_for()
    page.locator('svg[role="tree"] g.c1[aria-label="+NX: the cat, wrong"]').wait_for()
    # the list of errors leads into the tree; the other tree lights up, too
    page.get_by_role("button", name="−NP label, NX when parsed: the cat").click()
    assert page.locator("g:focus").get_attribute("aria-label") == "−NP: the cat, missing"
    assert page.locator('svg[role="tree"] g.lit[data-vertex="n1"]').count() == 2
    assert page.locator("#errors-trees").get_by_role("button", name="Edit", exact=True).count() == 2
    # a folded subtree is unfolded when an error in it is chosen
    before = page.locator('svg[role="tree"] g').count()
    page.keyboard.press(" ")
    assert page.locator('svg[role="tree"] g').count() < before
    page.get_by_role("button", name="−NP label, NX when parsed: the cat").click()
    assert page.locator('svg[role="tree"] g').count() == before


def test_filters(page: Page, address: str, files: tuple[Path, Path]) -> None:
    compared(page, address, files)
    page.locator("#errors-kind").select_option("attachment")
    page.locator("#errors-status", has_text="in 2 sentences").wait_for()
    page.locator("#errors-max").fill("3")
    page.locator("#errors-status", has_text="2 errors in 1 sentence").wait_for()
    expect(page.locator("#errors-scores code")).to_contain_text("scored:2/2")
    page.locator("#errors-kind").select_option("")
    page.locator("#errors-label").select_option("NX")
    page.locator("#errors-status", has_text="in 1 sentence").wait_for()
    page.locator("#errors-list .row", has_text="the cat sleeps").wait_for()
    page.locator("#errors-disc").check()
    page.locator("#errors-status", has_text="0 errors in 0 sentences").wait_for()
    page.locator("#errors-label").select_option("")
    page.locator("#errors-status", has_text="1 error in 1 sentence").wait_for()
    expect(page.locator("#errors-scores code")).to_contain_text("brackets:disc")
    page.locator("#errors-min").fill("50")
    page.locator("#errors-status.wrong", has_text="no sentence of this length").wait_for()


def test_gold_parsed_by_a_model(page: Page, address: str, files: tuple[Path, Path]) -> None:
    compared(page, address, files)
    page.locator("#errors-pred").select_option("")
    page.locator("#errors-status", has_text="choose the file with parsed trees").wait_for()
    page.locator("#errors-pred").select_option("model:light")
    page.locator("#errors-scores").wait_for()
    expect(page.locator("#errors-pred option:checked")).to_contain_text("gold.dbr, parsed by light")
    # parsing can be cancelled
    page.route("**/parse", lambda route: None)
    page.locator("#errors-pred").select_option("model:light")
    page.get_by_role("button", name="Cancel").click()
    page.locator("#errors-status", has_text="cancelled").wait_for()
    assert page.locator("#errors-pred").input_value() == ""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessibility(
    browser: Browser, address: str, axe: str, files: tuple[Path, Path], scheme: str
) -> None:
    with browser.new_context(color_scheme=scheme) as context:  # type: ignore[arg-type]
        page = context.new_page()
        page.set_default_timeout(WAIT)
        compared(page, address, files)
        page.locator("#errors-trees svg").first.wait_for()
        check_accessibility(page, axe)
