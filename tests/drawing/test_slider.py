"""The slider of `spindle.show` in Chromium, in pages like those of notebook programs. Skipped without it.

What the programs do with an output is read from their documentation and sources (docs/notebooks.md); the
programs themselves are not run.
"""

from collections.abc import Iterator
from html import escape

import pytest
from playwright.sync_api import Browser, FrameLocator, Page, sync_playwright

import spindle
from web.page.conftest import CHROMIUM, FLAGS

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")

TREES = [
    spindle.parse_tree(f"(S (NP (DT the) (NN {noun})) (VP (VBZ sleeps)))") for noun in ("cat", "dog", "fox")
]

SCRIPTS_AGAIN = """
html => {
    const output = document.createElement("div");
    output.innerHTML = html;  // runs no scripts
    const again = () => output.querySelectorAll("script").forEach(one => {
        const script = document.createElement("script");
        script.textContent = one.textContent;
        one.replaceWith(script);
    });
    WHEN
}
"""
"""How programs run the scripts of an output that is trusted."""
BEFORE_IT_IS_SHOWN = "again(); document.body.append(output);"  # JupyterLab
AFTER_IT_IS_SHOWN = "document.body.append(output); again();"  # VS Code
BEFORE_ALL_OF_IT_IS_THERE = """
    const script = document.createElement("script");
    script.textContent = output.querySelector("script").textContent;
    output.querySelector("script").remove();
    document.body.append(script);
    setTimeout(() => document.body.append(output), 300);
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    yield page
    page.close()


def shown(page: Page | FrameLocator) -> list[str | None]:
    """Return the words of the pictures that are visible, and check that they are drawn."""
    images = page.locator("img:visible")
    sizes = [one.evaluate("image => image.decode().then(() => image.naturalWidth)") for one in images.all()]
    assert all(size > 100 for size in sizes)
    return [one.get_attribute("alt") for one in images.all()]


def test_the_slider_shows_one_tree_at_a_time_and_nothing_is_requested(page: Page) -> None:
    requests: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    # two outputs of one notebook are in the same document
    page.set_content(f"<div>{spindle.show(TREES).html}</div><div>{spindle.show(TREES[:2]).html}</div>")

    sliders = page.locator("input[type=range]:visible")
    assert sliders.count() == 2
    assert page.locator("summary:visible").count() == 0
    assert page.locator("output").all_text_contents() == ["1 / 3", "1 / 2"]
    assert shown(page) == ["the cat sleeps", "the cat sleeps"]
    sliders.first.fill("3")
    assert shown(page) == ["the fox sleeps", "the cat sleeps"]
    sliders.last.press("ArrowRight")
    assert shown(page) == ["the fox sleeps", "the dog sleeps"]
    assert page.locator("output").all_text_contents() == ["3 / 3", "2 / 2"]
    assert ([url for url in requests if not url.startswith("data:")], errors) == ([], [])


@pytest.mark.parametrize("when", [BEFORE_IT_IS_SHOWN, AFTER_IT_IS_SHOWN, BEFORE_ALL_OF_IT_IS_THERE])
def test_scripts_run_when_a_notebook_program_runs_them(page: Page, when: str) -> None:
    page.set_content("<p>a notebook</p>")
    page.evaluate(SCRIPTS_AGAIN.replace("WHEN", when), spindle.show(TREES).html)
    slider = page.locator("input[type=range]")
    slider.wait_for()
    slider.fill("2")
    assert shown(page) == ["the dog sleeps"]


def test_an_output_that_is_shown_twice_has_two_sliders(page: Page) -> None:
    """A new view of an output, as JupyterLab offers it, is the same HTML again."""
    html = spindle.show(TREES).html
    page.set_content("<p>a notebook</p>")
    for _ in range(2):
        page.evaluate(SCRIPTS_AGAIN.replace("WHEN", AFTER_IT_IS_SHOWN), html)
    sliders = page.locator("input[type=range]:visible")
    assert sliders.count() == 2
    sliders.last.fill("2")
    assert shown(page) == ["the cat sleeps", "the dog sleeps"]


def test_a_frame_without_rights_but_scripts_has_the_slider(page: Page) -> None:
    """Colab puts an output into a frame of another origin."""
    page.set_content(f'<iframe sandbox="allow-scripts" srcdoc="{escape(spindle.show(TREES).html)}"></iframe>')
    frame = page.frame_locator("iframe")
    frame.locator("input[type=range]").fill("3")
    assert shown(frame) == ["the fox sleeps"]


def check_lines(page: Page | FrameLocator) -> None:
    """Check that one picture is open, and that a click on a line opens another."""
    assert page.locator("input:visible").count() == 0
    assert page.locator("summary:visible").count() == 3
    assert shown(page) == ["the cat sleeps"]
    page.locator("summary").nth(2).click()
    assert shown(page) == ["the fox sleeps"]


def test_a_frame_without_scripts_has_lines_that_open(page: Page) -> None:
    page.set_content(f'<iframe sandbox="" srcdoc="{escape(spindle.show(TREES).html)}"></iframe>')
    check_lines(page.frame_locator("iframe"))


def test_a_browser_without_scripts_has_lines_that_open(browser: Browser) -> None:
    page = browser.new_page(java_script_enabled=False)
    page.set_content(spindle.show(TREES).html)
    check_lines(page)
    page.close()


JUPYTERLAB_REMOVES = """
html => {
    const output = document.createElement("div");
    output.innerHTML = html;
    output.querySelectorAll("script, style, svg, iframe").forEach(one => one.remove());
    output.querySelectorAll("details").forEach(one => one.removeAttribute("name"));
    output.querySelectorAll("input").forEach(one => { one.disabled = true; });
    document.body.append(output);
}
"""
"""What the sanitizer of JupyterLab takes from an output of a notebook that is not trusted."""


def test_what_a_sanitizer_leaves_shows_every_picture(page: Page) -> None:
    page.set_content("<p>a notebook</p>")
    page.evaluate(JUPYTERLAB_REMOVES, spindle.show(TREES).html)
    assert page.locator("input:visible").count() == 0
    assert shown(page) == ["the cat sleeps"]
    for at in (1, 2):
        page.locator("summary").nth(at).click()
    assert shown(page) == ["the cat sleeps", "the dog sleeps", "the fox sleeps"]
