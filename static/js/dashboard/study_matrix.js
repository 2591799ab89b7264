/* The implication matrix of the themes on the map, as a table whose cells open their sentences. */

import { strength } from "./study_map.js";

const MOST = 40;

function made(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/* What a cell says: "direct·indirect", and with a minus how many say it of what they are against. */
function words(cell, stance) {
  if (stance === "only") return cell.negative ? `−${cell.negative}` : "";
  const told = `${cell.direct || ""}${cell.indirect ? `·${cell.indirect}` : ""}`;
  return stance === "beside" && cell.negative ? `${told} −${cell.negative}` : told;
}

function share(cell) {
  return Object.entries(cell.provenance)
    .map(([name, part]) => `${name.replaceAll("_", " ")} ${Math.round(part * 100)} %`)
    .join(", ");
}

/* Fills `place`; `address` gives a relation's address, whose links are `data-open`. */
export function drawMatrix(place, themes, cells, stance, address) {
  const told = cells.filter((cell) => words(cell, stance));
  const ends = (side) => new Set(told.map((cell) => cell[side]));
  const byLevel = [...themes].sort((a, b) => a.band - b.band || b.respondents - a.respondents);
  const shown = byLevel.slice(0, MOST);
  const number = new Map(shown.map((one, at) => [one.id, at + 1]));
  const [from, to] = [ends("source"), ends("target")];
  const rows = shown.filter((one) => from.has(one.id));
  const columns = shown.filter((one) => to.has(one.id));
  const at = new Map(told.map((cell) => [`${cell.source}>${cell.target}`, cell]));
  const most = Math.max(...told.map(strength), 1);
  if (!rows.length || !columns.length) {
    place.replaceChildren(made("p", { className: "sub", textContent: "No relation at this cut-off." }));
    return;
  }
  const head = made("tr", {}, made("th", { scope: "col", textContent: "leads to" }));
  for (const one of columns) {
    head.append(made("th", { scope: "col", className: "matrix__number", textContent: String(number.get(one.id)), title: one.name }));
  }
  const body = made("tbody");
  for (const row of rows) {
    const line = made("tr", {}, made("th", { scope: "row", textContent: `${number.get(row.id)} ${row.name}` }));
    for (const column of columns) {
      const cell = at.get(`${row.id}>${column.id}`);
      const field = made("td", { className: "matrix__cell" });
      if (cell) {
        const link = made("a", { href: address(cell), textContent: words(cell, stance), title: `${row.name} → ${column.name}; ${share(cell)}` });
        link.setAttribute("aria-label", `${row.name} to ${column.name}: ${cell.direct} direct, ${cell.indirect} indirect, ${cell.negative} against`);
        link.dataset.open = "";
        link.dataset.cell = `${cell.source}>${cell.target}`;
        field.append(link);
        field.classList.add(`matrix__cell--${Math.ceil((5 * Math.max(strength(cell), 1)) / most)}`);
      }
      line.append(field);
    }
    body.append(line);
  }
  const table = made("table", { className: "matrix", id: "matrix-grid" }, made("thead", {}, head), body);
  const legend = columns.filter((one) => !from.has(one.id)).map((one) => `${number.get(one.id)} ${one.name}`);
  place.replaceChildren(table);
  if (legend.length) place.append(made("p", { className: "sub", textContent: legend.join(" · ") }));
  if (byLevel.length > MOST) place.append(made("p", { className: "sub", textContent: `The first ${MOST} of ${byLevel.length} themes; raise the cut-off for fewer.` }));
}
