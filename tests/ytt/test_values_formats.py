"""Data values from TOML and `.env` files: values, lines, and hostile texts."""

from __future__ import annotations

import pathlib
import time
import tomllib
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

import plait
from plait.base.errors import LimitError, PlaitError, ReadError
from plait.base.limits import Limits, budget_scope
from plait.base.source import Source
from plait.cli.as_ytt import main
from plait.engine.options import VALUES_PATH
from plait.tree.nodes import Array, Document, Map, to_plain
from plait.ytt.modules.toml import write_toml
from plait.ytt.workspace.values_flags import yaml_converter
from plait.ytt.workspace.values_formats import read_format

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.nodes import Value
    from plait.tree.plain_data import Plain


def read(text: str, form: str = "toml") -> list[Document]:
    with budget_scope(Limits()):
        return read_format(Source("v", text), form, yaml_converter(strict=False), warn=None)


def lines(value: Value, path: str = "") -> Iterator[tuple[str, int]]:
    """The line of each scalar, by its path."""
    if isinstance(value, Map):
        for item in value.items:
            yield from (
                lines(item.value, f"{path}.{item.key}")
                if isinstance(item.value, Map | Array)
                else [(f"{path}.{item.key}", item.line)]
            )
    elif isinstance(value, Array):
        for index, one in enumerate(value.items):
            yield from (
                lines(one.value, f"{path}.{index}")
                if isinstance(one.value, Map | Array)
                else [(f"{path}.{index}", one.line)]
            )


TOML = r'''# [no] = "table"
plain = 1 # = 2
"quoted \" key" . 'lit.eral' = "a # b"
text = """
"two""
x = 1
""""
literal = QQQ
'
y = 2QQQ
day = 1979-05-27 07:32:00 # a comment
time = 07:32:00
days = [1979-05-27, 1979-05-27T07:32:00Z,]
nested = [ # [
  [1, 2],
  "]", ']',

  {a = 1, b.c = [3,
    4], "}" = '}'},
]
empty = {}
none = [ ]

[ table . "x.y" ]
a.b.c = 1
a.b.d = 2
[table."x.y".a.e]
f = -inf
[[items]]
name = "first"
[[items.parts]]
n = 1
[[items.parts]]
n = 2
[items.more]
m = true
[[items]]
[[items.parts]]
n = 3
[table.z]
last = +1_000.5e-3
'''.replace("QQQ", "'''")


def test_each_key_and_item_of_toml_has_its_line() -> None:
    (document,) = read(TOML)
    rows = TOML.split("\n")
    for path, line in lines(document.value):
        key = path.rpartition(".")[2]
        row = rows[line - 1]
        if not key.isdigit():
            assert key in row or path.startswith(".quoted"), (path, row)
    found = dict(lines(document.value))
    value = {rows[line - 1].strip(): path for path, line in found.items()}
    assert value["[1, 2],"].startswith(".nested.0")
    assert [rows[found[f".items.{place}"] - 1] for place in ("0.parts.0.n", "0.parts.1.n", "1.parts.0.n")] == [
        "n = 1",
        "n = 2",
        "n = 3",
    ]
    assert rows[found[".nested.3.b.c.1"] - 1].startswith("    4]")


def dates_as_texts(value: object) -> object:
    if isinstance(value, dict):
        return {key: dates_as_texts(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [dates_as_texts(inner) for inner in value]
    return value if isinstance(value, str | int | float) else str(value)


def test_toml_has_the_values_that_the_standard_library_reads() -> None:
    text = TOML.replace("1979-05-27T07:32:00Z", "1979-05-27")
    (document,) = read(text)
    assert to_plain(document.value) == dates_as_texts(tomllib.loads(text))
    (windows,) = read("\ufeff" + text.replace("\n", "\r\n"))
    assert list(lines(windows.value)) == list(lines(document.value))


SCALARS = st.one_of(st.text(st.characters(exclude_categories=["Cs"])), st.integers(-(2**63), 2**63 - 1), st.booleans())
TREES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text("ab .\"'#[]{}=\\é", min_size=1), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.text("ab .\"'#[]{}=\\é", min_size=1), TREES, min_size=1))
def test_written_toml_is_read_back(data: dict[str, Plain]) -> None:
    nodes = plait.documents(data).nodes.items[0].value
    assert isinstance(nodes, Map)
    text = write_toml(nodes)
    (document,) = read(text)
    assert to_plain(document.value) == data
    rows = text.count("\n") + 1
    assert all(1 <= line <= rows for _, line in lines(document.value))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("A=1", "1"),
        ("  export\tA \t=  a b  # c", "a b"),
        ("A=", ""),
        ("A= # c", ""),
        ("A=#c", "#c"),
        ("A=a#c", "a#c"),
        ('A=it\'s "so"', 'it\'s "so"'),
        ("A=a\\nb", "a\\nb"),
        ("A=pa$$9$ $", "pa$$9$ $"),
        ("A='a # $B \\n'# c", "a # $B \\n"),
        ("A='a\n\nb'\n", "a\n\nb"),
        ('A="a\\n\\t\\\\\\"\\$B \'"', "a\n\t\\\"$B '"),
        ('A="a\\\nb"', "ab"),
        ("\ufeffA=1\r\n", "1"),
        ("# c\n\n   \nA=é", "é"),
    ],
)
def test_a_line_of_a_dotenv_file(text: str, value: str) -> None:
    (document,) = read(text, "dotenv")
    assert to_plain(document.value) == {"A": value}


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("A=1\nB", 2, "the line does not set a variable"),
        ("A=1\n\n-=1", 3, "the line does not set a variable"),
        ("a.b=1", 1, "the line does not set a variable"),
        ("A='x\ny", 1, "no closing '"),
        ('A="x\\"', 1, 'no closing "'),
        ("A='x'y", 1, "text follows the closing '"),
        ("\nA=$B", 2, "refers to a variable"),
        ("A=${B}", 1, "refers to a variable"),
        ("A=$(rm)", 1, "refers to a variable"),
        ('A="x $B"', 1, "refers to a variable"),
        ('A="\\q"', 1, "unknown escape sequence"),
        ("A__=1", 1, "has an empty level"),
        ("__A=1", 1, "has an empty level"),
        ("A=1\nA__B=1", 2, "above or below it"),
        ("A__B__C=1\n\nA__B=1", 3, "above or below it"),
        ("A=\udcff", 1, "not UTF-8"),
        ("A=1\nB=\x1b", 2, "control character"),
    ],
)
def test_a_mistake_in_a_dotenv_file(text: str, line: int, message: str) -> None:
    with pytest.raises(ReadError, match=message) as caught:
        read(text, "dotenv")
    assert caught.value.at is not None
    assert caught.value.at.line == line


