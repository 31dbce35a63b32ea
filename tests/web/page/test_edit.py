"""The editor in Chromium: keys, pointer, undo, the model, an annotation from text to a trained model."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from spindle.trees import Tree
from web.page.conftest import TREEBANK, WAIT, check_accessibility
from web.page.test_views import parse

TREE = "(ROOT (S (NP (DT The) (NN cat)) (VP (VBZ sleeps)) (. .)))"
SAW = "(ROOT (S (N (PRP She)) (VP (V saw) (NP (DT the) (NN man)) (PP (IN with) (NP (DT a) (NN hat)))) (. .)))"
TEXT = "She saw the man with the telescope. The old cat sleeps. It works."


def current(page: Page) -> str:
    """Return the tree in the editor, as the server reads it."""
    with page.expect_download() as download:
        page.locator("#edit-export select").select_option("json")
        page.locator("#edit-export").get_by_role("button", name="Download").click()
    page.locator('#edit-editor g[tabindex="0"]').focus()
    return str(Tree.from_dict(json.loads(Path(download.value.path()).read_text())))


def edited(page: Page, address: str, folder: Path, tree: str = TREE) -> None:
    """Open a tree in the editor."""
    file = folder / f"{folder.name}.dbr"  # the server may still have the tree of another test
    file.write_text(f"{tree}\n", encoding="utf-8")
    page.goto(f"{address}#view=treebank")
    page.locator("#treebank-files").set_input_files(file)
    page.locator("#treebank-choice option:checked", has_text=file.name).wait_for(state="attached")
    page.locator("#treebank-tree").get_by_role("button", name="Edit", exact=True).click()
    page.locator("#edit-editor svg").wait_for()
    page.locator("g:focus").wait_for()


def go(page: Page, label: str) -> None:
    page.locator(f'#edit-editor g[aria-label^="{label}"]').first.focus()


def status(page: Page) -> str:
    return str(page.locator("#edit-editor figure > output").evaluate("output => output.value"))


def test_everything_by_keyboard(page: Page, address: str, tmp_path: Path) -> None:
    edited(page, address, tmp_path)
    first = current(page)
    assert first == TREE
    # rename
    go(page, "NP: The cat")
    page.keyboard.press("Enter")
    page.keyboard.type("NX")
    page.keyboard.press("Enter")
    assert page.locator("g:focus").get_attribute("aria-label") == "NX: The cat, fixed"
    # a word's tag
    page.keyboard.press("ArrowDown")
    page.keyboard.press("F2")
    page.keyboard.type("D")
    page.keyboard.press("Enter")
    assert page.locator("g:focus").get_attribute("aria-label") == "D The, fixed"
    # a node and a word by turns
    for name in ("NX: The cat", "NN cat", "NX: The cat", "VBZ sleeps"):
        go(page, name)
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        assert (page.locator("g:focus").get_attribute("aria-label") or "").startswith(name)
    # a unary node; Escape leaves its name as it is
    go(page, "VP: sleeps")
    page.keyboard.press("i")
    page.keyboard.type("never")
    page.keyboard.press("Escape")
    # group words of different nodes: branches cross
    go(page, "D The")
    page.keyboard.press("x")
    go(page, "VBZ sleeps")
    page.keyboard.press("x")
    assert status(page) == "2 chosen"
    page.keyboard.press("g")
    page.keyboard.type("G")
    page.keyboard.press("Enter")
    assert current(page) == "(ROOT (S (G (D 0=The) (VBZ 2=sleeps)) (NX (NN 1=cat)) (. 3=.)))"
    # a node with a gap has a colour of its own
    assert "c0" in (page.locator('#edit-editor g[aria-label^="G: The sleeps"]').get_attribute("class") or "")
    # move with the same key twice
    go(page, "NN cat")
    page.keyboard.press("m")
    go(page, "G: The")
    page.keyboard.press("m")
    assert current(page) == "(ROOT (S (G (D The) (NN cat) (VBZ sleeps)) (. .)))"
    # raise, into a sister, remove, flatten
    go(page, "VBZ sleeps")
    page.keyboard.press("Alt+ArrowUp")
    assert current(page) == "(ROOT (S (G (D The) (NN cat)) (VBZ sleeps) (. .)))"
    page.keyboard.press("Alt+ArrowLeft")
    assert current(page) == "(ROOT (S (G (D The) (NN cat) (VBZ sleeps)) (. .)))"
    page.keyboard.press("Alt+ArrowRight")
    assert status(page) == "there is no node beside it on this side"
    go(page, "G: The")
    page.keyboard.press("Delete")
    assert current(page) == "(ROOT (S (D The) (NN cat) (VBZ sleeps) (. .)))"
    page.keyboard.press("Home")
    page.keyboard.press("l")
    assert current(page) == "(ROOT (D The) (NN cat) (VBZ sleeps) (. .))"
    page.keyboard.press("u")
    assert "single node below" in status(page)
    # back to the start, and forth again
    for _ in range(20):
        page.keyboard.press("Control+z")
    assert status(page) == "there is nothing to undo"
    assert current(page) == first
    go(page, "ROOT")
    for _ in range(20):
        page.keyboard.press("y")
    assert current(page) == "(ROOT (D The) (NN cat) (VBZ sleeps) (. .))"


def test_by_pointer(page: Page, address: str, tmp_path: Path) -> None:
    edited(page, address, tmp_path)
    page.locator('#edit-editor g[aria-label="DT The"] text').last.drag_to(
        page.locator('#edit-editor g[aria-label^="VP"] text')
    )
    assert current(page) == "(ROOT (S (VP (DT 0=The) (VBZ 2=sleeps)) (NP (NN 1=cat)) (. 3=.)))"
    # buttons do what keys do; Move takes with one click and puts with another
    page.locator('#edit-editor g[aria-label^="DT The"]').click()
    page.get_by_role("button", name="Move", exact=True).click()
    page.locator('#edit-editor g[aria-label^="NP"]').click()
    assert current(page).startswith("(ROOT (S (NP (DT The) (NN cat))")
    page.locator('#edit-editor g[aria-label^="NN cat"]').click()
    page.locator('#edit-editor g[aria-label^="VP"]').click(modifiers=["Shift"])
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()
    assert current(page) == TREE


def test_on_a_touch_screen(browser: Browser, address: str, tmp_path: Path) -> None:
    with browser.new_context(viewport={"width": 360, "height": 640}, has_touch=True) as context:
        page = context.new_page()
        page.set_default_timeout(WAIT)
        edited(page, address, tmp_path)
        page.locator('#edit-editor g[aria-label="DT The"]').tap()
        page.get_by_role("button", name="Move", exact=True).tap()
        page.locator('#edit-editor g[aria-label^="VP"]').tap()
        page.locator('#edit-editor g[aria-label^="VP: The sleeps"]').wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


WALK = """async () => {
  const { Editor } = await import("./editor.js");
  const ops = await import("./edit_ops.js");
  const box = document.createElement("div");
  box.id = "walk";
  document.querySelector("main").append(box);
  const words = ["a", "b", "c", "d", "e"].map((form) => ({ form, tag: "T" }));
  const { tree } = ops.build(words, [{ label: "S", parent: -1 }], [0, 0, 0, 0, 0]);
  const editor = new Editor(box, { onFill() {}, onChange() {} });
  editor.open(tree, "Walk");
  const seen = [[editor.tree, editor.fixed]];
  let number = 7;
  const below = (most) => (number = (number * 48271) % 2147483647) % most;
  while (seen.length < 40) {
    editor.vertex = below(editor.tree.words.length + editor.tree.nodes.length);
    const at = editor.vertex;
    try {
      editor.change([
        (now) => ops.group(now, [at, below(5)], `G${below(9)}`),
        (now) => ops.move(now, at, below(now.nodes.length)),
        (now) => ops.insertAbove(now, at, "I"), (now) => ops.dissolve(now, below(now.nodes.length)),
      ][below(4)]);
    } catch (error) {
      if (!(error instanceof ops.EditError)) throw error;
      continue;
    }
    seen.push([editor.tree, editor.fixed]);
  }
  const is = (step) => JSON.stringify([editor.tree, editor.fixed]) === JSON.stringify(seen[step]);
  for (let step = 38; step >= 0; step--) {
    editor.step(-1);
    if (!is(step)) return `undo ${step}`;
  }
  for (let step = 1; step < 40; step++) {
    editor.step(1);
    if (!is(step)) return `redo ${step}`;
  }
  box.remove();
  return "";
}"""


def test_undo_returns_the_same_trees(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("#parse-model option").first.wait_for(state="attached")
    assert page.evaluate(WALK) == ""


def test_what_is_fixed_stays(page: Page, address: str, tmp_path: Path) -> None:
    edited(page, address, tmp_path, SAW)
    go(page, "PP: with a hat")
    page.keyboard.press("Alt+ArrowLeft")
    fixed = 'g[aria-label^="NP: the man with a hat"]'
    expect(page.locator(f"#edit-editor {fixed}")).to_have_class("fixed")
    # the rest is gone, and the model fills it in
    go(page, "ROOT")
    page.keyboard.press("f")
    page.keyboard.press("p")
    page.locator("#edit-editor output", has_text="filled in by light").wait_for()
    assert "(NP" in current(page)
    assert page.locator(f"#edit-editor {fixed}").count() == 1
    # what cannot be is explained
    go(page, "PRP She")
    page.keyboard.press("x")
    go(page, "DT the")
    page.keyboard.press("x")
    page.keyboard.press("g")
    page.keyboard.type("NP")
    page.keyboard.press("Enter")
    page.keyboard.press("p")
    page.locator("#edit-editor output.wrong").wait_for()
    assert "cannot" in status(page) or "gap" in status(page) or "no tree" in status(page)


def test_a_discontinuous_tree_is_refused_as_brackets(page: Page, address: str, tmp_path: Path) -> None:
    edited(page, address, tmp_path, TREEBANK)
    page.locator("#edit-export select").select_option("bracket")
    page.locator("#edit-export").get_by_role("button", name="Download").click()
    page.locator("#edit-export output.wrong", has_text="discontinuous").wait_for()


def begin(page: Page, address: str, name: str, text: str = TEXT) -> None:
    page.goto(f"{address}#view=edit")
    page.locator("#edit-new").wait_for()
    if not page.locator("#edit-name").is_visible():
        page.locator("#edit-new summary").click()
    page.locator("#edit-name").fill(name)
    page.locator("#edit-text").fill(text)
    page.get_by_role("button", name="Begin").click()
    page.locator("#edit-annotation option:checked", has_text=name).wait_for(state="attached")
    page.locator("#edit-editor figure").wait_for()


def test_from_text_to_a_trained_model(page: Page, address: str, work: Path) -> None:
    begin(page, address, "story")
    page.locator("#edit-status", has_text="3 sentences").wait_for()
    page.get_by_role("button", name="Parse what is open").click()
    page.locator("#edit-status", has_text="0 of 3 sentences done; mean confidence").wait_for()
    # the least confident sentence is first, and open
    percents = [
        int(text.split("·")[1].split("%")[0]) for text in page.locator("#edit-list .faint").all_inner_texts()
    ]
    assert percents == sorted(percents)
    assert page.locator("#edit-list .row").first.get_attribute("aria-selected") == "true"
    # correct one, by keyboard alone
    page.locator("#edit-editor svg g").first.focus()
    page.keyboard.press("Enter")
    page.keyboard.type("TOP")
    page.keyboard.press("Enter")
    page.locator("#edit-saved", has_text="changed").wait_for()
    page.keyboard.press("Control+s")
    page.locator("#edit-saved", has_text="saved").wait_for()
    expect(page.locator("#edit-list .row")).to_have_count(3)
    for done in (1, 2, 3):
        page.locator("#edit-editor svg g").first.focus()
        page.keyboard.press("Control+Enter")
        page.locator("#edit-status", has_text=f"{done} of 3 sentences done").wait_for()
    expect(page.locator("#edit-editor svg")).to_have_count(0)
    # what is done can be opened again
    page.locator("#edit-state").select_option("done")
    page.locator("#edit-list .row").nth(2).wait_for()
    page.get_by_role("button", name="Save as open").click()
    page.locator("#edit-status", has_text="2 of 3 sentences done").wait_for()
    page.locator("#edit-editor svg g").first.focus()
    page.keyboard.press("Control+Enter")
    page.locator("#edit-status", has_text="3 of 3 sentences done").wait_for()
    # write them
    page.get_by_role("button", name="Save in the work folder").click()
    page.locator("#edit-written", has_text="3 trees in story.").wait_for()
    assert "TOP" in (work / "story.dbr").read_text()
    # train, load the page again, cancel
    page.locator("#training-name").fill("mine")
    page.locator("#training-epochs").fill("900")
    page.get_by_role("button", name="Train", exact=True).click()
    page.locator("#training-list progress").wait_for()
    page.goto("about:blank")
    page.goto(f"{address}#view=edit&annotation=story")
    page.locator("#training-list progress").wait_for()
    page.locator("#training-list").get_by_role("button", name="Cancel").click()
    page.locator("#training-list", has_text="cancelled; its checkpoint is kept").wait_for()
    # train to the end; the model is there without a restart
    page.locator("#training-name").fill("better")
    page.locator("#training-epochs").fill("2")
    page.get_by_role("button", name="Train", exact=True).click()
    page.locator("#training-status", has_text="the model better can be used now").wait_for(timeout=90_000)
    assert page.locator("#edit-model").input_value() == "better"
    page.locator("#tab-parse").click()
    page.locator('#parse-model option[value="better"]').wait_for(state="attached")
    parse(page, address, "It works.", model="better")


def test_two_pages_and_a_link(page: Page, address: str, browser: Browser) -> None:
    begin(page, address, "shared")
    with browser.new_context() as context:
        other = context.new_page()
        other.set_default_timeout(WAIT)
        other.goto(page.url)
        other.locator("#edit-editor svg g").first.focus()
        other.keyboard.press("Enter")
        other.keyboard.type("A")
        other.keyboard.press("Enter")
        other.keyboard.press("s")
        other.locator("#edit-saved", has_text="saved").wait_for()
    page.locator("#edit-editor svg g").first.focus()
    page.keyboard.press("s")
    page.locator("#edit-saved.wrong", has_text="changed elsewhere").wait_for()


def test_hostile_labels(page: Page, address: str, tmp_path: Path) -> None:
    edited(page, address, tmp_path)
    for label in ("<img/src=x/onerror=alert`1`>", "\u202egnal", "a" * 300):
        page.locator('#edit-editor g[tabindex="0"]').focus()
        page.keyboard.press("Home")
        page.keyboard.press("Enter")
        page.keyboard.insert_text(label)
        page.keyboard.press("Enter")
    assert page.locator("main img, main script").count() == 0
    assert "\u202e" not in page.locator("#edit-editor svg").inner_html()
    page.keyboard.press("Enter")
    page.keyboard.type("a b")
    page.keyboard.press("Enter")
    page.locator("#edit-editor output.wrong", has_text="no blanks").wait_for()


def test_a_long_sentence(page: Page, address: str) -> None:
    begin(page, address, "long", "word " * 3_000)
    page.get_by_role("button", name="Draw all").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessibility(browser: Browser, address: str, axe: str, scheme: str) -> None:
    with browser.new_context(color_scheme=scheme) as context:  # type: ignore[arg-type]
        page = context.new_page()
        page.set_default_timeout(WAIT)
        begin(page, address, f"axe-{scheme}")
        page.get_by_role("button", name="Parse what is open").click()
        page.locator("#edit-status", has_text="mean confidence").wait_for()
        page.locator("#edit-editor svg g").nth(2).focus()
        for key in ("f", "x", "m"):
            page.keyboard.press(key)
        page.locator("summary", has_text="Keys").click()
        check_accessibility(page, axe)
