// The page: files are edited on one side, and what the command makes of them stands on the other.
import { archiveOf } from "./archives.js";
import { moveBorder } from "./borders.js";
import { coloured } from "./colours.js";
import { editor, loadEditor } from "./editing.js";
import { button, element, inFrame, placeLink, short, styleOf, tile } from "./elements.js";
import { environmentsTable } from "./environments.js";
import { evaluate, links, loading, note, reach } from "./evaluator.js";
import { filesOfDrop, filesOfInput, guessed, isName, named } from "./own.js";
import { argumentsOf, hashOf, markdownOf, stateOf } from "./share.js";
import { showSteps, stepOf, stepShown, stepTold } from "./steps.js";
import { themeOf } from "./theme.js";
import { chainOf, drawStrand, historyOf, trailOf } from "./trail.js";

const KEPT = "plait playground";
// Within another page: the files and the output alone.
const isEmbedded = new URLSearchParams(location.search).has("embed");
// Milliseconds: between the last key and an evaluation, at least and at most; and until an error of what is being typed is shown.
const [LEAST, MOST, UNTIL_ERROR] = [20, 300, 400];
const MOST_NAMED = 2; // files, in a message
const narrow = matchMedia("(max-width: 640px)");
const at = (id) => document.getElementById(id);
// answer: the newest. good: the newest without errors, which is what the output shows. chosen: a line of it, or null.
// view: of VIEWS. step: which of `steps()` is wanted, or null for the last one. isStepChosen: its file is to be shown, once there is an answer.
// hasGone: removed lines are shown. hasEqual: so are values that no environment has otherwise.
// cell: of the environments, which is explained: { environment, name, files, answer, why }, or null. wantedCell: of a link,
// [environment, name], until it is explained.
const state = {
  kind: "render", files: [], shown: 0, chosen: null, answer: null, good: null, asked: 0, isTrail: false, offer: false,
  view: "output", step: null, isStepChosen: false, hasGone: false, hasEqual: false, cell: null, wantedCell: null,
};
let examples = [];
let example = null;

// ---- evaluation

// One evaluation at a time: of those that are wanted meanwhile, the newest follows it.
let pause = MOST;
let typed = -UNTIL_ERROR;
let wantedNumber = 0;
let isEvaluating = false;
function evaluateAll() {
  wantedNumber = state.asked += 1;
  if (!isEvaluating) inProgress(evaluateNewest());
}

async function evaluateNewest() {
  isEvaluating = true;
  const failed = (error) => ({
    output: "", sources: [], lines: [], histories: [], matches: [], warnings: [], printed: [], errors: [], report: error.message,
  });
  let [number, answer] = [0, null];
  while (number !== wantedNumber) {
    number = wantedNumber;
    const begun = performance.now();
    answer = await evaluate(requested()).catch(failed);
    // An evaluation that takes long is not begun for each key.
    pause = Math.max(LEAST, Math.min(MOST, performance.now() - begun));
  }
  isEvaluating = false;
  editor.begin();
  if (number === state.asked && answer.report) await new Promise((resolve) => { setTimeout(resolve, typed + UNTIL_ERROR - performance.now()); });
  if (number === state.asked) showAnswer(answer);
}

// The bar is there as long as anything is awaited.
let awaited = 0;
async function inProgress(work) {
  awaited += 1;
  at("progress").hidden = false;
  try {
    return await work;
  } finally {
    awaited -= 1;
    at("progress").hidden = !awaited;
  }
}

const requested = (more = {}) => ({ kind: state.kind, files: state.files, ...more });

// An answer to another question about the files as they are, or null if they have changed meanwhile, or it has none.
async function ask(question, more = {}) {
  const { asked } = state;
  const answer = await evaluate(requested({ ask: question, ...more })).catch((error) => ({ report: error.message }));
  if (asked === state.asked) return answer;
  shownText = ""; // without this answer, what is shown is not complete
  return null;
}

let shownText = ""; // the files and the answer that are shown, as it came: histories are added to it
// asked: what is known of the questions that are asked about an answer.
function showAnswer(answer, asked = {}) {
  // What is shown already is not drawn anew: a click on what is replaced meanwhile would be lost.
  const text = JSON.stringify([requested(), answer]);
  if (state.answer && text === shownText) return;
  shownText = text;
  Object.assign(answer, asked);
  state.answer = answer;
  state.cell = null;
  const isGood = !answer.report;
  if (isGood) {
    state.good = answer;
    showOutput();
  } else if (!state.good) {
    at("output").replaceChildren(element("li", [
      "There is no output, because the files have an error. ", button("Show the error", () => showView("why"), { class: "link narrow" }),
    ], { class: "none" }));
  }
  showResult();
  at("status").textContent = isGood ? "" : "There are errors.";
  at("problems").textContent = isGood ? "" : `${answer.errors.length || 1}`;
  at("problems").append(...(isGood ? [] : [element("span", answer.errors.length > 1 ? " problems" : " problem", { class: "sr" })]));
  if (isMending) {
    addNote(isGood ? "There are no errors." : "There are other errors.");
    if (isGood && at("main").dataset.view === "why") showView("output");
    isMending = false;
  }
  at("stale").hidden = isGood || !state.good || state.view === "environments";
  at("output").classList.toggle("stale", !isGood);
  showErrors();
  if (!isGood) showFixes();
  // What is opened with an error is shown where the error is.
  const bad = state.isOpened && !isGood ? state.files.findIndex((one) => one.name === answer.errors[0]?.file) : -1;
  state.isOpened = false;
  showFile(bad < 0 ? state.shown : bad, { isSame: true });
  editor.mark([...answer.errors, ...answer.warnings]);
  if (isGood && state.chosen && whyOf(state.chosen) === undefined && state.chosen > lines().length) state.chosen = null;
  explain(state.chosen);
}

// What the page has done, as text or parts of it, and a button for it: { label, onclick }.
function tell(told, act = null) {
  isMending = false;
  at("told").replaceChildren(...[told].flat());
  at("undo").hidden = !act;
  at("undo").textContent = act?.label ?? "";
  at("undo").onclick = act?.onclick ?? null;
}

// What is told with it stays, because its button belongs to that. Without a button the text takes its place.
function addNote(text) {
  if (at("undo").hidden) at("told").replaceChildren();
  at("told").querySelector(".note")?.remove();
  at("told").append(element("span", `${at("undo").hidden ? "" : " "}${text}`, { class: "note" }));
}

// A fix was made, and it is not yet known what has come of it.
let isMending = false;

