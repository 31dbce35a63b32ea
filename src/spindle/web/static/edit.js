// The view that edits trees: those of an annotation in the server's folder, or a single one from another view.

import { connection, get, post, put, stream } from "./api.js";
import { Editor, keyHelp } from "./editor.js";
import { exportTools, treeRecord } from "./export.js";
import { RowList, pagedRows } from "./list.js";
import { element, visible } from "./text.js";
import * as training from "./training.js";

const FORMATS = ["discbracket", "bracket", "export", "export3", "tigerxml", "psd"];
const SOURCES = { text: "Text; the model splits it into sentences and words", lines: "One sentence a line, blanks between the words" };
const TREEBANK = "treebank:"; // before the id of an open treebank in the list of sources
const by = (id) => document.getElementById(id);
const number = (value) => value.toLocaleString("en");

let editor = null;
let list = null;
let annotation = null; // what the server says of the chosen one
let sentence = null; // the row of the open sentence; null for a tree from another view
let names = []; // labels and tags that were seen
let row = null;
let models = [];
let parsing = null;

export function writeAddress() {
  if (by("view-edit").hidden) return; // an answer came after another view was chosen
  const fragment = new URLSearchParams({ view: "edit" });
  if (annotation) fragment.set("annotation", annotation.name);
  history.replaceState(null, "", `#${fragment}`);
}

export async function start(fragment) {
  editor = new Editor(by("edit-editor"), { onFill: fill, onChange: showState, onKey });
  list = new RowList(by("edit-list"), {
    draw: (one) => [
      element("span", { className: "faint", textContent: `${one.done ? "✓ " : ""}${one.number}${one.confidence === null ? "" : ` · ${Math.round(100 * one.confidence)} %`} ` }),
      element("bdi", { textContent: visible(one.text) }),
    ],
    onChoose: open,
    onError: (error) => say(error.message, true),
  });
  by("edit-keys").append(...keyHelp([[["s", "Ctrl+s"], "save"], [["Ctrl+Enter"], "save, mark as done, and go to the next sentence"]]));
  by("edit-export").append(exportTools(() => editor.tree, false));
  by("edit-format").append(...FORMATS.map((value) => element("option", { value, textContent: value })));
  by("edit-annotation").addEventListener("change", () => choose(by("edit-annotation").value));
  by("edit-parse").addEventListener("click", parse);
  by("edit-cancel").addEventListener("click", () => parsing?.abort());
  by("edit-begin").addEventListener("submit", begin);
  by("edit-source").addEventListener("change", showSource);
  by("edit-new").addEventListener("toggle", offerSources);
  by("edit-write").addEventListener("submit", (event) => { event.preventDefault(); write(false); });
  by("edit-keep").addEventListener("click", () => write(true));
  for (const id of ["state", "order"]) by(`edit-${id}`).addEventListener("change", () => refill(0));
  by("edit-save").addEventListener("click", () => save(false));
  by("edit-done").addEventListener("click", () => save(true));
  by("edit-reopen").addEventListener("click", () => save(false, true));
  by("edit-unfix").addEventListener("click", () => editor.unfixAll());
  addEventListener("beforeunload", (event) => editor.isChanged && event.preventDefault());
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || by("view-edit").hidden || !(event.ctrlKey || event.metaKey)) return;
    if (onKey(`Ctrl+${event.key}`)) event.preventDefault();
  });
  connection.addEventListener("back", recover);
  await training.start({ annotationName: () => annotation?.name, onModel });
  await offerModels();
  await offer(fragment.get("annotation"));
}

async function recover() {
  try {
    await offerModels();
    const { annotations } = await get("api/annotations");
    // what is being edited stays; it can be saved now
    if (annotation && annotations?.includes(annotation.name)) await refill(list.chosen);
    await training.refresh();
  } catch (error) {
    say(error.message, true);
  }
}

async function onModel() {
  await offerModels(true);
  document.dispatchEvent(new Event("new-model"));
}

async function offerModels(chooseFirst = false) {
  const before = by("edit-model").value;
  const known = new Set(models.map(({ name }) => name));
  ({ models } = await get("api/models"));
  by("edit-model").replaceChildren(...models.map(({ name }) => element("option", { value: name, textContent: name })));
  const added = chooseFirst && models.find(({ name }) => !known.has(name));
  const wanted = added ? added.name : before;
  if (models.some(({ name }) => name === wanted)) by("edit-model").value = wanted;
}

