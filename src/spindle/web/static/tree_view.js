// A constituent tree as SVG, with nodes that can be pointed at and reached by keyboard.

import { Shape, layOut, uninterrupted } from "./layout.js";
import { nodeLabel, svgElement, textWidth, visible } from "./text.js";

const MARGIN = 12;
const GAP = 14;
const LEVEL = 44;
const LINE = 18;
const BREAK = 5; // half the width of the interruption where another line crosses
const ROUND = 6;
export const ACCENTS = 5;

// Confidences as colours; the legend of the page lists the same steps.
export const STEPS = [
  { least: 0.95, classes: "", name: "95 % and more" },
  { least: 0.8, classes: "c1", name: "80 to 95 %" },
  { least: 0.5, classes: "c0", name: "50 to 80 %" },
  { least: 0, classes: "c4", name: "below 50 %" },
];

export function confidenceClass(confidence) {
  return STEPS.find((step) => confidence >= step.least).classes;
}

// Draws a tree. `options`: `colors`, a class for every node, otherwise discontinuous nodes are coloured;
// `wordColors` and `wordNotes`, a class and a note for every word; `folded`, a set of nodes that are shown as their words;
// `hits` and `wordHits`, sets of nodes and words that shall be in sight;
// `marks`, for every node nothing or `{ classes, sign, note }`: a sign before its label, a note for screen readers;
// `onPoint(kind, number)` when a node or word is pointed at, `onPoint(null)` when nothing is;
// `onFold(number)` when a node shall be folded or unfolded.
export function drawTree(tree, options = {}) {
  const shown = withoutFolded(tree, options.folded || new Set());
  const shape = new Shape(shown);
  const { size } = shape;
  const marks = shown.numbers.map((number) => options.marks?.[number]);
  const labels = shown.nodes.map((node, at) => (marks[at]?.sign || "") + nodeLabel(node));
  const texts = shown.words.map((word) => ({ form: visible(word.form), tag: visible(word.tag || "") }));
  const wordWidths = texts.map((text, word) =>
    Math.max(textWidth(text.form, 14, shape.isHeadChild(word)), textWidth(text.tag, 12)));
  const labelWidths = labels.map((label, node) => textWidth(label, 14, shape.isHeadChild(size + node)));
  const layout = layOut(shape, wordWidths, labelWidths, GAP);
  const top = Math.max(0, ...layout.levels);
  const baseline = (vertex) =>
    MARGIN + 14 + (vertex < size ? top * LEVEL + (texts[vertex].tag ? 0 : LINE) : (top - layout.levels[vertex - size]) * LEVEL);
  const width = Math.ceil(layout.width + 2 * MARGIN);
  const height = MARGIN + 14 + top * LEVEL + LINE + MARGIN;
  const title = shown.words.map((word) => visible(word.form)).join(" ");
  const svg = svgElement("svg", {
    class: "drawing", width, height, viewBox: `${-MARGIN} 0 ${width} ${height}`, role: "tree",
    "aria-label": `Constituent tree of: ${title}`,
  });
  const groups = [];
  const colors = shown.nodes.map((_, at) => marks[at]?.classes || options.colors?.[shown.numbers[at]] || "");
  if (!options.colors) accentDiscontinuous(shape, colors);
  for (let node = 0; node < shown.nodes.length; node++) groups.push(drawNode(node));
  for (let word = 0; word < size; word++) groups.push(drawWord(word));
  svg.append(...groups);
  const byVertex = new Map(groups.map((group) => [group.dataset.vertex, group]));
  listen();
  return {
    svg, width, height, shape,
    top: MARGIN + (shown.nodes.length ? layout.labelCentres[0] : 0),
    marked: places(),
    // Lights the nodes and words with these numbers, and nothing else.
    light(nodes, words) {
      for (const [vertex, group] of byVertex) {
        const isWord = vertex.startsWith("w");
        group.classList.toggle("lit", (isWord ? words : nodes).has(Number(vertex.slice(1))));
      }
    },
    focus(kind, number) {
      byVertex.get(kind[0] + number)?.focus();
    },
  };

  // Where the first and the last marked or coloured parts are; nothing without them.
  function places() {
    const isMarked = (node) => marks[node]?.sign || options.hits?.has(shown.numbers[node]);
    const found = [
      ...layout.labelCentres.filter((_, node) => isMarked(node)),
      ...shown.wordNumbers.flatMap((original, word) => (options.wordHits?.has(original) ? [layout.centres[word]] : [])),
    ];
    return found.length ? [MARGIN + Math.min(...found), MARGIN + Math.max(...found)] : null;
  }

  function drawNode(node) {
    const vertex = size + node;
    const stem = layout.centres[vertex];
    const line = baseline(vertex) + 16;
    const x = layout.labelCentres[node];
    const half = labelWidths[node] / 2 + 3;
    const number = shown.numbers[node];
    const label = shape.isHeadChild(vertex) ? "head" : "";
    const what = describeNode(shown.nodes[node], labels[node], shown.words) + (marks[node] ? `, ${marks[node].note}` : "");
    const group = svgElement("g", {
      class: colors[node], tabindex: "-1", role: "treeitem", "aria-level": depth(vertex) + 1, "aria-label": what,
      "data-vertex": `n${number}`,
    });
    if (shape.children[node].length) group.append(svgElement("path", { d: branches(node, stem, line) }));
    group.append(
      svgElement("rect", { class: "hit", x: x - half, y: baseline(vertex) - 15, width: 2 * half, height: 20, rx: 4 }),
      svgElement("text", { class: label, x, y: baseline(vertex) }, labels[node]),
      svgElement("title", {}, what),
    );
    return group;
  }

  function drawWord(word) {
    const x = layout.centres[word];
    const y = MARGIN + 14 + top * LEVEL;
    const half = Math.max(14, wordWidths[word] / 2 + 3);
    const original = shown.wordNumbers[word];
    const group = svgElement("g", {
      class: (options.wordColors || [])[original] || "",
      tabindex: "-1", role: "treeitem", "aria-level": depth(word) + 1,
      "aria-label": [texts[word].tag, texts[word].form].filter(Boolean).join(" ") + (options.wordNotes?.[original] ? `, ${options.wordNotes[original]}` : ""),
      "data-vertex": shown.foldedNodes.has(word) ? `n${shown.foldedNodes.get(word)}` : `w${original}`,
    });
    const start = texts[word].tag ? y - 13 : y + 4;
    group.append(svgElement("rect", { class: "hit", x: x - half, y: start, width: 2 * half, height: y + LINE + 7 - start, rx: 4 }));
    const bold = shape.isHeadChild(word) ? " head" : "";
    if (texts[word].tag) group.append(svgElement("text", { class: `small tag${bold}`, x, y }, texts[word].tag), " ");
    group.append(svgElement("text", { class: bold.trim(), x, y: y + LINE }, texts[word].form));
    return group;
  }

  function branches(node, stem, line) {
    const feet = new Map(shape.children[node].map((child) => [layout.centres[child], baseline(child) - 16]));
    const places = [stem, ...feet.keys()];
    const [first, last] = [Math.min(...places), Math.max(...places)];
    const level = layout.levels[node];
    const crossing = [];
    if (first < last) {
      for (let vertex = 0; vertex < layout.centres.length; vertex++) {
        const x = layout.centres[vertex];
        const parent = shape.parent(vertex);
        if (x <= first || x >= last || parent < 0 || parent === node) continue;
        const own = vertex < size ? 0 : layout.levels[vertex - size];
        if (own < level && level < layout.levels[parent]) crossing.push(x);
      }
    }
    let path = upright(stem, line - 10, line, first, last, !feet.has(stem));
    for (const [x, end] of feet) path += upright(x, end, line, first, last, x !== stem);
    const isRound = (place) => !feet.has(place) || place !== stem;
    for (const [from, to] of uninterrupted(first + (isRound(first) ? ROUND : 0), last - (isRound(last) ? ROUND : 0), crossing, BREAK)) {
      if (from < to) path += `M${from} ${line}H${to}`;
    }
    return path;
  }

  function depth(vertex) {
    let found = 0;
    for (let parent = shape.parent(vertex); parent >= 0; parent = shape.nodes[parent].parent) found++;
    return found;
  }

  function listen() {
    const pointed = (event) => event.target.closest?.("g[data-vertex]");
    const tell = (group) => {
      if (!options.onPoint) return;
      if (!group) options.onPoint(null);
      else options.onPoint(group.dataset.vertex[0] === "w" ? "word" : "node", Number(group.dataset.vertex.slice(1)));
    };
    svg.addEventListener("pointerover", (event) => tell(pointed(event)));
    svg.addEventListener("pointerleave", () => tell(pointed({ target: document.activeElement }) || null));
    svg.addEventListener("focusin", (event) => {
      for (const group of groups) group.setAttribute("tabindex", "-1");
      pointed(event)?.setAttribute("tabindex", "0");
      tell(pointed(event));
    });
    svg.addEventListener("click", (event) => {
      const group = pointed(event);
      group?.focus({ preventScroll: true });
    });
    svg.addEventListener("dblclick", (event) => {
      const group = pointed(event);
      if (group && options.onFold && group.dataset.vertex[0] === "n") options.onFold(Number(group.dataset.vertex.slice(1)));
    });
    svg.addEventListener("keydown", (event) => {
      const group = pointed(event);
      if (!group) return;
      const at = groups.indexOf(group);
      const vertex = at < shown.nodes.length ? size + at : at - shown.nodes.length;
      const next = neighbour(vertex, event.key);
      if (next !== undefined && !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
        event.preventDefault();
        groups[next < size ? shown.nodes.length + next : next - size]?.focus();
      } else if (event.key === " " && options.onFold && group.dataset.vertex[0] === "n") {
        event.preventDefault();
        options.onFold(Number(group.dataset.vertex.slice(1)));
      }
    });
    groups[0]?.setAttribute("tabindex", "0");
  }

  // Up is the parent, down the first child, left and right are the sisters.
  function neighbour(vertex, key) {
    const parent = shape.parent(vertex);
    if (key === "ArrowUp") return parent < 0 ? vertex : size + parent;
    if (key === "ArrowDown") return vertex < size ? vertex : shape.children[vertex - size][0];
    if (key === "ArrowLeft" || key === "ArrowRight") {
      if (parent < 0) return vertex;
      const sisters = shape.children[parent];
      return sisters[sisters.indexOf(vertex) + (key === "ArrowLeft" ? -1 : 1)] ?? vertex;
    }
    if (key === "Home") return size;
    return undefined;
  }
}

