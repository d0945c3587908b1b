"""The playground's page in a browser: what a user does there. Needs playwright and a Chromium; skipped without.

It is tested as `plait website` serves it and, where PLAIT_PLAYGROUND names what playground/build.py has built, as static files.
"""

from __future__ import annotations

import base64
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
import zlib
from pathlib import Path
from typing import Literal

import pytest

import ci
from browsing import (
    AXE,
    BUILT,
    CHROMIUM,
    HAS_AXE,
    NEEDS_AXE,
    NEEDS_BUILD,
    SNAPSHOT_IS_KEPT,
    StaticFiles,
    opened,
    running,
    wait_until,
    write,
)
from plait.base.version import __version__
from plait.integrations.playground.evaluation import evaluate
from plait.integrations.playground.examples import examples

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    from playwright.sync_api import Browser, Locator, Page, Route

    from plait.integrations.playground.evaluation import File

    class Shared(TypedDict, total=False):
        kind: str
        files: list[File]
        removed: list[str]
        open: str
        line: int
        cell: list[str]
        step: int
        gone: bool
        equal: bool


pytest_plugins = ("page_fixtures",)
playwright = pytest.importorskip("playwright.sync_api")
try_it = ci.load("try_it")
DOCS = Path(__file__).parents[2] / "docs"
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")


def choose(page: Page, title: str) -> None:
    """Open an example. The page hears of an address only after the click: keys must not reach the files before."""
    link = page.get_by_role("navigation", name="Examples").get_by_role("link", name=title)
    link.click()
    playwright.expect(link).to_have_attribute("aria-current", "page")


def remove_file(page: Page) -> None:
    remove = page.get_by_role("button", name="Remove file")
    if not remove.is_visible():
        page.locator("#files summary").click()
    remove.click()


def shared(page: Page) -> Shared:
    """What the link of the page contains besides the example's name."""
    page.get_by_role("button", name="Copy link").click()
    playwright.expect(page.locator("#told")).to_contain_text("The link")
    code = page.url.partition("#")[2].partition("/")[2]
    data: Shared = {}
    if code:
        data = json.loads(zlib.decompress(base64.urlsafe_b64decode(code + "=" * (-len(code) % 4)), wbits=-15))
    return data


def lines(page: Page) -> str:
    """The text of the file that is shown."""
    playwright.expect(page.get_by_label("Text of the file")).to_be_attached()
    text: str
    if page.locator("textarea").count():
        text = page.locator("textarea").input_value()
    else:
        text = "\n".join(page.locator(".cm-line").all_text_contents())
    return text


def test_an_edit_shows_in_the_output(page: Page) -> None:
    page.get_by_role("button", name="values.yml").click()
    write(page, "replicas: 12\n")
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 12")


def test_an_error_is_told_and_its_line_marked(page: Page) -> None:
    page.get_by_role("button", name="app.yml").click()
    write(page, "a: 1\nb: #@ missing\n")
    playwright.expect(page.locator("#errors")).to_contain_text("app.yml:2")
    playwright.expect(page.locator("#editor .bad-line")).to_have_text("2")


def test_a_warning_is_told_like_an_error(page: Page) -> None:
    page.get_by_role("button", name="app.yml").click()
    write(page, "#@overlay/matchh by=1\na: 1\n")
    shown = page.locator("#errors .problem")
    playwright.expect(shown).to_contain_text("1 warning")
    playwright.expect(shown).to_contain_text("S375")
    playwright.expect(page.locator("#output")).to_contain_text("a: 1")
    playwright.expect(page.locator("#editor .bad-line")).to_have_count(0)
    playwright.expect(page.locator("#problems")).to_have_text("")
    shown.get_by_role("link", name="app.yml:1").click()
    playwright.expect(page.locator("#editor")).to_be_visible()


def test_a_value_tells_its_history_by_keyboard(page: Page) -> None:
    page.locator("#output button", has_text="replicas: 3").focus()
    page.keyboard.press("Enter")
    playwright.expect(page.locator(".history li.current")).to_have_text("2data valuesvalues.yml:13replicas: 3")
    playwright.expect(page.locator(".history li")).to_have_count(3)
    places = page.locator(".history .place")
    assert places.all_text_contents() == ["app.yml:7", "schema.yml:4", "values.yml:1"]
    page.keyboard.press("Escape")
    playwright.expect(page.locator(".history")).to_have_count(0)
    playwright.expect(page.locator("#output button", has_text="replicas: 3")).to_be_focused()
    page.keyboard.press("ArrowUp")
    playwright.expect(page.locator("#output button", has_text="name: web")).to_be_focused()


def test_the_line_that_decided_a_value_stands_out(page: Page) -> None:
    """Beside the output, in the history and in the trail: the data value, not the expression that uses it."""
    choose(page, "Where a value comes from")
    row = page.locator("#output .value", has_text="port: 8080")
    playwright.expect(row.locator(".place")).to_have_text("values.yml:2")
    row.get_by_role("button").click()
    playwright.expect(page.locator(".history .current .place")).to_have_text("values.yml:2")
    playwright.expect(page.locator(".card.current .place")).to_have_text("values.yml")
    playwright.expect(page.locator(".strand .full")).to_have_count(1)


def test_a_place_of_a_history_leads_to_its_line(page: Page) -> None:
    choose(page, "Where a value comes from")
    page.get_by_role("link", name="Why is replicas 6?").click()
    playwright.expect(page.locator("#trail .card")).to_have_count(4)
    playwright.expect(page.locator(".strand circle")).to_have_count(4)
    page.locator(".history").get_by_role("link", name="config/schema.yml:3").click()
    playwright.expect(page.locator("#trail")).to_be_hidden()
    playwright.expect(page.get_by_label("Text of the file")).to_be_focused()
    assert lines(page).startswith("#@data/values-schema")
    page.keyboard.insert_text("replicas: 2")
    assert "replicas: 2" in lines(page)
    assert "replicas: 1" not in lines(page)


def test_each_value_is_marked_by_the_file_that_decided_it(page: Page) -> None:
    """Those that an overlay inserted, too."""
    choose(page, "Match, insert, append, remove")
    playwright.expect(page.locator("#output")).to_contain_text("name: proxy")
    marks = {
        row.locator("button").inner_text().strip(): row.locator(".place").inner_text()
        for row in page.locator("#output .value").all()
    }
    assert marks["image: web:2"] == "change.yml:7"
    assert marks["- name: proxy"] == "change.yml:12"
    assert marks["- name: cache"] == "change.yml:16"
    assert marks["image: log:1"] == "base.yml:6"
    assert page.locator("#legend .item").all_text_contents() == ["1base.yml→", "2change.yml"]


def test_an_error_leads_to_its_line_and_the_last_good_output_stays(page: Page) -> None:
    page.get_by_role("button", name="app.yml").click()
    write(page, "a: 1\nb: #@ missing\n")
    playwright.expect(page.locator("#stale")).to_be_visible()
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 3")
    page.get_by_role("button", name="schema.yml").click()
    page.locator("#errors").get_by_role("link", name="app.yml:2").click()
    playwright.expect(page.get_by_label("Text of the file")).to_be_focused()
    page.keyboard.insert_text("b: 2")
    playwright.expect(page.locator("#output")).to_contain_text("b: 2")
    playwright.expect(page.locator("#stale")).to_be_hidden()


def test_a_command_that_fails_on_the_files_offers_an_example(page: Page) -> None:
    page.get_by_role("combobox", name="Command").select_option("compose")
    page.get_by_role("button", name="Open an example of compose").click()
    playwright.expect(page.locator("#output")).to_contain_text("image: app:2")


TOO_MANY = json.dumps({"kind": "render", "files": [{"name": f"{number}.yml", "text": ""} for number in range(201)]})


@pytest.mark.parametrize(
    "hash",
    [
        "#no-such-example",
        "#/AAAA",
        "#/%00",
        f"#/{base64.b64encode(zlib.compress(b' ' * 10_000_000, 9, wbits=-15)).decode()}",
        f"#/{base64.b64encode(zlib.compress(TOO_MANY.encode(), wbits=-15)).decode()}",
    ],
    ids=["no example", "no code", "no text", "too large", "too many files"],
)
def test_a_link_that_cannot_be_read_says_so(page: Page, address: str, hash: str) -> None:
    other = opened(page.context)
    other.goto(f"{address}/{hash.replace('+', '-').replace('=', '')}")
    playwright.expect(other.locator("#told")).to_contain_text("cannot be read")
    playwright.expect(other.locator("#output")).to_contain_text("replicas")
    other.close()


def test_a_link_of_an_example_has_the_edits_alone(page: Page) -> None:
    page.get_by_role("button", name="values.yml").click()
    write(page, "replicas: 12\n")
    assert shared(page) == {
        "files": [{"name": "values.yml", "text": "replicas: 12\n", "role": "values"}],
        "open": "values.yml",
    }
    assert "#a-template-and-its-values/" in page.url


def test_the_address_follows_each_edit(page: Page) -> None:
    before = page.url
    page.get_by_role("button", name="values.yml").click()
    write(page, "replicas: 12\n")
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 12")
    assert page.url != before
    page.get_by_role("button", name="Steps").click()
    playwright.expect(page.locator("#step")).to_contain_text("replicas: 12")
    kept = page.url
    page.goto("about:blank")
    page.goto(kept)
    playwright.expect(page.locator("#step")).to_contain_text("replicas: 12")


def test_the_header_tells_what_plait_is_and_where_files_go(page: Page, address: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(f"{request.method} {request.url} {request.post_data or ''}"))
    playwright.expect(page.get_by_role("banner")).to_contain_text("patches, templates and layers YAML")
    page.get_by_role("button", name="values.yml").click()
    write(page, "replicas: 12\n")
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 12")
    if "localhost" in address:
        playwright.expect(page.locator("#note")).to_contain_text("Files go to plait on this machine, and nowhere else.")
        assert [one for one in asked if not one.startswith(f"POST {address}/evaluate ")] == []
    else:
        playwright.expect(page.locator("#note")).to_contain_text("Nothing leaves this browser.")
        banner = page.get_by_role("banner")
        playwright.expect(banner.get_by_role("link", name="Docs")).to_have_attribute("href", "../")
        playwright.expect(banner.get_by_role("link", name="Install")).to_have_attribute("href", "../tutorial/#install")
        assert [one for one in asked if not one.startswith(f"GET {address}/") or "replicas" in one] == []


def files_of(title: str) -> list[File]:
    [files] = [one["files"] for one in examples() if one["title"] == title]
    return files


def copied(page: Page) -> str:
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def copied_as_markdown(page: Page) -> str:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy as Markdown").click()
    playwright.expect(page.get_by_role("button", name="Copied")).to_be_visible()
    playwright.expect(page.get_by_role("button", name="Copied")).to_have_count(0)
    return copied(page)


