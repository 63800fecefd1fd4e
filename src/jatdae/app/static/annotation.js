// Keys, keeping what is not saved yet, and saving without leaving the page. Works by places of keys, not by letters,
// so that a Korean keyboard does the same.
(() => {
  "use strict";
  const form = document.getElementById("rating");
  const follow = (id) => {
    const link = document.getElementById(id);
    if (link) link.click();
  };
  const typing = (target) => target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === "text");

  for (const button of document.querySelectorAll("button.fold")) button.addEventListener("click", () => fold(button));
  function fold(button) {
    const reading = button.previousElementSibling;
    const isFolded = reading.classList.toggle("folded");
    button.setAttribute("aria-expanded", String(!isFolded));
    button.textContent = isFolded ? button.dataset.unfold : button.dataset.folded;
  }
  const foldAll = () => document.querySelectorAll("button.fold").forEach(fold);

  if (!form) {
    document.addEventListener("keydown", (event) => {
      if (event.code === "KeyZ" || event.code === "Backspace") follow("back");
    });
    return;
  }

  const told = document.getElementById("told");
  const comment = form.elements.comment;
  const criteria = [...form.querySelectorAll("fieldset[data-criterion]")];
  const isRubric = form.dataset.kind === "rubric";
  let current = 0;
  let saving = false;

  // What is chosen, as it is sent and kept.
  const chosen = (name) => {
    const box = form.querySelector(`input[name="${name}"]:checked`);
    return box ? box.value : null;
  };
  const choose = (name, value) => {
    const box = form.querySelector(`input[name="${name}"][value="${value}"]`);
    if (box) box.checked = true;
  };
  function state() {
    const answer = { comment: comment.value };
    if (isRubric) answer.scores = criteria.map((_, number) => chosen(`c${number}`));
    else answer.choice = chosen("choice");
    return answer;
  }
  function show(answer) {
    comment.value = answer.comment || "";
    if (isRubric) answer.scores.forEach((score, number) => score !== null && choose(`c${number}`, score));
    else if (answer.choice) choose("choice", answer.choice);
  }

  // What is not saved is kept by the browser until it is.
  function keep() {
    try {
      sessionStorage.setItem(form.dataset.key, JSON.stringify(state()));
    } catch {
      // A full or forbidden storage must not stop anybody from rating.
    }
  }
  function kept() {
    try {
      return JSON.parse(sessionStorage.getItem(form.dataset.key));
    } catch {
      return null;
    }
  }
  function forget() {
    try {
      sessionStorage.removeItem(form.dataset.key);
    } catch {
      // As above.
    }
  }

  function tell(text, isWrong) {
    told.textContent = text;
    told.classList.toggle("wrong", Boolean(isWrong));
  }

  function point(number, scroll) {
    current = Math.max(0, Math.min(number, criteria.length - 1));
    criteria.forEach((one, place) => one.classList.toggle("current", place === current));
    if (scroll && criteria[current]) criteria[current].scrollIntoView({ block: "nearest" });
  }
  function score(value) {
    choose(`c${current}`, value);
    keep();
    tell("");
    if (current + 1 < criteria.length) point(current + 1, true);
  }

  async function save() {
    if (saving) return;
    const answer = state();
    const gap = isRubric ? answer.scores.indexOf(null) : answer.choice ? -1 : 0;
    if (gap >= 0) {
      if (isRubric) point(gap, true);
      tell(form.dataset.missing, true);
      return;
    }
    saving = true;
    tell(form.dataset.saving);
    try {
      const sent = { ...answer, unit: form.dataset.unit, rater: form.dataset.rater };
      if (isRubric) sent.scores = answer.scores.map(Number);
      const reply = await fetch(form.dataset.save, {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "application/json" },
        body: JSON.stringify(sent),
        signal: AbortSignal.timeout(70000),
      });
      const said = await reply.json();
      if (!reply.ok) throw new Error(said.error);
      forget();
      location.assign(said.next);
    } catch (error) {
      const why = error instanceof TypeError || !error.message ? "" : ` (${error.message})`;
      tell(form.dataset.failed + why, true);
    }
    saving = false;
  }

  const keys = {
    Enter: () => form.requestSubmit(),
    NumpadEnter: () => form.requestSubmit(),
    KeyZ: () => follow("back"),
    Backspace: () => follow("back"),
    KeyS: () => follow("skip"),
    KeyF: foldAll,
    KeyC: () => comment.focus(),
  };
  if (isRubric) {
    for (let digit = 0; digit <= 9; digit += 1) {
      keys[`Digit${digit}`] = keys[`Numpad${digit}`] = () => score(digit);
    }
    keys.Minus = keys.NumpadSubtract = () => score(10);
    keys.ArrowDown = () => point(current + 1, true);
    keys.ArrowUp = () => point(current - 1, true);
  } else {
    const pick = (side) => () => {
      choose("choice", side);
      keep();
      tell("");
    };
    keys.KeyA = keys.ArrowLeft = pick("left");
    keys.KeyB = keys.ArrowRight = pick("right");
    keys.Equal = keys.NumpadEqual = pick("tie");
  }

  document.addEventListener("keydown", (event) => {
    if (typing(event.target)) {
      if (event.code === "Escape") event.target.blur();
      if (event.code === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isOnControl = event.target.closest && event.target.closest("a, button, summary, select");
    if (isOnControl && (event.code === "Enter" || event.code === "Space")) return;
    const action = keys[event.code];
    if (!action) return;
    event.preventDefault();
    action();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    save();
  });
  form.addEventListener("input", keep);
  form.addEventListener("focusin", (event) => {
    const place = criteria.indexOf(event.target.closest("fieldset[data-criterion]"));
    if (place >= 0) point(place, false);
  });
  form.addEventListener("change", (event) => {
    const place = criteria.indexOf(event.target.closest("fieldset[data-criterion]"));
    if (place >= 0) point(place, false);
  });

  const saved = JSON.parse(form.dataset.answer);
  const unsaved = kept();
  if (unsaved) {
    show(unsaved);
    tell(form.dataset.restored);
  } else if (saved) {
    show(saved);
    tell(form.dataset.saved);
  }
  if (isRubric) point(Math.max(0, state().scores.indexOf(null)), false);
})();
