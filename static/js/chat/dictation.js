/**
 * Answers spoken instead of typed, by the browser's own recognition, in studies that allow it. Most
 * browsers send the sound to their maker: that is said before the first word, and nothing begins
 * before it was agreed to. What was recognised goes into the box and is sent like what is typed.
 */

import { say } from "./words.js";

const Recognition = window.SpeechRecognition ?? window.webkitSpeechRecognition;
const AGREED = "interview.dictation";
const REFUSALS = ["not-allowed", "service-not-allowed", "audio-capture"];

export class Dictation {
  #button;
  #note;
  #line;
  #composer;
  #onStart;
  #heard = null;

  /**
   * @param {HTMLButtonElement | null} button null where the study does not allow it
   * @param {{note: HTMLElement, line: HTMLElement, onStart: () => void,
   *          composer: import("./composer.js").Composer}} options `note` asks before the first time,
   *   `line` shows what is being heard
   */
  constructor(button, { note, line, composer, onStart }) {
    if (!button || !Recognition) return;
    this.#button = button;
    this.#note = note;
    this.#line = line;
    this.#composer = composer;
    this.#onStart = onStart;
    button.hidden = false;
    button.addEventListener("click", () => this.#press());
    const [agree, decline] = note.querySelectorAll("button");
    agree.addEventListener("click", () => this.#agree());
    decline.addEventListener("click", () => {
      note.hidden = true;
      button.focus();
    });
    addEventListener("pagehide", () => this.stop());
    document.addEventListener("visibilitychange", () => document.hidden && this.stop());
  }

  /** Listen no longer; what was recognised stays in the box. */
  stop() {
    this.#heard?.stop();
    this.#rest("");
  }

  #press() {
    if (this.#heard) this.stop();
    else if (agreed()) this.#start();
    else {
      this.#note.hidden = false;
      this.#note.querySelector("button").focus();
    }
  }

  #agree() {
    agreed(true);
    this.#note.hidden = true;
    this.#start();
  }

  #start() {
    this.#onStart();
    const heard = new Recognition();
    Object.assign(heard, { lang: document.documentElement.lang, continuous: true, interimResults: true });
    heard.addEventListener("result", (event) => heard === this.#heard && this.#take(event));
    heard.addEventListener("error", ({ error }) => heard === this.#heard && this.#fail(error));
    heard.addEventListener("end", () => heard === this.#heard && this.#rest(""));
    this.#heard = heard;
    this.#button.setAttribute("aria-pressed", "true");
    this.#tell(say("listening"));
    heard.start();
  }

  #take({ results, resultIndex }) {
    let begun = "";
    for (const result of [...results].slice(resultIndex)) {
      if (result.isFinal) this.#composer.add(result[0].transcript);
      else begun += result[0].transcript;
    }
    this.#tell(begun || say("listening"));
  }

  #fail(error) {
    this.#rest(say(REFUSALS.includes(error) ? "no_microphone" : "nothing_heard"));
  }

  #rest(text) {
    if (!this.#heard) return;
    this.#heard = null;
    this.#button.setAttribute("aria-pressed", "false");
    this.#tell(text);
    this.#composer.focus();
  }

  #tell(text) {
    this.#line.textContent = text;
    this.#line.hidden = !text;
  }
}

/** Was it agreed to on this device? With `now`, it is from now on. */
function agreed(now) {
  try {
    if (now) localStorage.setItem(AGREED, "1");
    return Boolean(localStorage.getItem(AGREED));
  } catch {
    return false;
  }
}
