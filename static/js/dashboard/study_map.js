/* The value map on a canvas: the themes and arrows of a cut-off, levels from the bottom up. */

import { layOut, sizeOf, wrap } from "./layout.js";
import { FONT_SIZE, theme } from "./look.js";
import { svgOf } from "./picture.js";

const NAMES = 130; // room for the levels' names
const EDGE = 14;
const MANY = 300; // more themes than this are placed in plain rows, and drawn some at a time
const AT_ONCE = 20;
const WRITTEN = 60; // numbers beside arrows are written up to so many arrows

export function styleSheet(look) {
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
        "min-zoomed-font-size": 6,
        "overlay-opacity": 0,
      },
    },
    {
      selector: "edge",
      style: {
        width: "data(width)",
        "line-color": look.ink3,
        "line-opacity": 0.55,
        "target-arrow-color": look.ink3,
        "target-arrow-shape": "triangle",
        "arrow-scale": 0.7,
        "curve-style": "bezier",
        "overlay-opacity": 0,
        label: "data(label)",
        color: look.ink,
        "font-family": look.font,
        "font-size": FONT_SIZE,
        "min-zoomed-font-size": 8,
        "text-background-color": look.paper,
        "text-background-opacity": 1,
        "text-background-padding": 2,
      },
    },
    { selector: "edge[?many]", style: { "curve-style": "haystack", "target-arrow-shape": "none" } },
    { selector: "node.chosen", style: { "outline-width": 3, "outline-offset": 3, "outline-color": look.brand, "outline-opacity": 1, "outline-style": "solid" } },
    { selector: "edge.chosen", style: { "line-color": look.brand, "target-arrow-color": look.brand, "line-opacity": 1, "z-index": 6 } },
  ];
}

/* What is on the map at a cut-off: themes in a relation that is kept, and the arrows drawn. */
export function atCutoff(data, cutoff) {
  const kept = data.cells.filter((cell) => cell.direct + cell.indirect >= cutoff);
  const drawn = kept.filter((cell) => !cell.hidden.includes(nearest(cell, cutoff, data)));
  const ends = new Set(kept.flatMap((cell) => [cell.source, cell.target]));
  return { kept, drawn, themes: data.themes.filter((one) => ends.has(one.id)) };
}

/* Between two strengths nothing changes: the map of 5 is that of the weakest relation of 5 or more. */
function nearest(_cell, cutoff, data) {
  data.steps ??= [...new Set([1, ...data.cells.map((one) => one.direct + one.indirect)])].sort((a, b) => a - b);
  return data.steps.find((step) => step >= cutoff) ?? cutoff;
}

/* Rows of equal length, a band over the other: for more themes than anybody reads. */
function plainRows(boxes, bandCount) {
  const positions = new Map();
  const bands = [];
  let bottom = 0;
  const perRow = Math.max(10, Math.ceil(Math.sqrt(boxes.length * 2)));
  for (let index = 0; index < bandCount; index += 1) {
    const own = boxes.filter((box) => box.band === index);
    const rows = Math.max(1, Math.ceil(own.length / perRow));
    own.forEach((box, at) => {
      positions.set(box.id, { x: ((at % perRow) - perRow / 2) * 190, y: bottom - 40 - Math.floor(at / perRow) * 76 });
    });
    const top = bottom - rows * 76 - 30;
    bands.push({ index, top, bottom });
    bottom = top;
  }
  return { positions, bands };
}

