// The project that the tests open, and the command of the server.
"use strict";

const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const command = (process.env.PLAIT_COMMAND ?? "plait lsp").split(" ");
const FILES = {
  "plait.yml": "runs:\n  prod:\n    render: {files: [config/], data-values-file: [prod.yml]}\n",
  "prod.yml": "replicas: 3\n",
  "config/schema.yml": "#@data/values-schema\n---\nreplicas: 1\n",
  "config/app.yml": '#@ load("@ytt:data", "data")\n---\nreplicas: #@ data.values.replicas\nname: #@ nme\n',
};

// A new directory with files, by path.
function directoryOf(files) {
  const top = fs.mkdtempSync(path.join(os.tmpdir(), "plait-"));
  for (const [file, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(top, file)), { recursive: true });
    fs.writeFileSync(path.join(top, file), text);
  }
  return top;
}

module.exports = { FILES, command, directoryOf };
