// Where the parts of a tree stand, by the rules of the drawings that Spindle writes (`spindle.drawing.layout`):
// the label of a node stands above a contiguous part of its yield, its block; a node's level is above all
// nodes within the span of its yield. So no line runs through a label, and of two lines that cross one is
// interrupted.
//
// A tree is `{ words, nodes }`. Vertices are numbered: words first, then nodes. Nodes know their `parent`
// (-1 at the top, always smaller than the own number), their `tokens`, and their `head`, if heads are known.

export class Shape {
  constructor(tree) {
    this.size = tree.words.length;
    this.nodes = tree.nodes;
    this.leafParents = new Array(this.size).fill(-1);
    this.nodes.forEach((node, number) => node.tokens.forEach((word) => (this.leafParents[word] = number)));
    this.children = this.nodes.map(() => []);
    const first = (vertex) => (vertex < this.size ? vertex : this.nodes[vertex - this.size].tokens[0]);
    for (let vertex = 0; vertex < this.size + this.nodes.length; vertex++) {
      const parent = this.parent(vertex);
      if (parent >= 0) this.children[parent].push(vertex);
    }
    for (const list of this.children) list.sort((one, other) => first(one) - first(other));
    this.hasHeads = this.nodes.length > 0 && this.nodes[0].head !== undefined;
  }

  parent(vertex) {
    return vertex < this.size ? this.leafParents[vertex] : this.nodes[vertex - this.size].parent;
  }

  headOf(vertex) {
    return vertex < this.size ? vertex : this.nodes[vertex - this.size].head;
  }

  isHeadChild(vertex) {
    const parent = this.parent(vertex);
    return this.hasHeads && parent >= 0 && this.nodes[parent].head === this.headOf(vertex);
  }

  isContinuous(node) {
    const { tokens } = this.nodes[node];
    return tokens[tokens.length - 1] - tokens[0] + 1 === tokens.length;
  }

  // The node that the arc of a word belongs to: the lowest one above the word that has the arc's head.
  nodeOfArc(word, head) {
    let node = this.leafParents[word];
    while (node >= 0 && this.nodes[node].head !== head) node = this.nodes[node].parent;
    return node;
  }

  // The words whose arcs build a node: the heads of its children, except its own.
  arcsOfNode(node) {
    return this.children[node].map((child) => this.headOf(child)).filter((word) => word !== this.nodes[node].head);
  }
}

export function layOut(shape, wordWidths, labelWidths, gap) {
  const blocks = findBlocks(shape);
  const widths = widened(wordWidths, blocks, labelWidths, gap);
  const starts = [0];
  for (const width of widths) starts.push(starts[starts.length - 1] + width + gap);
  const centres = widths.map((width, word) => starts[word] + width / 2);
  centres.push(...nodeCentres(shape, blocks, centres, gap));
  const labelCentres = blocks.map(([first, last], node) => {
    const half = labelWidths[node] / 2;
    const [low, high] = [starts[first] + half, starts[last] + widths[last] - half];
    return Math.max(low, Math.min(centres[shape.size + node], high));
  });
  return { levels: levels(shape), centres, labelCentres, widths, starts, width: starts[starts.length - 1] - gap };
}

export function levels(shape) {
  const found = new Array(shape.nodes.length).fill(0);
  const skyline = new Array(shape.size).fill(0);
  const span = (node) => [node.tokens[0], node.tokens[node.tokens.length - 1] + 1];
  const length = (node) => span(node)[1] - span(node)[0];
  const order = found.map((_, number) => number);
  order.sort((one, other) => length(shape.nodes[one]) - length(shape.nodes[other]) || other - one);
  for (const node of order) {
    const [first, end] = span(shape.nodes[node]);
    let highest = 0;
    for (let at = first; at < end; at++) highest = Math.max(highest, skyline[at]);
    found[node] = highest + 1;
    skyline.fill(found[node], first, end);
  }
  return found;
}