def markdown(page: Page, files: list[File], last: str) -> str:
    """What is copied of files and of what they give, `last`: each in a block, then the link."""
    command = "plait render -f schema.yml -f app.yml --data-values-file values.yml"
    blocks = [f"`{one['name']}`:\n\n```yaml\n{one['text']}```\n\n" for one in files]
    link = f"plait {__version__}, [in its playground]({page.url})\n"
    return f"{''.join(blocks)}```console\n$ {command}\n```\n\n{last}\n{link}"


def test_an_explanation_is_copied_as_markdown_and_as_a_command(page: Page) -> None:
    page.locator("#output button", has_text="replicas: 3").click()
    text = copied_as_markdown(page)
    output = "\n".join(page.locator("#output .c").all_text_contents())
    assert "replicas: 3" in output
    assert text == markdown(page, files_of("A template and its values"), f"```yaml\n{output}\n```\n")
    assert list(shared(page)) == ["line"], "the link opens the explanation"
    page.get_by_role("button", name="Copy command").click()
    playwright.expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert copied(page) == "plait render -f schema.yml -f app.yml --data-values-file values.yml"


def test_an_error_is_copied_as_markdown(page: Page) -> None:
    """With the report of the command line, and a link to the files as they are."""
    page.get_by_role("button", name="app.yml").click()
    write(page, "a: 1\nb: #@ missing\n")
    playwright.expect(page.locator("#errors")).to_contain_text("app.yml:2")
    text = copied_as_markdown(page)
    files = files_of("A template and its values")
    for one in files:
        if one["name"] == "app.yml":
            one["text"] = "a: 1\nb: #@ missing\n"
    report = evaluate({"kind": "render", "files": files})["report"]
    assert "app.yml:2" in report
    assert text == markdown(page, files, "```text\n" + report.removesuffix("\n") + "\n```\n")
    assert [one["text"] for one in shared(page)["files"]] == ["a: 1\nb: #@ missing\n"]


MARKUP = "<img src=x onerror=alert(1)>"
HOSTILE = {
    "an explanation and its steps": {
        f"{MARKUP}.yml": f"#@ load('@ytt:data', 'data')\na: #@ data.values['{MARKUP}']\n'{MARKUP}': '{MARKUP}'\n",
        f"{MARKUP} schema.yml": f"#@data/values-schema\n---\n'{MARKUP}': '{MARKUP}'\n",
    },
    "environments": {
        f"{MARKUP}.yml": f"#@ load('@ytt:data', 'data')\na: #@ data.values['{MARKUP}']\n",
        f"{MARKUP} schema.yml": f"#@data/values-schema\n---\n'{MARKUP}': '{MARKUP}'\n",
        f"{MARKUP} one.yml": f"'{MARKUP}': '{MARKUP} 1'\n",
        f"{MARKUP} two.yml": f"'{MARKUP}': '{MARKUP} 2'\n",
    },
    "an error and its fixes": {
        "base.yml": f"kind: '{MARKUP}'\n",
        "<img>.yml": f"#@ load('@ytt:overlay', 'overlay')\n#@overlay/match by=overlay.subset({{'kind': '{MARKUP} '}})\n---\na: 1\n",
    },
}


@pytest.mark.parametrize("case", HOSTILE)
def test_markup_in_names_and_texts_is_text_in_all_views(page: Page, address: str, case: str) -> None:
    files = [
        {"name": name, "text": text, "role": "values" if name.endswith(("one.yml", "two.yml")) else "input"}
        for name, text in HOSTILE[case].items()
    ]
    packed = zlib.compress(json.dumps({"kind": "render", "files": files}).encode(), wbits=-15)
    asked: list[str] = []
    page.on("dialog", lambda dialog: asked.append(dialog.message))
    page.goto(f"{address}/#/{base64.urlsafe_b64encode(packed).decode().rstrip('=')}")
    if case == "an error and its fixes":
        playwright.expect(page.locator("#fixes button").first).to_be_attached()
        page.locator("#errors").get_by_role("link").first.click()
    elif case == "environments":
        page.get_by_role("button", name="Environments").click()
        playwright.expect(page.locator("#environments td").last).to_contain_text(f"{MARKUP} 2")
    else:
        page.locator("#output button").first.click()
        playwright.expect(page.locator(".history")).to_contain_text(MARKUP)
        page.get_by_label("Change to").fill(f"{MARKUP} 2")
        playwright.expect(page.locator(".ways")).not_to_contain_text(re.compile("tries|Type another"))
        page.get_by_role("button", name="Steps").click()
        playwright.expect(page.locator("#step")).to_contain_text(MARKUP)
    page.locator("#files summary").click()
    assert page.evaluate("document.querySelectorAll('body img, [onerror]').length") == 0
    assert asked == []
    page.keyboard.press("Escape")


def test_names_and_texts_of_a_link_are_shown_as_text(page: Page, address: str) -> None:
    markup = "<img src=x onerror=alert(1)>"
    name = f"{markup.replace('/', '')}.yml"
    text = f"a: '{markup}'\nb: {markup}\nc: 'line\u2028separator'\n"
    files = [{"name": name, "text": text}, {"name": "b.yml", "text": "c: 1\n"}]
    packed = zlib.compress(json.dumps({"kind": "render", "files": files, "line": 1}).encode(), wbits=-15)
    other = opened(page.context)
    asked: list[str] = []
    other.on("dialog", lambda dialog: asked.append(dialog.message))
    other.goto(f"{address}/#/{base64.urlsafe_b64encode(packed).decode().rstrip('=')}")
    playwright.expect(other.locator("#output")).to_contain_text(markup)
    assert other.locator("img:not(.cm-widgetBuffer)").count() == 0
    assert asked == []
    other.close()


def test_edits_are_there_on_the_next_visit(page: Page, address: str) -> None:
    page.get_by_role("button", name="values.yml").click()
    write(page, "replicas: 12\n")
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 12")
    page.goto("about:blank")
    page.goto(address)
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 12")


def test_a_value_that_is_typed_over_is_changed_in_its_source(page: Page) -> None:
    page.locator("#output button", has_text="replicas: 3").focus()
    page.keyboard.type("5")
    playwright.expect(page.get_by_label("Change to")).to_have_value("5")
    ways = page.get_by_role("radiogroup", name="Where to change it")
    playwright.expect(ways.get_by_role("radio", name=re.compile("^values.yml:1"))).to_be_checked()
    playwright.expect(ways.get_by_role("radio", name="schema.yml:4")).to_be_disabled()
    page.keyboard.press("Enter")
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 5")
    playwright.expect(page.locator("#told")).to_have_text("Changed values.yml:1 to replicas: 5")
    page.get_by_role("button", name="File", exact=True).click()
    playwright.expect(page.locator("#editor .deciding", has_text="replicas")).to_have_text("replicas: 5")
    assert lines(page).startswith("replicas: 5")
    page.get_by_role("button", name="Undo").click()
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 3")
    assert lines(page).startswith("replicas: 3")


def test_a_change_is_made_at_the_place_that_is_chosen(page: Page) -> None:
    """Not at the first one, which is there before."""
    choose(page, "Where a value comes from")
    page.locator("#output button", has_text="replicas: 6").click()
    page.get_by_label("Change to").fill("12")
    ways = page.get_by_role("radiogroup", name="Where to change it")
    playwright.expect(ways.get_by_role("radio", name=re.compile("^values.yml:1"))).to_be_checked()
    ways.get_by_role("link", name="production.yml:7").click()
    playwright.expect(ways.get_by_role("radio", name=re.compile("^production.yml:7"))).to_be_checked()
    page.get_by_role("button", name="Change source").click()
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 12")
    playwright.expect(page.locator("#told")).to_contain_text("Changed overlays/production.yml:7 to replicas: ")
    assert [one["name"] for one in shared(page)["files"]] == ["overlays/production.yml"]


def test_a_link_opens_the_explained_value_and_the_open_file(page: Page) -> None:
    choose(page, "Where a value comes from")
    page.locator("#tabs").get_by_role("button", name="schema.yml").click()
    page.locator("#output button", has_text="port: 8080").click()
    playwright.expect(page.locator(".history .current .place")).to_have_text("values.yml:2")
    given = shared(page)
    assert given["open"] == "config/schema.yml"
    page.reload()
    playwright.expect(page.locator(".history .current .place")).to_have_text("values.yml:2")
    row = page.locator("#output .hl")
    playwright.expect(row).to_contain_text("port: 8080")
    playwright.expect(row).to_have_attribute("data-line", str(given["line"]))
    playwright.expect(page.locator("#name")).to_have_value("config/schema.yml")
    assert shared(page) == given


def test_a_value_that_no_line_gives_tells_why_and_leads_to_the_lines(page: Page) -> None:
    """Twice the data value is 6: no whole number gives 5, and 6 gives 12."""
    choose(page, "Where a value comes from")
    page.locator("#output button", has_text="replicas: 6").click()
    page.get_by_label("Change to").fill("5")
    ways = page.get_by_role("radiogroup", name="Where to change it")
    playwright.expect(ways.locator("p")).to_have_text("No line of the files gives 5. A new file does.")
    playwright.expect(ways.locator("label").first).to_have_text("values.yml:1gives 10")
    playwright.expect(ways.get_by_role("radio", name=re.compile("^overlay.yml"))).to_be_checked()
    page.get_by_label("Change to").fill("12")
    playwright.expect(ways.locator("p")).to_have_count(0)
    playwright.expect(ways.get_by_role("radio", name="values.yml:1 becomes 6")).to_be_checked()
    ways.get_by_role("link", name="production.yml:7").click()
    playwright.expect(page.get_by_label("Text of the file")).to_be_focused()
    page.keyboard.insert_text("  replicas: 4")
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 12")


def test_a_fix_is_a_button(page: Page) -> None:
    page.get_by_role("button", name="app.yml").click()
    write(page, '#@ load("@ytt:data", "data")\n---\nreplicas: #@ data.values.replcas\n')
    page.get_by_role("button", name="Change to replicas").click()
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 3")
    playwright.expect(page.locator("#stale")).to_be_hidden()
    assert "data.values.replicas" in lines(page)


def test_an_overlay_that_matches_nothing_is_fixed_by_a_button(page: Page) -> None:
    """The nearest document is the first one named, and the file with the error is shown."""
    choose(page, "An overlay that matches nothing")
    found = page.locator("#errors dt:text-is('found') + dd").first
    playwright.expect(found).to_contain_text("ConfigMap/settings, app.yml:4")
    assert lines(page).startswith('#@ load("@ytt:overlay"')
    page.locator("#errors").get_by_role("link", name="app.yml:4").click()
    playwright.expect(page.get_by_role("button", name="app.yml", exact=True)).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="production.yml, has an error").click()
    page.locator("#fixes").get_by_role("button").first.click()
    playwright.expect(page.locator("#output")).to_contain_text("log-level: warning")
    assert '"kind": "ConfigMap"' in lines(page)