let timer = 0;
function changed() {
  tell("");
  clearTimeout(timer);
  typed = performance.now();
  state.asked += 1;
  timer = setTimeout(() => { keep(); evaluateAll(); }, pause);
}

// ---- the output

const lines = () => (state.good?.output ? state.good.output.replace(/\n$/, "").split("\n") : []);
const whyOf = (line) => state.good?.histories.find((one) => one.line === line);

function showOutput() {
  const before = at("output").textContent ? new Set([...at("output").querySelectorAll(".c")].map((one) => one.textContent)) : null;
  const focused = document.activeElement?.closest("#output [data-line]")?.dataset.line;
  const values = new Map();
  for (const one of state.good.lines) if (!values.has(one.line)) values.set(one.line, one);
  at("output").replaceChildren(...lines().map((text, index) => outputLine(text, index + 1, values.get(index + 1), before)));
  at("output").querySelector("button")?.setAttribute("tabindex", "0");
  // An answer that replaces an equal one, as that of Python replaces the built-in one, leaves the keyboard where it is.
  const again = focused && rowOf(focused)?.querySelector("button");
  if (again) focusValue(again);
  showGone();
  const { sources } = state.good;
  showLayered();
  at("legend").hidden = !lines().length;
  at("legend").replaceChildren(
    sources.length ? element("span", "In the order they apply: ", { class: "sr" }) : "",
    ...sources.map((name, index) => element("span", [
      tile(index + 1), placeLink(short(name), name, 1, goTo, { title: name }),
      index + 1 < sources.length ? element("span", "→", { class: "quiet", "aria-hidden": "true" }) : null,
    ], { class: "item" })),
    element("label", [
      element("input", "", { type: "checkbox", ...(state.hasGone ? { checked: "" } : {}), onchange: ({ target }) => { state.hasGone = target.checked; showOutput(); keep(); } }),
      " removed lines",
    ], { class: "check" }),
  );
}

// An output of several files of values is that of no single one.
function showLayered() {
  const values = valuesFiles();
  at("layered").hidden = state.view !== "output" || values.length < 2;
  at("layered").replaceChildren(
    `${values.length} files of values, merged: the last one wins. `,
    button("Compare them side by side", () => chooseResult("environments"), { class: "link" }),
  );
}

const valuesFiles = () => state.files.filter((file) => file.role === "values");

// Lines that a step took out stand where they stood.
async function showGone() {
  if (!state.hasGone) return;
  const { good } = state;
  good.steps ??= await ask("steps");
  if (good !== state.good || !state.hasGone || at("output").querySelector(".gone")) return;
  for (const { before, texts, by, source } of good.steps?.gone ?? []) {
    const rows = texts.map((text) => element("li", [
      element("span", "", { class: "n" }), element("span", "", { class: "bar" }),
      element("del", [element("span", "removed: ", { class: "sr" }), text], { class: "c" }),
      element("span", [source ? placeLink(`${source.file}:${source.line}`, source.file, source.line, goTo) : element("span", by, { class: "place" })], { class: "o" }),
    ], { class: "ln gone" }));
    const next = rowOf(before);
    if (next) next.before(...rows);
    else at("output").append(...rows);
  }
}

// ---- steps and environments

function showResult() {
  const { view } = state;
  for (const one of at("result-views").children) one.setAttribute("aria-pressed", String(one.dataset.result === view));
  at("main").dataset.result = view;
  at("output").hidden = view !== "output";
  at("legend").hidden = view !== "output" || !lines().length;
  at("steps").hidden = view !== "steps";
  showLayered();
  at("environments").hidden = view !== "environments";
  if (view === "environments") showEnvironments();
  if (view === "steps") showStep();
}

function chooseResult(view) {
  Object.assign(state, { view, step: null, isStepChosen: view === "steps", cell: null, chosen: view === "output" ? state.chosen : null });
  showResult();
  explain(state.chosen);
  showView("output");
  keep();
}

async function showStep() {
  const { good } = state;
  if (!good) return;
  good.steps ??= await inProgress(ask("steps"));
  if (good !== state.good || state.view !== "steps") return;
  at("slider").hidden = !steps().length;
  if (!steps().length) {
    at("step").replaceChildren(element("li", good.steps?.report ?? "There are no steps.", { class: "none" }));
    return;
  }
  showSteps(at("slider"), at("step"), steps(), step(), handlers);
  showDeciding();
  if (!state.answer?.report) at("explanation").replaceChildren(stepTold(steps(), step(), handlers));
  if (state.isStepChosen) showStepFile();
}

const steps = () => state.good?.steps?.steps ?? [];
const step = () => stepShown(steps(), state.step);
const handlers = { onStep: goToStep, onPlace: goTo };

function goToStep(index) {
  Object.assign(state, { step: index === steps().length - 1 ? null : index, isStepChosen: true });
  keep();
  showStep();
}

// The file that made the step is beside it, until another file is chosen.
function showStepFile() {
  state.isStepChosen = false;
  const file = steps()[step()]?.source?.file;
  const shown = state.files.findIndex((one) => one.name === file);
  if (shown >= 0 && shown !== state.shown) showFile(shown);
}

async function showEnvironments() {
  const { answer } = state;
  if (!answer) return;
  answer.environments ??= await inProgress(ask("environments", { all: state.hasEqual }));
  if (answer !== state.answer || state.view !== "environments" || !answer.environments) return;
  const found = answer.environments;
  at("environments").replaceChildren(...(found.rows ? environmentsTable(found, goTo, explainCell, state.hasEqual, showEqual) : noEnvironments(found)));
  markCell();
  // The cell of a link.
  const { wantedCell } = state;
  const environment = wantedCell && found.environments?.find((one) => one.file === wantedCell[0]);
  const row = environment && found.rows?.find((one) => one.name === wantedCell[1]);
  if (row) explainCell(environment, row);
  else state.wantedCell = null;
}

// The cell that is explained.
function markCell() {
  for (const one of at("environments").querySelectorAll("td")) {
    const isChosen = one.dataset.file === state.cell?.environment && one.parentElement.dataset.name === state.cell?.name;
    one.classList.toggle("hl", isChosen);
    one.querySelector("button")?.setAttribute("aria-pressed", String(isChosen));
  }
}

// Values that are the same everywhere are shown, or not.
function showEqual(hasEqual) {
  state.hasEqual = hasEqual;
  keep();
  state.answer.environments = undefined;
  showEnvironments().then(() => at("environments").querySelector(".foot input")?.focus());
}

