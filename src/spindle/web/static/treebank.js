// The view of treebanks: open files, page through them, search, statistics.

import { get, post, upload } from "./api.js";
import { linkedPair } from "./pair.js";
import { element, visible } from "./text.js";

const ROW = 30; // the height of a row in pixels
const PAGE = 200; // the rows that the server sends at a time
const BARS = 15;
const by = (id) => document.getElementById(id);
const number = (value) => value.toLocaleString("en");

let treebank = null;
let numbers = null; // the trees that a search has found; null shows all
let hits = new Map(); // tree → hits
let chosen = 0;
let pages = new Map();

export async function start(fragment) {
  by("treebank-files").addEventListener("change", () => openFiles(by("treebank-files").files));
  by("treebank-choice").addEventListener("change", () => choose(by("treebank-choice").value));
  by("treebank-search").addEventListener("submit", (event) => { event.preventDefault(); search(); });
  by("treebank-list").addEventListener("scroll", () => requestAnimationFrame(fill));
  by("treebank-list").addEventListener("keydown", move);
  by("treebank-statistics").addEventListener("toggle", () => by("treebank-statistics").open && showStatistics());
  const view = by("view-treebank");
  for (const kind of ["dragenter", "dragover"]) {
    view.addEventListener(kind, (event) => { event.preventDefault(); view.classList.add("dropping"); });
  }
  view.addEventListener("dragleave", (event) => event.target === view && view.classList.remove("dropping"));
  view.addEventListener("drop", (event) => {
    event.preventDefault();
    view.classList.remove("dropping");
    openFiles(event.dataTransfer.files);
  });
  new ResizeObserver(() => treebank && fill()).observe(by("treebank-list"));
  await list();
  if (fragment.has("pattern")) {
    by("treebank-pattern").value = fragment.get("pattern");
    if (treebank) await search();
  }
}

async function list(wanted) {
  const { treebanks } = await get("api/treebanks");
  by("treebank-choice").replaceChildren(...treebanks.map((one) =>
    element("option", { value: one.id, textContent: `${visible(one.name)} (${number(one.trees)})` })));
  by("treebank-open").hidden = !treebanks.length;
  if (treebanks.length) await choose(wanted || treebanks[0].id, treebanks);
}

async function openFiles(files) {
  for (const file of files) {
    say(`reading ${visible(file.name)} …`);
    try {
      const opened = await upload(`api/treebanks?name=${encodeURIComponent(file.name)}`, file);
      await list(opened.id);
      say(`${number(opened.trees)} trees${opened.skipped ? `; ${number(opened.skipped)} malformed sentences left out` : ""}`);
    } catch (error) {
      say(error.message, true);
    }
  }
}

async function choose(id, treebanks) {
  const known = treebanks || (await get("api/treebanks")).treebanks;
  treebank = known.find((one) => one.id === id);
  by("treebank-choice").value = id;
  by("treebank-statistics").open = false;
  pages = new Map();
  showAll();
  await show(1);
}

function showAll() {
  numbers = null;
  hits = new Map();
  reset();
}

function reset() {
  const count = numbers ? numbers.length : treebank.trees;
  by("treebank-rows").style.height = `${count * ROW}px`;
  by("treebank-list").scrollTop = 0;
  fill();
}

async function search() {
  const pattern = by("treebank-pattern").value.trim();
  if (!pattern) {
    showAll();
    say("");
    return;
  }
  say("searching …");
  try {
    const found = await post("api/search", { treebank: treebank.id, pattern, limit: 10000 });
    ({ numbers } = found);
    hits = new Map();
    for (const hit of found.hits) hits.set(hit.number, [...(hits.get(hit.number) || []), hit]);
    say(`${number(found.matches)} matches in ${number(found.trees)} of ${number(found.searched)} trees`);
    reset();
    history.replaceState(null, "", `#${new URLSearchParams({ view: "treebank", pattern })}`);
    if (numbers.length) await show(numbers[0]);
    else by("treebank-tree").replaceChildren();
  } catch (error) {
    say(error.message, true);
  }
}

// ── the list, of which only the rows in sight exist ──

async function page(first) {
  if (!pages.has(first)) pages.set(first, get(`api/treebanks/${treebank.id}/trees?start=${first}`).then((answer) => answer.rows));
  return pages.get(first);
}

async function row(tree) {
  const first = tree - ((tree - 1) % PAGE);
  return (await page(first))[tree - first];
}

