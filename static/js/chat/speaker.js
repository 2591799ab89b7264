/** Questions read aloud by the voice that the device has; without one, nothing of it is offered. */

import { say } from "./words.js";

const voice = window.speechSynthesis;

export class Speaker {
  #button;
  #spoken = null;

  /**
   * @param {HTMLButtonElement} button reads the newest question, or stops
   * @param {HTMLElement} choice has every new question read
   * @param {() => string} newest what is to be read
   */
  constructor(button, choice, newest) {
    this.#button = button;
    button.hidden = choice.hidden = !voice;
    if (!voice) return;
    button.addEventListener("click", () => (this.#spoken ? this.stop() : this.read(newest())));
    addEventListener("pagehide", () => this.stop());
  }

  /** Read a new question, where the respondent wants every one of them read. */
  hear(text) {
    if (document.documentElement.dataset.aloud) this.read(text);
  }

  read(text) {
    if (!voice || !text) return;
    this.stop();
    const spoken = new SpeechSynthesisUtterance(text);
    spoken.lang = document.documentElement.lang;
    spoken.addEventListener("end", () => this.#over(spoken));
    spoken.addEventListener("error", () => this.#over(spoken));
    this.#spoken = spoken;
    this.#button.textContent = say("stop_reading");
    voice.speak(spoken);
  }

  stop() {
    if (!this.#spoken) return;
    this.#over(this.#spoken);
    voice.cancel();
  }

  #over(spoken) {
    if (spoken !== this.#spoken) return;
    this.#spoken = null;
    this.#button.textContent = say("read_aloud");
  }
}
