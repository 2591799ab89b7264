/** What stands below the conversation while the next question is made. */

import { say } from "./words.js";

/** A question that comes sooner is not announced: words that flash by are only unrest. */
const AT_ONCE = 400;
const PATIENCE = 6000;
const LONG = 20000;

export class Waiting {
  #box;
  #dots;
  #text;
  #retry;
  #more;
  #all;
  #state = "";
  #timers = [];
  #queued = false;
  #first = false;

  /** @param {{onRetry: () => void, onMore: () => void, onAll: () => void}} does */
  constructor(box, { onRetry, onMore, onAll }) {
    this.#box = box;
    this.#dots = box.querySelector(".waiting__dots");
    this.#text = box.querySelector(".waiting__text");
    this.#retry = box.querySelector(".waiting__retry");
    this.#more = box.querySelector(".waiting__more");
    this.#all = box.querySelector(".waiting__all");
    this.#retry.addEventListener("click", onRetry);
    this.#more.addEventListener("click", onMore);
    this.#all.addEventListener("click", onAll);
  }

  /**
   * @param {boolean} first is this the first question?
   * @param {boolean} queued has nobody begun with it yet?
   */
  thinking(first, queued) {
    this.#queued = queued;
    if (this.#state === "thinking") return;
    // Before the first question there is nothing else to look at: that is said at once.
    this.#show("thinking", first ? say("preparing") : "");
    this.#first = first;
    this.#timers = [
      setTimeout(() => this.#say(say(first ? "preparing" : "thinking")), first ? 0 : AT_ONCE),
      setTimeout(() => this.#say(say(this.#queued ? "busy" : "still_with_you")), PATIENCE),
      setTimeout(() => this.#say(say(first ? "delayed_opening" : "delayed")), LONG),
    ];
  }

  /** @param {boolean} first was it the first question that could not be made? */
  failed(first) {
    if (this.#state !== "failed") this.#show("failed", say(first ? "failed_opening" : "failed"));
  }

  /** The respondent is not finished: the next question waits. */
  held() {
    if (this.#state !== "held") this.#show("held", say("take_your_time"));
  }

  idle() {
    if (this.#state !== "idle") this.#show("idle", "");
  }

  #show(state, text) {
    this.#timers.forEach(clearTimeout);
    this.#timers = [];
    this.#state = state;
    this.#box.dataset.state = state;
    this.#box.hidden = state === "idle";
    this.#dots.hidden = true;
    this.#retry.hidden = state !== "failed";
    this.#more.hidden = true;
    this.#all.hidden = state !== "held";
    this.#text.textContent = text;
  }

  #say(text) {
    this.#dots.hidden = false;
    this.#more.hidden = this.#first; // nothing has been said yet that could go on
    this.#text.textContent = text;
  }
}
