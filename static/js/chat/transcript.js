/** The conversation on the page, in the order of the sequence numbers; unsent answers come last. */

import { say } from "./words.js";

const NEAR = 80;

export class Transcript {
  #list;
  #scroller;
  #lastSeq = 0;

  constructor(list, scroller) {
    this.#list = list;
    this.#scroller = scroller;
    for (const entry of list.children) this.#lastSeq = Math.max(this.#lastSeq, Number(entry.dataset.seq));
    this.#markLatest();
  }

  /** The last sequence number on the page. */
  get lastSeq() {
    return this.#lastSeq;
  }

  /** Has the respondent spoken last (or nobody yet)? */
  get waitsForQuestion() {
    const last = this.#list.lastElementChild;
    return !last || last.classList.contains("entry--respondent");
  }

  /** Does the page show the newest words? */
  get atEnd() {
    return Math.abs(this.#scroller.scrollTop) < NEAR;
  }

  scrollToEnd() {
    if (getComputedStyle(this.#scroller).overflowY === "visible") {
      this.#list.lastElementChild?.scrollIntoView({ block: "nearest" });
    } else {
      this.#scroller.scrollTop = 0; // it grows upwards: nought is its foot
    }
  }

  /** Show an answer that is on its way. */
  addUnsent(id, text) {
    if (this.#byId(id)) return;
    const entry = this.#make("respondent", text);
    entry.dataset.id = id;
    entry.dataset.seq = "";
    this.#setState(entry, say("sending"));
    this.#list.append(entry);
    this.#markLatest();
  }

  /**
   * Show what the database has. An utterance that is already there is left as it is.
   * @returns {boolean} was it new on this page?
   */
  add({ seq, speaker, text, client_message_id: id }) {
    if (this.#list.querySelector(`[data-seq="${seq}"]`)) return false;
    this.#lastSeq = Math.max(this.#lastSeq, seq);
    const known = id && this.#byId(id);
    if (known) {
      this.#confirm(known, seq);
      return false;
    }
    const entry = this.#make(speaker, text);
    entry.dataset.seq = String(seq);
    if (id) entry.dataset.id = id;
    if (speaker === "respondent") this.#setState(entry, say("saved"), true);
    this.#place(entry, seq);
    this.#markLatest();
    return true;
  }

  /** The database has this answer. What lies before it may still be on its way to this page. */
  saved(id) {
    const entry = this.#byId(id);
    if (entry) this.#setState(entry, say("saved"), true);
  }

  /** It was refused: take it out again. */
  remove(id) {
    this.#byId(id)?.remove();
    this.#markLatest();
  }

  #confirm(entry, seq) {
    entry.dataset.seq = String(seq);
    this.#setState(entry, say("saved"), true);
    const next = this.#firstAfter(seq);
    if (entry.nextElementSibling !== next) this.#list.insertBefore(entry, next);
    this.#markLatest();
  }

  #place(entry, seq) {
    this.#list.insertBefore(entry, this.#firstAfter(seq));
  }

  #firstAfter(seq) {
    return (
      [...this.#list.children].find(
        (other) => other.dataset.seq === "" || Number(other.dataset.seq) > seq,
      ) ?? null
    );
  }

  #byId(id) {
    return this.#list.querySelector(`[data-id="${CSS.escape(id)}"]`);
  }

  #make(speaker, text) {
    const entry = document.createElement("li");
    entry.className = `entry entry--${speaker} entry--fresh`;
    const who = document.createElement("p");
    who.className = speaker === "interviewer" ? "entry__who" : "visually-hidden";
    who.textContent = say(speaker === "interviewer" ? "interviewer" : "you");
    const words = document.createElement("p");
    words.className = "entry__text";
    words.textContent = text;
    entry.append(who, words);
    return entry;
  }

  #setState(entry, text, tick = false) {
    let state = entry.querySelector(".entry__state");
    if (!state) {
      state = document.createElement("p");
      state.className = "entry__state";
      entry.append(state);
    }
    state.textContent = text;
    if (tick) {
      const mark = document.createElement("span");
      mark.setAttribute("aria-hidden", "true");
      mark.textContent = " ✓";
      state.append(mark);
    }
  }

  #markLatest() {
    const answers = this.#list.querySelectorAll(".entry--respondent");
    answers.forEach((entry, index) =>
      entry.classList.toggle("entry--latest", index === answers.length - 1),
    );
  }
}
