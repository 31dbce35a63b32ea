// The view that parses text as it is typed.

import { connection, get, post } from "./api.js";
import { linkedPair } from "./pair.js";
import { count, element, visible } from "./text.js";
import { turns } from "./turns.js";

const PAUSE = 250; // milliseconds after the last key
const by = (id) => document.getElementById(id);

let models = [];
let running = null;
let timer = 0;
let sentences = [];
let chosen = 0;
const offering = turns();

export function setUp(fragment) {
  read(fragment);
  document.addEventListener("new-model", () => offerModels());
  connection.addEventListener("back", async () => { await offerModels(); soon(); });
  for (const id of ["parse-text", "parse-k"]) by(id).addEventListener("input", soon);
  for (const id of ["parse-model", "parse-scores"]) by(id).addEventListener("change", () => { offer(); soon(); });
  by("parse-share").addEventListener("click", share);
  by("parse-form").addEventListener("submit", (event) => event.preventDefault());
}

export async function load(fragment) {
  await offerModels(fragment.get("model"));
  soon();
}

async function offerModels(wanted) {
  const isLast = offering();
  const found = await get("api/models");
  if (!isLast()) return;
  ({ models } = found);
  const value = wanted ?? by("parse-model").value;
  by("parse-model").replaceChildren(...models.map((model) =>
    element("option", { value: model.name, textContent: model.description ? `${model.name}: ${model.description}` : model.name })));
  if (models.some(({ name }) => name === value)) by("parse-model").value = value;
  offer();
}

// Takes text and options from the fragment of the address; the model is chosen when the models are known.
function read(fragment) {
  if (fragment.has("text")) by("parse-text").value = fragment.get("text");
  if (fragment.has("k")) by("parse-k").value = fragment.get("k");
  by("parse-scores").checked = fragment.get("scores") === "1";
}

// Writes text and options into the fragment of the address.
export function writeAddress() {
  if (by("view-parse").hidden) return; // an answer came after another view was chosen
  const fragment = new URLSearchParams({ view: "parse", text: by("parse-text").value });
  if (by("parse-model").value) fragment.set("model", by("parse-model").value);
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
  if (!models.length) return; // `load` comes back to it
  running?.abort();
  const text = by("parse-text").value;
  writeAddress();
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

function say(text, isWrong = false) {
  by("parse-status").value = text;
  by("parse-status").classList.toggle("wrong", isWrong);
}

async function share() {
  writeAddress();
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
  const beside = element("div", { className: candidates.length > 1 ? "beside" : "" });
  result.append(beside);
  candidates.forEach((candidate, rank) => {
    const title = candidates.length > 1 ? `Tree ${rank + 1}` : "Tree";
    const score = candidate.score === undefined || candidates.length < 2 ? "" : `, score ${candidate.score.toFixed(2)}`;
    beside.append(linkedPair(candidate, title + score));
  });
  if (sentence.pieces > 1) {
    result.append(element("p", { className: "faint", textContent: `This sentence is long: it was parsed in ${sentence.pieces} pieces.` }));
  }
}
