// The view of errors: gold trees beside parsed trees, the worst first.

import { connection, get, post, stream, upload } from "./api.js";
import { exportTools } from "./export.js";
import { figure } from "./figure.js";
import { RowList, onDroppedFiles, pagedRows } from "./list.js";
import { count, element, nodeLabel, number, visible } from "./text.js";
import { drawTree } from "./tree_view.js";
import { turns } from "./turns.js";

const PAUSE = 300; // milliseconds after the last change of a filter
const KINDS = ["attachment", "unary", "coordination", "label"];
const MODEL = "model:"; // before the name of a model in the list of what can be compared
const MISSING = { classes: "c4", sign: "−" };
const EXTRA = { classes: "c1", sign: "+" };
const by = (id) => document.getElementById(id);
const figureOf = (value) => (value === null ? "–" : value.toFixed(2));

let treebanks = [];
let models = [];
let comparison = null;
let list = null;
let timer = 0;
let parsing = null;
const comparing = turns();
const offering = turns();

export function setUp() {
  list = new RowList(by("errors-list"), {
    draw: (one) => [
      element("span", { className: "faint", textContent: `${visible(one.name)} · ${count(one.errors, "error")} · F1 ${figureOf(one.f1)} ` }),
      element("bdi", { textContent: visible(one.text) }),
    ],
    onChoose: show,
    onError: (error) => say(error.message, true),
  });
  by("errors-form").addEventListener("submit", (event) => event.preventDefault());
  by("errors-files").addEventListener("change", () => openFiles(by("errors-files").files));
  onDroppedFiles(by("view-errors"), openFiles);
  by("errors-gold").addEventListener("change", () => { forgetFilters(); compare(); });
  by("errors-pred").addEventListener("change", () => { forgetFilters(); compare(); });
  by("errors-cancel").addEventListener("click", () => parsing?.abort());
  for (const id of ["kind", "label", "order", "disc"]) by(`errors-${id}`).addEventListener("change", compare);
  for (const id of ["min", "max"]) by(`errors-${id}`).addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(compare, PAUSE); });
  connection.addEventListener("back", async () => { await offer(); await compare(); });
  document.addEventListener("new-model", () => offer(undefined, undefined, false));
}

export async function load(fragment) {
  await offer(fragment.get("gold"), fragment.get("parsed"));
  await compare();
}

// Lists what can be compared. Where nothing is chosen, it guesses: the first two treebanks with equally many trees.
async function offer(wantedGold, wantedPred, guesses = true) {
  const isLast = offering();
  const found = await Promise.all([get("api/treebanks"), get("api/models")]);
  if (!isLast()) return;
  [{ treebanks }, { models }] = found;
  const gold = wantedGold ?? by("errors-gold").value;
  const pred = wantedPred ?? by("errors-pred").value;
  const option = (one) => element("option", { value: one.id, textContent: `${visible(one.name)} (${number(one.trees)})` });
  by("errors-gold").replaceChildren(...treebanks.map(option));
  by("errors-pred").replaceChildren(
    element("option", { value: "", textContent: "choose a file or a model" }),
    element("optgroup", { label: "Files" }, ...treebanks.map(option)),
    element("optgroup", { label: "Parse gold with" }, ...models.map(({ name }) =>
      element("option", { value: MODEL + name, textContent: name }))));
  if (!treebanks.length) {
    say("open a file with gold trees, and one with parsed trees or choose a model");
    return;
  }
  const known = treebanks.find((one) => one.id === gold) || treebanks[0];
  by("errors-gold").value = known.id;
  const isKnown = [...treebanks.map(({ id }) => id), ...models.map(({ name }) => MODEL + name)].includes(pred);
  const other = guesses && treebanks.find((one) => one.id !== known.id && one.trees === known.trees);
  by("errors-pred").value = isKnown ? pred : other ? other.id : "";
}

