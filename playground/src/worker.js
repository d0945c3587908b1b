// plait in a worker: a message is a request as JSON, and its answer has the answer as JSON.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const beginning = begin();

async function begin() {
  const [python, archive] = await Promise.all([
    loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href }),
    fetch(new URL("plait.zip", import.meta.url)).then((response) => response.arrayBuffer()),
  ]);
  python.unpackArchive(archive, "zip", { extractDir: "/plait" });
  python.runPython("import sys; sys.path.insert(0, '/plait')");
  return python.pyimport("plait.playground.questions").respond;
}

onmessage = async ({ data }) => {
  try {
    const respond = await beginning;
    postMessage({ begun: true });
    postMessage({ answer: respond(data) });
  } catch (error) {
    // Python does not go on after such an error, as when there is no memory left.
    postMessage({ failed: `the evaluation ended without an answer: ${error.message}` });
  }
};
