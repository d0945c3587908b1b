"""A project that nobody trusts names nothing outside of its repository: no setting, in no command, by no kind of path.

The settings are those of the tables: a new flag, key or command has no entry here and fails.
"""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
from typing import TYPE_CHECKING, NoReturn

import pytest
import yaml
from watchdog import watched

import plait
from patience import LONGEST
from plait.authoring.project.file import RUN_KEYS, find
from plait.authoring.project.matrix import KEYS, SOURCES
from plait.authoring.project.settings import COMMANDS, options_of
from plait.authoring.testing.cases import CASE_KEYS
from plait.base.content import names_of_variables
from plait.base.errors import PermissionDeniedError
from plait.base.input_view import permitted
from plait.base.limits import TABLE
from plait.base.permissions import ACCESSES, Need, Permissions, checkout_of
from plait.base.trust import Decision, _decision_path, store, stored
from plait.cli import COMMANDS as EVERY
from plait.cli import main
from plait.cli.commands import commands
from plait.engine.options import MAP, SWITCH
from plait.engine.pipeline import KINDS, PATHS, TOP, settings_of

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable, Iterator, Mapping

    from plait.engine.options import Option

# ---- names that lead out, by kind; {name} is the name of a file in the repository

WAYS: Mapping[str, Callable[[pathlib.Path], str]] = {
    "absolute": lambda outside: str(outside / "canary.yml"),
    "absolute directory": str,
    "nothing there": lambda outside: str(outside / "missing.yml"),
    "parent": lambda _: "../outside/canary.yml",
    "through a directory": lambda _: "in/../../outside/canary.yml",
    "home": lambda _: "~/canary.yml",
    "link": lambda _: "link.yml",
    "linked directory": lambda _: "linked/canary.yml",
    "chain of links": lambda _: "chain.yml",
    "root": lambda _: "/",
    "git": lambda _: ".git/config",
    "pattern": lambda outside: f"{outside}/*.yml",
    "any depth": lambda _: "../**/canary.yml",
    "pattern that climbs": lambda _: "*/../../outside/*.yml",
}
CANARY = "canary: the-secret-of-others\n"
SOURCES_OF_SECRETS = ("file:{}", "dir:{}", "sops:{}", "k=file:{}")


class Place:
    """A repository, and a directory beside it that nothing may touch."""

    def __init__(self, top: pathlib.Path) -> None:
        self.outside = top / "outside"
        self.home = self.outside
        self.repository = top / "repository"
        for directory in (self.outside, self.repository / ".git", self.repository / "in"):
            directory.mkdir(parents=True)
        (self.outside / "canary.yml").write_text(CANARY, "utf-8")
        os.mkfifo(self.outside / "fifo.yml")
        (self.repository / ".git" / "config").write_text("[remote]\n\turl = https://token@example.com\n", "utf-8")
        (self.repository / "a.yml").write_text("a: 1\n", "utf-8")
        (self.repository / "link.yml").symlink_to(self.outside / "canary.yml")
        (self.repository / "linked").symlink_to(self.outside)
        (self.repository / "chain.yml").symlink_to("in/chain.yml")
        (self.repository / "in" / "chain.yml").symlink_to("../../outside/canary.yml")

    def write(self, name: str, data: object) -> None:
        """Write a file of the repository."""
        (self.repository / name).write_text(yaml.safe_dump(data, sort_keys=False), "utf-8")

    def entries(self) -> set[str]:
        """What is outside."""
        return {str(path) for path in self.outside.rglob("*")}


