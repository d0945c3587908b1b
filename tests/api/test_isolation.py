"""`isolated=True` and `--isolate`: the same results and errors, from a process that is ended when it takes too long."""

from __future__ import annotations

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

import plait
from patience import LONGEST, processor_seconds
from plait.api import workers
from plait.base.errors import Warning

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"
STUCK = "#@ for n in range(1 << 30):\n#@   x = [n, n]\n#@ end\n"
ENDLESS: plait.Limits = {"steps": 1 << 50, "seconds": 0.5}
GROWS = 'a: #@ [("a" * 30000000) + str(n) for n in range(30)]\n'

LAYERED = """\
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: order}
data: {layerOrder: [site]}
---
schema: demo/Port/v1
metadata: {schema: metadata/Document/v1, name: http, layeringDefinition: {layer: site}}
data: {port: 80, text: "a\\nb"}
"""


def pairs() -> Iterator[tuple[plait.Documents, plait.Documents]]:
    template = {
        "a.yml": "#@ print('told')\na: #@ [1, 2.5, None, True, 'yes', {'b': 'x\\ny'}]\n---\nb: 2\n",
        "t.txt": "(@= 'x' @)",
    }
    yield plait.render(template, isolated=True), plait.render(template)
    yield plait.render({}, isolated=True), plait.render({})
    yield plait.render({"a.yml": ""}, isolated=True), plait.render({"a.yml": ""})
    quickstart = EXAMPLES / "quickstart"
    yield plait.render(quickstart, isolated=True), plait.render([quickstart])
    yield plait.read({"a.yml": "a: &x {b: 1}\nc: *x\n"}, isolated=True), plait.read({"a.yml": "a: {b: 1}\nc: {b: 1}\n"})
    operations = plait.documents([{"type": "replace", "path": "/a", "value": [3]}])
    base = {"base.yml": "# kept\na:   1\nb: ((c))\n"}
    yield (
        plait.patch(base, operations, variables={"c": 2}, keep_format=True, isolated=True),
        plait.patch(base, operations, variables={"c": 2}, keep_format=True),
    )
    yield plait.layer({"a.yml": LAYERED}, isolated=True), plait.layer({"a.yml": LAYERED})
    steps = {"plait.yml": "steps: [{render: {files: [quickstart]}}, {render: {files: [overlay.yml]}}]"}
    yield plait.compose(steps, isolated=True), plait.compose(steps)


def test_an_isolated_call_gives_what_the_call_gives(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(EXAMPLES / "quickstart", tmp_path / "quickstart")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "overlay.yml").write_text(
        "#@overlay/match by=lambda *_: True, expects='1+'\n---\n#@overlay/match missing_ok=True\nadded: 1\n", "utf-8"
    )
    count = 0
    for isolated, direct in pairs():
        count += 1
        assert type(isolated) is type(direct)
        assert str(isolated) == str(direct)
        assert isolated.to_list() == direct.to_list()
        assert isolated.to_json() == direct.to_json()
        assert (isolated.warnings, isolated.printed) == (direct.warnings, direct.printed)
        if isinstance(isolated, plait.Rendered):
            assert isinstance(direct, plait.Rendered)
            assert isolated.files == direct.files
        if isinstance(isolated, plait.Composed):
            assert isinstance(direct, plait.Composed)
            found = [(step.name, str(step.documents), len(step.differences)) for step in isolated.steps]
            assert found == [(step.name, str(step.documents), len(step.differences)) for step in direct.steps]
    assert count == 8


@pytest.mark.parametrize(
    "files",
    [
        {"a.yml": "a: #@ 1 +\n"},
        {"a.yml": "a: [\n"},
        {"a.yml": "#@ def f():\n#@   return {}['x']\n#@ end\na: #@ f()\n"},
        {"a.yml": "a: 1\n", "o.yml": "#@ load('@ytt:overlay', 'overlay')\n#@overlay/match by=overlay.all\n---\nb: 1\n"},
        {"s.yml": "#@data/values-schema\n---\na: 1\n", "v.yml": "#@data/values\n---\nb: 1\na: x\n"},
        {"a.yml": "#@ load('@ytt:missing', 'x')\n"},
    ],
)
def test_an_error_says_the_same(files: dict[str, str]) -> None:
    with pytest.raises(plait.PlaitError) as direct:
        plait.render(files)
    with pytest.raises(plait.PlaitError) as isolated:
        plait.render(files, isolated=True)
    assert isolated.value.report() == direct.value.report()
    assert type(isolated.value) is type(direct.value)
    assert isolated.value.exit_status == direct.value.exit_status


