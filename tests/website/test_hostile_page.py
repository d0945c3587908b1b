"""Hostile texts in each place where text enters the page: nothing executes, nothing leaves, and the page stays usable.

PAYLOADS has the texts and PLACES the ways in; a new place is one function more.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable
from contextlib import contextmanager
from typing import Literal

import pytest

from browsing import CHROMIUM, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from playwright.sync_api import Dialog, Page, Request

    from page_fixtures import Shown

pytest_plugins = ("page_fixtures",)
playwright = pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

# What runs if it is read as markup, as a script, as a style or as an address.
PAYLOADS = {
    "a script": "<script>isHostile()</script>",
    "an image": "<img src=x onerror=isHostile()>",
    "a drawing": "<svg onload=isHostile()><a xlink:href='javascript:isHostile()'><text>x",
    "the end of what is around it": "</textarea></title></style></script></template><script>isHostile()</script><!--",
    "an attribute": '" autofocus onfocus="isHostile()" x=\'',
    "an address": "javascript:isHostile()",
    "a document": "data:text/html,<script>isHostile()</script>",
    "a frame": "<iframe srcdoc='<script>parent.isHostile()</script>'></iframe><base href=//127.0.0.2:9/>",
    "a style": "<style>@import '//127.0.0.2:9/';*{display:none!important}</style>;background:url(//127.0.0.2:9/)",
    "a template": "${isHostile()} {{constructor.constructor('isHostile()')()}} #{isHostile()}",
    "a pattern": "(a+)+$[\\w-]{1000000000}*?",
    "what replaces": "$& $` $' $1 $<a> \\1",
    "a prototype": "__proto__",
    "a constructor": "constructor",
    "directions": "\u202egnp.\u2066x\u2069\u200f\u061c\u2028\u2029",
    "controls": "\x1b]0;x\x07\x1b[31m\x08\x7f\x9b31m",
    "a surrogate": "\ud800",
    "marks": "e" + "\u0301" * 400,
    "a long line": "x" * 50_000,
}
# YAML has no control characters; a text has, between quotes.
QUOTED = {name: json.dumps(text) for name, text in PAYLOADS.items()}
# Texts that are keys: a parser looks no further than some thousand characters for a colon.
KEYS = {name: text for name, text in QUOTED.items() if name != "a surrogate" and len(text) <= 1000}
NAMES = {
    name: text.replace("/", "").replace("\\", "")[:120] for name, text in PAYLOADS.items() if name != "a surrogate"
}


@pytest.fixture
def watched(page: Page, shown: Shown, address: str) -> Iterator[Page]:
    """The page of the module, watched."""
    with watching(shown, address):
        yield page


@pytest.fixture
def watched_alone(alone: Shown, address: str) -> Iterator[Page]:
    """A page of the test's own, watched: what takes all of it leaves nothing to another test."""
    alone.page.goto(f"{address}/#a-template-and-its-values")
    playwright.expect(alone.page.locator("#output")).to_contain_text("replicas: 3")
    with watching(alone, address):
        yield alone.page
    assert alone.wrong == []


@contextmanager
def watching(shown: Shown, address: str) -> Iterator[None]:
    """Watches the scripts and requests of a page. A violation of its policy is an error of its console, too."""
    page = shown.page
    asked: list[str] = []

    def ask(request: Request) -> None:
        asked.append(request.url)

    def open_dialog(dialog: Dialog) -> None:
        shown.wrong.append(dialog.message)
        dialog.dismiss()

    watch = "globalThis.isHostile = () => console.error('a payload has run')"
    page.add_init_script(watch)
    page.evaluate(f"() => {{ {watch} }}")
    page.on("request", ask)
    page.on("dialog", open_dialog)
    yield
    assert_harmless(page)
    # The page goes on.
    page.goto(f"{address}/#keys-that-may-be-missing")
    playwright.expect(page.locator("#output")).to_contain_text("kind: Namespace")
    playwright.expect(page.locator("#progress")).to_be_hidden()
    page.remove_listener("request", ask)
    page.remove_listener("dialog", open_dialog)
    # The server refuses a name that no file can have. Whether it is asked while one is typed depends on the time of each key.
    shown.wrong[:] = [one for one in shown.wrong if "status of 400" not in one]
    assert [one for one in asked if not one.startswith((f"{address}/", "blob:"))] == []


