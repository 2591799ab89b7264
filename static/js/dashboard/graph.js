/* One graph on one canvas: drawn once, then replayed turn by turn. */

import { layOut, sCurve, sizeOf, wrap } from "./layout.js";

const FONT_SIZE = 13;
const READABLE = 11 / FONT_SIZE; // smaller labels cannot be read: then one moves about instead
const EDGE = 14;
const NAMES = 122; // room for the bands' names
const NARROW = 420; // narrower canvases write the names above the bands

/* Values of the design system, read anew when the theme changes. */
function theme() {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(name).trim();
  return {
    ink: value("--ink"),
    ink3: value("--ink-3"),
    paper: value("--paper"),
    line: value("--line"),
    brand: value("--brand"),
    onLevel: value("--on-level"),
    levels: [1, 2, 3, 4, 5].map((level) => value(`--level-${level}`)),
    font: getComputedStyle(document.body).fontFamily,
  };
}

function styleSheet(look) {
  return [
    {
      selector: "node",
      style: {
        shape: "round-rectangle",
        "corner-radius": 16,
        width: "data(width)",
        height: "data(height)",
        "background-color": (node) => look.levels[node.data("colour") - 1],
        label: "data(text)",
        color: look.onLevel,
        "font-family": look.font,
        "font-size": FONT_SIZE,
        "line-height": 1.25,
        "text-wrap": "wrap",
        "text-max-width": 400,
        "text-valign": "center",
        "text-halign": "center",
        "overlay-opacity": 0,
        "border-width": 0,
      },
    },
    { selector: "node[?terminal]", style: { "corner-radius": 6 } },
    {
      selector: "node[?candidate]",
      style: {
        "background-color": look.paper,
        color: look.ink,
        "border-width": 2,
        "border-style": "dashed",
        "border-color": (node) => look.levels[node.data("colour") - 1],
      },
    },
    {
      selector: "edge",
      style: {
        width: 1.8,
        "line-color": look.ink3,
        "line-opacity": 0.55,
        "target-arrow-color": look.ink3,
        "target-arrow-shape": "triangle",
        "arrow-scale": 0.7,
        "curve-style": "bezier",
        "overlay-opacity": 0,
      },
    },
    {
      selector: "edge[?upright]",
      style: {
        "curve-style": "unbundled-bezier",
        "edge-distances": "endpoints",
        "source-endpoint": "data(leaves)",
        "target-endpoint": "data(arrives)",
        "control-point-weights": "data(weights)",
        "control-point-distances": "data(distances)",
      },
    },
    { selector: "edge[?revises]", style: { "line-style": "dashed" } },
    { selector: "edge.new", style: { width: 3.2, "line-color": look.brand, "target-arrow-color": look.brand, "line-opacity": 1, "z-index": 5 } },
    { selector: "node.new", style: { "outline-width": 4, "outline-offset": 0, "outline-color": look.brand, "outline-opacity": 0.35, "outline-style": "solid" } },
    { selector: "node.focus", style: { "border-width": 3, "border-style": "solid", "border-color": look.ink } },
    { selector: "node.chosen", style: { "outline-width": 3, "outline-offset": 3, "outline-color": look.brand, "outline-opacity": 1, "outline-style": "solid" } },
    { selector: "edge.chosen", style: { width: 4, "line-color": look.brand, "target-arrow-color": look.brand, "line-opacity": 1, "z-index": 6 } },
    { selector: ".revised", style: { opacity: 0.4 } },
    { selector: ".dimmed", style: { opacity: 0.35 } },
    { selector: ".orphan, .aside", style: { display: "none" } },
    { selector: ".later", style: { display: "none" } },
  ];
}

