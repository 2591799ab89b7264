/* The page of one session: every pane follows the turn that is chosen in any of them. */

import { drawGraph } from "./graph.js";
import { fillAbout } from "./about.js";
import { listen } from "./correct.js";
import { offerTables, pictureButtons } from "./downloads.js";
import { live, putIn } from "./live.js";
import { drawTurnCharts } from "./turn_charts.js";

const page = document.querySelector("[data-session]");
const slider = page.querySelector("[data-slider]");
const turnList = page.querySelector("[data-turns]");
const about = page.querySelector("[data-about]");
const counts = page.querySelector("[data-graph-count]");
let data;
let focusOf;
let nodes;
let edges;
let slots;

function read(root) {
  data = JSON.parse(root.getElementById("session-data").textContent);
  focusOf = new Map(data.turns.map((turn) => [turn.n, turn.focus]));
  nodes = new Map(data.nodes.map((node) => [node.id, node]));
  edges = new Map(data.edges.map((edge) => [edge.id, edge]));
  slots = new Map(data.slots.map((slot) => [slot.id, slot]));
}

read(document);
let turn = data.selected;
let charts = null;
let view = "words";
let chosen = null;
const graphs = new Map();

/* --- the turn ------------------------------------------------------------------------------- */

function clamp(number) {
  return Math.min(Math.max(number, 0), data.last);
}

function showTurn(number, { address = true, scroll = true } = {}) {
  turn = clamp(number);
  slider.value = String(turn);
  slider.setAttribute("aria-valuetext", `turn ${turn} of ${data.last}`);
  for (const element of page.querySelectorAll("[data-turn-number]")) element.textContent = String(turn);
  for (const item of turnList.querySelectorAll("[data-turn]")) {
    const here = Number(item.dataset.turn) === turn;
    item.classList.toggle("turn--chosen", here);
    if (here) item.setAttribute("aria-current", "true");
    else item.removeAttribute("aria-current");
    if (here && scroll) keepInSight(item, turnList);
  }
  for (const article of page.querySelectorAll("[data-why]")) {
    article.hidden = Number(article.dataset.why) !== turn;
  }
  for (const dot of page.querySelectorAll("[data-dot]")) {
    dot.toggleAttribute("hidden", Number(dot.dataset.dot) !== turn);
  }
  if (address) {
    const url = new URL(location.href);
    url.searchParams.set("turn", String(turn));
    history.replaceState(null, "", url);
  }
  charts?.show(turn);
  drawTurn();
}

function drawTurn() {
  const focus = focusOf.get(turn) ?? null;
  const focusSlot = focus ? (nodes.get(focus)?.slot ?? null) : null;
  const words = graphs.get("words")?.showTurn(turn, focus);
  const canonical = graphs.get("slots")?.showTurn(turn, focusSlot);
  const said = view === "slots" ? canonical : words;
  const what = view === "slots" ? "slots" : "concepts";
  counts.textContent = said ? `${said.shown} ${what} · ${said.links} links` : "";
}

/* Scroll the list itself, never the page that one is reading. */
function keepInSight(item, list) {
  const top = item.offsetTop - list.offsetTop;
  if (top < list.scrollTop || top + item.offsetHeight > list.scrollTop + list.clientHeight) {
    list.scrollTop = top - list.clientHeight / 4;
  }
}

/* --- the concept ---------------------------------------------------------------------------- */

function chooseNode(id) {
  chosen = id && (nodes.has(id) || slots.has(id) || edges.has(id)) ? id : null;
  const node = nodes.get(chosen);
  const edge = edges.get(chosen);
  const slot = slots.get(chosen) ?? slots.get(node?.slot);
  const words = node ? [node.id] : data.nodes.filter((n) => slot && n.slot === slot.id).map((n) => n.id);
  graphs.get("words")?.choose(edge ? [edge.id] : words);
  graphs.get("slots")?.choose(slot ? [slot.id] : []);
  for (const quote of page.querySelectorAll(".quote")) {
    quote.classList.toggle("quote--chosen", quote.dataset.nodes.split(" ").some((n) => words.includes(n)));
  }
  for (const row of document.querySelectorAll("[data-node-row]")) {
    row.classList.toggle("table__chosen", words.includes(row.dataset.nodeRow));
  }
  fillAbout(about, { node, slot: node ? null : slot, edge, data, onTurn: showTurn, onNode: chooseNode });
}

/* A stretch under several quotes walks through them, the most specific first. */
function nextOf(ids) {
  const order = [...ids].reverse();
  return order[(order.indexOf(chosen) + 1) % order.length];
}

/* --- which graph ---------------------------------------------------------------------------- */

function showView(name, cytoscape) {
  view = name;
  page.classList.toggle("panes--both", name === "both");
  for (const button of page.querySelectorAll("[data-view]")) {
    button.setAttribute("aria-pressed", String(button.dataset.view === name));
  }
  for (const figure of page.querySelectorAll("[data-canvas]")) {
    const kind = figure.dataset.canvas;
    figure.hidden = name !== "both" && name !== kind;
    if (!figure.hidden && !graphs.has(kind)) {
      graphs.set(kind, draw(cytoscape, figure, kind));
      if (isPressed("orphans")) graphs.get(kind).hideOrphans(true);
      if (isPressed("fold")) graphs.get(kind).fold(true);
    }
    if (!figure.hidden) graphs.get(kind).fit();
  }
  drawTurn();
  chooseNode(chosen);
}

