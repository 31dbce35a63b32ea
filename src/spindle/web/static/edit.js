// The view that edits trees: those of an annotation in the server's folder, or a single one from another view.

import { connection, get, post, put, stream } from "./api.js";
import { Editor, keyHelp } from "./editor.js";
import { exportTools, treeRecord } from "./export.js";
import { RowList, pagedRows } from "./list.js";
import { count, element, number, visible } from "./text.js";
import * as training from "./training.js";
import { oneAtATime, turns } from "./turns.js";

const FORMATS = ["discbracket", "bracket", "export", "export3", "tigerxml", "psd"];
const SOURCES = { text: "Text; the model splits it into sentences and words", lines: "One sentence a line, blanks between the words" };
const TREEBANK = "treebank:"; // before the id of an open treebank in the list of sources
const by = (id) => document.getElementById(id);

let editor = null;
let list = null;
let annotation = null; // what the server says of the chosen one
let sentence = null; // the open sentence, and the name of its annotation; null for a tree from another view
let position = 0; // where in the list the sentence was opened
let names = []; // labels and tags that were seen
let row = null;
let models = [];
let parsing = null;
let saving = Promise.resolve();
const offeringModels = turns();
const offeringSources = turns();
const choosing = turns(); // the annotation
const listing = turns(); // its sentences
const opening = turns(); // the tree in the editor
const writing = turns();

export function writeAddress() {
  if (by("view-edit").hidden) return; // an answer came after another view was chosen
  const fragment = new URLSearchParams({ view: "edit" });
  if (annotation) fragment.set("annotation", annotation.name);
  history.replaceState(null, "", `#${fragment}`);
}

export function setUp() {
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
  by("edit-annotation").addEventListener("change", () => {
    if (mayLeave()) choose(by("edit-annotation").value, opening());
    else by("edit-annotation").value = annotation?.name ?? "";
  });
  by("edit-parse").addEventListener("click", parse);
  by("edit-cancel").addEventListener("click", () => parsing?.abort());
  const beginOnce = oneAtATime(begin);
  by("edit-begin").addEventListener("submit", (event) => { event.preventDefault(); beginOnce(); });
  by("edit-source").addEventListener("change", showSource);
  by("edit-new").addEventListener("toggle", offerSources);
  by("edit-write").addEventListener("submit", (event) => { event.preventDefault(); write(false); });
  by("edit-keep").addEventListener("click", () => write(true));
  for (const id of ["state", "order"]) by(`edit-${id}`).addEventListener("change", () => refill(0, opening()));
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
  training.setUp({ annotationName: () => annotation?.name, onModel });
}

export async function load(fragment) {
  await Promise.all([training.load(), offerModels(), offer(fragment.get("annotation"))]);
}

async function recover() {
  try {
    await offerModels();
    const { annotations } = await get("api/annotations");
    // what is being edited stays; it can be saved now
    if (!annotation) await offer();
    else if (annotations?.includes(annotation.name)) await refill();
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
  const isLast = offeringModels();
  const known = new Set(models.map(({ name }) => name));
  const found = await get("api/models");
  if (!isLast()) return;
  const before = by("edit-model").value;
  ({ models } = found);
  by("edit-model").replaceChildren(...models.map(({ name }) => element("option", { value: name, textContent: name })));
  const added = chooseFirst && models.find(({ name }) => !known.has(name));
  const wanted = added ? added.name : before;
  if (models.some(({ name }) => name === wanted)) by("edit-model").value = wanted;
}

async function offer(wanted) {
  const isLast = choosing();
  const isWanted = opening();
  const { annotations } = await get("api/annotations");
  if (!isLast()) return;
  const canWrite = annotations !== null;
  by("edit-hint").hidden = canWrite;
  by("edit-new").hidden = !canWrite;
  by("edit-annotate").hidden = !annotations?.length;
  if (!canWrite) return;
  by("edit-annotation").replaceChildren(...annotations.map((name) => element("option", { value: name, textContent: name })));
  if (!annotations.length) by("edit-new").open = true;
  else await choose(annotations.includes(wanted) ? wanted : annotations[0], isWanted);
}

async function offerSources() {
  if (!by("edit-new").open) return;
  const isLast = offeringSources();
  const { treebanks } = await get("api/treebanks");
  if (!isLast()) return;
  const { value } = by("edit-source");
  by("edit-source").replaceChildren(
    element("option", { value: "text", textContent: "text" }), element("option", { value: "lines", textContent: "lines of words" }),
    ...treebanks.map((one) => element("option", { value: TREEBANK + one.id, textContent: `treebank ${visible(one.name)}` })));
  if ([...by("edit-source").options].some((one) => one.value === value)) by("edit-source").value = value;
  showSource();
}

function showSource() {
  const isTreebank = by("edit-source").value.startsWith(TREEBANK);
  for (const id of ["given", "top-label"]) by(`edit-${id}`).hidden = isTreebank;
  by("edit-text-label").textContent = SOURCES[by("edit-source").value] || "";
}

async function begin() {
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
    say(`${count(made.sentences, "sentence")}; parse them with a model, or begin by hand`);
  } catch (error) {
    say(error.message, true);
  }
}

