// The page: files are edited on one side, and what the command makes of them stands on the other.
import { createEditor } from "./editor.js";
import { evaluate, note } from "./evaluator.js";

const at = (id) => document.getElementById(id);
const state = { kind: "render", files: [], shown: 0, answer: null, asked: 0 };
const editor = createEditor(at("editor"), {
  label: "Text of the file",
  onChange(file, text) { file.text = text; changed(); },
  onOpen(file) { showFile(state.files.indexOf(file)); },
});

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

const request = (more = {}) => ({ kind: state.kind, files: state.files, ...more });

async function evaluateAll() {
  const number = ++state.asked;
  try {
    const answer = await evaluate(request());
    if (number === state.asked) showAnswer(answer);
  } catch (error) {
    if (number === state.asked) showAnswer({ output: "", lines: [], matches: [], warnings: [], printed: [], errors: [], report: error.message });
  }
}

function showAnswer(answer) {
  state.answer = answer;
  at("status").textContent = answer.report ? "There are errors." : "Rendered.";
  const told = [answer.report, ...answer.warnings, ...answer.printed].filter(Boolean);
  at("errors").replaceChildren(...told.map((text) => element("pre", text)));
  const values = new Map();
  for (const line of answer.lines) if (!values.has(line.line)) values.set(line.line, line);
  const texts = answer.output.replace(/\n$/, "").split("\n");
  at("output").replaceChildren(...(answer.output ? texts : []).map((text, index) => outputLine(text, index + 1, values.get(index + 1))));
  at("history").textContent = "Choose a line of the output.";
  showTabs();
  showMatches();
  editor.mark(answer.errors);
}

// What the overlays in the shown file are for; a button shows it in the output.
function showMatches() {
  const name = state.files[state.shown].name;
  const here = (state.answer?.matches ?? []).filter((one) => one.file === name);
  at("matches").replaceChildren(...here.map((one) => {
    const count = `${one.lines.length} document${one.lines.length === 1 ? "" : "s"}`;
    const button = element("button", `Line ${one.line} matches ${count}, changes ${one.changed}`, { type: "button", "aria-pressed": "false" });
    button.addEventListener("click", () => showMatched(one, button));
    return button;
  }));
  showMatched(null, null);
}

function showMatched(match, button) {
  const isShown = button?.getAttribute("aria-pressed") === "false";
  for (const other of at("matches").children) other.setAttribute("aria-pressed", String(other === button && isShown));
  const spans = isShown ? match.lines : [];
  const lines = [...at("output").children];
  lines.forEach((line, index) => line.classList.toggle("matched", spans.some(([first, last]) => first <= index + 1 && index < last)));
  lines.find((line) => line.classList.contains("matched"))?.scrollIntoView({ block: "nearest" });
}

function outputLine(text, number, value) {
  const line = document.createElement("li");
  if (!value) {
    line.append(element("span", text));
    return line;
  }
  const button = element("button", text, { type: "button", title: `${value.action}, ${value.source}`, "aria-pressed": "false" });
  if (value.action.startsWith("overlay")) button.classList.add("changed");
  button.addEventListener("click", () => showHistory(number, button));
  line.append(button);
  return line;
}

async function showHistory(number, button) {
  for (const other of at("output").querySelectorAll("button")) other.setAttribute("aria-pressed", String(other === button));
  const asked = state.asked;
  try {
    const answer = await evaluate(request({ explain: number }));
    if (asked === state.asked) at("history").textContent = answer.history ?? "No value stands on this line.";
  } catch (error) {
    at("history").textContent = error.message;
  }
}

function showTabs() {
  const bad = new Set((state.answer?.errors ?? []).map((one) => one.file));
  at("tabs").replaceChildren(...state.files.map((file, index) => {
    const tab = element("button", file.name, { type: "button", "aria-pressed": String(index === state.shown) });
    if (bad.has(file.name)) tab.classList.add("bad");
    tab.addEventListener("click", () => showFile(index));
    return tab;
  }));
}

function showFile(index) {
  state.shown = Math.max(0, Math.min(index, state.files.length - 1));
  const file = state.files[state.shown];
  at("name").value = file.name;
  at("values").checked = file.role === "values";
  at("remove").disabled = state.files.length === 1;
  showTabs();
  showMatches();
  showText();
}

const showText = () => editor.show(state.kind, state.files, state.files[state.shown]);

function open(kind, files) {
  Object.assign(state, { kind, files: files.map((file) => ({ ...file })), answer: null });
  at("kind").value = kind;
  editor.mark(null);
  showFile(0);
  evaluateAll();
}

let timer = 0;
function changed() {
  showTabs();
  clearTimeout(timer);
  timer = setTimeout(evaluateAll, 300);
}

// A link has everything behind its `#`, which browsers send to nobody.
const encoded = () => btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(request()))))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
function decoded(text) {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
    const { kind, files } = JSON.parse(new TextDecoder().decode(bytes));
    const isFile = (one) => typeof one.name === "string" && typeof one.text === "string";
    return typeof kind === "string" && Array.isArray(files) && files.length && files.every(isFile) ? { kind, files } : null;
  } catch {
    return null;
  }
}

async function share() {
  history.replaceState(null, "", `#${encoded()}`);
  try {
    await navigator.clipboard.writeText(location.href);
    at("status").textContent = "The link is copied.";
  } catch {
    at("status").textContent = "The link stands in the address bar.";
  }
}

function download() {
  const link = element("a", "", { download: "output.yml" });
  link.href = URL.createObjectURL(new Blob([state.answer?.output ?? ""], { type: "application/yaml" }));
  link.click();
  URL.revokeObjectURL(link.href);
}

function freeName() {
  const names = new Set(state.files.map((file) => file.name));
  let number = 1;
  while (names.has(`file-${number}.yml`)) number += 1;
  return `file-${number}.yml`;
}

function listen() {
  at("name").addEventListener("input", () => { state.files[state.shown].name = at("name").value; showText(); changed(); });
  at("values").addEventListener("change", () => { state.files[state.shown].role = at("values").checked ? "values" : "input"; showText(); changed(); });
  at("kind").addEventListener("change", () => { state.kind = at("kind").value; showText(); changed(); });
  at("add").addEventListener("click", () => { state.files.push({ name: freeName(), text: "" }); showFile(state.files.length - 1); changed(); });
  at("remove").addEventListener("click", () => { state.files.splice(state.shown, 1); showFile(state.shown); changed(); });
  at("share").addEventListener("click", share);
  at("download").addEventListener("click", download);
}

async function start() {
  const examples = await (await fetch("examples.json")).json();
  for (const group of new Set(examples.map((one) => one.group))) {
    const made = element("optgroup", "", { label: group });
    const of = (one, index) => (one.group === group ? [element("option", one.title, { value: index })] : []);
    made.append(...examples.flatMap(of));
    at("examples").append(made);
  }
  at("examples").addEventListener("change", () => { const one = examples[at("examples").value]; open(one.kind, one.files); });
  at("note").textContent = note;
  listen();
  const linked = decoded(location.hash.slice(1));
  if (linked) open(linked.kind, linked.files);
  else open(examples[0].kind, examples[0].files);
}

start();
