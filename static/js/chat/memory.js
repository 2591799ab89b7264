/**
 * What this device remembers of one interview: answers the server has not confirmed yet, and the
 * draft in the box. Where the browser keeps no storage, it is remembered until the page closes.
 */

/** A random version 4 UUID; the browser's own is missing on plain-HTTP addresses. */
export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [8, 12, 16, 20].reduceRight((id, at) => `${id.slice(0, at)}-${id.slice(at)}`, hex);
}

export class Memory {
  #unsentKey;
  #draftKey;
  #fallback = new Map();

  /** @param {string} session id of the interview */
  constructor(session) {
    this.#unsentKey = `interview.${session}.unsent`;
    this.#draftKey = `interview.${session}.draft`;
  }

  /** Answers not confirmed yet, oldest first. @returns {{id: string, text: string}[]} */
  get unsent() {
    try {
      const found = JSON.parse(this.#read(this.#unsentKey) ?? "[]");
      return Array.isArray(found) ? found.filter((item) => item && item.id && item.text) : [];
    } catch {
      return [];
    }
  }

  /** Keep an answer until it is confirmed. */
  keep(item) {
    this.#write(this.#unsentKey, JSON.stringify([...this.unsent, item]));
  }

  /** It is confirmed, or was given back. Read afresh: another tab may have written meanwhile. */
  drop(id) {
    const rest = this.unsent.filter((item) => item.id !== id);
    this.#write(this.#unsentKey, rest.length ? JSON.stringify(rest) : null);
  }

  get draft() {
    return this.#read(this.#draftKey) ?? "";
  }

  set draft(text) {
    this.#write(this.#draftKey, text || null);
  }

  /** The interview is over: leave nothing behind on this device. */
  forget() {
    this.#write(this.#unsentKey, null);
    this.#write(this.#draftKey, null);
  }

  #read(key) {
    try {
      return localStorage.getItem(key) ?? this.#fallback.get(key) ?? null;
    } catch {
      return this.#fallback.get(key) ?? null;
    }
  }

  #write(key, value) {
    if (value === null) this.#fallback.delete(key);
    else this.#fallback.set(key, value);
    try {
      if (value === null) localStorage.removeItem(key);
      else localStorage.setItem(key, value);
      this.#fallback.delete(key);
    } catch {
      // full or forbidden: the fallback above has it
    }
  }
}
