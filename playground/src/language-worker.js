// plait's language server in a worker: a message is one of the protocol, as JSON, in both directions.
import { startAll } from "./python.js";

const beginning = startAll().then((python) => (
  { python, receive: python.pyimport("plait.authoring.lsp.message_handler").connect((message) => postMessage(message)) }
));

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
