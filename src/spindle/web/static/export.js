// Copying and downloading a tree in any format.

import { post } from "./api.js";
import { element } from "./text.js";
import { turns } from "./turns.js";

const FORMATS = [
  ["bracket", "bracket", "ptb"], ["discbracket", "discbracket", "dbr"], ["export", "export", "export"],
  ["tigerxml", "TIGER-XML", "xml"], ["conllu", "CoNLL-U", "conllu"], ["json", "JSON", "json"],
  ["latex", "LaTeX", "tex"], ["svg", "SVG", "svg"], ["png", "PNG", "png"],
];
const PNG_SCALE = 2;

// Returns the buttons of the tree that `getTree` returns: `{ words, nodes }`, as the server describes it.
export function exportTools(getTree, canEdit = true) {
  const select = element("select", { "aria-label": "Format" },
    ...FORMATS.map(([value, textContent]) => element("option", { value, textContent })));
  const status = element("output", { role: "status" });
  const clicking = turns();
  const button = (text, action) => {
    const made = element("button", { type: "button", textContent: text });
    made.addEventListener("click", async () => {
      const isLast = clicking();
      const say = (message, isWrong) => {
        if (!isLast()) return;
        status.value = message;
        status.classList.toggle("wrong", isWrong);
      };
      try {
        say(await action(select.value), false);
      } catch (error) {
        say(error.message, true);
      }
    });
    return made;
  };
  const copy = button("Copy", async (format) => {
    if (format === "png") {
      await navigator.clipboard.write([new ClipboardItem({ "image/png": png(getTree()) })]);
    } else {
      await navigator.clipboard.writeText(await convert(getTree(), format));
    }
    return "copied";
  });
  const download = button("Download", async (format) => {
    const blob = format === "png" ? await png(getTree()) : new Blob([await convert(getTree(), format)], { type: "text/plain" });
    const link = element("a", { href: URL.createObjectURL(blob), download: `tree.${FORMATS.find(([name]) => name === format)[2]}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    return "downloaded";
  });
  const tools = element("div", { className: "tools" }, select, copy, download, status);
  if (canEdit) {
    status.before(button("Edit", () => {
      document.dispatchEvent(new CustomEvent("edit-tree", { detail: getTree() }));
      return "";
    }));
  }
  return tools;
}

export function treeRecord(tree) {
  return { tokens: tree.words, nodes: tree.nodes.map(({ confidence, ...node }) => node) };
}

export async function convert(tree, format) {
  return (await post("api/convert", { trees: [treeRecord(tree)], to: format })).text;
}

// The picture is the server's SVG, painted by the browser.
async function png(tree) {
  const address = URL.createObjectURL(new Blob([await convert(tree, "svg")], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = element("canvas", { width: image.naturalWidth * PNG_SCALE, height: image.naturalHeight * PNG_SCALE });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    if (!blob) throw new Error("this tree is too large for a PNG picture; choose SVG");
    return blob;
  } finally {
    URL.revokeObjectURL(address);
  }
}
