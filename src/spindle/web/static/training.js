// Trainings: started here, shown with their progress, cancelled. The server keeps them, so a page that is loaded
// again shows them, too.

import { get, post } from "./api.js";
import { count, element, visible } from "./text.js";
import { oneAtATime, turns } from "./turns.js";

const PAUSE = 1000; // milliseconds between two questions about a training that runs
const by = (id) => document.getElementById(id);

let options = null;
let timer = 0;
let running = null; // the id of the training that runs
const asking = turns();
const offering = turns();

// `given`: `annotationName()`, and `onModel()` when there is a new model.
export function setUp(given) {
  options = given;
  const beginOnce = oneAtATime(begin);
  by("training-form").addEventListener("submit", (event) => { event.preventDefault(); beginOnce(); });
  by("training-treebank").addEventListener("focus", offer);
}

export async function load() {
  await Promise.all([offer(), refresh()]);
}

async function offer() {
  const isLast = offering();
  const { treebanks } = await get("api/treebanks");
  if (!isLast()) return;
  const { value } = by("training-treebank");
  by("training-treebank").replaceChildren(element("option", { value: "", textContent: "none" }),
    ...treebanks.map((one) => element("option", { value: one.id, textContent: visible(one.name) })));
  by("training-treebank").value = treebanks.some((one) => one.id === value) ? value : "";
}

async function begin() {
  try {
    await post("api/trainings", {
      name: by("training-name").value, annotation: options.annotationName(), parser: by("training-parser").value,
      epochs: Number(by("training-epochs").value) || null, treebank: by("training-treebank").value || null,
      dev_percent: Number(by("training-dev").value),
    });
    say("");
  } catch (error) {
    say(error.message, true);
  }
  await refresh();
}

export async function refresh() {
  clearTimeout(timer);
  const isLast = asking();
  try {
    const { trainings, interrupted } = await get("api/trainings");
    if (!isLast()) return;
    show(trainings, interrupted);
    const now = trainings.find((one) => one.status === "running");
    if (running && running !== now?.id) {
      const ended = trainings.find((one) => one.id === running);
      if (ended?.status === "done") {
        say(`the model ${visible(ended.name)} can be used now`);
        await options.onModel();
      }
    }
    running = now?.id ?? null;
    if (running) timer = setTimeout(refresh, PAUSE);
  } catch (error) {
    say(error.message, true);
  }
}

function show(trainings, interrupted) {
  const focused = document.activeElement?.dataset.training;
  const opened = new Set([...by("training-list").querySelectorAll("details[open]")].map((one) => one.dataset.messages));
  const lines = interrupted.map((name) => element("p", { className: "faint training", textContent:
    `The training of ${name} was interrupted. Start it with the same name, trees and options, and it goes on.` }));
  by("training-list").replaceChildren(...trainings.map((one) => drawTraining(one, opened.has(one.id))), ...lines);
  if (focused) by("training-list").querySelector(`[data-training="${focused}"]`)?.focus();
}

function drawTraining(one, showsMessages) {
  const made = element("div", { className: "training" });
  const score = one.scores.f1 === undefined ? "" : `, F1 ${one.scores.f1.toFixed(2)} on held-out trees`;
  const state = {
    running: one.stage || "starting", done: `done${score}`, failed: `failed: ${one.error}`, cancelled: "cancelled; its checkpoint is kept",
  }[one.status];
  made.append(element("p", {}, element("strong", { textContent: visible(one.name) }), ` ${count(one.trees, "tree")} of ${visible(one.source)} · `,
    element("span", { className: one.status === "failed" ? "wrong" : "", textContent: state }), ` · ${time(one.seconds)}`));
  if (one.status === "running") {
    const bar = element("progress", { "aria-label": `Training of ${one.name}: ${one.stage}` });
    if (one.of) Object.assign(bar, { value: one.done, max: one.of });
    const cancel = element("button", { type: "button", textContent: "Cancel", "data-training": one.id });
    cancel.addEventListener("click", async () => {
      try {
        await post(`api/trainings/${one.id}/cancel`, {});
      } catch (error) {
        say(error.message, true);
      }
      await refresh();
    });
    made.append(element("div", { className: "controls" }, bar, cancel));
  }
  const last = one.epochs[one.epochs.length - 1];
  if (last) {
    const figures = [`epoch ${last.epoch}`, last.f1 === undefined ? "" : `F1 ${last.f1.toFixed(2)}`].filter(Boolean).join(", ");
    made.append(element("p", { className: "faint", textContent: figures }));
  }
  if (one.scores.signature) made.append(element("p", {}, element("code", { textContent: one.scores.signature })));
  if (one.messages.length) {
    made.append(element("details", { open: showsMessages, "data-messages": one.id }, element("summary", { textContent: "Messages" }), ...one.messages.map((textContent) => element("p", { textContent }))));
  }
  return made;
}

function time(seconds) {
  return seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

function say(text, isWrong = false) {
  by("training-status").value = text;
  by("training-status").classList.toggle("wrong", isWrong);
}
