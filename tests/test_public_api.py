"""A public name is in `weft.__all__`, in docs/api.md and in tests/typing/api.py; the functions keep their promises."""

from __future__ import annotations

import doctest
import inspect
import pathlib
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

import generated
import weft
import weft.api
import weft.api.results

TESTS = pathlib.Path(__file__).parent
FUNCTIONS: list[Callable[..., object]] = [weft.render, weft.patch, weft.layer, weft.diff, weft.read, weft.documents]

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
    assert [name for name in weft.__all__ if f"weft.{name}" not in page] == []


def test_every_name_is_used_by_typed_code() -> None:
    code = (TESTS / "typing" / "api.py").read_text("utf-8")
    assert [name for name in weft.__all__ if f"weft.{name}" not in code] == []


def test_every_option_is_used_by_typed_code() -> None:
    code = (TESTS / "typing" / "api.py").read_text("utf-8")
    for function in FUNCTIONS:
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind is parameter.KEYWORD_ONLY:
                assert f"{parameter.name}=" in code, f"{function.__name__}: {parameter.name}"


def test_names_resolve_and_are_the_only_ones() -> None:
    for name in weft.__all__:
        assert getattr(weft, name) is not None
        assert name in dir(weft)
    with pytest.raises(AttributeError, match="no attribute 'rendre'"):
        weft.rendre  # noqa: B018


def test_page_is_what_docstrings_say(update: str | None) -> None:
    generated.check(TESTS.parent / "docs" / "api.md", generated.api_page(), update)


@pytest.mark.parametrize("module", [weft.api, weft.api.results], ids=lambda module: module.__name__)
def test_examples_in_docstrings(module: object) -> None:
    found = doctest.testmod(module, globs={"weft": weft})  # type: ignore[arg-type]
    assert found.attempted
    assert found.failed == 0


def test_import_loads_nothing_of_it() -> None:
    program = "import sys, weft; print([name for name in sys.modules if name.startswith(('weft.', 'yaml'))])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_nothing_is_printed_and_nothing_shared(capfd: pytest.CaptureFixture[str]) -> None:
    first = weft.render({"a.yml": TEMPLATE}, values={"name": "one"})
    second = weft.render({"a.yml": TEMPLATE}, values={"name": "two"})
    assert [first[0], second[0]] == [{"name": "one"}, {"name": "two"}]
    assert first.printed == second.printed == ["told"]
    assert capfd.readouterr() == ("", "")


def test_plain_data_is_made_anew() -> None:
    read = weft.read({"a.yml": "a: [1]"})
    data = read.to_dict()
    data["a"] = None
    assert read.to_dict() == {"a": [1]}


def test_files_of_a_render() -> None:
    files = {"config/app.yml": "a: 1", "notes.txt": "(@= 'x' * 3 @)\n"}
    assert weft.render(files).files == {"notes.txt": "xxx\n", "config/app.yml": "a: 1\n"}


def test_values_win_over_files_of_values() -> None:
    rendered = weft.render({"a.yml": TEMPLATE}, values={"name": "w"}, values_files={"v.yml": "name: f\nother: 1\n"})
    assert rendered.to_dict() == {"name": "w"}


