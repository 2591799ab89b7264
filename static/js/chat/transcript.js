/** The conversation on the page, in the order of the sequence numbers; unsent answers come last. */

import { say } from "./words.js";

const NEAR = 80;
/** Pixels left above a question that is met at its first line. */
const GAP = 8;

export class Transcript {
  #list;
  #scroller;
  #lastSeq = 0;
  #shownAt = 0;
  #wasAtEnd = true;
  #withdrawn = new Set();

  constructor(list, scroller) {
    this.#list = list;
    this.#scroller = scroller;
    for (const entry of list.children) this.#lastSeq = Math.max(this.#lastSeq, Number(entry.dataset.seq));
    this.#markLatest();
    // Letters made larger, a box that grows, a keyboard: who was at the newest words stays there.
    new ResizeObserver(() => this.stay()).observe(scroller);
    scroller.addEventListener("scroll", () => (this.#wasAtEnd = this.atEnd), { passive: true });
  }

  /** Something about the page has changed: who was at the newest words stays there. */
  stay() {
    if (this.#wasAtEnd) this.showNewest();
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

  /** The words of the newest question. */
  get newestQuestion() {
    return [...this.#list.querySelectorAll(".entry--interviewer .entry__text")].at(-1)?.textContent ?? "";
  }

  /** Does the page show the newest words? */
  get atEnd() {
    return this.#atNewest || Math.abs(this.#scroller.scrollTop) < NEAR;
  }

  /**
   * Show the newest words from where they begin: a question that is higher than the room for it is
   * met at its first line, not at its last.
   */
  showNewest() {
    const room = this.#scroller;
    room.scrollTop = 0; // it grows upwards: nought is its foot
    const newest = this.#list.lastElementChild;
    if (newest?.classList.contains("entry--interviewer")) {
      const header = document.querySelector(".chat__top");
      const hidden = getComputedStyle(header).position === "sticky" ? header.offsetHeight : 0;
      const words = newest.querySelector(".block--stimulus") ?? newest.querySelector(".entry__text");
      const above = words.getBoundingClientRect().top - room.getBoundingClientRect().top - hidden - GAP;
      if (above < 0) room.scrollTop = above;
    }
    this.#shownAt = room.scrollTop;
  }

  /** Is the page where `showNewest` left it? */
  get #atNewest() {
    return Math.abs(this.#scroller.scrollTop - this.#shownAt) < 2;
  }

  /** Show an answer that the server does not have yet. */
  addUnsent(id, text) {
    if (this.#byId(id)) return;
    const entry = this.#make("respondent", text);
    entry.dataset.id = id;
    entry.dataset.seq = "";
    this.#list.append(entry);
    this.#markLatest();
  }

  /** Say what holds of every answer that the server does not have yet. */
  unsentIs(text) {
    const unsent = [...this.#list.children].filter((entry) => entry.dataset.seq === "");
    for (const entry of unsent) if (!entry.querySelector(".entry__state [aria-hidden]")) this.#setState(entry, text);
  }

  /**
   * Show what the database has. An utterance that is already there is left as it is.
   * @returns {boolean} was it new on this page?
   */
  add({ seq, speaker, text, client_message_id: id }) {
    if (this.#withdrawn.has(seq) || this.#list.querySelector(`[data-seq="${seq}"]`)) return false;
    this.#lastSeq = Math.max(this.#lastSeq, seq);
    const known = id && this.#byId(id);
    if (known) {
      this.#confirm(known, seq, text);
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
  saved(id, seq) {
    const entry = this.#byId(id);
    if (!entry) return;
    entry.dataset.accepted = seq;
    this.#setState(entry, say("saved"), true);
    this.withdraw([...this.#withdrawn]);
  }

  /**
   * Take out what does not stand any more: answers that were taken back, and what followed from them.
   * @returns {string[]} the ids of the answers among them
   */
  withdraw(sequences) {
    const gone = [];
    for (const seq of sequences) {
      this.#withdrawn.add(seq);
      for (const entry of this.#list.querySelectorAll(`[data-seq="${seq}"], [data-accepted="${seq}"]`)) {
        if (entry.dataset.id) gone.push(entry.dataset.id);
        entry.remove();
      }
    }
    if (gone.length) this.#markLatest();
    return gone;
  }

  /** It was refused: take it out again. */
  remove(id) {
    this.#byId(id)?.remove();
    this.#markLatest();
  }

  /** It is shown as the database has it: of personal data that is a neutral line. */
  #confirm(entry, seq, text) {
    entry.querySelector(".entry__text").textContent = text;
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
    words.dir = "auto";
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
