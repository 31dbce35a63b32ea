// What a person has fixed in a tree, in the form of `spindle.Constraints`: brackets that must be in the tree, brackets
// that must not, tags of words. Everything is pure. The tree that a person sees has all that is fixed.

import { EditError } from "./edit_ops.js";

export const NOTHING = Object.freeze({ required: [], forbidden: [], tags: {} });

const key = ({ words, label }) => `${words.join(" ")}\n${label ?? ""}`;

function brackets(tree) {
  return tree.nodes.map((node) => ({ words: node.tokens, label: node.label }));
}

// What is fixed after a change: what the change has made must stay, what it has removed must not come back.
export function afterChange(fixed, before, after) {
  const [old, now] = [brackets(before), brackets(after)];
  const [oldKeys, nowKeys] = [new Set(old.map(key)), new Set(now.map(key))];
  const spans = new Set(now.map(({ words }) => key({ words })));
  const added = now.filter((one) => !oldKeys.has(key(one)));
  const removed = old.filter((one) => !nowKeys.has(key(one)));
  const required = unique([...fixed.required, ...added]).filter((one) => nowKeys.has(key(one)));
  const forbidden = unique([
    ...fixed.forbidden,
    // without a label it forbids all nodes over these words
    ...removed.map((one) => (spans.has(key({ words: one.words })) ? one : { words: one.words })),
  ]).filter((one) => !nowKeys.has(key(one)) && !(one.label === undefined && spans.has(key(one))));
  const tags = { ...fixed.tags };
  after.words.forEach((word, at) => {
    if (word.tag !== before.words[at].tag) tags[at] = word.tag;
  });
  return { required, forbidden, tags };
}

function unique(list) {
  return [...new Map(list.map((one) => [key(one), one])).values()];
}

// Fixes a vertex of a tree, or takes that back. Words have their tags fixed.
export function toggled(fixed, tree, vertex) {
  const size = tree.words.length;
  if (vertex < size) {
    const tags = { ...fixed.tags };
    if (vertex in tags) delete tags[vertex];
    else if (tree.words[vertex].tag) tags[vertex] = tree.words[vertex].tag;
    else throw new EditError("this word has no tag; give it one, and the tag stays");
    return { ...fixed, tags };
  }
  const node = tree.nodes[vertex - size];
  const one = { words: node.tokens, label: node.label };
  const isThere = fixed.required.some((other) => key(other) === key(one));
  const required = isThere ? fixed.required.filter((other) => key(other) !== key(one)) : [...fixed.required, one];
  return { ...fixed, required };
}

export function isFixed(fixed, tree, vertex) {
  const size = tree.words.length;
  if (vertex < size) return vertex in fixed.tags;
  const node = tree.nodes[vertex - size];
  const wanted = key({ words: node.tokens, label: node.label });
  return fixed.required.some((one) => key(one) === wanted);
}

export function countFixed(fixed) {
  return fixed.required.length + fixed.forbidden.length + Object.keys(fixed.tags).length;
}