function findBlocks(shape) {
  const blocks = new Array(shape.nodes.length);
  for (let node = blocks.length - 1; node >= 0; node--) {
    const anchors = shape.hasHeads
      ? [shape.nodes[node].head]
      : shape.children[node].map((child) => (child < shape.size ? child : blocks[child - shape.size][0]));
    let best = null;
    for (const [first, last] of runs(shape.nodes[node].tokens)) {
      const rank = [anchors.filter((anchor) => first <= anchor && anchor <= last).length, last - first];
      if (best === null || rank[0] > best.rank[0] || (rank[0] === best.rank[0] && rank[1] > best.rank[1])) {
        best = { rank, block: [first, last] };
      }
    }
    blocks[node] = best.block;
  }
  return blocks;
}

function runs(tokens) {
  const found = [];
  for (const token of tokens) {
    const last = found[found.length - 1];
    if (last && last[1] + 1 === token) last[1] = token;
    else found.push([token, token]);
  }
  return found;
}

function widened(widths, blocks, labelWidths, gap) {
  const found = [...widths];
  const order = blocks.map((block, node) => ({ block, wanted: labelWidths[node] }));
  order.sort((one, other) => one.block[1] - one.block[0] - (other.block[1] - other.block[0]));
  for (const { block: [first, last], wanted } of order) {
    let room = gap * (last - first);
    for (let at = first; at <= last; at++) room += found[at];
    const more = Math.max(0, wanted - room) / (last + 1 - first);
    if (more) for (let at = first; at <= last; at++) found[at] += more;
  }
  return found;
}

function nodeCentres(shape, blocks, wordCentres, gap) {
  if (shape.hasHeads) return shape.nodes.map((node) => wordCentres[node.head]);
  const centres = new Array(blocks.length);
  for (let node = blocks.length - 1; node >= 0; node--) {
    const [first, last] = blocks[node];
    const below = [];
    for (const child of shape.children[node]) {
      const anchor = child < shape.size ? child : blocks[child - shape.size][0];
      if (first <= anchor && anchor <= last) {
        below.push(child < shape.size ? wordCentres[child] : centres[child - shape.size]);
      }
    }
    const middle = (Math.min(...below) + Math.max(...below)) / 2;
    const nearest = below.reduce((one, other) => (Math.abs(other - middle) < Math.abs(one - middle) ? other : one));
    centres[node] = Math.abs(nearest - middle) <= gap ? nearest : middle;
  }
  return centres;
}

// The levels of the arcs of a d-tree: above all arcs within the span, above those that leave the modifier,
// and above those of earlier events of the head.
export function arcLevels(arcs) {
  const size = arcs.length;
  const modifiers = arcs.map(() => []);
  arcs.forEach((arc, word) => arc.head >= 0 && modifiers[arc.head].push(word));
  const below = arcs.map((arc, word) => [
    ...modifiers[word],
    ...(arc.head < 0 ? [] : modifiers[arc.head].filter((other) => arcs[other].event < arc.event)),
  ]);
  const above = arcs.map(() => []);
  const waiting = below.map((list) => list.length);
  below.forEach((list, word) => list.forEach((other) => above[other].push(word)));
  const reach = arcs.map((arc, word) => (arc.head < 0 ? size + 1 : Math.abs(arc.head - word)));
  const ready = arcs.map((_, word) => word).filter((word) => !waiting[word]);
  const found = new Array(size).fill(0);
  const skyline = new Array(size).fill(0);
  while (ready.length) {
    let next = 0;
    for (let at = 1; at < ready.length; at++) {
      const [one, other] = [ready[at], ready[next]];
      if (reach[one] < reach[other] || (reach[one] === reach[other] && one < other)) next = at;
    }
    const [word] = ready.splice(next, 1);
    const { head } = arcs[word];
    const [first, end] = head < 0 ? [0, size] : [Math.min(head, word), Math.max(head, word)];
    let highest = 0;
    for (let at = first; at < end; at++) highest = Math.max(highest, skyline[at]);
    for (const other of below[word]) highest = Math.max(highest, found[other]);
    found[word] = highest + 1;
    skyline.fill(found[word], first, end);
    for (const other of above[word]) if (!--waiting[other]) ready.push(other);
  }
  return found;
}

// The parts of a line that are left when it is interrupted where others cross it.
export function uninterrupted(first, last, crossing, half) {
  const parts = [];
  let start = first;
  for (const place of [...crossing].sort((one, other) => one - other)) {
    if (first < place && place < last) {
      if (place - half > start) parts.push([start, place - half]);
      start = place + half;
    }
  }
  return [...parts, [start, last]];
}
