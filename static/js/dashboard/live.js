/* A page that grows while an interview runs: its socket says that something changed, and what is
 * new is read from the page itself. */

/* Calls `onChange` with the page as it is now, until it says that the interview is over. */
export function live(address, onChange) {
  let again = 1000;
  let over = false;
  let reading = null;

  async function read() {
    const answer = await fetch(location.href, { headers: { "X-Requested-With": "fetch" } }).catch(() => null);
    if (!answer?.ok || answer.redirected) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    over = !fresh.querySelector("[data-live]");
    onChange(fresh);
  }

  /* One reading at a time; a change meanwhile asks for one more. */
  function changed() {
    reading = reading ? reading.then(read) : read();
    const mine = reading;
    mine.finally(() => {
      if (reading === mine) reading = null;
    });
  }

  function listen() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}${address}`);
    socket.addEventListener("open", () => {
      again = 1000;
    });
    socket.addEventListener("message", changed);
    socket.addEventListener("close", () => {
      if (over) return;
      setTimeout(listen, again);
      again = Math.min(again * 2, 30_000);
    });
  }
  listen();
}

/* Put what is new into the page: each part that has a name, and the lists of turns. */
export function putIn(fresh, root = document) {
  const parts = [...root.querySelectorAll("[data-fresh]")].map((part) => [part, `[data-fresh="${part.dataset.fresh}"]`]);
  for (const selector of ["[data-turns]", "[data-whys]", "#concept-names"]) {
    parts.push([root.querySelector(selector), selector]);
  }
  for (const [part, selector] of parts) {
    const now = fresh.querySelector(selector);
    if (now && now.innerHTML !== part.innerHTML) part.replaceChildren(...document.adoptNode(now).childNodes);
  }
}