# Attributes that run something and addresses that lead out of the page, in the page and in the shadows of it.
HARMFUL = """() => {
  const found = [];
  const look = (root) => {
    for (const one of root.querySelectorAll("*")) {
      if (one.shadowRoot) look(one.shadowRoot);
      if (["IFRAME", "OBJECT", "EMBED", "BASE", "FORM"].includes(one.localName.toUpperCase()) && !one.matches("#command-line, .change")) found.push(one.outerHTML);
      if (["script", "style", "link", "img"].includes(one.localName) && one.closest("body") && !one.matches(".cm-widgetBuffer")) found.push(one.outerHTML);
      for (const { name, value } of one.attributes) {
        if (name.startsWith("on") || (/^(xlink:)?(href|src|action|formaction)$/.test(name) && /^\\s*(javascript|data|https?|\\/\\/)/i.test(value) && one.localName !== "link" && !one.closest("header, #more-links"))) found.push(one.outerHTML);
      }
    }
  };
  look(document);
  return [found, document.documentElement.scrollWidth > innerWidth, globalThis.isHostile?.toString().length];
}"""


def assert_harmless(page: Page) -> None:
    found, is_wider, _ = page.evaluate(HARMFUL)
    assert found == []
    assert not is_wider


def link(address: str, data: Mapping[str, object], example: str = "") -> str:
    packed = zlib.compress(json.dumps(data).encode(), 9, wbits=-15)
    return f"{address}/#{example}/{base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


def program(**more: object) -> dict[str, object]:
    return {
        "kind": "render",
        "files": [{"name": "a.yml", "text": "a: 1\n"}, {"name": "b.yml", "text": "b: 2\n"}],
        **more,
    }


def show_all(page: Page) -> None:
    """Opens what shows texts: the history of a value, the steps, the environments, the list of files, the errors."""
    playwright.expect(page.locator("#progress")).to_be_hidden()
    for view in ("Steps", "Environments", "Output"):
        page.locator("#result-views").get_by_role("button", name=view).click()
        playwright.expect(page.locator("#progress")).to_be_hidden()
    if page.locator("#output .value button").count():
        page.locator("#output .value button").first.click()
        playwright.expect(page.locator("#explanation")).not_to_be_empty()
    page.locator("#files summary").click()
    assert_harmless(page)
    page.keyboard.press("Escape")


def texts(page: Page, address: str) -> None:
    """As values, as keys and in comments."""
    rows = "".join(f"{quoted}: {quoted}  # {name}\n" for name, quoted in KEYS.items())
    rows += f"long: {QUOTED['a long line']}\nmarks: {QUOTED['marks']}\n"
    comments = "".join(
        f"#! {text}\n" for name, text in PAYLOADS.items() if name not in ("a surrogate", "controls", "directions")
    )
    page.goto(link(address, {"kind": "render", "files": [{"name": "a.yml", "text": comments + rows}]}))
    playwright.expect(page.locator("#output")).to_contain_text("isHostile")
    show_all(page)


def values_and_environments(page: Page, address: str) -> None:
    schema = "#@data/values-schema\n---\n" + "".join(f"{one}: ''\n" for one in KEYS.values())
    app = '#@ load("@ytt:data", "data")\n#@ for name, text in data.values.items():\n---\nkey: #@ name\ntext: #@ text\n#@ end\n'
    app = app.replace("data.values.items()", "[(x, getattr(data.values, x)) for x in dir(data.values)]")
    values = [
        "".join(f"{key}: {json.dumps(f'{PAYLOADS[name]} {number}')}\n" for name, key in KEYS.items()) for number in "12"
    ]
    files = [{"name": "schema.yml", "text": schema}, {"name": "app.yml", "text": app}]
    files += [
        {"name": f"{NAMES['an image']}{number}.yml", "text": text, "role": "values"}
        for number, text in enumerate(values)
    ]
    page.goto(link(address, {"kind": "render", "files": files, "view": "environments"}))
    playwright.expect(page.locator("#environments")).to_contain_text("isHostile")
    page.locator("#environments td button").first.click()
    playwright.expect(page.locator(".history")).to_contain_text("isHostile")
    show_all(page)


def names(page: Page, address: str) -> None:
    """Of files in a link. One that a directory cannot have is refused before the page shows any."""
    files = [{"name": f"{text}.yml", "text": "a: 1\n--- x: [\n"} for name, text in NAMES.items() if is_name(text)]
    page.goto(link(address, {"kind": "render", "files": files, "open": files[-1]["name"]}))
    playwright.expect(page.locator("#errors")).to_contain_text("problem")
    show_all(page)
    for text in NAMES.values():
        if not is_name(text):
            page.goto(link(address, {"kind": "render", "files": [{"name": f"{text}.yml", "text": "a: 1\n"}]}))
            playwright.expect(page.locator("#told")).to_contain_text("cannot be read")
            page.goto(f"{address}/#keys-that-may-be-missing")


