// plait's language server in a worker of this page: what it is told of the page's files, and what it tells of them.
import { LSPClient, LSPPlugin, Workspace, formatKeymap, findReferencesKeymap, hoverTooltips, jumpToDefinitionKeymap,
  renameKeymap, serverCompletion } from "@codemirror/lsp-client";
import { Text } from "@codemirror/state";
import { keymap } from "@codemirror/view";

const TOP = "file:///page/";
const PROJECT = "plait.yml";
// Of the whole way of a request, the start of Python included.
const LONGEST = 120_000;
// Hovers are Markdown that may quote anything out of files, which may be somebody else's.
const ELEMENTS = new Set(("A BLOCKQUOTE BR CODE DEL EM H1 H2 H3 H4 H5 H6 HR LI OL P PRE SPAN STRONG TABLE TBODY TD TH "
  + "THEAD TR UL").split(" "));

export const uriOf = (name) => TOP + name.split("/").map(encodeURIComponent).join("/");
const nameOf = (uri) => decodeURIComponent(uri.slice(TOP.length));

// The settings of the run that the page stands for, as text of a project file.
function projectOf(kind, files) {
  const isValues = (file) => file.role === "values";
  const names = (which) => files.filter(which).map((file) => file.name);
  const inputs = names((file) => !isValues(file));
  const run = {
    render: { render: { files: inputs, "data-values-file": names(isValues) } },
    patch: { patch: { base: inputs[0] ?? "", ops: inputs.slice(1), "vars-files": names(isValues) } },
    layer: { layer: { files: names(() => true) } },
  }[kind];
  return run && JSON.stringify({ runs: { playground: run } });
}

// One file as the server knows it. file: the page's, or null for the project file.
class Known {
  constructor(name, text, file) {
    Object.assign(this, { uri: uriOf(name), languageId: "yaml", version: 0, doc: textOf(text), file, view: null });
  }

  getView() { return this.view; }
}

const textOf = (text) => Text.of(text.split(/\r\n?|\n/));

class Page extends Workspace {
  constructor(client, edits) {
    super(client);
    this.files = [];
    this.edits = edits;
  }

  getFile(uri) { return this.files.find((one) => nameOf(one.uri) === nameOf(uri)) ?? null; }

  // What the user has typed since the last time.
  syncFiles() {
    return this.files.flatMap((file) => {
      const plugin = file.view && LSPPlugin.get(file.view);
      if (!plugin || plugin.unsyncedChanges.empty) return [];
      const change = { file, changes: plugin.unsyncedChanges, prevDoc: file.doc };
      file.doc = file.view.state.doc;
      file.version += 1;
      plugin.clear();
      return [change];
    });
  }

  openFile(uri, _languageId, view) {
    const file = this.getFile(uri);
    if (file) file.view = view;
  }

  closeFile(uri, view) {
    const file = this.getFile(uri);
    if (file?.view === view) file.view = null;
  }

  // The files are these from now on.
  update(kind, files) {
    const wanted = new Map(files.map((file) => [file.name, [file.text, file]]));
    const project = projectOf(kind, files);
    if (project && !wanted.has(PROJECT)) wanted.set(PROJECT, [project, null]);
    for (const one of this.files.filter((known) => !wanted.has(nameOf(known.uri)))) this.client.didClose(one.uri);
    this.files = this.files.filter((one) => wanted.has(nameOf(one.uri)));
    for (const [name, [text, file]] of wanted) {
      const known = this.getFile(uriOf(name));
      if (known) this.replace(known, text, file);
      else {
        const made = new Known(name, text, file);
        this.files.push(made);
        this.client.didOpen(made);
      }
    }
  }

  replace(known, text, file) {
    known.file = file;
    const doc = textOf(text);
    if (doc.eq(known.doc)) return;
    known.doc = doc;
    known.version += 1;
    const textDocument = { uri: known.uri, version: known.version };
    this.client.notification("textDocument/didChange", { textDocument, contentChanges: [{ text: doc.toString() }] });
  }

  updateFile(uri, update) {
    const known = this.getFile(uri);
    if (known?.view) known.view.dispatch(update);
    else if (known?.file) this.edits.onEdit(known.file, update.changes);
  }

  async displayFile(uri) {
    const file = this.getFile(uri)?.file;
    return file ? this.edits.onOpen(file) : null;
  }
}

// Messages to a worker; those that come before it is there wait for it.
class Line {
  constructor() { Object.assign(this, { waiting: [], worker: null, hear: () => {} }); }

  begin(onFailed) {
    this.worker = new Worker(new URL("language-worker.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => (data.failed ? onFailed(data.failed) : this.hear(data));
    this.worker.onerror = (event) => onFailed(event.message);
    for (const message of this.waiting.splice(0)) this.worker.postMessage(message);
  }

  send(message) {
    if (this.worker) this.worker.postMessage(message);
    else this.waiting.push(message);
  }

  subscribe(handler) { this.hear = handler; }

  unsubscribe() { this.hear = () => {}; }
}

// onProblems(file, diagnostics): what is wrong with a file, in the protocol's form. onEdit(file, changes): what is to
// change in a file that is not shown. onOpen(file): show it; gives the view.
export function languageServer({ onProblems, onEdit, onOpen }) {
  const line = new Line();
  const client = new LSPClient({
    rootUri: TOP,
    timeout: LONGEST,
    sanitizeHTML: sanitized,
    workspace: (made) => new Page(made, { onEdit, onOpen }),
    extensions: [
      serverCompletion({ override: true }),
      hoverTooltips(),
      keymap.of([...formatKeymap, ...renameKeymap, ...jumpToDefinitionKeymap, ...findReferencesKeymap]),
    ],
    notificationHandlers: {
      "textDocument/publishDiagnostics": (_client, { uri, version, diagnostics }) => {
        const known = client.workspace.getFile(uri);
        if (known?.file && (version ?? known.version) === known.version) onProblems(known.file, diagnostics);
        return true;
      },
    },
  });
  client.connect(line);
  return {
    client,
    begin: (onFailed) => { if (!line.worker) line.begin(onFailed); },
    update: (kind, files) => { client.sync(); client.workspace.update(kind, files); },
  };
}

// HTML of nothing but text and its structure.
function sanitized(html) {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const node of [...body.querySelectorAll("*")].reverse()) {
    if (!ELEMENTS.has(node.tagName)) node.replaceWith(node.textContent);
    for (const { name } of [...node.attributes]) {
      if (name !== "class" && !(name === "href" && /^https:\/\//.test(node.getAttribute(name)))) node.removeAttribute(name);
    }
  }
  return body.innerHTML;
}
