"""Takes the pictures of the playground that playground/build.py has built: `python .ci/playground_pictures.py BUILT [PICTURES]`.

Each state of the page is opened as a user opens it, at three widths, light and dark. It needs chromium, playwright and pillow.
"""

from __future__ import annotations

import io
import pathlib
import shutil
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from plait.integrations.playground.examples import examples

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Literal

    from playwright.sync_api import Page

    Scheme = Literal["light", "dark"]

PICTURES = pathlib.Path(__file__).parent.parent / "docs" / "pictures"
SIZES = ((1440, 900), (768, 1024), (390, 844))
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
OTHER = "A template and its values"
# Milliseconds for what moves to rest: the strand, the colour of new lines.
REST = 900
EXACT = 128  # colours, of the 256 of a picture


def start(page: Page) -> None:
    """The first example, as a first visit shows it."""
    page.locator("#output", has_text="replicas: 6").wait_for()


def error(page: Page) -> None:
    """An error beside the last good output: a fix makes it, and is undone."""
    show(page, "Why")
    page.locator("#fixes button").first.click()
    page.locator("#told", has_text="There are no errors").wait_for(timeout=300_000)
    page.get_by_role("button", name="Undo the fix").click()
    page.locator("#fixes button").first.wait_for(state="attached")
    page.get_by_role("button", name="Close the message").click()
    show(page, "Why")


def explain(page: Page) -> None:
    """A value with its history, and another value typed over it."""
    page.locator("#output button", has_text="replicas: 6").click()
    page.get_by_label("Change to").fill("12")
    page.locator(".ways input:checked").wait_for()


def steps(page: Page) -> None:
    page.locator("#result-views").get_by_role("button", name="Steps").click()
    page.locator("#step .add").first.wait_for()


def environments(page: Page) -> None:
    page.locator("#environments td").first.wait_for()


def show(page: Page, view: str) -> None:
    """One of the three views of a narrow page; others show all of them."""
    button = page.locator("#views").get_by_role("button", name=view)
    if button.is_visible():
        button.click()


# state: (title of the example, what is done on its page)
STATES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "start": ("Where a value comes from", start),
    "error": ("An overlay that matches nothing", error),
    "explain": ("Where a value comes from", explain),
    "steps": ("Where a value comes from", steps),
    "environments": ("Three environments", environments),
}


def named(state: str, width: int, scheme: str) -> str:
    return f"playground-{state}-{width}-{scheme}.png"


def main() -> None:
    built = pathlib.Path(sys.argv[1])
    pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else PICTURES
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(built)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for name, data in taken(f"http://127.0.0.1:{server.server_address[1]}"):
        (pictures / name).write_bytes(data)
    server.shutdown()


def taken(address: str) -> Iterable[tuple[str, bytes]]:
    """Yields the pictures by their names."""
    from playwright.sync_api import sync_playwright

    names = {one["title"]: one["name"] for one in examples()}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        context = browser.new_context()
        page = context.new_page()
        for state, (title, act) in STATES.items():
            for width, height in SIZES:
                for scheme in SCHEMES:
                    page.emulate_media(color_scheme=scheme)
                    page.set_viewport_size({"width": width, "height": height})
                    # Another example in between: Python begins once, and nothing is left of the picture before.
                    for name in (names[OTHER], names[title]):
                        page.goto(f"{address}/#{name}")
                        page.locator(f'#examples [href="./#{name}"][aria-current]').wait_for()
                        page.evaluate("localStorage.clear()")
                    act(page)
                    # What Python answers replaces what was built in, and looks the same.
                    page.locator("#progress").wait_for(state="hidden", timeout=300_000)
                    page.mouse.move(0, 0)
                    page.evaluate("document.activeElement.blur(), document.fonts.ready.then(() => true)")
                    page.wait_for_timeout(REST)
                    yield named(state, width, scheme), reduced(page.screenshot())
        browser.close()


def reduced(picture: bytes) -> bytes:
    """A picture with a palette, about a third as large. What covers much of it keeps its colour; of the rest, marks keep theirs."""
    from PIL import Image

    image = Image.open(io.BytesIO(picture)).convert("RGB")
    counted = sorted(image.getcolors(image.width * image.height), reverse=True)
    exact, rest = ([colour for _, colour in part] for part in (counted[:EXACT], counted[EXACT:]))
    palette = [part for colour in exact for part in colour]
    number = {colour: index for index, colour in enumerate(exact)}
    if rest:
        others = Image.new("RGB", (len(rest), 1))
        others.putdata(rest)
        chosen = others.quantize(256 - EXACT, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        palette += chosen.getpalette()[: 3 * (256 - EXACT)]
        number |= {colour: EXACT + index for colour, index in zip(rest, chosen.getdata(), strict=True)}
    result = Image.new("P", image.size)
    result.putpalette(palette)
    result.putdata([number[colour] for colour in image.getdata()])
    data = io.BytesIO()
    result.save(data, "PNG", optimize=True)
    return data.getvalue()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


if __name__ == "__main__":
    main()