def test_values_of_dotenv_yaml_are_yaml_at_their_lines() -> None:
    (document,) = read("A=1\nB='[a, {b: 1}]'\nC__D=\nC__E=~\n", "dotenv-yaml")
    assert to_plain(document.value) == {"A": 1, "B": ["a", {"b": 1}], "C": {"D": None, "E": None}}
    assert dict(lines(document.value))[".B.1.b"] == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = " + "[" * 100_000 + "]" * 100_000, "nesting=1000"),
        ("a = " + "{a=" * 100_000 + "1" + "}" * 100_000, "nesting=1000"),
        (".".join("a" * 100_000) + " = 1", "nesting=1000"),
        ("[" + ".".join("a" * 100_000) + "]", "nesting=1000"),
        ("a = " + "9" * 100_000, "too large"),
        ("a = 0x" + "f" * 100_000, "too large"),
        ("a = \ud800", "not UTF-8|not valid"),
        ("a = \udc80", "not UTF-8"),
        ('a = "\0"', "control character"),
        ("a = 1\na = 2", "not valid TOML"),
        ('a = """' + '"' * 100_000, "not valid TOML"),
    ],
    ids=range(11),
)
def test_hostile_toml_is_refused_at_once(text: str, message: str) -> None:
    began = time.process_time()
    with pytest.raises(PlaitError, match=message):
        read(text)
    assert time.process_time() - began < 10


def test_levels_of_variables_are_limited() -> None:
    with pytest.raises(LimitError):
        read("__".join("A" * 2000) + "=1", "dotenv")
    name = "__".join("A" * 900)
    assert len(read("\n".join(f"{name}__{number}=1" for number in "xyz"), "dotenv")) == 1


def test_a_large_file_takes_time_in_proportion_to_its_size() -> None:
    began = time.process_time()
    read("\n".join(f'k{number} = "v" # c' for number in range(20_000)))
    read("\n".join(f"A{number % 7}__B{number}='v'" for number in range(20_000)), "dotenv")
    assert time.process_time() - began < 20


APP = {"app.yml": '#@ load("@ytt:data", "data")\n---\nv: #@ data.values.a\n'}


def test_python_takes_prefixes_in_strings_and_names_and_none_in_paths(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "v.toml").write_text("a = 1\n", "utf-8")
    (tmp_path / "toml:v.toml").write_text("a: 2\n", "utf-8")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "x.env").write_text("a=3\n", "utf-8")
    (tmp_path / "d" / "notes").write_text("no: [yaml\n", "utf-8")
    for given_values, expected in (
        ("toml:v.toml", 1),
        ("./toml:v.toml", 2),
        (pathlib.Path("toml:v.toml"), 2),
        ({"toml:v": "a = 4"}, 4),
        ("dotenv:d", "3"),
        (["toml:v.toml", "dotenv-yaml:d"], 3),
    ):
        assert plait.render(APP, values_files=given_values).to_dict() == {"v": expected}
        assert plait.data_values(APP, values_files=given_values).to_dict() == {"a": expected}
    traced = plait.render(APP, values_files="toml:v.toml", trace=True)
    assert "v.toml:1" in str(plait.explain(traced, "v")[0])


def test_to_ytt_a_prefix_is_a_part_of_the_name(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app.yml").write_text(APP["app.yml"], "utf-8")
    (tmp_path / "v.toml").write_text("a = 1\n", "utf-8")
    (tmp_path / "toml:v.toml").write_text("a: 2\n", "utf-8")
    assert main(["-f", "app.yml", "--data-values-file", "toml:v.toml"]) == 0
    assert capsys.readouterr().out == "v: 2\n"


def test_permissions_and_settings_see_the_path() -> None:
    for text, expected in {
        "v.yml": ("", "v.yml"),
        "toml:v.toml": ("toml:", "v.toml"),
        "+:v.yml": ("+:", "v.yml"),
        "+:toml:v.toml": ("+:toml:", "v.toml"),
        "@lib:v.yml": ("@lib:", "v.yml"),
        "@lib:dotenv:.env": ("@lib:dotenv:", ".env"),
        "./toml:v.toml": ("", "./toml:v.toml"),
        "env:.env": ("", "env:.env"),
        "toml:https://example.org/v.toml": ("toml:", "https://example.org/v.toml"),
    }.items():
        assert VALUES_PATH.split(text) == expected
