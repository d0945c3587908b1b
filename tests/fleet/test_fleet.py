"""Fleets: which runs a matrix makes, where their results go, and what becomes of them whatever happens meanwhile."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from files import write_files
from patience import LONGEST, wait_until_ended
from plait.authoring.project import file as project_file
from plait.base.errors import PlaitError, UsageError
from plait.base.fast_paths import FAST
from plait.base.input_view import InputView
from plait.base.limits import Limits, budget_scope
from plait.cli import main
from plait.engine.incremental import Engine
from plait.fleet.api import fleet
from plait.fleet.cached_results import Results
from plait.fleet.destinations import place_of
from plait.fleet.manifest_lines import parsed
from plait.fleet.plan import tasks_of
from plait.fleet.progress import NullReporter
from plait.fleet.run_result import RunResult

if TYPE_CHECKING:
    from collections.abc import Callable

FILES = {
    "config/app.yml": '#@ load("@ytt:data", "data")\n---\nregion: #@ data.values.region\nsize: #@ data.values.size\n',
    "config/schema.yml": "#@data/values-schema\n---\nregion: ''\nsize: 0\n",
    "sites/paris/values.yml": "size: 1\n",
    "sites/lyon/values.yml": "size: 2\n",
    "plait.yml": """\
runs:
  app:
    matrix:
      axes: {region: [eu, us], site: {directories: sites}}
      exclude: [{region: us, site: lyon}]
      include: [{region: ap, site: paris}]
      output: "{region}/{site}/"
    render:
      files: [config]
      data-values-file: "{site.path}/values.yml"
      set: {region: "{region}"}
""",
}
PLACES = ["eu/lyon", "eu/paris", "us/paris", "ap/paris"]


def put(place: Path, files: dict[str, str]) -> Path:
    write_files(place, files)
    return place


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    put(tmp_path, FILES)
    # Axes of `include` have no paths, so the values of that environment are found by the name.
    text = FILES["plait.yml"].replace("{site.path}", "sites/{site}")
    (tmp_path / "plait.yml").write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(top: Path) -> dict[str, bytes]:
    """All results below a directory."""
    own = (".fleet", "fleet.jsonl")
    found = {path.relative_to(top).as_posix(): path for path in sorted(top.rglob("*")) if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith(own)}


def runs_of(output: str) -> list[dict[str, object]]:
    """The lines of the runs in the manifest of a place for results."""
    place = place_of(output)
    return [line for lines in place.lines() for line, _ in parsed(lines, place.key) if "run" in line]


def test_a_matrix_makes_a_run_for_each_environment(place: Path) -> None:
    report = fleet(place)
    assert (report.counts, report.is_whole) == ({"rendered": 4}, True)
    assert contents(place / "out") == {
        "eu/lyon/app.yml": b"region: eu\nsize: 2\n",
        "eu/paris/app.yml": b"region: eu\nsize: 1\n",
        "us/paris/app.yml": b"region: us\nsize: 1\n",
        "ap/paris/app.yml": b"region: ap\nsize: 1\n",
    }
    assert [task.place for task in tasks_of(project_file.read("plait.yml"))] == PLACES


CHANGES: dict[str, list[Callable[[Path], object]]] = {
    "nothing": [],
    "its content": [lambda file: file.write_text("region: no\n", "utf-8")],
    "the end of its content": [lambda file: file.write_bytes(file.read_bytes() + b"\n")],
    "its mode": [lambda file: os.chmod(file, 0o644)],
    "another name of it": [lambda file: os.link(file, file.parent.parent / "link.yml")],
    "a link in its place": [
        lambda file: file.rename(file.parent.parent / "x.yml"),
        lambda file: os.symlink("../x.yml", file),
    ],
    "its absence": [os.unlink],
    "another file": [lambda file: (file.parent / "other.yml").write_text("a: 1\n", "utf-8")],
    "another directory": [lambda file: os.mkdir(file.parent / "sub")],
    "a directory in its place": [os.unlink, os.mkdir],
}


@pytest.mark.skipif(os.name == "nt", reason="the modes of files, and links")
@pytest.mark.parametrize("change", CHANGES)
def test_an_output_is_written_unless_it_is_there(change: str, place: Path) -> None:
    """What is there stays if it is the same in everything that a new fleet would write."""
    fleet(place, afresh=True)
    before = contents(place / "out")
    top = place / "out/eu/lyon"
    for step in CHANGES[change]:
        step(top / "app.yml")
    directory = top.stat().st_ino
    assert fleet(place, afresh=True).counts == {"rendered": 4}
    assert (top.stat().st_ino == directory) == (change == "nothing")
    assert sorted(path.name for path in top.iterdir()) == ["app.yml"]
    assert not (top / "app.yml").is_symlink()
    assert (top / "app.yml").stat().st_mode & 0o077 == 0
    after = contents(place / "out")
    assert {path: after[path] for path in before} == before
    assert [line["status"] for line in runs_of("out")[-4:]] == ["rendered"] * 4


def test_documents_go_where_they_say_and_where_patterns_say(place: Path) -> None:
    """Braces of a pattern are doubled in a matrix, where single ones are axes."""
    put(
        place,
        {
            "app.yml": "kind: A\n---\nkind: B\n",
            "said.yml": '#@output/file "{}.json".format("said")\n---\nkind: C\n',
            "site.yml": "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: n}\ndata: {layerOrder: [a]}\n",
            "steps.yml": "steps: [{render: {files: app.yml}}]\n",
            "plait.yml": """\
