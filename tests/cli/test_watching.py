"""`--watch`: real files changed under a real process, on a terminal and without one."""

from __future__ import annotations

import codecs
import os
import re
import select
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from files import write_files
from patience import LONGEST
from plait.authoring.watch.changes import follow
from plait.base.input_view import InputView
from plait.cli import main
from test_docs import blocks_of, write_or_run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="terminals and signals of Unix")

FILES = {
    "plait.yml": "runs:\n  app: {render: {files: config, data-values-file: values.yml}}\n",
    "config/app.yml": (
        '#@ load("@ytt:data", "data")\nkind: Deployment\nname: web\nreplicas: #@ data.values.replicas\nport: 80\n'
    ),
    "config/schema.yml": "#@data/values-schema\n---\nreplicas: 1\n",
    "values.yml": "replicas: 2\n",
    "base.yml": "a: 1\n",
    "ops.yml": "- {type: replace, path: /a, value: 2}\n",
    "docs/all.yml": (
        "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: order}\n"
        "data: {layerOrder: [site]}\n---\nschema: demo/A/v1\n"
        "metadata: {schema: metadata/Document/v1, name: web, layeringDefinition: {layer: site}}\ndata: {port: 80}\n"
    ),
    "steps.yml": "steps:\n- render: {files: config}\n",
    "app.test.yml": "tests:\n  two: {equals: {replicas: 2}}\n  base: {patch: {base: base.yml}, equals: {/a: 1}}\n",
}
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_files(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Process:
    """A command that goes on; on a terminal, or with its output in a pipe."""

    def __init__(self, *words: str, terminal: bool) -> None:
        import pty

        command = [sys.executable, "-m", "plait", *words]
        environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "200"}
        if terminal:
            self._fd, inner = pty.openpty()
            self.process = subprocess.Popen(command, stdin=inner, stdout=inner, stderr=inner, env=environment)
            os.close(inner)
        else:
            self._fd, inner = os.pipe()
            self.process = subprocess.Popen(command, stdout=inner, stderr=inner, env=environment)
            os.close(inner)
        self._text = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def wait_for(self, text: str) -> str:
        """Everything up to a text, once it is there."""
        end = time.monotonic() + LONGEST
        while text not in self._text:
            assert time.monotonic() < end, f"no {text!r} in {self._text!r}"
            if select.select([self._fd], [], [], 0.1)[0]:
                self._text = (self._text + self._decoder.decode(os.read(self._fd, 1 << 16))).replace("\r\n", "\n")
        found, _, self._text = self._text.partition(text)
        return found + text

    def end(self) -> int:
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(LONGEST)
        os.close(self._fd)
        return status


@pytest.fixture
def started() -> Iterator[list[Process]]:
    found: list[Process] = []
    yield found
    for one in found:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()


def start(started: list[Process], *words: str, terminal: bool = True) -> Process:
    started.append(Process(*words, terminal=terminal))
    return started[-1]


def test_a_terminal_shows_what_differs(place: Path, started: list[Process]) -> None:
    run = start(started, "run", "app", "--watch")
    run.wait_for("1 document from 4 files")
    (place / "values.yml").write_text("replicas: 3\n")
    assert "values.yml changed, 1 difference" in run.wait_for("replicas: 2 -> 3")
    # Saved as editors do.
    (place / "values.yml.new").write_text("replicas: [\n")
    (place / "values.yml.new").replace(place / "values.yml")
    run.wait_for("plait: values.yml:")
    (place / "values.yml").write_text("replicas: 4\n")
    run.wait_for("replicas: 3 -> 4")
    (place / "config" / "new.yml").write_text("kind: New\nname: new\n")
    assert "new.yml changed" in run.wait_for("kind: New")
    (place / "config" / "new.yml").rename(place / "config" / "newer.yml")
    run.wait_for("no difference")
    (place / "config" / "newer.yml").unlink()
    run.wait_for("-   kind: New")
    (place / "config" / "below").mkdir()
    (place / "config" / "below" / "deep.yml").write_text("kind: Deep\nname: deep\n")
    run.wait_for("kind: Deep")
    (place / "plait.yml").write_text(FILES["plait.yml"].replace(", data-values-file: values.yml", ""))
    run.wait_for("replicas: 4 -> 1")
    assert run.end() == 0


@pytest.mark.parametrize(
    ("words", "file", "before", "after", "told"),
    [
        (["render", "-f", "config"], "config/app.yml", "port: 80", "port: 81", "port: 80 -> 81"),
        (["patch", "base.yml"], "base.yml", "a: 1", "a: 5", "a: 1 -> 5"),
        (["layer", "docs"], "docs/all.yml", "port: 80", "port: 81", "data.port: 80 -> 81"),
        (["compose", "steps.yml"], "config/app.yml", "port: 80", "port: 82", "port: 80 -> 82"),
    ],
    ids=lambda one: one[0] if isinstance(one, list) else "",
)
def test_every_command_is_watched(
    words: list[str], file: str, before: str, after: str, told: str, place: Path, started: list[Process]
) -> None:
    run = start(started, *words, "--watch")
    run.wait_for("Ctrl-C ends")
    path = place / file
    path.write_text(path.read_text().replace(before, after))
    assert f"{file} changed, 1 difference" in run.wait_for(told)
    assert run.end() == 0


