// The borders between the parts of the page: dragged, or moved by the arrow keys; a double click puts one back. The browser
// keeps where they are.
const KEPT = "plait borders";
const STEP = 2; // percent, by a key
const [LEAST, MOST] = [20, 80];

// border: the element. property: of `main`, which has the place in percent. placeOf(event): that place of a pointer.
// initial(): the place, in percent, where the page puts it. onMove is called when it has moved.
export function moveBorder(border, main, property, { placeOf, initial, keys: [less, more], onMove }) {
  let place = kept()[property] ?? null;
  const put = (wanted) => {
    place = wanted === null ? null : Math.round(Math.max(LEAST, Math.min(MOST, wanted)) * 10) / 10;
    if (place === null) main.style.removeProperty(property);
    else main.style.setProperty(property, `${place}%`);
    border.setAttribute("aria-valuenow", `${Math.round(place ?? initial())}`);
    onMove();
  };
  const keep = () => {
    try {
      localStorage.setItem(KEPT, JSON.stringify({ ...kept(), [property]: place ?? undefined }));
    } catch {
      // A browser that keeps nothing has the border in its first place on the next visit.
    }
  };
  border.setAttribute("aria-valuemin", `${LEAST}`);
  border.setAttribute("aria-valuemax", `${MOST}`);
  border.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    border.focus();
    border.setPointerCapture(event.pointerId);
  });
  border.addEventListener("pointermove", (event) => { if (border.hasPointerCapture(event.pointerId)) put(placeOf(event)); });
  border.addEventListener("pointerup", keep);
  border.addEventListener("dblclick", () => { put(null); keep(); });
  border.addEventListener("keydown", (event) => {
    const here = place ?? initial();
    const to = { [less]: here - STEP, [more]: here + STEP, Home: LEAST, End: MOST, Enter: null }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    put(to);
    keep();
  });
  put(place);
}

function kept() {
  try {
    const found = JSON.parse(localStorage.getItem(KEPT) ?? "{}");
    return Object.fromEntries(Object.entries(found ?? {}).filter(([, place]) => Number.isFinite(place)));
  } catch {
    return {};
  }
}
