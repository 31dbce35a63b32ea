"""Answers of the server that come late: what was chosen last is what the page shows."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, Route, expect

from web.page.conftest import TREEBANK, WAIT
from web.page.test_edit import TREE, begin, edited, go
from web.page.test_errors import GOLD, PARSED

POLL = 20  # milliseconds
SOON = 300  # milliseconds in which the page has read an answer


class Held:
    """The first answer to a request of this kind waits until it is let go."""

    def __init__(self, page: Page, pattern: str, method: str = "GET") -> None:
        self.page, self.method = page, method
        self.release: Callable[[], None] | None = None
        page.route(pattern, self.handle)

    def handle(self, route: Route) -> None:
        if self.release is not None or route.request.method != self.method:
            route.fallback()
            return
        answer = route.fetch()
        self.release = lambda: route.fulfill(response=answer)

    def wait(self) -> None:
        """Return when the server has answered."""
        for _ in range(WAIT // POLL):
            if self.release is not None:
                return
            self.page.wait_for_timeout(POLL)
        raise AssertionError("the page has not asked")

    def let_go(self) -> None:
        """Give the answer to the page."""
        self.wait()
        assert self.release is not None
        self.release()
        self.page.wait_for_timeout(SOON)


def treebank(folder: Path, name: str, trees: str) -> Path:
    file = folder / name
    file.write_text(trees, encoding="utf-8")
    return file


def opened(page: Page, file: Path) -> None:
    page.locator("#treebank-files").set_input_files(file)
    page.locator("#treebank-choice option:checked", has_text=file.stem).wait_for(state="attached")
    page.locator("#treebank-tree svg").first.wait_for()


def test_a_tree_from_another_view_does_not_wait_for_an_annotation(
    page: Page, address: str, tmp_path: Path
) -> None:
    begin(page, address, "late")
    page.goto("about:blank")
    page.goto(f"{address}#view=treebank")
    opened(page, treebank(tmp_path, "late-edit.dbr", TREEBANK))
    held = Held(page, "**/api/annotations/*")
    page.locator("#treebank-tree").get_by_role("button", name="Edit", exact=True).click()
    top = page.locator('#edit-editor g[aria-label^="S: Es kam nichts"]')
    top.wait_for()
    held.let_go()
    page.locator("#edit-list .row").first.wait_for()
    expect(top).to_have_count(1)
    expect(page.locator("#edit-saving")).to_be_hidden()


def test_a_list_of_treebanks_that_is_older_than_a_file(page: Page, address: str, tmp_path: Path) -> None:
    page.goto(f"{address}#view=parse")
    held = Held(page, "**/api/treebanks")
    page.locator("#tab-treebank").click()
    held.wait()
    opened(page, treebank(tmp_path, "newest.dbr", TREE))
    held.let_go()
    expect(page.locator("#treebank-choice option:checked")).to_contain_text("newest.dbr")
    expect(page.locator('#treebank-tree g[aria-label^="NP: The cat"]')).to_have_count(1)


def test_a_search_in_a_treebank_that_was_left(page: Page, address: str, tmp_path: Path) -> None:
    page.goto(f"{address}#view=treebank")
    opened(page, treebank(tmp_path, "first.dbr", TREEBANK))
    opened(page, treebank(tmp_path, "second.dbr", TREE))
    held = Held(page, "**/api/search", "POST")
    page.locator("#treebank-pattern").fill("NX")
    page.get_by_role("button", name="Search").click()
    held.wait()
    label = page.locator("#treebank-choice option", has_text="first.dbr").first.inner_text()
    page.locator("#treebank-choice").select_option(label=label)
    page.locator('#treebank-tree g[aria-label^="S: Es kam nichts"]').wait_for()
    held.let_go()
    expect(page.locator("#treebank-list .row")).to_have_count(3)
    expect(page.locator("#treebank-status")).to_have_text("")


def test_a_model_that_is_not_wanted_any_more(page: Page, address: str, tmp_path: Path) -> None:
    page.goto(f"{address}#view=errors")
    page.locator("#errors-pred optgroup").nth(1).wait_for(state="attached")
    page.locator("#errors-files").set_input_files(
        [treebank(tmp_path, "wanted-gold.dbr", GOLD), treebank(tmp_path, "wanted.dbr", PARSED)]
    )
    page.locator("#errors-status", has_text="5 errors in 3 sentences").wait_for()
    chosen = page.locator("#errors-pred").input_value()
    held = Held(page, "**/parse", "POST")
    page.locator("#errors-pred").select_option("model:light")
    page.locator("#errors-running").wait_for()
    held.wait()
    page.locator("#errors-pred").select_option(chosen)
    page.locator("#errors-status", has_text="5 errors in 3 sentences").wait_for()
    page.wait_for_timeout(SOON)
    assert page.locator("#errors-pred").input_value() == chosen
    expect(page.locator("#errors-status")).to_have_text("5 errors in 3 sentences")
    expect(page.locator("#errors-running")).to_be_hidden()


def test_a_comparison_whose_files_are_not_chosen_any_more(page: Page, address: str, tmp_path: Path) -> None:
    page.goto(f"{address}#view=errors")
    page.locator("#errors-pred optgroup").nth(1).wait_for(state="attached")
    held = Held(page, "**/api/comparisons", "POST")
    page.locator("#errors-files").set_input_files(
        [treebank(tmp_path, "left-gold.dbr", GOLD), treebank(tmp_path, "left.dbr", PARSED)]
    )
    held.wait()
    page.locator("#errors-pred").select_option("")
    held.let_go()
    expect(page.locator("#errors-status")).to_contain_text("choose the file with parsed trees")
    expect(page.locator("#errors-browser")).to_be_hidden()


def test_another_sentence_is_opened_while_one_is_saved(page: Page, address: str) -> None:
    begin(page, address, "left")
    rename(page, "FIRST")
    page.keyboard.press("s")
    page.locator("#edit-saved", has_text="saved").wait_for()
    held = Held(page, "**/sentences/*", "PUT")
    page.keyboard.press("s")
    held.wait()
    page.locator("#edit-list .row", has_text="The old cat sleeps").click()
    page.locator("#edit-editor", has_text="Sentence 2").wait_for()
    held.let_go()
    expect(page.locator("#edit-editor h2")).to_have_text("Sentence 2")
    rename(page, "SECOND")
    page.keyboard.press("s")
    page.locator("#edit-saved", has_text="saved").wait_for()
    for number, label in ((1, "FIRST"), (2, "SECOND")):
        page.locator("#edit-list .row .faint", has_text=str(number)).click()
        page.locator(f'#edit-editor g[aria-label^="{label}"]').first.wait_for()


def rename(page: Page, label: str) -> None:
    page.locator("#edit-editor svg g").first.focus()
    page.keyboard.press("Enter")
    page.keyboard.type(label)
    page.keyboard.press("Enter")
    page.locator(f'#edit-editor g[aria-label^="{label}"]').first.wait_for()


def test_a_change_while_the_tree_is_saved(page: Page, address: str, work: Path) -> None:
    begin(page, address, "changing")
    held = Held(page, "**/sentences/*", "PUT")
    rename(page, "FIRST")
    page.keyboard.press("s")
    held.wait()
    rename(page, "SECOND")
    held.let_go()
    expect(page.locator("#edit-saved")).to_have_text("changed")
    page.locator("#edit-editor svg g").first.focus()
    page.keyboard.press("s")
    page.locator("#edit-saved", has_text="saved").wait_for()
    assert "SECOND" in (work / "changing.annotation.jsonl").read_text()


def test_a_key_that_is_pressed_twice_marks_one_sentence_as_done(page: Page, address: str) -> None:
    begin(page, address, "twice")
    held = Held(page, "**/sentences/*", "PUT")
    page.locator("#edit-editor svg g").first.focus()
    page.keyboard.press("Control+Enter")
    page.keyboard.press("Control+Enter")
    held.let_go()
    page.locator("#edit-editor h2", has_text="Sentence 2").wait_for()
    page.wait_for_timeout(SOON)
    expect(page.locator("#edit-status")).to_contain_text("1 of 3 sentences done")


def test_an_annotation_that_was_left(page: Page, address: str) -> None:
    begin(page, address, "one-of-two", "First text.")
    begin(page, address, "two-of-two", "Second text.")
    held = Held(page, "**/api/annotations/one-of-two")
    page.locator("#edit-annotation").select_option("one-of-two")
    held.wait()
    page.locator("#edit-annotation").select_option("two-of-two")
    page.wait_for_timeout(SOON)
    held.let_go()
    expect(page.locator("#edit-annotation")).to_have_value("two-of-two")
    expect(page.locator("#edit-list .row")).to_contain_text("Second text")
    tree = page.locator('#edit-editor svg[aria-label="Constituent tree of: Second text ."]')
    expect(tree).to_have_count(1)
    assert "annotation=two-of-two" in page.url


def test_what_is_fixed_while_the_model_parses(page: Page, address: str, tmp_path: Path) -> None:
    edited(page, address, tmp_path)
    held = Held(page, "**/api/complete", "POST")
    go(page, "NP: The cat")
    page.keyboard.press("p")
    held.wait()
    page.keyboard.press("f")
    held.let_go()
    expect(page.locator("#edit-editor g.fixed")).to_have_count(1)


ABORTED = """async () => {
  const { post } = await import("./api.js");
  const asked = new AbortController();
  const json = async () => { asked.abort(); throw asked.signal.reason; };
  window.fetch = async () => ({ ok: true, status: 200, json });
  return post("api/parse", {}, asked.signal).then(() => "answered", (error) => error.name);
}"""


def test_an_answer_that_is_not_read_to_its_end(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("#parse-model option").first.wait_for(state="attached")
    assert page.evaluate(ABORTED) == "AbortError"


def test_a_form_that_is_sent_twice(page: Page, address: str) -> None:
    page.goto(f"{address}#view=edit")
    page.locator("#edit-new").wait_for()
    if not page.locator("#edit-name").is_visible():
        page.locator("#edit-new summary").click()
    page.locator("#edit-name").fill("sent-twice")
    page.locator("#edit-text").fill("It works.")
    held = Held(page, "**/api/annotations", "POST")
    page.get_by_role("button", name="Begin").dblclick()
    held.let_go()
    page.locator("#edit-status", has_text="0 of 1 sentence done").or_(
        page.locator("#edit-status", has_text="1 sentence; parse")
    ).wait_for()
    expect(page.locator("#edit-status.wrong")).to_have_count(0)
