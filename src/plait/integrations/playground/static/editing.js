// The editor of editor.js, which takes longest to load: the page is there without it, and what the page asks of it meanwhile is
// done once it is there.
let made = null;
const waiting = new Map(); // by the name of the function: of equal ones, only the newest counts

const calls = (name) => (...given) => {
  if (made) made[name](...given);
  else waiting.set(name, given);
};

export const editor = Object.fromEntries(["show", "mark", "bringOut", "begin", "goTo"].map((name) => [name, calls(name)]));

// Once what is there has been painted.
export async function loadEditor(parent, handlers) {
  await new Promise((resolve) => { requestAnimationFrame(() => setTimeout(resolve)); });
  const { createEditor } = await import("./editor.js");
  made = createEditor(parent, handlers);
  for (const name of Object.keys(editor)) if (waiting.has(name)) made[name](...waiting.get(name));
  waiting.clear();
}