@pytest.mark.parametrize(
    ("files", "word"),
    [
        ({"a.yml": "#@ load('@ytt:data', 'data')\na: #@ data.vlues\n"}, "vlues"),
        ({"a.yml": "#@ replicas = 1\na: #@ replcas\n"}, "replcas"),
    ],
)
def test_the_data_of_a_diagnostic_come_along(files: dict[str, str], word: str) -> None:
    """All of it: an editor makes fixes of them, and the service tells of which document an error is."""
    found = []
    for isolated in (False, True):
        with pytest.raises(plait.PlaitError) as caught:
            plait.render(files, isolated=isolated)
        faults = [caught.value, *caught.value.findings]
        found.append([(one.code, one.word, one.subject, one.detail, [*one.suggestions]) for one in faults])
    assert found[0] == found[1]
    assert any(one[1] == word and one[4] for one in found[0])


def test_the_data_of_a_warning_come_along() -> None:
    documents = plait.render({"a.yml": 'a: 1\nb: "#@ 1"\n'}, isolated=True)
    (warning,) = documents.warned
    assert isinstance(warning, Warning)
    at = warning.diagnostic.at
    assert (warning.diagnostic.code, at and at.line) == ("quoted-code", 2)


def test_the_rule_of_a_layering_error_comes_along() -> None:
    text = LAYERED.replace("layer: site}", "layer: nowhere}")
    with pytest.raises(plait.LayeringError) as direct:
        plait.layer({"a.yml": text})
    with pytest.raises(plait.LayeringError) as isolated:
        plait.layer({"a.yml": text}, isolated=True)
    assert isolated.value.kind == direct.value.kind != ""
    assert isolated.value.detail == direct.value.detail != ""


def test_what_no_timer_reaches_is_ended() -> None:
    plait.render({"a.yml": "a: 1\n"}, isolated=True)
    worker = workers._WORKERS.take()
    workers._WORKERS.put_back(worker)
    # As if it were in a call into C that does not come back.
    worker._process.send_signal(signal.SIGSTOP)
    with pytest.raises(plait.LimitError) as error:
        plait.render({"a.yml": STUCK}, limits=ENDLESS, isolated=True)
    assert error.value.limit == "seconds"
    assert plait.render({"a.yml": "a: 1\n"}, isolated=True).to_dict() == {"a": 1}


def test_memory_is_bounded_and_is_the_calls_own() -> None:
    # In a process apart: the largest child of this one may be another test's.
    subprocess.run([sys.executable, "-c", MEMORY, GROWS], check=True, timeout=LONGEST)


MEMORY = """
import resource, sys
import plait

assert plait.render({"a.yml": "a: 1\\n"}, isolated=True).to_dict() == {"a": 1}
other_threads = ["x" * (300 << 20)]
assert plait.render({"a.yml": "a: 1\\n"}, limits={"memory": 64 << 20}, isolated=True).to_dict() == {"a": 1}
try:
    plait.render({"a.yml": sys.argv[1]}, limits={"memory": 128 << 20}, isolated=True)
except plait.LimitError as error:
    assert error.limit == "memory"
else:
    raise SystemExit("it is not bounded")
del other_threads
largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
assert largest < (192 << 20) + (32 << 20) + (64 << 20), largest
"""


def test_workers_stay_warm_and_serve_threads() -> None:
    found: list[object] = []

    def work(number: int) -> None:
        found.append(plait.render({"a.yml": f"a: #@ {number} + 1\n"}, isolated=True).to_dict())

    threads = [threading.Thread(target=work, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, found)) == [f"{{'a': {number}}}" for number in range(1, 9)]
    worker = workers._WORKERS.take()
    assert worker._process.poll() is None
    workers._WORKERS.put_back(worker)


def test_a_worker_that_is_ended_by_the_system_is_an_error() -> None:
    plait.render({"a.yml": "a: 1\n"}, isolated=True)
    worker = workers._WORKERS.take()
    workers._WORKERS.put_back(worker)
    timer = threading.Timer(0.3, worker._process.send_signal, [signal.SIGSEGV])
    timer.start()
    with pytest.raises(plait.LimitError, match="ended by SIGSEGV"):
        plait.render({"a.yml": STUCK}, limits={"steps": 1 << 50, "seconds": 30}, isolated=True)
    assert plait.render({"a.yml": "a: 1\n"}, isolated=True).to_dict() == {"a": 1}


def test_a_worker_that_has_ended_meanwhile_is_replaced() -> None:
    plait.render({"a.yml": "a: 1\n"}, isolated=True)
    worker = workers._WORKERS.take()
    workers._WORKERS.put_back(worker)
    worker._process.kill()
    worker._process.wait()
    assert plait.render({"a.yml": "a: 1\n"}, isolated=True).to_dict() == {"a": 1}


