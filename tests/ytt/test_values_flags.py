from __future__ import annotations

import pathlib
from collections.abc import Callable

import pytest

from plait.base.errors import PlaitError, ReadError, UsageError, render
from plait.tree.nodes import to_plain
from plait.tree.nodes import walk as walk_nodes
from plait.ytt.workspace.inputs import Inputs
from plait.ytt.workspace.library_references import parse_refs
from plait.ytt.workspace.render_job import ReferencedValues
from plait.ytt.workspace.values_flags import ValuesFlags, read_values


def given(environment: dict[str, str] | None = None) -> Callable[[str], dict[str, str]]:
    """The variables of an environment by what their names begin with."""
    every = environment or {}
    return lambda prefix: {name: text for name, text in every.items() if name.startswith(prefix)}


def values(
    *, environment: dict[str, str] | None = None, strict: bool = False, stdin: bytes = b"", **flags: list[str]
) -> list[ReferencedValues]:
    inputs = Inputs(stdin=lambda: stdin)
    return read_values(ValuesFlags(**flags), inputs, given(environment), strict=strict)


def data(found: list[ReferencedValues]) -> list[object]:
    return [to_plain(value.document.value) for value in found]


def failure(*, environment: dict[str, str] | None = None, strict: bool = False, **flags: list[str]) -> PlaitError:
    with pytest.raises(PlaitError) as caught:
        read_values(ValuesFlags(**flags), Inputs(stdin=lambda: b""), given(environment), strict=strict)
    return caught.value


