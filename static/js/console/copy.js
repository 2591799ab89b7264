// Buttons that put an address on the clipboard, and say that they did.
for (const button of document.querySelectorAll("[data-copy]")) {
  const label = button.textContent;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied ✓";
    setTimeout(() => { button.textContent = label; }, 2000);
  });
}
