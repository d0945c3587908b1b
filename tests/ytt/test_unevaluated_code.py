"""Code that is text in a YAML template is warned of, and what the warning proposes has the meant result."""

from __future__ import annotations

import pytest

import plait
from plait.base.fast_paths import FAST
from plait.base.source import Source
from plait.ytt.templates.template_files import read_yaml

HEAD = """\
#@ load("@ytt:data", "data")
#@ load("f.lib.yml", "suffixed", other="twice")
#@ def local():
#@   return "here"
#@ end
"""
LIBRARY = """\
#@ def suffixed(x):
#@   return x + "-1"
#@ end
#@ def twice(x):
#@   return x + x
#@ end
"""
SCHEMA = '#@data/values-schema\n---\nname: web\nport: 80\nlive: true\ninner: {tag: "1.4"}\n'


def rendered(text: str) -> plait.Rendered:
    return plait.render({"a.yml": HEAD + text, "f.lib.yml": LIBRARY, "schema.yml": SCHEMA})


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("a: data.values.name", "web"),
        ("a: data.values.inner.tag", "1.4"),
        ('a: data.values.name + "-x"', "web-x"),
        ('a: str(data.values.port) + "/tcp"', "80/tcp"),
        ("a: data.values.port * 2", 160),
        ("a: not data.values.live", False),
        ('a: "x" if data.values.live else "y"', None),
        ('a: suffixed("b")', "b-1"),
        ("a: suffixed(data.values.name)", "web-1"),
        ('a: other("b")', "bb"),
        ("a: local()", "here"),
        ("a: !data.values.live", False),
        ("a: !data data.values.name", "web"),
        ("a: shop:#@ data.values.inner.tag", "shop:1.4"),
        ("a: 'shop: #@ data.values.inner.tag'", "shop: 1.4"),
        ('a: shop-"{x}"\\:#@ data.values.port', 'shop-"{x}"\\:80'),
        ("a: ${data.values.name}/x", "web/x"),
        ("a: x/${data.values.name}:${ data.values.port }", "x/web:80"),
        ("a: $(data.values.name)", "web"),
        ("a: x-{{ data.values.name }}-y", "web"),
        ("a: x-{{data.values.name}}", "web"),
    ],
)
def test_values(line: str, meant: object) -> None:
    if meant is None:  # not valid YAML: reported as an error
        with pytest.raises(plait.PlaitError):
            rendered(line)
        return
    [warning] = rendered(line).warnings
    assert str(warning).startswith("a.yml:6: ")
    fixed = rendered(str(warning).partition("; write ")[2])
    assert fixed.warnings == []
    if "{{" in line:
        meant = line.removeprefix("a: ").partition("{{")[0] + str(meant) + line.partition("}}")[2]
    assert fixed.to_list() == [{"a": meant}]


def test_an_item() -> None:
    [warning] = rendered("a:\n- b\n- data.values.name").warnings
    assert str(warning).endswith(
        ":8: data.values.name is text here, because code begins with #@; write - #@ data.values.name"
    )


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("#@ if data.values.live:", "(@ if data.values.live: @)"),
        ("#@ if/end data.values.live:", "(@ if/end data.values.live: @)"),
        ('#@ for i in [suffixed("x")]:', '(@ for i in [suffixed("x")]: @)'),
        ("#@ data.values.name", "(@= data.values.name @)"),
        ("b: #@ local()", "(@= local() @)"),
    ],
)
def test_blocks(code: str, text: str) -> None:
    [warning] = rendered(f"first: 1\na: |\n  one\n  {code}\n  two\n").warnings
    assert str(warning) == (
        "a.yml:9: #@ is text within this block; #@yaml/text-templated-strings above a evaluates code in it, "
        f"written as {text}"
    )


def test_the_alias_of_code() -> None:
    [warning] = rendered("a: &n #@ data.values.name\nb: *n\n").warnings
    assert str(warning) == (
        "a.yml:7: *n is null, because an alias copies the text and not the result of code; assign it above: "
        "#@ n = data.values.name"
    )
    assert rendered("#@ n = data.values.name\na: #@ n\nb: #@ n\n").to_list() == [{"a": "web", "b": "web"}]


@pytest.mark.parametrize(
    "text",
    [
        'a: "data.values.name"',
        "a: 'local()'",
        "a: see data.values.name",
        "a: data.values",
        "a: my.data.values.name",
        "a: unknown(data.values.name)",
        "a: rate(x[5m])",
        "a: localhost(1)",
        "a: x.local()",
        "a: http://x/#@y",
        "a: mail#@ some one",
        "a: $(DATA)/${HOME}/{{ .Values.x }}",
        # Templates within a template.
        'a: |\n  #@ load("@ytt:data", "data")\n  x: #@ data.values.name\n',
        'a: |\n  #@overlay/match by="x"\n  x: #@ data.values.name\n',
        "a: |\n  #@data/values\n  ---\n  x: #@ data.values.name\n",
        "a: |\n  #@ def local():\n  x: #@ data.values.name\n  #@ end\n",
        "a: |\n  # see data.values.name\n  #@ nothing of this file\n",
        "a: &n b\nc: *n\nd: #@ local()\n",
        "a: &n #@ data.values.name\nb: x*n\n",
        "a: !!str",
        "a: !Ref",
    ],
)
def test_other_texts(text: str) -> None:
    assert rendered(text).warnings == []


def test_a_function_named_data_has_no_values() -> None:
    text = '#@ load("f.lib.yml", data="suffixed")\na: data.values.name\nb: #@ data("x")\n'
    assert plait.render({"a.yml": text, "f.lib.yml": LIBRARY}).warnings == []


@pytest.mark.skipif(not FAST, reason="the other reader takes no subclass of str")
def test_a_text_is_not_searched_for_each_item() -> None:
    """A file of 20,000 items with code at its end took seconds."""

    class Counted(str):
        __slots__ = ()

        def __contains__(self, part: str) -> bool:  # type: ignore[override]
            searches.append(part)
            return super().__contains__(part)

    searches: list[str] = []
    items = "".join(f"a{number}: x\nb{number}: call({number})\nc{number}: ''\n" for number in range(100))
    source = Source("t.yml", Counted(f"---\n{items}last: #@ 1\n"))
    file = read_yaml(source)
    searches.clear()
    assert list(file.remarks()) == []
    assert 0 < len(searches) < 12
