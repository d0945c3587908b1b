// Python with plait, in a worker. A first start compiles all modules; a later one restores the memory that a snapshot has
// kept in this browser. The snapshot is made before there is a request: it has nothing of anybody's files.
import createPyodideModule from "./pyodide/pyodide.asm.mjs";
import { loadPyodide } from "./pyodide/pyodide.mjs";
import { KEPT } from "./kept.js";

const SNAPSHOT = new URL("python.snapshot", import.meta.url).href; // the name of it in the cache, which no server has
const ARCHIVES = ["plait.zip", "language.zip"];
const PAGE = 65536; // bytes, of WebAssembly
const indexURL = new URL("pyodide/", import.meta.url).href;
const bytesOf = async (name) => new Uint8Array(await (await fetch(new URL(name, import.meta.url))).arrayBuffer());

// What a page asks for.
const PREPARE = `
import gc
from plait.authoring.lsp import message_handler
from plait.integrations.playground import questions
questions.load()
gc.collect()
`;

// The memory of an earlier start, or null.
async function kept() {
  if (!globalThis.caches || !(await caches.has(KEPT))) return null;
  const found = await (await caches.open(KEPT)).match(SNAPSHOT);
  return found ? new Uint8Array(await found.arrayBuffer()) : null;
}

async function keep(snapshot) {
  try {
    if (globalThis.caches && (await caches.has(KEPT))) await (await caches.open(KEPT)).put(SNAPSHOT, new Response(snapshot));
  } catch (error) {
    console.warn(`the snapshot is not kept: ${error.message}`); // no room, for example: the next visit starts as this one did
  }
}

function addArchives(python, archives) {
  archives.forEach((bytes, index) => python.FS.writeFile(`/${ARCHIVES[index]}`, bytes));
}

async function restored(snapshot) {
  const module = (settings) => {
    const { instantiateWasm } = settings;
    settings.instantiateWasm = (imports, receive) => instantiateWasm(imports, (instance, compiled) => {
      const { memory } = instance.exports;
      memory.grow(Math.max(0, Math.ceil((snapshot.length - memory.buffer.byteLength) / PAGE)));
      receive(instance, compiled);
    });
    return createPyodideModule(settings);
  };
  const [python, ...archives] = await Promise.all([
    loadPyodide({ indexURL, createPyodideModule: module, _loadSnapshot: snapshot }), ...ARCHIVES.map(bytesOf),
  ]);
  addArchives(python, archives);
  return python;
}

async function restore() {
  const snapshot = await kept();
  if (!snapshot) return null;
  try {
    const begun = performance.now();
    const python = await restored(snapshot);
    console.debug(`plait was restored from its snapshot in ${Math.round(performance.now() - begun)} ms`);
    return python;
  } catch (error) {
    console.warn(`the snapshot cannot be used: ${error.message}`);
    await (await caches.open(KEPT)).delete(SNAPSHOT);
    return null;
  }
}

// Python as soon as possible, for evaluations.
export async function start() {
  const python = await restore();
  if (python) return python;
  const [begun, archive] = await Promise.all([loadPyodide({ indexURL }), bytesOf("plait.zip")]);
  begun.unpackArchive(archive, "zip", { extractDir: "/plait" });
  begun.runPython("import sys; sys.path.insert(0, '/plait')");
  return begun;
}

// Python with all that the language server needs; what it takes to start, the next visit does not take again.
export async function startAll() {
  const python = await restore();
  if (python) return python;
  const [begun, ...archives] = await Promise.all([loadPyodide({ indexURL, _makeSnapshot: true }), ...ARCHIVES.map(bytesOf)]);
  addArchives(begun, archives);
  // Modules are read where they lie: a restored memory needs no more than the archives.
  begun.runPython(`import sys; sys.path[:0] = ${JSON.stringify(ARCHIVES.map((name) => `/${name}`))}`);
  begun.runPython(PREPARE);
  await keep(begun.makeMemorySnapshot());
  return begun;
}