// What the view is for, and a way to fill it.
function noEnvironments(found) {
  const values = valuesFiles();
  const example = examples.find((one) => one.view === "environments");
  const isPossible = ["render", "patch"].includes(state.kind);
  const [first] = values;
  const told = values.length > 1 ? found.errors?.[0]?.message ?? found.report
    : `This view compares what each of several files of ${state.kind === "patch" ? "variables" : "data values"} gives. `
      + (isPossible ? `Here ${values.length ? "is one" : "is none"}.` : `The command ${state.kind} has none.`);
  return [element("div", [
    element("p", told),
    element("p", [
      isPossible && first && values.length < 2 ? button(`Add a copy of ${short(first.name)} and compare`, () => addEnvironment(first), { class: "primary" }) : null,
      element("a", `Open an example: ${example.title}`, { href: `./#${example.name}` }),
    ], { class: "acts" }),
  ], { class: "none" })];
}

function addEnvironment(first) {
  const [, stem, end] = /^(.*?)(\.[^./]*)?$/.exec(first.name);
  const names = new Set(state.files.map((file) => file.name));
  let number = 2;
  while (names.has(`${stem}-${number}${end ?? ""}`)) number += 1;
  const name = `${stem}-${number}${end ?? ""}`;
  state.files.push({ name, text: first.text, role: "values" });
  showFile(state.files.length - 1);
  changed();
  tell(`Added ${name}: change a value in it.`);
}

// Why a value is what it is in one environment: the history of an evaluation with its file of values alone.
async function explainCell(environment, row) {
  const { asked } = state;
  const files = state.files.filter((file) => file.role !== "values" || file.name === environment.file);
  const answer = await evaluate({ kind: state.kind, files }).catch(() => null);
  const why = answer?.histories.find((one) => one.name === row.name);
  // An answer that came meanwhile shows the environments again, and explains the cell of a link then.
  if (asked !== state.asked || state.view !== "environments") return;
  state.wantedCell = null;
  if (!why) return;
  state.cell = {
    environment: environment.file, name: row.name, files, answer, why: { ...why, name: `${environment.name} · ${why.name}` },
  };
  state.isTrail = true;
  explain(null);
  showView("why");
  keep();
}

