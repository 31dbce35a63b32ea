// A tree beside its d-tree: what is pointed at in one is lit in both.

import { drawDTree } from "./dtree_view.js";
import { exportTools } from "./export.js";
import { figure } from "./figure.js";
import { element } from "./text.js";
import { STEPS, confidenceClass, drawTree } from "./tree_view.js";

const HIT = "c4 hit-mark";

// Returns the figures of a tree as the server describes it: `{ words, nodes, arcs }`. With `marks`, nodes and
// words with these numbers are coloured: `{ hits, wordHits }`.
export function linkedPair(tree, title, marks = {}) {
  const { words, nodes, arcs } = tree;
  const folded = new Set();
  const isScored = nodes.some((node) => node.confidence !== undefined);
  let colors;
  if (marks.hits) colors = nodes.map((_, node) => (marks.hits.has(node) ? HIT : ""));
  else if (isScored) colors = nodes.map((node) => confidenceClass(node.confidence ?? 1));
  const wordColors = words.map((_, word) => (marks.wordHits?.has(word) ? HIT : ""));
  let treeDrawing = null;
  let arcDrawing = null;
  let shape = null; // of the whole tree, with nothing folded
  const onPoint = (kind, number) => {
    const lit = kind ? linked(shape, arcs, kind, number) : { nodes: new Set(), words: new Set(), arcs: new Set() };
    treeDrawing?.light(lit.nodes, lit.words);
    arcDrawing?.light(lit.arcs, lit.words);
  };
  const onFold = (node) => {
    if (!shape.isContinuous(node) || nodes[node].parent < 0) return;
    if (!folded.delete(node)) folded.add(node);
    left.redraw();
    treeDrawing.focus("node", node);
  };
  const left = figure(title, words.length, () => {
    treeDrawing = drawTree({ words, nodes }, { folded, colors, wordColors, onPoint, onFold, ...marks });
    if (!folded.size) ({ shape } = treeDrawing);
    return treeDrawing;
  });
  left.append(...(isScored ? [legend()] : []), exportTools(() => tree));
  const figures = [left];
  if (arcs) {
    figures.push(figure("Head-ordered dependency tree", words.length, () =>
      (arcDrawing = drawDTree(words, arcs, { onPoint, wordHits: wordsOf(nodes, marks) }))));
  }
  return element("div", { className: "pair" }, ...figures);
}

// The words that are hits, and the heads of nodes that are.
function wordsOf(nodes, { hits = [], wordHits = [] }) {
  return new Set([...wordHits, ...[...hits].map((node) => nodes[node].head ?? nodes[node].tokens[0])]);
}

// What belongs to a node, a word, or an arc: its constituent, the arcs that build it, and its words.
function linked(shape, arcs, kind, number) {
  if (!shape) return { nodes: new Set(), words: new Set([number]), arcs: new Set(kind === "arc" ? [number] : []) };
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

// What the colours of confidences mean.
export function legend() {
  return element("ul", { className: "legend", "aria-label": "Confidence" }, ...STEPS.map((step) =>
    element("li", {}, element("span", { className: `swatch ${step.classes}` }), ` ${step.name}`)));
}
