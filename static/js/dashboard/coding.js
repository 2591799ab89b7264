// Coding an answer: what is selected in it goes into the form.

const answer = document.querySelector("[data-coded]");
const words = document.querySelector("[data-words]");

if (answer && words) {
  document.addEventListener("selectionchange", () => {
    const chosen = document.getSelection();
    const text = chosen.toString().trim();
    if (text && answer.contains(chosen.anchorNode) && answer.contains(chosen.focusNode)) {
      words.value = text;
    }
  });
}
