// The editor of documents: checked while one writes, completed from the registry, left with Esc Tab.
const AFTER_LAST_KEY = 400;

function start() {
  const root = document.querySelector("[data-editor]");
  const widget = document.querySelector(".django-ace-widget");
  const ace = widget && widget.editor;
  if (!root || !ace) return;
  const area = document.querySelector("textarea[name=text]");
  const form = area.closest("form");
  const problems = root.querySelector("[data-problems]");
  const token = form.querySelector("[name=csrfmiddlewaretoken]").value;
  const first = ace.getValue();
  let words = [];

  label(ace);
  leaveWithEscape(ace);
  warnOfLoss(ace, form, first);

  fetch(root.dataset.words).then((answer) => answer.json()).then((found) => {
    words = found.words;
    ace.completers = [completer(words), ...(ace.completers || [])];
    explain(ace, new Map(words.map((word) => [word.value, word.doc])));
  });

  let timer = 0;
  let asked = 0;
  async function check() {
    const number = ++asked;
    const body = new URLSearchParams({ text: ace.getValue() });
    const answer = await fetch(root.dataset.check, { method: "POST", headers: { "X-CSRFToken": token }, body });
    if (!answer.ok || number !== asked) return;
    show((await answer.json()).problems, ace, problems);
  }
  ace.getSession().on("change", () => {
    clearTimeout(timer);
    timer = setTimeout(check, AFTER_LAST_KEY);
  });
  check();
}

function show(found, ace, place) {
  ace.getSession().setAnnotations(found.map((problem) => ({
    row: problem.line - 1, column: problem.column - 1, text: problem.message,
    type: problem.severity === "warning" ? "warning" : "error",
  })));
  place.replaceChildren();
  if (!found.length) {
    const fine = document.createElement("p");
    fine.className = "console-check console-check--done";
    fine.textContent = "✓ Valid: it can be saved as a version.";
    place.append(fine);
    return;
  }
  const list = document.createElement("ul");
  list.className = "console-list";
  for (const problem of found) {
    const item = document.createElement("li");
    const jump = document.createElement("button");
    jump.type = "button";
    jump.className = "console-link";
    jump.textContent = `Line ${problem.line}, column ${problem.column}: ${problem.message}`;
    jump.addEventListener("click", () => {
      ace.gotoLine(problem.line, problem.column - 1, false);
      ace.focus();
    });
    item.append(jump);
    list.append(item);
  }
  place.append(list);
}

function completer(words) {
  return {
    identifierRegexps: [/[\w.]/],
    getCompletions(editor, session, position, prefix, done) {
      done(null, words.map((word) => ({ caption: word.value, value: word.value, meta: word.meta, score: 1000, doc: word.doc })));
    },
    getDocTooltip(item) {
      if (!item.doc || item.docHTML) return;
      const text = document.createElement("p");
      text.textContent = item.doc;
      item.docHTML = text.outerHTML;
    },
  };
}

function explain(ace, meaning) {
  ace.on("mousemove", (event) => {
    const { row, column } = event.getDocumentPosition();
    const line = ace.getSession().getLine(row);
    const before = /[\w.]*$/.exec(line.slice(0, column))[0];
    const after = /^[\w.]*/.exec(line.slice(column))[0];
    ace.container.title = meaning.get(before + after) || "";
  });
}

function label(ace) {
  ace.textInput.getElement().setAttribute("aria-label", "YAML. Press Escape, then Tab, to leave the editor.");
}

// Tab indents. After Escape the next Tab moves on, as it does everywhere else.
function leaveWithEscape(ace) {
  const indent = ace.commands.byName.indent;
  const outdent = ace.commands.byName.outdent;
  function back() {
    ace.commands.addCommand(indent);
    ace.commands.addCommand(outdent);
  }
  ace.textInput.getElement().addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      ace.commands.removeCommand(indent, true);
      ace.commands.removeCommand(outdent, true);
    } else if (event.key !== "Tab" && event.key !== "Shift") back();
  }, true);
  ace.on("blur", () => setTimeout(back));
}

function warnOfLoss(ace, form, first) {
  let leaving = false;
  form.addEventListener("submit", () => { leaving = true; });
  window.addEventListener("beforeunload", (event) => {
    if (!leaving && ace.getValue() !== first) event.preventDefault();
  });
}

if (document.readyState === "complete") start();
else window.addEventListener("load", start);
