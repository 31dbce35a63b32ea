// An editor of one tree: buttons, keys and the pointer change it by the functions of edit_ops.js, so that it is a tree
// at any time. It keeps what a person has changed apart (edit_fixed.js), for the model to fill in the rest.

import { NOTHING, afterChange, countFixed, isFixed, toggled } from "./edit_fixed.js";
import { EditError, dissolve, flatten, group, insertAbove, leafParents, move, raise, relabel, retag } from "./edit_ops.js";
import { figure } from "./figure.js";
import { Shape } from "./layout.js";
import { legend } from "./pair.js";
import { element, nodeLabel, visible } from "./text.js";
import { confidenceClass, drawTree } from "./tree_view.js";

const DRAG = 6; // pixels from which on a pressed pointer drags
const STATES = 500; // the steps that can be undone
const NEW = "X"; // the label of new nodes until it is changed

const ACTIONS = [
  { keys: ["Enter", "F2"], name: "Rename", help: "change the label or the tag", run: (editor) => editor.rename() },
  { keys: ["g"], name: "Group", help: "put a new node above what is chosen", run: (editor) => editor.group() },
  { keys: ["u", "Delete", "Backspace"], name: "Ungroup", help: "remove the node; its children stay", run: (editor) => editor.change((tree) => dissolve(tree, editor.node())) },
  { keys: ["i"], name: "Insert above", help: "put a new node above this one", run: (editor) => editor.insert() },
  { keys: ["m"], name: "Move", help: "take it; on another node, the same key or Enter puts it there, Escape drops it", run: (editor) => editor.takeOrPut() },
  { keys: ["r", "Alt+ArrowUp"], name: "Raise", help: "move it to the parent of its parent", run: (editor) => editor.change((tree) => raise(tree, editor.vertex)) },
  { keys: ["Alt+ArrowLeft"], help: "move it into its left sister", run: (editor) => editor.intoSister(-1) },
  { keys: ["Alt+ArrowRight"], help: "move it into its right sister", run: (editor) => editor.intoSister(1) },
  { keys: ["l"], name: "Flatten", help: "remove all nodes inside this one", run: (editor) => editor.change((tree) => flatten(tree, editor.node())) },
  { keys: ["x"], name: "Choose", help: "choose several parts, to group them", run: (editor) => editor.choose() },
  { keys: ["f"], name: "Fix", help: "keep it when the model fills in the rest, or not", run: (editor) => editor.fix() },
  { keys: ["p"], name: "Fill in", help: "let the model parse all that is not fixed", run: (editor) => editor.options.onFill() },
  { keys: ["z", "Ctrl+z"], name: "Undo", help: "take the last change back", run: (editor) => editor.step(-1) },
  { keys: ["y", "Shift+Z", "Ctrl+y", "Ctrl+Shift+Z"], name: "Redo", help: "make it again", run: (editor) => editor.step(1) },
];
const MOVES = [
  ["arrow keys", "go to the parent, the first child, the sisters"], ["Home", "go to the top"], ["Space", "fold or unfold a node"],
];

export class Editor {
  // `options`: `onFill()`, `onChange()`, `onKey(key)` for keys that are not the editor's.
  constructor(box, options) {
    Object.assign(this, { box, options, states: [], at: -1, saved: -1, vertex: 0, chosen: new Set(), folded: new Set(), taken: null });
    this.status = element("output", { role: "status" });
    this.form = this.makeForm();
    this.list = element("datalist", { id: `${box.id}-names` });
    this.tools = element("div", { className: "tools", role: "toolbar", "aria-label": "Change the tree" }, ...ACTIONS.filter(({ name }) => name).map((action) => {
      const made = element("button", { type: "button", textContent: action.name, title: `${action.help} (${action.keys[0]})` });
      made.addEventListener("click", () => this.run(action));
      return made;
    }));
    box.replaceChildren();
  }

  // The tree and what is fixed, as they are now: another object after every change.
  get state() {
    return this.states[this.at];
  }

  get tree() {
    return this.state.tree;
  }

  get fixed() {
    return this.state.fixed;
  }

  get isOpen() {
    return this.at >= 0;
  }

  get isChanged() {
    return this.isOpen && this.state !== this.saved;
  }