function outputLine(text, number, value, before) {
  const [, lead, rest] = /^(\s*(?:- )*(?:[^\s:'"][^:'"]*:(?=\s))?\s*)(.*)$/s.exec(text) ?? [null, "", text];
  const all = coloured(text);
  const content = value && rest && coloured(lead).length ? [...coloured(lead), element("span", coloured(rest), { class: "v" })] : all;
  const isNew = before && !before.has(text);
  if (!value) {
    return element("li", [element("span", `${number}`, { class: "n" }), element("span", "", { class: "bar" }), element("span", content, { class: "c" })],
      { class: `ln${isNew ? " new" : ""}`, "data-line": number });
  }
  const source = value.source ? state.good.sources.indexOf(value.source.file) + 1 : 0;
  const place = value.source ? `${value.source.file}:${value.source.line}` : value.flag;
  const chosen = button("", () => choose(number), { class: "c", tabindex: "-1", "aria-pressed": "false", title: `${value.action}, ${place}` });
  chosen.append(...content);
  // What does not fit goes on below, further in.
  chosen.style.setProperty("--in", `${text.search(/\S|$/) + 2}ch`);
  return element("li", [
    element("span", `${number}`, { class: "n" }), element("span", "", { class: "bar" }), chosen,
    element("span", [
      value.source ? placeLink(place, value.source.file, value.source.line, goTo, { tabindex: "-1" }) : element("span", place, { class: "place" }),
      source ? tile(source) : null,
    ], { class: "o" }),
  ], { class: `ln value ${source ? styleOf(source) : ""}${isNew ? " new" : ""}`, "data-line": number });
}

// One of the values is in the order of the Tab key; arrows go to the others.
function moveInOutput(event) {
  const all = [...at("output").querySelectorAll("button")];
  const here = all.indexOf(document.activeElement);
  if (here >= 0 && event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    choose(Number(all[here].closest("li").dataset.line)).then(() => typeOver(event.key));
    return;
  }
  const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: all.length - 1 }[event.key];
  if (here < 0 || to === undefined || !all[to]) return;
  event.preventDefault();
  focusValue(all[to]);
}

// What is typed over a value of the output is its new value.
function typeOver(text) {
  const input = at("new-value");
  if (!input) return;
  input.value = document.activeElement === input ? input.value + text : text;
  input.focus();
  input.dispatchEvent(new Event("input"));
}

function focusValue(value) {
  for (const other of at("output").querySelectorAll("button")) other.setAttribute("tabindex", other === value ? "0" : "-1");
  value.focus();
}

const rowOf = (line) => at("output").querySelector(`[data-line="${line}"]`);

// ---- why

let changedPlace = ""; // where the chosen value was changed, if it was
async function choose(line) {
  changedPlace = "";
  state.isTrail = true;
  state.chosen = line;
  showView("why");
  if (whyOf(line) === undefined && state.good) {
    const { good } = state;
    try {
      good.histories.push(...(await evaluate({ kind: state.kind, files: state.files, explain: line })).histories);
    } catch (error) {
      tell(error.message);
    }
    if (good !== state.good || state.chosen !== line) return;
  }
  explain(line);
  keep();
}

function explain(line) {
  const why = line ? whyOf(line) : undefined;
  for (const row of at("output").children) {
    const isChosen = Boolean(why) && row.dataset.line === `${line}`;
    row.classList.toggle("hl", isChosen);
    row.querySelector("button")?.setAttribute("aria-pressed", String(isChosen));
    row.querySelector(".src")?.classList.toggle("on", isChosen);
  }
  const isError = Boolean(state.answer?.report);
  at("explanation").hidden = isError;
  const typed = typedFor(why);
  const cell = state.view === "environments" ? state.cell : null;
  markCell();
  at("explanation").replaceChildren(...(why ? explanation(why) : cell ? explanation(cell.why, cell.answer.sources) : hint()));
  typed?.();
  showCommand();
  const shown = whyShown();
  at("trail").replaceChildren(...(shown ? trailOf(shown, state.files, cell?.answer.sources ?? state.good.sources, goTo) : []));
  showSource(shown && !isError);
  // The card that was changed, or that of the line that decided, is in sight.
  const cards = [...at("trail").children];
  (cards.find((card) => card.dataset.places.split("\n").includes(changedPlace)) ?? at("trail").querySelector(".current"))?.scrollIntoView({ block: "nearest" });
  showDeciding();
}

// The history that is explained.
function whyShown() {
  const cell = state.view === "environments" ? state.cell : null;
  return (state.chosen ? whyOf(state.chosen) : null) ?? cell?.why ?? null;
}

function showSource(canTrail) {
  const isTrail = Boolean(canTrail && state.isTrail);
  at("source-views").hidden = !canTrail;
  at("view-trail").setAttribute("aria-pressed", String(isTrail));
  at("view-file").setAttribute("aria-pressed", String(!isTrail));
  at("trail").hidden = !isTrail;
  at("editor").hidden = isTrail;
  at("matches").classList.toggle("away", isTrail);
  at("tabs").hidden = isTrail;
  fitTabs();
  strand();
}

const strand = inFrame(() => drawStrand(at("main"), at("trail"), at("output"), state.chosen ? rowOf(state.chosen) : null));

function explanation(why, sources = null) {
  const acts = element("span", [
    button("Copy as Markdown", copyMarkdown, { class: "ghost" }),
    button("Copy command", copyCommand, { class: "ghost" }),
    button("Close", close, { class: "ghost", title: "Esc" }),
  ], { class: "acts" });
  return [
    element("div", [element("h2", why.name), chainOf(why), acts], { class: "why-head" }),
    element("div", [historyOf(why, sources ?? state.good.sources, goTo), sources ? null : changeForm(why)], { class: "why-body" }),
  ];
}

// The files and the answer that are explained: those of one environment, or of all files.
const explained = () => (state.view === "environments" && state.cell) || state;
const commandShown = () => `plait ${state.kind} ${argumentsOf(state.kind, explained().files)}`;

// Of a failed evaluation, too.
async function copyMarkdown({ target }) {
  const { files, answer } = explained();
  const page = { version: at("version").textContent, address: await address() };
  copy(markdownOf(state.kind, files, answer, page), target);
}

const copyCommand = (event) => copy(commandShown(), event.target);

// ---- a value changed where it is written

// A new explanation of the same value: what was typed for it, the focus, and the wish to apply it are put back.
function typedFor(why) {
  const input = at("new-value");
  if (!input || input.value === input.defaultValue || input.dataset.name !== why?.name || input.defaultValue !== why.value) return null;
  const { value, dataset: { wished } } = input;
  const hasFocus = document.activeElement === input;
  return () => {
    const drawn = at("new-value");
    drawn.value = value;
    if (hasFocus) drawn.focus();
    if (wished) drawn.dataset.wished = wished;
  };
}

function changeForm(why) {
  const value = state.good.lines.find((one) => one.line === why.line);
  const input = element("input", "", { id: "new-value", autocomplete: "off", spellcheck: "false", value: why.value, "data-name": why.name });
  const list = element("div", [], { class: "ways", role: "radiogroup", "aria-label": "Where to change it" });
  // The places take no room that was not theirs before: nothing moves under the pointer.
  list.style.setProperty("--rows", `${new Set(why.entries.map((one) => one.place)).size + 1}`);
  const submit = button("Change source", () => {}, { class: "primary", disabled: "" });
  submit.type = "submit";
  let found = null;
  let waiting = 0;
  let meant = ""; // the place that somebody chose
  const chosen = () => found?.ways[[...list.querySelectorAll("input")].findIndex((one) => one.checked)];
  // The button works while the places are sought, because a click on a disabled one is lost: the change is then wished for.
  const search = () => {
    found = null;
    submit.disabled = !input.value.trim() || input.value === why.value;
  };
  const find = async () => {
    if (!input.isConnected) return; // of a value that is no longer explained
    const text = input.value;
    search();
    if (submit.disabled) { list.replaceChildren(element("p", "Type another value: plait finds the line to change, and checks it.", { class: "quiet" })); return; }
    list.replaceChildren(element("p", "plait tries the lines that decide it …", { class: "quiet" }));
    const answer = await ask("change", { change: { document: value.document, path: value.path, text } });
    if (!answer || text !== input.value) return;
    if (!answer.ways) { submit.disabled = true; list.replaceChildren(element("p", answer.errors?.[0]?.message ?? answer.report, { class: "failed" })); return; }
    found = answer;
    const working = answer.ways.filter((one) => one.works);
    const best = working.find((one) => one.place === meant) ?? working[0];
    list.replaceChildren(...notOneLine(answer.ways, text), ...answer.ways.map((way) => {
      const radio = element("input", "", { type: "radio", name: "way", ...(way.works ? {} : { disabled: "" }), ...(way === best ? { checked: "" } : {}) });
      // Whoever looks at a place means it.
      const see = (...place) => { if (way.works) radio.click(); goTo(...place); };
      return element("label", [
        radio,
        // Where one part of the page is in sight, the link would lead away from the choice: the history has it, too.
        isNew(way) || (way.works && narrow.matches) ? element("code", isNew(way) ? way.place : placeOf(way, answer.ways)) : placeLink(placeOf(way, answer.ways), way.file, way.line, see, { title: way.place }),
        element("span", way.told, { class: "quiet" }),
      ], { class: way.works ? "" : "no" });
    }));
    submit.disabled = !best;
    if (input.dataset.wished) { delete input.dataset.wished; apply(); }
  };
  const apply = () => {
    const way = chosen();
    if (way?.works) {
      changedPlace = way.place;
      put(way.files, toldOf(way), "Undo the change");
    }
    else input.dataset.wished = "yes"; // as soon as the places are known
  };
  list.addEventListener("change", () => { meant = chosen().place; });
  input.addEventListener("input", () => { delete input.dataset.wished; clearTimeout(waiting); search(); waiting = setTimeout(find, MOST); });
  const form = element("form", [
    element("p", [element("label", "Change to", { for: "new-value" }), input, submit], { class: "row" }), list,
  ], { class: "change", onsubmit: (event) => { event.preventDefault(); apply(); } });
  queueMicrotask(find);
  return form;
}

// What a change has made of its line.
function toldOf({ file, line, place, files }) {
  const text = files.find((one) => one.name === file)?.text.split("\n")[line - 1]?.trim();
  return ["Changed ", placeLink(place, file, line, goTo), text ? ` to ${text}` : "."];
}

const isNew = (way) => state.files.every((one) => one.name !== way.file);

// Without its directories, where no other place has the same name then.
function placeOf(way, all) {
  const name = short(way.file);
  return all.some((one) => one.file !== way.file && short(one.file) === name) ? way.place : `${name}:${way.line}`;
}

// Where no line of the files gives the value, the places beside say why.
function notOneLine(ways, text) {
  if (ways.some((way) => way.works && !isNew(way))) return [];
  const other = ways.some((way) => way.works) ? " A new file does." : "";
  return [element("p", `No line of the files gives ${text}.${other}`, { class: "told-first" })];
}

// Put the files of a change or a fix in the place of those that are there.
function put(files, told, undo) {
  const before = { files: copyOf(state.files), shown: state.shown };
  replaceFiles(files);
  tell(told, { label: undo, onclick() {
    state.files = state.files.filter((file) => before.files.some((one) => one.name === file.name));
    replaceFiles(before.files);
    tell("Undone.");
  } });
}

function replaceFiles(files) {
  for (const { name, text, role } of files) {
    const known = state.files.find((one) => one.name === name);
    if (known) known.text = text;
    else state.files.push({ name, text, role: role ?? "input" });
  }
  showFile(state.shown, { isSame: true });
  keep();
  evaluateAll();
}

function hint() {
  const { good } = state;
  if (state.view === "steps" && steps().length) return [stepTold(steps(), step(), handlers)];
  if (state.view === "environments") {
    return [element("p", [element("b", "Why?"), " Each value names the line that decided it in that environment; choose one to see all of its lines. Output merges all files of values."], { class: "hint" })];
  }
  const most = [...(good?.histories ?? [])].sort((a, b) => b.entries.length - a.entries.length)[0];
  const name = most?.name.replace(/^.*[.:]/, "");
  return [element("p", [
    element("b", "Why?"), " Choose a value in the output to see every line that decided it, or to change it. ",
    most ? element("a", `Why is ${name} ${most.value}?`, { href: "#", onclick: (event) => { event.preventDefault(); choose(most.line); } }) : null,
    element("span", [element("kbd", "↑"), element("kbd", "↓"), " move ", element("kbd", "Enter"), " explain"], { class: "keys" }),
  ], { class: "hint" })];
}

function close() {
  const row = rowOf(state.chosen);
  Object.assign(state, { chosen: null, cell: null, isTrail: false });
  explain(null);
  showView("output");
  const value = row?.querySelector("button");
  if (value) focusValue(value);
  keep();
}

function goTo(name, line) {
  const index = state.files.findIndex((one) => one.name === name);
  if (index < 0) return;
  state.isTrail = false;
  showSource((state.chosen !== null || state.cell) && !state.answer?.report);
  showView("source");
  showFile(index);
  editor.goTo(line);
}

// ---- errors

function showErrors() {
  const { answer } = state;
  const warnings = answer.warnings.map(problem);
  const told = answer.printed.map((text) => element("pre", text, { class: "told" }));
  if (!answer.report) {
    at("errors").replaceChildren(...warnings, ...told);
    return;
  }
  const problems = answer.errors.length ? answer.errors.map(problem) : [element("pre", answer.report, { class: "report" })];
  at("errors").replaceChildren(element("div", [
    element("div", [...problems, ...offered(), ...warnings, ...told, element("p", [button("Copy as Markdown", copyMarkdown, { class: "ghost" })], { class: "offer" })]),
    element("div", "", { id: "fixes" }),
  ], { class: "problems" }));
}

// What the language server offers, once it has tried it.
async function showFixes() {
  const { answer } = state;
  answer.fixes ??= (await ask("fixes"))?.fixes;
  const found = answer;
  if (!found.fixes?.length || answer !== state.answer) return;
  at("fixes").replaceChildren(element("h3", "Fix"), ...found.fixes.map((fix, index) => {
    const place = `${fix.file}:${fix.line}`;
    // What only allows the fault is never the first thing to do.
    return button("", () => {
      put(fix.files, `${fix.title}: ${place}.`, "Undo the fix");
      isMending = true;
      showFile(state.files.findIndex((one) => one.name === fix.file));
    }, {
      class: index || fix.accepts ? "" : "primary", title: `${fix.title} in ${place}`,
    });
  }));
  found.fixes.forEach((fix, index) => at("fixes").querySelectorAll("button")[index].append(fix.title, element("small", ` ${fix.file}:${fix.line}`)));
}

function problem(one, index, { length }) {
  const rows = [];
  const row = (name, ...content) => rows.push(element("dt", name), element("dd", content));
  if (one.file) row("at", placeLink(one.line ? `${one.file}:${one.line}` : one.file, one.file, one.line ?? 1, goTo), " ", element("code", coloured(one.text?.trim() ?? "")));
  if (one.expected) row("expected", one.expected);
  if (one.found) row("found", one.found);
  const also = one.also.filter(({ file, line }) => file !== one.file || line !== one.line);
  if (also.length) row("see", ...also.flatMap(({ file, line }) => [placeLink(`${file}:${line}`, file, line, goTo), " "]));
  if (one.hint) row("hint", one.hint);
  const kind = one.severity === "warning" ? "warning" : "problem";
  const count = index ? null : element("span", length === 1 ? `1 ${kind}` : `${length} ${kind}s`, { class: `badge ${one.severity}` });
  const code = one.code ? element("small", one.code) : null;
  // What has happened in a plain sentence, and then in the words of the program.
  const headline = one.title ? one.title[0].toUpperCase() + one.title.slice(1) : one.message;
  return element("div", [
    element("h2", [count, element("span", headline), code]),
    one.message === headline || one.message === one.title ? null : element("p", one.message, { class: "said" }),
    element("dl", rows),
  ], { class: "problem" });
}

// Files of one dialect seldom are files of another one.
function offered() {
  const other = examples.find((one) => one.kind === state.kind);
  if (own && !example && !wanted) {
    return [element("p", ["Not all of these files belong together? A command line chooses them and their order. ",
      button("Paste the command line", () => { openOwn(true); at("typed").focus(); })], { class: "offer" })];
  }
  if (!state.offer || !other) return [];
  return [element("p", [button(`Open an example of ${state.kind}: ${other.title}`, () => { location.hash = other.name; }, { class: "primary" })], { class: "offer" })];
}

// ---- files

// What the overlays in the shown file are for; a button shows it in the output.
function showMatches() {
  const name = state.files[state.shown].name;
  const here = (state.answer?.matches ?? []).filter((one) => one.file === name);
  at("matches").replaceChildren(...here.map((one) => {
    const count = `${one.lines.length} document${one.lines.length === 1 ? "" : "s"}`;
    const shown = button(`Line ${one.line} matches ${count}, changes ${one.changed}`, () => showMatched(one, shown), { "aria-pressed": "false" });
    return shown;
  }));
  showMatched(null, null);
}

function showMatched(match, shown) {
  const isShown = shown?.getAttribute("aria-pressed") === "false";
  for (const other of at("matches").children) other.setAttribute("aria-pressed", String(other === shown && isShown));
  const spans = isShown ? match.lines : [];
  const rows = [...at("output").children];
  for (const row of rows) row.classList.toggle("matched", spans.some(([first, last]) => first <= row.dataset.line && row.dataset.line <= last));
  rows.find((row) => row.classList.contains("matched"))?.scrollIntoView({ block: "nearest" });
}

function showTabs() {
  const bad = new Set((state.answer?.errors ?? []).map((one) => one.file));
  const tab = (file, index) => {
    const made = button("", () => { at("files").open = false; showFile(index); }, { "aria-pressed": String(index === state.shown), "aria-label": file.name + (bad.has(file.name) ? ", has an error" : ""), title: file.name });
    made.append(element("span", file.name));
    if (bad.has(file.name)) made.append(element("span", "", { class: "dot" }));
    return made;
  };
  at("tabs").replaceChildren(...state.files.map(tab));
  at("all-files").replaceChildren(...state.files.map((file, index) => element("li", [
    button(file.name, () => { at("files").open = false; showFile(index); }, { class: "ghost", "aria-label": `${file.name}: show`, "aria-current": index === state.shown ? "true" : null }),
    element("span", file.role === "values" ? "values" : "", { class: "quiet" }),
  ])));
  at("count").textContent = state.files.length === 1 ? "1 file" : `${state.files.length} files`;
  showCommand();
  fitTabs();
}

// Several environments have no command in common.
function showCommand() {
  const command = commandShown();
  at("command-row").hidden = state.view === "environments" && !state.cell;
  at("arguments").title = command;
  // A flag stands with its value.
  at("arguments").replaceChildren(...command.split(/ (?=-)/).flatMap((part, index) => [index ? " " : "", element("span", part)]));
}

// What does not fit is in the list of all files alone; the file that is shown always fits.
const fitTabs = inFrame(() => {
  const tabs = at("tabs");
  const isBeyond = (tab) => tab.offsetTop > tabs.offsetTop + 4;
  const names = state.files.map((file) => file.name);
  const areShort = new Set(names.map(short)).size === names.length;
  const name = (form) => { for (const tab of tabs.children) tab.firstChild.textContent = form(tab.title); };
  name((one) => one);
  if (areShort && [...tabs.children].some(isBeyond)) name(short);
  const shown = tabs.querySelector("[aria-pressed=true]");
  if (shown && isBeyond(shown)) tabs.prepend(shown);
  for (const tab of tabs.children) tab.classList.toggle("beyond", isBeyond(tab));
});

function showFile(index, { isSame = false } = {}) {
  state.shown = Math.max(0, Math.min(index, state.files.length - 1));
  const file = state.files[state.shown];
  if (document.activeElement !== at("name")) at("name").value = file.name;
  at("values").checked = file.role === "values";
  at("remove").disabled = state.files.length === 1;
  showTabs();
  showMatches();
  showText();
  if (!isSame) {
    state.isStepChosen = false;
    if (state.isTrail && state.chosen) { state.isTrail = false; showSource(true); }
    keep();
  }
}

function showText() {
  editor.show(state.kind, state.files, state.files[state.shown]);
  showDeciding();
}

// In the text of the file that is shown, the lines that decided what is looked at: a value, or a step.
function showDeciding() {
  const { name } = state.files[state.shown];
  const ofStep = state.view === "steps" ? steps()[step()]?.rows.map(({ source }) => source) : null;
  const places = ofStep ?? whyShown()?.entries ?? [];
  editor.bringOut(places.filter((one) => one?.file === name).map((one) => one.line));
}

function freeName() {
  const names = new Set(state.files.map((file) => file.name));
  let number = 1;
  while (names.has(`file-${number}.yml`)) number += 1;
  return `file-${number}.yml`;
}

// ---- opening, keeping, sharing

function open(opened) {
  // What was typed a moment ago belongs to what was open before: it must not come into the address of this.
  clearTimeout(timer);
  keeping += 1;
  tell("");
  example = opened.example;
  if (example) own = wanted = null;
  const { kind, files, open: shown = 0, line = null, view = "output", cell: wantedCell = null, step = null, hasGone = false, hasEqual = false } = opened;
  Object.assign(state, {
    kind, files, shown, isOpened: shown === 0, chosen: line, isTrail: line !== null, answer: null, good: null, offer: false, view, step, isStepChosen: false, cell: null,
    wantedCell, hasGone, hasEqual,
  });
  at("kind").value = kind;
  editor.mark(null);
  at("output").replaceChildren();
  at("errors").replaceChildren();
  at("matches").replaceChildren();
  at("explanation").replaceChildren();
  at("legend").hidden = at("stale").hidden = true;
  at("output").classList.remove("stale");
  at("environments").replaceChildren();
  showResult();
  for (const link of at("examples").querySelectorAll("a")) {
    if (link.hash === `#${example?.name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  showSource(false);
  showFile(shown, { isSame: true });
  showView(line ? "why" : "output");
  // First, because what is asked about the shown answer would otherwise be out of date at once.
  evaluateAll();
  // The environments that are built in have no equal values.
  if (isUnedited()) showAnswer(structuredClone(example.answer), { ...example.asked, ...(hasEqual ? { environments: undefined } : {}) });
  else {
    at("output").append(element("li", loading, { class: "none" }));
    at("explanation").append(element("div", loading, { class: "none" }));
  }
  seeExample();
}

// An example as it is, with an answer that was built in.
const isUnedited = () => Boolean(example?.answer) && JSON.stringify(state.files) === JSON.stringify(example.files);

async function openHash(hash) {
  const number = ++opening;
  keeping += 1;
  try {
    const opened = await stateOf(hash, examples);
    const left = state.files.length && opened.example && opened.example !== example && isEdited() ? { example, hash: await hashOf(state, example) } : null;
    if (number === opening) {
      open(opened);
      // An edit may have come into the address while this was read.
      if (location.hash && location.hash !== `#${hash}`) history.replaceState(null, "", `#${hash}`);
      offerEdits(hash, left);
      if (hash === restoring) tellRestored();
      restoring = "";
    }
  } catch {
    if (number !== opening) return;
    if (!state.files.length) open({ example: examples[0], kind: examples[0].kind, files: copyOf(examples[0].files) });
    tell("The link cannot be read. This is an example.");
  }
}
let opening = 0;
let restoring = ""; // what is opened because of an earlier visit

function restore(hash) {
  restoring = hash;
  location.hash = hash;
}
const copyOf = (files) => files.map((file) => ({ ...file }));

// Everything is in the address and, for the next visit, in this browser.
let keeping = 0;
async function keep() {
  const number = ++keeping;
  const hash = await hashOf(state, example);
  if (number !== keeping) return;
  history.replaceState(null, "", `#${hash}`);
  at("whole").href = `./#${hash}`;
  if (isEmbedded) return;
  keepAs(KEPT, hash);
  if (isEdited()) keepAs(editsOf(example), hash);
}

function keepAs(name, hash) {
  try {
    localStorage.setItem(name, hash);
  } catch {
    // A browser that keeps nothing is told so by nobody: the address still has it all.
  }
}

// Edits outlive the choice of another example: those of each, and files of one's own.
const editsOf = (one) => `${KEPT}/${one?.name ?? ""}`;
const isEdited = () => !example || JSON.stringify(state.files) !== JSON.stringify(example.files) || state.kind !== example.kind;

function offerEdits(hash, left) {
  if (left) keepAs(editsOf(left.example), left.hash);
  const [edits, files] = isEmbedded ? ["", ""] : [keptAs(editsOf(example)), keptAs(editsOf(null))];
  if (example && edits && edits !== hash && !isEdited()) {
    tell("You have edited this example before.", { label: "Restore my edits", onclick: () => restore(edits) });
  } else if (left) {
    tell(`Your edits of ${left.example ? `“${left.example.title}”` : "your files"} are kept.`, { label: "Back to my edits", onclick: () => restore(left.hash) });
  }
  at("own-again").hidden = !example || !files;
  at("own-again").replaceChildren(element("a", "Back to your files", { href: `./#${files}` }));
}

// Which files are not those of the example, with links to where they differ, and a way back.
function tellRestored() {
  if (!isEdited()) return;
  const given = new Map((example?.files ?? []).map((one) => [one.name, one.text.split("\n")]));
  const edited = state.files.filter((one) => given.get(one.name)?.join("\n") !== one.text);
  const links = edited.slice(0, MOST_NAMED).map(({ name, text }) => {
    const line = text.split("\n").findIndex((one, index) => one !== given.get(name)?.[index]);
    return placeLink(short(name), name, Math.max(0, line) + 1, goTo, { title: name });
  });
  const more = edited.length > links.length ? ` and ${edited.length - links.length} more` : "";
  tell([
    example ? "Restored your edits" : "Restored your files", ...links.flatMap((link, index) => [index ? ", " : example ? " of " : ": ", link]), `${more}.`,
  ], { label: example ? "Without my edits" : "Open an example", onclick() { location.hash = (example ?? examples[0]).name; } });
}

function keptAs(name) {
  try {
    return localStorage.getItem(name) ?? "";
  } catch {
    return "";
  }
}

const kept = () => (isEmbedded ? "" : keptAs(KEPT));

async function copy(text, told) {
  const label = told.textContent;
  try {
    await navigator.clipboard.writeText(text);
    told.textContent = "Copied";
  } catch {
    told.textContent = "Not copied";
    tell("This browser does not let the page copy.");
  }
  setTimeout(() => { told.textContent = label; }, 2000);
}

// Of the whole page as it is now. A change meanwhile ends the writing of the address, and begins another.
async function address() {
  for (let number = -1; number !== keeping;) {
    number = keeping + 1;
    await keep();
  }
  return at("whole").href;
}

async function share() {
  const link = await address();
  try {
    await navigator.clipboard.writeText(link);
    addNote(`The link is copied.${reach}`);
  } catch {
    addNote("The link is in the address bar.");
  }
}

function download(name, blob) {
  const link = element("a", "", { download: name });
  link.href = URL.createObjectURL(blob);
  link.click();
  URL.revokeObjectURL(link.href);
}

// In a narrow window, the part for files of one's own is opened by a button.
function openOwn(isOpen) {
  at("open-own").setAttribute("aria-expanded", String(isOpen));
  at("own-files").classList.toggle("open", isOpen);
}

const seeExample = () => at("examples").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "start" });

