// plait's language server in a worker: a message is one of the protocol, as JSON, in both directions.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const beginning = begin();

async function begin() {
  const archive = async (name) => (await fetch(new URL(name, import.meta.url))).arrayBuffer();
  const [python, ...archives] = await Promise.all([
    loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href }), archive("plait.zip"), archive("language.zip"),
  ]);
  for (const one of archives) python.unpackArchive(one, "zip", { extractDir: "/plait" });
  python.runPython("import sys; sys.path.insert(0, '/plait')");
  return { python, receive: python.pyimport("plait.authoring.lsp.message_handler").connect((message) => postMessage(message)) };
}

// Runs name files that are there; what is in them, the messages say.
function layOut(files, { method, params }) {
  if (method !== "textDocument/didOpen" && method !== "textDocument/didClose") return;
  const path = decodeURIComponent(new URL(params.textDocument.uri).pathname);
  if (method === "textDocument/didClose") files.unlink(path);
  else {
    files.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    files.writeFile(path, "");
  }
}

onmessage = async ({ data }) => {
  try {
    const { python, receive } = await beginning;
    layOut(python.FS, JSON.parse(data));
    receive(data);
  } catch (error) {
    postMessage({ failed: error.message });
  }
};
