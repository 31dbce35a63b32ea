"""The page when things go wrong: the server is killed and started again, files are huge or no treebanks."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from web.page.conftest import TREEBANK, WAIT, watched_page
from web.test_server import running


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert isinstance(port, int)
    return port


@pytest.fixture
def other_page(browser: Browser) -> Iterator[tuple[Page, int]]:
    """A page of a server with its own port."""
    port = free_port()
    for page in watched_page(browser, f"http://127.0.0.1:{port}/"):
        yield page, port


def test_the_server_is_killed_and_started_again(other_page: tuple[Page, int], tmp_path: Path) -> None:
    page, port = other_page
    options = ("--work", str(tmp_path / "work"))
    file = tmp_path / "lost.dbr"
    file.write_text(TREEBANK, encoding="utf-8")
    with running(*options, port=port) as (_, address):
        page.goto(f"{address}#view=treebank")
        page.locator("#treebank-files").set_input_files(file)
        page.locator("#treebank-status", has_text="3 trees").wait_for()
        page.locator("#tab-edit").click()
        page.locator("#edit-name").fill("kept")
        page.locator("#edit-text").fill("It works.")
        page.get_by_role("button", name="Begin").click()
        page.locator("#edit-editor svg g").first.focus()
        page.keyboard.press("Enter")
        page.keyboard.type("CHANGED")
        page.keyboard.press("Enter")
        page.locator("#tab-parse").click()
        page.locator("#parse-text").fill("It is")
        page.locator("#parse-status", has_text="2 words").wait_for()
    # it is killed now
    page.locator("#parse-text").fill("It is here.")
    page.locator("#connection", has_text="does not answer").wait_for()
    page.locator("#parse-status.wrong").wait_for()
    with running(*options, port=port):
        page.locator("#connection", has_text="answers again").wait_for()
        # what was typed is parsed, what was not saved can be saved, what the server has lost is named
        page.locator("#parse-status", has_text="4 words").wait_for()
        page.locator("#tab-edit").click()
        page.get_by_role("button", name="Save", exact=True).click()
        page.locator("#edit-saved", has_text="saved").wait_for()
        page.locator("#tab-treebank").click()
        page.locator("#treebank-status.wrong", has_text="open lost.dbr again").wait_for()
        expect(page.locator("#connection")).to_be_hidden()
    assert "CHANGED" in (tmp_path / "work" / "kept.annotation.jsonl").read_text()


def test_a_token(other_page: tuple[Page, int], tmp_path: Path) -> None:
    page, port = other_page
    with running("--work", str(tmp_path / "work"), port=port, SPINDLE_TOKEN="sesame") as (_, address):
        page.goto(f"{address.partition('#')[0]}#view=treebank")
        page.get_by_role("alert").filter(has_text="needs a token").wait_for()
        page.goto("about:blank")
        page.goto(f"{address}&view=edit")
        page.locator("#edit-name").fill("secret")
        page.locator("#edit-text").fill("It works.")
        page.get_by_role("button", name="Begin").click()
        page.locator("#edit-editor svg").wait_for()
        page.get_by_role("button", name="Parse what is open").click()
        page.locator("#edit-status", has_text="mean confidence").wait_for()
        assert "sesame" not in page.url


def test_a_file_of_50_mb_that_is_no_treebank(page: Page, address: str, tmp_path: Path) -> None:
    file = tmp_path / "zeros.dbr"
    with open(file, "wb") as stream:
        stream.truncate(50 << 20)
    page.goto(f"{address}#view=treebank")
    page.locator("#treebank-files").set_input_files(file)
    page.locator("#treebank-status.wrong").wait_for(timeout=2 * WAIT)
    assert "Traceback" not in page.locator("#treebank-status").inner_text()


def test_a_file_beyond_the_limit(page: Page, address: str, tmp_path: Path) -> None:
    file = tmp_path / "large.dbr"
    with open(file, "wb") as stream:
        stream.truncate(65 << 20)
    page.goto(f"{address}#view=errors")
    page.locator("#errors-files").set_input_files(file)
    page.locator("#errors-status.wrong", has_text="larger than 64 MB").wait_for(timeout=2 * WAIT)


def test_the_policy_forbids_scripts_and_other_places(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("#parse-model option").first.wait_for(state="attached")
    found = page.evaluate(
        """async () => {
          const script = document.createElement("script");
          script.textContent = "window.broken = true";
          document.body.append(script);
          const asked = await fetch("https://example.org/").then(() => "answered", () => "refused");
          return [window.broken, asked];
        }"""
    )
    assert found == [None, "refused"]


def test_a_view_that_could_not_be_loaded(page: Page, address: str, tmp_path: Path) -> None:
    file = tmp_path / "once.dbr"
    file.write_text(TREEBANK, encoding="utf-8")
    refusal = '{"error": "too many requests"}'
    page.route("**/api/treebanks", lambda route: route.fulfill(status=503, body=refusal))
    page.goto(f"{address}#view=treebank")
    alert = page.get_by_role("alert").filter(has_text="too many requests")
    alert.wait_for()
    page.unroute("**/api/treebanks")
    page.locator("#tab-parse").click()
    page.locator("#tab-treebank").click()
    expect(alert).to_have_count(0)
    # everything is answered once
    uploads: list[str] = []
    page.on("request", lambda request: uploads.append(request.url) if request.method == "POST" else None)
    page.locator("#treebank-files").set_input_files(file)
    page.locator("#treebank-status", has_text="3 trees").wait_for()
    assert len(uploads) == 1