def is_name(text: str) -> bool:
    """No control characters, and none that change the direction of what is beside them."""
    return text.isprintable()


def errors(page: Page, address: str) -> None:
    """In what a program says of itself."""
    for name, text in PAYLOADS.items():
        if name in ("a surrogate", "a long line"):
            continue
        quoted = json.dumps(text.replace("\x7f", "").replace("\x9b", ""), ensure_ascii=False)
        if name == "controls":
            quoted = '"\\x1b]0;x\\x07\\x1b[31m"'
        page.goto(
            link(
                address,
                {"kind": "render", "files": [{"name": "a.yml", "text": f"#@ print({quoted})\n#@ fail({quoted})\n"}]},
            )
        )
        playwright.expect(page.locator("#errors")).to_contain_text("problem")
        assert_harmless(page)


def links(page: Page, address: str) -> None:
    """In what a link says besides files. What it means is ignored, or it cannot be read."""
    for text in PAYLOADS.values():
        given = {
            "open": text,
            "cell": [text, text],
            "line": text,
            "removed": [text],
            "gone": text,
            "equal": text,
            "more": text,
        }
        page.goto(link(address, program(**given, view="steps", step=text)))
        playwright.expect(page.locator("#step")).to_contain_text("b: 2")
        page.goto(link(address, program(**given, view=text, step=text)))
        playwright.expect(page.locator("#output")).to_contain_text("b: 2")
        for data in (program(kind=text), {**program(), "files": [{"name": "a.yml", "text": "", "role": text}]}):
            page.goto(link(address, data))
            playwright.expect(page.locator("#told")).to_contain_text("cannot be read")
            assert_harmless(page)
            page.goto(f"{address}/#keys-that-may-be-missing")
            playwright.expect(page.locator("#told")).not_to_contain_text("cannot be read")
        assert_harmless(page)


def addresses(page: Page, address: str) -> None:
    """The address itself, uncompressed; and what the browser has kept of one."""
    for name, text in PAYLOADS.items():
        if name == "a surrogate":
            continue
        page.evaluate("(text) => { location.hash = text; }", text)
        playwright.expect(page.locator("#told")).to_contain_text("cannot be read")
        assert_harmless(page)
        page.goto(f"{address}/#keys-that-may-be-missing")
        playwright.expect(page.locator("#told")).not_to_contain_text("cannot be read")
    for text in ("<img src=x onerror=isHostile()>", "__proto__", "javascript:isHostile()"):
        page.evaluate(
            "(text) => { for (const key of Object.keys(localStorage)) localStorage.setItem(key, text); }", text
        )
        page.goto("about:blank")
        page.goto(address)
        playwright.expect(page.locator("#output")).to_contain_text("replicas")
        assert_harmless(page)
    page.evaluate("localStorage.clear()")


def deep_links(page: Page, address: str) -> None:
    for text in ("[" * 400_000, '{"a":' * 150_000, "9" * 900_000, '"\\ud800'):
        packed = base64.urlsafe_b64encode(zlib.compress(text.encode(), 9, wbits=-15)).decode().rstrip("=")
        page.goto(f"{address}/#/{packed}")
        playwright.expect(page.locator("#told")).to_contain_text("cannot be read")
        page.goto(f"{address}/#keys-that-may-be-missing")
        playwright.expect(page.locator("#told")).not_to_contain_text("cannot be read")


# Drops files of any name and with any bytes, as a file system would hand them over.
DROPPED = """([files]) => {
  const entry = ([name, text]) => ({
    isFile: true, fullPath: `/top/${name}`, file: (resolve) => resolve(new File([text], name)),
  });
  const some = [files.map(entry), []];
  const top = { isFile: false, fullPath: "/top", createReader: () => ({ readEntries: (resolve) => resolve(some.shift() ?? []) }) };
  const event = new Event("drop", { bubbles: true, cancelable: true });
  event.dataTransfer = { types: ["Files"], items: [{ webkitGetAsEntry: () => top }], files: [] };
  document.body.dispatchEvent(event);
}"""


def dropped_folders(page: Page, address: str) -> None:
    files = [[f"{text}.yml", f"a{number}: 1\n"] for number, text in enumerate(NAMES.values())]
    refused = [text for text in NAMES.values() if not is_name(text)]
    page.evaluate(DROPPED, [files])
    playwright.expect(page.locator("#wanted")).to_contain_text(f"{len(refused)} left out")
    playwright.expect(page.locator("#progress")).to_be_hidden()
    show_all(page)


