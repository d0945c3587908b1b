// Files of one's own: dropped or chosen, with directories and archives, and named by a command line. They are read here, and
// sent nowhere.
import { filesOfArchive, isArchive } from "./archives.js";

export const MOST_FILES = 200;
const MOST_TEXT = 900_000; // characters of all files
// Characters that no line shows, and those that change the order of what is beside them.
const UNSEEN = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u;
export const isName = (name) => !UNSEEN.test(name);
const SKIPPED = /(^|\/)(\.[^/]+|node_modules|__pycache__|\.venv)(\/|$)/;

// { files, left } of what was dropped: files as { name, text }; left: how many are no text, too many, or of a name
// with such characters. Throws for an archive
// that cannot be read.
export async function filesOfDrop(transfer) {
  const entries = [...transfer.items].map((one) => one.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return filesOf([...transfer.files].map((file) => [file.name, file]));
  const found = [];
  for (const entry of entries) await walk(entry, found);
  return filesOf(found);
}

export const filesOfInput = (files) => filesOf([...files].map((file) => [file.webkitRelativePath || file.name, file]));

async function walk(entry, found) {
  const name = entry.fullPath.replace(/^\//, "");
  if (found.length > MOST_FILES || SKIPPED.test(name)) return;
  if (entry.isFile) found.push([name, await new Promise((resolve, reject) => entry.file(resolve, reject))]);
  else {
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (!some.length) break;
      for (const one of some) await walk(one, found);
    }
  }
}

// An archive stands for its files, unless it is a file of a directory.
async function unpacked([name, file]) {
  if (!isArchive(name) || name.includes("/")) return [[name, file]];
  try {
    const found = await filesOfArchive(name, new Uint8Array(await file.arrayBuffer()));
    return found.map(([path, one]) => [path.replace(/^(\.?\/)+/, ""), one]);
  } catch (error) {
    throw new Error(`${name} cannot be read: ${error.message}.`);
  }
}

async function filesOf(given) {
  const files = [];
  let [size, left] = [0, 0];
  const named = (await Promise.all(given.map(unpacked))).flat();
  const known = named.filter(([name]) => !SKIPPED.test(name)).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [name, file] of known) {
    const isTaken = isName(name) && size + file.size <= MOST_TEXT && files.length < MOST_FILES;
    const text = isTaken ? await textOf(file) : null;
    if (text === null) { left += 1; continue; }
    size += text.length;
    files.push({ name, text });
  }
  return { files: withoutTop(files), left };
}

async function textOf(file) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    return text.includes("\0") ? null : text;
  } catch {
    return null; // no text
  }
}

// A directory that all of them are in is not a part of their names.
function withoutTop(files) {
  const tops = new Set(files.map(({ name }) => (name.includes("/") ? name.slice(0, name.indexOf("/") + 1) : "")));
  const [top] = tops;
  return tops.size === 1 && top ? files.map(({ name, text }) => ({ name: name.slice(top.length), text })) : files;
}

// The command and the roles of files that nobody has said anything of.
export function guessed(files) {
  const has = (pattern) => files.some(({ text }) => pattern.test(text));
  const isOperations = ({ text }) => /^- *\{? *(type: *(replace|remove)|path: *\/)/m.test(text);
  let kind = "render";
  if (files.some(({ name, text }) => name === "plait.yml" && /^steps:/m.test(text))) kind = "compose";
  else if (has(/^schema: *deckhand\//m)) kind = "layer";
  else if (files.some(isOperations) && !has(/^\s*#@/m)) kind = "patch";
  const isValues = ({ name, text }) => /(^|[/_-])(values|vars|variables)([/._-]|$)/i.test(name) && !/^\s*#@/m.test(text);
  const roles = files.map((file) => ({
    ...file, role: (kind === "render" || kind === "patch") && files.length > 1 && isValues(file) ? "values" : "input",
  }));
  if (kind !== "patch") return { kind, files: roles };
  return { kind, files: [...roles.filter((file) => !isOperations(file)), ...roles.filter(isOperations)] };
}

// The files that a command line names, in its order, and the paths of which there is none.
export function named(paths, files) {
  const chosen = new Map();
  const missing = [];
  for (const [path, role] of paths) {
    const wanted = path.replace(/^(\.\/)+/, "").replace(/\/+$/, "");
    const found = files.filter(({ name }) => wanted === "." || name === wanted || name.startsWith(`${wanted}/`)
      || wanted.endsWith(`/${name}`) || name.endsWith(`/${wanted}`) || name.includes(`/${wanted}/`));
    if (!found.length) missing.push(path);
    for (const file of found) if (!chosen.has(file.name)) chosen.set(file.name, { ...file, role });
  }
  return { files: [...chosen.values()], missing };
}
