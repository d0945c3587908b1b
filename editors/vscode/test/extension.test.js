// The extension as Visual Studio Code loads it: its own client library, `vscode-languageclient`, starts the server.
"use strict";

const assert = require("node:assert");
const Module = require("node:module");
const path = require("node:path");
const test = require("node:test");
const { FILES, command, directoryOf } = require("./project.js");
const { workspaceApi } = require("./vscode.js");

// The extension in a workspace with FILES. It and its libraries are loaded anew, with `vscode` in place of the editor's.
function loaded(settings, shown) {
  const top = directoryOf(FILES);
  const editor = workspaceApi(top, settings, shown);
  const load = Module._load;
  for (const name of Object.keys(require.cache)) {
    if (/extension\.js$|vscode-languageclient/.test(name)) delete require.cache[name];
  }
  Module._load = (name, ...more) => (name === "vscode" ? editor.module : load(name, ...more));
  try {
    return { top, editor, extension: require("../extension.js") };
  } finally {
    Module._load = load;
  }
}

// The first result of a request that is not empty: the run is evaluated meanwhile.
async function answered(request) {
  for (let turn = 0; turn < 200; turn += 1) {
    const result = await request();
    if (result !== null && result !== undefined) return result;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("no result");
}

test("the extension starts the server, shows diagnostics and answers", async () => {
  const shown = [];
  const { top, editor, extension } = loaded({ "plait.command": command }, shown);
  const { module, providers } = editor;
  const subscriptions = [];
  await extension.activate({ subscriptions });
  assert.deepStrictEqual(shown, []);
  const told = new Promise((resolve) => {
    editor.changed.event(() => {
      const found = [...editor.diagnostics.values()].flat();
      if (found.length > 0) resolve(found);
    });
  });
  const document = editor.open(path.join(top, "config/app.yml"), "yaml", FILES["config/app.yml"]);
  const [diagnostic] = await told;
  assert.match(diagnostic.message, /^undefined: nme/);
  assert.strictEqual(diagnostic.range.start.line, 3);

  const { token } = new module.CancellationTokenSource();
  const place = new module.Position(2, 30);
  const hover = await answered(() => providers.Hover.provideHover(document, place, token));
  assert.match(hover.contents[0].value, /`data\.values\.replicas`: `3`/);
  const context = { triggerKind: 0, triggerCharacter: undefined };
  const completed = await providers.CompletionItem.provideCompletionItems(document, new module.Position(2, 25), token, context);
  const items = Array.isArray(completed) ? completed : completed.items;
  assert.ok(items.some((item) => (item.label.label ?? item.label) === "replicas"));
  const edit = await providers.Rename.provideRenameEdits(document, place, "copies", token);
  const files = [...edit.changes.keys()].map((uri) => path.basename(uri)).sort();
  assert.deepStrictEqual(files, ["app.yml", "prod.yml", "schema.yml"]);

  await editor.commands["plait.restart"]();
  const again = await answered(() => providers.Hover.provideHover(document, place, token));
  assert.match(again.contents[0].value, /`3`/);
  await extension.deactivate();
  assert.deepStrictEqual(shown, []);
});

test("a command that does not start is an error message", async () => {
  const shown = [];
  const { extension } = loaded({ "plait.command": ["plait-is-not-here", "lsp"] }, shown);
  await extension.activate({ subscriptions: [] });
  assert.ok(shown.some((message) => /the language server does not start: .*plait-is-not-here/.test(message)), String(shown));
  await extension.deactivate();
});