async function openFiles(files) {
  const opened = [];
  for (const file of files) {
    say(`reading ${visible(file.name)} …`);
    try {
      opened.push(await upload(`api/treebanks?name=${encodeURIComponent(file.name)}`, file));
    } catch (error) {
      say(error.message, true);
      return;
    }
  }
  // one file is the parsed one if only that is missing
  const isParsed = opened.length === 1 && by("errors-gold").value && !by("errors-pred").value;
  const [gold, pred] = isParsed ? [{ id: by("errors-gold").value }, opened[0]] : opened;
  await offer(gold.id, pred?.id ?? "");
  forgetFilters();
  await compare();
}

function forgetFilters() {
  for (const id of ["kind", "label", "min", "max"]) by(`errors-${id}`).value = "";
}

async function compare() {
  parsing?.abort();
  const isLast = comparing();
  const [gold, pred] = [by("errors-gold").value, by("errors-pred").value];
  if (!gold || !pred) {
    comparison = null;
    for (const id of ["filters", "scores", "browser"]) by(`errors-${id}`).hidden = true;
    if (gold) say("choose the file with parsed trees, or a model that parses the gold sentences");
    return;
  }
  try {
    const parsed = pred.startsWith(MODEL) ? await parse(gold, pred.slice(MODEL.length), isLast) : pred;
    if (!isLast() || !parsed) return;
    say("comparing …");
    const found = await post("api/comparisons", {
      gold, pred: parsed, kind: by("errors-kind").value || null, label: by("errors-label").value || null,
      min_length: Number(by("errors-min").value) || null, max_length: Number(by("errors-max").value) || null,
      order: by("errors-order").value, disc_only: by("errors-disc").checked,
    });
    if (!isLast()) return;
    comparison = found;
    await showComparison();
  } catch (error) {
    if (isLast()) say(error.message, true);
  }
}

// Parses the gold sentences; returns the id of the new treebank, which is chosen then.
async function parse(gold, model, isLast) {
  const mine = (parsing = new AbortController());
  by("errors-progress").removeAttribute("value");
  by("errors-running").hidden = false;
  try {
    const parsed = await stream(`api/treebanks/${gold}/parse`, { model }, ({ done, of }) => {
      if (done === undefined || !isLast()) return;
      Object.assign(by("errors-progress"), { value: done, max: of });
      say(`parsing: ${number(done)} of ${number(of)} sentences`);
    }, mine.signal);
    if (!isLast()) return null;
    await offer(gold, parsed.id);
    return parsed.id;
  } catch (error) {
    if (error.name !== "AbortError") throw error;
    if (!isLast()) return null; // something else was chosen
    say("cancelled; no sentence was kept");
    by("errors-pred").value = "";
    return null;
  } finally {
    if (parsing === mine) {
      by("errors-running").hidden = true;
      parsing = null;
    }
  }
}

async function showComparison() {
  const { coverage, kinds, labels } = comparison;
  for (const id of ["filters", "scores", "browser"]) by(`errors-${id}`).hidden = false;
  choices(by("errors-kind"), "all kinds", KINDS.map((kind) => [kind, kinds[kind] || 0]));
  choices(by("errors-label"), "all labels", Object.entries(labels));
  const facts = element("dl", { className: "facts" }, ...[
    ["F1", figureOf(comparison.f1)], ["precision", figureOf(comparison.precision)], ["recall", figureOf(comparison.recall)],
    ["sentences", number(coverage.sentences)], ["scored", number(coverage.scored)], ["missing", number(coverage.missing)],
    ["left out", number(coverage.left_out)], ["only parsed", number(coverage.extra)],
  ].map(([name, value]) => element("div", {}, element("dt", { textContent: name }), element("dd", { textContent: value }))));
  by("errors-scores").replaceChildren(facts, element("code", { textContent: comparison.signature }));
  const remark = comparison.remark ? `; ${comparison.remark}` : "";
  say(`${count(comparison.errors, "error")} in ${count(comparison.shown, "sentence")}${lengths()}${remark}`);
  const { id } = comparison;
  list.show(comparison.shown, pagedRows((first) => get(`api/comparisons/${id}/sentences?start=${first}`).then((answer) => answer.rows)));
  if (comparison.shown) await show(0);
  else by("errors-trees").replaceChildren(element("p", { className: "panel", textContent: "No sentence has such an error." }));
}

