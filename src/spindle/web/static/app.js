// The page: its views, its theme, and what the fragment of the address says.

import * as parse from "./parse.js";
import * as treebank from "./treebank.js";
import { element } from "./text.js";

const VIEWS = { parse, treebank };
const THEMES = ["system", "light", "dark"];

const fragment = new URLSearchParams(location.hash.slice(1));
if (fragment.has("token")) {
  sessionStorage.setItem("token", fragment.get("token"));
  fragment.delete("token");
  history.replaceState(null, "", fragment.size ? `#${fragment}` : location.pathname);
}

const tabs = [...document.querySelectorAll('[role="tab"]')];
const started = new Map();

function nameOf(tab) {
  return tab.id.replace("tab-", "");
}

async function choose(name, given = new URLSearchParams()) {
  for (const tab of tabs) {
    const isChosen = nameOf(tab) === name;
    tab.setAttribute("aria-selected", String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
    document.getElementById(`view-${nameOf(tab)}`).hidden = !isChosen;
  }
  if (!started.has(name)) started.set(name, VIEWS[name].start(given));
  try {
    await started.get(name);
  } catch (error) {
    started.delete(name);
    document.getElementById("main").prepend(element("p", { className: "panel", role: "alert", textContent: error.message }));
  }
}

for (const tab of tabs) {
  tab.addEventListener("click", () => choose(nameOf(tab)));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
    next.focus();
    choose(nameOf(next));
  });
}

const themeButton = document.getElementById("theme");

function setTheme(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  themeButton.textContent = `Theme: ${theme}`;
  localStorage.setItem("theme", theme);
}

themeButton.addEventListener("click", () => {
  const now = localStorage.getItem("theme");
  setTheme(THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]);
});
setTheme(THEMES.includes(localStorage.getItem("theme")) ? localStorage.getItem("theme") : "system");

choose(VIEWS[fragment.get("view")] ? fragment.get("view") : "parse", fragment);
