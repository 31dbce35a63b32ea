// The page: its views, its theme, and what the fragment of the address says.

import { connection } from "./api.js";
import * as edit from "./edit.js";
import * as errors from "./errors.js";
import * as parse from "./parse.js";
import * as treebank from "./treebank.js";
import { element } from "./text.js";

const VIEWS = { parse, treebank, errors, edit };
const THEMES = ["system", "light", "dark"];

const fragment = new URLSearchParams(location.hash.slice(1));
if (fragment.has("token")) {
  sessionStorage.setItem("token", fragment.get("token"));
  fragment.delete("token");
  history.replaceState(null, "", fragment.size ? `#${fragment}` : location.pathname);
}

const tabs = [...document.querySelectorAll('[role="tab"]')];
const isSetUp = new Set();
const loaded = new Map();
const alerts = new Map();

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
  if (!isSetUp.has(name)) {
    isSetUp.add(name);
    VIEWS[name].setUp(given);
  }
  if (!loaded.has(name)) loaded.set(name, VIEWS[name].load(given));
  const mine = loaded.get(name);
  try {
    await mine;
    alerts.get(name)?.remove();
  } catch (error) {
    if (loaded.get(name) !== mine) return;
    loaded.delete(name); // the next visit tries again
    alerts.get(name)?.remove();
    alerts.set(name, element("p", { className: "panel", role: "alert", textContent: error.message }));
    document.getElementById("main").prepend(alerts.get(name));
  }
}

// The address says which view it is; the view itself may say more.
async function visit(name) {
  const chosen = choose(name);
  if (VIEWS[name].writeAddress) VIEWS[name].writeAddress();
  else history.replaceState(null, "", `#view=${name}`);
  await chosen;
}

// another link to this page
addEventListener("hashchange", () => location.reload());

for (const tab of tabs) {
  tab.addEventListener("click", () => visit(nameOf(tab)));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
    next.focus();
    visit(nameOf(next));
  });
}

// "Edit" below a tree in any view
document.addEventListener("edit-tree", (event) => {
  choose("edit");
  edit.openTree(event.detail); // now, so that nothing else is in the editor first
});

const banner = document.getElementById("connection");
connection.addEventListener("lost", () => {
  banner.hidden = false;
  banner.textContent = "The server does not answer. This page asks again until it does; what you have typed stays here.";
});
connection.addEventListener("back", () => {
  banner.textContent = "The server answers again.";
  setTimeout(() => { banner.hidden = true; }, 5000);
});

// An answer that no view has waited for is shown here instead of being lost.
addEventListener("unhandledrejection", (event) => {
  if (!event.reason?.isFromServer) return;
  event.preventDefault();
  if (!banner.hidden) return;
  banner.hidden = false;
  banner.textContent = event.reason.message;
  setTimeout(() => { banner.hidden = true; }, 5000);
});

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
