/**
 * Answers on their way, one at a time so that their order holds whatever the connection does.
 * Each is kept on this device until the server has confirmed it, and sent again under the same id.
 */

const CONFIRM_WITHIN = 8000;
const LATER = { too_fast: 1500, try_again: 3000 };
const TOO_LARGE = 1009;

export class Outbox {
  #connection;
  #memory;
  #onRefused;
  #onSlow;
  #items;
  #inFlight = null;
  #timer = 0;

  constructor({ connection, memory, onRefused, onSlow }) {
    this.#connection = connection;
    this.#memory = memory;
    this.#onRefused = onRefused;
    this.#onSlow = onSlow;
    this.#items = memory.unsent;
  }

  get empty() {
    return this.#items.length === 0;
  }

  add(item) {
    this.#items.push(item);
    if (!item.unkept) this.#memory.keep(item);
    this.flush();
  }

  /** Send the oldest, unless one is on its way already. */
  flush() {
    const [item] = this.#items;
    if (!item || this.#inFlight) return;
    const frame = item.frame ?? { type: "answer", client_message_id: item.id, text: item.text, ...(item.pasted ? { pasted: item.pasted } : {}) };
    if (!this.#connection.send(frame)) return;
    this.#inFlight = item.id;
    this.#after(CONFIRM_WITHIN, () => this.#onSlow());
  }

  confirmed(id) {
    this.#remove(id);
    this.flush();
  }

  /** Refused: for now (then it is sent again) or for good (then it goes back into the box). */
  refused(id, code, message, fields) {
    const item = this.#items.find((other) => other.id === id);
    if (!item) return;
    if (code in LATER) {
      this.#after(LATER[code], () => {
        this.#inFlight = null;
        this.flush();
      });
      return;
    }
    this.#remove(id);
    this.#onRefused(item, code, message, fields);
    this.flush();
  }

  /** The server could not read what was sent, so it cannot say which answer it was. */
  notUnderstood(code, message) {
    if (this.#inFlight) this.refused(this.#inFlight, code, message);
  }

  /** The connection is gone. One that was too large for it would only close the next one too. */
  interrupted(code) {
    const id = this.#inFlight;
    clearTimeout(this.#timer);
    this.#inFlight = null;
    if (id && code === TOO_LARGE) this.refused(id, "too_large_to_send", "");
  }

  #remove(id) {
    this.#items = this.#items.filter((item) => item.id !== id);
    this.#memory.drop(id);
    if (this.#inFlight !== id) return;
    clearTimeout(this.#timer);
    this.#inFlight = null;
  }

  #after(wait, action) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(action, wait);
  }
}
