"""How long the playground's page takes: `python benchmarks/playground.py DIRECTORY [--rounds N]`.

DIRECTORY is what `playground/build.py` made. It is served on this machine and opened in Chromium, which `playwright` drives.
Printed are medians in milliseconds: from the navigation to the first output, of a first visit and of later ones, and from an
edit to its output, once Python is there. The times are those of the machine: compare two builds in turns.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from playwright.sync_api import BrowserContext, Page, expect, sync_playwright

EXAMPLE = "#a-template-and-its-values"
LONGEST = 180_000  # milliseconds
# When the output has the text of the example.
WATCH = """new MutationObserver((_, observer) => {
  if (!document.getElementById("output")?.textContent.includes("replicas: 3")) return;
  globalThis.seen = performance.now();
  observer.disconnect();
}).observe(document, { subtree: true, childList: true })"""
# From the event before an edit to the next change of the output.
AWAIT_EDIT = """() => {
  globalThis.edited = new Promise((resolve) => {
    document.getElementById("editor").addEventListener("beforeinput", () => {
      const begun = performance.now();
      new MutationObserver((_, observer) => { observer.disconnect(); resolve(performance.now() - begun); })
        .observe(document.getElementById("output"), { subtree: true, childList: true });
    }, { once: true, capture: true });
  });
}"""
IS_KEPT = """async () => {
  const name = new URL("python.snapshot", location.href).href;
  for (const key of await caches.keys()) if (await (await caches.open(key)).match(name)) return true;
  return false;
}"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing."""


def visit(context: BrowserContext, address: str) -> tuple[Page, float]:
    """A page with the example, and when its output was there."""
    page = context.new_page()
    page.set_default_timeout(LONGEST)
    page.add_init_script(WATCH)
    page.goto(address + EXAMPLE, wait_until="commit")
    expect(page.locator("#output")).to_contain_text("replicas: 3", timeout=LONGEST)
    return page, float(page.evaluate("globalThis.seen"))


def edit(page: Page, number: int) -> float:
    page.evaluate(AWAIT_EDIT)
    page.get_by_label("Text of the file").press("ControlOrMeta+a")
    page.keyboard.insert_text(f"replicas: {number}\n")
    took = float(page.evaluate("globalThis.edited"))
    expect(page.locator("#output")).to_contain_text(f"replicas: {number}", timeout=LONGEST)
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory")
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=given.directory))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}/"
    times: dict[str, list[float]] = {"first output, first visit": [], "first output, later visit": [], "edit": []}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        known = browser.new_context()
        page, _ = visit(known, address)
        while not page.evaluate(IS_KEPT):
            page.wait_for_timeout(300)
        page.close()
        for _ in range(given.rounds):
            for name, context in (("first visit", browser.new_context()), ("later visit", known)):
                page, seen = visit(context, address)
                times[f"first output, {name}"].append(seen)
                page.close()
                if context is not known:
                    context.close()
        page, _ = visit(known, address)
        page.locator("#tabs").get_by_role("button", name="values.yml").click()
        edit(page, 100)  # Python begins
        time.sleep(5)
        times["edit"] = [edit(page, 101 + number) for number in range(given.rounds)]
        browser.close()
    for name, found in times.items():
        print(f"{name}: {statistics.median(found):.0f} ms ({min(found):.0f} to {max(found):.0f})")


if __name__ == "__main__":
    main()