  // Opens a tree; `names` are labels and tags to choose from.
  open(tree, title, names = []) {
    const first = { tree: { words: tree.words, nodes: tree.nodes }, fixed: NOTHING, vertex: tree.words.length };
    Object.assign(this, { states: [first], at: 0, saved: first, vertex: first.vertex, taken: null, title });
    this.chosen.clear();
    this.folded.clear();
    this.list.replaceChildren(...names.map((value) => element("option", { value })));
    this.drawing = null; // large trees are drawn on request
    this.figure = figure(title, tree.words.length, () => (this.drawing = this.draw()));
    this.scroll = this.figure.querySelector(".scroll");
    this.listen();
    if (tree.nodes.some((node) => node.confidence !== undefined)) this.figure.append(legend());
    this.figure.append(this.form, this.tools, this.status);
    this.box.replaceChildren(this.figure, this.list);
    this.say("");
    this.showCurrent();
  }

  close() {
    Object.assign(this, { states: [], at: -1, saved: -1 });
    this.box.replaceChildren();
  }

  // The tree in this state is stored somewhere.
  markSaved(state) {
    this.saved = state;
    this.options.onChange();
  }

  // ── changes ──

  change(operation) {
    const before = this.tree;
    const { tree, vertex, renumbered } = operation(before);
    const size = tree.words.length;
    const now = (old) => (old < size ? old : renumbered[old - size] === undefined ? undefined : size + renumbered[old - size]);
    this.folded = new Set([...this.folded].map((node) => renumbered[node]).filter((node) => node > 0));
    this.chosen = new Set([...this.chosen].map(now).filter((one) => one !== undefined));
    this.push({ tree, fixed: afterChange(this.fixed, before, tree), vertex });
  }

  // Takes another tree over the same words, as one step that can be undone.
  replace(tree, fixed) {
    this.folded.clear();
    this.chosen.clear();
    const vertex = Math.min(this.vertex, tree.words.length + tree.nodes.length - 1);
    this.push({ tree: { words: tree.words, nodes: tree.nodes }, fixed, vertex });
  }

  push(state) {
    this.states = [...this.states.slice(Math.max(0, this.at + 2 - STATES), this.at + 1), state];
    this.at = this.states.length - 1;
    this.taken = null;
    this.vertex = state.vertex;
    this.redraw();
    this.say("");
  }

  step(by) {
    const next = this.at + by;
    if (!this.states[next]) throw new EditError(by < 0 ? "there is nothing to undo" : "there is nothing to redo");
    const { vertex } = this.states[Math.max(this.at, next)];
    this.at = next;
    this.folded.clear();
    this.chosen.clear();
    this.taken = null;
    this.vertex = Math.min(vertex, this.tree.words.length + this.tree.nodes.length - 1);
    this.redraw();
  }

  // The node that is current; words are refused.
  node() {
    if (this.vertex < this.tree.words.length) throw new EditError("this is a word; go to a node");
    return this.vertex - this.tree.words.length;
  }

  group() {
    const chosen = this.chosen.size ? [...this.chosen] : [this.vertex];
    this.chosen.clear();
    this.change((tree) => group(tree, chosen, NEW));
    this.rename();
  }

  insert() {
    this.change((tree) => insertAbove(tree, this.vertex, NEW));
    this.rename();
  }

  takeOrPut() {
    if (this.taken === null) {
      this.taken = this.vertex;
      this.redraw();
      this.say("go to the node it shall be below, then press m or Enter; Escape drops it");
      return;
    }
    this.put(this.vertex);
  }

  put(target) {
    const { taken } = this;
    const size = this.tree.words.length;
    const parent = target < size ? leafParents(this.tree)[target] : target - size;
    this.taken = null;
    this.redraw();
    this.change((tree) => move(tree, taken, parent));
  }

  drop() {
    this.taken = null;
    this.chosen.clear();
    this.redraw();
    this.say("");
  }

  intoSister(step) {
    const shape = new Shape(this.tree);
    const sisters = shape.children[shape.parent(this.vertex)] || [];
    const sister = sisters[sisters.indexOf(this.vertex) + step];
    if (sister === undefined || sister < shape.size) throw new EditError("there is no node beside it on this side");
    this.change((tree) => move(tree, this.vertex, sister - shape.size));
  }

  choose() {
    if (!this.chosen.delete(this.vertex)) this.chosen.add(this.vertex);
    this.redraw();
    this.say(`${this.chosen.size} chosen`);
  }

