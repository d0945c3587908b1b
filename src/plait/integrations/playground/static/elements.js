// element("a", "text" or children, { href: "#", class: "x", onclick })
export function element(name, content = "", attributes = {}) {
  const made = document.createElement(name);
  if (typeof content === "string") made.textContent = content;
  else made.append(...content.filter((one) => one !== null));
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null) made.setAttribute(key, value);
  }
  return made;
}

export const button = (text, onclick, more = {}) => element("button", text, { type: "button", onclick, ...more });

// A link to a line of a file. onPlace(file, line) shows it.
export function placeLink(text, file, line, onPlace, more = {}) {
  return element("a", text, {
    href: "#", class: "place", title: text, ...more,
    onclick: (event) => { event.preventDefault(); event.stopPropagation(); onPlace(file, line); },
  });
}

// The mark of a source: its number in the order in which sources apply, with a pattern and a colour, which repeat after six.
export const styleOf = (number) => `s${((number - 1) % 6) + 1}`;
export const tile = (number, isOn = false) => element("span", `${number}`, { class: `src ${styleOf(number)}${isOn ? " on" : ""}` });

export const short = (name) => name.replace(/^.*\//, "");

// Work that needs the sizes of what is drawn: once for all calls before the next frame, when the browser has them.
export function inFrame(work) {
  let frame = 0;
  return () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(work);
  };
}