async function fill() {
  const box = by("treebank-list");
  const count = numbers ? numbers.length : treebank.trees;
  const first = Math.max(0, Math.floor(box.scrollTop / ROW) - 5);
  const last = Math.min(count, first + Math.ceil(box.clientHeight / ROW) + 10);
  const wanted = treebank;
  const rows = await Promise.all(Array.from({ length: Math.max(0, last - first) }, (_, at) =>
    row(numbers ? numbers[first + at] : first + at + 1)));
  if (wanted !== treebank) return;
  by("treebank-rows").replaceChildren(...rows.map((one, at) => {
    const made = element("div", { className: "row", role: "option", id: `row-${one.number}` },
      element("span", { className: "faint", textContent: `${one.id ? visible(one.id) : one.number} ` }),
      element("bdi", { textContent: visible(one.text) }));
    made.setAttribute("aria-selected", String(one.number === chosen));
    made.setAttribute("aria-setsize", count);
    made.setAttribute("aria-posinset", first + at + 1);
    made.style.top = `${(first + at) * ROW}px`;
    made.addEventListener("click", () => show(one.number));
    return made;
  }));
  if (by(`row-${chosen}`)) box.setAttribute("aria-activedescendant", `row-${chosen}`);
  else box.removeAttribute("aria-activedescendant");
}

function move(event) {
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -Infinity, End: Infinity };
  if (!(event.key in steps) || !treebank) return;
  event.preventDefault();
  const count = numbers ? numbers.length : treebank.trees;
  const at = numbers ? numbers.indexOf(chosen) : chosen - 1;
  const next = Math.max(0, Math.min(count - 1, at + steps[event.key]));
  const box = by("treebank-list");
  if (next * ROW < box.scrollTop) box.scrollTop = next * ROW;
  if ((next + 1) * ROW > box.scrollTop + box.clientHeight) box.scrollTop = (next + 1) * ROW - box.clientHeight;
  show(numbers ? numbers[next] : next + 1);
}

// ── one tree ──

async function show(tree) {
  chosen = tree;
  fill();
  const wanted = treebank;
  try {
    const found = await get(`api/treebanks/${treebank.id}/trees/${tree}`);
    if (wanted !== treebank || chosen !== tree) return;
    const mine = hits.get(tree) || [];
    const nodes = new Set(mine.filter((hit) => hit.kind === "node").map((hit) => hit.node));
    const words = new Set(mine.filter((hit) => hit.kind !== "node").map((hit) => hit.node));
    const marks = mine.length ? { hits: nodes, wordHits: words } : {};
    const name = `Tree ${number(tree)}${found.id ? ` (${visible(found.id)})` : ""}`;
    by("treebank-tree").replaceChildren(linkedPair(found, name, marks));
  } catch (error) {
    say(error.message, true);
  }
}

// ── statistics ──

async function showStatistics() {
  const box = by("treebank-figures");
  box.textContent = "counting …";
  try {
    const found = await get(`api/treebanks/${treebank.id}/statistics`);
    const facts = element("dl", { className: "facts" });
    const fact = (name, value) => facts.append(element("div", {}, element("dt", { textContent: name }), element("dd", { textContent: value })));
    fact("sentences", number(found.sentences));
    fact("tokens", number(found.tokens));
    fact("constituents", number(found.nodes));
    fact("longest sentence", number(found.longest));
    fact("discontinuous", `${number(found.discontinuous)} (${found.discontinuous_percent} %)`);
    fact("head rules", treebank.head_rules);
    box.replaceChildren(facts, element("div", { className: "plots" },
      bars("Labels", Object.entries(found.frequencies.symbols)), bars("Tags", Object.entries(found.frequencies.tags)),
      bars("Unary chains", Object.entries(found.frequencies.unary_chains)),
      bars("Rules", Object.entries(found.frequencies.productions)),
      bars("Words in a sentence", binned(found.frequencies.sentence_lengths))));
  } catch (error) {
    box.textContent = error.message;
  }
}

function binned(lengths) {
  const longest = Math.max(...Object.keys(lengths).map(Number));
  const width = Math.max(1, Math.ceil(longest / BARS));
  const bins = new Map();
  for (const [length, count] of Object.entries(lengths)) {
    const first = Math.floor((Number(length) - 1) / width) * width + 1;
    bins.set(first, (bins.get(first) || 0) + count);
  }
  return [...bins].sort((one, other) => one[0] - other[0])
    .map(([first, count]) => [width === 1 ? String(first) : `${first}–${first + width - 1}`, count]);
}

function bars(title, entries) {
  const shown = entries.slice(0, BARS);
  const most = Math.max(1, ...shown.map(([, count]) => count));
  const rows = shown.map(([name, count]) => {
    const bar = element("span", { className: "bar" });
    bar.style.width = `${(100 * count) / most}%`;
    return element("tr", {}, element("th", { scope: "row" }, element("bdi", { textContent: visible(name) || "·" })),
      element("td", {}, bar), element("td", { className: "count", textContent: number(count) }));
  });
  const rest = entries.length - shown.length;
  return element("table", { className: "bars" },
    element("caption", { textContent: rest > 0 ? `${title}: the first ${BARS} of ${number(entries.length)}` : title }),
    element("tbody", {}, ...rows));
}

function say(text, isWrong = false) {
  by("treebank-status").value = text;
  by("treebank-status").classList.toggle("wrong", isWrong);
}
