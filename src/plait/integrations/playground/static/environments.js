// Several files of values, each an environment: what differs between their outputs, and the lines that are why.
import { element, placeLink, short } from "./elements.js";

// onValue(environment, row) explains a value in an environment. hasEqual: rows has all values; onEqual(hasEqual) asks for that.
export function environmentsTable({ environments, rows, differing, equal }, onPlace, onValue, hasEqual, onEqual) {
  const count = environments.length;
  const head = element("tr", [
    element("th", differing === 1 ? "1 value differs" : `${differing} values differ`, { scope: "col" }),
    ...environments.map((one) => element("th", [
      element("b", one.name), placeLink(one.file, one.file, 1, onPlace),
      one.errors.length ? element("span", one.errors[0].message, { class: "failed" }) : null,
    ], { scope: "col" })),
  ]);
  const body = [];
  for (const [index, row] of rows.entries()) {
    if (row.document && row.document !== rows[index - 1]?.document) {
      body.push(element("tr", [element("th", row.document, { colspan: `${count + 1}`, scope: "rowgroup" })], { class: "of" }));
    }
    body.push(element("tr", [
      element("th", broken(row.path), { scope: "row" }),
      ...row.cells.map((cell, number) => element("td", cellOf(cell, onPlace, () => onValue(environments[number], row)), {
        class: cell?.own ? "own" : "", "data-name": environments[number].name, "data-file": environments[number].file,
      })),
    ], { "data-name": row.name }));
  }
  return [
    differing ? null : element("p", "Nothing differs: change a value in one of these files.", { class: "none" }),
    element("div", [element("table", [element("thead", [head]), element("tbody", body)])], { class: "table", tabindex: "0", role: "region", "aria-label": "Values that differ" }),
    element("p", [
      element("span", "written for this environment", { class: "own key" }),
      element("span", equal === 1 ? "1 other value is equal" : `${equal} other values are equal`, { class: "quiet" }),
      equal ? element("label", [
        element("input", "", { type: "checkbox", ...(hasEqual ? { checked: "" } : {}), onchange: ({ target }) => onEqual(target.checked) }), "show all",
      ], { class: "check" }) : null,
    ], { class: "foot" }),
  ].filter((one) => one !== null);
}

function cellOf(cell, onPlace, onValue) {
  if (!cell) return [element("span", "not there", { class: "quiet" })];
  const { value, action, source } = cell;
  return [
    element("button", value.split(/(?<=[/.,])/).flatMap((part) => [document.createElement("wbr"), part]), { type: "button", class: "value", "aria-pressed": "false", onclick: onValue }),
    element("small", [cell.own ? null : `${action} `, source ? placeLink(`${short(source.file)}:${source.line}`, source.file, source.line, onPlace, { title: source.file }) : null]),
  ];
}

// A long path breaks at its dots.
const broken = (path) => path.split(/(?<=\.)|(?=\[)/).flatMap((part) => [document.createElement("wbr"), part]);