async function offer(wanted) {
  const { annotations } = await get("api/annotations");
  const canWrite = annotations !== null;
  by("edit-hint").hidden = canWrite;
  by("edit-new").hidden = !canWrite;
  by("edit-annotate").hidden = !annotations?.length;
  if (!canWrite) return;
  by("edit-annotation").replaceChildren(...annotations.map((name) => element("option", { value: name, textContent: name })));
  if (!annotations.length) by("edit-new").open = true;
  else await choose(annotations.includes(wanted) ? wanted : annotations[0]);
}

async function offerSources() {
  if (!by("edit-new").open) return;
  const { treebanks } = await get("api/treebanks");
  by("edit-source").replaceChildren(
    element("option", { value: "text", textContent: "text" }), element("option", { value: "lines", textContent: "lines of words" }),
    ...treebanks.map((one) => element("option", { value: TREEBANK + one.id, textContent: `treebank ${visible(one.name)}` })));
  showSource();
}

function showSource() {
  const isTreebank = by("edit-source").value.startsWith(TREEBANK);
  for (const id of ["given", "top-label"]) by(`edit-${id}`).hidden = isTreebank;
  by("edit-text-label").textContent = SOURCES[by("edit-source").value] || "";
}

async function begin(event) {
  event.preventDefault();
  const source = by("edit-source").value;
  const request = { name: by("edit-name").value };
  try {
    if (source.startsWith(TREEBANK)) {
      request.treebank = source.slice(TREEBANK.length);
    } else {
      const [file] = by("edit-file").files;
      const text = file ? await file.text() : by("edit-text").value;
      request.top = by("edit-top").value;
      if (source === "text") Object.assign(request, { text, model: by("edit-model").value });
      else request.tokens = text.split("\n").map((line) => line.split(/\s+/u).filter(Boolean)).filter((words) => words.length);
    }
    const made = await post("api/annotations", request);
    by("edit-new").open = false;
    by("edit-begin").reset();
    await offer(made.name);
    say(`${number(made.sentences)} sentences; parse them with a model, or begin by hand`);
  } catch (error) {
    say(error.message, true);
  }
}

// ── the sentences of an annotation ──

const address = () => `api/annotations/${encodeURIComponent(annotation.name)}`;

async function choose(name) {
  if (!mayLeave()) {
    by("edit-annotation").value = annotation?.name ?? "";
    return;
  }
  by("edit-annotation").value = name;
  try {
    annotation = await get(`api/annotations/${encodeURIComponent(name)}`);
    for (const id of ["browser", "work", "queue"]) by(`edit-${id}`).hidden = false;
    names = [];
    showProgress();
    writeAddress();
    await refill(0);
  } catch (error) {
    say(error.message, true);
  }
}

// Lists the sentences again; opens the one at a position.
async function refill(at) {
  const query = () => `state=${by("edit-state").value}&order=${by("edit-order").value}`;
  const page = (first) => get(`${address()}/sentences?${query()}&start=${first}`);
  const first = await page(1);
  row = pagedRows((start) => (start === 1 ? Promise.resolve(first.rows) : page(start).then(({ rows }) => rows)));
  await list.show(first.total, row);
  if (at === undefined) return;
  if (editor.isChanged) return;
  if (first.total) await open(Math.min(at, first.total - 1));
  else {
    sentence = null;
    editor.close();
    showState();
  }
}

async function open(at) {
  if (at < 0 || !mayLeave()) return;
  list.mark(at);
  try {
    const wanted = await row(at);
    const found = await get(`${address()}/sentences/${wanted.number}`);
    if (list.chosen !== at) return;
    sentence = found;
    const maker = found.maker ? `, tree by ${visible(found.maker)}` : "";
    show(found, `Sentence ${number(found.number)}${found.done ? ", done" : ""}${maker}`);
  } catch (error) {
    say(error.message, true);
  }
}

function mayLeave() {
  return !editor.isChanged || confirm("This tree has changes that are not saved. Leave it?");
}

