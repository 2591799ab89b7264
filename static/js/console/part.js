// A part of the page that is read anew: when its socket says so, and every few seconds besides.
const part = document.querySelector("[data-part]");

async function refresh() {
  const response = await fetch(part.dataset.part, { headers: { "X-Requested-With": "fetch" } });
  if (response.ok && !response.redirected) part.innerHTML = await response.text();
}

let again = 1000;
function listen(address) {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(`${scheme}//${location.host}${address}`);
  socket.addEventListener("open", () => { again = 1000; });
  socket.addEventListener("message", refresh);
  socket.addEventListener("close", () => {
    setTimeout(() => listen(address), again);
    again = Math.min(again * 2, 30000);
  });
}

if (part) {
  setInterval(() => { if (!document.hidden) refresh(); }, Number(part.dataset.every) * 1000);
  if (part.dataset.socket) listen(part.dataset.socket);
}
