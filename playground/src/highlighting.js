// How files are read for colours: YAML with the code in its comments, and Starlark.
import { yamlLanguage } from "@codemirror/lang-yaml";
import { HighlightStyle, LanguageSupport, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { parseMixed } from "@lezer/common";
import { tags } from "@lezer/highlight";

const KEYWORDS = new Set(("and break continue def elif else end False for if in lambda load None not or pass return "
  + "True while").split(" "));

// What begins at the place of a stream, as the name of a tag. A line of code in YAML begins with its `#@`.
function token(stream) {
  if (stream.eatSpace()) return null;
  if (stream.match(/#!.*/)) return "docComment";
  if (stream.match(/#@\s*(?=\s|$)/)) return "annotation";
  if (stream.match(/#@[\w/-]+(,[\w/-]+)*/)) return "annotation";
  if (stream.match(/#.*/)) return "lineComment";
  if (stream.match(/"(\\.|[^"\\])*"?|'(\\.|[^'\\])*'?/)) return "code";
  if (stream.match(/\d[\w.]*/)) return "number";
  if (stream.match(/\w+(?=\()/)) return KEYWORDS.has(stream.current()) ? "keyword" : "function";
  if (stream.match(/\w+/)) return KEYWORDS.has(stream.current()) ? "keyword" : "variableName";
  if (stream.match(/[-+*/%=<>!|&^~]+/)) return "operator";
  stream.next();
  return "operator";
}

const starlark = StreamLanguage.define({
  name: "starlark",
  token,
  tokenTable: { function: tags.function(tags.variableName), code: tags.special(tags.string) },
  languageData: { commentTokens: { line: "#" } },
});

const isCode = ({ name, from }, input) => name === "Comment" && /^#[@!]/.test(input.read(from, from + 2));
// YAML itself has one colour for all scalars.
const isNumber = ({ name, from, to, node }, input) => name === "Literal" && node.parent?.name !== "Key" && to - from < 32
  && /^\d+(\.\d+)?$/.test(input.read(from, to));

const template = yamlLanguage.configure({
  wrap: parseMixed((node, input) => (isCode(node, input) || isNumber(node, input)
    ? { parser: starlark.parser, overlay: [{ from: node.from, to: node.to }] }
    : null)),
}, "yaml");

// The language of a file by its name; none if its text is nested so deeply that colouring it could exhaust the stack.
export const languageOf = ({ name, text }) => (isDeep(text) ? [] : new LanguageSupport(/\.star$/.test(name) ? starlark : template));

// Levels of brackets, or of indentation. The colours of each level take a call.
const DEEPEST = 500;

function isDeep(text) {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[\]{}()]/g)) {
    depth += "[{(".includes(bracket) ? 1 : depth && -1;
    if (depth > DEEPEST) return true;
  }
  return new RegExp(`^ {${DEEPEST}}`, "m").test(text);
}

export const colours = syntaxHighlighting(HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--y-key)" },
  { tag: [tags.lineComment, tags.docComment, tags.meta, tags.separator, tags.punctuation], color: "var(--y-com)" },
  { tag: [tags.typeName, tags.labelName], color: "var(--y-num)" },
  // What follows is code in comments.
  { tag: [tags.annotation, tags.keyword, tags.operator], color: "var(--y-ann)" },
  { tag: [tags.variableName, tags.function(tags.variableName), tags.special(tags.string)], color: "var(--y-ann)" },
  { tag: tags.number, color: "var(--y-num)" },
]));