def test_paths_and_file_marks(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yml").write_text("a: 1\n", "utf-8")
    (tmp_path / "b.yml").write_text("b: 1\n", "utf-8")
    assert weft.render(tmp_path, file_marks=["b.yml:exclude=true"]).to_list() == [{"a": 1}]
    assert weft.read(tmp_path).to_list() == [{"a": 1}, {"b": 1}]
    assert weft.read([tmp_path / "b.yml", {"c.yml": "c: 1"}]).to_list() == [{"b": 1}, {"c": 1}]


def test_patch_of_what_diff_found() -> None:
    left, right = {"a.yml": "a: 1\nb: [x, y]\n"}, {"b.yml": "a: 2\nb: [x]\nc: {}\n"}
    patched = weft.patch(left, weft.diff(left, right))
    assert patched.to_dict() == weft.read(right).to_dict()
    assert weft.diff(patched, right).to_list() == [[]]


def test_patch_with_files_and_store(tmp_path: pathlib.Path) -> None:
    base = {"base.yml": "a: ((x)) and ((y))\nb: ((secret))\nvariables:\n- {name: secret, type: password}\n"}
    (tmp_path / "ops.yml").write_text("- {type: remove, path: /b}\n", "utf-8")
    store = tmp_path / "store.yml"
    patched = weft.patch(base, tmp_path / "ops.yml", variables={"x": "1"}, variables_files={"v": "{x: 9, y: 2}"})
    assert patched.to_dict() == {"a": "1 and 2", "variables": [{"name": "secret", "type": "password"}]}
    assert weft.patch(base, store=store, path="/b").to_list() == [weft.read(store).to_dict()["secret"]]


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
    layered = weft.layer(
        {"p.yml": policy, "s.yml": secret}, names=["key"], cleartext_secrets=True, short=True, secrets={reference: "x"}
    )
    assert layered[0] == {"schema": "demo/Key/v1", "metadata": {"name": "key"}, "data": "x"}


@pytest.mark.parametrize(
    ("call", "kind", "place"),
    [
        (lambda: weft.render({"a.yml": "a: #@ nmae\n"}), weft.StarlarkError, "a.yml:1"),
        (lambda: weft.render({"a.yml": "a: [\n"}), weft.ReadError, "a.yml:1"),
        (lambda: weft.patch({"a.yml": "a: 1"}, {"o.yml": "\n- {type: remove, path: /b}"}), weft.OpsError, "o.yml:2"),
        (lambda: weft.layer({"l.yml": "a: 1\n"}), weft.LayeringError, "l.yml:1"),
        (lambda: weft.read({"y.yml": "{"}), weft.ReadError, "y.yml:1"),
        (lambda: weft.read("no/such.yml"), weft.ReadError, None),
        (lambda: weft.render("-"), weft.ReadError, None),
        (lambda: weft.documents(1, 2).to_dict(), weft.WeftError, None),
        (lambda: weft.documents([1]).to_dict(), weft.WeftError, None),
        (lambda: weft.patch(weft.documents(1, 2)), weft.UsageError, None),
        (lambda: weft.patch([{"a": "1"}, {"b": "2"}]), weft.UsageError, None),
        (lambda: weft.layer({}, order="nmae"), weft.WeftError, None),
        (lambda: weft.render({}, limits={"stesp": 1}), weft.UsageError, None),
        (lambda: weft.render({}, limits={"steps": 0}), weft.UsageError, None),
        (lambda: weft.render({"a.yml": LOOP}, limits={"steps": 100}), weft.LimitError, "a.yml:1"),
    ],
)
def test_errors_have_fields(call: object, kind: type[weft.WeftError], place: str | None) -> None:
    with pytest.raises(kind) as caught:
        call()  # type: ignore[operator]
    error = caught.value
    assert error.message
    assert error.report().startswith("weft: ")
    assert (None if error.at is None else str(error.at)) == place


def test_data_within_itself() -> None:
    data: list[object] = []
    data.append(data)
    with pytest.raises(weft.LimitError):
        weft.documents(data)


def test_other_objects_are_refused() -> None:
    with pytest.raises(TypeError):
        weft.documents({"a": object()})


def test_many_threads() -> None:
    wrong: list[object] = []

    def work(number: int) -> None:
        for _ in range(20):
            name = f"n{number}"
            rendered = weft.render({"a.yml": TEMPLATE}, values={"name": name}).to_dict()
            patched = weft.patch({"a.yml": "name: ((v))"}, variables={"v": name}).to_dict()
            if not rendered == patched == {"name": name}:
                wrong.append((number, rendered, patched))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