/* Draws `graph` ({bands, nodes, edges}) into `figure`; `onChoose` gets a node's id or null. */
export function drawGraph(cytoscape, figure, graph, onChoose) {
  const box = figure.querySelector(".canvas__draw");
  const bandBox = figure.querySelector(".canvas__bands");
  const empty = figure.querySelector(".canvas__empty");
  const brush = document.createElement("canvas").getContext("2d");
  let look = theme();
  brush.font = `${FONT_SIZE}px ${look.font}`;
  const measure = (text) => brush.measureText(text).width;

  const nodes = graph.nodes.map((node) => {
    const lines = wrap(node.label, measure);
    return { ...node, text: lines.join("\n"), ...sizeOf(lines, measure) };
  });
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const edges = graph.edges.filter((edge) => byId.has(edge.source) && byId.has(edge.target));
  const margin = () => (figure.clientWidth < NARROW ? EDGE : NAMES);
  const room = () => ({
    width: Math.max(box.clientWidth - margin() - EDGE, 200),
    height: Math.max(box.clientHeight - 2 * EDGE, 200),
  });
  let canvas = room();
  const compute = () => layOut(nodes, edges, Math.max(graph.bands.length, 1), canvas);
  let { positions, bands } = compute();

  const cy = cytoscape({
    container: box,
    elements: [
      ...nodes.map((node) => ({ data: node, position: { ...positions.get(node.id) } })),
      ...edges.map((edge) => ({ data: { ...edge, ...route(edge, byId, positions) } })),
    ],
    style: styleSheet(look),
    layout: { name: "preset" },
    autoungrabify: true,
    autounselectify: true,
    boxSelectionEnabled: false,
    minZoom: 0.15,
    maxZoom: 2,
  });

  const labels = graph.bands.map((band) => {
    const label = document.createElement("span");
    label.className = `canvas__band canvas__band--${band.colour}`;
    label.textContent = band.name;
    bandBox.append(label);
    return label;
  });

  /* What is drawn and how large, told where pages and tests can read it. */
  function tell() {
    figure.dataset.zoom = cy.zoom().toFixed(4);
    figure.dataset.drawn = String(cy.nodes().not(".later, .orphan, .aside").length);
  }

  function placeBands() {
    tell();
    const zoom = cy.zoom();
    const pan = cy.pan();
    bands.forEach((band, index) => {
      const top = band.top * zoom + pan.y;
      labels[index].style.transform = `translateY(${top}px)`;
      labels[index].style.height = `${(band.bottom - band.top) * zoom}px`;
    });
  }

  /* Lay out anew where the canvas has got another shape: a window resized, a second graph beside. */
  function arrange() {
    const now = room();
    const change = (now.width / now.height) / (canvas.width / canvas.height);
    if (change > 0.85 && change < 1.18) return;
    canvas = now;
    ({ positions, bands } = compute());
    cy.batch(() => {
      cy.nodes().positions((node) => ({ ...positions.get(node.id()) }));
      cy.edges().forEach((edge) => {
        edge.data(route(edge.data(), byId, positions));
      });
    });
  }

  /* Fill the canvas, leaving room for the band names at the left. Where the labels of the whole
   * would be too small to read, a part is shown, unless the `whole` is asked for. */
  function fit(whole = false) {
    cy.resize();
    const width = box.clientWidth;
    const height = box.clientHeight;
    if (!width || !height) return;
    arrange();
    const left = margin();
    const bounds = nodes.length
      ? cy.nodes().boundingBox({ includeLabels: false, includeOverlays: false })
      : { x1: 0, x2: 1, w: 1 };
    const top = bands[bands.length - 1].top;
    const bottom = bands[0].bottom;
    const all = Math.min((width - left - EDGE) / bounds.w, (height - 2 * EDGE) / (bottom - top), 1.1);
    const zoom = whole ? all : Math.max(all, READABLE);
    figure.classList.toggle("canvas--narrow", figure.clientWidth < NARROW);
    cy.viewport({
      zoom,
      pan: {
        // What does not fit begins beside the names of the bands.
        x: zoom > all && bounds.w * zoom > width - left - EDGE
          ? left - bounds.x1 * zoom
          : left + (width - left - EDGE) / 2 - ((bounds.x1 + bounds.x2) / 2) * zoom,
        y: height / 2 - ((top + bottom) / 2) * zoom,
      },
    });
    placeBands();
  }

  function showTurn(turn, focusId) {
    let shown = 0;
    let links = 0;
    cy.batch(() => {
      cy.nodes().forEach((node) => {
        const there = node.data("turn") <= turn;
        const revised = node.data("revised");
        const gone = there && revised !== null && revised !== undefined && revised <= turn;
        node.toggleClass("later", !there);
        node.toggleClass("revised", gone);
        node.toggleClass("new", there && node.data("turn") === turn && turn > 0);
        node.toggleClass("focus", node.id() === focusId);
        if (there && !gone) shown += 1;
      });
      cy.edges().forEach((edge) => {
        const there = edge.data("turn") <= turn;
        const gone = edge.source().hasClass("revised") || edge.target().hasClass("revised");
        edge.toggleClass("later", !there);
        edge.toggleClass("revised", gone);
        edge.toggleClass("new", there && edge.data("turn") === turn && turn > 0);
        if (there && !gone) links += 1;
      });
    });
    tell();
    empty.hidden = shown > 0;
    if (!shown) {
      empty.textContent = nodes.length
        ? "Nothing yet at this turn: concepts appear with the first answer."
        : graph.nothing;
    }
    return { shown, links };
  }

  /* Mark nodes and fade what is not linked to them; an empty list clears. */
  function choose(ids) {
    cy.batch(() => {
      cy.elements().removeClass("chosen dimmed");
      const picked = cy.elements().filter((element) => ids.includes(element.id()));
      if (!picked.length) return;
      picked.addClass("chosen");
      const near = picked.nodes().closedNeighborhood().union(picked.edges().connectedNodes());
      cy.elements().not(near.union(picked)).addClass("dimmed");
    });
  }

  /* Bring a concept into the middle, large enough to read. */
  function find(id) {
    const found = cy.getElementById(id);
    if (found.empty()) return;
    cy.zoom(Math.max(cy.zoom(), READABLE));
    cy.center(found);
  }

  /* Leave out concepts without a link. */
  function hideOrphans(on) {
    cy.nodes().forEach((node) => node.toggleClass("orphan", on && !node.connectedEdges().length));
    tell();
  }

  /* Leave only what leads to a concept and what it leads to; null shows everything again. */
  function follow(id) {
    cy.batch(() => {
      cy.elements().removeClass("aside");
      if (!id) return;
      const from = cy.getElementById(id);
      if (from.empty()) return;
      cy.elements().not(from.predecessors().union(from.successors()).union(from)).addClass("aside");
    });
    tell();
  }

  // The wheel scrolls the page; with Ctrl, as with a pinch, it zooms.
  figure.addEventListener("wheel", (event) => event.ctrlKey || event.stopPropagation(), {
    capture: true,
    passive: true,
  });
  cy.on("tap", "node, edge", (event) => onChoose(event.target.id()));
  cy.on("tap", (event) => {
    if (event.target === cy) onChoose(null);
  });
  cy.on("viewport", placeBands);
  cy.on("mouseover", "node, edge", () => box.classList.add("canvas__draw--hand"));
  cy.on("mouseout", "node, edge", () => box.classList.remove("canvas__draw--hand"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    look = theme();
    cy.style(styleSheet(look));
  });
  new ResizeObserver(() => fit()).observe(box);
  return {
    showTurn,
    choose,
    fit,
    find,
    hideOrphans,
    follow,
  };
}

/* How a link runs: upright between bands, a plain curve within one. */
function route(edge, byId, positions) {
  const from = byId.get(edge.source);
  const to = byId.get(edge.target);
  if (from.band === to.band) return { upright: false };
  const up = from.band < to.band ? -1 : 1;
  const start = positions.get(from.id);
  const end = positions.get(to.id);
  const curve = sCurve(
    { x: start.x, y: start.y + (up * from.height) / 2 },
    { x: end.x, y: end.y - (up * to.height) / 2 },
  );
  return {
    upright: true,
    leaves: up < 0 ? "0 -50%" : "0 50%",
    arrives: up < 0 ? "0 50%" : "0 -50%",
    weights: curve.weights.split(" ").map(Number),
    distances: curve.distances.split(" ").map(Number),
  };
}