def command_lines(page: Page, address: str) -> None:
    for name, text in PAYLOADS.items():
        if name == "a surrogate":
            continue
        for line in (f"ytt -f '{text}' --data-value 'x={text}'", f"bosh int {text} -o {text}", text):
            page.get_by_label("Command line of ytt, bosh or plait").evaluate(
                "(input, text) => { input.value = text; input.form.requestSubmit(); }", line
            )
            playwright.expect(page.locator("#wanted")).not_to_have_text("")
            assert_harmless(page)
            page.evaluate("document.getElementById('wanted').replaceChildren()")


def changes_from_the_right(page: Page, address: str) -> None:
    page.locator("#output button", has_text="replicas: 3").click()
    for text in [
        PAYLOADS[name] for name in ("an image", "a script", "directions", "a template", "an address", "a prototype")
    ]:
        page.get_by_label("Change to").fill(text)
        playwright.expect(page.locator(".ways")).not_to_contain_text("Type another")
        playwright.expect(page.locator(".ways")).not_to_contain_text("plait tries")
        assert_harmless(page)


def new_names(page: Page, address: str) -> None:
    """A name that is typed."""
    page.locator("#files summary").click()
    for text in NAMES.values():
        page.locator("#name").fill(text.replace("\u2028", "").replace("\u2029", ""))
        assert_harmless(page)
    page.locator("#name").fill("app.yml")


def pipelines(page: Page, address: str) -> None:
    """As the name of a step, of a file of it, and as the path of an operation."""
    for name in ("an image", "a template", "a pattern", "a prototype", "the end of what is around it"):
        quoted = QUOTED[name]
        files = {
            "plait.yml": f"steps:\n- name: {quoted}\n  render: {{files: [base.yml]}}\n- patch: {{operations: [operations.yml]}}\n",
            "base.yml": f"? {quoted}\n: 1\n",
            "operations.yml": f"- {{type: replace, path: {json.dumps('/' + PAYLOADS[name])}, value: 1}}\n",
        }
        page.goto(
            link(address, {"kind": "compose", "files": [{"name": one, "text": text} for one, text in files.items()]})
        )
        playwright.expect(page.locator("#progress")).to_be_hidden()
        show_all(page)


PLACES: tuple[Callable[[Page, str], None], ...] = (
    texts, values_and_environments, names, errors, links, addresses, deep_links, dropped_folders, command_lines,
    changes_from_the_right, new_names, pipelines,
)  # fmt: skip


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_what_a_text_says_is_not_done(watched: Page, address: str, place: Callable[[Page, str], None]) -> None:
    place(watched, address)


# Programs that would take all time or all memory. Each fails, and the next program runs.
BOMBS = {
    "a loop": "#@ def f():\n#@   for i in range(1000000000):\n#@     x = i\n#@   end\n#@   return 1\n#@ end\na: #@ f()\n",
    "a recursion": "#@ def f(x):\n#@   return f(x + 1)\n#@ end\na: #@ f(0)\n",
    "a text": 'a: #@ "x" * 1000000000000\n',
    "a list": "a: #@ len([[0] * 10000000 for _ in range(10000)])\n",
    "a number": "#@ def f():\n#@   x = 10\n#@   for i in range(60):\n#@     x = x * x\n#@   end\n#@   return x\n#@ end\na: #@ f()\n",
    "much output": "#@ for i in range(100000000):\n---\na: 1\n#@ end\n",
    "aliases": "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)),
    "depth": "a: " + "[" * 20_000 + "]" * 20_000 + "\n",
    "depth of blocks": "".join(f"{' ' * depth}a:\n" for depth in range(1_200)),
    "depth of an expression": f"a: #@ {'(' * 5_000}1{')' * 5_000}\n",
    "many keys": "".join(f"k{number}: {number}\n" for number in range(3_000)) + "b: #@ fail('at its end')\n",
    "printing": "#@ for i in range(100000000):\n#@   print('x' * 1000)\n#@ end\na: 1\n",
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_what_takes_all_time_or_memory_ends(watched_alone: Page, address: str, bomb: Literal["a loop"]) -> None:
    watched_alone.goto(link(address, {"kind": "render", "files": [{"name": "a.yml", "text": BOMBS[bomb]}]}))
    playwright.expect(watched_alone.locator("#errors")).to_contain_text("problem")
    assert_harmless(watched_alone)
    write(watched_alone, "b: 1\n")
    playwright.expect(watched_alone.locator("#output")).to_contain_text("b: 1")
