// A head-ordered d-tree as arcs above its words, by the rules of `spindle.drawing.svg.svg_dtree`.

import { arcLevels, uninterrupted } from "./layout.js";
import { svgElement, textWidth, visible } from "./text.js";
import { ACCENTS, upright } from "./tree_view.js";

const MARGIN = 12;
const GAP = 14;
const LEVEL = 26;
const FOOT = 8; // from one arc to the next at the same word
const LINE = 18;
const BREAK = 5;
const ROUND = 6;

// Draws a d-tree. `options`: `wordHits`, a set of words that shall be in sight; `onPoint` as for `drawTree`.
export function drawDTree(words, arcs, options = {}) {
  const size = words.length;
  const texts = words.map((word) => ({ form: visible(word.form), tag: visible(word.tag || "") }));
  const labels = arcs.map((arc) => (arc.head < 0 ? "root" : visible(arc.label)));
  const levels = arcLevels(arcs);
  const feet = findFeet(arcs, levels);
  const labelWidths = labels.map((label) => textWidth(label, 12));
  const widths = texts.map((text, word) =>
    Math.max(textWidth(text.form, 14), textWidth(text.tag, 12), 2 * Math.max(...feet[word].values()) + FOOT));
  const centres = wordCentres(arcs, widths, labelWidths, feet);
  const highest = Math.max(0, ...levels);
  const top = (word) => MARGIN + 14 + (highest - levels[word]) * LEVEL;
  const base = MARGIN + 14 + highest * LEVEL;
  const width = Math.ceil(centres[size - 1] + widths[size - 1] / 2 + MARGIN);
  const height = base + 18 + LINE + MARGIN;
  const described = arcs.map((arc, word) =>
    arc.head < 0 ? `${texts[word].form} is the root` : `${texts[word].form}, ${labels[word]} of ${texts[arc.head].form}`);
  const svg = svgElement("svg", {
    class: "drawing", width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `Head-ordered dependency tree: ${described.join("; ")}`,
  });
  // Where arcs go up from the words, and to which level.
  const uprights = feet.flatMap((offsets, word) =>
    [...offsets].map(([arc, offset]) => ({ x: centres[word] + offset, level: levels[arc] })));
  let accents = 0;
  const groups = new Map();
  for (let word = 0; word < size; word++) groups.set(`a${word}`, drawArc(word));
  for (let word = 0; word < size; word++) groups.set(`w${word}`, drawWord(word));
  svg.append(...groups.values());
  svg.addEventListener("pointerover", (event) => {
    const group = event.target.closest("g[data-vertex]");
    if (!options.onPoint) return;
    if (!group) options.onPoint(null);
    else options.onPoint(group.dataset.vertex[0] === "a" ? "arc" : "word", Number(group.dataset.vertex.slice(1)));
  });
  svg.addEventListener("pointerleave", () => options.onPoint?.(null));
  const hits = centres.filter((_, word) => options.wordHits?.has(word));
  return {
    svg, width, height,
    marked: hits.length ? [hits[0], hits[hits.length - 1]] : null,
    light(arcsLit, wordsLit) {
      for (const [vertex, group] of groups) {
        group.classList.toggle("lit", (vertex[0] === "a" ? arcsLit : wordsLit).has(Number(vertex.slice(1))));
      }
    },
  };

  function drawArc(word) {
    const { head } = arcs[word];
    const x = centres[word] + feet[word].get(word);
    const y = top(word);
    const group = svgElement("g", { "data-vertex": `a${word}` });
    const tip = svgElement("path", { class: "solid", d: `M${x - 3} ${base - 6}h6l-3 6z` });
    if (head < 0) {
      group.append(
        svgElement("path", { d: `M${x} ${y + 6}V${base - 6}` }), tip,
        svgElement("text", { class: "small head", x, y }, labels[word]), svgElement("title", {}, described[word]),
      );
      return group;
    }
    const start = centres[head] + feet[head].get(word);
    const [first, last] = [Math.min(x, start), Math.max(x, start)];
    const crossing = uprights
      .filter((other) => first < other.x && other.x < last && other.level > levels[word]).map((other) => other.x)
      .sort((one, other) => one - other);
    const isCrossed = levels.some((level, other) =>
      level > levels[word] && other > Math.min(head, word) && other < Math.max(head, word));
    if (isCrossed) group.setAttribute("class", `c${accents++ % ACCENTS}`);
    let path = upright(x, base - 6, y, first, last, true) + upright(start, base, y, first, last, true);
    for (const [from, to] of uninterrupted(first + ROUND, last - ROUND, crossing, BREAK)) {
      if (from < to) path += `M${from} ${y}H${to}`;
    }
    const ends = [first, ...crossing, last];
    let widest = 0;
    for (let at = 1; at + 1 < ends.length; at++) {
      if (ends[at + 1] - ends[at] > ends[widest + 1] - ends[widest]) widest = at;
    }
    const middle = (ends[widest] + ends[widest + 1]) / 2;
    group.append(
      svgElement("rect", { class: "hit", x: middle - labelWidths[word] / 2 - 2, y: y - 16, width: labelWidths[word] + 4, height: 15, rx: 4 }),
      svgElement("path", { d: path }), tip,
      svgElement("text", { class: "small", x: middle, y: y - 4 }, labels[word]), svgElement("title", {}, described[word]),
    );
    return group;
  }

  function drawWord(word) {
    const half = Math.max(14, widths[word] / 2);
    const group = svgElement("g", { "data-vertex": `w${word}` });
    group.append(
      svgElement("rect", { class: "hit", x: centres[word] - half, y: base + 2, width: 2 * half, height: 22 + LINE, rx: 4 }),
      svgElement("text", { x: centres[word], y: base + 18 }, texts[word].form),
      svgElement("text", { class: "small tag", x: centres[word], y: base + 18 + LINE }, texts[word].tag),
    );
    return group;
  }
}

// For every word the arcs that end on it, by modifier, and their distance from its centre.
// Higher arcs are nearer to the centre, so that arcs on the same side do not cross.
function findFeet(arcs, levels) {
  const ends = arcs.map((arc, word) => new Map([[word, arc.head]]));
  arcs.forEach((arc, word) => arc.head >= 0 && ends[arc.head].set(word, word));
  return ends.map((others, word) => {
    const of = (test) => [...others].filter(([, other]) => other >= 0 && test(other)).map(([arc]) => arc);
    const left = of((other) => other < word).sort((one, other) => levels[one] - levels[other]);
    const right = of((other) => other > word).sort((one, other) => levels[other] - levels[one]);
    const order = [...left, ...(others.get(word) < 0 ? [word] : []), ...right];
    return new Map(order.map((arc, number) => [arc, FOOT * number - (FOOT * (order.length - 1)) / 2]));
  });
}

// Beside every modifier there is room for the label of its arc.
function wordCentres(arcs, widths, labelWidths, feet) {
  const steps = widths.slice(1).map((width, at) => widths[at] / 2 + GAP + width / 2);
  arcs.forEach((arc, word) => {
    if (arc.head < 0) return;
    const isLeft = arc.head > word;
    const beside = isLeft ? word : word - 1;
    const own = feet[word].get(word);
    const taken = isLeft
      ? own - Math.min(...feet[word + 1].values())
      : Math.max(...feet[word - 1].values()) - own;
    steps[beside] = Math.max(steps[beside], labelWidths[word] + taken + 2 * ROUND);
  });
  const centres = [MARGIN + widths[0] / 2];
  for (const step of steps) centres.push(centres[centres.length - 1] + step);
  return centres;
}