export function drawMap(cytoscape, figure, data, onChoose) {
  const box = figure.querySelector(".canvas__draw");
  const bandBox = figure.querySelector(".canvas__bands");
  const empty = figure.querySelector(".canvas__empty");
  const brush = document.createElement("canvas").getContext("2d");
  let look = theme();
  brush.font = `${FONT_SIZE}px ${look.font}`;
  const measure = (text) => brush.measureText(text).width;
  const sizes = new Map();
  let shown = { themes: [], drawn: [], kept: [] };
  let bands = [];
  let positions = new Map();
  let drawing = 0;

  const cy = cytoscape({
    container: box,
    elements: [],
    style: styleSheet(look),
    layout: { name: "preset" },
    autoungrabify: true,
    boxSelectionEnabled: false,
    hideEdgesOnViewport: true,
    textureOnViewport: true,
    pixelRatio: 1,
    minZoom: 0.02,
    maxZoom: 2,
  });
  const labels = data.bands.map((band) => {
    const label = document.createElement("span");
    label.className = `canvas__band canvas__band--${band.colour}`;
    const name = document.createElement("span");
    name.className = "canvas__band-name";
    name.textContent = band.name;
    label.append(name);
    bandBox.append(label);
    return label;
  });

  function boxOf(one) {
    if (!sizes.has(one.id)) {
      const lines = wrap(`${one.name} · ${one.respondents}`, measure);
      sizes.set(one.id, { id: one.id, band: one.band, colour: data.bands[one.band].colour, lines, text: lines.join("\n"), ...sizeOf(lines, measure) });
    }
    return sizes.get(one.id);
  }

  function elementsOf(boxes) {
    const most = Math.max(...shown.drawn.map(strength), 1);
    const many = boxes.length > MANY;
    const nodes = boxes.map((one) => ({ group: "nodes", data: one, position: { ...positions.get(one.id) } }));
    const edges = shown.drawn.map((cell) => ({
      group: "edges",
      data: {
        id: `${cell.source}>${cell.target}`,
        source: cell.source,
        target: cell.target,
        width: 1.5 + (5 * strength(cell)) / most,
        label: shown.drawn.length <= WRITTEN ? String(strength(cell)) : "",
        many,
      },
    }));
    return [nodes, edges];
  }

  /* Draw what the cut-off keeps; resolves when all of it is on the canvas. */
  async function show(cutoff) {
    const mine = (drawing += 1);
    shown = atCutoff(data, cutoff);
    const boxes = shown.themes.map(boxOf);
    const room = { width: Math.max(box.clientWidth - NAMES - EDGE, 200), height: Math.max(box.clientHeight - 2 * EDGE, 200) };
    const placed = boxes.length > MANY ? plainRows(boxes, data.bands.length) : layOut(boxes, shown.drawn, data.bands.length, room);
    ({ positions, bands } = placed);
    const [nodes, edges] = elementsOf(boxes);
    empty.hidden = boxes.length > 0;
    cy.elements().remove();
    if (boxes.length <= MANY) {
      cy.add([...nodes, ...edges]);
      fit();
    } else {
      fit();
      for (const part of [nodes, edges]) {
        for (let at = 0; at < part.length; at += AT_ONCE) {
          cy.add(part.slice(at, at + AT_ONCE));
          await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
          if (mine !== drawing) return;
        }
      }
    }
    figure.dataset.drawn = String(cy.nodes().length);
    figure.dataset.arrows = String(cy.edges().length);
    figure.dataset.cutoff = String(cutoff);
  }

  function extent() {
    const sides = shown.themes.flatMap((one) => {
      const { x } = positions.get(one.id);
      const { width } = sizes.get(one.id);
      return [x - width / 2, x + width / 2];
    });
    return sides.length ? [Math.min(...sides), Math.max(...sides)] : [0, 1];
  }

  function fit() {
    cy.resize();
    const [x1, x2] = extent();
    const top = bands.at(-1)?.top ?? 0;
    const bottom = bands[0]?.bottom ?? 1;
    const zoom = Math.min((box.clientWidth - NAMES - EDGE) / (x2 - x1), (box.clientHeight - 2 * EDGE) / (bottom - top), 1.15);
    cy.viewport({
      zoom,
      pan: {
        x: NAMES + (box.clientWidth - NAMES - EDGE) / 2 - ((x1 + x2) / 2) * zoom,
        y: box.clientHeight / 2 - ((top + bottom) / 2) * zoom,
      },
    });
    placeBands();
  }

  function placeBands() {
    bands.forEach((band, index) => {
      const top = Math.max(band.top * cy.zoom() + cy.pan().y, 0);
      const bottom = Math.min(band.bottom * cy.zoom() + cy.pan().y, box.clientHeight);
      labels[index].hidden = bottom - top < 20;
      labels[index].style.transform = `translateY(${top}px)`;
      labels[index].style.height = `${bottom - top}px`;
    });
    figure.dataset.zoom = cy.zoom().toFixed(4);
  }

  function choose(id) {
    cy.batch(() => {
      cy.elements().removeClass("chosen");
      cy.elements().filter((one) => one.id() === id).addClass("chosen");
    });
  }

  function svg() {
    const end = (id) => positions.get(id);
    return svgOf({
      look,
      bands: bands.map((band, index) => ({ ...band, name: data.bands[index].name })),
      nodes: shown.themes.map((one) => ({ ...sizes.get(one.id), ...end(one.id), fill: look.levels[data.bands[one.band].colour - 1], ink: look.onLevel })),
      links: shown.drawn.map((cell) => {
        const [from, to] = [end(cell.source), end(cell.target)];
        const half = (sizes.get(cell.target).height / 2 + 2) * Math.sign(to.y - from.y || 1);
        return { path: `M${from.x} ${from.y} L${to.x} ${to.y - half}` };
      }),
    });
  }

  figure.addEventListener("wheel", (event) => event.ctrlKey || event.stopPropagation(), { capture: true, passive: true });
  cy.on("tap", "node", (event) => onChoose({ theme: event.target.id() }));
  cy.on("tap", "edge", (event) => onChoose({ source: event.target.source().id(), target: event.target.target().id() }));
  cy.on("viewport", placeBands);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    look = theme();
    cy.style(styleSheet(look));
  });
  new ResizeObserver(() => show(Number(figure.dataset.cutoff ?? data.cutoff))).observe(box);
  return { show, fit, choose, svg, png: () => cy.png({ full: true, scale: 2, bg: look.paper }) };
}

export function strength(cell) {
  return cell.direct + cell.indirect;
}