// The lengths that the scores are for, if not all of them.
function lengths() {
  const [least, most] = ["min", "max"].map((id) => by(`errors-${id}`).value);
  if (!least && !most) return "";
  return `; scores of sentences with ${least || 1} ${most ? `to ${most}` : "and more"} words`;
}

function choices(select, all, entries) {
  const { value } = select;
  if (value && !entries.some(([name]) => name === value)) entries.push([value, 0]); // what is filtered by stays visible
  select.replaceChildren(element("option", { value: "", textContent: all }), ...entries.map(([name, count]) =>
    element("option", { value: name, textContent: `${visible(name) || "·"} (${number(count)})` })));
  select.value = value;
}

// ── one sentence ──

async function show(at) {
  list.mark(at);
  const wanted = comparison;
  try {
    const found = await get(`api/comparisons/${comparison.id}/sentences/${at + 1}`);
    if (wanted === comparison && list.chosen === at) by("errors-trees").replaceChildren(...draw(found));
  } catch (error) {
    if (wanted === comparison && list.chosen === at) say(error.message, true);
  }
}

function draw(sentence) {
  const sides = [{ tree: sentence.gold, ...MISSING, title: "Gold" }];
  if (sentence.pred) sides.push({ tree: sentence.pred, ...EXTRA, title: "Parsed" });
  const drawings = [];
  const folded = sides.map(() => new Set());
  const onPoint = (side) => (kind, at) => {
    const tokens = kind === "node" ? sides[side].tree.nodes[at].tokens : kind === "word" ? [at] : [];
    const key = tokens.join(" ");
    drawings.forEach((drawing, other) => {
      const same = sides[other].tree.nodes.map((_, node) => node).filter((node) => tokens.length && (
        other === side ? kind === "node" && node === at : sides[other].tree.nodes[node].tokens.join(" ") === key));
      drawing.light(new Set(same), new Set(tokens));
    });
  };
  const figures = sides.map((side, at) => {
    const marks = [];
    for (const error of side.tree.errors) {
      marks[error.node] = { classes: side.classes, sign: side.sign, note: side === sides[0] ? "missing" : "wrong" };
    }
    const title = `${side.title}: ${count(side.tree.errors.length, at ? "wrong constituent" : "missing constituent")}`;
    const onFold = (node) => {
      const { tokens, parent } = side.tree.nodes[node];
      if (parent < 0 || tokens[tokens.length - 1] - tokens[0] + 1 > tokens.length) return; // the top, or with gaps
      if (!folded[at].delete(node)) folded[at].add(node);
      figures[at].redraw();
      drawings[at].focus("node", node);
    };
    const made = figure(title, side.tree.words.length, () =>
      (drawings[at] = drawTree(side.tree, { colors: [], marks, folded: folded[at], onFold, onPoint: onPoint(at) })));
    made.append(exportTools(() => side.tree));
    return made;
  });
  const errors = element("ul", { className: "errors panel", "aria-label": "Errors of this sentence" }, ...sides.flatMap((side, at) =>
    side.tree.errors.map((error) => {
      const words = side.tree.nodes[error.node].tokens.map((word) => visible(side.tree.words[word].form)).join(" ");
      const other = error.kind === "label" ? `, ${visible(error.other) || "·"} ${at ? "in gold" : "when parsed"}` : "";
      const button = element("button", { type: "button" },
        element("span", { className: `sign ${side.classes}`, textContent: side.sign + nodeLabel(side.tree.nodes[error.node]) }),
        ` ${error.kind}${other}: `, element("bdi", { textContent: words.length > 90 ? `${words.slice(0, 89)}…` : words }));
      button.addEventListener("click", () => {
        if (!drawings[at]) return;
        if (folded[at].size) {
          folded[at].clear();
          figures[at].redraw();
        }
        drawings[at].focus("node", error.node);
      });
      return element("li", {}, button);
    })));
  const made = [element("div", { className: "trees" }, ...figures)];
  if (!sentence.pred) made.push(element("p", { className: "panel", textContent: `There is no parsed tree: ${sentence.problem || "the sentence is missing"}` }));
  return [...made, errors];
}

function say(text, isWrong = false) {
  by("errors-status").value = text;
  by("errors-status").classList.toggle("wrong", isWrong);
}
