// The forms of a negation project: what is typed is kept by the browser until it is stored, and a change that somebody
// else made meanwhile is shown beside it, never over it.
(() => {
  "use strict";
  const form = document.querySelector("form[data-save]");
  if (!form) return;
  const told = document.getElementById("told");
  const isAuthor = form.id === "author";
  let saving = false;

  function tell(text, isWrong) {
    told.textContent = text;
    told.classList.toggle("wrong", Boolean(isWrong));
  }
  const typed = () => Object.fromEntries(new FormData(form));
  function show(values) {
    for (const [name, value] of Object.entries(values)) {
      const control = form.elements.namedItem(name);
      if (control) control.value = value;
    }
  }

  // What is typed is kept together with the version that it was typed over.
  function keep() {
    try {
      sessionStorage.setItem(form.dataset.key, JSON.stringify({ values: typed(), version: form.dataset.version }));
    } catch {
      // A full or forbidden storage must not stop anybody from working.
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

  async function send(url, body) {
    const reply = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(70000),
    });
    return { status: reply.status, said: await reply.json() };
  }

  async function save() {
    if (saving) return;
    const values = typed();
    if (!isAuthor && !(values.answer || values.verdict)) {
      tell(form.dataset.missing, true);
      return;
    }
    saving = true;
    tell(form.dataset.saving);
    try {
      const shown = isAuthor ? { version: form.dataset.version } : JSON.parse(form.dataset.cells);
      const { status, said } = await send(form.dataset.save, {
        cells: { ...shown, ...values },
        person: form.dataset.person,
      });
      if (status === 409) showConflict(said);
      else if (status !== 200) showFault(said);
      else if (said.next) {
        forget();
        location.assign(said.next);
      } else {
        form.dataset.version = said.version;
        forget();
        hideConflict();
        tell(form.dataset.saved);
      }
    } catch {
      tell(form.dataset.failed, true);
    }
    saving = false;
  }

  function showFault(said) {
    tell(said.error, true);
    const control = said.field && form.elements.namedItem(said.field);
    if (control && control.focus) control.focus();
  }

  function showConflict(said) {
    hideConflict();
    const line = document.getElementById("conflict");
    line.textContent = said.conflict;
    line.hidden = false;
    tell("");
    for (const [name, text] of Object.entries(said.now)) {
      const field = form.querySelector(`[data-field="${CSS.escape(name)}"]`);
      const place = field && field.querySelector(".stored");
      if (!place) continue;
      const label = document.createElement("strong");
      label.textContent = `${form.dataset.stored}: `;
      const stored = document.createElement("span");
      stored.textContent = text || "∅";
      const take = document.createElement("button");
      take.type = "button";
      take.textContent = form.dataset.take;
      take.addEventListener("click", () => {
        form.elements.namedItem(name).value = text;
        place.hidden = true;
        changed();
      });
      place.replaceChildren(label, stored, take);
      place.hidden = false;
    }
    if (said.version) {
      form.dataset.version = said.version;
      keep();
    }
    line.scrollIntoView({ block: "center" });
  }
  function hideConflict() {
    const line = document.getElementById("conflict");
    if (line) line.hidden = true;
    form.querySelectorAll(".stored").forEach((place) => (place.hidden = true));
  }

  // Remarks follow the typing: one check at a time, the newest text last.
  let waiting = 0;
  let asked = 0;
  function changed() {
    keep();
    if (!isAuthor) return;
    clearTimeout(waiting);
    waiting = setTimeout(check, 500);
  }
  async function check() {
    asked += 1;
    const mine = asked;
    const list = document.getElementById("remarks");
    list.setAttribute("aria-busy", "true");
    try {
      const { status, said } = await send(form.dataset.remarks, { cells: typed() });
      if (mine !== asked) return;
      if (status === 200) showRemarks(list, said.remarks);
      else line(list, said.error, "is-error");
    } catch {
      if (mine === asked) list.replaceChildren(entry(form.dataset.checkfailed, "is-error"));
    }
    if (mine === asked) list.setAttribute("aria-busy", "false");
  }
  function entry(text, kind) {
    const item = document.createElement("li");
    item.textContent = text;
    item.className = kind;
    return item;
  }
  const line = (list, text, kind) => list.replaceChildren(entry(text, kind));
  function showRemarks(list, remarks) {
    form.querySelectorAll(".field-remarks").forEach((place) => place.replaceChildren());
    if (!remarks.length) {
      line(list, form.dataset.clean, "is-clean");
      return;
    }
    list.replaceChildren(
      ...remarks.map((one) => {
        const kind = one.is_error ? "is-error" : "is-warning";
        const place = form.querySelector(`[data-field="${CSS.escape(one.field)}"] .field-remarks`);
        if (place) place.append(entry(one.text, kind));
        return entry(`${one.is_error ? form.dataset.error : form.dataset.warning} · ${one.label}: ${one.text}`, kind);
      }),
    );
  }

  const unsaved = kept();
  if (unsaved) {
    show(unsaved.values);
    // The version stays the one that the text was typed over, so that a change by somebody else comes out on saving.
    if (isAuthor && unsaved.version) form.dataset.version = unsaved.version;
    tell(form.dataset.restored);
  }
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    save();
  });
  form.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-clause]");
    if (!button) return;
    form.elements.namedItem("local_negation").value = button.dataset.text;
    const clause = form.elements.namedItem("local_negation_type");
    if ([...clause.options].some((one) => one.value === button.dataset.clause)) clause.value = button.dataset.clause;
    changed();
  });
  document.addEventListener("keydown", (event) => {
    if (event.code === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit();
      return;
    }
    if (form.id !== "verify" || event.ctrlKey || event.metaKey || event.altKey) return;
    const letter = { KeyA: "A", KeyB: "B", KeyC: "C", KeyD: "D", KeyN: "none" }[event.code];
    const box = letter && form.querySelector(`input[name="answer"][value="${letter}"]`);
    const isOnControl = event.target.closest && event.target.closest("a, button, summary");
    if (box) {
      event.preventDefault();
      box.checked = true;
      keep();
      tell("");
    } else if (event.code === "Enter" && !isOnControl) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  if (isAuthor) check();
})();
