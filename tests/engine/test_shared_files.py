"""Inputs that evaluations of one process share, file by file."""

from __future__ import annotations

import gc
from pathlib import Path
from threading import Thread

import pytest

from files import write_files
from plait.base.fast_paths import FAST
from plait.base.input_view import InputView, use_view
from plait.base.memory_cache import MemoryCache
from plait.base.recent import Recent
from plait.cli.tools import table
from plait.engine.incremental import Engine
from plait.engine.results import Documents
from plait.engine.world import World, evaluate
from plait.insight.node_paths import all_places
from plait.tree.provenance import Trace

pytestmark = [pytest.mark.untraced, pytest.mark.skipif(not FAST, reason="nothing is shared without passes for speed")]

FILES = {
    "config/app.yml": '#@ load("@ytt:data", "data")\n#@ load("f.star", "f")\n---\na: #@ f(data.values.name)\n',
    "config/f.star": "def f(x):\n  return [x, 1]\nend\n",
    "config/over.yml": (
        '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=lambda i, l, r: True, expects="1+"\n---\n'
        "#@overlay/match missing_ok=True\nb: #@ [1 for x in range(3)]\n"
    ),
    "config/plain.yml": "c: 1\n",
    "config/schema.yml": "#@data/values-schema\n---\nname: ''\n",
    "one.yml": "#@data/values\n---\nname: one\n",
    "two.yml": "#@data/values\n---\nname: two\n",
}


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)


def made(engine: Engine | None, *words: str, view: InputView | None = None) -> Documents:
    return evaluate(table("render").parse(words), World(view=view, engine=engine))


def values(engine: Engine, *words: str) -> list[object]:
    return [one.value for one in made(engine, *words).nodes.items]


def test_lists_that_differ_in_one_file_share_the_others() -> None:
    engine = Engine(reads_once=True)
    first = made(engine, "-f", "config/plain.yml", "-f", "one.yml").nodes.items[0].value
    second = made(engine, "-f", "config/plain.yml", "-f", "two.yml").nodes.items[0].value
    assert first is second


def test_a_directory_is_shared_by_lists_that_go_on_in_another_way() -> None:
    engine = Engine(reads_once=True)
    for name in ("one", "two"):
        assert f"- {name}" in made(engine, "-f", "config", "-f", f"{name}.yml").to_yaml()
    shared = engine.part().files(frozenset())
    views = [InputView(), InputView()]
    for name, view in zip(("one", "two"), views, strict=True):
        made(engine, "-f", "config", "-f", f"{name}.yml", view=view)
    assert {path.rpartition("/")[2] for path in views[0].files.keys() ^ views[1].files.keys()} == {"one.yml", "two.yml"}
    assert shared.evaluation == 4


def test_an_evaluation_with_histories_shares_what_was_read() -> None:
    Path("config/same.yml").write_text("---\nport: #@ 80 + 1\n", "utf-8")

    def histories(engine: Engine | None) -> object:
        trace = Trace()
        request = table("render").parse(["-f", "config", "-f", "one.yml"])
        documents = evaluate(request, World(engine=engine), trace).nodes.items
        return [
            (place.path, [(str(one.position), change and change.line) for one, change in trace.versions(place.item)])
            for place in all_places(documents, {})
        ]

    engine = Engine(reads_once=True)
    for _ in range(3):  # the last one knows templates that have the same result each time
        made(engine, "-f", "config", "-f", "one.yml")
    assert engine.statistics()["inputs"][1] == 7
    assert histories(engine) == histories(engine) == histories(None)
    assert engine.statistics()["inputs"] == (14, 0)


@pytest.mark.parametrize("reads_once", [True, False])
def test_files_are_read_again_unless_they_are_read_once(*, reads_once: bool) -> None:
    engine = Engine(reads_once=reads_once)
    before = made(engine, "-f", "config/plain.yml").to_yaml()
    Path("config/plain.yml").write_text("c: 2\n", "utf-8")
    Path("config/new.yml").write_text("d: 1\n", "utf-8")
    assert (made(engine, "-f", "config/plain.yml").to_yaml() == before) is reads_once
    engine.refresh()
    assert made(engine, "-f", "config/plain.yml").to_yaml() == "c: 2\n"
    assert "d: 1" in made(engine, "-f", "config", "-f", "one.yml").to_yaml()


def test_equal_content_is_read_again_and_stays_parsed() -> None:
    engine = Engine()
    before = values(engine, "-f", "config/plain.yml")
    view = InputView()
    again = made(engine, "-f", "config/plain.yml", view=view).nodes.items
    assert before[0] is again[0].value
    assert [*view.files.values()] == [b"c: 1\n"]


