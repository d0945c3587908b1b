// The part of the API of Visual Studio Code that the extension and `vscode-languageclient` use, on one workspace.
// Registered providers and messages are recorded, so that a test can call them as the editor does.
"use strict";

const { URI } = require("vscode-uri");

class Disposable {
  constructor(dispose) {
    this.dispose = dispose ?? (() => {});
  }
}

class EventEmitter {
  #listeners = new Set();

  event = (listener, self) => {
    const bound = self === undefined ? listener : listener.bind(self);
    this.#listeners.add(bound);
    return new Disposable(() => this.#listeners.delete(bound));
  };

  fire(value) {
    for (const listener of this.#listeners) listener(value);
  }

  dispose() {
    this.#listeners.clear();
  }
}

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}

class Range {
  constructor(start, end, line, character) {
    const isPositions = typeof start !== "number";
    this.start = isPositions ? start : new Position(start, end);
    this.end = isPositions ? end : new Position(line, character);
  }
}

class Diagnostic {
  constructor(range, message, severity) {
    Object.assign(this, { range, message, severity });
  }
}

class Hover {
  constructor(contents, range) {
    Object.assign(this, { contents: Array.isArray(contents) ? contents : [contents], range });
  }
}

class MarkdownString {
  constructor(value = "") {
    this.value = value;
  }

  appendMarkdown(text) {
    this.value += text;
    return this;
  }
}

class CompletionItem {
  constructor(label, kind) {
    Object.assign(this, { label, kind });
  }
}

class CompletionList {
  constructor(items, isIncomplete) {
    Object.assign(this, { items, isIncomplete });
  }
}

class TextEdit {
  constructor(range, newText) {
    Object.assign(this, { range, newText });
  }
}

class WorkspaceEdit {
  changes = new Map();

  set(uri, edits) {
    this.changes.set(uri.toString(), edits);
  }

  replace(uri, range, newText) {
    this.set(uri, [...(this.changes.get(uri.toString()) ?? []), new TextEdit(range, newText)]);
  }
}

class CodeActionKind {
  static Empty = new CodeActionKind("");

  constructor(value) {
    this.value = value;
  }

  append(part) {
    return new CodeActionKind(this.value === "" ? part : `${this.value}.${part}`);
  }
}

class CancellationTokenSource {
  #emitter = new EventEmitter();
  token = { isCancellationRequested: false, onCancellationRequested: this.#emitter.event };

  cancel() {
    this.token.isCancellationRequested = true;
    this.#emitter.fire();
  }

  dispose() {}
}

// A document as the editor holds it.
function textDocument(file, languageId, text) {
  const lines = text.split("\n");
  return {
    uri: URI.file(file),
    fileName: file,
    languageId,
    version: 1,
    isClosed: false,
    lineCount: lines.length,
    getText: () => text,
    lineAt: (line) => ({ text: lines[line] }),
  };
}

// The module `vscode` for a workspace. settings: by full name. shown: receives error messages.
function workspaceApi(top, settings, shown) {
  const events = {};
  const eventOf = (name) => (events[name] ??= new EventEmitter()).event;
  const documents = [];
  const providers = {};
  const commands = {};
  const diagnostics = new Map();
  const changed = new EventEmitter();
  const matches = (selector, document) =>
    selector.some(
      (filter) => filter.scheme === document.uri.scheme && (!filter.language || filter.language === document.languageId),
    );
  const folder = { uri: URI.file(top), name: "workspace", index: 0 };
  const workspace = {
    textDocuments: documents,
    notebookDocuments: [],
    workspaceFolders: [folder],
    getWorkspaceFolder: () => folder,
    getConfiguration: (section) => ({
      get: (name, other) => settings[`${section}.${name}`] ?? other,
    }),
    createFileSystemWatcher: () => ({
      onDidCreate: eventOf("create"),
      onDidChange: eventOf("change"),
      onDidDelete: eventOf("delete"),
      dispose() {},
    }),
    applyEdit: async () => true,
    fs: { isWritableFileSystem: () => true },
  };
  const languages = {
    match: (selector, document) => (matches(selector, document) ? 10 : 0),
    createDiagnosticCollection: () => ({
      set: (uri, found) => {
        diagnostics.set(uri.toString(), found);
        changed.fire();
      },
      delete: (uri) => diagnostics.delete(uri.toString()),
      clear: () => diagnostics.clear(),
      dispose() {},
    }),
  };
  const window = {
    activeTextEditor: undefined,
    visibleTextEditors: [],
    tabGroups: { all: [], onDidChangeTabs: eventOf("tabs") },
    createOutputChannel: () => ({ append() {}, appendLine() {}, show() {}, dispose() {}, replace() {}, clear() {} }),
    showErrorMessage: async (message) => {
      shown.push(message);
    },
    showWarningMessage: async () => {},
    showInformationMessage: async () => {},
  };
  const api = {
    version: "1.91.0",
    env: { appName: "test", language: "en", openExternal: async () => true },
    commands: {
      registerCommand: (name, callback) => {
        commands[name] = callback;
        return new Disposable(() => delete commands[name]);
      },
    },
    extensions: {},
    Uri: URI,
    Disposable,
    EventEmitter,
    Position,
    Range,
    Diagnostic,
    Hover,
    MarkdownString,
    CodeActionKind,
    CompletionItem,
    CompletionList,
    TextEdit,
    WorkspaceEdit,
    CancellationTokenSource,
    CancellationError: class extends Error {},
    TextDocumentSaveReason: { Manual: 1, AfterDelay: 2, FocusOut: 3 },
    workspace: open(workspace, (name) => (name.startsWith("on") ? eventOf(name) : undefined)),
    languages: open(languages, (name) => {
      if (!name.startsWith("register")) return undefined;
      return (selector, provider) => {
        providers[name.slice("register".length).replace(/Provider$/, "")] = provider;
        return new Disposable();
      };
    }),
    window: open(window, (name) => (name.startsWith("on") ? eventOf(name) : undefined)),
  };
  // Names that only other features use: enumerations and base classes without behaviour.
  const module = open(api, (name) => (/^[A-Z]/.test(name) ? class {} : undefined));
  return {
    module,
    commands,
    providers,
    diagnostics,
    changed,
    open: (file, languageId, text) => {
      const document = textDocument(file, languageId, text);
      documents.push(document);
      (events.onDidOpenTextDocument ??= new EventEmitter()).fire(document);
      return document;
    },
  };
}

// An object whose missing properties are made by a function of their name, once.
function open(object, make) {
  return new Proxy(object, {
    get: (target, name) => {
      if (!(name in target) && typeof name === "string") {
        const made = make(name);
        if (made !== undefined) target[name] = made;
      }
      return target[name];
    },
  });
}

module.exports = { workspaceApi };
