/**
 * What stands beside a question: a choice as buttons, a stimulus as a card. The server renders what
 * is there when the page comes (templates/chat/block.html); this makes the same of what comes later.
 * A block of an unknown kind is passed over: its question can always be answered in words.
 */

import { complain, makeForm, valuesOf } from "./form.js";
import { newId } from "./memory.js";
import { say } from "./words.js";

const MAKERS = { choice: makeChoice, form: makeForm, stimulus: makeStimulus };

export class Blocks {
  #list;
  #again;
  #dialog;

  /**
   * @param {HTMLElement} list of the conversation's entries
   * @param {HTMLButtonElement} again shows the newest stimulus once more, in `dialog`
   * @param {HTMLDialogElement} dialog
   * @param {(item: {id: string, text: string, frame: object}) => void} onReply
   */
  constructor(list, again, dialog, onReply) {
    this.#list = list;
    this.#again = again;
    this.#dialog = dialog;
    list.addEventListener("submit", (event) => {
      const form = event.target.closest(".block--choice, .block--form");
      if (!form) return;
      event.preventDefault();
      const id = newId();
      const option = event.submitter?.value;
      if (option) onReply({ id, text: option, frame: { type: "choose", client_message_id: id, option } });
      else if (form.matches(".block--form")) onReply(filledIn(form, id));
    });
    again.addEventListener("click", () => this.#showStimulus());
    this.#offerStimulus();
  }

  /** Put the block of an utterance below its words. */
  show({ seq, block }) {
    const entry = this.#list.querySelector(`[data-seq="${seq}"]`);
    const made = block && entry && !entry.querySelector(".block") && MAKERS[block.kind]?.(block);
    if (made && block.kind === "stimulus") entry.querySelector(".entry__text").before(made);
    else if (made) entry.append(made);
    this.#offerStimulus();
  }

  /** What a screen reader is told of a block after the words of its question. */
  static spoken(block) {
    if (block?.kind === "choice") return ` ${say("choose_one")}: ${block.options.join(", ")}`;
    if (block?.kind === "form") return ` ${say("form")}: ${block.fields.map(({ label }) => label).join(", ")}`;
    if (block?.kind === "stimulus") return ` ${block.alt ?? ""} ${block.text ?? ""}`.trimEnd();
    return "";
  }

  /** A form was refused: say where, in words that the server chose. @returns {boolean} is it here? */
  complain(wrong) {
    const form = this.#list.lastElementChild?.querySelector(".block--form");
    if (form) complain(form, wrong);
    return Boolean(form);
  }

  /** Does the newest question come with a form? */
  get formIsOpen() {
    return Boolean(this.#list.lastElementChild?.querySelector(".block--form"));
  }

  get #stimulus() {
    return [...this.#list.querySelectorAll(".block--stimulus")].at(-1);
  }

  /** One press away, from the question it comes with to the end of the interview. */
  #offerStimulus() {
    this.#again.hidden = !this.#stimulus;
  }

  /** Where one reads and writes stays as it is: the card comes over it, and goes by Escape. */
  #showStimulus() {
    this.#dialog.querySelector("#card").replaceChildren(this.#stimulus.cloneNode(true));
    this.#dialog.showModal();
  }
}

/** Values are never written to the device's memory: they are kept in the form until they are safe. */
function filledIn(form, id) {
  const values = valuesOf(form);
  return { id, text: say("stored_apart"), unkept: true, frame: { type: "fields", client_message_id: id, values } };
}

function makeChoice({ options }) {
  if (!Array.isArray(options) || !options.length) return null;
  const form = document.createElement("form");
  form.className = "block block--choice";
  const group = document.createElement("div");
  group.className = "block__options";
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", say("choose_one"));
  for (const option of options) {
    const button = document.createElement("button");
    button.className = "button block__option";
    button.value = option;
    button.textContent = option;
    button.dir = "auto";
    group.append(button);
  }
  form.append(group);
  return form;
}

function makeStimulus({ text, image, alt }) {
  const figure = document.createElement("figure");
  figure.className = "block block--stimulus";
  figure.setAttribute("aria-label", say("stimulus"));
  if (image) {
    const picture = document.createElement("img");
    picture.className = "block__image";
    picture.src = image;
    picture.alt = alt ?? "";
    figure.append(picture);
  }
  if (text) {
    const words = document.createElement("div");
    words.className = "block__text";
    words.dir = "auto";
    words.textContent = text;
    figure.append(words);
  }
  return figure;
}