runs:
  l: {layer: {files: site.yml, output-by: "{schema}/{name|lower}.yml"}}
  c: {compose: {file: steps.yml, output-by: "{kind}.yml"}}
  one: {output: one.yml, render: {files: [app.yml, said.yml], output-by: "{kind}.yml", with: output-file}}
  r:
    matrix: {axes: {x: [eu]}}
    render: {files: [app.yml, said.yml], output-by: "{x}-{{kind}}.yml", with: output-file}
""",
        },
    )
    report = fleet(place)
    assert (report.counts, report.warned) == ({"rendered": 4}, [])
    assert sorted(contents(place / "out")) == [
        "c/A.yml",
        "c/B.yml",
        "l/deckhand/LayeringPolicy/v1/n.yml",
        "one.yml",
        "r/eu/eu-A.yml",
        "r/eu/eu-B.yml",
        "r/eu/said.json",
    ]


def test_a_run_of_a_matrix_has_a_name(place: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["run", "app/us/paris"]) == 0
    assert capfdbinary.readouterr().out == b"region: us\nsize: 1\n"
    with pytest.raises(UsageError, match='"app" is a matrix of 4'):
        project_file.read(str(place)).run("app")


SOURCES = {
    "a list": ("environments: [{region: eu, size: 3}]", {}),
    "a file": ("environments: list.yml", {"list.yml": "- {region: eu, size: 3}\n"}),
    "csv": ("environments: list.csv", {"list.csv": "region,size\neu,3\n"}),
    "files": ("axes: {region: {files: 'values/*.yml'}, size: [3]}", {"values/eu.yml": "", "values/eu.txt": ""}),
    "directories": (
        "axes: {region: {directories: regions}, size: [3]}",
        {"regions/eu/a.yml": "", "regions/us.yml": ""},
    ),
}


@pytest.mark.parametrize("source", SOURCES)
def test_environments_come_from(source: str, tmp_path: Path) -> None:
    matrix, files = SOURCES[source]
    runs = f'runs:\n  app:\n    matrix:\n      {matrix}\n    render: {{files: config, set: {{region: "{{region}}"}}, data-value-yaml: "size={{size}}"}}\n'
    put(tmp_path, {**FILES, **files, "plait.yml": runs})
    fleet(tmp_path).check()
    assert contents(tmp_path / "out") == {"app/eu/3/app.yml": b"region: eu\nsize: 3\n"}


MISTAKES = {
    "axes: {region: []}": 'the axis "region" has no value',
    "axes: {region: nothing}": "a list of values",
    "axes: {region: {files: plain.yml}}": "the pattern has no wildcard",
    "axes: {region: {directories: nowhere}}": "cannot list",
    "axes: {a b: [1]}": "is not a valid axis name",
    "axes: {region: [eu]}\n      exclude: [{region: us}]": "this excludes no environment",
    "axes: {region: [eu]}\n      exclude: [{regoin: us}]": 'unknown axis "regoin"',
    "axes: {region: [eu], b: [1]}\n      include: [{region: us}]": "a value on each axis",
    'axes: {region: [eu]}\n      output: "{regoin}"': '"{regoin}" is not an axis',
    'axes: {region: [eu, us]}\n      output: "all/"': "have the same destination",
    "axes: {region: [eu, EU]}": "have the same destination",
    'axes: {region: [eu, eu/a]}\n      output: "{region}"': "have the same destination",
    "axes: {region: [eu, eu]}": "two runs have the name",
    'axes: {region: [eu]}\n      output: "../{region}"': "is outside of the fleet's output directory",
    'axes: {region: [".."]}\n      output: "{region}/a"': "is outside of the fleet's output directory",
    'axes: {region: [eu]}\n      output: "/{region}"': "cannot be a destination",
    "axes: {region: [con]}": "cannot be a destination",
    'axes: {region: ["a:b"]}': "cannot be a destination",
    'axes: {region: ["a\\\\b"]}': "cannot be a destination",
    'axes: {region: [eu]}\n      output: ".fleet/{region}"': "reserved for the fleet's own files",
    "environments: list.csv": "has no value for",
    "environments: plain.yml": "must be a list",
    "environments: [{region: eu}, {b: 1}]": "the same axes",
    "axis: {}": "axis",
}


@pytest.mark.parametrize("matrix", MISTAKES)
def test_a_mistake_in_a_matrix_is_told_with_its_place(matrix: str, tmp_path: Path) -> None:
    runs = f"runs:\n  app:\n    matrix:\n      {matrix}\n    render: {{files: config}}\n"
    put(tmp_path, {**FILES, "plain.yml": "a: 1\n", "list.csv": "region,b\neu\n", "plait.yml": runs})
    with pytest.raises(PlaitError) as failed:
        fleet(tmp_path)
    assert MISTAKES[matrix] in failed.value.report()
    assert failed.value.at is not None
    assert not (tmp_path / "out").exists()


def test_a_matrix_has_so_many_axes_at_most(tmp_path: Path) -> None:
    axes = "".join(f"        a{number}: [x]\n" for number in range(1001))
    put(tmp_path, {"plait.yml": f"runs:\n  app:\n    matrix:\n      axes:\n{axes}    render: {{files: config}}\n"})
    with pytest.raises(PlaitError, match="more than 1000 axes"):
        fleet(tmp_path)


def test_a_run_that_fails_leaves_what_was_there(place: Path) -> None:
    fleet(place)
    before = contents(place / "out")
    (place / "sites/paris/values.yml").write_text("size: large\n", "utf-8")
    report = fleet(place)
    assert report.counts == {"up to date": 1, "failed": 3}
    assert contents(place / "out") == before
    assert len({outcome.fault for outcome in report.failed}) == 1
    with pytest.raises(PlaitError, match="3 environments: "):
        report.check()
    lines = {str(line["run"]): line for line in runs_of(str(place / "out"))}
    assert (lines["app/us/paris"]["status"], lines["app/us/paris"]["stays"]) == ("failed", True)


def test_an_environment_without_its_file_is_one_that_fails(place: Path) -> None:
    (place / "sites/lyon/values.yml").unlink()
    report = fleet(place)
    assert report.counts == {"failed": 1, "rendered": 3}
    assert 'cannot read "sites/lyon/values.yml": No such file or directory' in report.failed[0].error


def test_equal_errors_are_told_once(place: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for site in ("paris", "lyon"):
        (place / f"sites/{site}/values.yml").write_text("size: large\n", "utf-8")
    assert main(["fleet", "-j", "1", "--no-cache"]) == 1
    told = capfdbinary.readouterr().err.decode()
    assert told.count("environments: ") == 1
    assert "4 environments: " in told
    assert "first in: app/eu/lyon, app/eu/paris, app/us/paris and 1 more" in told


def test_errors_of_many_kinds(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    names = [f"op{number:02}" for number in range(30)]
    ops = {f"ops/{name}.yml": "#\n" * int(name[2:]) + "- {type: remove, path: /b}\n" for name in names}
    ops["ops/op29.yml"] = ops["ops/op28.yml"]
    pairs = (
        "first,second\n"
        + "".join(f"{one},none\nnone,{one}\n" for one in names[:2])
        + "".join(f"none,{one}\n" for one in names[2:])
    )
    run = 'patch: {base: base.yml, ops: ["ops/{first}.yml", "ops/{second}.yml"]}'
    text = f"runs:\n  one:\n    matrix: {{environments: pairs.csv}}\n    {run}\n"
    put(tmp_path, {**ops, "ops/none.yml": "[]", "base.yml": "a: 1\n", "pairs.csv": pairs, "plait.yml": text})
    assert main(["fleet", "-j", "1", "--no-cache", str(tmp_path)]) == 1
    told = capfdbinary.readouterr().err.decode()
    # The same file fails in either place.
    assert told.count("2 environments: ") == 3
    assert "ops/op00.yml:1" in told
    # Two files fail in the same way: the first is told.
    assert "ops/op28.yml:29" in told
    assert told.count("first in: ") == 20
    assert "9 environments with 9 other errors: see the manifest" in told


def test_fail_fast_leaves_the_rest_out(place: Path) -> None:
    (place / "sites/lyon/values.yml").write_text("size: large\n", "utf-8")
    report = fleet(place, fail_fast=True)
    assert report.counts == {"failed": 1, "skipped": 3}
    assert fleet(place).counts == {"failed": 1, "rendered": 3}


def test_only_what_changed_is_made_again(place: Path) -> None:
    fleet(place)
    assert fleet(place).counts == {"up to date": 4}
    (place / "sites/lyon/values.yml").write_text("size: 7\n", "utf-8")
    assert fleet(place).counts == {"up to date": 3, "rendered": 1}
    (place / "config/app.yml").write_text(FILES["config/app.yml"] + "more: 1\n", "utf-8")
    assert fleet(place).counts == {"rendered": 4}
    put(place, {"config/new.yml": "a: 1\n"})
    assert fleet(place).counts == {"rendered": 4}
    (place / "out/us/paris/app.yml").write_text("by hand\n", "utf-8")
    (place / "out/eu/paris/more.yml").write_text("by hand\n", "utf-8")
    assert fleet(place).counts == {"up to date": 2, "rendered": 2}
    assert fleet(place, afresh=True).counts == {"rendered": 4}
    whole = contents(place / "out")
    assert contents(Path(fleet(place, output=place / "other").output)) == whole


def test_times_are_a_short_way_and_no_more(place: Path) -> None:
    def aged(path: Path, seconds: int) -> None:
        os.utime(path, (time.time() - seconds,) * 2)

    for path in [*(place / "sites").rglob("*.yml"), *(place / "config").iterdir()]:
        aged(path, 100)
    time.sleep(0.01)
    fleet(place)
    # Another time, and the same content; another content, and the same size; the same time, and another size.
    aged(place / "out/eu/lyon/app.yml", 10)
    aged(place / "sites/lyon/values.yml", 10)
    assert fleet(place).counts == {"up to date": 4}
    before = (place / "out/us/paris/app.yml").stat().st_mtime_ns
    (place / "out/eu/paris/app.yml").write_text("region: eu\nsize: 9\n", "utf-8")
    (place / "out/us/paris/app.yml").write_text("region: us\n", "utf-8")
    os.utime(place / "out/us/paris/app.yml", ns=(before, before))
    assert fleet(place).counts == {"up to date": 2, "rendered": 2}
    # A file that is put in the place of another may be older.
    aged(put(place, {"values.yml": "size: 8\n"}) / "values.yml", 1000)
    os.replace(place / "values.yml", place / "sites/lyon/values.yml")
    assert fleet(place).counts == {"up to date": 3, "rendered": 1}


@pytest.mark.untraced  # a recorded run reads for itself, and so does one without passes for speed
@pytest.mark.skipif(not FAST, reason="nothing is shared without passes for speed")
@pytest.mark.parametrize("skew", [0, 3600, -3600])
def test_a_file_that_changes_while_a_fleet_goes_on_is_seen_later(
    skew: int, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """skew: seconds by which the clock of this machine is ahead of that of the files."""
    monkeypatch.setattr("plait.fleet.read_sets.time_ns", lambda: time.time_ns() + skew * 10**9)
    text = (place / "plait.yml").read_text().replace("files: [config]", "files: [config/app.yml, config/schema.yml]")
    put(place, {"plait.yml": text})
    config = place / "config/app.yml"
    os.utime(config, (time.time() - 100,) * 2)

    class Changes(NullReporter):
        def outcome(self, outcome: RunResult) -> None:
            if outcome.name == "app/eu/lyon":  # the others have what it has read
                config.write_text(FILES["config/app.yml"] + "more: 1\n", "utf-8")

    assert fleet(place, watcher=Changes()).counts == {"rendered": 4}
    assert fleet(place).counts == {"rendered": 4}
    assert all(b"more: 1" in content for content in contents(place / "out").values())


def test_results_are_kept_by_content(place: Path) -> None:
    fleet(place, cache=place / "kept")
    whole = contents(place / "out")
    elsewhere = put(place / "elsewhere", FILES)
    (elsewhere / "plait.yml").write_bytes((place / "plait.yml").read_bytes())
    assert fleet(elsewhere, cache=place / "kept").counts == {"cached": 4}
    assert contents(elsewhere / "out") == whole


def test_a_damaged_result_is_made_again(place: Path) -> None:
    fleet(place, cache=place / "kept")
    whole = contents(place / "out")
    for number, path in enumerate(sorted(path for path in (place / "kept").rglob("*") if path.is_file())):
        data = path.read_bytes()
        path.write_bytes(data[:-3] if number % 2 else data[:40] + b"x" + data[41:])
    assert fleet(place, output=place / "other", cache=place / "kept").counts == {"rendered": 4}
    assert contents(place / "other") == whole


def test_the_directory_of_results_is_bounded(place: Path) -> None:
    fleet(place, cache=place / "kept", cache_size=600)
    left = [path.stat().st_size for path in (place / "kept").rglob("*") if path.is_file()]
    assert 0 < sum(left) <= 600
    assert Results(str(place / "kept")).shrink(0) == len(left)
    assert Results(str(place / "nowhere")).shrink(0) == 0


SECRET = {
    "base.yml": "key: ((key))\nmore: ((token))\n",
    "store.yml": "key: hunter2\ntoken: hunter3\n",
    "plait.yml": "runs:\n  one: {patch: {base: base.yml, vars-store: store.yml}}\n  two: {render: {files: [env.yml], data-values-env: FLEET}}\n",
    "env.yml": '#@ load("@ytt:data", "data")\n---\npassword: #@ data.values.password\n',
    "schema.yml": "#@data/values-schema\n---\npassword: ''\n",
}


def test_secrets_are_in_no_manifest_and_in_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, SECRET)
    (tmp_path / "plait.yml").write_text(SECRET["plait.yml"].replace("[env.yml]", "[env.yml, schema.yml]"), "utf-8")
    monkeypatch.setenv("PLAIT_TRUST", str(tmp_path))
    monkeypatch.setenv("FLEET_password", "hunter4")
    report = fleet(tmp_path, cache=tmp_path / "kept")
    assert report.check().counts == {"rendered": 2}
    assert b"hunter4" in (tmp_path / "out/two/env.yml").read_bytes()
    assert not (tmp_path / "kept").exists()
    manifest = (tmp_path / "out/fleet.jsonl").read_text()
    assert "hunter" not in manifest
    for line in runs_of(str(tmp_path / "out")):
        assert line["secret"] is True
        # Size and time, and no digest from which somebody could try what it is.
        assert all(re.fullmatch(r"\d+ \d+ \d+", text) for text in line["files"].values())  # type: ignore[attr-defined]
        assert [digest for digest, *_ in line["outputs"].values()] == [None]  # type: ignore[attr-defined]
    # What depends on more than files is made each time, but for a fleet that goes on.
    assert fleet(tmp_path, resume=True).counts == {"up to date": 2}
    (tmp_path / "store.yml").write_text("key: hunter3\ntoken: hunter3\n", "utf-8")
    assert fleet(tmp_path, resume=True).counts == {"up to date": 1, "rendered": 1}
    monkeypatch.setenv("FLEET_password", "hunter5")
    assert fleet(tmp_path).counts == {"rendered": 2}
    assert b"hunter5" in (tmp_path / "out/two/env.yml").read_bytes()


def test_a_stored_result_with_secrets_is_in_no_manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, {**SECRET, "plait.yml": "runs: {one: {patch: {base: base.yml, vars-store: store.yml}}}\n"})
    for expected in ("rendered", "cached"):
        report = fleet(tmp_path, output=tmp_path / expected, cache=tmp_path / "kept", cache_secrets=True)
        assert report.check().counts == {expected: 1}
        (line,) = runs_of(str(tmp_path / expected))
        assert line["secret"] is True
        assert line["outputs"] == {"documents.yml": [None, 27]}
    # Who does not ask for them gets none.
    assert fleet(tmp_path, output=tmp_path / "c", cache=tmp_path / "kept").counts == {"rendered": 1}


def test_workers_and_order_make_no_difference(place: Path) -> None:
    whole = contents(Path(fleet(place).output))
    with ThreadPoolExecutor(2) as threads:
        assert contents(Path(fleet(place, output=place / "threads", executor=threads).check().output)) == whole
    assert contents(Path(fleet(place, output=place / "processes", processes=2).check().output)) == whole
    manifests = []
    for name in ("out", "threads", "processes"):
        lines = runs_of(str(place / name))
        times = {"seconds", "written", "stamps"}
        manifests.append([{key: value for key, value in line.items() if key not in times} for line in lines])
    assert manifests[0] == manifests[1] == manifests[2]


def test_an_executor_is_one(place: Path) -> None:
    with pytest.raises(UsageError, match="this executor cannot render runs"):
        fleet(place, executor=object())


MANY = """\
runs:
  app:
    matrix: {axes: {env: {files: "many/*.yml"}}, output: "{env}.yml"}
    render: {files: config, data-values-file: "many/{env}.yml"}
