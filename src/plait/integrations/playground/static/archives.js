// Archives: the files of .zip, .tar, .tar.gz and .tgz, and a .tar.gz of files. What an archive contains is not trusted.
import { through } from "./streams.js";

const MOST = 20_000_000; // bytes of a .tar that is compressed
const BLOCK = 512;
const text = (bytes) => new TextDecoder().decode(bytes);

export const isArchive = (name) => /\.(zip|tar|tar\.gz|tgz)$/i.test(name);

// [name, { size, arrayBuffer() }] of each file. Throws for what is no such archive.
export async function filesOfArchive(name, bytes) {
  if (/\.zip$/i.test(name)) return filesOfZip(bytes);
  return filesOfTar(/\.tar$/i.test(name) ? bytes : await through(new DecompressionStream("gzip"), bytes, MOST));
}

function filesOfZip(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end -= 1;
  if (end < 0) throw new Error("no end of a .zip archive");
  const files = [];
  let at = view.getUint32(end + 16, true);
  for (let count = view.getUint16(end + 10, true); count; count -= 1) {
    if (view.getUint32(at, true) !== 0x02014b50) throw new Error("no entry of a .zip archive");
    const [nameSize, moreSize, noteSize] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
    const [packedSize, size] = [20, 24].map((offset) => view.getUint32(at + offset, true));
    const method = view.getUint16(at + 10, true);
    const isReadable = (method === 0 || method === 8) && !(view.getUint16(at + 8, true) & 1); // not encrypted
    const name = text(bytes.subarray(at + 46, at + 46 + nameSize));
    const local = view.getUint32(at + 42, true);
    const arrayBuffer = async () => {
      if (!isReadable) throw new Error("encrypted, or compressed in another way");
      const from = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
      const packed = bytes.subarray(from, from + packedSize);
      return method === 0 ? packed : through(new DecompressionStream("deflate-raw"), packed, size);
    };
    if (!name.endsWith("/")) files.push([name, { size, arrayBuffer }]);
    at += 46 + nameSize + moreSize + noteSize;
  }
  return files;
}

function filesOfTar(bytes) {
  const files = [];
  const field = (at, size) => text(bytes.subarray(at, at + size)).replace(/\0.*$/s, "");
  let named = null; // by an entry that is about the next one
  for (let at = 0; at + BLOCK <= bytes.length && bytes[at];) {
    const size = Number.parseInt(field(at + 124, 12).trim() || "0", 8);
    const from = at + BLOCK;
    if (!Number.isInteger(size) || field(at + 257, 5) !== "ustar" || from + size > bytes.length) throw new Error("no .tar archive");
    const content = bytes.subarray(from, from + size);
    const kind = field(at + 156, 1) || "0";
    if (kind === "L") named = text(content).replace(/\0.*$/s, "");
    else if (kind === "x") named = /^\d+ path=(.*)$/m.exec(text(content))?.[1] ?? named;
    else {
      // GNU's tar has other fields where POSIX has a prefix.
      const prefix = field(at + 257, 8) === "ustar" ? field(at + 345, 155) : "";
      const name = named ?? (prefix ? `${prefix}/${field(at, 100)}` : field(at, 100));
      if (kind === "0") files.push([name, { size, arrayBuffer: async () => content }]);
      if (kind !== "g") named = null;
    }
    at = from + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}

// files: { name, text }. A Blob.
export async function archiveOf(files) {
  const parts = files.flatMap(({ name, text: content }) => {
    const record = ` path=${name}\n`;
    const bytes = new TextEncoder().encode(record);
    let size = bytes.length;
    while (`${size}`.length + bytes.length !== size) size = `${size}`.length + bytes.length;
    return [...entry("x", "name", `${size}${record}`), ...entry("0", "file", content)];
  });
  const tar = new Uint8Array(await new Blob([...parts, new Uint8Array(2 * BLOCK)]).arrayBuffer());
  return new Blob([await through(new CompressionStream("gzip"), tar, Number.POSITIVE_INFINITY)], { type: "application/gzip" });
}

function entry(kind, name, content) {
  const bytes = new TextEncoder().encode(content);
  const head = new Uint8Array(BLOCK);
  const put = (at, value) => head.set(new TextEncoder().encode(value), at);
  put(0, name);
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, bytes.length.toString(8).padStart(11, "0"));
  put(136, "00000000000");
  put(148, " ".repeat(8));
  put(156, kind);
  put(257, "ustar\0" + "00");
  put(148, `${head.reduce((sum, one) => sum + one, 0).toString(8).padStart(6, "0")}\0 `);
  return [head, bytes, new Uint8Array((BLOCK - (bytes.length % BLOCK)) % BLOCK)];
}
