// A list of any number of rows, of which only those in sight exist.

import { element } from "./text.js";

const ROW = 30; // the height of a row in pixels
const PAGE = 200; // the rows that the server sends at a time
const TALLEST = 8_000_000; // browsers cannot draw boxes that are much taller; longer lists scroll in proportion
const STEPS = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -Infinity, End: Infinity };

// Returns a function from a position to its row; `fetchPage(start)` gets the rows from number `start` on.
export function pagedRows(fetchPage) {
  const pages = new Map();
  return async (at) => {
    const first = at - (at % PAGE);
    if (!pages.has(first)) {
      pages.set(first, fetchPage(first + 1).catch((error) => { pages.delete(first); throw error; }));
    }
    return (await pages.get(first))[at - first];
  };
}

// A list in `box`. `draw(row, at)` returns the content of a row, `onChoose(at)` is called when the user chooses one,
// `onError(error)` when rows cannot be fetched.
export class RowList {
  constructor(box, { draw, onChoose, onError }) {
    Object.assign(this, { box, draw, onChoose, onError, count: 0, chosen: -1, row: null, drawn: 0 });
    this.rows = element("div", { className: "rows" });
    box.replaceChildren(this.rows);
    box.addEventListener("scroll", () => requestAnimationFrame(() => this.fill()));
    box.addEventListener("keydown", (event) => this.move(event));
    new ResizeObserver(() => this.fill()).observe(box);
  }

  // Shows other rows; `row(at)` returns the promise of one.
  show(count, row) {
    Object.assign(this, { count, row, chosen: -1 });
    this.rows.style.height = `${Math.min(TALLEST, count * ROW)}px`;
    this.box.scrollTop = 0;
    return this.fill();
  }

  // Draws the rows again, which may have changed.
  refresh(row = this.row) {
    this.row = row;
    return this.fill();
  }

  mark(at) {
    this.chosen = at;
    const { first, visible } = this.window();
    if (at < first) this.scrollTo(at);
    else if (at >= first + visible) this.scrollTo(at + 1 - visible);
    return this.fill();
  }

  // The first row in sight, which may be in sight in part only, and how many rows fit.
  window() {
    const visible = Math.max(1, Math.floor(this.box.clientHeight / ROW));
    const most = this.rows.offsetHeight - this.box.clientHeight;
    const share = most > 0 ? this.box.scrollTop / most : 0;
    return { first: share * Math.max(0, this.count - this.box.clientHeight / ROW), visible };
  }

  scrollTo(at) {
    const rest = this.count - this.box.clientHeight / ROW;
    const most = this.rows.offsetHeight - this.box.clientHeight;
    this.box.scrollTop = rest > 0 ? Math.round((at / rest) * most) : 0;
  }

  async fill() {
    if (!this.row || !this.box.clientHeight) return;
    const number = ++this.drawn;
    const { row } = this;
    const top = this.window().first;
    const first = Math.max(0, Math.floor(top) - 5);
    const last = Math.min(this.count, Math.ceil(top) + Math.ceil(this.box.clientHeight / ROW) + 5);
    let found;
    try {
      found = await Promise.all(Array.from({ length: Math.max(0, last - first) }, (_, at) => row(first + at)));
    } catch (error) {
      this.onError(error);
      return;
    }
    if (number !== this.drawn || row !== this.row) return;
    const start = this.box.scrollTop;
    this.rows.replaceChildren(...found.map((one, at) => this.drawRow(one, first + at, start + (first + at - top) * ROW)));
    const id = this.rowId(this.chosen);
    if (document.getElementById(id)) this.box.setAttribute("aria-activedescendant", id);
    else this.box.removeAttribute("aria-activedescendant");
  }

  drawRow(row, at, top) {
    const made = element("div", { className: "row", role: "option", id: this.rowId(at) }, ...(row ? this.draw(row, at) : []));
    made.setAttribute("aria-selected", String(at === this.chosen));
    made.setAttribute("aria-setsize", this.count);
    made.setAttribute("aria-posinset", at + 1);
    made.style.top = `${Math.round(top)}px`;
    made.addEventListener("click", () => this.onChoose(at));
    return made;
  }

  rowId(at) {
    return `${this.box.id}-row-${at}`;
  }

  move(event) {
    if (!(event.key in STEPS) || !this.count || event.target !== this.box) return;
    event.preventDefault();
    this.onChoose(Math.max(0, Math.min(this.count - 1, this.chosen + STEPS[event.key])));
  }
}

// Lets files be dropped on a view.
export function onDroppedFiles(view, open) {
  for (const kind of ["dragenter", "dragover"]) {
    view.addEventListener(kind, (event) => {
      if (![...event.dataTransfer.types].includes("Files")) return;
      event.preventDefault();
      view.classList.add("dropping");
    });
  }
  view.addEventListener("dragleave", (event) => event.target === view && view.classList.remove("dropping"));
  view.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    view.classList.remove("dropping");
    open(event.dataTransfer.files);
  });
}