def test_what_is_given_may_be_views_iterators_and_documents(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("a.yml").write_text("a: 1\n", "utf-8")
    operations = (plait.documents([{"type": "replace", "path": "/a", "value": value}]) for value in (2, 3))
    assert plait.patch(pathlib.Path("a.yml"), operations, isolated=True).to_dict() == {"a": 3}
    rendered = plait.render({"b.yml": "b: 1\n"}, isolated=True)
    assert plait.render(["a.yml", rendered], isolated=True).to_list() == [{"a": 1}, {"b": 1}]
    assert plait.render("a.yml", values_files=iter([{"v.yml": "{}"}]), isolated=True).to_list() == [{"a": 1}]


def test_what_cannot_be_sent_is_refused() -> None:
    with pytest.raises(TypeError):
        plait.render({"a.yml": "a: 1\n"}, values={"a": lambda: 1}, isolated=True)  # type: ignore[dict-item]
    with pytest.raises(TypeError, match=r"plait\.documents"):
        plait.render({"a.yml": 1}, isolated=True)  # type: ignore[dict-item]
    with pytest.raises(plait.UsageError, match="cannot be combined with trace=True"):
        plait.render({"a.yml": "a: 1\n"}, trace=True, isolated=True)
    with pytest.raises(plait.UsageError, match="unknown limit"):
        plait.render({"a.yml": "a: 1\n"}, limits={"second": 1}, isolated=True)  # type: ignore[arg-type]


def test_a_forked_process_begins_with_no_workers() -> None:
    plait.render({"a.yml": "a: 1\n"}, isolated=True)
    code = (
        "import os, plait\n"
        "plait.render({'a.yml': 'a: 1'}, isolated=True)\n"
        "child = os.fork()\n"
        "print(plait.render({'a.yml': 'a: #@ 1 + 1'}, isolated=True), end='', flush=True)\n"
        "if child: os.waitpid(child, 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=LONGEST, check=True)
    assert done.stdout == "a: 2\na: 2\n"


def command(*argv: str) -> list[str]:
    return [sys.executable, "-c", "from plait.cli import run; run()", *argv]


@pytest.fixture
def here(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yml").write_text("a: #@ 1 + 1\n", "utf-8")
    (tmp_path / "stuck.yml").write_text(STUCK, "utf-8")
    (tmp_path / "fails.yml").write_text("a: #@ fail(\n", "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "argv",
    [
        "render -f a.yml",
        "render -f fails.yml",
        "render -f missing.yml --debug",
        "render -f a.yml --limit steps=x",
        "render -f a.yml --output-files out",
        "render --nonsense",
        "patch a.yml -v a=1",
        "fmt -f a.yml",
        "diff a.yml a.yml",
        "explain render -f a.yml a",
    ],
)
def test_an_isolated_command_does_what_the_command_does(argv: str, here: pathlib.Path) -> None:
    plain = subprocess.run(command(*argv.split()), capture_output=True, text=True, timeout=LONGEST, check=False)
    isolated = subprocess.run(
        command(*argv.split(), "--isolate"), capture_output=True, text=True, timeout=LONGEST, check=False
    )
    assert (isolated.returncode, isolated.stdout, isolated.stderr) == (plain.returncode, plain.stdout, plain.stderr)
    assert (here / "out").exists() == ("out" in argv)


@pytest.mark.usefixtures("here")
@pytest.mark.skipif(not pathlib.Path("/proc/self/task").exists(), reason="finds the child in /proc")
@pytest.mark.parametrize("stopped", [False, True])
def test_an_isolated_command_ends_in_time(stopped: bool) -> None:
    argv = command("render", "-f", "stuck.yml", "--isolate", "--limit", "seconds=2", "--limit", "steps=1000000G")
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) as parent:
        children = pathlib.Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
        while stopped and not children.read_text():
            time.sleep(0.01)
        if stopped:
            child = int(children.read_text())
            # It sends its limits before it evaluates; starting takes less than this much processor time.
            while processor_seconds(child) < 0.3:
                time.sleep(0.01)
            # As if it were in a call into C that does not come back.
            with suppress(ProcessLookupError):  # a busy machine: it has met its limit itself
                os.kill(child, signal.SIGSTOP)
        _, said = parent.communicate(timeout=LONGEST)
    assert parent.returncode == 3
    # Not stopped, the run itself is the first to look at the clock, and knows its line.
    assert "this run exceeds the limit seconds=2\n" in said


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_both_processes(number: int) -> None:
    argv = command("render", "-f", "stuck.yml", "--isolate", "--limit", "steps=1000000G")
    with subprocess.Popen(argv, stderr=subprocess.PIPE, start_new_session=True) as parent:
        time.sleep(1)
        os.kill(parent.pid, number)
        parent.communicate(timeout=LONGEST)
        assert parent.returncode in (-number, 128 + number)
        with pytest.raises(ProcessLookupError):
            os.killpg(parent.pid, 0)