def test_the_line_of_a_matcher_is_marked(page: Page) -> None:
    """Not the document that has it above itself."""
    choose(page, "An overlay that matches nothing")
    playwright.expect(page.locator("#editor .bad-line")).to_have_text("2")


def test_a_fix_that_only_allows_the_fault_is_not_the_first_choice(page: Page) -> None:
    choose(page, "An overlay that matches nothing")
    playwright.expect(page.locator("#fixes .primary")).to_contain_text("Change to ConfigMap")
    write(
        page,
        '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=overlay.subset({"stage": "production"})\n---\ndata: {a: 1}\n',
    )
    playwright.expect(page.locator("#fixes button")).to_have_text([re.compile("Add missing_ok=True")])
    playwright.expect(page.locator("#fixes .primary")).to_have_count(0)


@pytest.mark.parametrize("view", ["Source", "Output", "Why"])
def test_each_view_of_a_narrow_page_fills_it(page: Page, view: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    choose(page, "A value the schema refuses")
    playwright.expect(page.locator("#errors")).to_contain_text("values.yml:1")
    page.get_by_role("navigation", name="View", exact=True).get_by_role("button", name=view).click()
    frame = page.locator("#main").bounding_box()
    boxes = [box for one in page.locator("#main > section").all() if (box := one.bounding_box()) is not None]
    assert frame is not None
    assert abs(frame["y"] - min(box["y"] for box in boxes)) <= 1
    assert abs(frame["height"] - sum(box["height"] for box in boxes)) <= 1


def test_steps_build_the_output_up(page: Page) -> None:
    choose(page, "Match, insert, append, remove")
    playwright.expect(page.locator("#output")).to_contain_text("name: proxy")
    page.get_by_role("button", name="Steps").click()
    slider = page.get_by_role("slider", name="Step")
    playwright.expect(slider).to_have_attribute("aria-valuetext", "change, overlay")
    playwright.expect(page.locator("#step .del").first).to_have_text("−removed  image: web:1")
    playwright.expect(page.locator("#step .add").first).to_contain_text("change.yml:7")
    playwright.expect(page.locator("#editor .deciding", has_text="image: web:2")).to_have_count(1)
    slider.focus()
    page.keyboard.press("ArrowLeft")
    playwright.expect(slider).to_have_attribute("aria-valuetext", "templates, render")
    playwright.expect(page.locator("#step")).to_contain_text("debug: true")
    playwright.expect(page.locator("#step .add")).to_have_count(0)
    page.get_by_role("button", name="Next: change").click()
    playwright.expect(page.locator("#step .add")).to_have_count(5)
    assert shared(page) == {"open": "change.yml", "view": "steps"}
    page.reload()
    playwright.expect(page.locator("#step .add")).to_have_count(5)


def test_a_link_shows_the_step_that_is_looked_at(page: Page) -> None:
    choose(page, "Where a value comes from")
    page.get_by_role("button", name="Steps").click()
    slider = page.get_by_role("slider", name="Step")
    playwright.expect(slider).to_have_attribute("aria-valuetext", "production, overlay")
    # The file of a step is shown once there is an answer.
    playwright.expect(page.locator("#tabs [aria-pressed=true]")).to_have_attribute("title", "overlays/production.yml")
    slider.press("ArrowLeft")
    playwright.expect(slider).to_have_attribute("aria-valuetext", "templates, render")
    step = page.locator("#step").inner_text()
    assert shared(page) == {"open": "overlays/production.yml", "view": "steps", "step": 1}
    page.reload()
    playwright.expect(slider).to_have_attribute("aria-valuetext", "templates, render")
    playwright.expect(page.locator("#explanation")).to_contain_text("Step 2 of 3")
    assert page.locator("#step").inner_text() == step
    slider.press("End")
    assert "step" not in shared(page), "the last one is what a link without a step shows"
    slider.press("Home")
    page.get_by_role("button", name="Output", exact=True).click()
    assert {"view", "step"}.isdisjoint(shared(page))


def test_the_file_of_a_step_that_was_chosen_before_there_is_an_answer_is_shown(page: Page) -> None:
    choose(page, "Where a value comes from")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/evaluate", hold)
    page.reload()
    page.get_by_role("button", name="Steps").click()
    for route in held:
        route.continue_()
    page.unroute("**/evaluate")
    shown = page.locator("#tabs [aria-pressed=true]")
    playwright.expect(shown).to_have_attribute("title", "overlays/production.yml")
    page.get_by_role("button", name="values.yml", exact=True).click()
    page.get_by_label("Text of the file").press("Control+End")
    page.keyboard.type("# a note")
    playwright.expect(page.locator("#progress")).to_be_hidden()
    playwright.expect(shown).to_have_attribute("title", "values.yml")


def test_the_last_step_is_followed_when_there_are_more(page: Page) -> None:
    page.get_by_role("button", name="Steps").click()
    told = page.locator("#explanation")
    playwright.expect(told).to_contain_text("Step 2 of 2")
    page.get_by_role("button", name="app.yml", exact=True).click()
    overlay = '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=overlay.all\n---\n#@overlay/match missing_ok=True\nb: 2\n'
    write(page, f"a: 1\n---\n{overlay}")
    playwright.expect(told).to_contain_text("Step 3 of 3")


def test_a_link_shows_removed_lines_and_equal_values(page: Page) -> None:
    choose(page, "Match, insert, append, remove")
    page.get_by_label("removed lines").check()
    playwright.expect(page.locator("#output del")).to_have_text("removed:   debug: true")
    assert shared(page) == {"gone": True}
    page.reload()
    playwright.expect(page.locator("#output del")).to_have_text("removed:   debug: true")
    playwright.expect(page.get_by_label("removed lines")).to_be_checked()
    choose(page, "Three environments")
    page.get_by_label("show all").check()
    assert shared(page) == {"equal": True}
    page.reload()
    rows = page.locator("#environments tr[data-name]")
    playwright.expect(rows.nth(4)).to_be_visible()
    playwright.expect(page.get_by_label("show all")).to_be_checked()
    page.get_by_label("show all").uncheck()
    playwright.expect(rows).to_have_count(4)
    assert page.url.endswith("#three-environments")


@pytest.mark.parametrize("step", [-1, 1.5, "1", [1], {}, True, None, 99, 1e300])
def test_a_step_that_there_is_not_is_the_last_one(page: Page, address: str, step: object) -> None:
    packed = zlib.compress(json.dumps({"view": "steps", "step": step, "gone": 1, "equal": "x"}).encode(), wbits=-15)
    page.goto(f"{address}/#where-a-value-comes-from/{base64.urlsafe_b64encode(packed).decode().rstrip('=')}")
    playwright.expect(page.locator("#explanation")).to_contain_text("Step 3 of 3")
    if step not in (99, 1e300):
        assert shared(page) == {"view": "steps"}


def test_removed_lines_are_shown_struck_through(page: Page) -> None:
    choose(page, "Match, insert, append, remove")
    page.get_by_label("removed lines").check()
    playwright.expect(page.locator("#output del")).to_have_text("removed:   debug: true")
    page.locator("#output .gone").get_by_role("link", name="change.yml:9").click()
    playwright.expect(page.get_by_label("Text of the file")).to_be_focused()
    page.get_by_label("removed lines").uncheck()
    playwright.expect(page.locator("#output del")).to_have_count(0)


def test_environments_stand_side_by_side(page: Page) -> None:
    choose(page, "Three environments")
    row = page.locator("#environments tr", has_text="spec.replicas")
    playwright.expect(row.locator("td")).to_have_text(["5eu.yml:2", "9us.yml:2", "2schema default schema.yml:4"])
    playwright.expect(page.locator("#environments thead")).to_contain_text("4 values differ")
    row.get_by_role("link", name="us.yml:2").click()
    playwright.expect(page.get_by_label("Text of the file")).to_be_focused()
    page.keyboard.insert_text("replicas: 5")
    playwright.expect(row.locator("td").nth(1)).to_have_text("5us.yml:2")
    choose(page, "Loops, conditions, functions")
    page.get_by_role("button", name="Environments").click()
    playwright.expect(page.locator("#environments")).to_contain_text("compares what each of several files")


def test_what_has_no_answer_yet_says_that_it_is_evaluated(page: Page) -> None:
    page.get_by_role("button", name="values.yml").click()
    write(page, "replicas: 12\n")
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 12")
    address = page.url
    other = page.context.new_page()
    other.add_init_script("""
      globalThis.Worker = class { postMessage() {} terminate() {} };
      const given = fetch;
      globalThis.fetch = (address, ...more) => (address === "evaluate" ? new Promise(() => {}) : given(address, ...more));
    """)
    other.goto(address)
    playwright.expect(other.locator("#output")).to_contain_text("Evaluating …")
    other.close()


def test_what_is_copied_of_an_environment_is_its_own(page: Page) -> None:
    choose(page, "Three environments")
    row = page.locator("#environments tr", has_text="spec.replicas")
    playwright.expect(page.locator("#command-row")).to_be_hidden()
    row.locator("td").nth(1).get_by_role("button").click()
    name = row.locator("td").nth(1).get_attribute("data-file")
    playwright.expect(page.locator("#arguments")).to_contain_text(f"--data-values-file {name}")
    text = copied_as_markdown(page)
    assert text.count("--data-values-file") == 1
    assert f"--data-values-file {name}\n" in text
    assert f"replicas: {row.locator('td').nth(1).locator('button').first.inner_text().split()[0]}" in text
    page.get_by_role("button", name="Copy command").click()
    playwright.expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert copied(page).count("--data-values-file") == 1


def test_environments_show_what_is_the_same_in_all_if_that_is_wanted(page: Page) -> None:
    choose(page, "Three environments")
    rows = page.locator("#environments tr[data-name]")
    playwright.expect(rows).to_have_count(4)
    page.get_by_label("show all").check()
    playwright.expect(rows.first).to_be_visible()
    playwright.expect(page.locator("#environments")).to_contain_text("4 values differ")
    equal = int(page.locator("#environments .foot").inner_text().split(" other")[0].split()[-1])
    playwright.expect(rows).to_have_count(4 + equal)
    playwright.expect(page.get_by_label("show all")).to_be_focused()
    page.get_by_label("show all").uncheck()
    playwright.expect(rows).to_have_count(4)


def test_equal_environments_say_so_and_can_be_shown(page: Page) -> None:
    page.get_by_role("button", name="Environments").click()
    page.get_by_role("button", name="Add a copy of values.yml and compare").click()
    playwright.expect(page.locator("#environments")).to_contain_text("Nothing differs")
    playwright.expect(page.locator("#environments tr[data-name]")).to_have_count(0)
    page.get_by_label("show all").check()
    playwright.expect(page.locator("#environments tr[data-name]").first).to_be_visible()


def test_the_theme_is_chosen_and_remembered(page: Page, address: str) -> None:
    page.emulate_media(color_scheme="light")
    ground = "getComputedStyle(document.getElementById('source')).backgroundColor"
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.get_by_label("Theme").select_option("Dark")
    assert page.evaluate(ground) == "rgb(19, 23, 30)"
    page.reload()
    playwright.expect(page.get_by_label("Theme")).to_have_value("dark")
    assert page.evaluate(ground) == "rgb(19, 23, 30)"
    page.get_by_label("Theme").select_option("System")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(ground) == "rgb(19, 23, 30)"


def test_the_version_of_plait_is_shown(page: Page) -> None:
    playwright.expect(page.locator("#version")).to_have_text(f"plait {__version__}")


def test_an_error_begins_with_a_plain_sentence(page: Page) -> None:
    """Then follow the words of ytt, and places that are not parts of these are links."""
    choose(page, "An overlay that matches nothing")
    problem = page.locator("#errors .problem").first
    playwright.expect(problem.get_by_role("heading")).to_contain_text("An overlay matches nothing")
    playwright.expect(problem.locator(".said")).to_have_text("Expected number of matched nodes to be 1, but was 0")
    problem.get_by_role("link", name="app.yml:4").click()
    playwright.expect(page.locator("#name")).to_have_value("app.yml")


def test_a_value_of_an_environment_tells_its_history(page: Page) -> None:
    choose(page, "Three environments")
    row = page.locator("#environments tr", has_text="spec.replicas")
    row.get_by_role("button", name="9", exact=True).click()
    playwright.expect(page.locator(".why-head h2")).to_have_text("us · Deployment/web:spec.replicas")
    playwright.expect(page.locator(".history .current .place")).to_have_text("values/us.yml:2")
    playwright.expect(page.locator("#trail .card")).to_have_count(3)
    page.keyboard.press("Escape")
    playwright.expect(page.locator(".history")).to_have_count(0)
    page.get_by_role("button", name="Output", exact=True).first.click()
    playwright.expect(page.locator("#layered")).to_contain_text("3 files of values, merged: the last one wins")


def test_files_without_environments_get_one_by_a_button(page: Page) -> None:
    page.get_by_role("button", name="Environments").click()
    playwright.expect(page.locator("#environments")).to_contain_text("compares what each of several files")
    page.get_by_role("button", name="Add a copy of values.yml and compare").click()
    playwright.expect(page.locator("#environments")).to_contain_text("0 values differ")
    playwright.expect(page.locator("#environments")).to_contain_text("change a value in one of these files")
    write(page, "replicas: 8\n")
    playwright.expect(page.locator("#environments td")).to_have_text(["3values.yml:1", "8values-2.yml:1"])
    choose(page, "Layers and a substitution")
    page.get_by_role("button", name="Environments").click()
    playwright.expect(page.locator("#environments")).to_contain_text("The command layer has none")
    page.get_by_role("link", name="Open an example: Three environments").click()
    playwright.expect(page.locator("#environments")).to_contain_text("4 values differ")


NARROW: tuple[int, int] = (390, 844)


def narrow(page: Page) -> None:
    page.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})