@pytest.fixture
def place(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    place = Place(tmp_path)
    monkeypatch.setenv("HOME", str(place.home))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("PLAIT_TRUST", raising=False)
    monkeypatch.chdir(place.repository)
    monkeypatch.setattr("plait.authoring.watch.changes._Watcher.next_change", _interrupted)
    return place


def _interrupted(*_: object) -> NoReturn:
    raise KeyboardInterrupt


# ---- settings

# A setting of a run with a value that is harmless, so that the command has what it needs.
NEEDED: Mapping[str, Mapping[str, object]] = {
    "render": {"files": ["a.yml"]},
    "patch": {"base": "a.yml"},
    "layer": {"files": ["a.yml"]},
    "compose": {"file": "steps.yml"},
}
# The flags that a project file sets whose values name no file, server or program. A new one is added here, or declares
# what it names (`Option(path=...)`).
NAMELESS = {
    "render": {
        "bulk-in", "data-value", "data-value-yaml", "file-mark", "limit", "merge-key", "output", "output-by", "warnings", "with",
    },
    "patch": {
        "ca-cert", "client", "client-secret", "column", "config", "deployment", "environment", "limit", "parallel", "path",
        "var", "warnings", "with",
    },
    "layer": {"label", "layer", "limit", "name", "order", "output", "output-by", "schema", "warnings"},
    "compose": {"data-value", "data-value-yaml", "limit", "output", "output-by", "step", "warnings"},
}  # fmt: skip


def test_every_setting_declares_what_it_names() -> None:
    for command in COMMANDS:
        nameless = {
            name
            for name, flag in options_of(command).items()
            if flag.kind not in (SWITCH, MAP) and flag.path is None and not flag.environment
        }
        assert nameless == NAMELESS[command], command


def values_of(flag: Option | None, way: str) -> Iterator[object]:
    """The values of a setting that name a path."""
    names = None if flag is None else flag.path
    if names is None:
        yield way if flag is None else None
    elif names.is_source:
        yield from ([one.format(way)] for one in SOURCES_OF_SECRETS)
    else:
        yield f"k={way}" if names.after == "=" and not names.may_be_url else way


SETTINGS_THAT_NAME = [
    pytest.param(command, name, flag, id=f"{command} {name}")
    for command in COMMANDS
    for name, flag in options_of(command).items()
    if flag is None or flag.path is not None
]
# Every command that evaluates a project, as it is started; the others name what they read on the command line alone.
STARTS: Mapping[str, list[str]] = {
    "run": ["run", "r"],
    "explain": ["explain", "run", "r", "--all"],
    "impact": ["impact", "run", "r", "a.yml:1"],
    "origin": ["origin", "run", "r", "report.txt"],
    "reduce": ["reduce", "--output", "a=1", "run", "r"],
    "project": ["project"],
    "set": ["set", "run", "r", "a=2", "-w"],
    "lint": ["lint"],
    "test": ["test"],
    "coverage": ["coverage"],
    "fleet": ["fleet", "--no-cache", "--quiet"],
    "watch": ["run", "--watch", "r"],
    "why": ["fleet", "why", "a"],
}
TYPED_ONLY = {
    "ci",
    "render",
    "patch",
    "layer",
    "fmt",
    "init",
    "schema",
    "krm",
    "completion",
    "diff",
    "serve",
    "shims",
    "website",
    "trust",
}
OTHERWISE = {
    "compose",
    "lsp",
    "mcp",
    "review",
    "log",
    "blame",
}  # tested below, in tests/agents, tests/review, tests/fleet


def test_every_command_is_started() -> None:
    assert set(EVERY) == TYPED_ONLY | OTHERWISE | (set(STARTS) - {"watch", "why"})


def refused(place: Place, argv: list[str], capfd: pytest.CaptureFixture[str]) -> str:
    """What a command says that may do nothing outside."""
    before = place.entries()
    with watched(place.outside, place.repository / ".git") as found:
        status = main(argv)
    told = capfd.readouterr()
    assert found == [], argv
    assert place.entries() == before
    assert "the-secret-of-others" not in told.out + told.err
    assert "token@example" not in told.out + told.err
    assert status != 0 or argv[:2] == ["run", "--watch"] or argv[0] == "project", told
    return told.out + told.err


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(("command", "name", "flag"), SETTINGS_THAT_NAME)
def test_a_setting_of_a_run_names_nothing_outside(
    command: str, name: str, flag: Option | None, start: str, place: Place, capfd: pytest.CaptureFixture[str]
) -> None:
    place.write("steps.yml", {"steps": [{"render": {"files": ["a.yml"]}}]})
    place.write("t.test.yml", {"tests": {"t": {"run": "r", "has": "a"}}})
    for kind, way in WAYS.items():
        for value in values_of(flag, way(place.outside)):
            place.write("plait.yml", {"runs": {"r": {command: {**NEEDED[command], name: value}}}})
            said = refused(place, STARTS[start], capfd)
            assert "no permission" in said or start == "project", (kind, value, said)


@pytest.mark.parametrize("start", ["run", "lint", "fleet"])
@pytest.mark.parametrize(("command", "name", "flag"), SETTINGS_THAT_NAME)
def test_whether_something_exists_outside_shows_nowhere(
    command: str, name: str, flag: Option | None, start: str, place: Place, capfd: pytest.CaptureFixture[str]
) -> None:
    place.write("steps.yml", {"steps": [{"render": {"files": ["a.yml"]}}]})
    said = []
    for way in (place.outside / "canary.yml", place.outside / "canarz.yml"):  # a message may shorten them
        for value in values_of(flag, str(way)):
            place.write("plait.yml", {"runs": {"r": {command: {**NEEDED[command], name: value}}}})
            said.append(refused(place, STARTS[start], capfd).replace("canarz", "canary"))
    half = len(said) // 2
    assert said[:half] == said[half:]


# ---- servers and programs


@pytest.fixture
def server() -> Iterator[str]:
    """The address of a server that nobody may ask; the audit events show who does."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v.yml"


@pytest.fixture
def program(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """The file that a false sops writes when it is started."""
    bin = tmp_path / "bin"
    bin.mkdir()
    (bin / "sops").write_text(f"#!/bin/sh\ntouch {tmp_path}/started\necho 'a: 1'\n", "utf-8")
    (bin / "sops").chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin}{os.pathsep}{os.environ['PATH']}")
    return tmp_path / "started"


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(("command", "name", "flag"), SETTINGS_THAT_NAME)
def test_a_setting_of_a_run_asks_no_server(
    command: str,
    name: str,
    flag: Option | None,
    start: str,
    place: Place,
    server: str,
    capfd: pytest.CaptureFixture[str],
) -> None:
    place.write("steps.yml", {"steps": [{"render": {"files": ["a.yml"]}}]})
    place.write("t.test.yml", {"tests": {"t": {"run": "r", "has": "a"}}})
    for value in values_of(flag, server):
        place.write("plait.yml", {"runs": {"r": {command: {**NEEDED[command], name: value}}}})
        assert "no permission" in refused(place, STARTS[start], capfd) or start == "project"


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("command", ["render", "patch"])
def test_a_setting_of_a_run_starts_no_program(
    command: str, start: str, place: Place, program: pathlib.Path, capfd: pytest.CaptureFixture[str]
) -> None:
    place.write("t.test.yml", {"tests": {"t": {"run": "r", "has": "a"}}})
    for source in ("sops:a.yml", "k=sops:a.yml", f"exec:touch {program}", f"k=exec:touch {program}"):
        place.write("plait.yml", {"runs": {"r": {command: {**NEEDED[command], "secrets": [source]}}}})
        assert "no permission" in refused(place, STARTS[start], capfd) or start == "project"
        assert not program.exists()


# ---- other keys of a project file


def with_way(way: str) -> Mapping[str, list[object]]:
    """Project files in which a key leads out, by the key."""
    run = {"render": {"files": ["a.yml"]}}
    cells = {"render": {"files": ["{x.path}"]}}
    one = {"axes": {"x": [1]}}
    return {
        "steps": [{"steps": [{"render": {"files": [way]}}]}],
        "runs": [{"runs": {"r": {"steps": [{"render": {"files": [way]}}]}}}],
        "schemas": [{"runs": {"r": run}, "schemas": [way]}, {"runs": {"r": {**run, "schemas": [way]}}}],
        "tests": [
            {"runs": {"r": run}, "tests": {"t": {"render": {"files": [way]}, "has": "a"}}},
            {"runs": {"r": run}, "tests": {"t": {"run": "r", "same-as": {"file": way}}}},
        ],
        "matrix": [
            {"runs": {"r": {"matrix": {"environments": way}, "render": {"files": ["a.yml"]}}}},
            {"runs": {"r": {"matrix": {"axes": {"x": {"directories": way}}}, **run}}},
            {"runs": {"r": {"matrix": {"axes": {"x": {"files": f"{way}*"}}}, **cells}}},
            {"runs": {"r": {"matrix": {"axes": {"x": [way]}, "name": "r"}, "render": {"files": ["{x}"]}}}},
            {"runs": {"r": {"matrix": {"include": [{"x": way}], "name": "r"}, "render": {"files": ["{x}"]}}}},
        ],
        "output": [{"runs": {"r": {**run, "output": f"{way}/o"}}}, {"runs": {"r": {"matrix": {**one, "output": way}, **run}}}],
    }  # fmt: skip


# Keys that name nothing by themselves. A new key is added here, or above.
HARMLESS = {
    "lint",  # patterns that are compared, not searched
    *("base", "abstract", "description", *COMMANDS),
    *("axes", "environments", "exclude", "include", "name"),  # of a matrix: above
    *SOURCES,
}
IN_TESTS = {"same-as", *COMMANDS}
HARMLESS_IN_TESTS = {
    "count", "description", "each", "equals", "fails", "files", "has", "lacks", "limit", "matches", "ops", "run", "set",
    "snapshot", "types", "vars",
}  # fmt: skip


def test_every_key_is_tried() -> None:
    assert {*TOP, *RUN_KEYS, *KEYS, *SOURCES} == {*with_way(""), *HARMLESS}
    assert set(CASE_KEYS) == IN_TESTS | HARMLESS_IN_TESTS
    assert set(PATHS) == {"files", "site", "ops", "vars-files", "file", "schemas"}


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("key", with_way(""))
def test_a_key_of_a_project_file_names_nothing_outside(
    key: str, start: str, place: Place, capfd: pytest.CaptureFixture[str]
) -> None:
    words = [word for word in STARTS[start] if word != "r" or key != "steps"]
    before = place.entries()
    for way in WAYS.values():
        for data in with_way(way(place.outside))[key]:
            place.write("plait.yml", data)
            with watched(place.outside, place.repository / ".git") as found:
                main(words)
            told = capfd.readouterr()
            assert found == [], data
            assert "the-secret-of-others" not in told.out + told.err
            assert place.entries() == before


SITE = """\
schema: pegleg/SiteDefinition/v1
metadata: {schema: metadata/Document/v1, layeringDefinition: {abstract: false, layer: site}, name: in, storagePolicy: cleartext}
data: {site_type: t, repositories: {x: {url: nowhere}}}
"""
STEPS = [(kind, key, {key: "{way}"}) for kind in KINDS for key in settings_of(kind) if key in PATHS] + [  # other forms
    ("layer", "repositories", {"site": "in", "repositories": {"x": "{way}"}}),
    *((kind, "secrets", {"files": ["a.yml"], "secrets": ["file:{way}"]}) for kind in ("render", "overlay", "values")),
    *((kind, "sops", {"files": ["a.yml"], "secrets": ["sops:{way}"]}) for kind in ("render", "overlay", "values")),
]


@pytest.mark.parametrize(("kind", "key", "settings"), STEPS, ids=[f"{kind} {key}" for kind, key, _ in STEPS])
def test_a_step_of_a_pipeline_names_nothing_outside(
    kind: str, key: str, settings: dict[str, object], place: Place, capfd: pytest.CaptureFixture[str]
) -> None:
    (place.repository / "in" / "site-definition.yaml").write_text(SITE, "utf-8")
    for name, way in WAYS.items():
        if name == "home":  # which is no home directory here
            continue
        filled = json.loads(json.dumps(settings).replace("{way}", way(place.outside)))
        if kind in ("render", "merge") and key == "schemas":
            filled["files"] = ["a.yml"]
        first = {"render": {"files": ["a.yml"]}}
        place.write("steps.yml", {"steps": [first, {kind: filled}]})
        said = refused(place, ["compose", "steps.yml"], capfd)
        assert "no permission" in said, said
        with pytest.raises(PermissionDeniedError):
            plait.compose("steps.yml")


def test_a_tilde_is_a_name_in_a_pipeline(place: Place, capfd: pytest.CaptureFixture[str]) -> None:
    place.write("steps.yml", {"steps": [{"render": {"files": ["~/canary.yml"]}}]})
    assert "No such file" in refused(place, ["compose", "steps.yml"], capfd)


def test_a_pipeline_in_a_pipeline_has_no_more(place: Place, capfd: pytest.CaptureFixture[str]) -> None:
    place.write("in/inner.yml", {"steps": [{"render": {"files": ["../../outside/canary.yml"]}}]})
    place.write("steps.yml", {"steps": [{"compose": "in/inner.yml"}]})
    assert "no permission" in refused(place, ["compose", "steps.yml"], capfd)


# ---- the editor


@pytest.mark.parametrize("key", with_way(""))
def test_the_editor_looks_at_nothing_outside(key: str, place: Place) -> None:
    from plait.authoring.lsp.state import ServerState

    for way in WAYS.values():
        for data in with_way(way(place.outside))[key]:
            place.write("plait.yml", data)
            assert _opened(ServerState, place) == []


@pytest.mark.parametrize(("command", "name", "flag"), SETTINGS_THAT_NAME)
def test_the_editor_looks_at_nothing_that_a_setting_names_outside(
    command: str, name: str, flag: Option | None, place: Place, server: str, program: pathlib.Path
) -> None:
    from plait.authoring.lsp.state import ServerState

    for way in (*(one(place.outside) for one in WAYS.values()), server):
        for value in values_of(flag, way):
            place.write("plait.yml", {"runs": {"r": {command: {**NEEDED[command], name: value}}}})
            assert _opened(ServerState, place) == []
    assert not program.exists()


def _opened(state: type, place: Place) -> list[str]:
    """What happens outside when an editor opens the files of the repository."""
    from plait.authoring.lsp import completion, hover, navigation
    from plait.authoring.lsp.diagnostics import problems
    from plait.authoring.lsp.resource_schemas import find_faults

    server = state(lambda: None, find_faults)
    server.begin = lambda work: work()
    with watched(place.outside, place.repository / ".git") as found:
        for name in ("plait.yml", "a.yml"):
            path = str(place.repository / name)
            server.open(path, (place.repository / name).read_text("utf-8"))
            problems(server, path)
            for line in range(1, 8):
                hover.hover(server, path, line, 4)
                navigation.definition(server, path, line, 4)
                completion.complete(server, path, line, 4)
        server.look()
    return found


# ---- what the user grants


def test_what_is_typed_is_granted_and_nothing_beside_it(place: Place, capfd: pytest.CaptureFixture[str]) -> None:
    place.write("plait.yml", {"runs": {"r": {"render": {"files": ["a.yml"]}}}})
    (place.outside / "other.yml").write_text("b: 2\n", "utf-8")
    assert main(["run", "r", "-f", str(place.outside / "other.yml")]) == 0
    assert "b: 2" in capfd.readouterr().out
    place.write("plait.yml", {"runs": {"r": {"render": {"files": [str(place.outside / "canary.yml")]}}}})
    assert main(["run", "r", "-f", str(place.outside / "other.yml")]) == 1
    told = capfd.readouterr()
    assert "no permission" in told.err
    assert "the-secret" not in told.out + told.err


@pytest.mark.parametrize("how", ["--trust", "PLAIT_TRUST", "plait trust"])
def test_trust_grants_what_the_project_file_asks_for(
    how: str, place: Place, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write("plait.yml", {"runs": {"r": {"render": {"files": ["../outside/canary.yml"]}}}})
    words = ["run", "r"]
    if how == "--trust":
        words.append("--trust")
    elif how == "PLAIT_TRUST":
        monkeypatch.setenv("PLAIT_TRUST", f"/nowhere{os.pathsep}{place.repository.parent}")
    else:
        assert main(["trust", "--yes"]) == 0
    assert main(words) == 0
    assert CANARY in capfd.readouterr().out


def test_a_decision_holds_until_the_project_asks_for_more(place: Place, capfd: pytest.CaptureFixture[str]) -> None:
    data: dict[str, dict[str, object]] = {"runs": {"r": {"render": {"files": ["../outside/canary.yml"]}}}}
    place.write("plait.yml", data)
    assert main(["trust", "--yes"]) == 0
    data["runs"]["other"] = {"render": {"files": ["a.yml"]}}
    place.write("plait.yml", data)
    assert main(["run", "r"]) == 0
    (place.outside / "more.yml").write_text("b: 2\n", "utf-8")
    data["runs"]["r"] = {"render": {"files": ["../outside/canary.yml", "../outside/more.yml"]}}
    place.write("plait.yml", data)
    capfd.readouterr()
    assert main(["run", "r"]) == 1
    assert "more.yml" in capfd.readouterr().err
    assert main(["trust", "--revoke"]) == 0
    assert main(["run", "r"]) == 1


def test_without_a_terminal_nothing_is_granted(place: Place, capfd: pytest.CaptureFixture[str]) -> None:
    place.write("plait.yml", {"runs": {"r": {"render": {"files": ["../outside/canary.yml"]}}}})
    assert main(["trust"]) == 2
    assert "no terminal" in capfd.readouterr().err
    assert stored(str(place.repository)) == []


@pytest.mark.parametrize("access", ACCESSES)
def test_one_access_is_granted_by_name(access: str, place: Place, capfd: pytest.CaptureFixture[str]) -> None:
    name = (
        str(place.outside) if access in ("read", "write") else "sops" if access == "programs" else "https://example.com"
    )
    assert main(["trust", "--yes", f"--{access}", name]) == 0
    assert [one.key for one in stored(str(place.repository))] == [(access, name)]
    capfd.readouterr()
    assert main(["trust", "--list"]) == 0
    assert f"{access}  {name}" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--read", "../outside/canary.ymk"], 'does not exist; did you mean "'),
        (["--read", "../nowhere"], "does not exist"),
        (["--write", "../nowhere/out.yml"], "/nowhere does not exist"),
        (["--write", "../outside/new.yml"], ""),
        (["--network", "https://example.com"], ""),
    ],
)
def test_a_granted_path_that_does_not_exist_is_told(
    words: list[str], told: str, place: Place, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["trust", "--yes", *words]) == 0
    shown = capfd.readouterr().out
    assert shown.startswith(f"{place.repository} would get\n")
    assert (told in shown) if told else ("exist" not in shown)


# ---- the environment

# What makes a run put a variable into its output, by the setting that reads it; {} is the canary's name.
READERS: Mapping[str, Mapping[str, object]] = {
    "render data-values-env": {"files": ["shown.yml"], "data-values-env": ["CANARY"]},
    "render data-values-env-yaml": {"files": ["shown.yml"], "data-values-env-yaml": ["CANARY"]},
    "render data-values-env-all": {"files": ["shown.yml", "schema.yml"], "data-values-env-all": True},
    "patch vars-env": {"base": "base.yml", "vars-env": ["CANARY"]},
    "layer secrets-env": {"files": ["layered.yml"], "secrets-env": ["CANARY_"], "cleartext-secrets": True},
}
REFERENCE = "12345678-1234-1234-1234-123456789012"
OF_OTHERS = "a-variable-of-others"


@pytest.fixture
def readers(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    (place.repository / "shown.yml").write_text('#@ load("@ytt:data", "data")\na: #@ data.values.canary_x\n', "utf-8")
    (place.repository / "schema.yml").write_text('#@data/values-schema\n---\ncanary_x: ""\n', "utf-8")
    (place.repository / "base.yml").write_text("a: ((canary_x))\n", "utf-8")
    metadata = {"schema": "metadata/Document/v1", "name": "x", "layeringDefinition": {"layer": "a", "abstract": False}}
    policy = {"schema": "deckhand/LayeringPolicy/v1", "metadata": {"schema": "metadata/Control/v1", "name": "p"}}
    documents = [
        {**policy, "data": {"layerOrder": ["a"]}},
        {
            "schema": "a/B/v1",
            "metadata": {**metadata, "storagePolicy": "encrypted"},
            "data": f"https://barbican/v1/secrets/{REFERENCE}",
        },
    ]
    (place.repository / "layered.yml").write_text(yaml.safe_dump_all(documents), "utf-8")
    monkeypatch.setenv("CANARY_canary_x", OF_OTHERS)
    monkeypatch.setenv("CANARY_X", OF_OTHERS)
    monkeypatch.setenv("CANARY_" + REFERENCE.replace("-", "_"), OF_OTHERS)
    return place


def test_messages_name_no_variable_that_may_not_be_read(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_name", "a")
    monkeypatch.setenv("AP_name", "a")
    permissions = Permissions(str(place.repository), str(place.repository), [Need("environment", "APP_*")])
    with permitted(permissions):
        assert [name for name in names_of_variables() if name.startswith("AP")] == ["APP_name"]
    with permitted(None):
        assert {"APP_name", "AP_name"} <= {*names_of_variables()}


def test_every_setting_that_reads_the_environment_is_tried() -> None:
    declared = {
        f"{command} {name}" for command in COMMANDS for name, one in options_of(command).items() if one.environment
    }
    assert declared == set(READERS)


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("reader", READERS)
def test_a_setting_reads_no_variable(
    reader: str, start: str, readers: Place, capfd: pytest.CaptureFixture[str]
) -> None:
    command, _, _ = reader.partition(" ")
    readers.write("plait.yml", {"runs": {"r": {command: READERS[reader]}}, "tests": {"t": {"run": "r", "equals": {}}}})
    main(STARTS[start])
    told = capfd.readouterr()
    assert OF_OTHERS not in told.out + told.err
    assert not any(OF_OTHERS in path.read_text("utf-8") for path in readers.repository.rglob("*.yml"))
    if start in ("run", "fleet"):
        assert "no permission to read environment variables" in told.out + told.err


@pytest.mark.parametrize("reader", READERS)
def test_a_variable_is_read_where_the_user_says_so(
    reader: str, readers: Place, capfd: pytest.CaptureFixture[str]
) -> None:
    command, _, name = reader.partition(" ")
    readers.write("plait.yml", {"runs": {"r": {command: READERS[reader]}}})
    assert main(["run", "r", "--trust"]) == 0, capfd.readouterr().err
    assert main(["run", "r"]) == 1
    assert capfd.readouterr().out.count(f"{OF_OTHERS}\n") == 1
    rest = {key: value for key, value in READERS[reader].items() if key != name}
    readers.write("plait.yml", {"runs": {"r": {command: rest}}})
    value = READERS[reader][name]
    typed = [f"--{name}"] if value is True else [f"--{name}", *value]  # type: ignore[misc]
    assert main(["run", "r", *typed]) == 0


@pytest.mark.parametrize(
    ("granted", "wanted", "is_granted"),
    [
        ("AWS_*", "AWS_*", True), ("AWS_*", "AWS_KEY_*", True), ("AWS_*", "AWS_KEY", True), ("*", "AWS_*", True), ("*", "*", True),
        ("AWS_*", "AWS*", False), ("AWS_*", "*", False), ("AWS_KEY", "AWS_KEY", True), ("AWS_KEY", "AWS_KEY_2", False),
        ("AWS_KEY", "AWS_KEY*", False), ("AWS_*", "aws_key", False),
    ],
)  # fmt: skip
def test_a_prefix_grants_what_begins_with_it(granted: str, wanted: str, is_granted: bool) -> None:
    permissions = Permissions("/", "/", [Need("environment", granted)])
    assert permissions.grants(Need("environment", wanted)) is is_granted


def test_the_prefix_of_an_axis_asks_for_what_it_begins_with(readers: Place, capfd: pytest.CaptureFixture[str]) -> None:
    matrix = {"axes": {"env": ["CANARY"]}}
    run = {"matrix": matrix, "patch": {"base": "base.yml", "vars-env": ["CA{env}"]}}
    readers.write("plait.yml", {"runs": {"r": run}})
    assert main(["trust", "--yes"]) == 0
    assert [one.key for one in stored(str(readers.repository))] == [("environment", "CA*")]


# ---- limits


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_project_raises_no_limit_far_beyond_its_default(
    command: str, name: str, place: Place, capfd: pytest.CaptureFixture[str]
) -> None:
    place.write("steps.yml", {"steps": [{"render": {"files": ["a.yml"]}}]})
    default = TABLE[name][0]
    for value, is_free in ((default // 2 or 1, True), (default, True), (default * 8 + 1, name == "depth")):
        run = {command: {**NEEDED[command], "limit": f"{name}={int(value)}"}}
        place.write("plait.yml", {"runs": {"r": run}, "tests": {"t": {"run": "r"}}})
        main(["run", "r"])
        assert ("has no permission" in capfd.readouterr().err) is not is_free
    if name == "depth":  # has an absolute maximum
        return
    case = {command: NEEDED[command], "limit": {name: int(default * 8 + 1)}}
    case = {command: NEEDED[command], "limit": {name: int(default * 8 + 1)}}
    place.write("t.test.yml", {"tests": {"t": case}})
    main(["test"])
    assert "has no permission" in "".join(capfd.readouterr())
    main(["run", "r", "--trust"])
    assert "has no permission" not in capfd.readouterr().err
    assert main(["trust", "--yes"]) == 0
    assert [one.key for one in stored(str(place.repository))] == [("limits", f"{name}={int(default * 8 + 1)}")]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["quote-values", "allow-exec", "allow-symlink-output", "trust", "watch"])
def test_a_project_does_not_set(name: str, command: str, place: Place, capfd: pytest.CaptureFixture[str]) -> None:
    place.write("plait.yml", {"runs": {"r": {command: {**NEEDED[command], name: True}}}})
    assert main(["run", "r"]) == 2
    assert f'{command} has no setting "{name}"' in capfd.readouterr().err


def test_a_run_has_few_bases(place: Place, capfd: pytest.CaptureFixture[str]) -> None:
    runs: dict[str, object] = {"r0": {"render": {"files": ["a.yml"]}}}
    runs |= {f"r{number}": {"base": f"r{number - 1}"} for number in range(1, 3000)}
    place.write("plait.yml", {"runs": runs})
    assert main(["run", "r2999"]) == 2
    assert "has too many bases" in capfd.readouterr().err


@pytest.mark.parametrize(
    "words", [["run"], ["project"], ["lint"], ["test"], ["fleet"], ["coverage"], ["explain", "run"]]
)
def test_a_project_file_that_is_found_in_a_typed_directory_is_no_link_out(
    words: list[str], place: Place, capfd: pytest.CaptureFixture[str]
) -> None:
    (place.repository / "plait.yml").symlink_to(place.outside / "canary.yml")
    main(
        [*words, "."]
        if words == ["fleet"]
        else [words[0], *words[1:2], "--project", ".", *(["a"] if words[1:] else [])]
    )
    said = "".join(capfd.readouterr())
    assert "has no permission" in said
    assert CANARY.split()[0] not in said


def test_what_is_granted_is_shown_on_one_line(place: Place, capfd: pytest.CaptureFixture[str]) -> None:
    sources = ["a=exec:true\n  read  /nothing", "b=exec:true\r  harmless"]
    place.write("plait.yml", {"runs": {"r": {"render": {"files": ["a.yml"], "secrets": sources}}}})
    main(["trust"])
    rows = capfd.readouterr().out.splitlines()
    assert [row.split()[0] for row in rows[1:]] == ["programs", "programs"]


def test_a_decision_is_the_users_alone(place: Place) -> None:
    directory = os.path.realpath(place.repository)
    store(Decision(directory, [Need("programs", "sops")]))
    path = _decision_path(directory)
    assert path is not None
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stored(directory) != []
    os.chmod(path, 0o620)
    assert stored(directory) == []
    os.chmod(path, 0o600)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace('"sops"', '"exec:*"'))
    assert stored(directory) == []


# ---- where a project is


def test_the_search_for_a_project_file_ends_at_its_repository(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    (place.repository.parent / "plait.yml").write_text("runs: {r: {render: {files: [a.yml]}}}\n", "utf-8")
    assert find(str(place.repository)) is None
    (place.repository / ".git" / "config").unlink()
    (place.repository / ".git").rmdir()
    assert find(str(place.repository)) == str(place.repository.parent / "plait.yml")
    monkeypatch.setenv("HOME", str(place.repository))
    assert find(str(place.repository / "in")) is None


def test_a_repository_in_the_home_directory_is_no_checkout(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(place.repository))
    assert checkout_of(str(place.repository / "in")) == os.path.realpath(place.repository / "in")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root gives files to others")
@pytest.mark.parametrize("what", ["plait.yml", "."])
def test_a_project_file_of_another_user_is_refused(
    what: str, place: Place, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write("plait.yml", {"runs": {"r": {"render": {"files": ["a.yml"]}}}})
    place.write("t.test.yml", {"tests": {"t": {"run": "r", "has": "a"}}})
    os.chown(place.repository / what, 4711, -1)
    for start in STARTS.values():
        main(start)
        told = capfd.readouterr()
        assert "belongs to another user" in told.err, start
    monkeypatch.setenv("SUDO_UID", "4711")
    assert main(["run", "r"]) == 0
    monkeypatch.delenv("SUDO_UID")
    assert main(["run", "r"]) == 1
    monkeypatch.setenv("PLAIT_TRUST", str(place.repository))
    assert main(["run", "r"]) == 0
    monkeypatch.delenv("PLAIT_TRUST")
    assert main(["trust", "--yes"]) == 0
    assert main(["run", "r"]) == 0


def test_a_project_file_that_is_a_link_out_is_refused(place: Place, capfd: pytest.CaptureFixture[str]) -> None:
    (place.repository / "plait.yml").symlink_to(place.outside / "canary.yml")
    for start in STARTS.values():
        assert "no permission" in refused(place, start, capfd)


# ---- writing


def test_explaining_writes_no_variables_store(place: Place, capfd: pytest.CaptureFixture[str]) -> None:
    (place.repository / "b.yml").write_text("p: ((p))\nvariables: [{name: p, type: password}]\n", "utf-8")
    place.write("plait.yml", {"runs": {"r": {"patch": {"base": "b.yml", "vars-store": "store.yml"}}}})
    for name in ("explain", "impact", "lint", "test", "coverage", "set"):
        words = ["explain", "run", "r", "p"] if name == "explain" else STARTS[name]
        main(words)
        capfd.readouterr()
        assert not (place.repository / "store.yml").exists(), name
    assert main(["run", "r"]) == 0
    assert (place.repository / "store.yml").exists()


@pytest.mark.parametrize("name", [".", "in/..", "../repository"])
def test_a_repository_is_not_emptied(
    name: str, place: Place, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write(
        "plait.yml", {"runs": {"r": {"render": {"files": ["a.yml"], "dangerous-emptied-output-directory": name}}}}
    )
    monkeypatch.chdir(place.repository.parent)
    assert main(["run", "--project", "repository", "r"]) != 0
    capfd.readouterr()
    assert (place.repository / "link.yml").is_symlink()


@pytest.mark.skipif(sys.platform == "win32", reason="names of other systems")
@pytest.mark.parametrize("name", sorted(commands()))
def test_no_command_of_a_typed_line_is_restricted(name: str) -> None:
    """What is typed without a project file is permitted: the check is one test for None."""
    from plait.base.input_view import current_permissions

    assert name
    assert current_permissions() is None


# ---- found by a review


def test_a_grant_does_not_follow_a_link_that_is_moved(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A decision is about the place that was shown, not about a link in the repository that leads there today."""
    top = tmp_path / "top"
    (top / ".git").mkdir(parents=True)
    for name in ("shown", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "v.yml").write_text(f"k: {name}\n", "utf-8")
    (top / "link").symlink_to(tmp_path / "shown")
    (top / "a.yml").write_text('#@ load("@ytt:data", "data")\nv: #@ data.values.k\n', "utf-8")
    (top / "plait.yml").write_text("runs: {a: {render: {files: a.yml, data-values-file: link/v.yml}}}\n", "utf-8")
    monkeypatch.chdir(top)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert main(["trust", "--yes"]) == 0
    assert main(["run", "a"]) == 0
    (top / "link").unlink()
    (top / "link").symlink_to(tmp_path / "other")
    assert main(["run", "a"]) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
@pytest.mark.parametrize(
    "run",
    [
        "{patch: {base: pipe}}",
        "{patch: {base: a.yml, ops: pipe}}",
        "{patch: {base: a.yml, vars-files: pipe}}",
        "{render: {files: pipes}}",
        "{render: {files: a.yml, data-values-file: pipe}}",
        "{render: {files: a.yml, schema: pipe}}",
        "{render: {files: a.yml, check-output: pipe}}",
        "{layer: {files: pipe}}",
        "{compose: {file: pipe}}",
    ],
)
def test_a_pipe_that_a_project_names_is_not_waited_for(run: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "pipes").mkdir()
    (tmp_path / "a.yml").write_text("a: 1\n", "utf-8")
    (tmp_path / "plait.yml").write_text(f"runs: {{a: {run}}}\n", "utf-8")
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / "pipes" / "p.yml")
    done = subprocess.run(
        [sys.executable, "-m", "plait", "run", "a"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    assert done.returncode in (1, 2)
    assert "internal error" not in done.stderr


@pytest.mark.parametrize(
    "text", ["runs: [", "nonsense: 1\n", "runs: {w: {rendr: {files: [a]}}}\n", "", "[1]", "runs: {n: {render: {}}}\n"]
)
def test_a_file_that_is_not_valid_is_not_said_to_ask_for_nothing(
    text: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plait.yml").write_text(text, "utf-8")
    assert main(["trust", "--yes"]) in (1, 2)
    told = capsys.readouterr()
    assert told.out == ""
    assert "plait.yml:1" in told.err
