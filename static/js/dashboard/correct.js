/* Corrections of the graph: forms in the card of what is chosen, undo and redo, and what happens
 * where another analyst was faster. What was typed stays until it is stored. */

const box = document.querySelector("[data-corrections]");
const refusalBox = () => box.querySelector("[data-refusal]");
const token = box?.querySelector("[name=csrfmiddlewaretoken]")?.value;

/* Whether whoever looks at this page may correct. */
export const mayCorrect = Boolean(token);

function made(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/* Send a correction and show the page as it then is; a refusal is said and nothing is lost. */
async function send(correction, version) {
  refusalBox().hidden = true;
  let answer;
  try {
    answer = await fetch(box.dataset.corrections, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": token },
      body: JSON.stringify({ ...correction, version }),
    });
  } catch {
    refuse("The server cannot be reached; nothing was stored. Try again in a moment.");
    return;
  }
  if (answer.ok) {
    location.reload();
    return;
  }
  const told = await answer.json().catch(() => ({}));
  refuse(told.error?.message ?? "This was not stored. Reload the page and try again.");
  if (answer.status === 409) showBoth(told, correction);
}

function refuse(message) {
  const refusal = refusalBox();
  refusal.replaceChildren(made("p", { textContent: message }));
  refusal.hidden = false;
  refusal.scrollIntoView({ block: "nearest" });
}

function showBoth(told, correction) {
  const theirs = told.theirs.map((text) => made("li", { textContent: text }));
  const mine = Object.entries(correction).map(([name, value]) => `${name}: ${value}`).join(", ");
  const again = made("button", { type: "button", className: "pill", textContent: "Store mine all the same" });
  again.addEventListener("click", () => send(correction, told.version));
  refusalBox().append(
    made("p", { textContent: "Theirs:" }),
    made("ul", {}, ...theirs),
    made("p", { textContent: `Yours: ${mine}` }),
    again,
  );
}

/* A small form: a label, its control, and a button that sends what `read` makes of it. */
function form(title, control, read, version) {
  const name = made("span", { textContent: title });
  control.setAttribute("aria-label", title);
  const press = made("button", { type: "submit", className: "pill", textContent: "Save" });
  press.setAttribute("aria-label", `Save: ${title}`);
  const whole = made("form", { className: "correct__row" }, made("label", {}, name, control), press);
  whole.addEventListener("submit", (event) => {
    event.preventDefault();
    if (control.value) send(read(control.value), version);
  });
  return whole;
}

function choice(options, chosen) {
  const control = made("select");
  for (const [value, text] of options) {
    control.append(made("option", { value, textContent: text, selected: value === chosen }));
  }
  return control;
}

function act(title, correction, version) {
  const press = made("button", { type: "button", className: "pill", textContent: title });
  press.addEventListener("click", () => send(correction, version));
  return press;
}

function unfolding(...children) {
  return made("details", { className: "correct" }, made("summary", { textContent: "Correct" }), ...children);
}

/* What can be corrected of a concept. */
export function nodeForms(node, data) {
  const { version } = data;
  const kinds = data.ontology.nodes;
  const others = data.nodes.filter((other) => other.id !== node.id).map((other) => [other.id, other.label]);
  const forms = [
    form("Name", made("input", { value: node.label, maxLength: 300, required: true }), (label) => ({ act: "rename", node: node.id, label }), version),
    form("Type", choice(kinds, node.kind), (kind) => ({ act: "retype", node: node.id, node_type: kind }), version),
  ];
  if (others.length) {
    forms.push(form("Merge into", choice([["", "…"], ...others], ""), (into) => ({ act: "merge", node: node.id, into }), version));
  }
  if (node.said.length > 1) forms.push(splitForm(node, data));
  const byWords = data.ontology.edges;
  if (others.length && node.said.length) forms.push(linkForm(node, others, byWords, version));
  forms.push(act("Delete", { act: "delete_node", node: node.id }, version));
  return unfolding(...forms);
}

/* A link is borne out by the words of one of the places where the concept was said. */
function linkForm(node, others, kinds, version) {
  const kind = choice(kinds, "");
  kind.setAttribute("aria-label", "Type of the new link");
  const place = choice(node.said.map((said) => [said.id, `turn ${said.turn}: ${said.quote}`]), "");
  place.setAttribute("aria-label", "Words that bear the new link out");
  const whole = form("Link to", choice([["", "…"], ...others], ""), (target) => {
    const said = node.said.find((one) => one.id === place.value);
    return { act: "add_link", source: node.id, target, edge_type: kind.value, utterance: said.utterance, start: said.start, end: said.end };
  }, version);
  whole.lastChild.before(kind, place);
  return whole;
}

