/* The card about the chosen concept or slot: its words, where they were said, what it leads to.
 * Everything is set as text; nothing that a respondent wrote is ever read as markup. */

import { edgeForms, mayCorrect, nodeForms } from "./correct.js";

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function button(text, onClick) {
  const made = element("button", "link", text);
  made.type = "button";
  made.addEventListener("click", onClick);
  return made;
}

/* Fill `box` for a node or a slot, or hide it where there is neither. */
export function fillAbout(box, { node, slot, edge, data, onTurn, onNode }) {
  box.replaceChildren();
  box.hidden = !node && !slot && !edge;
  if (box.hidden) return;
  if (edge) {
    aboutEdge(box, edge, data, onTurn, onNode);
    return;
  }
  const subject = node ?? slot;
  const head = element("div", "about__head");
  head.append(element("span", `dot dot--${subject.colour}`), element("strong", "", subject.label));
  const close = button("×", () => onNode(null));
  close.className = "about__close";
  close.setAttribute("aria-label", "Close");
  head.append(close);
  box.append(head, element("p", "about__meta", meta(node, slot)));
  if (node?.machine) box.append(element("p", "about__meta", node.machine));
  if (node) aboutNode(box, node, data, onTurn, onNode);
  else aboutSlot(box, slot, data, onNode);
}

function meta(node, slot) {
  if (!node) return `${slot.type} · slot with support ${slot.support}`;
  const revised = node.revised === null ? "" : ` · revised in turn ${node.revised}`;
  return `${node.type} · first said in turn ${node.turn}${revised}`;
}

function aboutNode(box, node, data, onTurn, onNode) {
  const said = element("ul", "about__list");
  for (const mention of node.said) {
    const item = element("li", "", `“${mention.quote}” `);
    item.append(button(`turn ${mention.turn}`, () => onTurn(mention.turn)));
    if (mention.doubtful) item.append(" ", element("span", "tag", "doubtful match"));
    said.append(item);
  }
  box.append(said);
  const links = element("ul", "about__list");
  const byId = new Map(data.nodes.map((other) => [other.id, other]));
  for (const edge of data.edges) {
    if (edge.source !== node.id && edge.target !== node.id) continue;
    const out = edge.source === node.id;
    const other = byId.get(out ? edge.target : edge.source);
    const item = element("li", "", out ? `${edge.type} ` : "");
    item.append(button(other.label, () => onNode(other.id)));
    if (!out) item.append(document.createTextNode(` ${edge.type} this`));
    if (edge.provenance) item.append(" ", element("span", "tag", edge.provenance));
    const words = button("its words", () => onNode(edge.id));
    words.setAttribute("aria-label", `its words: the link ${out ? "to" : "from"} ${other.label}`);
    item.append(" ", words);
    links.append(item);
  }
  box.append(links);
  if (mayCorrect) box.append(nodeForms(node, data));
}

/* A link: from where to where, and each place where it was said, with how far it is borne out. */
function aboutEdge(box, edge, data, onTurn, onNode) {
  const [source, target] = [edge.source, edge.target].map((id) => data.nodes.find((n) => n.id === id));
  const head = element("div", "about__head");
  const ends = element("strong");
  ends.append(button(source.label, () => onNode(source.id)), ` → ${edge.type} → `, button(target.label, () => onNode(target.id)));
  const close = button("×", () => onNode(null));
  close.className = "about__close";
  close.setAttribute("aria-label", "Close");
  head.append(ends, close);
  box.append(head, element("p", "about__meta", `link · first said in turn ${edge.turn}`));
  const said = element("ul", "about__list");
  for (const mention of edge.said) {
    const item = element("li", "", `“${mention.quote}” `);
    item.append(button(`turn ${mention.turn}`, () => onTurn(mention.turn)));
    if (mention.provenance) item.append(" ", element("span", "tag", mention.provenance));
    said.append(item);
  }
  box.append(said);
  if (mayCorrect) box.append(edgeForms(edge, data));
}

function aboutSlot(box, slot, data, onNode) {
  if (slot.description) box.append(element("p", "", slot.description));
  const members = element("ul", "about__list");
  for (const node of data.nodes.filter((other) => other.slot === slot.id)) {
    const item = element("li");
    item.append(button(node.label, () => onNode(node.id)));
    members.append(item);
  }
  box.append(members);
}
