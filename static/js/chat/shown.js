/** How this device likes the pages: letters and colours, set before anything is drawn (display.js). */

(() => {
  try {
    const kept = JSON.parse(localStorage.getItem("interview.display") ?? "{}");
    for (const name of ["text", "theme", "aloud"]) {
      if (typeof kept[name] === "string") document.documentElement.dataset[name] = kept[name];
    }
  } catch {
    // no storage: as the device has it
  }
})();
