// How the editor looks: the colours of the page.
import { EditorView } from "@codemirror/view";

const mono = "ui-monospace, monospace";
export const look = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", backgroundColor: "var(--back)", color: "var(--front)" },
  "&.cm-focused": { outline: "none" }, // the page outlines all of it
  ".cm-scroller": { fontFamily: mono, lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--front)" },
  ".cm-cursor": { borderLeftColor: "var(--front)" },
  ".cm-gutters": { backgroundColor: "var(--soft)", color: "var(--quiet)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine": { backgroundColor: "light-dark(#0b5cad0d, #82b8f512)" },
  ".cm-activeLineGutter": { backgroundColor: "light-dark(#0b5cad1a, #82b8f526)", color: "var(--front)" },
  ".cm-gutterElement.bad-line": { color: "var(--bad)", backgroundColor: "var(--bad-back)" },
  ".cm-tooltip": { backgroundColor: "var(--back)", color: "var(--front)", border: "1px solid var(--line)", borderRadius: "4px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: mono },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--back)" },
  ".cm-tooltip-hover": { maxWidth: "min(40rem, 95vw)", maxHeight: "20rem", overflow: "auto" },
  ".cm-lsp-documentation pre": { fontFamily: mono, whiteSpace: "pre", overflow: "auto" },
  ".cm-lsp-documentation code": { fontFamily: mono },
  ".cm-completionInfo": { maxHeight: "16rem", overflow: "auto" },
  ".cm-panels": { backgroundColor: "var(--soft)", color: "var(--front)", zIndex: "1" },
  ".cm-panel": { position: "relative" },
  ".cm-panels.cm-panels-bottom": { borderTop: "1px solid var(--line)" },
  ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-textfield": { backgroundColor: "var(--back)", color: "var(--front)", border: "1px solid var(--line)" },
  "button, .cm-button": {
    font: "inherit", color: "inherit", background: "var(--back)", border: "1px solid var(--line)", borderRadius: "4px",
  },
  ".keys": { display: "flex", gap: ".6rem", alignItems: "center", padding: ".2rem .4rem", color: "var(--quiet)" },
  ".keys span": { minWidth: "0", overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" },
  ".keys button": { color: "var(--front)", padding: "0 .4rem" },
  ":focus-visible": { outlineColor: "var(--accent)" },
  "@media (max-width: 50rem)": { ".keys span": { display: "none" } },
});
