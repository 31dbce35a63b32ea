// A drawing in a frame: zoom, pan by scrolling, full size.

import { element } from "./text.js";

const MOST_WORDS = 600;
const SMALLEST = 0.7; // a drawing that is somewhat too wide is made smaller, but stays readable

// Returns a figure around a drawing that `draw()` makes. Large drawings wait for a button.
export function figure(title, words, draw, ...tools) {
  const scroll = element("div", { className: "scroll", tabIndex: 0, role: "group", "aria-label": title });
  let drawing = null;
  let scale = 1;
  const zoom = (next) => {
    if (!drawing) return;
    scale = Math.max(0.1, Math.min(4, next));
    drawing.svg.setAttribute("width", Math.round(drawing.width * scale));
    drawing.svg.setAttribute("height", Math.round(drawing.height * scale));
  };
  const button = (text, label, action) => {
    const made = element("button", { type: "button", className: "quiet", textContent: text, title: label, "aria-label": label });
    made.addEventListener("click", action);
    return made;
  };
  const caption = element("figcaption", {},
    element("h2", { textContent: title }), ...tools,
    element("span", { className: "zoom" },
      button("−", "Smaller", () => zoom(scale / 1.25)),
      button("+", "Larger", () => zoom(scale * 1.25)),
      button("1:1", "1:1, actual size", () => zoom(1)),
      button("Fit", "Fit the width", () => drawing && zoom(scroll.clientWidth / drawing.width))));
  const made = element("figure", { className: "panel" }, caption, scroll);
  made.redraw = () => {
    drawing = draw();
    scroll.replaceChildren(drawing.svg);
    zoom(scale);
    return drawing;
  };
  scroll.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(scale * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
  }, { passive: false });
  panByDragging(scroll);
  if (words > MOST_WORDS) {
    const start = element("button", { type: "button", textContent: `Draw all ${words.toLocaleString("en")} words` });
    start.addEventListener("click", () => made.redraw());
    scroll.append(start);
  } else {
    made.redraw();
    requestAnimationFrame(() => {
      if (!scroll.clientWidth) return;
      zoom(Math.min(1, Math.max(SMALLEST, scroll.clientWidth / drawing.width)));
      scroll.scrollLeft = firstSight(drawing, scroll.clientWidth / scale) * scale;
    });
  }
  return made;
}

// How far a drawing is moved at first, so that what it was drawn for is in sight: its first hits or errors, otherwise
// the start of the sentence, or the top of the tree if that is far away.
function firstSight({ marked, top = 0 }, width) {
  const [first, last] = marked ?? [top, top];
  if (last < 0.95 * width) return 0;
  return last - first < 0.8 * width ? (first + last - width) / 2 : first - 0.1 * width;
}

function panByDragging(scroll) {
  scroll.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button !== 0 || event.target.closest("g[data-vertex]")) return;
    const start = { x: event.clientX + scroll.scrollLeft, y: event.clientY + scroll.scrollTop };
    const move = (moved) => {
      scroll.scrollLeft = start.x - moved.clientX;
      scroll.scrollTop = start.y - moved.clientY;
    };
    scroll.addEventListener("pointermove", move);
    addEventListener("pointerup", () => scroll.removeEventListener("pointermove", move), { once: true });
  });
}
