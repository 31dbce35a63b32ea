// Changes of a tree. Every function is pure: it takes a tree and returns `{ tree, vertex, renumbered }`: the new tree,
// the vertex that was changed, and the new number of every old node (undefined if the node is gone). What is not
// possible throws an `EditError`, which says why.
//
// A tree is `{ words, nodes }`. Vertices are numbered: words first, then nodes. A node has a `label`, perhaps a
// `function`, its `parent` (-1 at the top) and its `tokens`. What always holds (`check` tests it): every word has one
// parent; there is one top node; parents come before children, so there is no cycle; no node is without words; nodes
// are numbered by their leftmost word, and top-down among those with the same one.

export class EditError extends Error {}

// Returns a tree from nodes in any order. Nodes without words are left out, also those that become empty by that.
export function build(words, nodes, leafParents) {
  const tokens = nodes.map(() => []);
  const depths = nodes.map((_, node) => path(nodes, node).length);
  leafParents.forEach((parent, word) => path(nodes, parent).forEach((node) => tokens[node].push(word)));
  const order = nodes.map((_, node) => node).filter((node) => tokens[node].length);
  order.sort((one, other) => tokens[one][0] - tokens[other][0] || depths[one] - depths[other]);
  const renumbered = new Array(nodes.length).fill(undefined);
  order.forEach((old, now) => (renumbered[old] = now));
  const built = order.map((old) => {
    const { parent, ...rest } = nodes[old];
    delete rest.head; // heads depend on the children
    return { ...rest, parent: parent < 0 ? -1 : renumbered[parent], tokens: tokens[old] };
  });
  const tree = { words, nodes: built };
  check(tree);
  return { tree, renumbered };
}

// The nodes from a node up to the top.
function path(nodes, node) {
  const found = [];
  for (let at = node; at >= 0; at = nodes[at].parent) {
    found.push(at);
    if (found.length > nodes.length) throw new EditError("a node cannot be below itself");
  }
  return found;
}

export function check({ words, nodes }) {
  if (!words.length || !nodes.length) throw new EditError("a tree has words and a node above them");
  const children = new Array(nodes.length).fill(0);
  const owners = new Array(words.length).fill(-1);
  nodes.forEach((node, number) => {
    if (number === 0 ? node.parent !== -1 : !(node.parent >= 0 && node.parent < number)) {
      throw new EditError("a tree has one top node, and parents come before children");
    }
    if (!node.tokens.length) throw new EditError("a node has words");
    if (number) {
      children[node.parent]++;
      const above = new Set(nodes[node.parent].tokens);
      if (!node.tokens.every((word) => above.has(word))) throw new EditError("a node has the words of its children");
      const before = nodes[number - 1];
      if (before.tokens[0] > node.tokens[0]) throw new EditError("nodes are in the order of their first words");
    }
    node.tokens.forEach((word) => (owners[word] = number));
  });
  if (nodes[0].tokens.length !== words.length || owners.includes(-1)) throw new EditError("every word is in the tree once");
  const sizes = nodes.map((node) => node.tokens.length);
  nodes.forEach((node, number) => number && (sizes[node.parent] -= node.tokens.length));
  if (sizes.some((size) => size < 0)) throw new EditError("a word has one parent");
  sizes.forEach((size, number) => {
    if (!size && !children[number]) throw new EditError("a node has words");
  });
}

export function leafParents({ words, nodes }) {
  const found = new Array(words.length).fill(-1);
  nodes.forEach((node, number) => node.tokens.forEach((word) => (found[word] = number)));
  return found;
}

// ── changes ──

export function relabel(tree, node, label, name = tree.nodes[node].function) {
  const nodes = tree.nodes.map((one) => ({ ...one }));
  nodes[node].label = checkedName(label, "a label");
  delete nodes[node].confidence;
  if (name) nodes[node].function = checkedName(name, "a function");
  else delete nodes[node].function;
  return done(tree, tree.words, nodes, leafParents(tree), tree.words.length + node);
}

export function retag(tree, word, tag) {
  const words = tree.words.map((one, at) => (at === word ? { ...one, tag: checkedName(tag, "a tag") } : one));
  return done(tree, words, tree.nodes, leafParents(tree), word);
}

