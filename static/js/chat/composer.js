/** The box one writes in: it grows, counts near its limit, refuses with words and keeps the text. */

import { Connection } from "./connection.js";
import { newId } from "./memory.js";
import { say } from "./words.js";

const WARN_WITHIN = 1000;
/** Below the server's 16,384, so that no answer can ever close the socket. */
const FRAME_BYTES = 16000;
/** Milliseconds in which a second press means what the first one meant. */
const SAME_PRESS = 700;

export class Composer {
  #form;
  #box;
  #count;
  #problem;
  #limit;
  #memory;
  #onAnswer;
  #wasOver = false;
  #aside = null;
  #split;
  #sentAt = -Infinity;
  #pasted = 0;

  /**
   * @param {HTMLFormElement} form
   * @param {{limit: number, memory: import("./memory.js").Memory,
   *          onAnswer: (answer: {id: string, text: string}) => void}} options
   */
  constructor(form, { limit, memory, onAnswer }) {
    this.#form = form;
    this.#box = form.querySelector("textarea");
    this.#count = form.querySelector(".composer__count");
    this.#problem = form.querySelector(".composer__problem");
    this.#split = form.querySelector(".composer__split");
    this.#split.addEventListener("click", () => this.#sendParts());
    this.#limit = limit;
    this.#memory = memory;
    this.#onAnswer = onAnswer;
    if (matchMedia("(max-width: 30em)").matches) this.#box.placeholder = this.#box.dataset.short;
    const problem = this.#problem.textContent;
    this.#set(this.#box.value || memory.draft);
    this.complain(problem); // as the server said it, where the form was sent without this script
    this.#box.addEventListener("input", () => this.#changed());
    this.#box.addEventListener("paste", (event) => {
      this.#pasted += length(event.clipboardData?.getData("text/plain") ?? "");
    });
    this.#box.addEventListener("keydown", (event) => this.#key(event));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    addEventListener("resize", () => this.#grow());
  }

  /** Is there anything in the box that was not sent? */
  get hasDraft() {
    return this.#box.value.trim() !== "";
  }

  /** Put words into the box. */
  write(text) {
    this.#set(text);
  }

  /** Put words in where the cursor is, apart from what stands around them. */
  add(words) {
    const box = this.#box;
    const before = box.value.slice(0, box.selectionStart);
    const after = box.value.slice(box.selectionEnd);
    const start = before && !/\s$/.test(before) ? " " : "";
    const end = after && !/^\s/.test(after) ? " " : "";
    box.setRangeText(`${start}${words.trim()}${end}`, box.selectionStart, box.selectionEnd, "end");
    this.#changed();
  }

  /** Put other words into the box for a while; what was begun comes back with `takeUp`. */
  setAside(text) {
    this.#aside ??= this.#box.value;
    this.#set(text);
  }

  takeUp() {
    const begun = this.#aside;
    this.#aside = null;
    if (begun !== null) this.#set(begun);
  }

  focus() {
    this.#box.focus({ preventScroll: true });
  }

  /** May the focus be put into the box without taking it from where one works? */
  get mayTakeFocus() {
    const active = document.activeElement;
    return !active || active === document.body || this.#form.contains(active) || active.id === "retry";
  }

  /** An answer that was refused comes back, before whatever was begun since. */
  giveBack(text, message) {
    const begun = this.#box.value.trim();
    this.#set(begun ? `${text}\n${this.#box.value}` : text);
    this.complain(message);
  }

  complain(message) {
    this.#problem.textContent = message;
    if (message) this.#box.setAttribute("aria-invalid", "true");
    else this.#box.removeAttribute("aria-invalid");
    this.#split.hidden = true;
  }

  /** Nothing has to be shortened: what is too long for one message may go in several. */
  #offerParts(text) {
    this.#split.hidden = false;
    this.#split.textContent = say("send_in_parts", { parts: parts(text, (part) => this.#fits(part)).length });
  }

  #sendParts() {
    const found = parts(storable(this.#box.value.trim()), (part) => this.#fits(part));
    this.#sentAt = performance.now();
    this.#set("");
    this.focus();
    for (const text of found) this.#onAnswer({ id: newId(), text });
  }

  #fits(text) {
    return !this.#refusal({ id: newId(), text });
  }

  #key(event) {
    // While a word is being composed (Japanese, Chinese, accents), Enter belongs to it.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    this.send();
  }

  /** Send what is in the box. @returns {boolean} false where it could not be, and the box says why */
  send() {
    const text = storable(this.#box.value.trim());
    if (!text && performance.now() - this.#sentAt < SAME_PRESS) return false;
    const answer = { id: newId(), text };
    if (this.#pasted) answer.pasted = Math.min(this.#pasted, length(text));
    const refusal = this.#refusal(answer);
    this.complain(refusal);
    if (text && refusal) this.#offerParts(text);
    this.focus();
    if (refusal) return false;
    this.#sentAt = performance.now();
    this.#pasted = 0;
    this.#set("");
    this.#onAnswer(answer);
    return true;
  }

  #refusal({ id, text }) {
    if (!text) return say("empty_answer");
    const over = length(text) - this.#limit;
    if (over > 0) return say("answer_too_long", { over: over.toLocaleString(), limit: this.#limit.toLocaleString() });
    const frame = Connection.frame({ type: "answer", client_message_id: id, text });
    return new TextEncoder().encode(frame).length > FRAME_BYTES ? say("too_large_to_send") : "";
  }

  #set(text) {
    this.#box.value = text;
    this.#changed();
  }

  #changed() {
    this.#memory.draft = [this.#aside, this.#box.value].filter(Boolean).join("\n");
    if (this.#problem.textContent) this.complain("");
    this.#countDown();
    this.#grow();
  }

  #countDown() {
    const left = this.#limit - length(this.#box.value.trim());
    const over = left < 0;
    this.#count.hidden = left > WARN_WITHIN;
    this.#count.textContent = over
      ? say("over_limit", { over: (-left).toLocaleString() })
      : say("left", { left: left.toLocaleString() });
    this.#count.toggleAttribute("data-over", over);
    // Said once when the limit is crossed, not at every key.
    if (over !== this.#wasOver) this.#count.setAttribute("role", over ? "status" : "presentation");
    this.#wasOver = over;
  }

  #grow() {
    this.#box.style.height = "";
    // Empty, it is one line high, however many the hint in it would take.
    if (this.#box.value) this.#box.style.height = `${this.#box.scrollHeight}px`;
  }
}

/** Cut a text into parts that fit, at the end of a paragraph, a sentence or a word where there is one. */
export function parts(text, fits) {
  const found = [];
  for (let rest = text.trim(); rest; ) {
    if (fits(rest)) return [...found, rest];
    let [least, most] = [1, rest.length]; // the longest beginning that fits
    while (least < most) {
      const middle = Math.ceil((least + most) / 2);
      if (fits(rest.slice(0, middle))) least = middle;
      else most = middle - 1;
    }
    const room = rest.slice(0, least);
    const ends = [/[^]*\n\s*\n/, /[^]*[.!?…。！？]["'”’)]*\s/, /[^]*\n/, /[^]*\s/].map((end) => end.exec(room)?.[0].length ?? 0);
    let cut = ends.find((length) => length > least / 2) ?? least;
    if (/[\ud800-\udbff]/.test(rest[cut - 1])) cut -= 1; // never half a character
    found.push(rest.slice(0, cut).trim());
    rest = rest.slice(cut).trim();
  }
  return found;
}

/** Without what no database takes: half a character left by a cut, and the NUL. */
function storable(text) {
  const whole = text.toWellFormed ? text.toWellFormed() : text.replace(/\p{Surrogate}/gu, "\ufffd");
  return whole.replaceAll("\0", "");
}

/** Characters as the server counts them: code points. */
function length(text) {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
