// The view that parses text as it is typed.

import { get, post } from "./api.js";
import { drawDTree } from "./dtree_view.js";
import { exportTools } from "./export.js";
import { figure } from "./figure.js";
import { element, visible } from "./text.js";
import { STEPS, confidenceClass, drawTree } from "./tree_view.js";

const PAUSE = 250; // milliseconds after the last key
const by = (id) => document.getElementById(id);

let models = [];
let running = null;
let timer = 0;
let sentences = [];
let chosen = 0;

export async function start(fragment) {
  ({ models } = await get("api/models"));
  by("parse-model").replaceChildren(...models.map((model) =>
    element("option", { value: model.name, textContent: model.description ? `${model.name}: ${model.description}` : model.name })));
  read(fragment);
  for (const id of ["parse-text", "parse-k"]) by(id).addEventListener("input", soon);
  for (const id of ["parse-model", "parse-scores"]) by(id).addEventListener("change", () => { offer(); soon(); });
  by("parse-share").addEventListener("click", share);
  by("parse-form").addEventListener("submit", (event) => event.preventDefault());
  offer();
  soon();
}

// Takes text and options from the fragment of the address.
export function read(fragment) {
  if (fragment.has("text")) by("parse-text").value = fragment.get("text");
  const model = fragment.get("model");
  if (models.some((known) => known.name === model)) by("parse-model").value = model;
  if (fragment.has("k")) by("parse-k").value = fragment.get("k");
  by("parse-scores").checked = fragment.get("scores") === "1";
}

function write() {
  const fragment = new URLSearchParams({ view: "parse", text: by("parse-text").value, model: by("parse-model").value });
  if (k() > 1) fragment.set("k", String(k()));
  if (by("parse-scores").checked) fragment.set("scores", "1");
  history.replaceState(null, "", `#${fragment}`);
}

function k() {
  return Math.max(1, Math.min(50, Math.floor(Number(by("parse-k").value)) || 1));
}

// Options that the chosen model lacks cannot be chosen.
function offer() {
  const model = models.find((known) => known.name === by("parse-model").value);
  by("parse-k").disabled = !model.k_best;
  by("parse-scores").disabled = !model.scores;
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(parse, PAUSE);
}

async function parse() {
  running?.abort();
  const text = by("parse-text").value;
  write();
  if (!text.trim()) {
    sentences = [];
    show();
    say("");
    return;
  }
  const mine = (running = new AbortController());
  const request = { text, model: by("parse-model").value, details: true };
  if (!by("parse-k").disabled && k() > 1) request.k = k();
  if (!by("parse-scores").disabled && by("parse-scores").checked) request.scores = true;
  say("parsing …");
  const start = performance.now();
  try {
    const answer = await post("api/parse", request, mine.signal);
    ({ sentences } = answer);
    chosen = Math.min(chosen, Math.max(0, sentences.length - 1));
    show();
    const words = sentences.reduce((sum, sentence) => sum + sentence.tokens.length, 0);
    say(`${count(sentences.length, "sentence")}, ${count(words, "word")}, ${Math.round(performance.now() - start)} ms`);
  } catch (error) {
    if (error.name !== "AbortError") say(error.message, true);
  }
}

function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

function say(text, isWrong = false) {
  by("parse-status").value = text;
  by("parse-status").classList.toggle("wrong", isWrong);
}

async function share() {
  write();
  await navigator.clipboard.writeText(location.href);
  say("the address of this sentence is copied");
}

function show() {
  by("parse-sentences").hidden = sentences.length < 2;
  by("parse-sentences").replaceChildren(...(sentences.length < 2 ? [] : sentences.map((sentence, number) => {
    const words = sentence.tokens.slice(0, 12).map((token) => visible(token.form)).join(" ");
    const button = element("button", { type: "button" }, `${number + 1} `, element("bdi", { textContent: words }));
    button.setAttribute("aria-current", String(number === chosen));
    button.addEventListener("click", () => { chosen = number; show(); by("parse-sentences").children[number].focus(); });
    return button;
  })));
  const sentence = sentences[chosen];
  const result = by("parse-result");
  result.replaceChildren();
  if (!sentence?.tree) return;
  const candidates = sentence.candidates || [sentence];
  candidates.forEach((candidate, rank) => {
    const title = candidates.length > 1 ? `Tree ${rank + 1}` : "Tree";
    const score = candidate.score === undefined || candidates.length < 2 ? "" : `, score ${candidate.score.toFixed(2)}`;
    result.append(pair(candidate, title + score));
  });
  if (sentence.pieces > 1) {
    result.append(element("p", { className: "faint", textContent: `This sentence is long: it was parsed in ${sentence.pieces} pieces.` }));
  }
}

// A tree beside its d-tree: what is pointed at in one is lit in both.
function pair(candidate, title) {
  const { words, nodes, arcs } = candidate;
  const tree = { words, nodes };
  const folded = new Set();
  const isScored = nodes.some((node) => node.confidence !== undefined);
  const colors = isScored ? nodes.map((node) => confidenceClass(node.confidence ?? 1)) : undefined;
  let treeDrawing = null;
  let arcDrawing = null;
  const onPoint = (kind, number) => {
    const lit = kind ? linked(treeShape(), arcs, kind, number) : { nodes: new Set(), words: new Set(), arcs: new Set() };
    treeDrawing?.light(lit.nodes, lit.words);
    arcDrawing?.light(lit.arcs, lit.words);
  };
  const full = drawTree(tree).shape;
  const treeShape = () => full;
  const onFold = (node) => {
    if (!full.isContinuous(node) || nodes[node].parent < 0) return;
    if (!folded.delete(node)) folded.add(node);
    left.redraw();
    treeDrawing.focus("n", node);
  };
  const left = figure(title, words.length, () => (treeDrawing = drawTree(tree, { folded, colors, onPoint, onFold })));
  left.append(...(isScored ? [legend()] : []), exportTools(candidate));
  const figures = [left];
  if (arcs) {
    figures.push(figure("Head-ordered dependency tree", words.length, () => (arcDrawing = drawDTree(words, arcs, { onPoint }))));
  }
  return element("div", { className: "pair" }, ...figures);
}

// What belongs to a node, a word, or an arc: its constituent, the arcs that build it, and its words.
function linked(shape, arcs, kind, number) {
  if (kind === "node") {
    const built = arcs ? shape.arcsOfNode(number) : [];
    return { nodes: new Set([number]), words: new Set(shape.nodes[number].tokens), arcs: new Set(built) };
  }
  if (kind === "word") {
    const spine = shape.nodes.map((_, node) => node).filter((node) => shape.nodes[node].head === number);
    return { nodes: new Set(spine), words: new Set([number]), arcs: new Set([number]) };
  }
  const { head } = arcs[number];
  if (head < 0) return { nodes: new Set(), words: new Set([number]), arcs: new Set([number]) };
  const node = shape.nodeOfArc(number, head);
  return { nodes: new Set(node < 0 ? [] : [node]), words: new Set([number, head]), arcs: new Set([number]) };
}

function legend() {
  return element("ul", { className: "legend", "aria-label": "Confidence" }, ...STEPS.map((step) =>
    element("li", {}, element("span", { className: `swatch ${step.classes}` }), ` ${step.name}`)));
}
