/* One graph on one canvas: drawn once, then replayed turn by turn. */

import { folded } from "./fold.js";
import { layOut, sCurve, sizeOf, wrap } from "./layout.js";
import { FONT_SIZE, styleSheet, theme } from "./look.js";
import { named } from "./meaning.js";
import { svgOf } from "./picture.js";

const READABLE = 11 / FONT_SIZE; // smaller labels cannot be read: then one moves about instead
const EDGE = 14;
const NAMES = 122; // room for the bands' names
const NARROW = 420; // narrower canvases write the names above the bands

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
    return { ...node, lines, text: lines.join("\n"), ...sizeOf(lines, measure) };
  });
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const edges = graph.edges.filter((edge) => byId.has(edge.source) && byId.has(edge.target));
  const margin = () => (figure.clientWidth < NARROW ? EDGE : NAMES);
  const room = () => ({
    width: Math.max(box.clientWidth - margin() - EDGE, 200),
    height: Math.max(box.clientHeight - 2 * EDGE, 200),
  });
  let canvas = room();
  let drawn = { nodes, edges }; // without what is folded
  const compute = () => layOut(drawn.nodes, drawn.edges, Math.max(graph.bands.length, 1), canvas);
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
    const name = document.createElement("span");
    name.className = "canvas__band-name";
    name.textContent = band.name;
    label.append(name);
    bandBox.append(label);
    return label;
  });

  /* What is drawn and how large, told where pages and tests can read it. */
  function tell() {
    figure.dataset.zoom = cy.zoom().toFixed(4);
    const visible = cy.nodes().not(".later, .orphan, .aside, .folded");
    figure.dataset.drawn = String(visible.length);
    figure.dataset.named = String(visible.filter(".named").length);
  }

  /* Where the labels of all would be too small, only some are written, large enough to read. */
  let wordsAt = 0;
  function writeNames() {
    const zoom = cy.zoom();
    if (zoom === wordsAt) return;
    wordsAt = zoom;
    const far = zoom < READABLE * 0.995;
    const factor = READABLE / zoom;
    const shown = cy.nodes().not(".later, .orphan, .aside, .folded");
    const boxes = shown.map((node) => ({
      id: node.id(),
      ...node.position(),
      width: byId.get(node.id()).width,
      height: byId.get(node.id()).height,
      weight: node.degree() + (node.hasClass("focus") || node.hasClass("chosen") ? 1000 : 0),
    }));
    const kept = new Map(far ? named(boxes, factor).map((box) => [box.id, box]) : []);
    cy.batch(() => {
      cy.nodes().forEach((node) => {
        const box = kept.get(node.id());
        if (box) node.data({ farWidth: box.wide, farHeight: box.high, farFont: FONT_SIZE * factor });
        node.toggleClass("named", Boolean(box));
        node.toggleClass("far", far && !box);
      });
    });
  }

  function placeBands() {
    writeNames();
    tell();
    const zoom = cy.zoom();
    const pan = cy.pan();
    bands.forEach((band, index) => {
      // The name stands in the middle of what is seen of its band.
      const top = Math.max(band.top * zoom + pan.y, 0);
      const bottom = Math.min(band.bottom * zoom + pan.y, box.clientHeight);
      labels[index].hidden = bottom - top < 20;
      labels[index].style.transform = `translateY(${top}px)`;
      labels[index].style.height = `${bottom - top}px`;
    });
  }

  /* Lay out anew where the canvas has got another shape: a window resized, a second graph beside. */
  function arrange() {
    const now = room();
    const change = (now.width / now.height) / (canvas.width / canvas.height);
    if (change > 0.85 && change < 1.18) return;
    canvas = now;
    placeAll();
  }

  /* Lay out what is drawn, and move everything there. */
  function placeAll() {
    ({ positions, bands } = compute());
    cy.batch(() => {
      cy.nodes().positions((node) => ({ ...(positions.get(node.id()) ?? node.position()) }));
      cy.edges().forEach((edge) => {
        if (positions.has(edge.source().id()) && positions.has(edge.target().id())) {
          edge.data(route(edge.data(), byId, positions));
        }
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
    const bounds = extent();
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

  /* From where to where the boxes reach, whatever size they have at this zoom. */
  function extent() {
    const sides = drawn.nodes.flatMap((node) => {
      const { x } = positions.get(node.id);
      return [x - node.width / 2, x + node.width / 2];
    });
    if (!sides.length) return { x1: 0, x2: 1, w: 1 };
    const [x1, x2] = [Math.min(...sides), Math.max(...sides)];
    return { x1, x2, w: x2 - x1 };
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
        if (there && !gone && !edge.data("fold")) links += 1;
      });
    });
    wordsAt = 0;
    writeNames();
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
      wordsAt = 0;
      const near = picked.nodes().closedNeighborhood().union(picked.edges().connectedNodes());
      cy.elements().not(near.union(picked)).addClass("dimmed");
    });
    writeNames();
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

  /* Leave out what lies between the ends of finished chains, and lay out what is left. */
  function fold(on) {
    cy.edges("[?fold]").remove();
    cy.nodes().removeClass("folded");
    const { hidden, links } = on ? folded(nodes, edges) : { hidden: new Set(), links: [] };
    const kept = edges.filter((edge) => !hidden.has(edge.source) && !hidden.has(edge.target));
    drawn = { nodes: nodes.filter((node) => !hidden.has(node.id)), edges: [...kept, ...links] };
    hidden.forEach((id) => cy.getElementById(id).addClass("folded"));
    cy.add(links.map((link) => ({ group: "edges", data: { ...link, hides: `${link.count} between`, upright: false } })));
    placeAll();
    wordsAt = 0;
    fit();
  }

  /* The drawing as it stands, as the text of an SVG file. */
  function svg() {
    const seen = (element) => element.visible() && !element.hasClass("later");
    const at = (end) => {
      const { x, y } = end.position();
      return `${x.toFixed(1)} ${y.toFixed(1)}`;
    };
    return svgOf({
      look,
      bands: bands.map((band, index) => ({ ...band, name: graph.bands[index]?.name ?? "" })),
      nodes: cy.nodes().filter(seen).map((node) => ({
        ...byId.get(node.id()),
        ...node.position(),
        fill: look.levels[node.data("colour") - 1],
        ink: look.onLevel,
      })),
      links: cy.edges().filter(seen).map((edge) => ({ ...edge.data(), path: wayOf(edge, at) })),
    });
  }

  function wayOf(edge, at) {
    const from = edge.sourceEndpoint();
    const to = edge.targetEndpoint();
    if (!from || !to) return `M${at(edge.source())} L${at(edge.target())}`;
    const bend = edge.data("upright") ? (to.y - from.y) * 0.45 : 0;
    const middle = `${from.x} ${from.y + bend} ${to.x} ${to.y - bend}`;
    return `M${from.x} ${from.y} C${middle} ${to.x} ${to.y}`;
  }

  function png() {
    return cy.png({ full: true, scale: 2, bg: look.paper });
  }

  // The wheel scrolls the page; with Ctrl, as with a pinch, it zooms.
  figure.addEventListener("wheel", (event) => event.ctrlKey || event.stopPropagation(), {
    capture: true,
    passive: true,
  });
  cy.on("tap", "node, edge", (event) => onChoose(event.target.data("fold") ? event.target.source().id() : event.target.id()));
  cy.on("tap", (event) => {
    if (event.target === cy) onChoose(null);
  });
  cy.on("viewport", placeBands);
  cy.on("mouseover", "node, edge", () => box.classList.add("canvas__draw--hand"));
  cy.on("mouseout", "node, edge", () => box.classList.remove("canvas__draw--hand"));
  const ending = new AbortController();
  matchMedia("(prefers-color-scheme: dark)").addEventListener(
    "change",
    () => {
      look = theme();
      cy.style(styleSheet(look));
    },
    { signal: ending.signal },
  );
  const sizes = new ResizeObserver(() => fit());
  sizes.observe(box);

  /* Leave the canvas as it was, for another drawing. */
  function destroy() {
    ending.abort();
    sizes.disconnect();
    cy.destroy();
    bandBox.replaceChildren();
  }

  return {
    destroy,
    fold,
    svg,
    png,
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