// Moves a word or a node below another node. Nodes that lose their last word disappear.
export function move(tree, vertex, parent) {
  const size = tree.words.length;
  const leaves = leafParents(tree);
  const nodes = tree.nodes.map((one) => ({ ...one }));
  if (vertex >= size && path(nodes, parent).includes(vertex - size)) {
    throw new EditError("a node cannot be moved into itself");
  }
  if ((vertex < size ? leaves[vertex] : nodes[vertex - size].parent) === parent) {
    throw new EditError("it is there already");
  }
  if (vertex < size) leaves[vertex] = parent;
  else nodes[vertex - size].parent = parent;
  return done(tree, tree.words, nodes, leaves, vertex);
}

// Moves a word or a node to the parent of its parent.
export function raise(tree, vertex) {
  const size = tree.words.length;
  const parent = vertex < size ? leafParents(tree)[vertex] : tree.nodes[vertex - size].parent;
  const above = parent < 0 ? -1 : tree.nodes[parent].parent;
  if (above < 0) throw new EditError("there is no node further up");
  return move(tree, vertex, above);
}

// Puts a new node above vertices, below the lowest node that is above all of them. Vertices of different nodes are
// taken out of these.
export function group(tree, vertices, label) {
  const size = tree.words.length;
  const leaves = leafParents(tree);
  const nodes = tree.nodes.map((one) => ({ ...one }));
  const parentOf = (vertex) => (vertex < size ? leaves[vertex] : nodes[vertex - size].parent);
  const chosen = [...new Set(vertices)];
  if (!chosen.length) throw new EditError("choose what shall be grouped");
  const above = chosen.map((vertex) => path(nodes, parentOf(vertex)));
  chosen.forEach((vertex, at) => {
    const below = chosen.some((other) => other >= size && above[at].includes(other - size));
    if (below) throw new EditError("one of these is inside another; choose parts that are beside each other");
  });
  const parent = above[0].find((node) => above.every((list) => list.includes(node))) ?? -1;
  nodes.push({ label: checkedName(label, "a label"), parent });
  for (const vertex of chosen) {
    if (vertex < size) leaves[vertex] = nodes.length - 1;
    else nodes[vertex - size].parent = nodes.length - 1;
  }
  return done(tree, tree.words, nodes, leaves, size + nodes.length - 1);
}

// Puts a new node above one vertex, which may be the top.
export function insertAbove(tree, vertex, label) {
  return group(tree, [vertex], label);
}

// Removes a node; its children go to its parent.
export function dissolve(tree, node) {
  const { parent } = tree.nodes[node];
  const leaves = leafParents(tree).map((one) => (one === node ? parent : one));
  const below = tree.nodes.filter((one) => one.parent === node).length;
  if (parent < 0 && (below !== 1 || leaves.includes(-1))) {
    throw new EditError("the top node can only be removed if there is a single node below it");
  }
  const nodes = tree.nodes.map((one) => ({ ...one, parent: one.parent === node ? parent : one.parent }));
  const shift = (at) => (at > node ? at - 1 : at);
  nodes.splice(node, 1);
  for (const one of nodes) one.parent = shift(one.parent);
  const without = build(tree.words, nodes, leaves.map(shift));
  const renumbered = tree.nodes.map((_, old) => (old === node ? undefined : without.renumbered[shift(old)]));
  const [first] = tree.nodes[node].tokens;
  const vertex = parent < 0 ? tree.words.length : tree.words.length + (renumbered[parent] ?? first);
  return { tree: without.tree, vertex, renumbered };
}

// Removes all nodes inside a node.
export function flatten(tree, node) {
  const isInside = tree.nodes.map((_, at) => at !== node && path(tree.nodes, at).includes(node));
  if (!isInside.includes(true)) throw new EditError("there is no node inside this one");
  const leaves = leafParents(tree).map((parent) => (isInside[parent] ? node : parent));
  return done(tree, tree.words, tree.nodes, leaves, tree.words.length + node);
}

function done(before, words, nodes, leaves, vertex) {
  const { tree, renumbered } = build(words, nodes, leaves);
  const size = words.length;
  const now = vertex < size ? vertex : size + renumbered[vertex - size];
  return { tree, vertex: now, renumbered: renumbered.slice(0, before.nodes.length) };
}

function checkedName(name, what) {
  const text = name.trim();
  if (!text) throw new EditError(`${what} cannot be empty`);
  if (/[\s()\p{Cc}\p{Cs}]/u.test(text)) throw new EditError(`${what} has no blanks and no brackets`);
  return text;
}