"""


# So many environments, each with some milliseconds of work, leave time to interfere. No value takes part in the loop:
# recorded, each step of one costs as much as a run.
COUNT = 500
WORK = """\
#@ load("@ytt:data", "data")
#@ def work():
#@   total = 0
#@   for one in range(10000):
#@     total += one
#@   end
#@   return total
#@ end
---
region: #@ data.values.region
size: #@ data.values.size + work()
"""


def many(place: Path, count: int = COUNT) -> Path:
    put(place, {f"many/e{number:03}.yml": f"region: r{number}\nsize: {number}\n" for number in range(count)})
    return put(place, {"plait.yml": MANY, "config/app.yml": WORK})


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The results of a fleet that nothing happens to."""
    place = many(put(tmp_path_factory.mktemp("whole"), FILES))
    return contents(Path(fleet(place).check().output))


def start(place: Path, *words: str) -> subprocess.Popen[str]:
    program = "import sys\nfrom plait.cli import run\nif __name__ == '__main__':\n    run()\n"
    (place / "program.py").write_text(program, "utf-8")
    argv = [sys.executable, str(place / "program.py"), "fleet", *([] if "--cache" in words else ["--no-cache"]), *words]
    pipe = subprocess.PIPE
    return subprocess.Popen(argv, cwd=place, stdout=pipe, stderr=pipe, text=True, start_new_session=True)


