"""What somebody who is new to the API may write, and the words that lead to the mend."""

from __future__ import annotations

import asyncio
import copy
import pathlib
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import plait

FILES = {
    "config/schema.yml": "#@data/values-schema\n---\nname: web\nreplicas: 1\n",
    "config/app.yml": '#@ load("@ytt:data", "data")\n---\nkind: A\nspec: {n: 1}\n---\nkind: B\nname: #@ data.values.name\n',
    "base.yml": "name: web\npassword: ((password))\n",
    "ops.yml": "- {type: remove, path: /name}\n",
    "plait.yml": "steps: [{name: one, values: {set: {a: 1}}}]",
}
# As those do who have no type checker.
untyped: Any = plait


@pytest.fixture(autouse=True)
def here(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config").mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("isolated", [{}, {"isolated": True}], ids=["here", "isolated"])
@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda **more: untyped.render("config", value={}, **more), 'render has no option "value"; did you mean "values"?'),
        (lambda **more: untyped.render("config", {}, **more), "render accepts only inputs as positional arguments, and the others as keywords, such as values="),
        (lambda **more: untyped.patch("base.yml", ops="ops.yml", **more), 'has no option "ops"; did you mean "operations"?'),
        (lambda **more: untyped.patch("base.yml", vars={}, **more), 'has no option "vars"; did you mean "variables"?'),
        (lambda **more: untyped.compose("plait.yml", nonsense=1, **more), 'no option "nonsense"; it takes pipeline, values,'),
        (lambda **more: untyped.layer("config", names="a", **more), "names must be a list of strings, such as names=['a'], not a text"),
        (lambda **more: untyped.layer("config", names=[1], **more), "names must be a list of strings"),
        (lambda **more: untyped.layer("config", labels=["a=b"], **more), 'labels must be a mapping, such as labels={"role": "web"}, not list'),
        (lambda **more: untyped.render("config", limits=5, **more), 'limits must be a mapping, such as limits={"seconds": 5}, not int'),
        (lambda **more: untyped.render("config", strict="yes", **more), "strict must be True or False, not a text"),
        (lambda **more: untyped.render("config", values_files={"a": 1}, **more), "pass data values as plain data with values="),
        (lambda **more: plait.patch("base.yml", plait.documents({"type": "remove"}), **more), r"plait.documents([operation, ...])"),
    ],
)  # fmt: skip
def test_a_call_that_is_none(call: Callable[..., object], said: str, isolated: dict[str, bool]) -> None:
    with pytest.raises(TypeError) as caught:
        call(**isolated)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: untyped.diff("base.yml", "ops.yml", tests=False), 'diff has no option "tests"; it takes left, right,'),
        (lambda: untyped.diff("base.yml"), "missing 1 required positional argument: 'right'"),
        (lambda: untyped.explain(plait.documents(1), paths="a"), 'explain has no option "paths"; did you mean "path"?'),
        (lambda: asyncio.run(untyped.arender("config", value={})), 'render has no option "value"'),
        (
            lambda: untyped.documents({"a": 1})["a"],
            "value('a') finds a value by its PATH; to_dict() is the only document",
        ),
    ],
)
def test_other_calls(call: Callable[[], object], said: str) -> None:
    with pytest.raises(TypeError) as caught:
        call()
    assert said in str(caught.value)


def test_an_error_within_a_call_stays_what_it_is() -> None:
    with pytest.raises(TypeError, match="not int"):
        untyped.render(3)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("SchemaEror", 'did you mean "SchemaError"?'),
        ("adiff", 'did you mean "diff"?'),
        ("Error", "it is called PlaitError"),
        ("validate", "it is called check_data_values or check_layers"),
        ("openapi", "it is called data_values_schema"),
        ("interpolate", "it is called patch"),
        ("impact", "it is called inspect(...).impact"),
        ("xyzzy", "module 'plait' has no attribute 'xyzzy'"),
    ],
)
def test_a_name_that_plait_does_not_have(name: str, said: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(plait, name)
    assert str(caught.value).endswith(said)


def test_an_engine_names_where_the_functions_are() -> None:
    engine: Any = plait.Engine()
    with pytest.raises(AttributeError, match=r"in its block, call the functions of plait, such as plait.render\(...\)"):
        engine.render("config")


def test_an_attribute_that_a_result_does_not_have() -> None:
    rendered: Any = plait.render("config")
    with pytest.raises(AttributeError, match="Rendered has no attribute 'documents'; it has files, nodes, "):
        rendered.documents  # noqa: B018
    with pytest.raises(AttributeError, match=r'did you mean "to_yaml"'):
        rendered.to_yml()
    assert not hasattr(rendered, "_ipython_display_")
    with pytest.raises(plait.PlaitError) as caught:
        rendered.to_dict()
    assert caught.value.hint == "to_list() returns all of them"
    error: Any = caught.value
    with pytest.raises(AttributeError, match=r"at\.source\.shown, at\.line"):
        error.line  # noqa: B018
    with pytest.raises(IndexError, match="no document 5; there are 2"):
        rendered[5]
    assert pickle.loads(pickle.dumps(rendered)) == copy.deepcopy(rendered) == rendered


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda: plait.render("config/*.yml"), "patterns are not expanded here: name the directory config"),
        (lambda: plait.render("base.yml,ops.yml"), "a comma does not separate files: name base.yml and ops.yml apart, each after its flag"),
        (lambda: plait.patch(plait.render("config"), "ops.yml"), "convert each document with plait.documents(...) to use it as a base"),
        (lambda: plait.patch("base.yml", variables_files={"password": "x"}),
         "variables_files must map file names to texts; pass values as variables={...}"),
        (lambda: plait.diff("config/app.yml", "base.yml").to_operations(), "use to_overlay(), which accepts any number of documents"),
        (lambda: plait.explain(plait.render("config", trace=True), "spec/n"), 'did you mean "spec.n"?'),
        (lambda: plait.render("config", file_marks=["app.yml:exclude"]), "such as app.yml:exclude=true, or app.yml:type=yaml-plain"),
        (lambda: plait.compose("config"), 'name a file in it: "app.yml", "schema.yml"'),
        (lambda: plait.layer("config/app.yml"),
         "a layered document has schema, metadata and data; for resources with a kind there is plait render"),
    ],
)  # fmt: skip
def test_hints(call: Callable[[], object], hint: str) -> None:
    with pytest.raises(plait.PlaitError) as caught:
        call()
    hints = [caught.value.hint, *(one.hint for one in caught.value.findings)]
    assert hint in hints


