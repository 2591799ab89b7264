/**
 * One socket that comes back by itself. It says hello with the last sequence number it has seen,
 * and is ready once the server has answered with what was missing.
 *
 * Events: "ready" and "frame" (detail: the frame), "lost", "refused" (detail: the reason).
 */

const VERSION = 1;
const FIRST_WAIT = 400;
const LONGEST_WAIT = 8000;
const CROWDED_WAIT = 10000;
const ANSWER_WITHIN = 6000;
const CODE_LINK = 4410;
const CODE_CROWDED = 4429;

export class Connection extends EventTarget {
  #path;
  #lastSeq;
  #socket = null;
  #ready = false;
  #attempts = 0;
  #timer = 0;
  #watch = 0;
  #closed = false;

  /**
   * @param {string} path of the socket on this host
   * @param {() => number} lastSeq the last sequence number the page has
   */
  constructor(path, lastSeq) {
    super();
    this.#path = path;
    this.#lastSeq = lastSeq;
    addEventListener("online", () => this.#soon());
    addEventListener("pagehide", () => this.close());
    addEventListener("pageshow", (event) => event.persisted && this.open());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState !== "visible") return;
      if (this.#ready) this.#hello();
      else this.#soon();
    });
  }

  get ready() {
    return this.#ready;
  }

  open() {
    this.#closed = false;
    clearTimeout(this.#timer);
    if (this.#socket) return;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}${this.#path}`);
    this.#socket = socket;
    socket.addEventListener("open", () => socket === this.#socket && this.#hello());
    socket.addEventListener("message", (event) => socket === this.#socket && this.#read(event.data));
    socket.addEventListener("close", (event) => socket === this.#socket && this.#gone(event.code));
  }

  /** Send one message. @returns {boolean} false where there is no connection now */
  send(message) {
    if (!this.#ready) return false;
    this.#socket.send(Connection.frame(message));
    return true;
  }

  /** What a message looks like on the wire. */
  static frame(message) {
    return JSON.stringify({ v: VERSION, ...message });
  }

  /** The other side has gone quiet: begin again. */
  restart() {
    const socket = this.#socket;
    if (!socket) return;
    this.#gone(0);
    socket.close();
  }

  /** For good. */
  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#watch);
    const socket = this.#socket;
    this.#socket = null;
    this.#ready = false;
    socket?.close();
  }

  #hello() {
    this.#socket.send(Connection.frame({ type: "hello", last_seq: this.#lastSeq() }));
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => this.restart(), ANSWER_WITHIN);
  }

  #read(data) {
    const frame = JSON.parse(data);
    if (frame.v !== VERSION) return;
    if (frame.type === "snapshot") {
      clearTimeout(this.#watch);
      this.#attempts = 0;
      const wasReady = this.#ready;
      this.#ready = true;
      this.#tell("frame", frame);
      if (!wasReady) this.#tell("ready");
      return;
    }
    this.#tell("frame", frame);
  }

  #gone(code) {
    clearTimeout(this.#watch);
    const hadBeenReady = this.#ready;
    this.#socket = null;
    this.#ready = false;
    if (this.#closed) return;
    this.#attempts += 1;
    this.#tell("lost", { code });
    if (code === CODE_LINK) {
      this.#tell("refused", { reason: "link" });
      return;
    }
    if (code === CODE_CROWDED) {
      this.#tell("refused", { reason: "crowded" });
      this.#again(CROWDED_WAIT);
      return;
    }
    if (!hadBeenReady && this.#attempts % 3 === 2) this.#ask();
    const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (this.#attempts - 1));
    this.#again(wait * (0.75 + Math.random() / 2));
  }

  #again(wait) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.open(), wait);
  }

  #soon() {
    if (this.#closed || this.#socket) return;
    this.#again(0);
  }

  /** A refused handshake says nothing about why; the page's own address does. */
  async #ask() {
    try {
      const answer = await fetch(location.href, { method: "HEAD", cache: "no-store" });
      if (answer.status >= 400 && answer.status < 500) this.#tell("refused", { reason: "link" });
    } catch {
      // no network: go on trying
    }
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
