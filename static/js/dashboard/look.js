/* How a graph looks: the design system's values, and Cytoscape's style made of them. */

export const FONT_SIZE = 13;

/* Values of the design system, read anew when the theme changes. */
export function theme() {
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
    {
      selector: "edge[?fold]",
      style: {
        width: 4,
        "line-style": "solid",
        "line-outline-width": 1,
        "line-outline-color": look.ink3,
        "line-color": look.paper,
        "line-opacity": 1,
        label: "data(hides)",
        color: look.ink,
        "font-family": look.font,
        "font-size": FONT_SIZE,
        "text-background-color": look.paper,
        "text-background-opacity": 1,
        "text-background-padding": 3,
      },
    },
    { selector: "node.far", style: { label: "" } },
    {
      selector: "node.named",
      style: {
        label: "data(text)",
        width: "data(farWidth)",
        height: "data(farHeight)",
        "font-size": "data(farFont)",
        "text-max-width": 1200,
        "z-index": 4,
      },
    },
    { selector: "edge.new", style: { width: 3.2, "line-color": look.brand, "target-arrow-color": look.brand, "line-opacity": 1, "z-index": 5 } },
    { selector: "node.new", style: { "outline-width": 4, "outline-offset": 0, "outline-color": look.brand, "outline-opacity": 0.35, "outline-style": "solid" } },
    { selector: "node.focus", style: { "border-width": 3, "border-style": "solid", "border-color": look.ink } },
    { selector: "node.chosen", style: { "outline-width": 3, "outline-offset": 3, "outline-color": look.brand, "outline-opacity": 1, "outline-style": "solid" } },
    { selector: "edge.chosen", style: { width: 4, "line-color": look.brand, "target-arrow-color": look.brand, "line-opacity": 1, "z-index": 6 } },
    { selector: ".revised", style: { opacity: 0.4 } },
    { selector: ".dimmed", style: { opacity: 0.35 } },
    { selector: ".orphan, .aside, .folded", style: { display: "none" } },
    { selector: ".later", style: { display: "none" } },
  ];
}