// ── the sentences of an annotation ──

const address = (name = annotation.name) => `api/annotations/${encodeURIComponent(name)}`;

// Shows an annotation. Its first sentence is opened if that is wanted still when the answer is there.
async function choose(name, isWanted) {
  const isLast = choosing();
  by("edit-annotation").value = name;
  try {
    const found = await get(address(name));
    if (!isLast()) return;
    annotation = found;
    for (const id of ["browser", "work", "queue"]) by(`edit-${id}`).hidden = false;
    names = [];
    showProgress();
    writeAddress();
    await refill(0, isWanted);
  } catch (error) {
    if (isLast()) say(error.message, true);
  }
}

// Lists the sentences again. With a position, opens the sentence there if that is wanted still; without, the open
// sentence stays. Returns whether it has opened one.
async function refill(at, isWanted) {
  const isLast = listing();
  const query = `${address()}/sentences?state=${by("edit-state").value}&order=${by("edit-order").value}`;
  const page = (first) => get(`${query}&start=${first}`);
  const first = await page(1);
  if (!isLast()) return false;
  row = pagedRows((start) => (start === 1 ? Promise.resolve(first.rows) : page(start).then(({ rows }) => rows)));
  list.show(first.total, row);
  if (at === undefined || !isWanted() || editor.isChanged) {
    const isListed = sentence?.annotation === annotation.name;
    list.mark(isListed ? first.rows.findIndex((one) => one.number === sentence.number) : -1);
    return false;
  }
  if (first.total) return open(Math.min(at, first.total - 1));
  sentence = null;
  editor.close();
  showState();
  return false;
}

