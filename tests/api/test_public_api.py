"""A public name is in `plait.__all__`, in docs/api.md and in tests/typing/api.py; the functions keep their promises."""

from __future__ import annotations

import datetime as dt
import doctest
import importlib
import inspect
import io
import pathlib
import pydoc
import re
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import generated
import plait
import plait.api

TESTS = pathlib.Path(__file__).parents[1]
FUNCTIONS: list[Callable[..., object]] = [getattr(plait, name) for name in generated.FUNCTIONS]

TEMPLATE = """\
#@ load("@ytt:data", "data")
#@ print("told")
name: #@ data.values.name
"""

LOOP = """\
#@ for x in range(1000):
---
a: #@ x
#@ end
"""


def test_every_name_is_documented() -> None:
    page = (TESTS.parent / "docs" / "api.md").read_text("utf-8")
    assert [name for name in plait.__all__ if f"plait.{name}" not in page] == []


def test_the_site_has_every_function_and_result() -> None:
    page = (TESTS.parent / "docs" / "members.md").read_text("utf-8")
    shown = {line.removeprefix("::: plait.") for line in page.splitlines() if line.startswith("::: plait.")}
    awaited = {f"a{name}" for name in generated.AWAITED}
    assert shown == {*plait.api.HOMES, "PlaitError", "Finding", "Position"} - awaited


def test_every_function_is_listed() -> None:
    functions = {name for name in plait.api.HOMES if inspect.isfunction(getattr(plait, name))}
    assert functions == {*generated.FUNCTIONS, *(f"a{name}" for name in generated.AWAITED)}


def test_every_page_is_in_the_navigation_of_the_site() -> None:
    text = (TESTS.parent / "mkdocs.yml").read_text("utf-8")
    docs = TESTS.parent / "docs"
    # The pages of codes are found by their code: `plait help E0203`, or the search of the site.
    codes = docs / "reference" / "codes"
    names = [page.relative_to(docs).as_posix() for page in docs.glob("**/*.md") if page.parent != codes]
    assert [name for name in names if f" {name}\n" not in text] == []


def test_every_name_is_used_by_typed_code() -> None:
    code = (TESTS / "typing" / "api.py").read_text("utf-8")
    assert [name for name in plait.__all__ if f"plait.{name}" not in code] == []


def test_every_option_is_used_by_typed_code() -> None:
    code = (TESTS / "typing" / "api.py").read_text("utf-8")
    for function in FUNCTIONS:
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind is parameter.KEYWORD_ONLY:
                assert f"{parameter.name}=" in code, f"{function.__name__}: {parameter.name}"


def test_names_resolve_and_are_the_only_ones() -> None:
    for name in plait.__all__:
        assert getattr(plait, name) is not None
        assert name in dir(plait)
    with pytest.raises(AttributeError, match="no attribute 'rendre'"):
        plait.rendre  # noqa: B018


def test_page_is_what_docstrings_say(update: str | None) -> None:
    generated.check(TESTS.parent / "docs" / "api.md", generated.api_page(), update)


