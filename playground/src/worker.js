// plait in a worker: a message is a request as JSON, and its answer has the answer as JSON.
import { start } from "./python.js";

const beginning = start().then((python) => python.pyimport("plait.playground.questions").respond);

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
