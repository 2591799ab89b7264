/** The pause page: copies the link. */

const link = document.getElementById("link");
const button = document.getElementById("copy");
button.hidden = false;

button.addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(link.value);
  } catch {
    link.select(); // plain-HTTP addresses have no clipboard object
    document.execCommand("copy");
  }
  const before = button.textContent;
  button.textContent = button.dataset.done;
  document.getElementById("copied").textContent = button.dataset.done;
  setTimeout(() => {
    button.textContent = before;
  }, 2000);
});
