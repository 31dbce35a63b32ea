// Strings for the screen.

const NAMELESS = "·";
const HIDDEN = /(?![\u200c\u200d])[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufffe\uffff]/gu;

// Control characters get symbols; characters that change the direction of others are shown as �.
export function visible(text) {
  return text
    .replace(/\p{Cc}/gu, (sign) => {
      const code = sign.charCodeAt(0);
      return code < 32 ? String.fromCharCode(0x2400 + code) : code === 127 ? "␡" : "�";
    })
    .replace(HIDDEN, "�");
}

export function nodeLabel(node) {
  return (visible(node.label) || NAMELESS) + (node.function ? `:${visible(node.function)}` : "");
}

// A number with its thousands apart, and with a noun.
export function number(value) {
  return value.toLocaleString("en");
}

export function count(value, noun, nouns = `${noun}s`) {
  return `${number(value)} ${value === 1 ? noun : nouns}`;
}

const context = document.createElement("canvas").getContext("2d");
const widths = new Map();

// The width in pixels. A page has few different labels and words, so the widths are kept.
export function textWidth(text, size, bold = false) {
  const font = `${bold ? "bold " : ""}${size}px ${getComputedStyle(document.body).fontFamily}`;
  const key = `${font}\n${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size > 50000) widths.clear();
    context.font = font;
    width = Math.ceil(context.measureText(text).width) + 2;
    widths.set(key, width);
  }
  return width;
}

export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made && key !== "list") made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

export function svgElement(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
