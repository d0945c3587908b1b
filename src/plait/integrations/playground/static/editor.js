// Where the text of a file is edited. The static build has another one: CodeMirror with plait's language server.
//
// createEditor fills an element, and gives
//   show(kind, files, file)   the command, its files, and which of them is shown: again whenever one of them is another
//   mark(faults)              of an evaluation, each with severity, file and line; null before there is one
//   bringOut(lines)           of the file that is shown, which stand out until it is called again
//   begin()                   after each evaluation: what takes long to load may begin
//   goTo(line)                selects a line of the file that is shown, and has the focus
// onChange(file, text) is called when the user has changed the text of a file; onOpen(file) asks to show another file.
import { coloured } from "./colours.js";
import { element } from "./elements.js";

const MOST_COLOURED = 3000; // lines

export function createEditor(parent, { label, onChange }) {
  const numbers = element("pre", "", { "aria-hidden": "true", class: "numbers" });
  const colours = element("pre", "", { "aria-hidden": "true", class: "colours" });
  const text = element("textarea", "", { "aria-label": label, spellcheck: "false", autocapitalize: "off", wrap: "off" });
  parent.replaceChildren(numbers, element("div", [colours, text], { class: "text" }));
  let shown = { name: "" };
  let faults = [];
  let deciding = new Set();

  function draw() {
    const bad = new Set(faults.filter((one) => one.severity === "error" && one.file === shown.name).map((one) => one.line));
    const lines = text.value.split("\n");
    put(numbers, lines.flatMap((_, index) => [number(index + 1, bad.has(index + 1)), "\n"]));
    const colour = lines.length > MOST_COLOURED ? (line) => [line] : coloured;
    const kind = (line) => (bad.has(line) ? "bad" : deciding.has(line) ? "deciding" : "");
    put(colours, lines.flatMap((line, index) => [
      ...(kind(index + 1) ? [element("span", coloured(line || " "), { class: kind(index + 1) })] : colour(line)), "\n",
    ]));
    follow();
  }

  function follow() {
    numbers.scrollTop = colours.scrollTop = text.scrollTop;
    colours.scrollLeft = text.scrollLeft;
  }

  // One change may be many events, as a browser types a pasted text line by line; and an answer tells several things at once.
  let drawing = 0;
  function drawSoon() {
    cancelAnimationFrame(drawing);
    drawing = requestAnimationFrame(draw);
  }

  text.addEventListener("input", () => {
    drawSoon();
    onChange(shown, text.value);
  });
  text.addEventListener("scroll", follow);
  return {
    show(_kind, _files, file) {
      shown = file;
      // What is there already keeps its selection.
      if (text.value !== file.text) text.value = file.text;
      drawSoon();
    },
    mark(found) { faults = found ?? []; drawSoon(); },
    bringOut(lines) { deciding = new Set(lines); drawSoon(); },
    begin() {},
    goTo(line) {
      const before = text.value.split("\n").slice(0, line);
      const end = before.join("\n").length;
      text.focus({ preventScroll: true });
      text.setSelectionRange(end - (before.at(-1)?.length ?? 0), end);
      text.scrollTop = Math.max(0, (line - 4) * 20);
      follow();
    },
  };
}

// Texts that follow each other are one: a browser takes long for many thousands.
function put(parent, parts) {
  const joined = [];
  for (const one of parts) {
    if (typeof one === "string" && typeof joined.at(-1) === "string") joined.push(joined.pop() + one);
    else joined.push(one);
  }
  parent.replaceChildren(...joined);
}

function number(line, isBad) {
  return isBad ? element("b", `${line}`, { class: "bad-line" }) : `${line}`;
}
