// What stands behind the `#` of the address, which browsers send to nobody:
//   #NAME        an example        #NAME/CODE   an example with what was edited        #/CODE   files of one's own
// CODE is compressed JSON: { kind, files, removed, open, line, view, cell, step, gone, equal }; of an example only files that
// differ.
import { MOST_FILES, isName } from "./own.js";
import { through } from "./streams.js";

const MOST = 1_000_000; // characters of what CODE stands for

export const VIEWS = ["output", "steps", "environments"];

const isFile = (one) => typeof one?.name === "string" && isName(one.name) && typeof one.text === "string"
  && (one.role === undefined || one.role === "input" || one.role === "values");

async function packed(data) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(data)), MOST);
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpacked(code) {
  const bytes = Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes, MOST)));
}

// state: { kind, files, shown, chosen, view, cell, step, hasGone, hasEqual }. example: that it began with, or null.
export async function hashOf(state, example) {
  const file = ({ name, text, role }) => ({ name, text, role });
  const given = new Map((example?.files ?? []).map((one) => [one.name, one]));
  const isEdited = (one) => given.get(one.name)?.text !== one.text || given.get(one.name)?.role !== one.role;
  const names = new Set(state.files.map((one) => one.name));
  const data = {};
  if (!example || state.kind !== example.kind) data.kind = state.kind;
  const files = state.files.filter(isEdited).map(file);
  if (files.length) data.files = files;
  const removed = [...given.keys()].filter((name) => !names.has(name));
  if (removed.length) data.removed = removed;
  if (state.shown) data.open = state.files[state.shown].name;
  if (state.chosen) data.line = state.chosen;
  if (state.view !== (example?.view ?? "output")) data.view = state.view;
  if (state.cell) data.cell = [state.cell.environment, state.cell.name];
  if (state.view === "steps" && state.step !== null) data.step = state.step;
  if (state.hasGone) data.gone = true;
  if (state.hasEqual) data.equal = true;
  if (example && !Object.keys(data).length) return example.name;
  return `${example?.name ?? ""}/${await packed(data)}`;
}

// { example, kind, files, open, line, view, cell, step, hasGone, hasEqual } of what stands behind the `#`. Throws for what cannot be read.
export async function stateOf(hash, examples) {
  const [name, code] = hash.split("/", 2);
  const example = examples.find((one) => one.name === name) ?? null;
  if (name && !example) throw new Error("no such example");
  if (code === undefined && !example) throw new Error("not a link of this page");
  const data = code === undefined ? {} : await unpacked(code);
  if (data === null || typeof data !== "object" || !(data.files ?? []).every(isFile)) throw new Error("no files");
  const kind = data.kind ?? example?.kind;
  if (!["render", "patch", "layer", "compose"].includes(kind)) throw new Error("no command");
  const removed = new Set(data.removed ?? []);
  const edited = new Map((data.files ?? []).map((one) => [one.name, one]));
  const files = (example?.files ?? []).filter((one) => !removed.has(one.name)).map((one) => edited.get(one.name) ?? one);
  const known = new Set(files.map((one) => one.name));
  files.push(...[...edited.values()].filter((one) => !known.has(one.name)));
  if (!files.length || files.length > MOST_FILES) throw new Error("no files, or too many");
  return {
    example, kind, files: files.map((one) => ({ ...one })),
    open: Math.max(0, files.findIndex((one) => one.name === data.open)),
    line: Number.isInteger(data.line) ? data.line : null,
    cell: Array.isArray(data.cell) ? data.cell : null,
    step: Number.isInteger(data.step) && data.step >= 0 ? data.step : null,
    hasGone: data.gone === true, hasEqual: data.equal === true,
    view: VIEWS.includes(data.view) ? data.view : example?.view ?? "output",
  };
}

// What the command line names. A shell is to take each name as one word.
const word = (name) => (/^[\w./@+,-]+$/.test(name) && !name.startsWith("-") ? name : `'${(name.startsWith("-") ? `./${name}` : name).replaceAll("'", "'\\''")}'`);

export function argumentsOf(kind, files) {
  const named = (role) => files.filter((one) => (one.role === "values" ? "values" : "input") === role).map((one) => word(one.name));
  const flags = (flag, names) => names.map((name) => `${flag} ${name}`);
  const [inputs, values] = [named("input"), named("values")];
  return {
    render: () => [...flags("-f", inputs), ...flags("--data-values-file", values)],
    patch: () => [...inputs.slice(0, 1), ...flags("-o", inputs.slice(1)), ...flags("-l", values)],
    layer: () => files.map((one) => word(one.name)),
    compose: () => ["plait.yml"],
  }[kind]().join(" ");
}

// An issue's text: the files, the command, what it gives, and where. page: { version, address }.
export function markdownOf(kind, files, answer, page) {
  const block = (language, text) => {
    const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
    return `${fence}${language}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}\n`;
  };
  const inputs = files.map((one) => `\`${one.name.replaceAll("`", "'")}\`:\n\n${block("yaml", one.text)}`);
  const command = block("console", `$ plait ${kind} ${argumentsOf(kind, files)}`);
  const given = block(answer.report ? "text" : "yaml", answer.report || answer.output);
  return [...inputs, command, given, `${page.version}, [in its playground](${page.address})\n`].join("\n");
}
