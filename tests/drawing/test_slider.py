"""The slider of `spindle.show` in a browser, inside a page as notebooks make it. Skipped without Chromium."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, sync_playwright

import spindle
from web.page.conftest import CHROMIUM, FLAGS

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")

TREES = [
    spindle.parse_tree(f"(S (NP (DT the) (NN {noun})) (VP (VBZ sleeps)))") for noun in ("cat", "dog", "fox")
]


@pytest.fixture
def page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser.new_page()
        browser.close()


def test_the_slider_shows_one_tree_at_a_time_and_nothing_is_requested(page: Page) -> None:
    requests: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    # two outputs of one notebook are in the same document
    page.set_content(f"<div>{spindle.show(TREES).html}</div><div>{spindle.show(TREES[:2]).html}</div>")

    figures, sliders = page.locator("figure:visible"), page.locator("input[type=range]:visible")
    assert (figures.count(), sliders.count()) == (2, 2)
    assert page.locator("output").all_text_contents() == ["1 / 3", "1 / 2"]
    assert "cat" in (figures.first.text_content() or "")
    sliders.first.fill("3")
    assert "fox" in (figures.first.text_content() or "")
    assert "cat" in (figures.last.text_content() or "")
    sliders.last.press("ArrowRight")
    assert "dog" in (figures.last.text_content() or "")
    assert page.locator("output").all_text_contents() == ["3 / 3", "2 / 2"]
    assert (requests, errors) == ([], [])
