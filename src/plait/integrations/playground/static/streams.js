// Bytes through a stream that compresses or decompresses them. Throws where more than `most` bytes come out.
export async function through(stream, bytes, most) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const read = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) { await reader.cancel(); throw new Error("too large"); }
    read.push(value);
  }
  return new Uint8Array(await new Blob(read).arrayBuffer());
}