// In a window without room for the list, a button opens it over the rest.
function openExamples(isOpen) {
  at("all-examples").setAttribute("aria-expanded", String(isOpen));
  document.querySelector(".rail").classList.toggle("open", isOpen);
  seeExample();
}

// In a narrow window one of three is in sight.
function showView(view) {
  at("main").dataset.view = view;
  for (const one of at("views").children) one.setAttribute("aria-pressed", String(one.dataset.view === view));
  strand();
}

function listen() {
  at("name").addEventListener("input", () => { if (!isName(at("name").value)) return; state.files[state.shown].name = at("name").value; showTabs(); showText(); changed(); });
  at("values").addEventListener("change", () => { state.files[state.shown].role = at("values").checked ? "values" : "input"; showTabs(); showText(); changed(); });
  at("kind").addEventListener("change", () => { state.kind = at("kind").value; state.offer = true; showTabs(); showText(); changed(); });
  at("add").addEventListener("click", () => { state.files.push({ name: freeName(), text: "", role: "input" }); showFile(state.files.length - 1); changed(); });
  at("remove").addEventListener("click", () => { state.files.splice(state.shown, 1); showFile(state.shown); changed(); });
  at("dismiss").addEventListener("click", () => tell(""));
  at("share").addEventListener("click", share);
  at("copy-command").addEventListener("click", copyCommand);
  at("copy-output").addEventListener("click", ({ target }) => copy(state.good?.output ?? "", target));
  at("open-own").addEventListener("click", () => openOwn(!isExpanded("open-own")));
  at("all-examples").addEventListener("click", () => openExamples(!isExpanded("all-examples")));
  at("examples").addEventListener("click", ({ target }) => { if (target.closest("a") && isExpanded("all-examples")) { openExamples(false); at("all-examples").focus(); } });
  at("download").addEventListener("click", () => download("output.yml", new Blob([state.good?.output ?? ""], { type: "application/yaml" })));
  at("download-files").addEventListener("click", async () => download("plait-files.tar.gz", await archiveOf(state.files)));
  at("view-trail").addEventListener("click", () => { state.isTrail = true; showSource(true); });
  at("view-file").addEventListener("click", () => {
    const deciding = whyShown()?.entries.find((one) => one.decides && one.file);
    if (deciding) goTo(deciding.file, deciding.line);
    else { state.isTrail = false; showSource(true); }
  });
  at("output").addEventListener("keydown", moveInOutput);
  for (const one of at("result-views").children) one.addEventListener("click", () => chooseResult(one.dataset.result));
  at("slider").addEventListener("keydown", (event) => {
    const to = stepOf(event.key, step(), steps().length);
    if (to === null) return;
    event.preventDefault();
    goToStep(to);
  });
  listenForFiles();
  for (const one of at("views").children) one.addEventListener("click", () => showView(one.dataset.view));
  for (const one of ["trail", "output"]) at(one).addEventListener("scroll", strand);
  addEventListener("resize", () => { fitTabs(); strand(); });
  // The address itself may be that of an edit again, by the time this is heard.
  addEventListener("hashchange", ({ newURL }) => openHash(new URL(newURL).hash.slice(1)));
  document.addEventListener("keydown", (event) => {
    // The address is what saves a page like this one.
    if (event.key === "s" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
      event.preventDefault();
      share();
    }
    if (event.key !== "Escape" || event.defaultPrevented) return;
    if (at("files").open) {
      at("files").open = false;
      at("files").querySelector("summary").focus();
    } else if (isExpanded("all-examples")) {
      openExamples(false);
      at("all-examples").focus();
    } else if (isExpanded("open-own")) {
      openOwn(false);
      at("open-own").focus();
    } else if ((state.chosen || state.cell) && !at("editor").contains(document.activeElement)) close();
  });
  document.addEventListener("click", ({ target }) => {
    if (!at("files").contains(target)) at("files").open = false;
    if (!target.closest(".rail") && isExpanded("all-examples")) openExamples(false);
    if (!at("own-files").contains(target) && target !== at("open-own") && target.isConnected && !target.closest("#errors")) openOwn(false);
  });
  for (const [one, other] of [["explanation", "trail"], ["trail", "explanation"]]) {
    const follow = (event) => showTogether(event.target.closest("[data-place], [data-places]"), other);
    at(one).addEventListener("mouseover", follow);
    at(one).addEventListener("focusin", follow);
  }
}

