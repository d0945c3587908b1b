"""The page of a review: what it contains, and its use in a browser. The latter needs playwright and a Chromium."""

from __future__ import annotations

import re
import shutil
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Literal

import pytest
from repositories import commit, write

import browsing
from plait.cli import main
from plait.review import Review, review, to_html
from plait.review.cause_rows import cause_rows
from plait.review.result import Block, Cause, DocumentChange, Lines, ValueChange
from plait.tree.secrets import HIDDEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytest_plugins = ("page_fixtures",)
pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="no git")
AXE = Path(__file__).parents[2] / "playground" / "node_modules" / "axe-core" / "axe.min.js"

NASTY = "</noscript></template></script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&`|\u202e\x1b[31m"
PROJECT = "runs: {app: {render: {files: [config]}}}\n"


def documents(count: int, version: str) -> str:
    """Workloads, all but the first of which change alike."""
    shown = [
        f"kind: Deployment\nmetadata: {{name: web-{number}}}\nspec:\n  replicas: {number}\n  template:\n    spec:\n"
        f"      containers:\n      - name: web\n        image: web:{version}\n"
        for number in range(count)
    ]
    return "---\n".join(shown)


FILES: dict[str, str | None] = {
    "plait.yml": PROJECT,
    "config/app.yml": documents(3, "1") + "---\nkind: Service\nmetadata: {name: gone}\n",
    "config/names.yml": "".join(
        f"---\nkind: ConfigMap\nmetadata: {{name: c{n}}}\ndata: {{k{n}: old}}\n" for n in range(12)
    ),
    "config/secret.yml": "kind: Secret\nmetadata: {name: key}\ndata: {password: b2xkLXdvcmQ=}\n",
}
CHANGED: dict[str, str | None] = {
    "config/app.yml": documents(3, "2"),
    "config/names.yml": "".join(
        f"---\nkind: ConfigMap\nmetadata: {{name: c{n}}}\ndata: {{k{n}: new}}\n" for n in range(12)
    ),
    "config/secret.yml": "kind: Secret\nmetadata: {name: key}\ndata: {password: bmV3LXdvcmQ=}\n",
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Review:
    place = tmp_path_factory.mktemp("page") / "r"
    commit(place, FILES)
    write(place, CHANGED)
    return review("HEAD", project=place, documents=True)


@pytest.fixture(scope="module")
def address(found: Review, tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("html") / "review.html"
    file.write_text(to_html(found), "utf-8")
    return file.as_uri()


# ---- contents


class Elements(HTMLParser):
    """The elements of a page with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_the_lines_of_documents_belong_to_changes(found: Review) -> None:
    web = next(one for one in found.documents if one.name == "Deployment/web-1")
    changed = [one for one in web.blocks if not one.is_same]
    assert [(one.old, one.new, one.old_start, one.new_start) for one in changed] == [
        (["        image: web:1"], ["        image: web:2"], 10, 10)
    ]
    assert changed[0].change is web.changes[0]
    assert [found.causes[number].place for number in web.changes[0].causes] == ["config/app.yml:19"]
    gone = next(one for one in found.documents if one.name == "Service/gone")
    assert (gone.kind, [one.old for one in gone.blocks]) == (
        "removed",
        [["kind: Service", "metadata:", "  name: gone"]],
    )
    assert {one.name for one in found.documents} == {one.document for one in found.changes}


def test_every_change_of_a_value_has_its_line(tmp_path: Path) -> None:
    """Values, keys and items that are added, removed, changed and moved; a renamed document; another type."""
    old = "kind: A\nmetadata: {name: x}\nl: [{name: a, v: 1}, {name: b, v: 2}]\nm: {x: 1, k: {z: [1, 2]}}\nt: |\n  a\n  b\no: [1, 2, 3]\np: [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]\n"
    new = "kind: A\nmetadata: {name: y}\nl: [{name: a, v: 3}, {name: c, v: 4}]\nm: {w: 1, k: {z: text}}\nt: |\n  a\n  c\no: [3, 2, 1]\np: [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]\n"
    commit(tmp_path / "r", {"plait.yml": PROJECT, "config/a.yml": old})
    write(tmp_path / "r", {"config/a.yml": new})
    [one] = review("HEAD", project=tmp_path / "r", documents=True).documents
    assert one.kind == "renamed"
    assert [row.kind for row in one.unplaced] == ["renamed"]
    shown = {block.change.path for block in one.blocks if block.change is not None}
    assert shown == {"metadata.name", "l[name=a].v", "l[name=b]", "l[name=c]", "m.x", "m.w", "m.k.z", "t", "o"}
    assert all(block.change is not None or block.is_same for block in one.blocks)


def test_a_text_file_and_an_environment(tmp_path: Path) -> None:
    commit(
        tmp_path / "r",
        {
            "plait.yml": "runs:\n  app:\n    matrix: {axes: {region: [eu, us]}, output: '{region}/'}\n"
            "    render: {files: [config], set: {region: '{region}'}}\n",
            "config/v.yml": "#@data/values\n---\nregion: ''\n",
            "config/a.txt": "one\ntwo (@= 'x' @)\n",
        },
    )
    write(tmp_path / "r", {"config/a.txt": "one\ntwo (@= 'y' @)\n"})
    made = review("HEAD", project=tmp_path / "r", documents=True)
    [one] = made.documents
    assert (one.name, one.where) == ("a.txt", "")
    assert [(block.old, block.new) for block in one.blocks if not block.is_same] == [(["two x"], ["two y"])]
    names = [attributes.get("value") for tag, attributes in Elements(to_html(made)).found if tag == "input"]
    assert {"region=eu", "region=us"} <= {*names}


def test_secrets_are_not_in_the_page(found: Review) -> None:
    page = to_html(found)
    assert "b2xkLXdvcmQ" not in page
    assert "bmV3LXdvcmQ" not in page
    key = next(one for one in found.documents if one.name == "Secret/key")
    assert [(one.path, one.after) for one in key.unplaced] == [("data.password", HIDDEN)]


def test_a_secret_of_one_side_is_hidden_on_both(tmp_path: Path) -> None:
    commit(tmp_path / "r", {"plait.yml": PROJECT, "config/a.yml": "kind: Secret\nname: k\ndata: {p: one-word}\n"})
    write(tmp_path / "r", {"config/a.yml": "kind: ConfigMap\nname: k\ndata: {p: other-word}\n"})
    page = to_html(review("HEAD", project=tmp_path / "r", documents=True))
    assert "one-word" not in page
    assert "other-word" not in page


def test_the_page_allows_nothing_but_itself(found: Review) -> None:
    page = to_html(found)
    policy = next(one["content"] for tag, one in Elements(page).found if "http-equiv" in one)
    assert policy is not None
    for tag in ("style", "script"):
        [text] = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert f"{tag}-src 'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" in policy
    assert policy.startswith("default-src 'none'")
    for tag, attributes in Elements(page).found:
        assert not {"src", "style", "srcset", "action"} & {*attributes}, tag
        assert not any(name.startswith("on") for name in attributes), tag
        assert attributes.get("href", "#").startswith("#"), attributes  # type: ignore[union-attr]


def hostile() -> Review:
    """A review in which every text is markup."""
    made = Review(NASTY, NASTY)
    made.runs = made.evaluated = 1
    made.changed = [NASTY]
    made.added = [NASTY]
    made.permissions = [(NASTY, NASTY)]
    change = ValueChange("changed", f"Deployment/{NASTY}", NASTY, NASTY, NASTY, 1, is_secret=False)
    change.runs = [NASTY]
    change.where = NASTY
    cause = Cause([Lines(NASTY, 1, NASTY, [(1, 1)], [(1, 1)], vendored=False)])
    cause.changes, cause.values = [change], 1
    cause.names, cause.where = {NASTY}, NASTY
    for number in range(12):
        block = Block(1, [f"{NASTY}: {NASTY}"], 1, [f"{NASTY}: {number}"])
        block.change = change
        one = DocumentChange(
            f"{NASTY}/{number}/{NASTY}", "changed", [change], [block, Block.same(2, 2, [NASTY])], NASTY
        )
        one.runs = [NASTY, f"{NASTY}2"]
        one.where = f"{NASTY}{number}"
        made.documents.append(one)
        made.causes.append(cause)
    change.causes = [0]
    made.changes = [change]
    made.axes = {NASTY: {NASTY: NASTY}}
    return made


def test_texts_are_no_markup() -> None:
    page = to_html(hostile())
    assert "<script>alert" not in page
    assert "<img" not in page
    assert page.count("</script>") == page.count("<script>") == 1
    assert page.count("</noscript>") == page.count("<noscript>")
    assert page.count("</template>") == 1
    assert "\x1b" not in page
    body = page.partition('<template id="markdown">')[0]
    assert "\u202e" not in body


def test_each_choice_of_a_filter_has_a_value_of_its_own(tmp_path: Path) -> None:
    """Spaces and commas separate values in the page and its address."""
    kinds = ["a b", "a_b", "a", "b", "a,b", "a%20b", "a+b", "ä\U0001f600"]
    texts = [
        "".join(f"---\nkind: '{kind}'\nmetadata: {{name: c}}\ndata: {value}\n" for kind in kinds) for value in (1, 2)
    ]
    for text in texts:
        commit(tmp_path, {"plait.yml": PROJECT, "config/app.yml": text})
    page = to_html(review("HEAD~1", "HEAD", project=tmp_path, documents=True))
    values = re.findall(r'name="kind" value="([^"]*)"', page)
    assert len(values) == len({*values}) == len(kinds)
    assert sorted(re.findall(r' data-kind="([^"]*)"', page)) == sorted(values)
    assert not any(sign in value for value in values for sign in " ,")


def test_html_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commit(tmp_path / "r", FILES)
    write(tmp_path / "r", CHANGED)
    monkeypatch.chdir(tmp_path / "r")
    assert main(["review", "HEAD", "-o", "html"]) == 0
    page = capsys.readouterr().out
    assert page.startswith("<!DOCTYPE html>")
    assert 'id="d1"' in page


def test_the_title_names_two_things(tmp_path: Path) -> None:
    """What some runs do to more documents is no second thing."""
    text = "name: cf\ninstance_groups: [{name: a, stemcell: old}%s]\nreleases: [{name: r, version: old}]\n"
    files = {"a.yml": text % "", "b.yml": text % ", {name: b, stemcell: old}"}
    project = "runs: {a: {patch: {base: a.yml}}, b: {patch: {base: b.yml}}}\n"
    commit(tmp_path / "r", {"plait.yml": project, **files})
    write(tmp_path / "r", {name: one.replace("old", "new") for name, one in files.items()})
    made = review("HEAD", project=tmp_path / "r", documents=True)
    assert [one.name for one in made.consequences] == [
        "instances-recreated",
        "instances-recreated",
        "release-version-changed",
    ]
    assert "<h1>1 instance group is recreated, 1 release has a different version</h1>" in to_html(made)


# ---- in a browser


def opened(browser: Browser, address: str, width: int = 1440, **options: object) -> tuple[Page, list[str]]:
    """A page, and a list of what it reports or requests."""
    context = browser.new_context(viewport={"width": width, "height": 900}, **options)  # type: ignore[arg-type]
    page = browsing.opened(context)
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: wrong.append(dialog.message))
    page.on("request", lambda request: wrong.append(request.url) if request.url.split("#")[0] != address else None)
    page.goto(address)
    return page, wrong


def names(page: Page) -> list[str]:
    return page.locator(".doc:not([hidden]) h3").all_text_contents()


@pytest.mark.parametrize("width", [1440, 768, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_axe_finds_nothing(
    browser: Browser, address: str, width: int, scheme: Literal["light", "dark"]
) -> None:
    page, wrong = opened(browser, address, width, color_scheme=scheme, bypass_csp=True)
    page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if AXE.exists():
        page.add_script_tag(path=AXE)
        found = page.evaluate("axe.run()")["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
    assert wrong == []
    page.context.close()


def test_everything_is_there_without_javascript(browser: Browser, address: str, found: Review) -> None:
    page, _ = opened(browser, address, java_script_enabled=False)
    assert page.locator(".doc[open] .diff").count() == page.locator(".doc").count()
    assert page.locator(".causes tbody tr").count() == len(cause_rows(found.causes))
    assert not page.locator("#search").is_visible()
    page.context.close()


def test_keys(browser: Browser, address: str) -> None:
    page, wrong = opened(browser, address)
    shown = names(page)
    assert shown[0] == "Deployment/web-0"
    focused = "document.activeElement.closest('.doc').querySelector('h3').textContent"
    for key, name in (
        ("j", shown[0]),
        ("j", shown[1]),
        ("j", shown[2]),
        ("k", shown[1]),
        ("k", shown[0]),
        ("k", shown[0]),
    ):
        page.keyboard.press(key)
        assert page.evaluate(focused) == name
    assert page.locator("#d1").get_attribute("open") is not None
    page.keyboard.press("o")
    assert page.locator("#d1").get_attribute("open") is None
    page.keyboard.press("Enter")
    assert page.locator("#d1").get_attribute("open") is not None
    page.keyboard.press("/")
    page.keyboard.type("web-1")
    assert page.locator("#search").input_value() == "web-1"
    assert names(page) == ["Deployment/web-1"]
    page.keyboard.press("Escape")
    assert names(page) == shown
    assert wrong == []
    page.context.close()


def test_filters_are_in_the_address(browser: Browser, address: str) -> None:
    page, wrong = opened(browser, address)
    shown = names(page)
    assert page.locator("#clear").is_disabled()
    page.locator("input[name=kind][value=ConfigMap]").uncheck()
    assert names(page) == [name for name in shown if not name.startswith("ConfigMap/")]
    page.locator("#search").fill("gone")
    assert names(page) == ["Service/gone"]
    assert "1 of" in page.locator("#state").inner_text()
    again, _ = opened(browser, page.url)
    assert names(again) == ["Service/gone"]
    assert not again.locator("input[name=kind][value=ConfigMap]").is_checked()
    again.locator("#clear").click()
    assert names(again) == shown
    assert "#" not in again.url
    again.context.close()
    assert wrong == []
    page.context.close()


def test_causes_and_lines_lead_to_each_other(browser: Browser, address: str) -> None:
    page, wrong = opened(browser, address)
    last = page.locator(".doc").last
    assert last.get_attribute("open") is None
    last.locator("summary").click()
    last.locator(".diff").first.wait_for()
    link = page.locator('#d1 a[href="#c2"], #d1 a').first
    target = (link.get_attribute("href") or "")[1:]
    link.click()
    assert page.evaluate("document.activeElement.id") == target
    page.locator(".cons [data-choose]").first.click()
    assert "with this consequence" in page.locator("#state").inner_text()
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.locator("#clear").click()
    page.locator(".causes [data-choose=c1]").click()
    assert "with cause 1" in page.locator("#state").inner_text()
    folded, _ = opened(browser, f"{address}#c14")
    assert folded.evaluate("document.activeElement.id") == "c14"
    folded.context.close()
    assert wrong == []
    page.context.close()


def test_menus_on_a_narrow_window(browser: Browser, address: str) -> None:
    page, wrong = opened(browser, address, 390)
    menu = page.locator('aside details[data-name="kind"]')
    assert menu.get_attribute("open") is None
    menu.locator("summary").click()
    menu.locator("input").first.uncheck()
    assert ": 3 of 4" in menu.locator("summary").inner_text()
    page.keyboard.press("Escape")
    assert menu.get_attribute("open") is None
    assert wrong == []
    page.context.close()


def test_the_markdown_is_copied(browser: Browser, address: str, found: Review) -> None:
    page, wrong = opened(browser, address, permissions=["clipboard-read", "clipboard-write"])
    page.locator("#copy").click()
    page.get_by_text("Copied", exact=True).wait_for()
    assert page.evaluate("navigator.clipboard.readText()").startswith("**plait review**")
    assert wrong == []
    page.context.close()


def test_nothing_of_a_hostile_change_is_executed(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "hostile.html"
    file.write_text(to_html(hostile()), "utf-8")
    page, wrong = opened(browser, file.as_uri())
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    page.locator("#d12 .diff").wait_for()
    assert page.locator("img, main script").count() == 0
    page.locator("#search").fill("alert")
    assert wrong == []
    page.context.close()
