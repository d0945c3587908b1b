// How the editor looks: the colours of the page.
import { EditorView } from "@codemirror/view";

const mono = "var(--mono)";
export const look = EditorView.theme({
  "&": { width: "100%", height: "100%", fontSize: "13px", backgroundColor: "var(--surface)", color: "var(--text)" },
  "&.cm-focused": { outline: "none" }, // the page outlines all of it
  ".cm-scroller": { fontFamily: mono, lineHeight: "20px", fontVariantLigatures: "none" },
  ".cm-content, .cm-content:focus": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-content": { padding: "8px 0" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--text-3)", border: "0", fontSize: "12px" },
  ".cm-activeLine": { backgroundColor: "var(--sunken)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--sunken)", color: "var(--text)" },
  ".cm-gutterElement.bad-line": { color: "var(--error)" },
  ".deciding": { backgroundColor: "var(--accent-soft)" },
  ".bad": { backgroundColor: "var(--error-bg)" },
  ".cm-tooltip": { backgroundColor: "var(--surface)", color: "var(--text)", border: "1px solid var(--line)", borderRadius: "4px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: mono },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--surface)" },
  ".cm-tooltip-hover": { maxWidth: "min(40rem, 95vw)", maxHeight: "20rem", overflow: "auto" },
  ".cm-lsp-documentation pre": { fontFamily: mono, whiteSpace: "pre", overflow: "auto" },
  ".cm-lsp-documentation code": { fontFamily: mono },
  ".cm-completionInfo": { maxHeight: "16rem", overflow: "auto" },
  ".cm-panels": { backgroundColor: "var(--canvas)", color: "var(--text)", zIndex: "1" },
  ".cm-panel": { position: "relative" },
  ".cm-panels.cm-panels-bottom": { borderTop: "1px solid var(--line)" },
  ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-textfield": { backgroundColor: "var(--surface)", color: "var(--text)", border: "1px solid var(--line)" },
  "button, .cm-button": {
    font: "inherit", color: "inherit", background: "var(--surface)", border: "1px solid var(--line)", borderRadius: "4px",
  },
  // What does not fit is in a further row, out of sight.
  ".keys": { display: "flex", flexWrap: "wrap", gap: "0 14px", height: "31px", padding: "2px 12px", overflow: "hidden", lineHeight: "26px", color: "var(--text-3)", fontFamily: "var(--sans)", fontSize: "12px" },
  // A phone has no such keys, and little room.
  "@media (max-width: 640px)": { ".keys": { display: "none" } },
  ".keys button": { height: "24px", padding: "0 8px", margin: "1px 0", color: "var(--text)" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "32px" },
  ":focus-visible": { outlineColor: "var(--accent)" },
});
