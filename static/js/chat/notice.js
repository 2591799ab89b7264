/** The line under the header about the connection. It waits a moment: most gaps are shorter. */

import { say } from "./words.js";

const GRACE = 1200;

export class Notice {
  #line;
  #timer = 0;

  constructor(line) {
    this.#line = line;
  }

  lost() {
    if (this.#timer || !this.#line.hidden) return;
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      this.show(say(navigator.onLine ? "reconnecting" : "offline"));
    }, GRACE);
  }

  show(text) {
    this.clear();
    this.#line.textContent = text;
    this.#line.hidden = false;
  }

  clear() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#line.hidden = true;
    this.#line.textContent = "";
  }
}
