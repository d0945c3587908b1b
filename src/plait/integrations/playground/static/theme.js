// Light, dark, or what the system says: chosen by a field, and kept in this browser.
const KEPT = "plait theme";
const THEMES = ["light", "dark"];

// What has colours of its own hears of a choice by the event "theme" of the document.
function put(theme) {
  if (THEMES.includes(theme)) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  document.dispatchEvent(new Event("theme"));
}

export function themeOf(select) {
  let kept = "";
  try {
    kept = localStorage.getItem(KEPT) ?? "";
  } catch {
    // A browser that keeps nothing begins with what the system says.
  }
  put(kept);
  select.value = document.documentElement.dataset.theme ?? "";
  select.addEventListener("change", () => {
    put(select.value);
    try {
      localStorage.setItem(KEPT, select.value);
    } catch {
      // It holds for this visit.
    }
  });
}
