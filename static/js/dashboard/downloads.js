/* Files that a page makes of what it shows: tables as CSV, drawings as SVG and PNG. */

export function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/* A cell as spreadsheets read it: quoted, and never a formula, whatever somebody said. */
export function cell(text) {
  const plain = text.replace(/\s+/gu, " ").trim();
  const safe = /^[=+\-@\t\r]/u.test(plain) && !/^[+-]?[\d.,]+$/u.test(plain) ? `'${plain}` : plain;
  return /[",\n]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/* A table as CSV with the byte order mark that spreadsheets want; an en dash is an empty cell. */
export function csvOf(table) {
  const rows = [...table.rows].map((row) =>
    [...row.cells].map((one) => cell(one.textContent.trim() === "–" ? "" : one.textContent)).join(","),
  );
  return `\uFEFF${rows.join("\r\n")}\r\n`;
}

/* Make every button that names a table save it; those that come later, too. */
export function offerTables() {
  document.addEventListener("click", (event) => {
    const press = event.target.closest("[data-csv]");
    const table = press && document.getElementById(press.dataset.csv);
    if (table) save(new Blob([csvOf(table)], { type: "text/csv" }), `${press.dataset.csv}.csv`);
  });
}

/* Two buttons that save a drawing; `svg` gives its text, `png` an address of its data or a blob, or a promise of one. */
export function pictureButtons(name, what, { svg, png }) {
  const button = (kind, onClick) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "pill";
    made.textContent = kind;
    made.setAttribute("aria-label", `${what} as ${kind}`);
    made.addEventListener("click", onClick);
    return made;
  };
  return [
    button("SVG", () => save(new Blob([svg()], { type: "image/svg+xml" }), `${name}.svg`)),
    button("PNG", async () => {
      const made = await png();
      save(typeof made === "string" ? await bytesOf(made) : made, `${name}.png`);
    }),
  ];
}

/* The picture in an address of data; fetching one is what the page's policy forbids. */
function bytesOf(address) {
  const bytes = Uint8Array.from(atob(address.split(",")[1]), (letter) => letter.charCodeAt(0));
  return new Blob([bytes], { type: "image/png" });
}