  fix() {
    const fixed = toggled(this.fixed, this.tree, this.vertex);
    this.push({ tree: this.tree, fixed, vertex: this.vertex });
  }

  unfixAll() {
    this.push({ tree: this.tree, fixed: NOTHING, vertex: this.vertex });
  }

  rename() {
    const { label, tag } = this.form.elements;
    const input = this.vertex < this.tree.words.length ? tag : label;
    input.focus();
    input.select();
  }

  run(action) {
    try {
      this.say("");
      action.run(this);
    } catch (error) {
      if (!(error instanceof EditError)) throw error;
      this.say(error.message, true);
    }
  }

  // ── what is seen ──

  draw() {
    const { tree, fixed, folded } = this;
    const size = tree.words.length;
    const classes = (vertex) => [
      isFixed(fixed, tree, vertex) && "fixed", this.chosen.has(vertex) && "chosen", this.taken === vertex && "taken",
      vertex === this.vertex && "current",
    ].filter(Boolean);
    const notes = (vertex) => classes(vertex).filter((name) => name !== "current").join(", ");
    const isScored = tree.nodes.some((node) => node.confidence !== undefined);
    const marks = tree.nodes.map((node, at) => {
      const own = classes(size + at);
      if (isScored && node.confidence !== undefined) own.push(confidenceClass(node.confidence));
      return { classes: own.join(" "), sign: "", note: notes(size + at) };
    });
    return drawTree(tree, {
      marks: marks.map((mark) => (mark.classes ? mark : undefined)), colors: isScored ? [] : undefined,
      wordColors: tree.words.map((_, word) => classes(word).join(" ")), wordNotes: tree.words.map((_, word) => notes(word)),
      folded, onFold: (node) => this.fold(node),
    });
  }

  fold(node) {
    if (node === 0 || !new Shape(this.tree).isContinuous(node)) return;
    if (!this.folded.delete(node)) this.folded.add(node);
    this.redraw();
  }

  redraw() {
    const isInTree = this.scroll.contains(document.activeElement);
    const { scrollLeft, scrollTop } = this.scroll;
    this.figure.redraw();
    Object.assign(this.scroll, { scrollLeft, scrollTop });
    if (isInTree) this.focus();
    this.showCurrent();
    this.options.onChange();
  }

  focus() {
    if (!this.drawing) return;
    const size = this.tree.words.length;
    if (this.vertex < size) this.drawing.focus("word", this.vertex);
    else this.drawing.focus("node", this.vertex - size);
    if (!this.scroll.contains(document.activeElement)) this.drawing.svg.querySelector("g[data-vertex]").focus();
  }

  say(text, isWrong = false) {
    this.status.value = text || (countFixed(this.fixed) ? `${countFixed(this.fixed)} fixed` : "");
    this.status.classList.toggle("wrong", isWrong);
  }

