"""Chromium for tests. Every wait for it ends: no test stays in a page that says nothing."""

from __future__ import annotations

import faulthandler
import os
import pathlib
import shutil
import signal
import sys
import threading
import time
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from patience import LONGEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from socketserver import BaseServer

    from playwright.sync_api import Browser, BrowserContext, Page

CHROMIUM = shutil.which("chromium")
# What playground/build.py has built, if PLAIT_PLAYGROUND names it.
BUILT = os.environ.get("PLAIT_PLAYGROUND", "")
NEEDS_BUILD = pytest.mark.skipif(not BUILT, reason="PLAIT_PLAYGROUND names no build")
# Without a build it may be missing. With one it is there, or the tests of it fail.
AXE = pathlib.Path(__file__).parents[1] / "playground" / "node_modules" / "axe-core" / "axe.min.js"
HAS_AXE = bool(BUILT) or AXE.exists()
NEEDS_AXE = pytest.mark.skipif(not HAS_AXE, reason="npm ci in playground has not installed axe-core")
SHORT = 20  # seconds of a wait after one that was in vain: what is broken for one test is broken for most


class Patience:
    """Seconds that a wait for a page may take. What is waited for in vain shows only then."""

    seconds = LONGEST / 4

    @classmethod
    def follow(cls, first_visit: float) -> None:
        """A first visit took so many seconds: on this machine, as busy as it is, no later wait takes a multiple of them.

        The least is what a wait of a few seconds takes if the machine gets busy afterwards.
        """
        cls.seconds = min(cls.seconds, max(100, 6 * first_visit))


def set_patience(page: Page) -> None:
    """Limits the waits of a page, and those of all expectations."""
    from playwright.sync_api import expect

    expect.set_options(timeout=Patience.seconds * 1000)
    page.set_default_timeout(Patience.seconds * 1000)


def opened(context: BrowserContext | Browser) -> Page:
    page = context.new_page()
    set_patience(page)
    return page


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser, without which a test is skipped."""
    sync_api = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    with sync_api.sync_playwright() as driver:
        browser: Browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def bounded(seconds: float = LONGEST) -> Iterator[None]:
    """Ends the browsers of this process after a time, so that whatever waits for one fails.

    Playwright limits waits for elements, but neither scripts, whose promises may never be kept, nor the end of a browser.
    """
    timer = threading.Timer(seconds, _end_browsers)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def _end_browsers() -> None:
    faulthandler.dump_traceback(file=sys.__stderr__ or 2)
    Patience.seconds = SHORT
    for process in _drivers():
        with suppress(OSError):
            os.kill(process, signal.SIGKILL)


def _drivers() -> Iterator[int]:
    """The drivers of Playwright that this process has started; a browser ends with its driver. Reads /proc."""
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((path / "stat").read_text("utf-8").rpartition(")")[2].split()[1])
            if parent == os.getpid() and b"playwright" in (path / "cmdline").read_bytes():
                yield int(path.name)


@contextmanager
def running(server: BaseServer) -> Iterator[None]:
    """A server that serves meanwhile. It ends with the block, and with the tests at the latest."""
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join(LONGEST)


class StaticFiles(ThreadingHTTPServer):
    """A server of the build that knows nothing of plait."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), partial(_Quiet, directory=BUILT))
        self.address = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Pages are closed while they load."""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


# True once the browser keeps a snapshot of Python. With a text, it keeps that one instead.
SNAPSHOT_IS_KEPT = """async (text) => {
  const name = new URL("python.snapshot", location.href).href;
  for (const key of await caches.keys()) {
    const cache = await caches.open(key);
    if (await cache.match(name)) return text === null || cache.put(name, new Response(text)).then(() => true);
  }
  return false;
}"""


def wait_until(page: Page, function: str, argument: object) -> None:
    """Wait for an asynchronous function that gives true. It may take a first start of Python."""
    end = time.monotonic() + LONGEST
    while not page.evaluate(function, argument):
        assert time.monotonic() < end
        page.wait_for_timeout(100)


def write(page: Page, text: str) -> None:
    """Type over the file that is shown. By keys: of a selection that a script makes an editor hears only later."""
    page.get_by_label("Text of the file").press("ControlOrMeta+a")
    page.keyboard.insert_text(text)
