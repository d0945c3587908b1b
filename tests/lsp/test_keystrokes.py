"""The work for a keystroke: one evaluation without a trace, which reuses what the edit does not change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from workshop import TEMPLATES, Workshop, workshop

from files import write_files
from patience import LONGEST
from plait.authoring.lsp import diagnostics, hover, state
from plait.authoring.lsp.evaluation import Evaluation, evaluate
from plait.base.fast_paths import FAST
from plait.ytt.workspace import inputs
from plait.ytt.workspace.shared_files import INPUTS
from plait.ytt.workspace.shared_files import TEMPLATES as REUSED

OTHERS = {
    f"config/other{number}.yml": f'#@ load("@ytt:data", "data")\n---\nkind: Other\nname: #@ data.values.app.port\nnumber: {number}\n'
    for number in range(20)
}
FILES = {**TEMPLATES, **OTHERS}
# The file, a text in it, and texts in its place, as they are typed.
EDITS = [
    pytest.param("prod.yml", "name: prod", ["name: prod1", "name: prod12", "name: prod123"], id="values"),
    pytest.param("config/app.yml", "x + suffix", ['x + "1"', 'x + "12"', 'x + "123"'], id="template"),
    pytest.param("config/over.yml", "replicas: 7", ["replicas: 71", "replicas: 712", "replicas: 7123"], id="overlay"),
]


class Counts:
    """The evaluations of a server, and the files that it read."""

    def __init__(self, shop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
        self.shop = shop
        self.traced = self.untraced = 0
        self.read: list[str] = []
        read = inputs._read_file

        def counted(*given: object, is_traced: bool = True) -> Evaluation:
            if is_traced:
                self.traced += 1
            else:
                self.untraced += 1
            return evaluate(*given, is_traced=is_traced)  # type: ignore[arg-type]

        def noted(path: str, *given: object) -> bytes:
            self.read.append(Path(path).name)
            return read(path, *given)

        monkeypatch.setattr(state, "evaluate", counted)
        monkeypatch.setattr(inputs, "_read_file", noted)

    def type(self, name: str, text: str) -> Evaluation:
        """Changes an open file. Returns the next evaluation of the run."""
        watched = self.shop.state.runs_of(self.shop.path(name))[0]
        before = watched.evaluation
        self.shop.state.open(self.shop.path(name), text)
        with self.shop.state._news:
            assert self.shop.state._news.wait_for(lambda: watched.evaluation is not before, LONGEST)
        assert watched.evaluation is not None
        return watched.evaluation


@pytest.fixture
def counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Counts]:
    with workshop(tmp_path, FILES) as shop:
        found = Counts(shop, monkeypatch)
        yield found


@pytest.mark.skipif(not FAST, reason="nothing is shared without passes for speed")
@pytest.mark.parametrize(("name", "old", "typed"), EDITS)
def test_a_keystroke_evaluates_what_it_changes(counts: Counts, name: str, old: str, typed: list[str]) -> None:
    counts.shop.open(name)
    counts.shop.state.pause = LONGEST
    counts.type(name, FILES[name].replace(old, typed[0]))  # fills the shared results
    counts.type(name, FILES[name].replace(old, typed[1]))
    counts.shop.state._engine.statistics()
    counts.traced = counts.untraced = 0
    counts.read.clear()
    evaluation = counts.type(name, FILES[name].replace(old, typed[2]))
    assert evaluation.documents is not None
    assert typed[2].strip('x +"').rpartition(" ")[2] in evaluation.documents.to_yaml()
    assert (counts.traced, counts.untraced) == (0, 1)
    assert {*counts.read} <= {Path(name).name, "prod.yml"}  # which the run names
    found = counts.shop.state._engine.statistics()
    assert found[INPUTS][1] <= 1
    assert found[REUSED][1] <= 2
    assert found[REUSED][0] >= len(OTHERS)


@pytest.mark.parametrize(("name", "old", "typed"), EDITS)
def test_a_pause_or_a_request_traces_the_newest_text(counts: Counts, name: str, old: str, typed: list[str]) -> None:
    path = counts.shop.open(name)
    watched = counts.shop.state.runs_of(path)[0]
    counts.shop.state.pause = LONGEST
    counts.traced = 0
    for text in typed:
        assert counts.type(name, FILES[name].replace(old, text)) is not watched.good
    assert counts.traced == 0
    counts.shop.state.wait_for_trace(path, LONGEST)
    assert counts.traced == 1
    assert watched.good is watched.evaluation
    line = FILES[name][: FILES[name].index(old)].count("\n") + 1
    asked = hover.hover(counts.shop.state, path, line, 3), diagnostics.problems(counts.shop.state, path)
    with workshop(counts.shop.top, {}) as fresh:
        fresh.open(name, FILES[name].replace(old, typed[-1]))
        assert asked == (hover.hover(fresh.state, path, line, 3), diagnostics.problems(fresh.state, path))
    counts.shop.state.pause = 0.0
    counts.type(name, FILES[name])
    counts.shop.wait()
    assert watched.good is watched.evaluation
    assert counts.traced >= 2


def test_a_request_does_not_wait_for_a_run_that_fails(counts: Counts) -> None:
    path = counts.shop.open("config/app.yml")
    watched = counts.shop.state.runs_of(path)[0]
    good = watched.good
    counts.shop.state.pause = LONGEST
    evaluation = counts.type(
        "config/app.yml", FILES["config/app.yml"].replace("data.values.replicas", "data.values.no")
    )
    assert evaluation.error is not None
    assert any(
        "no field or method" in one.message or ".no" in one.message
        for one in diagnostics.problems(counts.shop.state, path)
    )
    assert watched.is_failing
    assert watched.good is good


def test_files_that_change_on_disk_are_read_by_the_next_evaluation(counts: Counts) -> None:
    path = counts.shop.open("config/app.yml")
    counts.shop.state.pause = LONGEST
    counts.type("config/app.yml", FILES["config/app.yml"].replace('"web"', '"one"'))
    write_files(counts.shop.top, {"prod.yml": "replicas: 3\napp:\n  name: changed\n", "config/new.yml": "kind: New\n"})
    watched = counts.shop.state.runs_of(path)[0]
    before = watched.evaluation
    counts.shop.state.touch(counts.shop.path("prod.yml"))
    counts.shop.state.touch(counts.shop.path("config/new.yml"), has_come_or_gone=True)
    counts.shop.state.wait_for_trace(path, LONGEST)
    assert watched.evaluation is not before
    assert watched.evaluation is not None
    assert watched.evaluation.documents is not None
    text = watched.evaluation.documents.to_yaml()
    assert "changeda" in text
    assert "kind: New" in text