def view_button(page: Page, name: str) -> Locator:
    return page.get_by_role("navigation", name="View", exact=True).get_by_role("button", name=name)


def test_a_narrow_page_counts_its_errors_where_they_are(page: Page) -> None:
    narrow(page)
    playwright.expect(view_button(page, "Why")).to_have_text("Why")
    view_button(page, "Source").click()
    page.get_by_role("button", name="app.yml").click()
    write(page, "a: #@ missing\n")
    playwright.expect(view_button(page, "Why")).to_have_text("Why 1 problem")
    write(page, "a: 1\n")
    playwright.expect(view_button(page, "Why")).to_have_text("Why ")


def test_a_narrow_page_leads_from_no_output_to_the_error(page: Page) -> None:
    narrow(page)
    choose(page, "An overlay that matches nothing")
    playwright.expect(page.locator("#output")).to_contain_text("There is no output, because the files have an error.")
    page.get_by_role("button", name="Show the error").click()
    playwright.expect(page.locator("#errors")).to_contain_text("production.yml:2")


def test_a_narrow_page_tells_what_a_fix_has_done_and_shows_the_output(page: Page) -> None:
    narrow(page)
    choose(page, "An overlay that matches nothing")
    view_button(page, "Why").click()
    page.locator("#fixes").get_by_role("button").first.click()
    playwright.expect(page.locator("#told")).to_contain_text("There are no errors.")
    playwright.expect(page.locator("#output")).to_be_visible()
    playwright.expect(page.locator("#output")).to_contain_text("log-level: warning")
    page.get_by_role("button", name="Undo the fix").click()
    playwright.expect(view_button(page, "Why")).to_have_text("Why 1 problem")


def test_a_message_of_a_narrow_page_covers_nothing_and_can_be_closed(page: Page) -> None:
    narrow(page)
    page.get_by_role("button", name="Copy link").click()
    playwright.expect(page.locator("#told")).to_contain_text("The link")
    message, main = page.locator(".did").bounding_box(), page.locator(".app").bounding_box()
    share = page.locator("#share").bounding_box()
    assert share is not None
    assert share["y"] >= 4, "the button is at the edge of the window"
    assert message is not None
    assert main is not None
    assert message["y"] + message["height"] <= main["y"] + 1
    assert abs(main["y"] + main["height"] - NARROW[1]) <= 1
    page.get_by_role("button", name="Close the message").click()
    playwright.expect(page.locator(".did")).to_be_hidden()


def test_a_narrow_page_that_opens_with_a_value_tells_that_it_is_being_evaluated(page: Page, address: str) -> None:
    narrow(page)
    choose(page, "A template and its values")
    page.get_by_role("button", name="replicas: 3").first.click()
    playwright.expect(page.locator("#explanation")).to_contain_text("values.yml")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/evaluate", hold)
    page.reload()
    if "localhost" in address:  # the static build has an answer at once
        playwright.expect(page.locator("#explanation")).to_contain_text("Evaluating")
    for route in held:
        route.continue_()
    page.unroute("**/evaluate")
    playwright.expect(page.locator("#explanation")).to_contain_text("values.yml")


def test_a_copied_link_leaves_the_button_that_undoes(page: Page) -> None:
    choose(page, "An overlay that matches nothing")
    page.locator("#fixes").get_by_role("button").first.click()
    playwright.expect(page.locator("#output")).to_contain_text("log-level: warning")
    page.get_by_role("button", name="Copy link").click()
    playwright.expect(page.locator("#told")).to_contain_text("The link")
    playwright.expect(page.locator("#told")).to_contain_text("Change to ConfigMap: production.yml:2.")
    page.get_by_role("button", name="Undo the fix").click()
    playwright.expect(page.locator("#errors")).to_contain_text("1 problem")


def test_a_chosen_environment_is_marked_and_in_the_link(page: Page) -> None:
    choose(page, "Three environments")
    row = page.locator("#environments tr", has_text="spec.replicas")
    value = row.get_by_role("button", name="9", exact=True)
    value.click()
    playwright.expect(value).to_have_attribute("aria-pressed", "true")
    playwright.expect(page.locator("#environments [aria-pressed=true]")).to_have_count(1)
    playwright.expect(page.locator("#environments td.hl")).to_have_text("9us.yml:2")
    assert shared(page) == {"cell": ["values/us.yml", "Deployment/web:spec.replicas"]}
    page.reload()
    playwright.expect(page.locator(".why-head h2")).to_have_text("us · Deployment/web:spec.replicas")
    playwright.expect(value).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    playwright.expect(value).to_have_attribute("aria-pressed", "false")
    assert page.url.endswith("#three-environments")


def test_another_example_tells_at_once_that_edits_are_kept(page: Page) -> None:
    page.get_by_role("button", name="values.yml").click()
    write(page, "replicas: 12\n")
    choose(page, "Several files of data values")
    playwright.expect(page.locator("#told")).to_have_text("Your edits of “A template and its values” are kept.")
    href = page.get_by_role("link", name="Several files of data values").get_attribute("href")
    assert href is not None
    assert page.url.endswith(href.removeprefix("./"))
    page.get_by_role("button", name="Back to my edits").click()
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 12")