@pytest.mark.parametrize("home", sorted(set(plait.api.HOMES.values())))
def test_examples_in_docstrings(home: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = doctest.testmod(importlib.import_module(f"plait.{home}"), globs={"plait": plait})
    assert found.attempted
    assert found.failed == 0


def test_an_interactive_shell_completes_names_before_they_are_used() -> None:
    listed = subprocess.check_output([sys.executable, "-c", "import plait; print(*dir(plait))"], text=True).split()
    assert {*plait.__all__} <= {*listed}


def test_import_loads_nothing_of_it() -> None:
    program = "import sys, plait; print([name for name in sys.modules if name.startswith(('plait.', 'yaml'))])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_nothing_is_printed_and_nothing_shared(capfd: pytest.CaptureFixture[str]) -> None:
    first = plait.render({"a.yml": TEMPLATE}, values={"name": "one"})
    second = plait.render({"a.yml": TEMPLATE}, values={"name": "two"})
    assert [first[0], second[0]] == [{"name": "one"}, {"name": "two"}]
    assert first.printed == second.printed == ["told"]
    assert capfd.readouterr() == ("", "")


def test_plain_data_is_made_anew() -> None:
    read = plait.read({"a.yml": "a: [1]"})
    data = read.to_dict()
    data["a"] = None
    assert read.to_dict() == {"a": [1]}


def test_files_of_a_render() -> None:
    files = {"config/app.yml": "a: 1", "notes.txt": "(@= 'x' * 3 @)\n"}
    assert plait.render(files).files == {"notes.txt": "xxx\n", "config/app.yml": "a: 1\n"}


def test_values_win_over_files_of_values() -> None:
    rendered = plait.render({"a.yml": TEMPLATE}, values={"name": "w"}, values_files={"v.yml": "name: f\nother: 1\n"})
    assert rendered.to_dict() == {"name": "w"}


def test_paths_and_file_marks(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yml").write_text("a: 1\n", "utf-8")
    (tmp_path / "b.yml").write_text("b: 1\n", "utf-8")
    assert plait.render(tmp_path, file_marks=["b.yml:exclude=true"]).to_list() == [{"a": 1}]
    assert plait.read(tmp_path).to_list() == [{"a": 1}, {"b": 1}]
    assert plait.read([tmp_path / "b.yml", {"c.yml": "c: 1"}]).to_list() == [{"b": 1}, {"c": 1}]


def test_patch_of_what_diff_found() -> None:
    left, right = {"a.yml": "a: 1\nb: [x, y]\n"}, {"b.yml": "a: 2\nb: [x]\nc: {}\n"}
    patched = plait.patch(left, plait.diff(left, right).to_operations())
    assert patched.to_dict() == plait.read(right).to_dict()
    assert list(plait.diff(patched, right)) == []


def test_render_with_the_overlay_that_diff_found() -> None:
    left = {"a.yml": "kind: A\nmetadata: {name: x}\nb: [x, y]\n---\nkind: B\nmetadata: {name: x}\n"}
    right = {"b.yml": "kind: A\nmetadata: {name: x}\nb: [x]\nc: {d: 1}\n"}
    found = plait.diff(left, right)
    assert sorted((one.document, one.path, one.kind) for one in found) == [
        ("A/x", "b[1]", "removed"), ("A/x", "c", "added"), ("B/x", "", "removed"),
    ]  # fmt: skip
    assert found[0].after == {"d": 1}
    rendered = plait.render([left, {"overlay.yml": found.to_overlay()}])
    assert rendered.to_list() == plait.read(right).to_list()
    merged = plait.render(left, merge={"merge.yml": found.to_merge()})
    assert merged.to_list() == plait.read(right).to_list()
    with pytest.raises(plait.UsageError, match="one document"):
        found.to_operations()


def test_patch_with_files_and_store(tmp_path: pathlib.Path) -> None:
    base = {"base.yml": "a: ((x)) and ((y))\nb: ((secret))\nvariables:\n- {name: secret, type: password}\n"}
    (tmp_path / "ops.yml").write_text("- {type: remove, path: /b}\n", "utf-8")
    store = tmp_path / "store.yml"
    patched = plait.patch(base, tmp_path / "ops.yml", variables={"x": "1"}, variables_files={"v": "{x: 9, y: 2}"})
    assert patched.to_dict() == {"a": "1 and 2", "variables": [{"name": "secret", "type": "password"}]}
    assert plait.patch(base, store=store, path="/b").to_list() == [plait.read(store).to_dict()["secret"]]


def test_layer_gives_warnings_and_takes_secrets() -> None:
    policy = (
        "schema: deckhand/LayeringPolicy/v1\n"
        "metadata: {schema: metadata/Control/v1, name: p}\n"
        "data: {layerOrder: [site]}\n"
    )
    secret = (
        "schema: demo/Key/v1\n"
        "metadata: {schema: metadata/Document/v1, name: key, storagePolicy: encrypted,\n"
        "           layeringDefinition: {layer: site, parentSelector: {no: one}}}\n"
        "data: https://store/v1/secrets/6f1f2c1e-6a7e-4a43-9a5e-6c2a3c1c9f10\n"
    )
    reference = "6f1f2c1e-6a7e-4a43-9a5e-6c2a3c1c9f10"
    layered = plait.layer(
        {"p.yml": policy, "s.yml": secret}, names=["key"], cleartext_secrets=True, short=True, secrets={reference: "x"}
    )
    assert layered[0] == {"schema": "demo/Key/v1", "metadata": {"name": "key"}, "data": "x"}


@pytest.mark.parametrize(
    ("call", "kind", "place"),
    [
        (lambda: plait.render({"a.yml": "a: #@ nmae\n"}), plait.StarlarkError, "a.yml:1"),
        (lambda: plait.render({"a.yml": "a: [\n"}), plait.ReadError, "a.yml:1"),
        (lambda: plait.patch({"a.yml": "a: 1"}, {"o.yml": "\n- {type: remove, path: /b}"}), plait.OpsError, "o.yml:2"),
        (lambda: plait.layer({"l.yml": "a: 1\n"}), plait.LayeringError, "l.yml:1"),
        (lambda: plait.read({"y.yml": "{"}), plait.ReadError, "y.yml:1"),
        (lambda: plait.read("no/such.yml"), plait.ReadError, None),
        (lambda: plait.render("-"), plait.ReadError, None),
        (lambda: plait.documents(1, 2).to_dict(), plait.PlaitError, None),
        (lambda: plait.documents([1]).to_dict(), plait.PlaitError, None),
        (lambda: plait.patch(plait.documents(1, 2)), plait.UsageError, None),
        (lambda: plait.patch([{"a": "1"}, {"b": "2"}]), plait.UsageError, None),  # type: ignore[arg-type]
        (lambda: plait.layer({}, order="nmae"), plait.PlaitError, None),  # type: ignore[arg-type]
        (lambda: plait.render({}, limits={"stesp": 1}), plait.UsageError, None),  # type: ignore[arg-type]
        (lambda: plait.render({}, limits={"steps": 0}), plait.UsageError, None),
        (lambda: plait.render({"a.yml": LOOP}, limits={"steps": 100}), plait.LimitError, "a.yml:1"),
    ],
)
def test_errors_have_fields(call: object, kind: type[plait.PlaitError], place: str | None) -> None:
    with pytest.raises(kind) as caught:
        call()  # type: ignore[operator]
    error = caught.value
    assert error.message
    assert error.report().startswith("plait: ")
    assert (None if error.at is None else str(error.at)) == place


@pytest.mark.parametrize(
    ("function", "arguments", "words"),
    [
        (plait.render, [3], "not int"),
        (plait.render, [None], "not NoneType"),
        (plait.render, [b"a: 1"], "not bytes"),
        (plait.patch, [{"a": 1}], "plait.documents"),
        (plait.patch, [{"a.yml": "a: 1"}, [{"type": "remove", "path": "/a"}]], "plait.documents"),
        (plait.diff, [{1: "a: 1"}, "b.yml"], "int as a name"),
        (plait.explain, ["a.yml", "a"], "not str"),
        (plait.render, [io.StringIO("a: 1")], "file.read"),
        (plait.render, [{"a.yml": io.StringIO("a: 1")}], "file.read"),
        (plait.render, [{"a.yml": pathlib.Path("a.yml")}], "cannot have a name"),
        (plait.documents, [{"spec": [{"hosts": {"a"}}]}], re.escape("data['spec'][0]['hosts'] is a set")),
        (plait.documents, [{"when": dt.date(2024, 1, 1)}], re.escape(".isoformat()")),
        (plait.documents, [{"make": len}], "did you mean to call it"),
        (plait.documents, [{(1, 2): object()}], re.escape("data[(1, 2)] is an object")),
    ],
)
def test_other_types_are_refused_in_words(function: Callable[..., object], arguments: list[object], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        function(*arguments)


def test_a_text_is_no_path() -> None:
    with pytest.raises(plait.ReadError, match="a text, not a path") as caught:
        plait.render("a: 1\nb: 2\n")
    assert caught.value.hint == 'pass a text with a name: {"config.yml": text}'


@pytest.mark.parametrize("text", ["a: 1", "{a: 1}", "- a", "---"])
def test_a_line_of_yaml_is_no_path(text: str) -> None:
    with pytest.raises(plait.ReadError, match="a text, not a path"):
        plait.render(text)


def test_the_path_of_a_file_is_no_text(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.yml").write_text("a: 1", "utf-8")
    with pytest.raises(plait.ReadError, match="is a file path"):
        plait.render({"config.yml": "config.yml"})
    assert plait.render({"config.yml": "other.yml"}).to_list() == ["other.yml"]


def test_options_of_other_types_are_refused_in_words() -> None:
    values: Any = "values.yml"
    with pytest.raises(TypeError, match=r"values must be a mapping.*values_files"):
        plait.render({"a.yml": "a: 1"}, values=values)
    with pytest.raises(TypeError, match=r"values\['hosts'\] is a set"):
        plait.render({"a.yml": "a: 1"}, values={"hosts": {"a"}})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match=r"names=\['web'\]"):
        plait.layer({"a.yml": "a: 1"}, names="web")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"file_marks=\['a.yml:exclude=true'\]"):
        plait.render({"a.yml": "a: 1"}, file_marks="a.yml:exclude=true")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match='"keep" or "error"'):
        plait.render({"a.yml": "a: 1"}, warnings="errors")  # type: ignore[arg-type]


def test_a_traceback_says_what_the_error_knows() -> None:
    with pytest.raises(plait.OpsError) as caught:
        plait.patch({"base.yml": "name: web"}, {"ops.yml": "- {type: remove, path: /nmae}"})
    shown = "".join(traceback.format_exception(caught.value))
    assert 'hint:     did you mean "name"?' in shown
    assert "at ops.yml:1" in shown


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("plait.render({'a.yml': 'a: #@ nope'})", "plait.base.errors.StarlarkError: undefined: nope\nat a.yml:1\n"),
        (
            "plait.render('a.yml', data_values={})",
            'TypeError: render has no option "data_values"; did you mean "values"?\n',
        ),
        ("plait.lint('.', select='D1')", "TypeError: lint: select must be a list of strings"),
        ("plait.lint('nope.yml')", "plait.base.errors.ReadError: "),
        ("plait.test(['nope.yml'])", "plait.base.errors."),
        ("plait.set('nope.yml', 'a', 1)", "plait.base.errors.ReadError: "),
        ("plait.fmt('nope.yml')", "plait.base.errors.ReadError: "),
        ("plait.diff('nope.yml', 'nope.yml')", "plait.base.errors.ReadError: "),
        ("plait.compose('nope.yml')", "plait.base.errors.ReadError: "),
    ],
)
def test_an_uncaught_error_shows_no_frames_inside_plait(call: str, told: str, tmp_path: pathlib.Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(f"import plait\n\ndef work():\n    {call}\n\nwork()\n", "utf-8")
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    files = [line for line in done.stderr.splitlines() if line.startswith('  File "')]
    assert [line.rpartition(", in ")[2] for line in files] == ["<module>", "work"]
    assert told in done.stderr


def test_tools_answer_for_a_directory_as_the_commands_do(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(plait.UsageError, match="there is no run to check"):
        plait.lint(".")
    (tmp_path / "app.yml").write_text("port: 80\n", "utf-8")
    (tmp_path / "plait.yml").write_text("runs: {app: {render: {files: [app.yml]}}}\n", "utf-8")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "a.test.yml").write_text("tests: {a: {equals: {port: 80}}}\n", "utf-8")
    for paths in ("tests", tmp_path / "tests", ["tests"], "tests/a.test.yml::a"):
        assert [one.passed for one in plait.test(paths)] == [True]
    edit = plait.set(".", "port", 81)
    assert str(edit) == "app.yml:1\n  - port: 80\n  + port: 81\ndocument 1\n  ~ port: 80 -> 81\n"
    assert repr(edit) == "<Edit of 1 file: app.yml:1>"


def test_help_has_a_line_for_each_parameter() -> None:
    for function in (plait.render, plait.patch, plait.layer, plait.lint, plait.set):
        text = pydoc.plain(pydoc.render_doc(function))
        assert "'Inputs'" not in text
        for name in inspect.signature(function).parameters:
            described = rf"(?m)^    (?:[a-z_]+, )*{name}(?:, [a-z_]+)*: "
            assert re.search(described, text) or f"{name}: " in text, f"{function.__name__}: {name}"


def test_warnings_are_kept_or_refused(tmp_path: pathlib.Path) -> None:
    twice = {"a.yml": "a: 1\na: 2\n"}
    for kept in (plait.render(twice), plait.patch(twice)):
        assert kept.warnings == [
            'a.yml:1: duplicate key "a": only the last one counts, a.yml:2 (merge them, or remove one)'
        ]
    store = tmp_path / "store.yml"
    base = {"a.yml": "a: 1\na: 2\nvariables: [{name: p, type: password}]"}
    calls: list[Callable[[], plait.Documents]] = [
        lambda: plait.render(twice, warnings="error"),
        lambda: plait.patch(base, store=store, warnings="error"),
        lambda: plait.patch(base, store=store, warnings="error", isolated=True),
    ]
    for refused in calls:
        with pytest.raises(plait.PlaitError, match="1 warning, treated as an error") as caught:
            refused()
        assert [f"{finding.at}: {finding.message}" for finding in caught.value.findings] == kept.warnings
    assert not store.exists()


def test_the_document_that_an_overlay_fails_on_is_told_across_processes() -> None:
    overlay = '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=overlay.all\n---\nb: 1\n'
    for isolated in (False, True):
        with pytest.raises(plait.OverlayError) as caught:
            plait.render({"a.yml": "kind: A\nmetadata: {name: x}\n", "o.yml": overlay}, isolated=isolated)
        assert caught.value.document == "A/x, a.yml:1"


def test_data_within_itself() -> None:
    data: list[plait.Plain] = []
    data.append(data)
    with pytest.raises(plait.LimitError):
        plait.documents(data)


def test_other_objects_are_refused() -> None:
    with pytest.raises(TypeError):
        plait.documents({"a": object()})  # type: ignore[dict-item]


PIPELINE = """\
steps:
- values: {set: {replicas: 2}}
- name: templates
  render: {files: [app.yml]}
- patch: {ops: [ops.yml], vars: {image: "app:2"}}
"""


def make_pipeline(directory: pathlib.Path) -> None:
    (directory / "plait.yml").write_text(PIPELINE, "utf-8")
    (directory / "app.yml").write_text(
        '#@ load("@ytt:data", "data")\nreplicas: #@ data.values.replicas\nimage: ((image))\n', "utf-8"
    )
    (directory / "ops.yml").write_text("- {type: replace, path: /owner?, value: me}\n", "utf-8")


def test_compose(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_pipeline(tmp_path)
    composed = plait.compose(tmp_path / "plait.yml", values={"replicas": 5}, trace=True)
    assert composed.to_dict() == {"replicas": 5, "image": "app:2", "owner": "me"}
    assert [step.name for step in composed.steps] == ["values 1", "templates", "patch 3"]
    assert composed.steps[1].documents.to_dict() == {"replicas": 5, "image": "((image))"}
    assert sorted((one.path, one.kind, one.after) for one in composed.steps[2].differences) == [
        ("image", "changed", "app:2"), ("owner", "added", "me"),
    ]  # fmt: skip
    [history] = plait.explain(composed, "image")
    assert [(entry.state, entry.value) for entry in history.entries] == [("input", "((image))"), ("current", "app:2")]
    assert history.entries[0].at is not None
    assert history.entries[0].at.line == 3
    [replicas] = plait.explain(composed, "replicas")
    assert [origin.place for origin in replicas.entries[-1].origins][-1] == "values"
    monkeypatch.chdir(tmp_path)
    stopped = plait.compose({"other.yml": PIPELINE}, values_files={"v.yml": "replicas: 7"}, until="templates")
    assert stopped.to_dict() == {"replicas": 7, "image": "((image))"}
    data = plait.documents({"steps": [{"render": {"files": ["app.yml"], "set": {"replicas": 4}}}]})
    assert plait.compose(data).to_dict() == {"replicas": 4, "image": "((image))"}
    with pytest.raises(plait.UsageError, match="unknown step"):
        plait.compose("plait.yml", until="template")


def test_explain_says_what_the_command_line_says(tmp_path: pathlib.Path) -> None:
    make_pipeline(tmp_path)
    composed = plait.compose(tmp_path / "plait.yml", trace=True)
    done = subprocess.run(
        [sys.executable, "-m", "plait", "explain", "--all", str(tmp_path / "plait.yml")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "\n".join(map(str, plait.explain(composed))) == done.stdout


def test_histories_go_through_several_calls() -> None:
    rendered = plait.render({"app.yml": "name: #@ 'a' + 'b'\n"}, trace=True)
    before = plait.explain(rendered, "name")[0].to_dict()
    patched = plait.patch(rendered, {"ops.yml": "- {type: replace, path: /name, value: c}"}, trace=True)
    again = plait.render([patched, {"more.yml": "more: 1"}], trace=True)
    [history] = plait.explain(again, "name")
    assert [(one.action, one.place, one.value, one.state) for one in history.entries] == [
        ("expression", "app.yml:1", "ab", "overridden"), ("replace", "ops.yml:1", "c", "current"),
    ]  # fmt: skip
    # What an earlier call recorded is as it was.
    assert plait.explain(rendered, "name")[0].to_dict() == before


def test_lines_of_texts_have_histories() -> None:
    rendered = plait.render({"notes.txt": "(@ x = 3 @)port (@= str(x) @)\n", "a.yml": "a: 1\n"}, trace=True)
    [history] = plait.explain(rendered, "notes.txt:1")
    assert (history.document, history.path, history.value) == ("notes.txt", "1", "port 3")


def test_explain_layer_hides_secrets() -> None:
    policy = (
        "schema: deckhand/LayeringPolicy/v1\n"
        "metadata: {schema: metadata/Control/v1, name: p}\n"
        "data: {layerOrder: [site]}\n"
    )
    secret = (
        "schema: demo/Key/v1\n"
        "metadata: {schema: metadata/Document/v1, name: key, storagePolicy: encrypted, layeringDefinition: {layer: site}}\n"
        "data: hush\n"
    )
    histories = plait.explain(plait.layer({"p.yml": policy, "s.yml": secret}, trace=True))
    assert "hush" not in repr([history.to_dict() for history in histories]) + "".join(map(str, histories))
    shown = plait.explain(plait.layer({"p.yml": policy, "s.yml": secret}, trace=True), cleartext_secrets=True)
    assert "hush" in "".join(map(str, shown))
    found = plait.diff({"s.yml": secret}, {"s.yml": secret.replace("hush", "shout")})
    assert "shout" not in str(found) + repr([(one.before, one.after) for one in found])
    assert "shout" in str(
        plait.diff({"s.yml": secret}, {"s.yml": secret.replace("hush", "shout")}, cleartext_secrets=True)
    )
    [data] = [history for history in histories if history.document == "demo/Key/v1/key" and history.path == "data"]
    assert data.secret
    assert "hush" not in repr((data.value, [(entry.value, entry.text) for entry in data.entries]))


@pytest.mark.untraced
@pytest.mark.parametrize(
    "make",
    [
        lambda trace: plait.render({"a.yml": TEMPLATE}, values={"name": "n"}, trace=trace),
        lambda trace: plait.patch({"a.yml": "b: ((v))\na: 1"}, variables={"v": [1]}, trace=trace),
        lambda trace: plait.compose({"p.yml": "steps: [{render: {files: [examples/quickstart]}}]"}, trace=trace),
        lambda trace: plait.layer("examples/layer", trace=trace),
    ],
)
def test_trace_changes_nothing(make: Callable[[bool], plait.Documents], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(TESTS.parent)
    traced, plain = make(True), make(False)
    assert traced.to_yaml() == plain.to_yaml()
    assert plait.explain(traced)
    with pytest.raises(plait.UsageError, match="no provenance"):
        plait.explain(plain)


def work_of_all_verbs(name: str, directory: pathlib.Path) -> object:
    """What every verb makes of one name."""
    rendered = plait.render({"a.yml": TEMPLATE}, values={"name": name}, trace=True)
    patched = plait.patch({"a.yml": "name: ((v))"}, variables={"v": name}, trace=True)
    layered = plait.layer("examples/layer", names=[name], short=True)
    composed = plait.compose(directory / "plait.yml", values={"replicas": name}, trace=True)
    found = plait.diff(rendered, {"b.yml": "name: other"})
    with pytest.raises(plait.LimitError):
        plait.render({"a.yml": LOOP}, limits={"steps": 100})
    with pytest.raises(plait.StarlarkError) as error:
        plait.render({f"{name}.yml": f"#@ def f(n):\n#@   return f(n - 1) if n else {name}\n#@ end\na: #@ f(50)\n"})
    return (
        rendered.to_dict(), rendered.printed, patched.to_dict(), layered.to_list(), layered.warnings, composed.to_dict(),
        [str(history) for one in (rendered, patched, composed) for history in plait.explain(one)],
        found.to_text(), found.to_overlay(), found.to_operations().to_yaml(), error.value.report(),
    )  # fmt: skip


def run_together(threads: Sequence[threading.Thread]) -> None:
    """Run threads to their end, with far more changes from one to the other than there would be."""
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(switch)


def test_many_threads(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(TESTS.parent)
    make_pipeline(tmp_path)
    names = [f"n{number}" for number in range(6)]
    expected = {name: work_of_all_verbs(name, tmp_path) for name in names}
    wrong: list[object] = []

    def work(name: str) -> None:
        for _ in range(4):
            try:
                got = work_of_all_verbs(name, tmp_path)
            except BaseException as error:  # noqa: BLE001 - a thread tells nobody
                got = error
            if got != expected[name]:
                wrong.append((got, expected[name]))

    run_together([threading.Thread(target=work, args=(name,)) for name in names])
    assert wrong == []


def test_a_depth_is_that_of_one_thread() -> None:
    deep = {"a.yml": "#@ def f(n):\n#@   return f(n - 1) if n else 1\n#@ end\na: #@ f(60)\n"}
    slow = {"a.yml": "#@ l = [x * x for x in range(20000)]\n" + deep["a.yml"]}
    wrong: list[object] = []
    plait.render(deep)
    before = sys.getrecursionlimit()

    def limited() -> None:
        for _ in range(10):
            with pytest.raises(plait.LimitError):
                plait.render(slow, limits={"depth": 20})

    def free() -> None:
        for _ in range(10):
            try:
                assert plait.render(deep).to_dict() == {"a": 1}
            except Exception as error:  # noqa: BLE001 - a thread tells nobody
                wrong.append(error)

    run_together([threading.Thread(target=work) for work in (limited, free, limited, free)])
    assert wrong == []
    assert sys.getrecursionlimit() == before
    assert sys.getprofile() is None
