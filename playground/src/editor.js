// The editor of the static build: CodeMirror with plait's language server. The page's own says what it is for.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from "@codemirror/language";
import { lintKeymap, setDiagnostics } from "@codemirror/lint";
import { formatDocument } from "@codemirror/lsp-client";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, drawSelection, dropCursor, gutterLineClass, highlightActiveLine, highlightActiveLineGutter,
  highlightSpecialChars, keymap, lineNumberMarkers, lineNumbers, showPanel } from "@codemirror/view";
import { colours, languageOf } from "./highlighting.js";
import { languageServer, uriOf } from "./language.js";
import { look } from "./look.js";

const SEVERITIES = [null, "error", "warning", "info", "hint"];
const KEYS = ["Tab leaves the editor", "Ctrl-Space completes", "F12 goes to the definition", "F2 renames", "Shift-F12 lists uses"];
// Between the last key and what the language server is told of it, in milliseconds.
const PAUSE = 300;
const dark = matchMedia("(prefers-color-scheme: dark)");
const { dataset } = document.documentElement;
const darkTheme = () => EditorView.darkTheme.of(dataset.theme ? dataset.theme === "dark" : dark.matches);

export function createEditor(parent, { label, onChange, onOpen }) {
  // Styles that a script makes are for a shadow: the page itself takes none but those of its files.
  const root = parent.attachShadow({ mode: "open" });
  const [language, service, scheme] = [new Compartment(), new Compartment(), new Compartment()];
  const states = new WeakMap(); // of files that are not shown, so that each keeps its history
  const problems = new WeakMap(); // of files, as the language server tells them
  let page = null;
  let shown = null;
  let faults = [];
  let deciding = [];
  let pause = 0;
  const server = languageServer({
    onProblems(file, found) { problems.set(file, found); if (file === shown) showProblems(); },
    onEdit(file, changes) {
      const state = stateOf(file).update({ changes }).state;
      states.set(file, state);
      onChange(file, state.doc.toString());
      server.update(page.kind, page.files);
    },
    onOpen(file) { onOpen(file); view.focus(); return view; },
  });
  const view = new EditorView({ parent: root, root });

  const forFile = (file) => ({ language: languageOf(file), service: server.client.plugin(uriOf(file.name), "yaml") });

  function stateOf(file) {
    const known = states.get(file);
    if (known) return known;
    const own = forFile(file);
    const extensions = [
      basics, look, colours, marks, EditorView.lineWrapping,
      scheme.of(darkTheme()), language.of(own.language), service.of(own.service),
      EditorView.contentAttributes.of({ tabindex: "0", "aria-label": label, "aria-description": KEYS.join(", "), spellcheck: "false", autocapitalize: "off" }),
      EditorView.updateListener.of(({ docChanged, state }) => { if (docChanged) changed(state.doc.toString()); }),
      showPanel.of(keysPanel),
    ];
    return EditorState.create({ doc: file.text, extensions });
  }

  function changed(text) {
    onChange(shown, text);
    clearTimeout(pause);
    pause = setTimeout(() => server.client.sync(), PAUSE);
  }

  // The language server tells what evaluations fail by, and more. Evaluations tell it while it is not there.
  function showProblems() {
    const { doc } = view.state;
    const told = (problems.get(shown) ?? []).map((one) => ({
      from: offset(doc, one.range.start), to: offset(doc, one.range.end), severity: SEVERITIES[one.severity ?? 1], message: one.message,
    }));
    const lines = new Set(told.filter((one) => one.severity === "error").map((one) => doc.lineAt(one.from).number));
    const known = new Set(told.map((one) => doc.lineAt(one.from).number));
    for (const one of faults) {
      const isError = one.severity === "error";
      if (one.file !== shown.name || !one.line || one.line > doc.lines || (isError ? lines : known).has(one.line)) continue;
      const { from, to, text } = doc.line(one.line);
      const parts = [one.message, one.expected && `expected: ${one.expected}`, one.found && `found: ${one.found}`, one.hint];
      // Columns count characters, of which some are two of the editor's units.
      const unit = (column) => from + [...text].slice(0, column - 1).join("").length;
      const isPart = one.column > 0 && one.end > one.column;
      told.push({
        from: isPart ? unit(one.column) : from + text.search(/\S|$/), to: isPart ? unit(one.end) : to,
        severity: one.severity, message: parts.filter(Boolean).join("\n"),
      });
      known.add(one.line);
      if (isError) lines.add(one.line);
    }
    view.dispatch(setDiagnostics(view.state, told), { effects: setMarks.of({ kind: "bad", starts: startsOf(doc, lines) }) });
  }

  function showDeciding() {
    view.dispatch({ effects: setMarks.of({ kind: "deciding", starts: startsOf(view.state.doc, new Set(deciding)) }) });
  }

  for (const [one, event] of [[dark, "change"], [document, "theme"]]) {
    one.addEventListener(event, () => view.dispatch({ effects: scheme.reconfigure(darkTheme()) }));
  }
  return {
    show(kind, files, file) {
      page = { kind, files };
      server.update(kind, files);
      if (file !== shown) {
        if (shown) states.set(shown, view.state);
        // Measures now what waits to be measured: the place of a hint is one in the text that goes, not in the one that comes.
        view.coordsAtPos(0);
        shown = file;
        view.setState(stateOf(file));
      }
      // The page has changed it: a fix, or a value that was changed in the output.
      const text = file.text.replace(/\r\n?/g, "\n");
      if (view.state.doc.toString() !== text) view.dispatch({ changes: difference(view.state.doc.toString(), text) });
      const own = forFile(file);
      view.dispatch({ effects: [
        language.reconfigure(own.language), service.reconfigure(own.service),
        scheme.reconfigure(darkTheme()),
      ] });
      showProblems();
    },
    mark(found) {
      faults = found ?? [];
      if (shown) showProblems();
    },
    bringOut(lines) {
      deciding = lines;
      if (shown) showDeciding();
    },
    begin() { server.begin((reason) => console.warn(`the language server has ended: ${reason}`)); },
    goTo(line) {
      const { from, to } = view.state.doc.line(Math.min(line, view.state.doc.lines));
      view.dispatch({ selection: { anchor: from, head: to }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
      view.focus();
    },
  };
}

// The part that is another one, so that the selection and the history stay.
function difference(before, after) {
  const most = Math.min(before.length, after.length);
  let [begin, end] = [0, 0];
  while (begin < most && before[begin] === after[begin]) begin += 1;
  while (end < most - begin && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return { from: begin, to: before.length - end, insert: after.slice(begin, after.length - end) };
}

function offset(doc, { line, character }) {
  if (line >= doc.lines) return doc.length;
  const found = doc.line(line + 1);
  return Math.min(found.from + character, found.to);
}

function keysPanel(view) {
  const dom = document.createElement("div");
  dom.className = "keys";
  const format = document.createElement("button");
  format.type = "button";
  format.textContent = "Format";
  format.title = "Shift-Alt-F";
  format.addEventListener("click", () => formatDocument(view));
  dom.append(format, ...KEYS.map((key) => Object.assign(document.createElement("span"), { textContent: key })));
  return { dom };
}

class Mark extends GutterMarker {
  constructor(kind) {
    super();
    this.elementClass = kind;
  }
}
const startsOf = (doc, lines) => [...lines].filter((one) => one <= doc.lines).sort((a, b) => a - b).map((one) => doc.line(one).from);
const setMarks = StateEffect.define(); // { kind, starts }: where the lines begin
// Lines that stand out: those with an error, and those that decided what is looked at. Their numbers, too, and what is beside these.
const marks = ["deciding", "bad"].map((kind) => {
  const kinds = [new Mark(`${kind}-line`), new Mark(kind), Decoration.line({ class: kind })];
  return StateField.define({
    create: () => kinds.map(() => RangeSet.empty),
    update(sets, { effects, changes }) {
      const starts = effects.find((one) => one.is(setMarks) && one.value.kind === kind)?.value.starts;
      return starts ? kinds.map((mark) => RangeSet.of(starts.map((start) => mark.range(start)))) : sets.map((set) => set.map(changes));
    },
    provide: (field) => [lineNumberMarkers, gutterLineClass, EditorView.decorations].map((facet, index) => facet.from(field, (sets) => sets[index])),
  });
});

// A browser that puts text in the place of coloured text gives it that colour by a style of its own, which the page's policy
// refuses, loudly. So the editor does it.
const typedOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (event.inputType !== "insertText" || event.data === null || view.composing) return false;
    hearOfSelection(view);
    const { from, to, empty } = view.state.selection.main;
    if (empty) return false;
    const insert = () => view.state.update(view.state.replaceSelection(event.data), { userEvent: "input.type" });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handler) => handler(view, from, to, event.data, insert))) view.dispatch(insert());
    event.preventDefault();
    return true;
  },
});