def test_edits_of_an_example_outlive_the_choice_of_another(page: Page) -> None:
    page.get_by_role("button", name="values.yml").click()
    write(page, "replicas: 12\n")
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 12")
    choose(page, "Three environments")
    playwright.expect(page.locator("#environments")).to_contain_text("4 values differ")
    choose(page, "A template and its values")
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 3")
    playwright.expect(page.locator("#told")).to_have_text("You have edited this example before.")
    page.get_by_role("button", name="Restore my edits").click()
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 12")
    playwright.expect(page.locator("#told")).to_have_text("Restored your edits of values.yml.")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_later_visit_tells_which_files_have_edits_and_how_to_do_without(page: Page, address: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    choose(page, "Where a value comes from")
    page.locator("#files summary").click()
    page.get_by_role("button", name="values.yml: show").click()
    write(page, "port: 71\nreplicas: 6\n")
    told = page.locator("#told")
    playwright.expect(page.locator("#output")).to_contain_text("port: 71")
    page.goto("about:blank")
    page.goto(address)
    playwright.expect(told).to_have_text("Restored your edits of values.yml.")
    told.get_by_role("link", name="values.yml").click()
    playwright.expect(page.get_by_label("Text of the file")).to_be_focused()
    page.keyboard.insert_text("port: 90")
    assert lines(page).startswith("port: 90\n")
    playwright.expect(page.locator("#output")).to_contain_text("port: 90")
    page.goto("about:blank")
    page.goto(address)
    page.get_by_role("button", name="Without my edits").click()
    playwright.expect(page.locator("#output")).to_contain_text("port: 8080")
    page.get_by_role("button", name="Restore my edits").click()
    playwright.expect(page.locator("#output")).to_contain_text("port: 90")
    page.goto("about:blank")
    page.goto(f"{address}/#where-a-value-comes-from")
    playwright.expect(told).not_to_contain_text("Restored")


def test_on_a_phone_a_place_is_chosen_and_the_changed_line_is_one_tap_away(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    choose(page, "Where a value comes from")
    page.locator("#output button", has_text="replicas: 6").click()
    page.get_by_label("Change to").fill("12")
    ways = page.get_by_role("radiogroup", name="Where to change it")
    ways.get_by_text("values.yml:1", exact=True).click()
    playwright.expect(ways.get_by_role("radio", name=re.compile("^values.yml:1"))).to_be_checked()
    playwright.expect(page.get_by_label("Change to")).to_be_visible()
    page.get_by_role("button", name="Change source").click()
    told = page.locator("#told")
    playwright.expect(told).to_have_text("Changed values.yml:1 to replicas: 6")
    told.get_by_role("link").click()
    playwright.expect(page.get_by_label("Text of the file")).to_be_focused()
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 12")


def test_a_change_may_be_applied_before_its_places_are_known(page: Page) -> None:
    choose(page, "Where a value comes from")
    page.locator("#output button", has_text="replicas: 6").click()
    page.get_by_label("Change to").fill("12")
    page.get_by_role("button", name="Change source").click()
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 12")


def test_a_chosen_place_stays_chosen_while_the_value_is_typed(page: Page) -> None:
    choose(page, "Where a value comes from")
    page.locator("#output button", has_text="replicas: 6").click()
    page.get_by_label("Change to").fill("12")
    chosen = page.get_by_role("radio", name=re.compile("^production.yml:7"))
    chosen.check()
    page.get_by_label("Change to").fill("18")
    playwright.expect(page.locator(".ways")).to_contain_text("becomes 6;")
    playwright.expect(chosen).to_be_checked()


def seen(page: Page) -> int:
    """Mark what is shown; what replaces it has no mark."""
    page.evaluate(
        "document.querySelectorAll('#explanation *, #output li, #environments td').forEach((one) => { one.dataset.seen = 'yes'; })"
    )
    return page.locator("[data-seen]").count()


def test_what_is_shown_is_not_drawn_again_by_an_equal_answer(page: Page) -> None:
    choose(page, "Where a value comes from")
    page.locator("#output button", has_text="replicas: 6").click()
    page.get_by_label("Change to").fill("12")
    playwright.expect(page.get_by_role("radio").first).to_be_visible()
    playwright.expect(page.locator("#progress")).to_be_hidden()
    before = seen(page)
    page.evaluate("""() => new Promise((done) => {
      const progress = document.querySelector("#progress");
      new MutationObserver(() => { if (progress.hidden) done(); }).observe(progress, { attributes: true });
      document.querySelector("#kind").dispatchEvent(new Event("change"));
    })""")
    assert page.locator("[data-seen]").count() == before > 1


@NEEDS_BUILD
def test_the_first_evaluation_of_an_example_moves_nothing_under_somebody_who_works_with_it(browser: Browser) -> None:
    """The answer that is built in is shown before there is Python."""
    context = browser.new_context()
    page = opened(context)
    held: list[Route] = []
    with StaticFiles() as server, running(server):
        context.route("**/plait.zip", lambda route: held.append(route))  # noqa: PLW0108 - playwright sets an attribute of it
        page.goto(f"{server.address}/#three-environments")
        playwright.expect(page.locator("#environments td").first).to_be_attached()
        playwright.expect(page.locator("#progress")).to_be_visible()
        while not held:
            page.wait_for_timeout(50)
        before = seen(page)
        for route in held:
            route.continue_()
        playwright.expect(page.locator("#progress")).to_be_hidden()
        assert page.locator("[data-seen]").count() == before > 0
    context.close()


@NEEDS_BUILD
def test_the_answers_that_are_built_in_are_those_of_the_page(browser: Browser) -> None:
    context = browser.new_context()
    page = opened(context)
    with StaticFiles() as server, running(server):
        page.goto(server.address)
        equal: dict[str, bool] = page.evaluate("""async () => {
          const { evaluate } = await import("./evaluator.js");
          const found = {};
          for (const { name, kind, files, answer } of (await (await fetch("./examples.json")).json()).examples) {
            found[name] = JSON.stringify(await evaluate({ kind, files })) === JSON.stringify(answer);
          }
          return found;
        }""")
    context.close()
    assert equal == dict.fromkeys((one["name"] for one in examples()), True)


def test_files_of_ones_own_are_opened_in_a_narrow_window(page: Page, tmp_path: Path) -> None:
    """And they are there again after an example was looked at."""
    page.set_viewport_size({"width": 390, "height": 844})
    (tmp_path / "mine.yml").write_text("mine: 1\n", "utf-8")
    page.get_by_role("button", name="Your files").click()
    page.get_by_label("files", exact=True).set_input_files(tmp_path / "mine.yml")
    playwright.expect(page.locator("#output")).to_contain_text("mine: 1")
    page.keyboard.press("Escape")
    playwright.expect(page.locator("#own-files")).to_be_hidden()
    choose(page, "A template and its values")
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 3")
    page.get_by_role("button", name="Your files").click()
    page.get_by_role("link", name="Back to your files").click()
    playwright.expect(page.locator("#output")).to_contain_text("mine: 1")


def test_files_of_ones_own_are_opened(page: Page, tmp_path: Path) -> None:
    """A name of a file may be anything."""
    markup = "<img src=x onerror=alert(1)>.yml"
    texts = {
        "config/app.yml": '#@ load("@ytt:data", "data")\na: #@ data.values.a\n',
        "config/schema.yml": "#@data/values-schema\n---\na: 1\n",
    }
    texts |= {"values.yml": "a: 2\n", f"config/{markup}": "b: 3\n", "config/.git/x": "c: 4\n"}
    for name, text in texts.items():
        path = tmp_path / "mine" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (tmp_path / "mine" / "picture.png").write_bytes(b"\x89PNG\0\xff")
    page.get_by_label("a folder").set_input_files(tmp_path / "mine")
    playwright.expect(page.locator("#output")).to_contain_text("a: 2")
    playwright.expect(page.locator("#output")).to_contain_text("b: 3")
    playwright.expect(page.locator("#wanted")).to_have_text(
        "4 files, as plait render. 1 left out: no text, too large, or an unseen character in the name."
    )
    assert page.locator("img").count() == 0
    line = page.get_by_label("Command line of ytt, bosh or plait")
    line.fill("ytt -f ./config")
    line.press("Enter")
    playwright.expect(page.locator("#output")).to_contain_text("a: 1")
    playwright.expect(page.locator("#wanted")).to_have_text("3 files, as plait render.")
    line.fill("bosh int base.yml -o ops.yml -v x=1")
    line.press("Enter")
    playwright.expect(page.locator("#wanted")).to_have_text("Drop or choose: base.yml, ops.yml. Not taken: --var x=1.")


def drop(page: Page, *paths: Path) -> None:
    """Drop files and directories on the page, as a file manager does."""
    browser = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        browser.send("Input.dispatchDragEvent", {"type": kind, "x": 600, "y": 300, "data": data})


@pytest.mark.parametrize(
    "line", ["bosh int base.yml -o second.yml -o first.yml", "plait patch base.yml -o second.yml -o first.yml"]
)
@pytest.mark.parametrize("way", ["chosen", "dropped"])
def test_a_command_line_pasted_before_its_files_is_applied_to_them(
    page: Page, tmp_path: Path, way: str, line: str
) -> None:
    """To those that it names, in its order."""
    texts = {name: f"- {{type: replace, path: /a, value: {name}}}\n" for name in ("first", "second", "third")}
    files = {"base.yml": "a: 1\n"} | {f"{name}.yml": text for name, text in texts.items()}
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    typed = page.get_by_label("Command line of ytt, bosh or plait")
    typed.fill(line)
    typed.press("Enter")
    playwright.expect(page.locator("#wanted")).to_have_text("Drop or choose: base.yml, second.yml, first.yml.")
    paths = [tmp_path / name for name in files]
    if way == "chosen":
        page.get_by_label("files", exact=True).set_input_files(paths)
    else:
        drop(page, *paths)
    playwright.expect(page.locator("#wanted")).to_have_text("3 files, as plait patch.")
    playwright.expect(page.locator("#output .c")).to_have_text(["a: first"])
    playwright.expect(page.locator("#arguments")).to_have_text("plait patch base.yml -o second.yml -o first.yml")


MINE = {"base.yml": "a: 1\n", "ops/ops.yml": "- {type: replace, path: /a, value: größe}\n", ".git/config": "b: 1\n"}


def test_a_directory_is_dropped(page: Page, tmp_path: Path) -> None:
    for name, text in MINE.items():
        path = tmp_path / "mine" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    drop(page, tmp_path / "mine")
    playwright.expect(page.locator("#output")).to_have_text(re.compile("a: größe"))
    playwright.expect(page.locator("#wanted")).to_have_text("2 files, as plait patch.")


def archived(path: Path) -> Path:
    """An archive of MINE, in the form that its name has, within a directory of a long name."""
    texts = {f"{'long-' * 30}/{name}": text.encode() for name, text in MINE.items()}
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as zipped:
            for number, (name, data) in enumerate(texts.items()):
                zipped.writestr(name, data, zipfile.ZIP_DEFLATED if number else zipfile.ZIP_STORED)
        return path
    form = (
        tarfile.GNU_FORMAT
        if path.suffix == ".tgz"
        else tarfile.PAX_FORMAT
        if path.suffix == ".gz"
        else tarfile.USTAR_FORMAT
    )
    with tarfile.open(path, "w" if path.suffix == ".tar" else "w:gz", format=form) as tar:
        for name, data in texts.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


@pytest.mark.parametrize("name", ["mine.zip", "mine.tar", "mine.tar.gz", "mine.tgz"])
def test_an_archive_is_dropped(page: Page, tmp_path: Path, name: str) -> None:
    drop(page, archived(tmp_path / name))
    playwright.expect(page.locator("#output")).to_have_text(re.compile("a: größe"))
    playwright.expect(page.locator("#wanted")).to_have_text("2 files, as plait patch.")
    playwright.expect(page.locator("#tabs")).to_have_text("base.ymlops/ops.yml")


def test_an_archive_that_cannot_be_read_or_is_too_large_changes_nothing(page: Page, tmp_path: Path) -> None:
    for name in ("broken.zip", "broken.tar", "broken.tgz"):
        (tmp_path / name).write_bytes(b"no archive" * 100)
        drop(page, tmp_path / name)
        playwright.expect(page.locator("#wanted")).to_contain_text(f"{name} cannot be read")
    with zipfile.ZipFile(tmp_path / "large.zip", "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("large.yml", b" " * 50_000_000)
    drop(page, tmp_path / "large.zip")
    playwright.expect(page.locator("#wanted")).to_have_text("There is no text among these files.")
    with tarfile.open(tmp_path / "large.tgz", "w:gz") as tar:
        info = tarfile.TarInfo("large.yml")
        info.size = 50_000_000
        tar.addfile(info, io.BytesIO(b" " * info.size))
    drop(page, tmp_path / "large.tgz")
    playwright.expect(page.locator("#wanted")).to_contain_text("large.tgz cannot be read: too large")
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 3")


def test_files_that_are_no_program_together_ask_for_the_command_line(page: Page, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    for name in ("one.yml", "two.yml"):
        (tmp_path / "mine" / name).write_text(f"#@ {name[:3]} = missing\n", "utf-8")
    drop(page, tmp_path / "mine")
    page.locator("#errors").get_by_role("button", name="Paste the command line").click()
    playwright.expect(page.get_by_label("Command line of ytt, bosh or plait")).to_be_focused()


def test_all_files_are_downloaded_as_an_archive(page: Page, tmp_path: Path) -> None:
    drop(page, archived(tmp_path / "mine.zip"))
    playwright.expect(page.locator("#output")).to_have_text(re.compile("a: größe"))
    page.locator("#files summary").click()
    page.get_by_label("Name").fill(f"{'größe-' * 30}.yml")
    with page.expect_download() as waited:
        page.get_by_role("button", name="Download all files").click()
    assert waited.value.suggested_filename == "plait-files.tar.gz"
    with tarfile.open(waited.value.path()) as tar:
        found = {one.name: tar.extractfile(one).read().decode() for one in tar}  # type: ignore[union-attr]
    assert found == {f"{'größe-' * 30}.yml": MINE["base.yml"], "ops/ops.yml": MINE["ops/ops.yml"]}


def test_the_borders_are_moved_by_mouse_and_by_key_and_stay(page: Page) -> None:
    border = page.get_by_role("separator", name="source and output")

    def width(name: str) -> float:
        box = page.locator(name).bounding_box()
        assert box is not None
        return float(box["width"])

    box = border.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 4, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 104, box["y"] + 100)
    page.mouse.up()
    assert 190 < width("#source") - width("#result") < 210
    border.press("End")
    assert border.get_attribute("aria-valuenow") == "80"
    border.press("ArrowLeft")
    assert border.get_attribute("aria-valuenow") == "78"
    page.reload()
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 3")
    assert border.get_attribute("aria-valuenow") == "78"
    assert abs(width("#source") / (width("#source") + width("#result")) - 0.78) < 0.01
    border.dblclick()
    assert abs(width("#source") - width("#result")) <= 2
    page.locator("#output button", has_text="replicas: 3").click()
    playwright.expect(page.locator(".history")).to_be_visible()
    below = page.get_by_role("separator", name="above the explanation")
    below.press("Home")
    assert (
        page.evaluate("document.getElementById('why').offsetHeight / document.getElementById('main').offsetHeight")
        < 0.21
    )


def test_an_embedded_page_has_the_example_alone_and_leads_to_the_whole(page: Page, address: str) -> None:
    [(_, kind, files), *_] = try_it.tried((DOCS / "guide-render.md").read_text("utf-8"))
    other = opened(page.context)
    other.set_viewport_size({"width": 700, "height": 480})
    other.goto(f"{address}/?embed#{try_it.link(kind, files)}")
    playwright.expect(other.locator("#output")).to_contain_text("ports: 1")
    playwright.expect(other.get_by_role("navigation", name="Examples")).to_be_hidden()
    playwright.expect(other.get_by_role("button", name="Copy link")).to_be_hidden()
    other.get_by_role("button", name="schema.yml").click()
    write(other, files[0]["text"].replace("[80]", "[80, 443]"))
    playwright.expect(other.locator("#output")).to_contain_text("several: true")
    if HAS_AXE:
        other.evaluate(AXE.read_text("utf-8"))
        assert violations(other) == []
    with other.expect_popup() as waited:
        other.get_by_role("link", name="Open in the playground").click()
    whole = waited.value
    playwright.expect(whole.locator("#output")).to_contain_text("several: true")
    playwright.expect(whole.get_by_role("navigation", name="Examples")).to_be_visible()
    other.close()


@pytest.mark.parametrize("address", [pytest.param("static", marks=NEEDS_BUILD)], indirect=True)
def test_the_fonts_are_those_of_the_build(page: Page, address: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 3")
    page.evaluate("document.fonts.ready.then(() => true)")
    loaded = page.evaluate("[...document.fonts].filter((one) => one.status === 'loaded').map((one) => one.family)")
    assert {one.strip('"') for one in loaded} == {"Inter", "JetBrains Mono"}
    assert [one for one in asked if not one.startswith((address, "data:", "blob:"))] == []


@NEEDS_BUILD
def test_the_static_page_needs_no_network_after_the_first_visit(browser: Browser) -> None:
    """And before Python is there, an example shows the answer that was built in."""
    context = browser.new_context()
    page = opened(context)
    with StaticFiles() as server, running(server):
        visit(page, server.address)
    page.reload()
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 4")
    write(page, "replicas: 9\n")
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 9")
    context.close()


def visit(page: Page, address: str) -> None:
    """A first visit, while Python is not there at first, until the page is kept."""
    context = page.context
    context.route("**/plait.zip", lambda _: None)  # neither answered nor refused
    page.goto(f"{address}/#a-template-and-its-values")
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 3")
    page.locator("#output button", has_text="replicas: 3").click()
    playwright.expect(page.locator(".history")).to_contain_text("values.yml:1")
    playwright.expect(page.locator("#progress")).to_be_visible()
    context.unroute_all()
    page.goto("about:blank")
    page.goto(f"{address}/#a-template-and-its-values")
    page.get_by_role("button", name="values.yml").click()
    write(page, "replicas: 4\n")
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 4")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.wait_for_function("navigator.serviceWorker.controller !== null")


def test_the_output_does_not_wait_for_the_editor(page: Page, address: str) -> None:
    """What is opened, and where its error is, the editor shows once it is there."""
    browser = page.context.browser
    assert browser
    other = opened(browser)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    other.route("**/editor.js", hold)
    other.goto(f"{address}/#where-a-value-comes-from")
    playwright.expect(other.locator("#output")).to_contain_text("port: 8080")
    other.locator("#output button", has_text="port: 8080").click()
    other.locator(".history").get_by_role("link", name="values.yml:2").click()
    playwright.expect(other.get_by_label("Text of the file")).to_have_count(0)
    for route in held:
        route.continue_()
    playwright.expect(other.get_by_label("Text of the file")).to_be_focused()
    assert "port: 8080" in lines(other)
    other.context.close()


@NEEDS_BUILD
def test_the_static_page_requests_few_modules_before_the_first_output() -> None:
    """Its own modules are one, besides the evaluator's, which `plait website` exchanges, and the editor, which is loaded last."""
    page = (Path(BUILT) / "index.html").read_text("utf-8")
    assert re.findall('<link rel="modulepreload" href="([^"]+)">', page) == ["editor.js", "evaluator.js"]
    text = (Path(BUILT) / "page.js").read_text("utf-8")
    assert set(re.findall(r'"(\./[\w-]+\.js)"', text)) == {"./editor.js", "./evaluator.js"}
    assert not (Path(BUILT) / "share.js").exists()


@NEEDS_BUILD
def test_little_is_loaded_before_the_first_answer() -> None:
    """Compressed, as servers send it. What the language server needs besides comes later."""
    later = ("language.zip", "language-worker.js", "service-worker.js")
    files = [path for path in Path(BUILT).rglob("*") if path.is_file() and path.name not in later]
    wanted = [path for path in files if path.suffix != ".woff2" or "latin-wght" in path.name]
    assert sum(len(zlib.compress(path.read_bytes(), 9)) for path in wanted) <= 8_000_000


@NEEDS_BUILD
def test_a_later_visit_restores_python_from_a_snapshot_and_does_without_a_broken_one(browser: Browser) -> None:
    with StaticFiles() as server, running(server):
        context = browser.new_context()
        page = opened(context)
        told: list[str] = []
        page.on("console", lambda message: told.append(message.text))
        page.goto(f"{server.address}/#a-template-and-its-values")
        wait_until(page, SNAPSHOT_IS_KEPT, None)
        assert [one for one in told if "snapshot" in one] == []
        page.reload()
        page.get_by_role("button", name="values.yml").click()
        write(page, "replicas: 4\n")
        playwright.expect(page.locator("#output")).to_contain_text("replicas: 4")
        assert any("restored from its snapshot" in one for one in told)
        wait_for_language(page)  # of the same snapshot
        playwright.expect(page.locator("#output")).to_contain_text("replicas: 4")
        assert page.evaluate(SNAPSHOT_IS_KEPT, "no snapshot")
        told.clear()
        page.reload()
        page.get_by_role("button", name="values.yml").click()
        write(page, "replicas: 5\n")
        playwright.expect(page.locator("#output")).to_contain_text("replicas: 5")
        assert any("the snapshot cannot be used" in one for one in told)
        wait_until(page, SNAPSHOT_IS_KEPT, None)
        context.close()


WIDTHS = [1440, 1280, 1024, 768, 390]


@pytest.mark.parametrize("width", WIDTHS)
def test_examples_are_in_sight_at_all_widths(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 850})
    for example in examples()[:2]:
        link = page.get_by_role("navigation", name="Examples").get_by_role("link", name=example["title"])
        playwright.expect(link).to_be_in_viewport()
        playwright.expect(link).to_contain_text(example["about"])
        choose(page, example["title"])


# Parts whose text is wider than they are.
CUT = """(parts) => [...document.querySelectorAll(parts)].filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth)
  .map((one) => one.textContent)"""


@pytest.mark.parametrize("width", WIDTHS)
def test_an_explanation_is_not_cut(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 850})
    choose(page, "Where a value comes from")
    page.locator("#output button", has_text="replicas: 6").click()
    page.get_by_label("Change to").fill("12")
    playwright.expect(page.get_by_role("radio").last).to_be_visible()
    assert page.evaluate(CUT, ".history span, .history a, .ways span, .ways a, .card .c") == []


@pytest.mark.parametrize("width", [768, 390])
def test_all_examples_are_listed_by_a_button_where_there_is_no_room(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 850})
    every = page.get_by_role("button", name=f"All {len(examples())} examples")
    nav = page.get_by_role("navigation", name="Examples")
    below = page.locator("#main").bounding_box()
    every.click()
    playwright.expect(nav.get_by_role("heading", name="Pipelines")).to_be_visible()
    assert page.locator("#main").bounding_box() == below
    box = nav.get_by_role("link").last.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    if HAS_AXE:
        page.evaluate(AXE.read_text("utf-8"))
        assert violations(page) == []
    page.keyboard.press("Escape")
    playwright.expect(every).to_be_focused()
    playwright.expect(nav.get_by_role("heading", name="Pipelines")).to_be_hidden()
    every.press("Enter")
    nav.get_by_role("link", name="Two steps, in two dialects").click()
    playwright.expect(page.locator("#output")).to_contain_text("image: app:2")
    playwright.expect(every).to_have_attribute("aria-expanded", "false")
    playwright.expect(nav.get_by_role("link", name="Two steps, in two dialects")).to_be_in_viewport()


@pytest.mark.parametrize("width", WIDTHS)
def test_the_head_of_the_page_ends_at_its_right_edge(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 850})
    playwright.expect(page.locator("#told")).to_be_empty()
    share = page.get_by_role("button", name="Copy link").bounding_box()
    assert share
    assert share["x"] + share["width"] == width - 16


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_moves_when_a_value_is_typed(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 850})
    choose(page, "Where a value comes from")
    page.locator("#output button", has_text="port: 8080").click()
    submit = page.get_by_role("button", name="Change source")
    before = submit.bounding_box()
    page.get_by_label("Change to").fill("9090")
    playwright.expect(page.get_by_role("radio").first).to_be_visible()
    assert submit.bounding_box() == before