const isExpanded = (id) => at(id).getAttribute("aria-expanded") === "true";

function listenForBorders() {
  const box = () => at("main").getBoundingClientRect();
  moveBorder(at("border"), at("main"), "--source", {
    keys: ["ArrowLeft", "ArrowRight"],
    placeOf: ({ clientX }) => ((clientX - box().left) / box().width) * 100,
    initial: () => (at("source").offsetWidth / box().width) * 100,
    onMove() { fitTabs(); strand(); },
  });
  moveBorder(at("why-border"), at("main"), "--why", {
    keys: ["ArrowDown", "ArrowUp"],
    placeOf: ({ clientY }) => Math.min((box().bottom - clientY) / box().height, (at("why").scrollHeight + 1) / box().height) * 100,
    initial: () => (at("why").offsetHeight / box().height) * 100,
    onMove: strand,
  });
}

// An entry of the history and its card are brought out together.
function showTogether(one, other) {
  const places = new Set((one?.dataset.places ?? one?.dataset.place ?? "").split("\n").filter(Boolean));
  for (const part of at(other).querySelectorAll("[data-place], [data-places]")) {
    const isSame = (part.dataset.places ?? part.dataset.place).split("\n").some((place) => places.has(place));
    part.classList.toggle("together", isSame);
  }
}

