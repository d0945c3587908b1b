// The colours of a line of YAML with code in its comments: [class, text] for each part. Text is never read as markup.
export function parts(text) {
  const comment = /^(\s*)(#.*)$/s.exec(text);
  if (comment) return [["", comment[1]], [classOfComment(comment[2]), comment[2]]];
  if (/^(---|\.\.\.)(\s|$)/.test(text)) return [["p", text.slice(0, 3)], ...value(text.slice(3))];
  const found = /^(\s*(?:- +)*)(?:("[^"]*"|'[^']*'|[^\s#'"{}[\]][^#:]*)(:)(?=\s|$))?(.*)$/s.exec(text);
  const [, lead, key, colon, rest] = found;
  return [...lead.split(/(-)/).map((one) => [one === "-" ? "p" : "", one]), ["k", key ?? ""], ["p", colon ?? ""], ...value(rest)];
}

const classOfComment = (text) => (/^#@/.test(text) ? "ann" : "com");

function value(text) {
  const comment = /(^|\s)#.*$/.exec(text);
  if (comment && !/["']/.test(text.slice(0, comment.index))) {
    const at = comment.index + comment[1].length;
    return [...value(text.slice(0, at)), [classOfComment(text.slice(at)), text.slice(at)]];
  }
  if (/^\s*-?\d+(\.\d+)?\s*$/.test(text)) return [["num", text]];
  return text.split(/(\(\([^()]*\)\))/).map((one, index) => [index % 2 ? "var" : "", one]);
}

export function coloured(text) {
  return parts(text).flatMap(([kind, part]) => {
    if (!part) return [];
    if (!kind) return [part];
    const span = document.createElement("span");
    span.className = kind;
    span.textContent = part;
    return [span];
  });
}
