/** One's own link to the interview: copied, or given to the system's share sheet where it has one. */

const link = document.getElementById("link");
const copy = document.getElementById("copy");
const share = document.getElementById("share");
const text = copy.textContent;
copy.hidden = false;
share.hidden = !navigator.share;

copy.addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(link.value);
  } catch {
    copyBySelection(link.value); // plain-HTTP addresses have no clipboard object
  }
  copy.textContent = copy.dataset.done;
  document.getElementById("copied").textContent = copy.dataset.done;
  setTimeout(() => {
    copy.textContent = text;
  }, 2000);
});

share.addEventListener("click", async () => {
  try {
    await navigator.share({ title: document.title, url: link.value });
  } catch {
    // closed without choosing
  }
});

function copyBySelection(words) {
  const box = document.createElement("textarea");
  box.value = words;
  document.body.append(box);
  box.select();
  document.execCommand("copy");
  box.remove();
}