function splitForm(node, data) {
  const boxes = node.said.map((said) => {
    const tick = made("input", { type: "checkbox", value: said.id });
    return made("label", { className: "correct__tick" }, tick, ` “${said.quote}”, turn ${said.turn}`);
  });
  const links = data.edges.filter((edge) => edge.source === node.id || edge.target === node.id).map((edge) => {
    const other = data.nodes.find((one) => one.id === (edge.source === node.id ? edge.target : edge.source));
    const tick = made("input", { type: "checkbox", value: edge.id });
    return made("label", { className: "correct__tick" }, tick, ` link with ${other?.label ?? "?"}`);
  });
  const ticked = (among) => among.map((label) => label.firstChild).filter((tick) => tick.checked).map((tick) => tick.value);
  const whole = form("Split off as", made("input", { maxLength: 300 }), (label) => ({ act: "split", node: node.id, label, mentions: ticked(boxes), edges: ticked(links) }), data.version);
  whole.lastChild.before(...boxes, ...links);
  return whole;
}

/* What can be corrected of a link. */
export function edgeForms(edge, data) {
  const { version } = data;
  return unfolding(
    form("Type", choice(data.ontology.edges, edge.kind), (kind) => ({ act: "retype_link", edge: edge.id, edge_type: kind }), version),
    act("Reverse", { act: "reverse", edge: edge.id }, version),
    act("Delete", { act: "delete_link", edge: edge.id }, version),
  );
}

/* Characters of `text` before a place in an answer, as the server counts them: code points. */
function before(answer, node, offset) {
  const range = document.createRange();
  range.setStart(answer, 0);
  range.setEnd(node, offset);
  return [...range.toString()].length;
}

/* A link between concepts of two answers, or of one; the selected words of the later one bear it out. */
function newLinkForm(first, last, passage, data) {
  const concepts = (answer, without) => {
    const said = (node) => node.said.some((one) => one.utterance === answer.dataset.utterance);
    return [...data.nodes.filter(said), ...data.nodes.filter((node) => !said(node))]
      .filter((node) => node.id !== without)
      .map((node) => [node.id, node.label]);
  };
  const sources = concepts(first);
  if (sources.length < 2) return [];
  const source = choice(sources, "");
  source.setAttribute("aria-label", "From");
  const kind = choice(data.ontology.edges, "");
  kind.setAttribute("aria-label", "Type of the new link");
  const whole = form("Add a link to", choice([["", "…"], ...concepts(last, first === last ? "" : sources[0][0])], ""), (target) => ({
    act: "add_link", source: source.value, target, edge_type: kind.value, ...passage,
  }), data.version);
  whole.prepend(made("label", {}, made("span", { textContent: "From" }), source));
  whole.lastChild.before(kind);
  return [whole];
}

/* Where words of an answer are selected, offer to add what they say as a concept or a link; where
 * they reach into a later answer, a link. */
function offerToAdd(card, data) {
  const selection = getSelection();
  if (!selection || selection.isCollapsed || !selection.rangeCount) return;
  const range = selection.getRangeAt(0);
  const [first, last] = [range.startContainer, range.endContainer].map((node) => node.parentElement?.closest("[data-utterance]"));
  if (!first || !last) return;
  const start = first === last ? before(first, range.startContainer, range.startOffset) : 0;
  const end = before(last, range.endContainer, range.endOffset);
  if (start >= end) return;
  const passage = { utterance: last.dataset.utterance, start, end };
  const words = first === last ? range.toString() : [...last.textContent].slice(0, end).join("");
  const close = made("button", { type: "button", className: "about__close", textContent: "×" });
  close.setAttribute("aria-label", "Close");
  close.addEventListener("click", () => {
    card.hidden = true;
  });
  const forms = [...(first === last ? [newConceptForm(words, passage, data)] : []), ...newLinkForm(first, last, passage, data)];
  card.replaceChildren(made("div", { className: "about__head" }, made("strong", { textContent: `“${words}”` }), close), ...forms);
  card.hidden = false;
  card.querySelector("input, select")?.focus(); // what is being written stays when the page renews itself
}

function newConceptForm(words, passage, data) {
  const kind = choice(data.ontology.nodes, "");
  kind.setAttribute("aria-label", "Type of the new concept");
  const whole = form("Add a concept", made("input", { value: words.trim(), maxLength: 300 }), (label) => ({
    act: "add_node", ...passage, label, node_type: kind.value,
  }), data.version);
  whole.lastChild.before(kind);
  return whole;
}

/* Make the page's buttons work, those that come later, too; `card` is where the form of an addition
 * appears, `current` gives the data that a correction goes out from. */
export function listen(card, current) {
  if (!mayCorrect) return;
  box.addEventListener("click", (event) => {
    const press = event.target.closest("[data-correct], [data-restore]");
    if (!press) return;
    const { correct, restore } = press.dataset;
    send(correct ? { act: correct } : { act: "restore", correction: restore }, current().version);
  });
  document.querySelector("[data-turns]").addEventListener("pointerup", () => offerToAdd(card, current()));
}