// The editor may not have heard of a selection that was made a moment ago. Some browsers tell it of a shadow.
// Only the lines near those in sight are drawn: a selection of the browser's ends with them, although the text goes on.
function hearOfSelection(view) {
  const made = view.root.getSelection?.();
  if (!made?.anchorNode || !view.contentDOM.contains(made.anchorNode) || !view.contentDOM.contains(made.focusNode)) return;
  const { viewport: drawn, state: { doc, selection: { main } } } = view;
  const clamp = (position) => Math.max(drawn.from, Math.min(drawn.to, position));
  const [anchor, head] = [[made.anchorNode, made.anchorOffset], [made.focusNode, made.focusOffset]].map((end) => clamp(view.posAtDOM(...end)));
  if (clamp(main.anchor) === anchor && clamp(main.head) === head) return;
  const isAll = Math.min(anchor, head) === drawn.from && Math.max(anchor, head) === drawn.to;
  view.dispatch({ selection: isAll ? { anchor: 0, head: doc.length } : { anchor, head } });
}

// Tab is not among the keys: it leaves the editor, as it leaves every other part of a page.
const basics = [
  lineNumbers(), foldGutter(), highlightActiveLineGutter(), highlightActiveLine(), highlightSpecialChars(),
  history(), drawSelection(), dropCursor(), indentOnInput(), bracketMatching(), closeBrackets(), search({ top: true }),
  autocompletion({ icons: false }), typedOver,
  highlightSelectionMatches(), EditorState.allowMultipleSelections.of(true),
  keymap.of([
    ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap, ...lintKeymap,
  ]),
];