def wait_for_results(process: subprocess.Popen[str], place: Path, count: int) -> None:
    deadline = time.monotonic() + LONGEST
    while len([*(place / "out").glob("*.yml")]) < count:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)


def has_begun(process: subprocess.Popen[str], place: Path) -> bool:
    """Waits for some results that the journal has. Returns False if the fleet ends before."""
    journal = place / "out/.fleet/journal.jsonl"
    deadline = time.monotonic() + LONGEST
    while len([*(place / "out").glob("*.yml")]) < 12 or len(content_of(journal).splitlines()) < 2:
        if process.poll() is not None:
            return False
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return True


def content_of(path: Path) -> bytes:
    """The content of a file; nothing while it is not there."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(("number", "is_terminal"), [("INT", False), ("INT", True), ("TERM", False), ("KILL", False)])
def test_a_fleet_that_was_ended_goes_on(
    place: Path, number: str, is_terminal: bool, jobs: str, whole: dict[str, bytes]
) -> None:
    """is_terminal: the workers have the signal as well, as from Ctrl-C."""
    many(place)
    sent = signal.Signals[f"SIG{number}"]
    # A fleet takes a second, for which a busy machine may stop the test.
    for _ in range(5):
        shutil.rmtree(place / "out", ignore_errors=True)
        process = start(place, "-j", jobs)
        if not has_begun(process, place):
            process.communicate()
            continue
        workers = children(process.pid)
        (os.killpg if is_terminal else os.kill)(process.pid, sent)
        out, err = process.communicate(timeout=LONGEST)
        if process.returncode:
            break
    assert process.returncode == (-sent if number == "KILL" else 130), (out, err)
    assert "Traceback" not in err
    wait_until_ended(workers)
    made = contents(place / "out")
    assert 12 <= len(made) < COUNT
    assert all(whole[name] == content for name, content in made.items())
    report = fleet(place, resume=True)
    # What a process that was killed has made, and not told yet, is made again.
    assert report.counts["up to date"] >= 1
    assert report.counts["up to date"] + report.counts["rendered"] == COUNT
    assert contents(place / "out") == whole
    assert [path.name for path in (place / "out/.fleet").iterdir()] == ["lock"]


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_processes_that_are_killed_lose_no_run(place: Path, whole: dict[str, bytes]) -> None:
    many(place)
    process = start(place, "-j", "2", "--events", "json")
    for count in range(5, COUNT - 100, 200):
        wait_for_results(process, place, count)
        os.kill(children(process.pid)[-1], signal.SIGKILL)
    out, err = process.communicate(timeout=LONGEST)
    events = [json.loads(line) for line in out.splitlines()]
    assert (process.returncode, events[-1]["counts"]) == (0, {"rendered": COUNT}), err
    runs = [event["run"] for event in events if event["event"] == "run"]
    assert len(runs) == len({*runs}) == COUNT
    assert contents(place / "out") == whole


def children(pid: int) -> list[int]:
    """The processes that make runs."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = status.read_text().rpartition(")")
        except OSError:
            continue
        found.append((int(name.partition(" ")[0]), int(rest.split()[1])))
    return sorted(one for one, parent in found if parent == pid)