def tab_to(page: Page, wanted: Locator) -> None:
    """Press Tab until an element has the focus."""
    playwright.expect(wanted).to_be_visible()
    for _ in range(120):
        page.keyboard.press("Tab")
        if wanted.evaluate("(one) => one.getRootNode().activeElement === one"):
            return
    raise AssertionError("the Tab key does not reach it")


def test_the_five_tasks_are_done_by_keyboard(page: Page) -> None:
    navigation = page.get_by_role("navigation", name="Examples")
    page.locator("body").press("Home")
    tab_to(page, navigation.get_by_role("link", name="Where a value comes from"))
    page.keyboard.press("Enter")
    playwright.expect(page.locator("#output")).to_contain_text("port: 8080")
    tab_to(page, page.locator("#output button[tabindex='0']"))
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    playwright.expect(page.locator(".history .current .place")).to_have_text("values.yml:2")
    page.locator("#output button", has_text="port: 8080").press("9")
    playwright.expect(page.get_by_label("Change to")).to_have_value("9")
    page.keyboard.type("090")
    page.keyboard.press("Enter")
    playwright.expect(page.locator("#output")).to_contain_text("port: 9090")
    tab_to(page, navigation.get_by_role("link", name="An overlay that matches nothing"))
    page.keyboard.press("Enter")
    fix = page.locator("#fixes button").first
    tab_to(page, fix)
    page.keyboard.press("Enter")
    playwright.expect(page.locator("#output")).to_contain_text("log-level: warning")
    tab_to(page, navigation.get_by_role("link", name="Three environments"))
    page.keyboard.press("Enter")
    playwright.expect(page.locator("#environments")).to_contain_text("4 values differ")
    tab_to(page, page.locator("#environments td button").first)
    page.keyboard.press("Enter")
    playwright.expect(page.locator(".history .current")).to_be_visible()
    tab_to(page, page.get_by_role("button", name="Copy link"))
    page.keyboard.press("Enter")
    playwright.expect(page.locator("#told")).to_contain_text("The link")


