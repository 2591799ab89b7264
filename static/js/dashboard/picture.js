/* A graph as it is drawn, as the text of an SVG file. */

const escaped = (text) =>
  String(text).replace(/[&<>"']/gu, (sign) => `&#${sign.codePointAt(0)};`);

/* `nodes` have position, size, lines and colours; `links` points of their way. */
export function svgOf({ nodes, links, bands, look }) {
  const left = Math.min(...nodes.map((node) => node.x - node.width / 2), 0) - 150;
  const right = Math.max(...nodes.map((node) => node.x + node.width / 2), 1) + 20;
  const top = Math.min(...bands.map((band) => band.top), 0) - 20;
  const bottom = Math.max(...bands.map((band) => band.bottom), 1) + 20;
  const size = `viewBox="${left} ${top} ${right - left} ${bottom - top}"`;
  const marker = `<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0 8 4 0 8z" fill="${look.ink3}"/></marker>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="${escaped(look.font)}" font-size="13"><defs>${marker}</defs>`,
    `<rect x="${left}" y="${top}" width="${right - left}" height="${bottom - top}" fill="${look.paper}"/>`,
    ...bands.map((band) => bandOf(band, left, right, look)),
    ...links.map((link) => linkOf(link, look)),
    ...nodes.map(nodeOf),
    "</svg>",
  ].join("\n");
}

function bandOf(band, left, right, look) {
  return `<line x1="${left}" x2="${right}" y1="${band.bottom}" y2="${band.bottom}" stroke="${look.line}"/><text x="${left + 8}" y="${(band.top + band.bottom) / 2}" fill="${look.ink}">${escaped(band.name)}</text>`;
}

function linkOf(link, look) {
  const dash = link.revises || link.fold ? ' stroke-dasharray="5 4"' : "";
  return `<path d="${link.path}" fill="none" stroke="${look.ink3}" stroke-width="1.8"${dash} marker-end="url(#tip)"/>`;
}

function nodeOf(node) {
  const first = node.y - ((node.lines.length - 1) * 17) / 2 + 4;
  const text = node.lines.map((line, at) => `<tspan x="${node.x}" y="${first + at * 17}">${escaped(line)}</tspan>`).join("");
  const corner = node.terminal ? 6 : 16;
  return `<g><rect x="${node.x - node.width / 2}" y="${node.y - node.height / 2}" width="${node.width}" height="${node.height}" rx="${corner}" fill="${node.fill}"/><text text-anchor="middle" fill="${node.ink}">${text}</text></g>`;
}