@pytest.fixture(autouse=True)
def _files(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path, text in {
        "one.yml": "a: 1\n",
        "two.yml": "b: [x]\n---\n---\nc: {d: 2}\n",
        "twice.yml": "a: 1\nb: 2\na: 3\n",
        "empty.yml": "# nothing\n",
        "scalar.yml": "42\n",
        "dir/README": "no: [yaml\n",
        "dir/b.yml": "b: 1\n",
        "dir/sub/a.yaml": "a: 1\n",
        "dir/sub/notes.txt": "no: [yaml\n",
        "single/file.txt": "text",
        "named.txt": "t: 1\n",
    }.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    (tmp_path / "none").mkdir()


def test_one_value_is_a_string_at_its_key_path() -> None:
    assert data(values(values=["a.b.c=1", "d=x=y", "e=", "=v", "f..g=1"])) == [
        {"a": {"b": {"c": "1"}}},
        {"d": "x=y"},
        {"e": ""},
        {"": "v"},
        {"f": {"": {"g": "1"}}},
    ]


def test_one_value_replaces_and_makes_the_way_to_it() -> None:
    [value] = values(values=["a.b=1"])
    outer, inner = walk_nodes(value.document.value)
    assert outer.annotations is not None
    assert inner.annotations is not None
    assert {name: a.kwargs for name, a in outer.annotations.items()} == {"overlay/match": {"missing_ok": True}}
    assert {name: a.kwargs for name, a in inner.annotations.items()} == {
        "overlay/match": {"missing_ok": True},
        "overlay/replace": {"or_add": True},
    }
    assert not value.plain


def test_values_as_yaml() -> None:
    found = values(values_yaml=["a=1", "b=", "c={d: [1, null]}", "e=1\n---\n2", "f={g:1}", "h=#@ x", "i={j: 1, j: 2}"])
    found += values(values_yaml=["k=# a\n---\nb: 1", "l=---", "m=--- 1\n---\n2", "n=..."])
    assert data(found) == [
        {"a": 1},
        {"b": None},
        {"c": {"d": [1, None]}},
        {"e": 1},
        {"f": {"g:1": None}},
        {"h": None},
        {"i": {"j": 2}},
        {"k": None},  # of the empty document before the first `---`
        {"l": None},
        {"m": 1},
        {"n": None},
    ]


def test_a_plus_at_the_end_of_a_key_is_no_part_of_it() -> None:
    assert data(values(values=["a.b+=1", "(c)+=2"], values_yaml=["@l:d+=3"])) == [
        {"a": {"b": "1"}},
        {"c": "2"},
        {"d": 3},
    ]


def test_positions_are_those_of_the_argument() -> None:
    found = values(
        values=["a=1"],
        values_yaml=["b=2"],
        value_files=["c=named.txt"],
        env=["APP"],
        environment={"APP_d": "3"},
        files=["one.yml"],
    )
    places = [(str(value.document.position), value.document.position.text) for value in found]
    assert places == [
        ("one.yml:1", "a: 1"),
        ("(data-values-env arg) APP:1", "APP_d=3"),
        ("(data-value arg):1", "a=1"),
        ("(data-value-yaml arg):1", "b=2"),
        ("(data-value-file arg) c=named.txt:1", "t: 1"),
    ]


def test_kinds_of_flags_have_an_order_of_their_own() -> None:
    found = values(
        value_files=["k=named.txt"],
        values_yaml=["k=5"],
        values=["k=4", "k=4b"],
        env_yaml=["Y"],
        env=["E"],
        files=["scalar.yml"],
        environment={"Y_k": "3", "E_k": "2"},
    )
    assert data(found) == [42, {"k": "2"}, {"k": 3}, {"k": "4"}, {"k": "4b"}, {"k": 5}, {"k": "t: 1\n"}]


def test_files_of_plain_values() -> None:
    found = values(files=["two.yml", "empty.yml", "twice.yml", "scalar.yml", "named.txt"])
    assert data(found) == [{"b": ["x"]}, {"c": {"d": 2}}, {"a": 3, "b": 2}, 42, {"t": 1}]
    assert all(value.plain for value in found)


def test_in_a_directory_of_values_other_files_are_passed_over() -> None:
    assert data(values(files=["dir"])) == [{"b": 1}, {"a": 1}]


def test_values_from_standard_input() -> None:
    assert data(values(files=["-"], stdin=b"s: 1\n")) == [{"s": 1}]
    assert "already been read" in failure(files=["-"], value_files=["a=-"]).message


def test_a_plus_before_the_path_is_no_part_of_it() -> None:
    found = values(files=["+:one.yml", "@lib:+:one.yml"])
    assert data(found) == [{"a": 1}, {"a": 1}]
    assert [value.refs for value in found] == [(), parse_refs("@lib")]


@pytest.mark.parametrize(
    ("text", "line"),
    [("a: 1\n#@ x\nb: 2\n", 2), ("#! fine\na: 1 #@ x\n", 2), ("#@data/values\n---\na: 1\n", 1)],
)
def test_annotations_are_refused_in_plain_values(text: str, line: int) -> None:
    pathlib.Path("v.yml").write_text(text, "utf-8")
    error = failure(files=["v.yml"])
    assert "Expected to be plain YAML, having no annotations" in error.message
    assert str(error.at) == f"v.yml:{line}"
    assert error.hint is not None
    assert "-f v.yml" in error.hint
    assert ("in place of the code" in error.hint) is ("data/values" not in text)


def test_a_number_sign_and_at_sign_in_a_string_is_no_annotation() -> None:
    pathlib.Path("v.yml").write_text('a: "x #@ y"\nb: |\n  #@ text\n', "utf-8")
    assert data(values(files=["v.yml"])) == [{"a": "x #@ y", "b": "#@ text\n"}]


def test_environment_variables() -> None:
    environment = {"DV_b__c": "2", "OTHER": "1", "DV_e_f": "x", "DVx": "no", "DV": "no", "DV_g": "[1"}
    assert data(values(env=["DV"], environment=environment)) == [{"b": {"c": "2"}}, {"e_f": "x"}, {"g": "[1"}]
    assert data(values(env_yaml=["DV"], environment={"DV_a": "1", "DV_b": ""})) == [{"a": 1}, {"b": None}]
    error = failure(env_yaml=["DV"], environment={"DV_a": "[1"})
    assert "in environment variable DV_a" in [step.text for step in error.stack]


@pytest.mark.parametrize("flag", ["env", "env_yaml"])
def test_only_typed_prefixes_without_variables_are_reported(flag: str) -> None:
    told: list[str] = []
    for is_typed in (True, False):
        flags = ValuesFlags(**{flag: ["DV", "NONE"]})
        read_values(flags, Inputs(stdin=lambda: b""), given({"DV_a": "1"}), warn=told.append, is_typed=is_typed)
    assert [text.partition(" sets nothing")[0] for text in told] == [f"--data-values-{flag.replace('_', '-')} NONE"]


def test_values_from_files() -> None:
    assert data(values(value_files=["a.b=named.txt", "c=x=named.txt", "d=single"])) == [
        {"a": {"b": "t: 1\n"}},
        {"c": "t: 1\n"},
        {"d": "text"},
    ]
    pathlib.Path("raw").write_bytes(b"\xff\r\n")
    assert data(values(value_files=["a=raw"])) == [{"a": "\udcff\r\n"}]
    assert failure(value_files=["a=dir"]).message == "Expected 'dir' to be a file, but is a directory"
    assert failure(value_files=["a=none"]).message == "Expected 'none' to be a file, but is a directory"


def test_library_references() -> None:
    found = values(
        files=["@lib:one.yml"], values=["@outer@inner~x:a.b=1", "@a=1"], env=["@~x:E"], environment={"E_a": "1"}
    )
    assert [value.refs for value in found] == [
        parse_refs("@lib"),
        parse_refs("@~x"),
        parse_refs("@outer@inner~x"),
        (),
    ]
    assert data(found)[-1] == {"@a": "1"}


@pytest.mark.parametrize(
    ("flags", "message", "hint"),
    [
        ({"values": ["a"]}, "Expected format key=value", None),
        ({"values": ["v.yml"]}, "Expected format key=value", "--data-values-file v.yml"),
        ({"values": ["a: 1"]}, "Expected format key=value", "--data-value a=1"),
        ({"value_files": ["v.yml"]}, "Expected format key=/file/path", "--data-values-file v.yml"),
        ({"values": ["a:b=1"]}, "Expected at most one library-key separator ':' in 'a:b'", "@a:b"),
        ({"values": ["@x:a:b=1"]}, "Expected at most one library-key separator ':' in 'a:b'", None),
        ({"env": ["l:DV"]}, "Expected at most one library-key separator ':' in 'l:DV'", "@l:DV"),
        ({"values": ["@:a=1"]}, "Expected library ref to not be empty", None),
        ({"values": ["@l~:a=1"]}, "Expected library alias to not be empty", None),
        (
            {"files": ["nope.yml"]},
            "cannot read nope.yml: No such file or directory",
            None,
        ),
        (
            {"value_files": ["a=nope"]},
            "cannot read nope: No such file or directory",
            None,
        ),
    ],
    ids=str,
)
def test_mistakes(flags: dict[str, list[str]], message: str, hint: str | None) -> None:
    with pytest.raises(PlaitError) as caught:
        read_values(ValuesFlags(**flags), Inputs(), given())
    error = caught.value
    assert isinstance(error, UsageError | ReadError)
    assert error.message == message
    assert hint is None or hint in str(error.hint)
    [(kind, [argument])] = flags.items()
    flag = {"values": "data-value", "value_files": "data-value-file", "env": "data-values-env"}.get(
        kind, "data-values-file"
    )
    assert error.stack[-1].text == f"in --{flag} {argument}"


def test_broken_yaml_names_flag_and_key() -> None:
    shown = render(failure(values_yaml=["app.ports=[80"]))
    assert "in --data-value-yaml app.ports=[80" in shown
    assert "in the value of key 'app.ports'" in shown


def test_strict_holds_for_values_too() -> None:
    assert data(values(values_yaml=["a=yes"]))[0] == {"a": True}
    failure(values_yaml=["a=yes"], strict=True)
    assert data(values(values=["a=yes"], strict=True)) == [{"a": "yes"}]


def test_a_key_given_to_the_flag_for_files_is_noted() -> None:
    notes: list[str] = []
    read_values(
        ValuesFlags(files=["key=one.yml", "other.yml=one.yml", "one.yml"]), Inputs(), given(), warn=notes.append
    )
    [note] = notes
    assert "--data-value-file key=one.yml" in note
