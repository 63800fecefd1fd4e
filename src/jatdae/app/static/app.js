// Keys for browsing, the help of keys, and live progress. Nothing here reads or writes HTML.
"use strict";

const typing = (target) => target.matches("input, textarea, select, [contenteditable]");
const dialog = document.getElementById("keys");

function follow(selector) {
  const link = document.querySelector(selector);
  if (link) link.click();
}

document.getElementById("keys-button").addEventListener("click", () => dialog.showModal());

document.addEventListener("keydown", (event) => {
  if (typing(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector("form[data-kind]")) return; // a page of annotation has keys of its own
  if (event.key === "?") {
    dialog.showModal();
  } else if (event.key === "/") {
    const search = document.querySelector("input[type=search]");
    if (search) {
      event.preventDefault();
      search.focus();
      search.select();
    }
  } else if (event.key === "j" || event.key === "ArrowRight") {
    follow("a[rel=next]");
  } else if (event.key === "k" || event.key === "ArrowLeft") {
    follow("a[rel=prev]");
  }
});

const number = new Intl.NumberFormat(document.documentElement.lang);

function say(box, state) {
  const bar = box.querySelector("progress");
  const text = box.querySelector(".live-text");
  if (state.silent) {
    text.textContent = box.dataset.silent.replace("{time}", state.silent.slice(0, 19).replace("T", " "));
  } else if (state.total) {
    bar.max = state.total;
    bar.value = state.done;
    text.textContent = box.dataset.template
      .replace("{label}", () => state.label)
      .replace("{done}", number.format(state.done))
      .replace("{total}", number.format(state.total));
  }
}

async function look() {
  const boxes = document.querySelectorAll("[data-live]");
  if (!boxes.length) return;
  try {
    const reply = await fetch("/progress", { headers: { accept: "application/json" } });
    if (!reply.ok) return;
    const runs = await reply.json();
    for (const box of boxes) {
      const state = runs[box.dataset.live];
      if (!state) {
        location.reload(); // it has ended: show its figures
        return;
      }
      say(box, state);
    }
  } catch {
    return; // the app was closed
  }
  setTimeout(look, 2000);
}

look();
