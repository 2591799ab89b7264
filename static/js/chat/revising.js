/**
 * Changing or taking back what one has said: two buttons below an answer that is saved, for as long
 * as the server allows it. A change goes the way of an answer, and says which one it replaces.
 */

import { say } from "./words.js";

/** Milliseconds for which an answer can be changed also when there is a newer one. */
const WINDOW = 30000;

export class Revising {
  #thread;
  #composer;
  #banner;
  #onTakeBack;
  #savedAt = new Map();
  #changing = "";
  #asked = new Map();

  /**
   * @param {HTMLElement} thread the list of the conversation's entries
   * @param {{composer: import("./composer.js").Composer, banner: HTMLElement,
   *          onTakeBack: (id: string) => boolean}} options
   */
  constructor(thread, { composer, banner, onTakeBack }) {
    this.#thread = thread;
    this.#composer = composer;
    this.#banner = banner;
    this.#onTakeBack = onTakeBack;
    banner.querySelector("button").addEventListener("click", () => this.#leave());
    banner.closest("form").addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.#changing) this.#leave();
    });
    thread.addEventListener("click", ({ target }) => {
      const button = target.closest(".entry__tools button");
      if (button) this.#press(button.closest(".entry"), button.dataset.does);
    });
  }

  /** The database has this answer now. */
  saved(id) {
    this.#savedAt.set(id, performance.now());
    setTimeout(() => this.offer(), WINDOW);
  }

  /** Put the buttons where they belong. */
  offer() {
    const answers = [...this.#thread.querySelectorAll(".entry--respondent")];
    answers.forEach((entry, place) => {
      const recent = performance.now() - (this.#savedAt.get(entry.dataset.id) ?? -WINDOW) < WINDOW;
      const saved = entry.dataset.seq !== "" && entry.dataset.id;
      const offered = saved && (place === answers.length - 1 || recent);
      const tools = entry.querySelector(".entry__tools");
      if (offered && !tools) entry.append(makeTools(textOf(entry) === say("skip_answer")));
      if (!offered) tools?.remove();
    });
  }

  /** What is sent is a change, where one is being made. */
  asChange(item) {
    const replaces = this.#changing;
    if (!replaces) return item;
    this.#done();
    const { id, text } = item;
    return { ...item, frame: { type: "answer", client_message_id: id, text, replaces } };
  }

  /** It does not stand any more. Its words go back into the box, unless they were only a refusal. */
  withdrawn(id) {
    if (id === this.#changing) this.#done();
    const text = this.#asked.get(id);
    if (text === undefined) return;
    this.#asked.delete(id);
    if (text !== say("skip_answer") && !this.#composer.hasDraft) this.#composer.write(text);
    this.#composer.focus();
  }

  /** The server does not let go of this answer any more. @returns {boolean} was it asked to? */
  refused(id) {
    return this.#asked.delete(id);
  }

  #press(entry, does) {
    const { id } = entry.dataset;
    if (does === "change") this.#change(id, textOf(entry));
    else if (this.#onTakeBack(id)) this.#asked.set(id, textOf(entry));
  }

  #change(id, text) {
    this.#changing = id;
    this.#banner.hidden = false;
    this.#composer.setAside(text);
    this.#composer.focus();
  }

  #leave() {
    this.#done();
    this.#composer.focus();
  }

  #done() {
    this.#changing = "";
    this.#banner.hidden = true;
    this.#composer.takeUp();
  }
}

function textOf(entry) {
  return entry.querySelector(".entry__text").textContent;
}

function makeTools(declined) {
  const tools = document.createElement("p");
  tools.className = "entry__tools";
  for (const does of declined ? ["withdraw"] : ["change", "withdraw"]) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "link";
    button.dataset.does = does;
    button.textContent = say(declined ? "answer_after_all" : does);
    tools.append(button);
  }
  return tools;
}