function show(tree, title) {
  const seen = new Set([...names, ...tree.nodes.map((node) => node.label), ...tree.words.map((word) => word.tag || "")]);
  names = [...seen].filter(Boolean).sort();
  editor.open(tree, title, names);
  by("edit-browser").hidden = false;
  showState();
}

// Opens a tree from another view, which belongs to no annotation.
export function openTree(tree) {
  if (!mayLeave()) return;
  sentence = null;
  list.mark(-1);
  by("edit-queue").hidden = !annotation;
  show(tree, "Tree");
  editor.focus();
}

function showState() {
  by("edit-store").hidden = !editor.isOpen;
  by("edit-saving").hidden = !sentence;
  by("edit-reopen").hidden = !sentence?.done;
  by("edit-saved").classList.remove("wrong");
  by("edit-saved").value = editor.isChanged ? "changed" : "";
}

function showProgress() {
  const { done, sentences, confidence } = annotation;
  say(`${number(done)} of ${number(sentences)} sentences done${confidence === null ? "" : `; mean confidence of the others ${Math.round(100 * confidence)} %`}`);
}

function onKey(name) {
  if (!sentence) return false;
  if (name === "s" || name === "Ctrl+s") save(false);
  else if (name === "Ctrl+Enter") save(true);
  else return false;
  return true;
}

async function save(isDone, reopens = false) {
  if (!sentence) return;
  const saved = editor.tree;
  try {
    const done = isDone || (sentence.done && !reopens);
    const answer = await put(`${address()}/sentences/${sentence.number}`, { tree: treeRecord(saved), done, revision: sentence.revision });
    sentence = { ...sentence, ...answer.sentence };
    annotation = answer;
    editor.markSaved();
    showProgress();
    if (isDone) await next();
    else {
      await refill();
      by("edit-saved").value = "saved";
    }
  } catch (error) {
    by("edit-saved").value = error.message;
    by("edit-saved").classList.add("wrong");
  }
}

// The next sentence: where the done ones leave the list it takes the place of this one.
async function next() {
  const leaves = by("edit-state").value === "open";
  const at = Math.max(0, list.chosen) + (leaves ? 0 : 1);
  await refill(at);
  if (editor.isOpen) editor.focus();
  by("edit-saved").value = "saved";
}

// ── the model ──

async function parse() {
  const mine = (parsing = new AbortController());
  by("edit-running").hidden = false;
  try {
    const found = await stream(`${address()}/parse`, { model: by("edit-model").value }, ({ done, of }) => {
      if (done !== undefined && of !== undefined) Object.assign(by("edit-progress"), { value: done, max: of });
    }, mine.signal);
    annotation = found;
    showProgress();
  } catch (error) {
    say(error.name === "AbortError" ? "cancelled; what was parsed is kept" : error.message, error.name !== "AbortError");
  } finally {
    by("edit-running").hidden = true;
    by("edit-progress").removeAttribute("value");
    if (parsing === mine) parsing = null;
  }
  await refill(0);
}

// The model parses the sentence; what is fixed stays.
async function fill() {
  const { tree, fixed } = editor;
  editor.say("parsing …");
  try {
    const { required, forbidden, tags } = fixed;
    const found = await post("api/complete", { tree: treeRecord(tree), constraints: { required, forbidden, tags }, model: by("edit-model").value });
    if (editor.tree !== tree) return;
    editor.replace(found, fixed);
    editor.say(`filled in by ${by("edit-model").value}`);
  } catch (error) {
    editor.say(error.message, true);
  }
}

async function write(saves) {
  const to = by("edit-format").value;
  const say = (text, isWrong = false) => {
    by("edit-written").value = text;
    by("edit-written").classList.toggle("wrong", isWrong);
  };
  try {
    const answer = await post(`${address()}/export`, { to, state: by("edit-which").value, save: saves });
    if (saves) {
      say(`${number(answer.trees)} trees in ${answer.file}`);
      return;
    }
    const link = element("a", { href: URL.createObjectURL(new Blob([answer.text], { type: "text/plain" })), download: `${annotation.name}.${to}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    say(`${number(answer.trees)} trees`);
  } catch (error) {
    say(error.message, true);
  }
}

function say(text, isWrong = false) {
  by("edit-status").value = text;
  by("edit-status").classList.toggle("wrong", isWrong);
}
