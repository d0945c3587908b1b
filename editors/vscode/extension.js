// The client: starts `plait lsp`, and lets it answer for YAML, Starlark and text templates.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function made() {
  const [command, ...args] = vscode.workspace.getConfiguration("plait").get("command");
  return new LanguageClient(
    "plait",
    "plait",
    { command, args },
    {
      documentSelector: [
        { scheme: "file", language: "yaml" },
        { scheme: "file", language: "starlark" },
        { scheme: "file", pattern: "**/*.txt" },
      ],
      synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{yml,yaml,star,txt,json}") },
    },
  );
}

async function start() {
  client = made();
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(
      `plait: the language server does not start: ${error?.message ?? error}. Install it with pip install '.[lsp]' in a copy of plait's repository, or set plait.command.`,
    );
  }
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("plait.restart", async () => {
      await deactivate();
      await start();
    }),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("plait.command")) {
        await deactivate();
        await start();
      }
    }),
  );
  await start();
}

async function deactivate() {
  const running = client;
  client = undefined;
  if (running !== undefined && running.isRunning()) {
    await running.stop();
  }
}

module.exports = { activate, deactivate };