def test_two_fleets_do_not_write_to_one_directory(place: Path, whole: dict[str, bytes]) -> None:
    many(place)
    process = start(place)
    wait_for_results(process, place, 5)
    with pytest.raises(UsageError, match="another fleet writes there"):
        fleet(place)
    err = process.communicate(timeout=LONGEST)[1]
    assert process.returncode == 0, err
    assert contents(place / "out") == whole
    assert fleet(place).counts == {"up to date": COUNT}


def test_two_fleets_at_once_share_a_cache(place: Path, whole: dict[str, bytes]) -> None:
    many(place)
    cache = ["--cache", "kept", "--cache-size", "1M"]
    processes = [start(place, *cache, "--output", name) for name in ("out", "other")]
    for process in processes:
        err = process.communicate(timeout=LONGEST)[1]
        assert process.returncode == 0, err
    assert contents(place / "out") == contents(place / "other") == whole


def test_outputs_that_nobody_writes_are_told(place: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    fleet(place)
    text = (place / "plait.yml").read_text().replace("[eu, us]", "[eu]").replace("exclude:", "#")
    (place / "plait.yml").write_text(text, "utf-8")
    assert main(["fleet", "-j", "1", "--no-cache"]) == 0
    assert f"no run writes these files now: {Path('out', 'us/paris')}" in capfdbinary.readouterr().err.decode()


def test_a_link_in_the_output_is_not_followed(place: Path) -> None:
    (place / "out").mkdir()
    (place / "elsewhere").mkdir()
    (place / "out/eu").symlink_to(place / "elsewhere")
    report = fleet(place)
    assert report.counts == {"failed": 2, "rendered": 2}
    assert "is a symbolic link" in report.failed[0].error
    assert not [*(place / "elsewhere").iterdir()]


def test_only_some_runs(place: Path) -> None:
    assert fleet(place, names=["app/us/paris"]).counts == {"rendered": 1}
    assert fleet(place, names=["app"]).counts == {"up to date": 1, "rendered": 3}
    with pytest.raises(UsageError, match='unknown run "ap"'):
        fleet(place, names=["ap"])
    assert len(runs_of(str(place / "out"))) == 4


SHARING = {
    "config/app.yml": """\
#@ load("@ytt:data", "data")
#@ load("more.star", "more")
---
name: #@ data.values.name
#@ if data.values.name.startswith("a"):
text: #@ data.read("text.csv")
#@ end
more: #@ more(data.values.name)
""",
    "config/more.star": "def more(name):\n  return name + '!'\nend\n",
    "config/text.csv": "some text",
    "config/over.yml": """\
#@ load("@ytt:data", "data")
#@ load("@ytt:overlay", "overlay")
#@overlay/match by=overlay.all, expects=2
---
#@overlay/match missing_ok=True
by: #@ data.values.name
""",
    "config/plain.yml": "a: 1\n",
    "config/schema.yml": "#@data/values-schema\n---\nname: ''\nsize: 1\n",
    "plait.yml": "runs:\n  app:\n    matrix: {axes: {name: [a1, b1, a2, b2]}}\n"
    '    render: {files: config, set: {name: "{name}"}, file-mark: []}\n',
}


@pytest.mark.parametrize("first", ["a1", "b2"])
def test_runs_that_share_inputs_are_what_each_is_alone(first: str, tmp_path: Path) -> None:
    put(tmp_path, SHARING)
    engine = Engine(reads_once=True)
    found = project_file.read(str(tmp_path))
    runs = {task.name: task.run(found) for task in tasks_of(found)}
    for name in [f"app/{first}", *runs]:
        alone, common = InputView(), InputView()
        expected = runs[name].evaluate(view=alone, limits={})
        with budget_scope(Limits()) as given:
            documents = runs[name].evaluate(view=common, engine=engine)
        assert documents.to_yaml() == expected.to_yaml()
        assert dict(documents.files) == dict(expected.files)  # type: ignore[attr-defined]
        assert sorted(common.files) == sorted(alone.files)
        assert (common.files, common.directories) == (alone.files, alone.directories)
        assert (f"{tmp_path / 'config/text.csv'}" in common.files) is name.startswith("app/a")
        assert given.taken >= sum(len(content or b"") for content in common.files.values())


def test_without_reuse_the_results_are_the_same(tmp_path: Path) -> None:
    put(tmp_path, SHARING)
    fleet(tmp_path, output=tmp_path / "a").check()
    fleet(tmp_path, output=tmp_path / "b", reuse=False).check()
    assert main(["fleet", "--no-reuse", "--no-cache", "-j", "2", "--output", f"{tmp_path / 'c'}", str(tmp_path)]) == 0
    found = [
        {path.relative_to(tmp_path / name): path.read_bytes() for path in (tmp_path / name / "app").rglob("*.yml")}
        for name in "abc"
    ]
    assert len(found[0]) == 8
    assert found[0] == found[1] == found[2]


@pytest.mark.skipif(not FAST, reason="nothing is shared without passes for speed")
def test_a_fleet_begins_with_the_compiled_code_of_the_last_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the environments, only the first writes to the cache."""
    sites = {f"sites/{number}.yml": f"#@data/values\n---\nsize: {number}\n" for number in range(4)}
    project = """\
runs:
  app:
    matrix: {axes: {site: {files: "sites/*.yml"}}}
    render: {files: [config, "sites/{site}.yml"], set: {region: eu}}
"""
    place = put(tmp_path / "project", {name: FILES[name] for name in ("config/app.yml", "config/schema.yml")} | sites)
    put(place, {"plait.yml": project})
    monkeypatch.setenv("PLAIT_CACHE_DIR", str(tmp_path / "code"))
    fleet(place, afresh=True).check()
    expected = contents(place / "out")
    assert len(expected) == 4
    assert len([*(tmp_path / "code").iterdir()]) == 3

    for name in sites:
        (place / name).write_text(sites["sites/0.yml"], "utf-8")

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("compiled again")

    monkeypatch.setattr("plait.ytt.templates.template.compile_program", refuse)
    fleet(place, afresh=True).check()
    assert {*contents(place / "out").values()} == {expected["app/0/app.yml"]}


@pytest.mark.untraced
@pytest.mark.skipif(not FAST, reason="nothing is shared without passes for speed")
def test_statistics_count_what_was_reused(tmp_path: Path) -> None:
    put(tmp_path, SHARING)
    assert fleet(tmp_path).check().statistics == {"inputs": (16, 6), "libraries": (3, 1), "templates": (0, 8)}
    assert fleet(tmp_path).check().statistics == {}
    assert fleet(tmp_path, afresh=True, reuse=False).check().statistics == {}


@pytest.mark.untraced
@pytest.mark.skipif(not FAST, reason="nothing is shared without passes for speed")
def test_statistics_count_operations_and_layered_documents(tmp_path: Path) -> None:
    project = """\
runs:
  patched:
    matrix: {axes: {size: [1, 2, 3]}}
    patch: {base: base.yml, ops: [one.yml, "{size}.yml"]}
  layered:
    matrix: {axes: {size: [1, 2, 3]}}
    layer: {files: [documents, "own/{size}.yml"]}
"""
    document = "schema: a/B/v1\nmetadata: {schema: metadata/Document/v1, name: NAME, layeringDefinition: {layer: site}}\ndata: {a: 1}\n"
    policy = "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: order}\ndata: {layerOrder: [site]}\n"
    put(
        tmp_path,
        {
            "plait.yml": project,
            "base.yml": "a: 1\n",
            **{f"{name}.yml": f"- {{type: replace, path: /{name}?, value: {name}}}\n" for name in ("one", *"123")},
            "documents/shared.yml": f"{policy}---\n{document}",
            **{f"own/{size}.yml": document.replace("NAME", f"own-{size}") for size in "123"},
        },
    )
    found = fleet(tmp_path).check().statistics
    # From the second difference on, only the operations after it are applied.
    assert (found["operations"], found["documents"]) == ((1, 5), (2, 4))


def test_a_warning_is_given_by_each_run(tmp_path: Path) -> None:
    put(tmp_path, SHARING)
    (tmp_path / "config/plain.yml").write_text("#@ n = 1\na: {{b}}\n", "utf-8")
    report = fleet(tmp_path)
    assert [len(outcome.warnings) for outcome in report.warned] == [1] * 4
    assert len({outcome.warnings[0] for outcome in report.warned}) == 1


ANSWERS = {
    "why size": """\
app/eu/lyon   size  2  sites/lyon/values.yml:1
app/eu/paris  size  1  sites/paris/values.yml:1
app/us/paris  size  1  sites/paris/values.yml:1
app/ap/paris  size  1  sites/paris/values.yml:1
""",
    "diff": """\
1 value equal in all 4 environments

by region:
  region
    eu: eu  (plait.yml:11)
    us: us  (plait.yml:11)
    ap: ap  (plait.yml:11)

by site:
  size
    paris: 1  (sites/paris/values.yml:1)
    lyon: 2  (sites/lyon/values.yml:1)

odd ones out:
  only
    app/eu/lyon, app/us/paris, app/ap/paris: not there
    app/eu/paris: true  (config/app.yml:6)
""",
    "diff app/eu/lyon app/us/paris": """\
1 value equal in all 2 environments

different:
  region
    app/eu/lyon: eu  (plait.yml:11)
    app/us/paris: us  (plait.yml:11)
  size
    app/eu/lyon: 2  (sites/lyon/values.yml:1)
    app/us/paris: 1  (sites/paris/values.yml:1)
""",
    "impact sites/paris/values.yml:1": """\
app/eu/paris:
  size
  only
app/us/paris, app/ap/paris:
  size
""",
}


@pytest.mark.parametrize("question", ANSWERS)
def test_environments_are_asked_about(question: str, place: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    more = '#@ if data.values.size == 1 and data.values.region == "eu":\nonly: true\n#@ end\nsame: 1\n'
    put(place, {"config/app.yml": FILES["config/app.yml"] + more})
    assert main(["fleet", *question.split()]) == 0
    assert capfdbinary.readouterr().out.decode().replace("\\", "/") == ANSWERS[question]
    assert main(["fleet", *question.split(), "-o", "json"]) == 0
    assert json.loads(capfdbinary.readouterr().out)


def test_documents_of_one_name_and_documents_of_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    role = "kind: Role\nmetadata: {name: one, namespace: %s}\n"
    template = f"""\
#@ load("@ytt:data", "data")
---
{role % "a"}---
{role % "b"}number: #@ data.values.number
#@ if/end data.values.number == 3:
---
kind: Thing
metadata: {{name: more}}
"""
    schema = "#@data/values-schema\n---\nnumber: 0\n"
    matrix = "matrix: {axes: {number: [1, 2, 3, 4, 5, 6]}}"
    run = 'render: {files: config, data-value-yaml: "number={number}"}'
    text = f"runs:\n  app:\n    {matrix}\n    {run}\n"
    put(tmp_path, {"config/a.yml": template, "config/schema.yml": schema, "plait.yml": text})
    monkeypatch.chdir(tmp_path)
    assert main(["fleet", "diff"]) == 0
    assert (
        capfdbinary.readouterr().out.decode().replace("\\", "/")
        == """\
6 values equal in all 6 environments

odd ones out:
  Thing/more
    app/1, app/2, app/4 and 2 more: not there
    app/3: is there  (config/a.yml:11)

various:
  Role/one (2):number
    app/1: 1  (--data-value-yaml number=1)
    app/2: 2  (--data-value-yaml number=2)
    app/3: 3  (--data-value-yaml number=3)
    and 3 other values
"""
    )


def test_a_line_that_reaches_nothing(place: Path) -> None:
    lines = FILES["plait.yml"].count("\n")
    (place / "plait.yml").write_text((place / "plait.yml").read_text("utf-8") + "# the end\n", "utf-8")
    assert main(["fleet", "impact", f"plait.yml:{lines + 1}"]) == 1
    assert main(["fleet", "why", "nowhere"]) != 0
    assert main(["fleet", "diff", "app/eu/lyon"]) == 2


def test_answers_show_no_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    runs = "runs:\n" + "".join(f"  {name}: {{patch: {{base: base.yml, vars-store: {name}.yml}}}}\n" for name in "ab")
    put(
        tmp_path,
        {**SECRET, "a.yml": "key: hunter1\ntoken: x\n", "b.yml": "key: hunter2\ntoken: x\n", "plait.yml": runs},
    )
    monkeypatch.chdir(tmp_path)
    for words in (["why", "key"], ["diff"], ["diff", "-o", "json"]):
        assert main(["fleet", *words]) == 0
        told = capfdbinary.readouterr().out
        assert b"hunter" not in told
        assert b"(secret)" in told or words[0] == "diff"


@pytest.mark.skipif(not hasattr(os.stat_result, "st_blocks"), reason="the system does not tell of blocks")
def test_the_size_of_the_cache_is_that_of_its_blocks(place: Path) -> None:
    """A hundred results of a few bytes each take a hundred blocks."""
    many(place, 100)
    fleet(place, cache=place / "kept")
    results = Results(str(place / "kept"))
    blocks = {path: path.stat().st_blocks * 512 for path in (place / "kept").rglob("*") if path.is_file()}
    counted = sum(size for size, _ in results._files.sizes().values())
    assert 0 < sum(blocks.values()) <= counted + 4096 * 2
    assert counted > 2 * sum(path.stat().st_size for path in blocks)
    assert results.shrink(counted) == 0
    assert results.shrink(counted // 2) > 0


def test_equal_errors_are_those_with_equal_facts(place: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """The values that were found differ, in length and in type; the place and the mistake do not."""
    (place / "sites/paris/values.yml").write_text("size: large\n", "utf-8")
    (place / "sites/lyon/values.yml").write_text("size: [1]\n", "utf-8")
    assert main(["fleet", "-j", "1", "--no-cache"]) == 1
    told = capfdbinary.readouterr().err.decode()
    assert told.count("environments: ") == 1
    assert "4 environments: " in told
    assert main(["fleet", "-j", "1", "--no-cache", "--message-format", "json"]) == 1
    lines = capfdbinary.readouterr().err.decode().splitlines()
    found = [json.loads(line) for line in lines if line[:1] == "{"]
    assert [(one["code"], one["file"], one["line"]) for one in found] == [("E0404", "sites/lyon/values.yml", 1)]
    assert found[0]["stack"][-1]["text"].startswith("in the runs ")
