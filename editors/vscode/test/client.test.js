// The server, asked through the client library of Visual Studio Code's extensions.
"use strict";

const assert = require("node:assert");
const { spawn } = require("node:child_process");
const path = require("node:path");
const test = require("node:test");
const { pathToFileURL } = require("node:url");
const protocol = require("vscode-languageserver-protocol/node");
const { FILES, command, directoryOf } = require("./project.js");

// Starts the server on a project with one file open. told: resolves with the first diagnostics of the file.
async function begun(files, name) {
  const top = directoryOf(files);
  const server = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
  const connection = protocol.createProtocolConnection(
    new protocol.StreamMessageReader(server.stdout),
    new protocol.StreamMessageWriter(server.stdin),
  );
  const uri = pathToFileURL(path.join(top, name)).href;
  const told = new Promise((resolve) => {
    connection.onNotification(protocol.PublishDiagnosticsNotification.type, (params) => {
      if (params.uri === uri && params.diagnostics.length > 0) resolve(params.diagnostics);
    });
  });
  connection.listen();
  const answer = await connection.sendRequest(protocol.InitializeRequest.type, {
    processId: process.pid,
    rootUri: pathToFileURL(top).href,
    capabilities: {},
  });
  await connection.sendNotification(protocol.InitializedNotification.type, {});
  await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "yaml", version: 1, text: files[name] },
  });
  return { answer, connection, server, told, uri };
}

async function ended(connection, server) {
  await connection.sendRequest(protocol.ShutdownRequest.type);
  await connection.sendNotification(protocol.ExitNotification.type);
  const status = await new Promise((resolve) => server.on("exit", resolve));
  assert.strictEqual(status, 0);
}

// The first hover that is not empty: the run is evaluated meanwhile.
async function hovered(connection, place) {
  for (let turn = 0; turn < 200; turn += 1) {
    const hover = await connection.sendRequest(protocol.HoverRequest.type, place);
    if (hover !== null) return hover;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("no hover");
}

test("a session", async () => {
  const { answer, connection, server, told, uri } = await begun(FILES, "config/app.yml");
  assert.ok(answer.capabilities.completionProvider);
  const [diagnostic] = await told;
  assert.match(diagnostic.message, /^undefined: nme/);
  assert.deepStrictEqual(diagnostic.range.start, { line: 3, character: 9 });
  const place = { textDocument: { uri }, position: { line: 2, character: 30 } };
  const hover = await hovered(connection, place);
  assert.match(hover.contents.value, /`data\.values\.replicas`: `3`/);
  const items = await connection.sendRequest(protocol.CompletionRequest.type, {
    ...place,
    position: { line: 2, character: 25 },
  });
  assert.ok(items.items.some((item) => item.label === "replicas"));
  await ended(connection, server);
});

const LIBRARY = {
  "plait.yml": "runs:\n  a:\n    render: {files: [config]}\n",
  "config/values.yml": "#@data/values\n---\nname: root\n",
  "config/app.yml":
    '#@ load("@ytt:library", "library")\n#@ load("@ytt:template", "template")\n--- #@ template.replace(library.get("lib").eval())\n',
  "config/_ytt_lib/lib/values.yml": "#@data/values\n---\nname: library\n",
  "config/_ytt_lib/lib/app.yml": '#@ load("@ytt:data", "data")\n#@yaml/txt-templated-strings\n---\nname: #@ data.values.name\n',
};

test("a session in a library", async () => {
  const { connection, server, told, uri } = await begun(LIBRARY, "config/_ytt_lib/lib/app.yml");
  const place = { textDocument: { uri }, position: { line: 3, character: 22 } };
  const hover = await hovered(connection, place);
  assert.match(hover.contents.value, /`data\.values\.name`: `library`/);
  const items = await connection.sendRequest(protocol.CompletionRequest.type, {
    ...place,
    position: { line: 3, character: 21 },
  });
  assert.deepStrictEqual(items.items.map((item) => item.label), ["name"]);
  const edit = await connection.sendRequest(protocol.RenameRequest.type, { ...place, newName: "title" });
  const changed = Object.keys(edit.changes).map((one) => path.basename(one)).sort();
  assert.deepStrictEqual(changed, ["app.yml", "values.yml"]);
  assert.ok(Object.keys(edit.changes).every((one) => one.includes("/lib/")));
  await assert.rejects(
    connection.sendRequest(protocol.RenameRequest.type, { ...place, newName: "not a name" }),
    /'not a name' is not a valid name/,
  );
  await told;
  const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 1 } };
  const fixes = await connection.sendRequest(protocol.CodeActionRequest.type, {
    textDocument: { uri },
    range,
    context: { diagnostics: [] },
  });
  assert.ok(fixes.some((one) => one.title === "Change to @yaml/text-templated-strings"));
  await ended(connection, server);
});
