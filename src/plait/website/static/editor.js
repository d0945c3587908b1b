// Where the text of a file is edited. The static build has another one: CodeMirror with plait's language server.
//
// createEditor fills an element, and gives
//   show(kind, files, file)   the command, its files, and which of them is shown: again whenever one of them is another
//   mark(errors)              of an evaluation, each with its file and line; null before there is one
// onChange(file, text) is called when the user has changed the text of a file; onOpen(file) asks to show another file.
export function createEditor(parent, { label, onChange }) {
  const numbers = document.createElement("pre");
  numbers.setAttribute("aria-hidden", "true");
  const text = document.createElement("textarea");
  const attributes = { "aria-label": label, spellcheck: "false", autocapitalize: "off", wrap: "off" };
  for (const [name, value] of Object.entries(attributes)) text.setAttribute(name, value);
  parent.replaceChildren(numbers, text);
  let shown = { name: "" };
  let errors = [];

  function showNumbers() {
    const bad = new Set(errors.filter((one) => one.file === shown.name).map((one) => one.line));
    numbers.replaceChildren(...text.value.split("\n").flatMap((_, index) => [number(index + 1, bad.has(index + 1)), "\n"]));
    numbers.scrollTop = text.scrollTop;
  }

  text.addEventListener("input", () => { showNumbers(); onChange(shown, text.value); });
  text.addEventListener("scroll", () => { numbers.scrollTop = text.scrollTop; });
  return {
    show(_kind, _files, file) {
      shown = file;
      // What is there already keeps its selection.
      if (text.value !== file.text) text.value = file.text;
      showNumbers();
    },
    mark(found) { errors = found ?? []; showNumbers(); },
  };
}

function number(line, isBad) {
  if (!isBad) return `${line}`;
  const made = document.createElement("b");
  made.className = "bad-line";
  made.textContent = `${line}`;
  return made;
}