async function open(at) {
  if (at < 0 || !mayLeave()) return false;
  const isLast = opening();
  const { state } = editor;
  const { name } = annotation;
  list.mark(at);
  try {
    const wanted = await row(at);
    const found = wanted && await get(`${address(name)}/sentences/${wanted.number}`);
    if (!found || !isLast()) return false;
    if (editor.state !== state && !mayLeave()) return false; // it was changed meanwhile
    sentence = { ...found, annotation: name };
    position = at;
    const maker = found.maker ? `, tree by ${visible(found.maker)}` : "";
    show(found, `Sentence ${number(found.number)}${found.done ? ", done" : ""}${maker}`);
    return true;
  } catch (error) {
    if (isLast()) say(error.message, true);
    return false;
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
  opening();
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
  say(`${number(done)} of ${count(sentences, "sentence")} done${confidence === null ? "" : `; mean confidence of the others ${Math.round(100 * confidence)} %`}`);
}

function onKey(name) {
  if (!sentence) return false;
  if (name === "s" || name === "Ctrl+s") save(false);
  else if (name === "Ctrl+Enter") save(true);
  else return false;
  return true;
}

// Saves the open sentence; saves that are asked for meanwhile wait, since each needs the revision of the one before.
function save(isDone, reopens = false) {
  const wanted = sentence;
  const isOpen = () => wanted && sentence?.annotation === wanted.annotation && sentence.number === wanted.number;
  saving = saving.then(() => isOpen() && store(isDone, reopens, isOpen));
}

async function store(isDone, reopens, isOpen) {
  const { annotation: name, number: at, done, revision } = sentence;
  const { state } = editor;
  const tell = (text, isWrong) => {
    if (!isOpen()) return;
    by("edit-saved").value = text;
    by("edit-saved").classList.toggle("wrong", isWrong);
  };
  try {
    const answer = await put(`${address(name)}/sentences/${at}`, { tree: treeRecord(state.tree), done: isDone || (done && !reopens), revision });
    if (isOpen()) {
      sentence = { ...sentence, ...answer.sentence };
      editor.markSaved(state);
    }
    if (annotation.name !== name) return;
    annotation = answer;
    showProgress();
    if (isDone && isOpen() && !editor.isChanged) {
      await next();
    } else {
      await refill();
      if (!editor.isChanged) tell("saved", false);
    }
  } catch (error) {
    tell(error.message, true);
  }
}

// The next sentence: where the done ones leave the list it takes the place of this one.
async function next() {
  const leaves = by("edit-state").value === "open";
  const hasOpened = await refill(position + (leaves ? 0 : 1), opening());
  if (hasOpened) editor.focus();
  by("edit-saved").value = "saved";
}

// ── the model ──

async function parse() {
  if (parsing) return;
  const { name } = annotation;
  const isWanted = opening();
  parsing = new AbortController();
  by("edit-running").hidden = false;
  try {
    const found = await stream(`${address(name)}/parse`, { model: by("edit-model").value }, ({ done, of }) => {
      if (done !== undefined && of !== undefined) Object.assign(by("edit-progress"), { value: done, max: of });
    }, parsing.signal);
    if (annotation.name === name) {
      annotation = found;
      showProgress();
    }
  } catch (error) {
    say(error.name === "AbortError" ? "cancelled; what was parsed is kept" : error.message, error.name !== "AbortError");
  } finally {
    by("edit-running").hidden = true;
    by("edit-progress").removeAttribute("value");
    parsing = null;
  }
  if (annotation.name !== name) return;
  // the sentence that was opened meanwhile may have got another tree
  if (!isWanted() && sentence?.annotation === name) await refill(position, opening());
  else await refill(0, isWanted);
}

// The model parses the sentence; what is fixed stays.
async function fill() {
  const { state } = editor;
  const { tree, fixed } = state;
  const isSame = () => editor.state === state;
  editor.say("parsing …");
  try {
    const { required, forbidden, tags } = fixed;
    const model = by("edit-model").value;
    const found = await post("api/complete", { tree: treeRecord(tree), constraints: { required, forbidden, tags }, model });
    if (!isSame()) return;
    editor.replace(found, fixed);
    editor.say(`filled in by ${model}`);
  } catch (error) {
    if (isSame()) editor.say(error.message, true);
  }
}

async function write(saves) {
  const to = by("edit-format").value;
  const { name } = annotation;
  const isLast = writing();
  const say = (text, isWrong = false) => {
    if (!isLast()) return;
    by("edit-written").value = text;
    by("edit-written").classList.toggle("wrong", isWrong);
  };
  try {
    const answer = await post(`${address()}/export`, { to, state: by("edit-which").value, save: saves });
    if (saves) {
      say(`${count(answer.trees, "tree")} in ${answer.file}`);
      return;
    }
    const link = element("a", { href: URL.createObjectURL(new Blob([answer.text], { type: "text/plain" })), download: `${name}.${to}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    say(count(answer.trees, "tree"));
  } catch (error) {
    say(error.message, true);
  }
}

function say(text, isWrong = false) {
  by("edit-status").value = text;
  by("edit-status").classList.toggle("wrong", isWrong);
}
