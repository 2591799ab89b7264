/** A form beside a question: built, read and corrected; its values are kept on the page alone. */

import { say } from "./words.js";

const INPUTS = {
  name: { type: "text", autocomplete: "name", maxLength: 80 },
  email: { type: "email", autocomplete: "email", maxLength: 254 },
  phone: { type: "tel", autocomplete: "tel", maxLength: 40 },
  company: { type: "text", autocomplete: "organization", maxLength: 120 },
  number: { type: "text", inputMode: "decimal", maxLength: 30 },
};

/** @returns {HTMLFormElement} as templates/chat/block.html makes it */
export function makeForm({ fields, options = [] }) {
  const form = made("form", { className: "block block--form", noValidate: true });
  for (const field of fields) form.append(makeField(field));
  const actions = made("div", { className: "block__options" });
  actions.append(made("button", { className: "button button--primary", textContent: say("send") }));
  for (const option of options) {
    const button = made("button", { className: "button block__option", name: "option", value: option });
    button.textContent = option;
    actions.append(button);
  }
  form.append(actions);
  return form;
}

/** What is in the form, by the keys of its fields. @returns {Record<string, string>} */
export function valuesOf(form) {
  return Object.fromEntries(
    [...form.querySelectorAll(".field")].map((field) => [field.dataset.key, inputOf(field).value]),
  );
}

/** Say at each field what is wrong with it, and go to the first; what was typed stays. */
export function complain(form, wrong) {
  let first = null;
  for (const field of form.querySelectorAll(".field")) {
    const problem = wrong[field.dataset.key] ?? "";
    const input = inputOf(field);
    field.querySelector(".field__problem").textContent = problem;
    if (problem) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
    if (problem && !first) first = input;
  }
  first?.focus();
}

function makeField({ key, type, label, help, required, options }) {
  const field = made("div", { className: "field" });
  field.dataset.key = key;
  const id = `field-${key}`;
  const name = made("label", { className: "field__label", htmlFor: id, textContent: label });
  if (!required) name.append(" ", made("span", { className: "field__optional", textContent: say("optional") }));
  const input = makeInput(type, options);
  Object.assign(input, { id, name: key, className: "field__input", required, dir: "auto" });
  const hint = made("p", { className: "field__help", id: `${id}-help`, textContent: help });
  const problem = made("p", { className: "field__problem", id: `${id}-problem` });
  input.setAttribute("aria-describedby", help ? `${hint.id} ${problem.id}` : problem.id);
  field.append(name, ...(help ? [hint] : []), input, problem);
  return field;
}

function makeInput(type, options) {
  if (type === "choice") {
    const select = made("select", {});
    for (const option of ["", ...options]) select.append(made("option", { value: option, textContent: option }));
    return select;
  }
  if (type === "text") return made("textarea", { rows: 3, maxLength: 500 });
  return made("input", INPUTS[type] ?? { type: "text" });
}

function inputOf(field) {
  return field.querySelector(".field__input");
}

function made(tag, properties) {
  return Object.assign(document.createElement(tag), properties);
}