def test_a_text_of_the_view_is_seen_by_its_evaluation_alone() -> None:
    engine = Engine(reads_once=True)
    path = str(Path("config/plain.yml").resolve())
    found = [
        made(engine, "-f", "config/plain.yml", view=InputView(texts)).to_yaml() for texts in ({}, {path: b"c: 3\n"}, {})
    ]
    assert found == ["c: 1\n", "c: 3\n", "c: 1\n"]
    new = str(Path("config/z.yml").resolve())
    with_new = made(engine, "-f", "config", "-f", "one.yml", view=InputView({new: b"z: 1\n"})).to_yaml()
    assert with_new.endswith("z: 1\nb:\n- 1\n- 1\n- 1\n")
    assert "z: 1" not in made(engine, "-f", "config", "-f", "one.yml").to_yaml()


def test_a_file_of_values_that_is_an_input_too_keeps_what_messages_show() -> None:
    engine = Engine(reads_once=True)
    Path("bad.yml").write_text("name: [\n", "utf-8")
    errors = []
    for words in (["-f", "bad.yml"], ["-f", "config", "-d", "bad.yml"], ["-f", "bad.yml"]):
        with pytest.raises(Exception) as caught:  # noqa: PT011 - each of a type of its own
            made(engine, *words)
        errors.append(str(caught.value))
        with pytest.raises(type(caught.value)) as fresh:
            made(None, *words)
        assert errors[-1] == str(fresh.value)
    assert errors[0] == errors[2]


@pytest.mark.parametrize("limit", ["nesting=2", "input=10", "entries=2", "aliases=0"])
def test_a_run_with_narrower_limits_reads_for_itself(limit: str) -> None:
    engine = Engine(reads_once=True)
    Path("config/plain.yml").write_text("c: &a [[[1, 2, 3, 4]]]\nd: *a\n", "utf-8")
    words = ["-f", "config", "-f", "one.yml"]
    made(engine, *words)
    with pytest.raises(Exception, match="limit"):
        made(engine, *words, "--limit", limit)
    made(engine, *words)


def test_an_evaluation_during_another_shares_nothing() -> None:
    engine = Engine(reads_once=True)
    shared = engine.part().files(frozenset())
    assert shared.begin()
    found: list[str] = []
    thread = Thread(target=lambda: found.append(made(engine, "-f", "config", "-f", "two.yml").to_yaml()))
    thread.start()
    thread.join()
    shared.end()
    assert found == [made(None, "-f", "config", "-f", "two.yml").to_yaml()]


def test_threads_may_use_one_engine() -> None:
    engine = Engine()
    expected = {limit: made(None, "-f", "config", "-f", "two.yml", "--limit", limit).to_yaml() for limit in _WIDTHS}
    found: list[bool] = []

    def work() -> None:
        for limit in _WIDTHS * 2:
            again = made(engine, "-f", "config", "-f", "two.yml", "--limit", limit).to_yaml()
            found.append(again == expected[limit])

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 4 * 2 * len(_WIDTHS)


# More than an engine has parts.
_WIDTHS = [f"items={number}" for number in range(1000, 1007)]


@pytest.mark.parametrize("shares", [False, True])
def test_an_evaluation_leaves_no_cycles(*, shares: bool) -> None:
    request = table("render").parse(["-f", "config", "-f", "one.yml"])
    world = World(engine=Engine(reads_once=True)) if shares else World(cache=MemoryCache())
    for _ in range(3):  # the first ones compile
        evaluate(request, world)
    gc.collect()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        evaluate(request, world)
        assert gc.collect() == 0
    finally:
        if was_enabled:
            gc.enable()


def test_what_two_generations_do_not_use_is_dropped() -> None:
    recent: Recent[str, int] = Recent()
    recent["a"], recent["b"] = 1, 2
    recent.end_generation()
    assert recent.find("a") == 1
    recent.end_generation()
    assert (recent.find("a"), recent.find("b")) == (1, None)


def test_memory_is_bounded() -> None:
    engine = Engine(reads_once=True)
    shared = engine.part().files(frozenset())
    Path("own").mkdir()
    for number in range(40):
        Path(f"own/{number}.yml").write_text(f"#@data/values\n---\nname: n{str(number) * 30_000}\n", "utf-8")
        with use_view(InputView()):
            made(engine, "-f", "config", "-f", f"own/{number}.yml")
    assert len(shared._listings) + len(shared._listings._before) < 30