function describeNode(node, label, words) {
  const confidence = node.confidence === undefined ? "" : `, confidence ${Math.round(node.confidence * 100)} %`;
  return `${label}: ${node.tokens.map((word) => visible(words[word].form)).join(" ")}${confidence}`;
}

export function accentDiscontinuous(shape, colors) {
  let seen = 0;
  for (let node = 0; node < colors.length; node++) {
    if (!shape.isContinuous(node)) colors[node] = `${colors[node]} c${seen++ % ACCENTS}`.trim();
  }
}

// The tree in which folded nodes are single words, the first and the last of theirs.
// `numbers` and `wordNumbers` are the numbers of nodes and words before.
function withoutFolded(tree, folded) {
  const all = {
    words: tree.words, nodes: tree.nodes, numbers: tree.nodes.map((_, at) => at),
    wordNumbers: tree.words.map((_, at) => at), foldedNodes: new Map(),
  };
  if (!folded.size) return all;
  const isBelow = tree.nodes.map(() => false);
  const place = new Map(); // old word → new word
  const owner = new Array(tree.words.length).fill(-1);
  tree.nodes.forEach((node, number) => {
    isBelow[number] = node.parent >= 0 && (isBelow[node.parent] || folded.has(node.parent));
    if (folded.has(number) && !isBelow[number]) node.tokens.forEach((word) => (owner[word] = number));
  });
  const words = [];
  const wordNumbers = [];
  const foldedNodes = new Map();
  tree.words.forEach((word, at) => {
    const node = owner[at];
    if (node < 0) {
      place.set(at, words.length);
      wordNumbers.push(at);
      words.push(word);
      return;
    }
    const { tokens } = tree.nodes[node];
    if (at === tokens[0]) {
      const [first, last] = [tree.words[tokens[0]].form, tree.words[tokens[tokens.length - 1]].form];
      foldedNodes.set(words.length, node);
      wordNumbers.push(at);
      words.push({ form: tokens.length > 1 ? `${first} … ${last}` : first, tag: `▸ ${nodeLabel(tree.nodes[node])}` });
    }
    place.set(at, words.length - 1);
  });
  const numbers = [];
  const nodes = [];
  const renumbered = new Map();
  tree.nodes.forEach((node, number) => {
    if (isBelow[number] || folded.has(number)) return;
    renumbered.set(number, nodes.length);
    numbers.push(number);
    const tokens = [...new Set(node.tokens.map((word) => place.get(word)))];
    nodes.push({
      ...node, tokens, parent: node.parent < 0 ? -1 : renumbered.get(node.parent),
      ...(node.head === undefined ? {} : { head: place.get(node.head) }),
    });
  });
  return { words, nodes, numbers, wordNumbers, foldedNodes };
}

export function upright(x, end, line, first, last, isCorner) {
  if (!isCorner || (x !== first && x !== last)) return `M${x} ${end}V${line}`;
  const before = end > line ? line + ROUND : line - ROUND;
  const after = x === first ? x + ROUND : x - ROUND;
  return `M${x} ${end}V${before}Q${x} ${line} ${after} ${line}`;
}