def test_the_policy_allows_files_of_the_page_alone(page: Page, address: str) -> None:
    other = opened(page.context)
    other.goto(f"{address}/#a-template-and-its-values")
    playwright.expect(other.locator("#output")).to_contain_text("replicas: 3")
    refused = other.evaluate(
        """async () => {
          const refused = [];
          addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
          const script = document.createElement("script");
          script.textContent = "window.isHostile = true";
          document.body.append(script);
          document.body.insertAdjacentHTML("beforeend", "<b style='color: red' onclick='isHostile = true'>x</b>");
          await fetch("http://127.0.0.2:9/").catch(() => {});
          await new Promise((resolve) => { setTimeout(resolve, 100); });
          return [window.isHostile ?? false, refused];
        }"""
    )
    assert refused[0] is False
    assert {"script-src-elem", "style-src-attr", "connect-src"} <= set(refused[1])
    other.close()


@pytest.mark.parametrize("width", WIDTHS)
def test_the_layout_holds_after_typing(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 850})
    page.get_by_role("button", name="app.yml").click()
    text = page.get_by_label("Text of the file")
    text.fill("a: 1\nb: " + "long " * 60 + "\n" + "".join(f"k{number}: {number}\n" for number in range(200)))
    playwright.expect(page.locator("#output")).to_contain_text("k199: 199")
    assert page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]") == [
        width,
        850,
    ]
    boxes = {name: page.locator(name).bounding_box() for name in ("#editor", "#source", "#result", "#output")}
    editor, source, result, output = boxes["#editor"], boxes["#source"], boxes["#result"], boxes["#output"]
    assert editor is not None
    assert source is not None
    assert result is not None
    assert output is not None
    # The editor fills its column, and the output the height of its own.
    assert editor["width"] == source["width"]
    inner = page.evaluate(
        "() => { const e = document.getElementById('editor');"
        " const i = (e.shadowRoot ?? e).querySelector('.cm-editor, .text').getBoundingClientRect();"
        " return [i.left - e.getBoundingClientRect().left, e.getBoundingClientRect().right - i.right]; }"
    )
    assert 0 <= inner[0] <= 44
    assert abs(inner[1]) <= 1
    assert output["height"] > (250 if width <= 640 else 560)
    if width > 640:
        assert abs(source["width"] - result["width"]) <= 1


# How many animations there were when the new line was drawn, whenever that is looked at.
COUNT_ANIMATIONS = """() => {
  new MutationObserver(() => {
    if (document.querySelector("#output .new")) globalThis.animations = document.getAnimations().length;
  }).observe(document.getElementById("output"), { childList: true });
}"""


@pytest.mark.parametrize("wish", ["reduce", "no-preference"])
def test_nothing_moves_for_those_who_want_that(page: Page, wish: Literal["reduce", "no-preference"]) -> None:
    page.emulate_media(reduced_motion=wish)
    page.get_by_role("button", name="app.yml").click()
    page.evaluate(COUNT_ANIMATIONS)
    write(page, "a: 1\n")
    playwright.expect(page.locator("#output .new")).to_have_count(1)
    assert bool(page.evaluate("animations")) == (wish == "no-preference")


def test_what_an_overlay_matches_is_shown(page: Page) -> None:
    choose(page, "Keys that may be missing")
    page.get_by_role("button", name="annotate.yml").click()
    matches = page.get_by_role("button", name="Line 3 matches 2 documents, changes 2")
    matches.click()
    assert page.locator("#output .matched").count() == 11
    page.get_by_role("button", name="namespaces.yml").click()
    playwright.expect(matches).to_have_count(0)
    playwright.expect(page.locator("#output .matched")).to_have_count(0)


def test_a_link_opens_the_same_files(page: Page) -> None:
    choose(page, "Operations and variables")
    write(page, "größe: ((domain))\n")
    page.locator("#tabs").get_by_role("button", name="scale.yml").click()
    remove_file(page)
    page.get_by_role("button", name="Copy link").click()
    playwright.expect(page.locator("#told")).to_contain_text("The link")
    other = opened(page.context)
    other.goto(page.url)
    playwright.expect(other.locator("#output")).to_contain_text("größe: web.example.com")
    other.close()


COMMANDS = {
    "render": "Where a value comes from",
    "patch": "Operations and variables",
    "layer": "Layers and a substitution",
    "compose": "Two steps, in two dialects",
}


@pytest.mark.parametrize("kind", COMMANDS)
def test_the_copied_command_gives_the_output_in_a_shell(page: Page, tmp_path: Path, kind: str) -> None:
    """Of files with names that a shell reads as more than one word; of a pipeline, the names are in its text."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    choose(page, COMMANDS[kind])
    playwright.expect(page.locator("#output .value").first).to_be_visible()
    playwright.expect(page.get_by_role("combobox", name="Command")).to_have_value(kind)
    files = files_of(COMMANDS[kind])
    if kind != "compose":
        hard = 'it\'s "a" $(b) & file.yml'
        page.locator("#files summary").click()
        page.locator("#name").fill(hard)
        playwright.expect(page.locator("#arguments")).to_contain_text("$(b)")
        page.keyboard.press("Escape")
        files[0]["name"] = hard
    playwright.expect(page.locator("#progress")).to_be_hidden()
    page.get_by_role("button", name="Copy", exact=True).click()
    playwright.expect(page.get_by_role("button", name="Copied")).to_be_visible()
    command = copied(page)
    assert command.startswith(f"plait {kind} ")
    for one in files:
        path = tmp_path / one["name"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(one["text"], "utf-8")
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    shown = page.locator("#output .c").all_text_contents()
    assert done.stdout.removesuffix("\n").split("\n") == shown


@pytest.mark.parametrize(
    ("kind", "shows"), [("patch", "Operations and variables"), ("layer", "A site inherits from all sites")]
)
def test_patch_and_layer_offer_their_example(page: Page, kind: str, shows: str) -> None:
    page.get_by_role("combobox", name="Command").select_option(kind)
    page.get_by_role("button", name=f"Open an example of {kind}").click()
    link = page.get_by_role("navigation", name="Examples").get_by_role("link", name=shows)
    playwright.expect(link).to_have_attribute("aria-current", "page")
    playwright.expect(page.locator("#output .value").first).to_be_visible()


def test_a_pipeline_and_layers_are_evaluated(page: Page) -> None:
    choose(page, "Two steps, in two dialects")
    playwright.expect(page.locator("#output")).to_contain_text("image: app:2")
    choose(page, "Layers and a substitution")
    playwright.expect(page.locator("#output")).to_contain_text("gateway: 10.0.0.1")


def test_the_output_can_be_downloaded(page: Page) -> None:
    with page.expect_download() as waited:
        page.get_by_role("button", name="Download", exact=True).click()
    assert waited.value.suggested_filename == "output.yml"
    assert "replicas: 3" in waited.value.path().read_text("utf-8")


def test_the_output_and_the_link_are_copied(page: Page) -> None:
    """The link by the keys that save, too: the address is what saves the page."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy output").click()
    playwright.expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").endswith("spec:\n  replicas: 3\n")
    page.get_by_label("Text of the file").focus()
    page.keyboard.press("ControlOrMeta+s")
    playwright.expect(page.locator("#told")).to_contain_text("The link is copied.")
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_what_takes_too_long_is_ended_and_the_page_goes_on(page: Page) -> None:
    page.get_by_role("button", name="app.yml").click()
    write(page, "#@ def f():\n#@   return [0 for _ in range(1000000000)]\n#@ end\na: #@ f()\n")
    playwright.expect(page.locator("#errors")).to_contain_text("limit")
    write(page, "a: 1\n")
    playwright.expect(page.locator("#output")).to_contain_text("a: 1")


SELECTIONS = {
    "by key": ("ControlOrMeta+a", 0),
    "from the middle to the end": ("ControlOrMeta+Home ArrowDown ArrowDown ControlOrMeta+Shift+End", 2),
    "from the end to the second line": ("ControlOrMeta+End ControlOrMeta+Shift+Home Shift+ArrowDown", 1),
}


# In one task: the browser draws nothing, and the editor hears of nothing, between the selection and what is typed.
TYPED_AT_ONCE = """() => {
  document.querySelectorAll("#tabs button")[1].click();
  document.querySelectorAll("#tabs button")[0].click();
  const editor = document.getElementById("editor");
  const content = (editor.shadowRoot ?? editor).querySelector(".cm-content, textarea");
  content.focus();
  if (content.select) {
    content.select();
    document.execCommand("insertText", false, "new: 1");
  } else {
    getSelection().selectAllChildren(content);
    content.dispatchEvent(new InputEvent("beforeinput", { inputType: "insertText", data: "new: 1", bubbles: true, cancelable: true }));
  }
}"""


