/* The page of a study: map, matrix and sentences follow one cut-off and one choice. */

import { offerTables, pictureButtons } from "./downloads.js";
import { offerPictures } from "./drawn.js";
import { atCutoff, drawMap } from "./study_map.js";
import { drawMatrix } from "./study_matrix.js";

const page = document.querySelector("[data-study]");
if (page) start(JSON.parse(document.getElementById("study-data").textContent));
offerTables();
offerPictures();

/* --- the panel of sentences ----------------------------------------------------------------- */

async function open(address, panel) {
  const body = panel.querySelector("[data-sentences-body]");
  const url = new URL(address, location.href);
  url.searchParams.set("part", "1");
  body.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(url);
    const text = await answer.text();
    if (!answer.ok && !text.includes("role=\"alert\"")) throw new Error(answer.statusText);
    body.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.childNodes);
  } catch {
    body.textContent = "The server cannot be reached. Try again in a moment.";
  }
  body.removeAttribute("aria-busy");
  body.scrollTop = 0;
  panel.focus({ preventScroll: true });
  panel.scrollIntoView({ block: "nearest" });
}

async function start(data) {
  const panel = page.querySelector("[data-panel]");
  const slider = page.querySelector("[data-slider]");
  const stance = page.querySelector("[data-stance]");
  const grid = page.querySelector("[data-matrix]");
  let chosen = "";
  let map = null;

  const address = (what) => `${page.dataset.sentences}?${new URLSearchParams(what)}${page.dataset.query ? `&${page.dataset.query}` : ""}`;
  const relation = ({ source, target }) => address({ kind: "relation", source, target });

  function choose(id) {
    chosen = id;
    map?.choose(id);
    for (const cell of grid.querySelectorAll("[data-cell]")) cell.parentElement.classList.toggle("matrix__cell--chosen", cell.dataset.cell === id);
  }

  function showMatrix() {
    const { themes, kept } = atCutoff(data, Number(slider.value));
    const inside = new Set(themes.map((one) => one.id));
    const cells = stance.value === "only" ? data.cells : kept;
    const shown = stance.value === "only" ? data.themes.filter((one) => cells.some((cell) => cell.negative && (cell.source === one.id || cell.target === one.id))) : themes;
    drawMatrix(grid, shown, stance.value === "only" ? cells : cells.filter((cell) => inside.has(cell.source)), stance.value, relation);
    choose(chosen);
  }

  async function showCutoff({ remember = true } = {}) {
    const cutoff = Number(slider.value);
    const [relations, themes] = data.cutoffs[cutoff - 1] ?? [0, 0];
    const { themes: on } = atCutoff(data, cutoff);
    page.querySelector("[data-cutoff]").textContent = String(cutoff);
    slider.setAttribute("aria-valuetext", `at least ${cutoff}`);
    page.querySelector("[data-kept]").textContent = `keeps ${Math.round(relations * 100)} % of relations, ${on.length} of ${data.themes.length} themes (${Math.round(themes * 100)} %)`;
    showMatrix();
    if (remember) {
      const url = new URL(location.href);
      url.searchParams.set("cutoff", String(cutoff));
      history.replaceState(null, "", url);
    }
    await map?.show(cutoff);
    map?.choose(chosen);
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-open]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    choose(link.dataset.cell ?? "");
    open(link.href, panel);
  });
  slider.addEventListener("input", () => showCutoff());
  stance.addEventListener("change", showMatrix);

  const { default: cytoscape } = await import(page.dataset.vendor);
  const figure = page.querySelector("[data-canvas]");
  map = drawMap(cytoscape, figure, data, (what) => {
    if (what.theme) {
      choose(what.theme);
      open(address({ kind: "theme", theme: what.theme }), panel);
    } else {
      choose(`${what.source}>${what.target}`);
      open(relation(what), panel);
    }
  });
  page.querySelector("[data-fit]").addEventListener("click", () => map.fit());
  page.querySelector("[data-pictures]").append(...pictureButtons("value-map", "Value map", { svg: () => map.svg(), png: () => map.png() }));
  await showCutoff({ remember: false });
}
