// Language, sorting, charts, samples. Everything is put on the page as text, never as HTML.
"use strict";
(() => {
  const data = (id) => JSON.parse(document.getElementById(id).textContent);
  const charts = data("charts");
  const samples = data("samples");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const SHOWN = 50;

  // Charts: drawn when their language is shown, again when the colours change.
  function config() {
    const ink = dark.matches ? "#e8ecf1" : "#1b1f24";
    const grid = dark.matches ? "#39424c" : "#e3e7ec";
    const palette = dark.matches
      ? ["#8cc2ff", "#ffb26b", "#7fd6a2", "#f0a3c8", "#d8d26a", "#b7a8ff", "#6fd3d6", "#ff9db8"]
      : ["#0b57a4", "#b35300", "#117733", "#882255", "#5f5f00", "#332288", "#00696d", "#aa3377"];
    return {
      background: null,
      font: getComputedStyle(document.body).fontFamily,
      view: { stroke: null },
      axis: { labelColor: ink, titleColor: ink, gridColor: grid, domainColor: grid, tickColor: grid, labelFontSize: 12, titleFontSize: 12 },
      legend: { labelColor: ink, titleColor: ink, labelFontSize: 12 },
      range: { category: palette },
      mark: { color: palette[0] },
      rule: { color: palette[0] },
    };
  }

  async function draw(language) {
    const specs = charts[language.lang] || {};
    for (const box of language.querySelectorAll("[data-chart]")) {
      const spec = specs[box.dataset.chart];
      if (!spec) continue;
      try {
        await vegaEmbed(box, { $schema: "https://vega.github.io/schema/vega-lite/v6.json", ...spec }, {
          actions: false, renderer: "svg", config: config(), ast: false,
        });
      } catch (error) {
        box.textContent = String(error);
        console.error(error);
      }
    }
  }

  // Language.
  function show(lang) {
    for (const one of document.querySelectorAll(".language")) {
      one.hidden = one.lang !== lang;
      if (!one.hidden) {
        document.documentElement.lang = lang;
        document.title = one.dataset.title;
        draw(one);
        list(one);
      }
    }
  }
  for (const button of document.querySelectorAll(".switch")) {
    button.addEventListener("click", () => {
      show(button.dataset.to);
      const twin = document.querySelector(`.language:not([hidden]) .switch`);
      if (twin) twin.focus();
    });
  }

  // Sorting: by the number that a cell begins with, else by its text.
  const number = (text) => {
    const found = text.replaceAll(",", "").match(/^[+-]?\d+(\.\d+)?/);
    return found ? Number(found[0]) : null;
  };
  function compare(a, b) {
    const [x, y] = [number(a), number(b)];
    if (x !== null && y !== null) return x - y;
    if (x !== null || y !== null) return x !== null ? -1 : 1;
    return a.localeCompare(b, document.documentElement.lang);
  }
  for (const button of document.querySelectorAll("table.sortable th button")) {
    button.addEventListener("click", () => {
      const head = button.closest("th");
      const table = head.closest("table");
      const column = [...head.parentNode.children].indexOf(head);
      const up = head.getAttribute("aria-sort") === "descending" || head.getAttribute("aria-sort") === "none" && number(table.tBodies[0].rows[0]?.cells[column].textContent ?? "") === null;
      for (const other of head.parentNode.children) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => (up ? 1 : -1) * compare(a.cells[column].textContent, b.cells[column].textContent));
      table.tBodies[0].append(...rows);
    });
  }

  // Samples.
  const texts = samples.map((one) =>
    [one.item, one.group, one.prediction, one.target, one.prompt, one.answer, ...one.options.map((o) => o[0])].join("\n").toLowerCase());

  function block(parent, title, text) {
    if (!text) return;
    const head = document.createElement("strong");
    head.textContent = title;
    const body = document.createElement("pre");
    body.textContent = text;
    parent.append(head, body);
  }

  function card(one, words, language) {
    const box = document.createElement("details");
    box.className = "sample";
    const summary = document.createElement("summary");
    const mark = document.createElement("span");
    mark.className = `mark ${one.outcome}`;
    mark.textContent = [...language.querySelector("select.outcome").options].find((o) => o.value === one.outcome)?.textContent ?? one.outcome;
    summary.append(mark, `${one.item}${one.group ? ` · ${one.group}` : ""}`);
    box.append(summary);
    box.addEventListener("toggle", () => {
      if (box.childElementCount > 1) return;
      block(box, words.prompt, one.prompt);
      block(box, words.options, one.options.map(([text, value]) => `${value.toFixed(4)}  ${text}`).join("\n"));
      block(box, words.answer, one.answer);
      block(box, words.prediction, one.prediction);
      block(box, words.target, one.target);
      block(box, words.details, one.details);
      if (one.cut) box.append(words.cut.replace("{count}", one.cut.toLocaleString(language.lang)));
    });
    return box;
  }

  function list(language) {
    const finder = language.querySelector(".finder");
    const wanted = finder.querySelector(".text").value.toLowerCase();
    const result = finder.querySelector(".result").value;
    const outcome = finder.querySelector(".outcome").value;
    const fit = samples.filter((one, at) =>
      (!result || String(one.result) === result) && (!outcome || one.outcome === outcome) && (!wanted || texts[at].includes(wanted)));
    const found = language.querySelector(".found");
    found.textContent = found.dataset.template.replace("{count}", fit.length.toLocaleString(language.lang));
    const place = language.querySelector(".list");
    const words = JSON.parse(place.dataset.words);
    place.replaceChildren(...fit.slice(0, SHOWN).map((one) => card(one, words, language)));
  }
  for (const language of document.querySelectorAll(".language")) {
    const finder = language.querySelector(".finder");
    finder.addEventListener("submit", (event) => event.preventDefault());
    finder.addEventListener("input", () => list(language));
  }

  dark.addEventListener("change", () => draw(document.querySelector(".language:not([hidden])")));
  addEventListener("beforeprint", () => {
    for (const one of document.querySelectorAll("figure details")) one.open = true;
  });
  show(document.documentElement.lang);
})();