@pytest.mark.parametrize("way", [*SELECTIONS, "at once"])
def test_a_selection_longer_than_what_is_drawn_is_typed_over_as_a_whole(page: Page, way: str) -> None:
    """An editor draws the lines in sight only."""
    keys, kept = SELECTIONS.get(way, ("", 0))
    text = page.get_by_label("Text of the file")
    written = [f"k{number}: {number}\n" for number in range(600)]
    write(page, "".join(written))
    for key in keys.split():
        text.press(key)
    if way == "at once":
        text.press("ControlOrMeta+Home")
        page.evaluate(TYPED_AT_ONCE)
    else:
        page.keyboard.insert_text("new: 1")
    [file, *_] = shared(page)["files"]
    assert file["text"] == "".join([*written[:kept], "new: 1"])


def with_less_time(route: Route) -> None:
    text = route.fetch().text()
    assert "const SECONDS = 20;" in text
    route.fulfill(body=text.replace("const SECONDS = 20;", "const SECONDS = 8;"), content_type="text/javascript")


@NEEDS_BUILD
def test_a_worker_that_does_not_answer_is_ended(browser: Browser) -> None:
    """A pattern that backtracks without end is one call, which nothing within Python ends in a browser."""
    with StaticFiles() as server, running(server):
        page = opened(browser)
        # The time is that of the page; a start of Python is not part of it.
        page.route("**/evaluator.js", with_less_time)
        page.goto(server.address)
        wait_until(page, SNAPSHOT_IS_KEPT, None)
        choose(page, "Layers and a substitution")
        playwright.expect(page.locator("#output")).to_contain_text("gateway: 10.0.0.1")
        page.get_by_role("button", name="documents.yml").click()
        [example] = [one for one in examples() if one["title"].startswith("Layers and")]
        [given] = [one["text"] for one in example["files"] if one["name"] == "documents.yml"]
        given = given.replace("gateway: 10.0.0.1", f"gateway: {'a' * 40}")
        write(
            page,
            given.replace("dest: {path: .gateway}", "dest: {path: .gateway, pattern: '(a+)+$'}").replace(
                "data: {}", f"data: {{gateway: {'a' * 40}b}}"
            ),
        )
        playwright.expect(page.locator("#errors")).to_contain_text("took too long")
        write(page, given)
        playwright.expect(page.locator("#output")).to_contain_text("gateway: aaaa")
        page.close()


@NEEDS_AXE
@pytest.mark.parametrize(("width", "scheme"), [*((width, "light") for width in WIDTHS), (1280, "dark"), (400, "dark")])
def test_axe_finds_nothing(page: Page, scheme: Literal["light", "dark"], width: int) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    page.evaluate(AXE.read_text("utf-8"))
    assert violations(page) == []
    choose(page, "Where a value comes from")
    page.locator("#output button", has_text="replicas: 6").click()
    playwright.expect(page.locator(".history")).to_contain_text("overlays/production.yml:7")
    assert violations(page) == []
    page.get_by_label("Change to").fill("12")
    playwright.expect(page.get_by_role("radio").first).to_be_checked()
    assert violations(page) == []
    page.locator(".history").get_by_role("link", name="overlays/production.yml:7").click()
    page.get_by_role("button", name="Line 4 matches 1 document, changes 1").click()
    assert violations(page) == []
    choose(page, "A value the schema refuses")
    playwright.expect(page.locator("#errors")).to_contain_text("values.yml:1")
    assert violations(page) == []
    choose(page, "Three environments")
    playwright.expect(page.locator("#environments")).to_contain_text("4 values differ")
    assert violations(page) == []
    choose(page, "Match, insert, append, remove")
    page.get_by_label("removed lines").check()
    playwright.expect(page.locator("#output del")).to_have_count(1)
    assert violations(page) == []
    page.get_by_role("button", name="Steps").click()
    playwright.expect(page.locator("#step .add")).to_have_count(5)
    assert violations(page) == []


AT_REST = """Promise.all(document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime !== Infinity)
  .map((one) => one.finished.catch(() => null)))"""


def violations(page: Page) -> list[tuple[str, str, str]]:
    """What axe finds on the page as it is; and a line of it that is wider than the window. Colours that change are those
    after the change.
    """
    page.evaluate(AT_REST)
    found = [(one["id"], one["impact"], one["nodes"][0]["html"]) for one in page.evaluate("axe.run()")["violations"]]
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        found.append(("wider than the window", "serious", ""))
    return found


# ---- the editor of the build, with the language server

with_editor = pytest.mark.parametrize("address", [pytest.param("static", marks=NEEDS_BUILD)], indirect=True)
with_both = pytest.mark.parametrize(
    "address", [pytest.param(form, marks=NEEDS_BUILD) for form in ("served-build", "static")], indirect=True
)


def show(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def wait_for_language(page: Page) -> None:
    """Wait until the language server has told of a mistake that no evaluation is about: a function without a use."""
    show(page, "app.yml")
    before = lines(page)
    write(page, "#@ def unused(): return 1\na: 1\n")
    playwright.expect(page.locator(".cm-lintRange").first).to_be_visible()
    write(page, before)
    playwright.expect(page.locator(".cm-lintRange")).to_have_count(0)


@with_editor
def test_an_error_is_underlined_and_listed(page: Page) -> None:
    show(page, "app.yml")
    write(page, "a: 1\nb: #@ missing\n")
    playwright.expect(page.locator(".cm-lintRange-error")).to_contain_text("missing")
    page.keyboard.press("Control+Shift+M")
    playwright.expect(page.locator(".cm-panel-lint")).to_contain_text("undefined: missing")


@with_editor
@pytest.mark.parametrize("width", [768, 390])
def test_the_mark_of_an_error_is_in_sight_in_a_narrow_window(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.evaluate("location.hash = 'an-overlay-that-matches-nothing'")
    mark = page.locator("#editor .cm-lintRange-error").last
    playwright.expect(mark).to_contain_text("onfigmap")
    box, editor = mark.bounding_box(), page.locator("#editor").bounding_box()
    assert box is not None
    assert editor is not None
    assert box["x"] + box["width"] <= editor["x"] + editor["width"]


@with_both
def test_completion_offers_data_values(page: Page) -> None:
    wait_for_language(page)
    page.locator(".cm-line", has_text="replicas:").click()
    page.keyboard.press("End")
    for _ in "replicas":
        page.keyboard.press("Backspace")
    page.keyboard.press("Control+Space")
    offers = page.get_by_role("listbox").get_by_role("option")
    playwright.expect(offers).to_contain_text(["name", "replicas"])
    page.keyboard.type("rep")
    playwright.expect(offers).to_have_count(1)
    page.wait_for_timeout(200)  # an offer that has just come is not taken by a key that was meant for something else
    page.keyboard.press("Enter")
    playwright.expect(page.locator(".cm-line", has_text="replicas:")).to_contain_text("data.values.replicas")


@with_editor
def test_hover_shows_the_history_of_a_value(page: Page) -> None:
    wait_for_language(page)
    page.locator(".cm-line", has_text="replicas:").locator("span", has_text="replicas").last.hover()
    shown = page.locator(".cm-tooltip-hover")
    playwright.expect(shown).to_contain_text("schema.yml:4")
    playwright.expect(shown).to_contain_text("values.yml:1")


@with_editor
def test_hover_shows_markup_of_files_as_text(page: Page) -> None:
    wait_for_language(page)
    show(page, "schema.yml")
    value = "<img src=x onerror=alert(1)><b style=color:red>web</b>"
    write(page, f"#@data/values-schema\n---\nname: '{value}'\nreplicas: 1\n")
    show(page, "app.yml")
    playwright.expect(page.locator("#output")).to_contain_text("onerror")
    page.locator(".cm-line", has_text="name:").locator("span", has_text="name").last.hover()
    shown = page.locator(".cm-tooltip-hover")
    playwright.expect(shown).to_contain_text("onerror")
    assert shown.locator("img, [style*=red], [onerror]").count() == 0


@with_editor
def test_a_definition_in_another_file_is_gone_to_and_renamed_everywhere(page: Page) -> None:
    wait_for_language(page)
    page.locator(".cm-line", has_text="replicas:").locator("span", has_text="replicas").last.click()
    page.keyboard.press("F12")
    playwright.expect(page.locator("#name")).to_have_value("schema.yml")
    playwright.expect(page.locator(".cm-activeLine")).to_have_text("replicas: 1")
    page.keyboard.press("F2")
    page.locator(".cm-lsp-rename-panel input").fill("count")
    page.keyboard.press("Enter")
    playwright.expect(page.locator(".cm-activeLine")).to_have_text("count: 1")
    show(page, "app.yml")
    assert "data.values.count" in lines(page)
    show(page, "values.yml")
    assert lines(page).startswith("count: 3")
    playwright.expect(page.locator("#output")).to_contain_text("replicas: 3")
    # Each file has a history of its own.
    page.get_by_label("Text of the file").focus()
    page.keyboard.press("Control+z")
    playwright.expect(page.locator(".cm-line").first).to_have_text("replicas: 3")


@with_editor
def test_a_file_is_formatted(page: Page) -> None:
    wait_for_language(page)
    write(page, "a:\n    b: 1\n")
    page.get_by_role("button", name="Format").click()
    playwright.expect(page.locator(".cm-line").nth(1)).to_have_text("  b: 1")


@with_editor
def test_the_keyboard_leaves_the_editor(page: Page) -> None:
    page.get_by_label("Text of the file").focus()
    page.keyboard.press("Tab")
    playwright.expect(page.get_by_role("button", name="Format")).to_be_focused()
    page.keyboard.press("Tab")
    playwright.expect(page.get_by_role("separator", name="source and output")).to_be_focused()
    page.keyboard.press("Tab")
    playwright.expect(page.get_by_role("combobox", name="Command")).to_be_focused()
    for view in ("Output", "Steps", "Environments"):
        page.keyboard.press("Tab")
        playwright.expect(page.get_by_role("button", name=view, exact=True)).to_be_focused()
    page.keyboard.press("Tab")
    playwright.expect(page.get_by_role("button", name="Copy", exact=True)).to_be_focused()
    page.keyboard.press("Tab")
    playwright.expect(page.locator("#output button").first).to_be_focused()
    for _ in range(9):
        page.keyboard.press("Shift+Tab")
    playwright.expect(page.locator("#files summary")).to_be_focused()


@with_editor
@NEEDS_AXE
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_what_the_editor_opens(page: Page, scheme: Literal["light", "dark"]) -> None:
    page.emulate_media(color_scheme=scheme)
    write(page, "#! a comment\na: #@ missing + 1\n#@ def f(x):\n#@overlay/match by='b'\nb: 'c' # d\n")
    playwright.expect(page.locator(".cm-lintRange-error").first).to_be_visible()
    playwright.expect(page.locator("#errors")).to_contain_text("Fix")  # axe fails where a page changes meanwhile
    playwright.expect(page.locator("#progress")).to_be_hidden()
    page.keyboard.press("Control+f")
    page.get_by_label("Text of the file").focus()
    page.keyboard.press("Control+Shift+M")
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("axe.run()")
    assert [(one["id"], one["impact"], one["nodes"][0]["html"]) for one in found["violations"]] == []
