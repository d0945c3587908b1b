"""`plait.Engine`: calls in its block share what they have in common, and have the results of calls outside of it."""

from __future__ import annotations

import asyncio
import pathlib
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Literal

import pytest

import plait
from incremental import Program
from plait.base import trust
from plait.base.fast_paths import FAST
from plait.base.permissions import Need

SCHEMA = "#@data/values-schema\n---\nname: web\ncount: 1\n"
APP = '#@ load("@ytt:data", "data")\n#@ load("@ytt:assert", "assert")\n---\nkind: App\nname: #@ data.values.name\n'
SIZE = '#@ load("@ytt:data", "data")\n---\nkind: Size\ncount: #@ data.values.count\n'
FAILS = '#@ load("@ytt:data", "data")\n---\nlist: #@ [1, 2][data.values.count]\n'
CONFIG = {"schema.yml": SCHEMA, "app.yml": APP, "size.yml": SIZE}
OPERATIONS = {"ops.yml": "- {type: replace, path: /a, value: ((b))}\n"}
LAYERS = pathlib.Path(__file__).parents[2] / "examples" / "layer"

needs_sharing = pytest.mark.skipif(not FAST, reason="nothing is shared without passes for speed")


@pytest.fixture
def config(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    directory = tmp_path / "config"
    directory.mkdir()
    for name, text in CONFIG.items():
        (directory / name).write_text(text, "utf-8")
    (tmp_path / "plait.yml").write_text("runs: {app: {render: {files: [config]}}}\n", "utf-8")
    return directory


def shown(call: Callable[[], plait.Documents]) -> object:
    """What a caller sees of a call: its texts and messages, or its error."""
    try:
        made = call()
    except plait.PlaitError as error:
        return error.code, error.report()
    files = dict(made.files) if isinstance(made, plait.Rendered) else None
    return made.to_yaml(), files, made.warnings, made.printed


# A call of each function that shares, and each way to pass inputs; n differs from call to call.
CALLS: Mapping[str, Callable[[int], plait.Documents]] = {
    "directory": lambda n: plait.render("config", values={"count": n}),
    "files": lambda _: plait.render(["config/size.yml", "config/schema.yml"]),
    "texts": lambda n: plait.render(CONFIG, values={"count": n}),
    "another text": lambda n: plait.render({**CONFIG, "size.yml": SIZE + f"n: {n}\n"}),
    "texts and paths": lambda n: plait.render([{"first.yml": f"n: {n}"}, "config"]),
    "documents": lambda n: plait.render(["config", plait.documents([{"n": n}])]),
    "documents by name": lambda n: plait.render(["config", {"n.yml": plait.documents([{"n": n}])}]),
    "an iterator": lambda n: plait.render(iter(["config"]), values={"count": n}),
    "values files": lambda n: plait.render("config", values_files={"v.yml": f"count: {n}"}),
    "environment": lambda n: plait.render("config", environment={"name": f"e{n}"}),
    "secrets": lambda n: plait.render("config", secrets={"name": f"secret-{n}"}),
    "merge": lambda n: plait.render("config", merge={"m.yml": f"kind: Size\ncount: {n}"}),
    "marks": lambda n: plait.render("config", file_marks=["app.yml:exclude=true"], values={"count": n}),
    "format": lambda _: plait.render({"plain.yml": "a:   1  # kept\n"}, keep_format=True),
    "trace": lambda n: plait.render("config", values={"count": n}, trace=True),
    "limits": lambda n: plait.render("config", values={"count": n}, limits={"steps": 10_000}),
    "too few steps": lambda _: plait.render({"l.yml": "#@ for n in range(100):\n---\nn: #@ n\n#@ end\n"}, limits={"steps": 50}),
    "an error": lambda n: plait.render({**CONFIG, "fails.yml": FAILS}, values={"count": n}),
    "a wrong value": lambda n: plait.render("config", values={"cuont": n}),
    "a missing file": lambda _: plait.render("confg"),
    "patch": lambda n: plait.patch({"a.yml": "a: 1"}, OPERATIONS, variables={"b": n}),
    "patch that fails": lambda _: plait.patch({"a.yml": "b: 1"}, OPERATIONS),
    "layer": lambda _: plait.layer(LAYERS),
    "compose": lambda n: plait.compose({"p.yml": f"steps: [{{values: {{set: {{a: {n}}}}}}}]"}),
    "run": lambda _: plait.run(".", "app"),
    "run of a project": lambda _: plait.project(".").run("app"),
    "diff": lambda n: plait.documents([{"n": one.after} for one in plait.diff({"a.yml": "a: 0"}, {"a.yml": f"a: {n + 1}"})]),
}  # fmt: skip


@pytest.mark.parametrize("reuse", [True, False])
@pytest.mark.usefixtures("config")
def test_calls_have_the_results_of_calls_outside(reuse: bool) -> None:
    order = [(name, n) for n in (0, 1, 1, 2) for name in CALLS] + [(name, 1) for name in reversed([*CALLS])]
    with plait.Engine(reuse=reuse):
        inside = [shown(lambda name=name, n=n: CALLS[name](n)) for name, n in order]  # type: ignore[misc]
    for (name, n), found in zip(order, inside, strict=True):
        assert found == shown(lambda name=name, n=n: CALLS[name](n)), (name, n)  # type: ignore[misc]


@pytest.mark.parametrize("seed", range(6))
def test_random_programs_with_edits(seed: int, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program = Program(Random(seed), tmp_path)
    engine = plait.Engine()
    for number in range(15):
        program.edit()
        program.environment(number)
        texts = {
            str(path): path.read_text("utf-8") for one in program.inputs for path in sorted(files_of(pathlib.Path(one)))
        }
        for inputs in (program.inputs, texts):
            with engine:
                found = shown(lambda inputs=inputs: plait.render(inputs))  # type: ignore[misc]
            assert found == shown(lambda inputs=inputs: plait.render(inputs)), number  # type: ignore[misc]


def files_of(path: pathlib.Path) -> Iterator[pathlib.Path]:
    return iter([path]) if path.is_file() else path.rglob("*.*")


@needs_sharing
@pytest.mark.untraced
def test_only_the_templates_that_read_a_changed_value_are_evaluated(config: pathlib.Path) -> None:
    with plait.Engine() as engine:
        plait.render("config", values={"count": 1})
        assert engine.statistics()["templates"] == plait.Counts(reused=0, new=2)
        plait.render("config", values={"count": 2})
        assert engine.statistics()["templates"] == plait.Counts(reused=1, new=1)
        plait.render(CONFIG)
        engine.statistics()
        plait.render({**CONFIG, "size.yml": SIZE + "more: 1\n"})
        assert engine.statistics()["templates"] == plait.Counts(reused=1, new=1)
        plait.run(".", "app")
        plait.run(".", "app")
        assert engine.statistics()["templates"] == plait.Counts(reused=2, new=2)
        (config / "app.yml").write_text(APP + "more: 1\n", "utf-8")
        assert plait.run(".", "app").value("more") == 1
        assert engine.statistics()["templates"] == plait.Counts(reused=1, new=1)
    plait.render("config")
    assert engine.statistics() == {}


@pytest.mark.usefixtures("config")
def test_threads_and_tasks_use_one_engine() -> None:
    engine = plait.Engine()

    def call(n: int) -> str:
        with engine:
            return plait.render("config", values={"count": n % 5}).to_yaml()

    expected = [plait.render("config", values={"count": n % 5}).to_yaml() for n in range(40)]
    with ThreadPoolExecutor(8) as pool:
        assert [*pool.map(call, range(40))] == expected

    async def tasks() -> list[str]:
        with engine:
            found = await asyncio.gather(*(plait.arender("config", values={"count": n % 5}) for n in range(40)))
        return [one.to_yaml() for one in found]

    assert asyncio.run(tasks()) == expected


@pytest.mark.usefixtures("config")
def test_events_of_calls() -> None:
    events: list[plait.Event] = []
    with plait.Engine(on_event=events.append):
        plait.render("config")
        plait.run(".", "app")
        with pytest.raises(plait.OpsError) as caught:
            plait.patch({"a.yml": "b: 1"}, OPERATIONS)
        with pytest.raises(TypeError):
            plait.render(3)  # type: ignore[arg-type]
    plait.render("config")
    assert [(one.kind, one.function, one.call) for one in events] == [
        (kind, function, call)
        for call, function in enumerate(("render", "run", "patch", "render"), 1)
        for kind in ("started", "finished")
    ]
    assert [type(one.error) for one in events[1::2]] == [type(None), type(None), plait.OpsError, TypeError]
    assert events[5].error is caught.value
    assert all(one.seconds > 0 for one in events[1::2])


def test_a_cancelled_task_ends_with_an_event() -> None:
    events: list[plait.Event] = []
    told = {"started": threading.Event(), "finished": threading.Event()}

    def tell(event: plait.Event) -> None:
        events.append(event)
        told[event.kind].set()

    stuck = {"stuck.yml": "#@ for n in range(1 << 30):\n#@   x = [n, n]\n#@ end\n"}

    async def work() -> None:
        with plait.Engine(on_event=tell):
            task = asyncio.create_task(plait.arender(stuck, limits={"steps": 1 << 50}))
            await asyncio.to_thread(told["started"].wait)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.to_thread(told["finished"].wait)

    asyncio.run(work())
    assert [one.kind for one in events] == ["started", "finished"]
    assert isinstance(events[1].error, plait.LimitError)


@needs_sharing
@pytest.mark.untraced
@pytest.mark.usefixtures("config")
def test_the_innermost_engine_is_used() -> None:
    with plait.Engine() as outer:
        with plait.Engine() as inner:
            plait.render("config")
        assert inner.statistics()["templates"].new == 2
        plait.render("config", isolated=True)
        assert outer.statistics().get("templates", plait.Counts(0, 0)).new == 0
        plait.render("config")
        assert outer.statistics()["templates"].new == 2


SHARED = "runs: {app: {render: {files: [config, ../shared.yml]}}}\n"
ENVIRONMENT = "runs: {app: {render: {files: [config], data-values-env: [APP]}}}\n"


@pytest.mark.parametrize(
    ("project", "access", "name"), [(SHARED, "read", "../shared.yml"), (ENVIRONMENT, "environment", "APP_*")]
)
@pytest.mark.usefixtures("config")
def test_permissions_of_projects_are_those_of_the_engine(
    project: str, access: Literal["read", "environment"], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pathlib.Path("../shared.yml").write_text("kind: Shared\n", "utf-8")
    monkeypatch.setenv("APP_name", "e")
    pathlib.Path("plait.yml").write_text(project, "utf-8")
    with plait.Engine(permissions={}), pytest.raises(plait.PermissionDeniedError) as caught:
        plait.run(".", "app")
    assert f"plait.Engine(permissions={{{access!r}: [" in str(caught.value.hint)
    with plait.Engine(permissions={access: [name]}):
        assert "App" in plait.run(".", "app").to_yaml()
        with plait.Engine(permissions={}), pytest.raises(plait.PermissionDeniedError):
            plait.project(".").run("app")
        plait.run(".", "app")
    with pytest.raises(plait.PermissionDeniedError) as caught:  # no decision of the user
        plait.run(".", "app")
    assert "plait trust" in str(caught.value.hint)


def test_the_stored_decision_is_the_default_and_is_not_used_beside_permissions(
    config: pathlib.Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
    pathlib.Path("../shared.yml").write_text("kind: Shared\n", "utf-8")
    pathlib.Path("plait.yml").write_text(SHARED, "utf-8")
    shared = str((config.parent.parent / "shared.yml").resolve())
    trust.store(trust.Decision(str(config.parent.resolve()), [Need("read", shared)]))
    with plait.Engine():
        assert "Shared" in plait.run(".", "app").to_yaml()
    with plait.Engine(permissions={}), pytest.raises(plait.PermissionDeniedError):
        plait.run(".", "app")


def test_permissions_that_do_not_exist() -> None:
    with pytest.raises(ValueError, match="unknown access 'reads', expected one of read, write, network"):
        plait.Engine(permissions={"reads": []})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="a list of names"):
        plait.Engine(permissions={"read": "/srv"})