  makeForm() {
    const field = (label, name) => element("label", {}, `${label} `, element("input", { name, list: `${this.box.id}-names`, autocomplete: "off", spellcheck: false, size: 10 }));
    this.fields = { label: field("Label", "label"), name: field("Function", "function"), tag: field("Tag", "tag") };
    const form = element("form", { className: "controls" }, ...Object.values(this.fields), element("button", { textContent: "Set" }),
      element("bdi", { className: "faint" }));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.run({ run: () => this.set() });
      if (!this.status.classList.contains("wrong")) this.focus();
    });
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      this.showCurrent();
      this.focus();
    });
    return form;
  }

  set() {
    const { elements } = this.form;
    const size = this.tree.words.length;
    const [tag, label, name] = ["tag", "label", "function"].map((field) => elements[field].value.trim());
    if (this.vertex < size) {
      if (tag !== (this.tree.words[this.vertex].tag || "")) this.change((tree) => retag(tree, this.vertex, tag));
    } else {
      const node = this.tree.nodes[this.vertex - size];
      const isSame = label === node.label && name === (node.function || "");
      if (!isSame) this.change((tree) => relabel(tree, this.vertex - size, label, name));
    }
  }

  showCurrent() {
    const size = this.tree.words.length;
    const isWord = this.vertex < size;
    const { elements } = this.form;
    const { label, name, tag } = this.fields;
    [label.hidden, name.hidden, tag.hidden] = [isWord, isWord, !isWord];
    const node = this.tree.nodes[this.vertex - size];
    elements.label.value = node?.label ?? "";
    elements.function.value = node?.function ?? "";
    elements.tag.value = isWord ? this.tree.words[this.vertex].tag ?? "" : "";
    this.form.querySelector("bdi").textContent = isWord
      ? visible(this.tree.words[this.vertex].form)
      : `${nodeLabel(node)}: ${node.tokens.slice(0, 12).map((word) => visible(this.tree.words[word].form)).join(" ")}`;
    const all = [...(this.drawing?.svg.querySelectorAll("g[data-vertex]") ?? [])];
    const current = all.find((shown) => this.vertexOf(shown) === this.vertex);
    for (const shown of all) {
      shown.classList.toggle("current", shown === current);
      // Tab leads back to it
      if (current) shown.setAttribute("tabindex", shown === current ? "0" : "-1");
    }
  }

  vertexOf(shown) {
    const number = Number(shown.dataset.vertex.slice(1));
    return shown.dataset.vertex[0] === "w" ? number : this.tree.words.length + number;
  }

  // ── keys and the pointer ──

  listen() {
    const { scroll } = this;
    const pointed = (target) => target?.closest?.("g[data-vertex]");
    scroll.addEventListener("focusin", (event) => {
      const shown = pointed(event.target);
      if (!shown) return;
      this.vertex = this.vertexOf(shown);
      this.showCurrent();
    });
    scroll.addEventListener("keydown", (event) => this.onKey(event, pointed(event.target)));
    scroll.addEventListener("click", (event) => {
      const shown = pointed(event.target);
      if (shown && this.taken !== null && this.vertexOf(shown) !== this.taken) this.run({ run: () => this.put(this.vertexOf(shown)) });
      else if (shown && (event.ctrlKey || event.metaKey || event.shiftKey)) this.run({ run: () => this.choose() });
    });
    scroll.addEventListener("pointerdown", (event) => {
      const shown = pointed(event.target);
      if (!shown || event.button !== 0 || event.pointerType === "touch") return;
      const dragged = this.vertexOf(shown);
      let target = null;
      let isDragging = false;
      const follow = (moved) => {
        if (!isDragging && Math.hypot(moved.clientX - event.clientX, moved.clientY - event.clientY) < DRAG) return;
        isDragging = true;
        scroll.classList.add("dragging");
        target?.classList.remove("target");
        target = pointed(document.elementFromPoint(moved.clientX, moved.clientY));
        if (target && this.vertexOf(target) === dragged) target = null;
        target?.classList.add("target");
      };
      const end = (ended) => {
        removeEventListener("pointermove", follow);
        removeEventListener("pointerup", end);
        removeEventListener("pointercancel", end);
        scroll.classList.remove("dragging");
        target?.classList.remove("target");
        if (ended.type !== "pointerup" || !isDragging || !target) return;
        this.taken = dragged;
        const below = this.vertexOf(target);
        this.run({ run: () => this.put(below) });
      };
      addEventListener("pointermove", follow);
      addEventListener("pointerup", end);
      addEventListener("pointercancel", end);
    });
  }

  onKey(event, shown) {
    if (!shown) return;
    const name = [event.ctrlKey || event.metaKey ? "Ctrl+" : "", event.altKey ? "Alt+" : "", event.shiftKey ? "Shift+" : "", event.key].join("");
    if (this.taken !== null && (name === "Enter" || name === "Escape")) {
      event.preventDefault();
      this.run({ run: () => (name === "Enter" ? this.put(this.vertex) : this.drop()) });
      return;
    }
    const action = ACTIONS.find(({ keys }) => keys.includes(name));
    if (action) {
      event.preventDefault();
      this.run(action);
    } else if (name === "Escape" && this.chosen.size) {
      this.drop();
    } else if (this.options.onKey?.(name)) {
      event.preventDefault();
    }
  }
}

// The keys of the editor, and those of the view that it is in.
export function keyHelp(more) {
  const line = (keys, help) => element("div", {}, element("dt", {}, ...keys.flatMap((key) => [element("kbd", { textContent: key }), " "])), element("dd", { textContent: help }));
  return [
    element("p", { className: "faint", textContent: "Tab goes into the tree; there, these keys work. By pointer: click to choose a part, drag it onto another to move it, Shift and click to choose several." }),
    element("dl", {}, ...MOVES.map(([key, help]) => line([key], help)), ...ACTIONS.map(({ keys, help }) => line(keys, help)),
      ...more.map(([keys, help]) => line(keys, help))),
  ];
}
