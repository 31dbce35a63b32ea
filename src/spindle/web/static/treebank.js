// The view of treebanks: open files, page through them, search, statistics.

import { connection, get, post, upload } from "./api.js";
import { RowList, onDroppedFiles, pagedRows } from "./list.js";
import { linkedPair } from "./pair.js";
import { count, element, number, visible } from "./text.js";
import { turns } from "./turns.js";

const BARS = 15;
const by = (id) => document.getElementById(id);

let treebank = null;
let numbers = null; // the trees that a search has found; null shows all
let hits = new Map(); // tree → hits
let chosen = 0;
let row = null; // position in the treebank → its row
let list = null;
const choosing = turns(); // the treebank
const searching = turns();

export function writeAddress() {
  if (by("view-treebank").hidden) return; // an answer came after another view was chosen
  const fragment = new URLSearchParams({ view: "treebank" });
  const pattern = by("treebank-pattern").value.trim();
  if (pattern) fragment.set("pattern", pattern);
  history.replaceState(null, "", `#${fragment}`);
}

export function setUp(fragment) {
  by("treebank-files").addEventListener("change", () => openFiles(by("treebank-files").files));
  by("treebank-choice").addEventListener("change", () => { say(""); offer(by("treebank-choice").value); });
  by("treebank-search").addEventListener("submit", (event) => { event.preventDefault(); search(); });
  by("treebank-statistics").addEventListener("toggle", () => by("treebank-statistics").open && showStatistics());
  onDroppedFiles(by("view-treebank"), openFiles);
  list = new RowList(by("treebank-list"), {
    draw: (one) => [
      element("span", { className: "faint", textContent: `${one.id ? visible(one.id) : one.number} ` }),
      element("bdi", { textContent: visible(one.text) }),
    ],
    onChoose: (at) => show(numbers ? numbers[at] : at + 1),
    onError: (error) => say(error.message, true),
  });
  connection.addEventListener("back", recover);
  if (fragment.has("pattern")) by("treebank-pattern").value = fragment.get("pattern");
}

export async function load(fragment) {
  const isLast = await offer();
  if (isLast() && treebank && fragment.has("pattern")) await search();
}

// A server that was started again has only the files that it was started with.
async function recover() {
  const before = treebank;
  const isLast = await offer(before?.id);
  if (!isLast()) return;
  if (before && (treebank?.id !== before.id || treebank.name !== before.name || treebank.trees !== before.trees)) {
    say(`the server was started again: open ${visible(before.name)} again`, true);
  } else {
    say("");
  }
}

// Lists the treebanks and chooses one. Returns its turn.
async function offer(wanted) {
  const isLast = choosing();
  const { treebanks } = await get("api/treebanks");
  if (!isLast()) return isLast;
  by("treebank-choice").replaceChildren(...treebanks.map((one) =>
    element("option", { value: one.id, textContent: `${visible(one.name)} (${number(one.trees)})` })));
  by("treebank-open").hidden = !treebanks.length;
  const id = treebanks.some((one) => one.id === wanted) ? wanted : treebanks[0]?.id;
  if (id) await open(treebanks.find((one) => one.id === id));
  else forget();
  return isLast;
}

async function openFiles(files) {
  for (const file of files) {
    say(`reading ${visible(file.name)} …`);
    try {
      const opened = await upload(`api/treebanks?name=${encodeURIComponent(file.name)}`, file);
      await offer(opened.id);
      say(`${count(opened.trees, "tree")}${opened.skipped ? `; ${count(opened.skipped, "malformed sentence")} left out` : ""}`);
    } catch (error) {
      say(error.message, true);
    }
  }
}

async function open(wanted) {
  treebank = wanted;
  const { id } = wanted;
  by("treebank-choice").value = id;
  by("treebank-statistics").open = false;
  by("treebank-tree").replaceChildren(); // the tree of another treebank can no longer be edited or copied
  row = pagedRows((start) => get(`api/treebanks/${id}/trees?start=${start}`).then((answer) => answer.rows));
  showAll();
  await show(1);
}

function showAll() {
  searching();
  numbers = null;
  hits = new Map();
  reset();
}

function forget() {
  searching();
  treebank = null;
  list.show(0, async () => null);
  by("treebank-tree").replaceChildren();
}

function reset() {
  const shown = numbers;
  list.show(shown ? shown.length : treebank.trees, shown ? (at) => row(shown[at] - 1) : row);
}

async function search() {
  const pattern = by("treebank-pattern").value.trim();
  if (!pattern) {
    showAll();
    say("");
    return;
  }
  say("searching …");
  const isLast = searching();
  try {
    const found = await post("api/search", { treebank: treebank.id, pattern, limit: 10000 });
    if (!isLast()) return;
    ({ numbers } = found);
    hits = new Map();
    for (const hit of found.hits) hits.set(hit.number, [...(hits.get(hit.number) || []), hit]);
    say(`${count(found.matches, "match", "matches")} in ${number(found.trees)} of ${count(found.searched, "tree")}`);
    reset();
    writeAddress();
    if (numbers.length) await show(numbers[0]);
    else {
      chosen = 0;
      by("treebank-tree").replaceChildren();
    }
  } catch (error) {
    if (isLast()) say(error.message, true);
  }
}

// ── one tree ──

async function show(tree) {
  chosen = tree;
  list.mark(numbers ? numbers.indexOf(tree) : tree - 1);
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
    if (wanted === treebank && chosen === tree) say(error.message, true);
  }
}

// ── statistics ──

async function showStatistics() {
  const box = by("treebank-figures");
  const counted = treebank;
  box.textContent = "counting …";
  try {
    const found = await get(`api/treebanks/${counted.id}/statistics`);
    if (counted !== treebank) return;
    const facts = element("dl", { className: "facts" });
    const fact = (name, value) => facts.append(element("div", {}, element("dt", { textContent: name }), element("dd", { textContent: value })));
    fact("sentences", number(found.sentences));
    fact("tokens", number(found.tokens));
    fact("constituents", number(found.nodes));
    fact("longest sentence", number(found.longest));
    fact("discontinuous", `${number(found.discontinuous)} (${found.discontinuous_percent} %)`);
    fact("head rules", counted.head_rules);
    box.replaceChildren(facts, element("div", { className: "plots" },
      bars("Labels", Object.entries(found.frequencies.symbols)), bars("Tags", Object.entries(found.frequencies.tags)),
      bars("Unary chains", Object.entries(found.frequencies.unary_chains)),
      bars("Rules", Object.entries(found.frequencies.productions)),
      bars("Words in a sentence", binned(found.frequencies.sentence_lengths))));
  } catch (error) {
    if (counted === treebank) box.textContent = error.message;
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