def test_a_pipe_gets_all_of_it_each_time(place: Path, started: list[Process]) -> None:
    run = start(started, "patch", "base.yml", "-o", "ops.yml", "--watch", terminal=False)
    run.wait_for("a: 2\n")
    (place / "ops.yml").write_text("- {type: replace, path: /a, value: 3}\n")
    run.wait_for("a: 3\n")
    (place / "ops.yml").unlink()
    run.wait_for("ops.yml")
    (place / "ops.yml").write_text("- {type: replace, path: /b?, value: 4}\n")
    run.wait_for("a: 1\nb: 4\n")
    assert run.end() == 0


def test_findings_are_told_again(place: Path, started: list[Process]) -> None:
    run = start(started, "lint", "--watch", "--select", "D107,R401")
    run.wait_for("0 findings; Ctrl-C ends")
    app = place / "config" / "app.yml"
    app.write_text(FILES["config/app.yml"] + "a: yes\n")
    assert "app.yml changed, 1 finding\n" in run.wait_for("yes is true in YAML 1.1")
    app.write_text("a: [\n")
    run.wait_for("plait: config/app.yml:")
    app.write_text('#@ load("@ytt:data", "data")\na: 1\n')
    run.wait_for("data is loaded but never used")
    assert run.end() == 0


def test_files_are_written_again(place: Path, started: list[Process]) -> None:
    run = start(started, "render", "-f", "config", "--watch", "--output-files", "out")
    run.wait_for("app.yml")
    (place / "config" / "app.yml").write_text("a: new\n")
    run.wait_for("app.yml")
    end = time.monotonic() + LONGEST
    while (place / "out" / "app.yml").read_text() != "a: new\n":
        assert time.monotonic() < end
        time.sleep(0.05)
    assert run.end() == 0


def test_tests_run_that_read_what_has_changed(place: Path, started: list[Process]) -> None:
    run = start(started, "test", "--watch", "-v")
    assert "2 passed" in run.wait_for("watching the files they read; Ctrl-C ends")
    (place / "values.yml").write_text("replicas: 3\n")
    told = run.wait_for("1 failed")
    assert "values.yml changed, 1 test\n" in told
    assert "equals web:replicas: expected 2, found 3" in told.replace("Deployment/", "")
    (place / "base.yml").write_text("a: 1\nb: 1\n")
    told = run.wait_for("1 passed")
    assert "base.yml changed, 1 test\n" in told
    (place / "app.test.yml").write_text("tests:\n  other: {run: app, hass: replicas}\n")
    run.wait_for('unknown key "hass" in a test')
    (place / "app.test.yml").write_text("tests:\n  other: {run: app, has: replicas}\n")
    run.wait_for("1 passed")
    assert run.end() == 0


def test_the_page_of_a_first_project_shows_what_a_terminal_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: list[Process]
) -> None:
    """Its blocks of text are what a watch prints, times aside."""
    monkeypatch.chdir(tmp_path)
    run: Process | None = None
    seen = 0
    for _, language, path, block in blocks_of((DOCS / "first-project.md").read_text("utf-8")):
        if language != "text":
            write_or_run(language, path, block, tmp_path, monkeypatch)
            continue
        command, _, shown = block.rpartition("--watch\n")
        if command:
            run = start(started, *shlex.split(command.removeprefix("$ plait ")), "--watch")
        assert run is not None
        assert _without_times(run.wait_for(shown.rstrip()[-10:])) == _without_times(shown)
        seen += 1
    assert seen == 2
    assert run is not None
    assert run.end() == 0


def _without_times(text: str) -> str:
    return re.sub(r"\d+(:\d+:\d+| ms)", "...", text).strip()


def test_whoever_calls_it_is_told_what_has_changed(place: Path) -> None:
    seen: list[list[str]] = []

    def work(view: InputView, changed: frozenset[str]) -> None:
        seen.append(sorted(os.path.relpath(path) for path in changed))
        view.record_file("values.yml", (place / "values.yml").read_bytes())
        if len(seen) == 3:
            raise KeyboardInterrupt
        # A change while the work goes on is not missed.
        (place / "values.yml").write_text(f"replicas: 1{len(seen)}\n")

    follow(work)
    assert seen == [[], ["values.yml"], ["values.yml"]]


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["render", "-f", "-", "--watch"], "standard input cannot be read again"),
        (["patch", "base.yml", "--in-place", "--watch"], "--watch and --in-place exclude each other"),
    ],
)
def test_what_cannot_be_watched(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert message in capsys.readouterr().err


@pytest.mark.usefixtures("place")
def test_a_missing_extra_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    assert main(["render", "-f", "config", "--watch"]) == 2
    assert "pip install 'plait[watch]'" in capsys.readouterr().err