// ---- files of one's own

// What a command line names, of which there may be no files yet.
let wanted = null;

async function takeFrom(reading) {
  try {
    take(await reading);
  } catch (error) {
    at("wanted").textContent = error.message;
  }
}

function take({ files, left }) {
  if (!files.length) { at("wanted").textContent = "There is no text among these files."; return; }
  const kept = wanted ? named(wanted.paths, files) : null;
  const chosen = kept?.files.length ? { kind: wanted.kind, files: kept.files } : guessed(files);
  own = files;
  open({ example: null, kind: chosen.kind, files: chosen.files });
  at("own-again").hidden = true;
  const told = [`${chosen.files.length === 1 ? "1 file" : `${chosen.files.length} files`}, as plait ${chosen.kind}.`];
  if (left) told.push(`${left} left out: no text, too large, or an unseen character in the name.`);
  if (kept?.missing.length) told.push(`Not there: ${kept.missing.join(", ")}.`);
  at("wanted").textContent = told.join(" ");
  keep();
}
let own = null;

async function readCommand(event) {
  event.preventDefault();
  const answer = await evaluate({ kind: state.kind, files: [], ask: "command", command: at("typed").value }).catch((error) => ({ report: error.message }));
  if (!answer.paths) {
    at("wanted").textContent = answer.errors?.[0] ? `${answer.errors[0].message}. ${answer.errors[0].expected ? `Expected: ${answer.errors[0].expected}.` : ""}` : answer.report;
    return;
  }
  wanted = answer;
  const { missing } = named(answer.paths, own ?? []);
  if (own && !missing.length) take({ files: own, left: 0 });
  else at("wanted").textContent = `Drop or choose: ${(own ? missing : answer.paths.map(([path]) => path)).join(", ")}.`;
  if (answer.left.length) at("wanted").textContent += ` Not taken: ${answer.left.join(", ")}.`;
}

