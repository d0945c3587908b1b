"""The playground's page in a browser, as `plait website` serves it and, where there is a build, as static files."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from browsing import (
    BUILT,
    NEEDS_BUILD,
    SNAPSHOT_IS_KEPT,
    Patience,
    StaticFiles,
    chromium,
    opened,
    running,
    set_patience,
    wait_until,
)
from patience import LONGEST
from plait.integrations.playground import server as server_module
from plait.integrations.playground.server import Playground

TYPE_CHECKING = False
if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

FORMS = ["served", pytest.param("static", marks=NEEDS_BUILD)]


# One browser, and one context of each form, for all modules: the first visit of the build is a start of Python, which takes
# more than a hundred tests.
@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="session", params=FORMS)
def address(request: pytest.FixtureRequest) -> Iterator[str]:
    server_module._SECONDS = LONGEST  # on a busy machine an evaluation takes minutes
    page = Path(BUILT) if request.param == "served-build" else None
    with StaticFiles() if request.param == "static" else Playground("localhost", 0, page) as server, running(server):
        yield server.address


@pytest.fixture(scope="session")
def context(browser: Browser, address: str) -> Iterator[BrowserContext]:
    """Where the pages of an address keep what they have loaded and compiled."""
    from playwright.sync_api import expect

    context = browser.new_context()
    begun = time.monotonic()
    page = opened(context)
    page.goto(address)
    expect(page.locator("#output")).to_contain_text("replicas")
    if "localhost" not in address:
        # A visit that ends before the snapshot is kept leaves all the work to the next one.
        wait_until(page, SNAPSHOT_IS_KEPT, None)
    page.close()
    Patience.follow(time.monotonic() - begun)
    yield context
    context.close()


class Shown:
    """A page that tests use one after the other: in the static build, Python begins once. wrong: what its console tells."""

    def __init__(self, context: BrowserContext) -> None:
        self.page = opened(context)
        self.wrong: list[str] = []
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("console", lambda message: self.wrong.append(message.text) if message.type == "error" else None)


@pytest.fixture(scope="module")
def shown(context: BrowserContext) -> Iterator[Shown]:
    shown = Shown(context)
    yield shown
    shown.page.close()


@pytest.fixture
def alone(context: BrowserContext) -> Iterator[Shown]:
    """A page of the test's own."""
    shown = Shown(context)
    yield shown
    shown.page.close()


# What a visit leaves behind, besides the address.
FORGET = """() => {
  localStorage.clear();
  for (const border of ["border", "why-border"]) document.getElementById(border).dispatchEvent(new MouseEvent("dblclick"));
  document.getElementById("wanted").replaceChildren();
  document.getElementById("typed").value = "";
  document.activeElement.blur();
  for (const one of document.querySelectorAll("#all-examples[aria-expanded=true]")) one.click();
  for (const menu of document.querySelectorAll("#files details[open], details#files[open]")) menu.open = false;
  location.hash = "keys-that-may-be-missing";
}"""


@pytest.fixture
def page(shown: Shown, address: str) -> Iterator[Page]:
    from playwright.sync_api import expect

    page = shown.page
    set_patience(page)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.emulate_media(color_scheme="null", reduced_motion="null")
    if page.url.startswith(address):
        page.evaluate(FORGET)
        expect(page.get_by_role("link", name="Keys that may be missing")).to_have_attribute("aria-current", "page")
    page.goto(f"{address}/#a-template-and-its-values")
    expect(page.locator("#output")).to_contain_text("replicas: 3")
    expect(page.get_by_label("Text of the file")).to_be_visible()  # it is loaded last
    shown.wrong.clear()
    yield page
    assert shown.wrong == []