function draw(cytoscape, figure, kind) {
  const words = kind === "words";
  return drawGraph(
    cytoscape,
    figure,
    {
      bands: data.bands,
      nodes: words ? data.nodes : data.slots.map((s) => ({ ...s, candidate: s.promoted === null })),
      edges: words ? data.edges : data.slotEdges,
      nothing: words
        ? "No concept was found in this interview yet."
        : "No slots: this interview was held without canonical slots, or nothing was said yet.",
    },
    chooseNode,
  );
}

/* --- what one can press --------------------------------------------------------------------- */

slider.addEventListener("input", () => showTurn(Number(slider.value)));

document.addEventListener("click", (event) => {
  const choose = event.target.closest("[data-choose]");
  if (choose && !event.metaKey && !event.ctrlKey) {
    event.preventDefault();
    showTurn(Number(choose.dataset.choose));
    return;
  }
  const marked = event.target.closest("[data-nodes]");
  if (marked) {
    event.preventDefault();
    const item = marked.closest("[data-turn]");
    if (item) showTurn(Number(item.dataset.turn), { scroll: false });
    chooseNode(nextOf(marked.dataset.nodes.split(" ")));
    return;
  }
  const item = event.target.closest("[data-turn]");
  if (item && !String(getSelection())) showTurn(Number(item.dataset.turn), { scroll: false });
});

/* Left and right step through the turns wherever the focus is, except where they mean something. */
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input, textarea, select")) return;
  if (event.key === "ArrowLeft") showTurn(turn - 1);
  else if (event.key === "ArrowRight") showTurn(turn + 1);
  else if (event.key === "Escape") chooseNode(null);
  else return;
  event.preventDefault();
});

listen(about, () => data);
offerTables();

const { default: cytoscape } = await import(page.dataset.vendor);
for (const button of page.querySelectorAll("[data-view]")) {
  button.addEventListener("click", () => showView(button.dataset.view, cytoscape));
}
page.querySelector("[data-fit]").addEventListener("click", () => {
  for (const graph of graphs.values()) graph.fit(true);
});

/* --- a large graph -------------------------------------------------------------------------- */

const finder = page.querySelector("[data-find]");
finder.addEventListener("change", () => {
  const wanted = finder.value.trim().toLowerCase();
  const all = view === "slots" ? data.slots : data.nodes;
  const found = wanted && all.find((one) => one.label.toLowerCase().includes(wanted));
  if (!found) return;
  chooseNode(found.id);
  for (const graph of graphs.values()) graph.find(found.id);
});

function isPressed(name) {
  return page.querySelector(`[data-${name}]`).getAttribute("aria-pressed") === "true";
}

function pressed(name, then) {
  const button = page.querySelector(`[data-${name}]`);
  button.addEventListener("click", () => {
    button.setAttribute("aria-pressed", String(!isPressed(name)));
    for (const graph of graphs.values()) then(graph, isPressed(name));
  });
}

pressed("orphans", (graph, on) => graph.hideOrphans(on));
pressed("chain", (graph, on) => graph.follow(on ? chosen : null));
pressed("fold", (graph, on) => {
  graph.fold(on);
  drawTurn();
});
page.querySelector("[data-pictures]").append(
  ...pictureButtons("graph", "Graph", {
    svg: () => graphs.get(view === "slots" ? "slots" : "words").svg(),
    png: () => graphs.get(view === "slots" ? "slots" : "words").png(),
  }),
);
page.querySelector("[data-full]").addEventListener("click", () => {
  if (document.fullscreenElement) document.exitFullscreen();
  else page.querySelector(".graph").requestFullscreen();
});
showView("words", cytoscape);
showTurn(turn, { address: false });

/* --- while the interview runs ----------------------------------------------------------------- */

/* Take in what is new; who looks at the last turn follows, who reads an earlier one stays there. */
function grow(fresh) {
  const atEnd = turn === data.last;
  read(fresh);
  putIn(fresh);
  slider.max = String(data.last);
  slider.disabled = !data.last;
  for (const element of page.querySelectorAll("[data-last]")) element.textContent = String(data.last);
  for (const graph of graphs.values()) graph.destroy();
  graphs.clear();
  const writing = about.querySelector("form") && about.contains(document.activeElement);
  const kept = writing ? [...about.childNodes] : null;
  showView(view, cytoscape);
  if (kept) {
    about.replaceChildren(...kept);
    about.hidden = false;
  }
  charts?.update(data.over);
  showTurn(atEnd ? data.last : turn, { address: false });
}

if (page.dataset.live) live(page.dataset.live, grow);

const section = document.querySelector("[data-over]");
const echarts = await import(page.dataset.charts);
charts = drawTurnCharts(echarts, section, data.over, showTurn);
charts.show(turn);