function listenForFiles() {
  for (const one of ["folder", "chosen"]) {
    at(one).addEventListener("change", async () => { await takeFrom(filesOfInput(at(one).files)); at(one).value = ""; });
  }
  at("command-line").addEventListener("submit", readCommand);
  const isFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  addEventListener("dragover", (event) => { if (isFiles(event)) { event.preventDefault(); document.body.classList.add("dropping"); } });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
  addEventListener("drop", async (event) => {
    document.body.classList.remove("dropping");
    if (!isFiles(event)) return;
    event.preventDefault();
    takeFrom(filesOfDrop(event.dataTransfer));
  });
}

function showExamples() {
  for (const group of new Set(examples.map((one) => one.group))) {
    const items = examples.filter((one) => one.group === group).map((one) => element("li", [element("a", [
      element("span", one.title, { class: "t" }), element("span", one.about, { class: "d" }),
    ], { href: `./#${one.name}` })]));
    at("examples").append(element("h2", group), element("ul", items));
  }
  at("all-examples").textContent = `All ${examples.length}`;
  at("all-examples").append(element("span", " examples", { class: "sr" }));
}

async function start() {
  themeOf(at("theme"));
  const given = await (await fetch("examples.json")).json();
  examples = given.examples;
  at("version").textContent = `plait ${given.version}`;
  document.documentElement.classList.toggle("embedded", isEmbedded);
  showExamples();
  at("note").textContent = note;
  at("links").hidden = !links.length;
  for (const one of ["links", "more-links"]) at(one).append(...links.map(([text, href]) => element("a", text, { href })));
  listen();
  restoring = location.hash ? "" : kept();
  await openHash(location.hash.slice(1) || restoring || examples[0].name);
  listenForBorders();
  loadEditor(at("editor"), {
    label: "Text of the file",
    onChange(file, text) { file.text = text; changed(); },
    onOpen(file) { showFile(state.files.indexOf(file)); },
  });
}

start();
