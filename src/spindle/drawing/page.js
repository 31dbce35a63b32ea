"use strict";
const form = document.querySelector("form"), cards = [...document.querySelectorAll("article")];
function filter() {
  const label = form.label.value, kind = form.kind.value;
  const low = Number(form.low.value) || 0, high = Number(form.high.value) || Infinity;
  let shown = 0;
  for (const card of cards) {
    const words = Number(card.dataset.words);
    const fits = [...card.querySelectorAll("li")].some(item =>
      (!label || item.dataset.labels.split("\t").includes(label)) && (!kind || item.dataset.kind === kind));
    card.hidden = !(fits && words >= low && words <= high);
    shown += !card.hidden;
  }
  form.querySelector("output").textContent = shown + " of " + cards.length + " sentences";
}
// The two trees of a sentence scroll together.
for (const pair of document.querySelectorAll(".pair")) {
  const trees = [...pair.querySelectorAll(".tree")];
  for (const tree of trees) {
    tree.addEventListener("scroll", () => trees.forEach(other => { other.scrollLeft = tree.scrollLeft; }));
  }
}
form.hidden = false;
form.addEventListener("input", filter);
form.addEventListener("submit", event => event.preventDefault());
filter();