def test_what_is_no_error_is_a_warning() -> None:
    [warning] = plait.patch("base.yml", variables={"pasword": "x"}).warnings
    assert (
        warning
        == 'the variable "pasword" is not used, and ((password)) of base.yml:2 has no value: did you mean "password"?'
    )
    assert plait.patch("base.yml", variables={"other": "x"}).warnings == []
    assert plait.patch("base.yml", variables={"password": "x"}).warnings == []
    [warning] = plait.render({"app": "a: 1"}).warnings
    assert warning.startswith("nothing is rendered, because app is read as data")
    assert plait.render({"app": "a: 1", "b.yml": "b: 1"}).warnings == []
    pathlib.Path("library").mkdir()
    pathlib.Path("library/values.yml").write_text("#@data/values\n---\na: 1\n", "utf-8")
    pathlib.Path("library/README.md").write_text("About it.\n", "utf-8")
    assert plait.render("library").warnings == []
    [warning] = plait.data_values_schema({"a.yml": "a: 1"}).warnings
    assert warning.startswith("the inputs declare no schema")
    assert [text.partition(":")[0] for text in plait.read("config").warnings] == ["config/app.yml", "config/schema.yml"]
    assert plait.read("base.yml").warnings == []
    assert plait.diff("config/app.yml", "base.yml").warnings == plait.read("config/app.yml").warnings
    assert plait.diff("base.yml", plait.render("config")).warnings == []


def test_keys_with_dots_are_keys() -> None:
    files = {"s.yml": "#@data/values-schema\n---\ndb:\n  host: a\n"}
    [found] = plait.check_data_values(files, values={"db.host": "b"})
    assert found.hint == 'a dot does not separate keys: "host" is below "db"'


def test_fmt_of_no_yaml_file() -> None:
    with pytest.raises(plait.UsageError, match="no YAML file"):
        plait.fmt({"app": "a: 1"})
    assert plait.fmt({}).files == {}


def test_results_of_two_kinds_are_equal_by_their_text() -> None:
    assert plait.render({"a.yml": "a: 1"}) == plait.read({"b.yml": "a:   1"}) == plait.documents({"a": 1})
    assert plait.render({"a.yml": "a: 1"}) != plait.documents({"a": 2})


NAMED = [
    ({"a.yml": "a: #@ [x for x in range(10000)]\n"}, {"limits": {"steps": 100}}, 'limits={"steps": N}'),
    ({"a.yml": "#@ x = 1\na: 1 # plain\n"}, {}, "ignore_unknown_comments=True"),
    ({"a.yml": '#@ x = f"{1}"\n'}, {}, 'extensions=["f-strings"]'),
]


@pytest.mark.parametrize("isolated", [False, True])
@pytest.mark.parametrize(("files", "options", "named"), NAMED, ids=[one[2] for one in NAMED])
def test_a_hint_names_the_keyword_of_an_option(
    files: dict[str, str], options: dict[str, object], named: str, isolated: bool
) -> None:
    with pytest.raises(plait.PlaitError) as caught:
        plait.render(files, isolated=isolated, **options)  # type: ignore[arg-type]
    assert named in str(caught.value.hint)
    assert "--" not in str(caught.value.hint)
    assert any(named in note for note in caught.value.__notes__)


def test_a_variable_with_a_similar_name_is_another_variable() -> None:
    base = {"base.yml": "a: ((postgres_password))\nb: ((internal_gw))\nc: ((az1))\n"}
    values: dict[str, plait.Plain] = {"postgres_user": "x", "postgres_passwords": "x", "internal_ip": "x", "az2": "x"}
    assert plait.patch(base, variables=values).warnings == []
