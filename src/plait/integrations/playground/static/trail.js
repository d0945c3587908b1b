// Why a value is what it is: the lines that decided it, as cards in the place of the source, joined by a strand that ends at
// the value; and the same history as a list.
import { coloured } from "./colours.js";
import { element, placeLink, styleOf, tile } from "./elements.js";

const NEAR = 1; // lines shown around one that decided

const isEmpty = (one) => one.value === null;
const stateText = (one) => (one.state === "current" ? "" : one.state);

// The cards: entries of one file that follow each other stand in one card.
export function trailOf(why, files, sources, onPlace) {
  const texts = new Map(files.map((file) => [file.name, file.text.split("\n")]));
  const groups = [];
  for (const entry of why.entries) {
    if (!entry.file || !texts.has(entry.file)) continue;
    const last = groups.at(-1);
    if (last?.file === entry.file) last.entries.push(entry);
    else groups.push({ file: entry.file, entries: [entry] });
  }
  const standing = groups.find((group) => group.entries.some((one) => one.decides));
  return groups.map((group) => {
    const number = sources.indexOf(group.file) + 1;
    const chosen = new Set(group.entries.map((one) => one.line));
    const lines = texts.get(group.file);
    const wanted = [...new Set([...chosen].flatMap((line) => Array.from({ length: 2 * NEAR + 1 }, (_, at) => line - NEAR + at)))]
      .filter((line) => line >= 1 && line <= lines.length && (lines[line - 1].trim() || chosen.has(line))).sort((a, b) => a - b);
    const told = group.entries.find((one) => one.depth === 0) ?? group.entries[0];
    const rows = wanted.flatMap((line, index) => {
      const isFar = index > 0 && wanted[index - 1] !== line - 1;
      const text = element("span", coloured(lines[line - 1]), { class: "c" });
      // What does not fit goes on below, further in.
      text.style.setProperty("--in", `${lines[line - 1].search(/\S|$/) + 2}ch`);
      const row = element("div", [
        element("span", `${line}`, { class: "n" }), element("span", "", { class: "bar" }), text,
      ], { class: `ln ${chosen.has(line) ? `hl ${styleOf(number)}` : ""}`, "data-line": chosen.has(line) ? line : null });
      return isFar ? [element("hr"), row] : [row];
    });
    const value = [...group.entries].reverse().find((one) => !isEmpty(one));
    const isStanding = group === standing;
    return element("article", [
      element("h2", [
        tile(number, isStanding), placeLink(group.file, group.file, told.line, onPlace), element("span", told.action, { class: "quiet" }),
        element("span", value ? `${value.value}${isStanding || !stateText(value) ? "" : ` ${stateText(value)}`}` : "", { class: isStanding ? "value stands" : "value" }),
      ]),
      element("div", rows, { class: "code" }),
    ], { class: `card ${styleOf(number)}${isStanding ? " current" : ""}`, "data-places": group.entries.map((one) => one.place).join("\n") });
  });
}

export function historyOf(why, sources, onPlace) {
  return element("ol", why.entries.map((entry, index) => {
    const number = sources.indexOf(entry.file) + 1;
    const isStanding = entry.decides;
    return element("li", [
      number && (entry.depth === 0 || why.entries[index - 1]?.file !== entry.file) ? tile(number, isStanding) : element("span"),
      element("span", entry.action, { class: "act" }),
      entry.file ? placeLink(entry.place, entry.file, entry.line, onPlace) : element("span", entry.place, { class: "place" }),
      element("span", isEmpty(entry) ? [] : [entry.value, stateText(entry) ? element("small", ` ${stateText(entry)}`) : null], { class: "value" }),
      element("span", coloured(entry.text ?? ""), { class: "text" }),
    ], { class: `${entry.depth ? "sub" : ""}${isStanding ? ` current ${number ? styleOf(number) : ""}` : ""}`, "data-place": entry.place });
  }), { class: "history" });
}

// The values that it had, oldest first: what an entry was made of comes before it.
export function chainOf(why) {
  const values = [];
  const open = [];
  for (const entry of why.entries) {
    while (open.length && open.at(-1).depth >= entry.depth) values.push(open.pop().value);
    open.push(entry);
  }
  while (open.length) values.push(open.pop().value);
  const steps = [...values, why.value].filter((one) => one !== null).filter((one, index, all) => one !== all[index - 1]);
  return element("span", steps.flatMap((value, index) => [
    ...(index ? [element("span", "→", { class: "quiet" })] : []), element(index === steps.length - 1 ? "b" : "span", value),
  ]), { class: "chain" });
}

const NS = "http://www.w3.org/2000/svg";
function drawn(name, attributes) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// The strand from each card to the line of the output. Nothing where the two do not stand side by side.
export function drawStrand(main, trail, output, line) {
  main.querySelector("svg.strand")?.remove();
  const cards = [...trail.querySelectorAll(".card")];
  if (!cards.length || !line || trail.hidden) return;
  const [frame, left, right] = [main, trail, output].map((one) => one.getBoundingClientRect());
  const target = line.getBoundingClientRect();
  if (right.left < left.right - 2 || !left.width || target.top > right.bottom || target.bottom < right.top) return;
  const middles = cards.map((card) => {
    const row = card.querySelector(".ln.hl:last-of-type") ?? [...card.querySelectorAll(".ln.hl")].at(-1) ?? card;
    const box = row.getBoundingClientRect();
    return Math.max(left.top + 6, Math.min(left.bottom - 6, box.top + box.height / 2)) - frame.top;
  });
  const [edge, end] = [cards[0].getBoundingClientRect().right - frame.left, right.left - frame.left];
  const x = (edge + end) / 2 - 4;
  // From the card that decided: after it stand those that it was made of.
  const deciding = cards.findIndex((card) => card.classList.contains("current"));
  const start = deciding < 0 ? cards.length - 1 : deciding;
  const svg = drawn("svg", { class: "strand", "aria-hidden": "true" });
  const styleOfCard = (card) => [...card.classList].find((one) => /^s\d$/.test(one));
  cards.forEach((card, index) => {
    const group = drawn("g", { class: styleOfCard(card) });
    const y = middles[index];
    group.append(drawn("path", { d: `M${edge - 1} ${y}H${x}` }));
    if (index) group.append(drawn("path", { d: `M${x} ${middles[index - 1] + 5}V${y - 5}`, class: "between" }));
    group.append(drawn("circle", { cx: x, cy: y, r: 4, class: index === start ? "full" : "" }));
    svg.append(group);
  });
  const [from, to] = [middles[start], target.top + target.height / 2 - frame.top];
  const turn = x + 11;
  const bend = from === to ? 0 : Math.sign(to - from) * Math.min(6, Math.abs(to - from) / 2);
  const last = drawn("g", { class: styleOfCard(cards[start]) });
  last.append(drawn("path", {
    d: `M${x} ${from}H${turn - 6}Q${turn} ${from} ${turn} ${from + bend}V${to - bend}Q${turn} ${to} ${turn + 6} ${to}H${end + 8}`,
  }));
  last.append(drawn("path", { d: `M${end + 5} ${to - 4}l5 4-5 4z`, class: "head-of-arrow" }));
  svg.append(last);
  main.append(svg);
}
