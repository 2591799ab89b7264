/** What stands below the conversation while the next question is made. */

import { say } from "./words.js";

const PATIENCE = 6000;
const LONG = 20000;

export class Waiting {
  #box;
  #dots;
  #text;
  #retry;
  #state = "idle";
  #timers = [];

  /** @param {() => void} onRetry */
  constructor(box, onRetry) {
    this.#box = box;
    this.#dots = box.querySelector(".waiting__dots");
    this.#text = box.querySelector(".waiting__text");
    this.#retry = box.querySelector(".waiting__retry");
    this.#retry.addEventListener("click", onRetry);
  }

  /** @param {boolean} first is this the first question? */
  thinking(first) {
    if (this.#state === "thinking") return;
    this.#show("thinking", say(first ? "preparing" : "thinking"));
    this.#timers = [
      setTimeout(() => (this.#text.textContent = say("still_with_you")), PATIENCE),
      setTimeout(() => (this.#text.textContent = say("delayed")), LONG),
    ];
  }

  /** @param {boolean} first was it the first question that could not be made? */
  failed(first) {
    if (this.#state !== "failed") this.#show("failed", say(first ? "failed_opening" : "failed"));
  }

  idle() {
    if (this.#state !== "idle") this.#show("idle", "");
  }

  #show(state, text) {
    this.#timers.forEach(clearTimeout);
    this.#timers = [];
    this.#state = state;
    this.#box.dataset.state = state;
    this.#dots.hidden = state !== "thinking";
    this.#retry.hidden = state !== "failed";
    this.#text.textContent = text;
  }
}
