"""The playground's page in a browser: what a user does there. Needs playwright and a Chromium; skipped without.

It is tested as `plait website` serves it and, where PLAIT_PLAYGROUND names what playground/build.py has built, as static files.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Literal

import pytest

from plait.website.server import Playground

TYPE_CHECKING = False
if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

playwright = pytest.importorskip("playwright.sync_api")
AXE = Path(__file__).parents[2] / "playground" / "node_modules" / "axe-core" / "axe.min.js"
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


BUILT = os.environ.get("PLAIT_PLAYGROUND", "")
NEEDS_BUILD = pytest.mark.skipif(not BUILT, reason="PLAIT_PLAYGROUND names no build")
FORMS = ["served", *(pytest.param(form, marks=NEEDS_BUILD) for form in ("served-build", "static"))]


@pytest.fixture(scope="module", params=FORMS)
def address(request: pytest.FixtureRequest) -> Iterator[str]:
    page = Path(BUILT) if request.param == "served-build" else None
    with StaticFiles() if request.param == "static" else Playground("localhost", 0, page) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.address
        server.shutdown()
        thread.join()


class StaticFiles(ThreadingHTTPServer):
    """A server that knows nothing of plait."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), partial(_Quiet, directory=BUILT))
        self.address = f"http://127.0.0.1:{self.server_address[1]}"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    page = browser.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.goto(address)
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 3", timeout=10_000)
    yield page
    page.close()
    assert wrong == []


def test_an_edit_shows_in_the_output(page: Page) -> None:
    page.get_by_role("button", name="values.yml").click()
    page.get_by_label("Text of the file").fill("replicas: 12\n")
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 12")


def test_an_error_is_told_and_its_line_marked(page: Page) -> None:
    page.get_by_role("button", name="app.yml").click()
    page.get_by_label("Text of the file").fill("a: 1\nb: #@ missing\n")
    playwright.expect(page.locator("#errors")).to_contain_text("app.yml:2")
    playwright.expect(page.locator("#editor .bad-line")).to_have_text("2")


def test_a_value_tells_its_history_by_keyboard(page: Page) -> None:
    page.locator("#output button", has_text="replicas: 3").focus()
    page.keyboard.press("Enter")
    playwright.expect(page.locator("#history")).to_contain_text("values.yml:1")


def test_what_an_overlay_wrote_is_highlighted(page: Page) -> None:
    page.get_by_label("Example").select_option("Where does this value come from")
    playwright.expect(page.locator("#output .changed")).to_have_text("  replicas: 6")


def test_what_an_overlay_matches_is_shown(page: Page) -> None:
    page.get_by_label("Example").select_option("Keys that may be missing, and how many must match")
    page.get_by_role("button", name="annotate.yml").click()
    matches = page.get_by_role("button", name="Line 3 matches 2 documents, changes 2")
    matches.click()
    assert page.locator("#output .matched").count() == 11
    page.get_by_role("button", name="namespaces.yml").click()
    playwright.expect(matches).to_have_count(0)
    playwright.expect(page.locator("#output .matched")).to_have_count(0)


def test_a_link_opens_the_same_files(page: Page, browser: Browser) -> None:
    page.get_by_label("Example").select_option("Operations and variables")
    page.get_by_label("Text of the file").fill("größe: ((domain))\n")
    page.get_by_role("button", name="scale.yml").click()
    page.get_by_role("button", name="Remove file").click()
    page.get_by_role("button", name="Copy link").click()
    page.wait_for_url("**/#*")
    other = browser.new_page()
    other.goto(page.url)
    playwright.expect(other.locator("#output")).to_contain_text("größe: web.example.com")
    other.close()


def test_a_pipeline_and_layers_are_evaluated(page: Page) -> None:
    page.get_by_label("Example").select_option("Two steps, in two dialects")
    playwright.expect(page.locator("#output")).to_contain_text("image: app:2")
    page.get_by_label("Example").select_option("Three layers, actions in order, a substitution")
    playwright.expect(page.locator("#output")).to_contain_text("gateway: 10.0.0.1")


def test_the_output_can_be_downloaded(page: Page) -> None:
    with page.expect_download() as waited:
        page.get_by_role("button", name="Download output").click()
    assert waited.value.suggested_filename == "output.yml"
    assert "replicas: 3" in waited.value.path().read_text("utf-8")


def test_what_takes_too_long_is_ended_and_the_page_goes_on(page: Page) -> None:
    page.get_by_role("button", name="app.yml").click()
    text = page.get_by_label("Text of the file")
    text.fill("#@ def f():\n#@   return [0 for _ in range(1000000000)]\n#@ end\na: #@ f()\n")
    playwright.expect(page.locator("#errors")).to_contain_text("limit", timeout=30_000)
    text.fill("a: 1\n")
    playwright.expect(page.locator("#output")).to_contain_text("a: 1", timeout=10_000)


@pytest.mark.skipif(not BUILT, reason="PLAIT_PLAYGROUND names no build")
def test_a_worker_that_does_not_answer_is_ended(browser: Browser) -> None:
    """A pattern that backtracks without end is one call, which nothing within Python ends in a browser."""
    with StaticFiles() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        page = browser.new_page()
        page.goto(server.address)
        playwright.expect(page.locator("#output")).to_contain_text("replicas: 3", timeout=10_000)
        page.get_by_label("Example").select_option("Three layers, actions in order, a substitution")
        playwright.expect(page.locator("#output")).to_contain_text("gateway: 10.0.0.1")
        page.get_by_role("button", name="documents.yml").click()
        text = page.get_by_label("Text of the file")
        given = text.input_value().replace("gateway: 10.0.0.1", f"gateway: {'a' * 40}")
        text.fill(
            given.replace("dest: {path: .gateway}", "dest: {path: .gateway, pattern: '(a+)+$'}").replace(
                "data: {}", f"data: {{gateway: {'a' * 40}b}}"
            )
        )
        playwright.expect(page.locator("#errors")).to_contain_text("took too long", timeout=40_000)
        text.fill(given)
        playwright.expect(page.locator("#output")).to_contain_text("gateway: aaaa", timeout=10_000)
        page.close()
        server.shutdown()
        thread.join()


@pytest.mark.skipif(not AXE.exists(), reason="playground/build.py has not installed axe-core")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_axe_finds_nothing(page: Page, scheme: Literal["light", "dark"], width: int) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    page.evaluate(AXE.read_text("utf-8"))
    assert violations(page) == []
    page.get_by_label("Example").select_option("Where does this value come from")
    page.locator("#output .changed").click()
    page.get_by_role("button", name="overlays/production.yml").click()
    page.get_by_role("button", name="Line 4 matches 1 document, changes 1").click()
    playwright.expect(page.locator("#history")).to_contain_text("overlays/production.yml:7")
    assert violations(page) == []
    page.get_by_label("Example").select_option("A value that the schema refuses")
    playwright.expect(page.locator("#errors")).to_contain_text("values.yml:1")
    assert violations(page) == []


def violations(page: Page) -> list[tuple[str, str, str]]:
    """What axe finds on the page as it is; and a line of it that is wider than the window."""
    found = [(one["id"], one["impact"], one["nodes"][0]["html"]) for one in page.evaluate("axe.run()")["violations"]]
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        found.append(("wider than the window", "serious", ""))
    return found
