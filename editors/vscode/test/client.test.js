// The server, asked through the client library of Visual Studio Code's extensions.
"use strict";

const assert = require("node:assert");
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const test = require("node:test");
const { pathToFileURL } = require("node:url");
const protocol = require("vscode-languageserver-protocol/node");

const command = (process.env.PLAIT_COMMAND ?? "plait lsp").split(" ");
const FILES = {
  "plait.yml": "runs:\n  prod:\n    render: {files: [config/], data-values-file: [prod.yml]}\n",
  "prod.yml": "replicas: 3\n",
  "config/schema.yml": "#@data/values-schema\n---\nreplicas: 1\n",
  "config/app.yml": '#@ load("@ytt:data", "data")\n---\nreplicas: #@ data.values.replicas\nname: #@ nme\n',
};

test("a session", async () => {
  const top = fs.mkdtempSync(path.join(os.tmpdir(), "plait-"));
  for (const [name, text] of Object.entries(FILES)) {
    fs.mkdirSync(path.dirname(path.join(top, name)), { recursive: true });
    fs.writeFileSync(path.join(top, name), text);
  }
  const server = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
  const connection = protocol.createProtocolConnection(
    new protocol.StreamMessageReader(server.stdout),
    new protocol.StreamMessageWriter(server.stdin),
  );
  const uri = pathToFileURL(path.join(top, "config/app.yml")).href;
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
  assert.ok(answer.capabilities.completionProvider);
  await connection.sendNotification(protocol.InitializedNotification.type, {});
  await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "yaml", version: 1, text: FILES["config/app.yml"] },
  });
  const [diagnostic] = await told;
  assert.match(diagnostic.message, /^undefined: nme/);
  assert.deepStrictEqual(diagnostic.range.start, { line: 3, character: 9 });
  const place = { textDocument: { uri }, position: { line: 2, character: 30 } };
  let hover = null;
  for (let turn = 0; hover === null && turn < 200; turn += 1) {
    hover = await connection.sendRequest(protocol.HoverRequest.type, place);
    if (hover === null) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.match(hover.contents.value, /`data\.values\.replicas`: `3`/);
  const items = await connection.sendRequest(protocol.CompletionRequest.type, {
    ...place,
    position: { line: 2, character: 25 },
  });
  assert.ok(items.items.some((item) => item.label === "replicas"));
  await connection.sendRequest(protocol.ShutdownRequest.type);
  await connection.sendNotification(protocol.ExitNotification.type);
  const status = await new Promise((resolve) => server.on("exit", resolve));
  assert.strictEqual(status, 0);
});
