// The output as it is built up: a slider over the steps, and the lines that the chosen one changed.
import { coloured } from "./colours.js";
import { button, element, placeLink } from "./elements.js";

const SIGNS = { "+": ["+", "added"], "-": ["−", "removed"] };

// slider, rows: elements. onStep(index) chooses another step; onPlace(file, line) shows a line.
export function showSteps(slider, rows, steps, index, { onStep, onPlace }) {
  const step = steps[index];
  const stops = steps.map((one, number) => element("span", [
    element("i", `${number + 1}`), element("b", one.name, { title: one.name }), element("small", one.kind, { title: one.kind }),
  ], { class: `stop${number < index ? " past" : ""}${number === index ? " here" : ""}`, onclick: () => onStep(number) }));
  slider.replaceChildren(...stops);
  for (const [name, value] of [["min", 1], ["max", steps.length], ["now", index + 1], ["text", `${step.name}, ${step.kind}`]]) {
    slider.setAttribute(`aria-value${name}`, value);
  }
  rows.replaceChildren(...step.rows.map((row, number) => line(row, partner(step.rows, number), onPlace)));
  rows.querySelector(".add, .del")?.scrollIntoView({ block: "nearest" });
}

// Which of the steps is shown, of those that there are: the wanted one, or the last. -1 if there are none.
export const stepShown = (steps, wanted) => Math.min(wanted ?? steps.length - 1, steps.length - 1);

// What the step is, and ways to the others.
export function stepTold(steps, index, { onStep, onPlace }) {
  const { name, changed, source } = steps[index];
  const told = changed === 1 ? " changes 1 line" : ` changes ${changed || "no"} lines`;
  const next = steps[index + 1];
  return element("div", [
    element("b", `Step ${index + 1} of ${steps.length}`),
    element("span", [source ? placeLink(name, source.file, source.line, onPlace) : element("b", name), index ? told : " is where it begins"]),
    element("span", [element("kbd", "←"), element("kbd", "→"), " step"], { class: "keys" }),
    button("Previous", () => onStep(index - 1), index ? {} : { disabled: "" }),
    button(next ? `Next: ${next.name}` : "Next", () => onStep(index + 1), next ? {} : { disabled: "" }),
  ], { class: "step-told" });
}

// The slider's keys.
export function stepOf(key, index, count) {
  const to = { ArrowLeft: index - 1, ArrowDown: index - 1, ArrowRight: index + 1, ArrowUp: index + 1, Home: 0, End: count - 1 }[key];
  return to === undefined ? null : Math.max(0, Math.min(count - 1, to));
}

function line(row, other, onPlace) {
  const kind = { "+": "add", "-": "del" }[row.sign] ?? "";
  const [sign, meant] = SIGNS[row.sign] ?? [];
  return element("li", [
    element("span", row.line ? `${row.line}` : "", { class: "n" }),
    element("span", kind ? [element("span", sign, { "aria-hidden": "true" }), element("span", meant, { class: "sr" })] : [], { class: "sign" }),
    element("span", kind ? words(row.text, other) : coloured(row.text), { class: "c" }),
    row.source ? element("span", [placeLink(`${row.source.file}:${row.source.line}`, row.source.file, row.source.line, onPlace)], { class: "o" }) : null,
  ], { class: `ln ${kind}` });
}

// The line that took the place of another one has its key.
function partner(rows, number) {
  const { sign, text } = rows[number];
  if (sign === " ") return null;
  const key = text.split(":")[0];
  const from = rows.findLastIndex((one, at) => at < number && one.sign === " ");
  const end = rows.findIndex((one, at) => at > number && one.sign === " ");
  return rows.slice(from + 1, end < 0 ? rows.length : end).find((one) => one.sign !== sign && one.text.split(":")[0] === key)?.text ?? null;
}

// What differs from another line is tinted more: what stands between the parts that both have.
function words(text, other) {
  if (other === null) return coloured(text);
  const most = Math.min(text.length, other.length);
  let begin = 0;
  while (begin < most && text[begin] === other[begin]) begin += 1;
  let end = 0;
  while (end < most - begin && text.at(-1 - end) === other.at(-1 - end)) end += 1;
  const middle = text.slice(begin, text.length - end);
  if (!middle) return coloured(text);
  return [...coloured(text.slice(0, begin)), element("mark", middle), text.slice(text.length - end)];
}
