"use strict";
(() => {
  const all = (selector, of = document) => [...of.querySelectorAll(selector)];
  const root = document.documentElement;
  const field = document.getElementById("search");
  const state = document.getElementById("state");
  const clear = document.getElementById("clear");
  const docs = all(".doc");
  const boxes = all("aside input");
  const menus = all("aside details");
  const OPEN = 8;
  const texts = new Map();
  // Only the documents with one of these causes, or with this consequence.
  let only = "";
  root.classList.add("js");

  // What is closed is text until it is opened, so that a large page opens at once.
  function fill(element) {
    const held = element.querySelector(":scope > noscript");
    if (held) {
      held.insertAdjacentHTML("beforebegin", held.textContent);
      held.remove();
    }
  }
  function textOf(doc) {
    let text = texts.get(doc);
    if (text === undefined) {
      const held = doc.querySelector("noscript");
      text = doc.firstElementChild.textContent + " " + doc.dataset.q + " ";
      text += held ? held.textContent.replace(/<[^>]*>/g, " ").replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&")
        : doc.lastElementChild.textContent;
      texts.set(doc, text = text.toLowerCase());
    }
    return text;
  }

  function filters() {
    const groups = new Map();
    for (const box of boxes) {
      const group = groups.get(box.name) || { on: new Set(), off: 0 };
      if (box.checked) group.on.add(box.value); else group.off++;
      groups.set(box.name, group);
    }
    return [...groups].filter(([, group]) => group.off);
  }
  function apply() {
    const chosen = filters();
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const doc of docs) {
      const fits = chosen.every(([name, group]) => doc.dataset[name].split(" ").some(one => group.on.has(one)))
        && (!only || doc.dataset.only.split(" ").includes(only))
        && (!words.length || words.every(word => textOf(doc).includes(word)));
      doc.hidden = !fits;
      shown += fits;
    }
    const active = chosen.length > 0 || words.length > 0 || only !== "";
    const why = !only ? "" : only[0] === "c" ? " with cause " + only.slice(1) : " with this consequence";
    state.textContent = active ? shown + " of " + docs.length + " documents" + why : "";
    clear.disabled = !active;
    for (const menu of menus) {
      const label = menu.querySelector("summary span");
      const group = chosen.find(([name]) => name === menu.dataset.name);
      label.textContent = group ? ": " + group[1].on.size + " of " + (group[1].on.size + group[1].off) + " ▾" : ": all ▾";
    }
  }

  // ---- the address
  function write(at = "") {
    const found = new URLSearchParams();
    if (field.value) found.set("q", field.value);
    if (only) found.set("only", only);
    const off = boxes.filter(box => !box.checked).map(box => box.name + ":" + box.value);
    if (off.length) found.set("off", off.join(","));
    if (at) found.set("at", at);
    const text = String(found);
    history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
  }
  function read() {
    const plain = location.hash.slice(1);
    const found = new URLSearchParams(plain.includes("=") ? plain : "");
    field.value = found.get("q") || "";
    only = found.get("only") || "";
    const off = new Set((found.get("off") || "").split(","));
    for (const box of boxes) box.checked = !off.has(box.name + ":" + box.value);
    apply();
    const at = found.get("at") || (plain.includes("=") ? "" : plain);
    if (at) go(at);
  }
  function go(id) {
    let target = document.getElementById(id);
    if (!target && /^c\d+$/.test(id)) {
      const fold = document.getElementById("more-causes");
      if (fold) { fold.open = true; fill(fold); target = document.getElementById(id); }
    }
    if (!target) return;
    for (let parent = target; parent; parent = parent.parentElement) if (parent.tagName === "DETAILS") { parent.open = true; fill(parent); }
    target.scrollIntoView({ block: "nearest" });
    (target.tagName === "DETAILS" ? target.firstElementChild : target).focus();
  }
  function changed() { apply(); write(); }

  field.addEventListener("input", changed);
  for (const box of boxes) box.addEventListener("change", changed);
  function reset() {
    only = field.value = "";
    for (const box of boxes) box.checked = true;
    changed();
  }
  clear.addEventListener("click", () => { reset(); field.focus(); });
  addEventListener("hashchange", read);
  addEventListener("toggle", event => { if (event.target.open) fill(event.target); }, true);
  document.addEventListener("click", event => {
    const link = event.target.closest('a[href^="#"]');
    const choice = event.target.closest("[data-choose]");
    if (link) {
      event.preventDefault();
      const id = link.getAttribute("href").slice(1);
      go(id);
      write(id);
    } else if (choice) {
      only = choice.dataset.choose;
      changed();
      const first = docs.find(doc => !doc.hidden);
      if (first) go(first.id);
    }
    if (narrow.matches) for (const menu of menus) if (menu.open && !menu.contains(event.target)) menu.open = false;
  });

  // ---- keys
  function step(by) {
    const shown = docs.filter(doc => !doc.hidden);
    const now = document.activeElement && document.activeElement.closest(".doc");
    const next = shown[now ? Math.min(Math.max(shown.indexOf(now) + by, 0), shown.length - 1) : 0];
    if (next) {
      next.firstElementChild.focus({ preventScroll: true });
      next.scrollIntoView({ block: "nearest" });
    }
  }
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      if (event.target === field && field.value) { field.value = ""; changed(); }
      const menu = narrow.matches && menus.find(one => one.open);
      if (menu) { menu.open = false; menu.firstElementChild.focus(); }
      return;
    }
    if (event.target === field) return;
    if (event.key === "/") field.focus();
    else if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else if (event.key === "o") {
      const doc = document.activeElement.closest(".doc");
      if (!doc) return;
      doc.open = !doc.open;
    } else return;
    event.preventDefault();
  });

  const copy = document.getElementById("copy");
  copy.addEventListener("click", async () => {
    const text = document.getElementById("markdown").content.textContent;
    try {
      await navigator.clipboard.writeText(text);
      copy.textContent = "Copied";
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      copy.textContent = document.execCommand("copy") ? "Copied" : "Not copied";
      area.remove();
      copy.focus();
    }
  });

  // Menus where the filters have no column of their own.
  const narrow = matchMedia("(max-width:1000px)");
  const arrange = () => { for (const menu of menus) menu.open = !narrow.matches; };
  narrow.addEventListener("change", arrange);
  arrange();
  for (const doc of docs.slice(OPEN)) doc.open = false;
  read();
})();
