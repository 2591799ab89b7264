// A slider beside each number of the grid: both say the same, and an empty number stays empty until
// the slider is moved. Whoever has no script, or uses a keyboard, writes the number.
const form = document.querySelector("[data-weights]");

for (const slider of form.querySelectorAll("[data-slides]")) {
  const number = slider.previousElementSibling;
  const follow = () => {
    const value = Number(number.value.replace(",", "."));
    slider.value = String(Number.isFinite(value) ? value : 0);
    number.classList.toggle("console-number--plus", value > 0);
    number.classList.toggle("console-number--minus", value < 0);
  };
  slider.hidden = false;
  slider.addEventListener("input", () => {
    number.value = Number(slider.value) === 0 ? "" : slider.value;
    follow();
  });
  number.addEventListener("input", follow);
  follow();
}
