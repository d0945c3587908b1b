"""Results of the API: when they are equal, what they say of themselves, how a notebook shows them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape
from html.parser import HTMLParser

import pytest

import plait
from plait.base.errors import warning

APP = {"app.yml": "kind: Deployment\nmetadata: {name: web}\nport: 80\n"}
SCHEMA = {"schema.yml": "#@data/values-schema\n---\nport: 80\n"}
LOOSE = {"layer.yml": "schema: demo/Port/v1\nmetadata: {name: http}\ndata: 80\n"}
PIPELINE = {"plait.yml": "steps: [{values: {set: {a: 1}}}]"}

MAKERS: dict[str, Callable[[bool], object]] = {
    "Documents": lambda isolated: plait.read(APP, isolated=isolated),
    "Rendered": lambda isolated: plait.render({**APP, "a.txt": "(@= 'x' @)"}, isolated=isolated),
    "Composed": lambda isolated: plait.compose(PIPELINE, isolated=isolated),
    "ComposeStep": lambda isolated: plait.compose(PIPELINE, isolated=isolated).steps[0],
    "Formatted": lambda isolated: plait.fmt({"a.yml": "a:   1"}, isolated=isolated),
    "Findings": lambda isolated: plait.check_layers(LOOSE, isolated=isolated),
    "Findings of values": lambda isolated: plait.check_data_values(SCHEMA, values={"port": "x"}, isolated=isolated),
    "values": lambda isolated: plait.data_values(SCHEMA, isolated=isolated),
    "schema": lambda isolated: plait.data_values_schema(SCHEMA, isolated=isolated),
    "exported": lambda _: plait.export_schema(SCHEMA),
    "imported": lambda _: plait.import_schema({"type": "object"}),
    "Differences": lambda _: plait.diff(APP, {"b.yml": "port: 81"}),
    "Difference": lambda _: plait.diff(APP, {"b.yml": "port: 81"})[0],
    "History": lambda _: plait.explain(plait.render(APP, trace=True), "port")[0],
    "Entry": lambda _: plait.explain(plait.render(APP, trace=True), "port")[0].entries[0],
}


@pytest.mark.parametrize("kind", MAKERS)
def test_equal_when_made_twice(kind: str) -> None:
    one, other = MAKERS[kind](False), MAKERS[kind](True)
    assert one is not other
    assert one == other
    assert one != "something else"
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


def unequal() -> Iterator[tuple[object, object]]:
    yield plait.read({"a.yml": "a: 1"}), plait.read({"a.yml": "a: 1.5"})
    yield plait.read({"a.yml": "{a: 1, b: 2}"}), plait.read({"a.yml": "{b: 2, a: 1}"})
    yield plait.read({"a.yml": "a: 1"}), plait.render({"a.yml": "a: 2"})
    yield plait.render({"a.yml": "a: 1"}), plait.render({"b.yml": "a: 1"})
    yield plait.render({"a.yml": "#@ print(1)\na: 1"}), plait.render({"a.yml": "a: 1"})
    yield plait.fmt({"a.yml": "a:  1\n"}), plait.fmt({"a.yml": "a: 1\n"})
    yield plait.diff(APP, {"b.yml": "port: 81"}), plait.diff(APP, {"b.yml": "port: 82"})
    yield plait.explain(plait.render(APP, trace=True), "port"), plait.explain(plait.render(APP, trace=True), "kind")
    yield plait.check_layers(LOOSE), plait.check_data_values({})
    yield plait.Difference("changed", "a", "b", 1, 2), plait.Difference("changed", "a", "b", 1, 2.0)
    yield plait.Difference("changed", "a", "b", 1, True), plait.Difference("changed", "a", "b", 1, 1)
    yield (
        plait.Difference("added", "a", "b", None, {"x": [1]}),
        plait.Difference("added", "a", "b", None, {"x": [1, 2]}),
    )


def test_unequal_when_anything_differs() -> None:
    for one, other in unequal():
        assert one != other
        assert one == one  # noqa: PLR0124 - a result is equal to itself


def test_not_a_number_is_itself() -> None:
    assert plait.Difference("added", "", "", None, [float("nan")]) == plait.Difference(
        "added", "", "", None, [float("nan")]
    )
    assert plait.read({"a.yml": "a: .nan"}) == plait.read({"a.yml": "a: .NaN"})


def test_deep_data_are_compared() -> None:
    def nested(depth: int) -> plait.Plain:
        data: plait.Plain = 1
        for _ in range(depth):
            data = [data]
        return data

    assert plait.Difference("added", "", "", None, nested(5000)) == plait.Difference(
        "added", "", "", None, nested(5000)
    )
    assert plait.Difference("added", "", "", None, nested(5000)) != plait.Difference(
        "added", "", "", None, nested(5001)
    )


def test_a_part_of_several() -> None:
    documents = plait.documents(1, 2, 3)
    assert documents[1:] == [2, 3]
    assert documents[-1] == 3
    found = plait.diff({"a.yml": "{a: 1, b: 1}"}, {"a.yml": "{a: 2, b: 2}"})
    assert [one.path for one in found[:1]] == ["a"]
    assert [one.message for one in plait.check_layers(LOOSE)[:1]] == [plait.check_layers(LOOSE)[0].message]


def test_mappings_and_sequences_of_other_kinds_are_data() -> None:
    from types import MappingProxyType

    data: MappingProxyType[str, plait.Plain] = MappingProxyType({"a": range(2), "b": MappingProxyType({"c": ()})})
    assert plait.documents(data).to_dict() == {"a": [0, 1], "b": {"c": []}}
    assert plait.render({"a.yml": "a: 1"}, values=data).to_dict() == {"a": 1}


@pytest.mark.parametrize(
    ("made", "shown"),
    [
        (plait.documents(), "<Documents of 0>"),
        (plait.render(APP), "<Rendered of 1: Deployment/web>"),
        (plait.documents(1, {"kind": "A\n\x1b[31m"}), "<Documents of 2: -, A\\n\\x1b[31m>"),
        (plait.documents(*({"name": "x" * 100} for _ in range(9))), f"<Documents of 9: {', '.join(['x' * 60 + '...'] * 6)}, ...>"),
        (plait.diff(APP, APP), "<Differences: 0>"),
        (plait.diff({"a.yml": "a: 1"}, {"a.yml": "a: 2"}), "<Differences: 1: document 1:a changed>"),
        (plait.fmt({"a.yml": "a:  1", "b.yml": "b: 1\n"}), "<Formatted: 2, 1 changed>"),
        (plait.check_data_values(SCHEMA), "<Findings: 0>"),
    ],
)  # fmt: skip
def test_repr(made: object, shown: str) -> None:
    assert repr(made) == shown


class Page(HTMLParser):
    """The text of a page, the classes of what is coloured, and whether every element is closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.coloured: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        if tag == "span":
            self.coloured.append((str(dict(attrs)["class"]), ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data
            if self.open[-1] == "span":
                kind, before = self.coloured[-1]
                self.coloured[-1] = (kind, before + data)


def page(made: object) -> Page:
    found = Page(made._repr_html_())  # type: ignore[attr-defined]
    assert found.open == []
    return found


def test_a_notebook_shows_the_text_in_colours() -> None:
    text = (
        'name: web\nport: 80\nratio: -1.5e3\nis: true\nno: null\nquoted: "80"\n"a: b": \'x # y\'\nlist:\n- - a\n  - 1\n'
        "- key: |\n    all: text\n    # this too\n  after: 2\n- |\n  more: text\n  x\n- last\ntime: 12:30:00\nurl: http://x:1/y\n"
    )
    shown = page(plait.read({"a.yml": text}))
    assert shown.text == plait.read({"a.yml": text}).to_yaml()
    coloured = set(shown.coloured)
    assert {
        ("k", "name"),
        ("n", "80"),
        ("n", "true"),
        ("n", "null"),
        ("s", '"80"'),
        ("k", "after"),
        ("n", "2"),
    } <= coloured
    assert {
        ("s", "    all: text"),
        ("s", "    # this too"),
        ("s", "  more: text"),
        ("k", "url"),
        ("k", "'a: b'"),
    } <= coloured
    assert not {"all", "more", "http", "x"} & {word for kind, word in coloured if kind == "k"}


@pytest.mark.parametrize(
    "made",
    [
        plait.documents({"<script>": "</pre><script>alert(1)</script>", "b": '"><img src=x onerror=y>\n&amp;'}),
        plait.Documents("a: 1\n", warnings=[warning("<b>&", code="no-inputs")]),
        plait.diff({"a.yml": "a: <i>"}, {"a.yml": "{'<b>': 1}"}),
        plait.explain(plait.render({"<a>.yml": "a: <i>"}, trace=True))[0],
        plait.check_data_values({"s.yml": "#@data/values-schema\n---\na: 1"}, values={"<b>": 1}),
        plait.fmt({"a.yml": "a: <b>"}),
    ],
    ids=lambda made: type(made).__name__,
)
def test_what_a_notebook_shows_is_escaped(made: object) -> None:
    html = made._repr_html_()  # type: ignore[attr-defined]
    body = html.partition("</style>")[2]
    assert set(re.findall(r"<(/?\w+)", body)) <= {"pre", "/pre", "span", "/span"}
    assert str(made).rstrip("\n") in unescape(re.sub(r"<[^>]*>", "", body))
    assert page(made)


def test_a_notebook_shows_the_beginning_of_much() -> None:
    shown = page(plait.documents(list(range(5000))))
    assert shown.text.splitlines()[-2:] == ["- 1999", "... and 3000 more lines"]
    assert len(page(plait.documents("x" * 1_000_000)).text) < 500_000


def test_a_notebook_is_light_or_dark() -> None:
    html = plait.documents({"a": 1})._repr_html_()
    for rule in ("@media (prefers-color-scheme:dark)", "[data-jp-theme-light=true]", "[data-jp-theme-light=false]"):
        assert rule in html
