// What evaluates a request: plait in a worker of this page. One at a time, and of those that wait the newest of its kind.
const SECONDS = 20;
let worker = null;
let current = null;
const waiting = new Map();

export const note = "Nothing leaves this browser. @ytt:regexp, patterns and generated certificates do not work here.";

// Until the first answer.
export const loading = "Evaluating … At the first visit Python is loaded for that, which takes some seconds.";

export const reach = "";
// Of the site that this page is part of; and what the metadata of plait names, which playground/build.py puts in.
const REPOSITORY = "";
export const links = [["Docs", "../"], ["Install", "../tutorial/#install"], ...(REPOSITORY ? [["Repository", REPOSITORY]] : [])];

// The answer. Throws for what cannot be answered, and for what a newer request has taken the place of.
export function evaluate(request) {
  return new Promise((resolve, reject) => {
    const kind = request.ask ?? ("explain" in request ? "explain" : "evaluate");
    waiting.get(kind)?.reject(new Error("a newer request has come"));
    waiting.set(kind, { request, resolve, reject });
    next();
  });
}

function next() {
  if (current || !waiting.size) return;
  const [kind, task] = waiting.entries().next().value;
  waiting.delete(kind);
  current = task;
  worker ??= begin();
  worker.postMessage(JSON.stringify(task.request));
}

function begin() {
  const begun = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  begun.onmessage = ({ data }) => {
    // The time is that of an evaluation, not of the way here.
    if (data.begun) current.timer = setTimeout(() => stop("the evaluation took too long and was killed"), SECONDS * 1000);
    else if (data.failed) stop(data.failed);
    else finish(JSON.parse(data.answer));
  };
  begun.onerror = (event) => stop(`plait did not start: ${event.message}`);
  return begun;
}

// The page is kept for later visits, once what this one needs is there.
function keep() {
  isKept = true;
  navigator.serviceWorker?.register(new URL("service-worker.js", import.meta.url)).catch((error) => console.warn(`the page is not kept: ${error.message}`));
}
let isKept = false;

function finish(answer) {
  if (!isKept) keep();
  const task = current;
  current = null;
  clearTimeout(task.timer);
  if (answer.refused) task.reject(new Error(answer.refused));
  else task.resolve(answer);
  next();
}

function stop(reason) {
  worker.terminate();
  worker = null;
  finish({ refused: reason });
}
