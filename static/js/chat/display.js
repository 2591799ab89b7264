/** Size of letters, colours and reading aloud, as one likes them: chosen in a dialog, kept on the device. */

const KEY = "interview.display";
const root = document.documentElement;

export class Display {
  #onChange;

  /**
   * @param {HTMLDialogElement} dialog with a radio or a checkbox for each choice
   * @param {HTMLButtonElement} opener
   * @param {(name: string) => void} onChange called with what was changed, once it holds
   */
  constructor(dialog, opener, onChange) {
    this.#onChange = onChange;
    for (const input of dialog.querySelectorAll("input")) {
      input.checked = (root.dataset[input.name] ?? "") === input.value;
      input.addEventListener("change", () => this.#choose(input.name, input.checked ? input.value : ""));
    }
    opener.addEventListener("click", () => dialog.showModal());
  }

  #choose(name, value) {
    if (value) root.dataset[name] = value;
    else delete root.dataset[name];
    const { text, theme, aloud } = root.dataset;
    try {
      if (text || theme || aloud) localStorage.setItem(KEY, JSON.stringify({ text, theme, aloud }));
      else localStorage.removeItem(KEY);
    } catch {
      // no storage: it holds for this page
    }
    this.#onChange(name);
  }
}
