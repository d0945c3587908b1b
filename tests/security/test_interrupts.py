"""Ctrl-C ends every command within a second, whatever it is doing, with one line and no traceback."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from patience import LONGEST, processor_seconds

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "src"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends signals")

MANY = "".join(f"- {{name: item-{n}, values: [1, 2, 3], text: 'some text'}}\n" for n in range(150_000))
LOOP = "#@ for i in range(2000000000):\n#@   x = [i, str(i)]\n#@ end\na: 1\n"
POLICY = (
    "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: p}\ndata: {layerOrder: [a]}\n"
)
LAYERED = POLICY + "".join(
    "---\nschema: x/Y/v1\n"
    f"metadata: {{schema: metadata/Document/v1, name: n{n}, layeringDefinition: {{layer: a}}}}\ndata: {{a: 1}}\n"
    for n in range(20_000)
)

# what is being done -> command line, files; "pipe.yml" is a pipe that nobody writes to.
WORK = {
    "render reads": ("render -f pipe.yml", {}),
    "render reads standard input": ("render -f -", {}),
    "render evaluates": ("render -f a.yml --limit steps=900M", {"a.yml": LOOP}),
    "render sorts": (
        "render -f a.yml --limit steps=900M",
        {
            "a.yml": "#@ x = [(i * 7919) % 1000003 for i in range(900000)]\n#@ for i in range(1000):\n#@   y = sorted(x)\n#@ end\na: 1\n"
        },
    ),
    "render parses and prints": ("render -f a.yml -f a.yml -f a.yml", {"a.yml": MANY}),
    "render prints to a full pipe": ("render -f a.yml", {"a.yml": MANY}),
    "patch reads": ("patch pipe.yml", {}),
    "patch reads variables": ("patch a.yml -l pipe.yml", {"a.yml": "a: 1\n"}),
    "patch works": ("patch a.yml --input-order", {"a.yml": MANY}),
    "layer reads": ("layer pipe.yml", {}),
    "layer works": ("layer a.yml", {"a.yml": LAYERED}),
    "compose evaluates": (
        "compose w.yml --limit steps=900M",
        {"w.yml": "steps: [{render: {files: [a.yml]}}]\n", "a.yml": LOOP},
    ),
    "diff reads": ("diff pipe.yml a.yml", {"a.yml": "a: 1\n"}),
    "diff works": ("diff a.yml b.yml", {"a.yml": MANY, "b.yml": MANY.replace("[1, 2, 3]", "[1, 3]")}),
    "fmt reads": ("fmt -f pipe.yml", {}),
    "fmt works": ("fmt --check a.yml a.yml", {"a.yml": MANY}),
    "render fmt works": ("render fmt -f a.yml -f a.yml", {"a.yml": MANY}),
    "explain evaluates": ("explain render --limit steps=900M -f a.yml a", {"a.yml": LOOP}),
    "krm reads": ("krm", {}),
}


def interrupted(line: str, here: pathlib.Path, after: float, again: float = 0) -> tuple[int, float, str]:
    """The status, the processor time from the interrupt to the end in seconds, and standard error.

    again: seconds until a second interrupt, if the process has not ended by then; 0 for none.
    """
    env = dict(os.environ, PYTHONPATH=str(SOURCES))
    with subprocess.Popen(
        [sys.executable, "-m", "plait", *line.split()],
        cwd=here,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        time.sleep(after)
        before = processor_seconds(process.pid)
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        # The state is asked for without reaping the process, so that its processor time is still there.
        while not os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
            if time.monotonic() - start > LONGEST:
                process.kill()
            time.sleep(0.01)
            if again and time.monotonic() - start > again:
                again = 0
                process.send_signal(signal.SIGINT)
        seconds = processor_seconds(process.pid) - before
        assert process.stderr is not None
        said = process.stderr.read().decode()
    return process.returncode, seconds, said


@pytest.mark.parametrize("name", WORK)
@pytest.mark.parametrize("after", [0.3, 0.7])
def test_an_interrupt_ends_it(name: str, after: float, tmp_path: pathlib.Path, request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--long") and (after > 0.5) != (len(name) % 2 == 0):
        pytest.skip("half of them, without --long")
    line, files = WORK[name]
    for path, text in files.items():
        (tmp_path / path).write_text(text, "utf-8")
    if "pipe.yml" in line:
        os.mkfifo(tmp_path / "pipe.yml")
    status, seconds, said = interrupted(line, tmp_path, after)
    assert "Traceback" not in said
    assert "Error" not in said
    assert status in (130, -signal.SIGINT), said
    assert said in ("plait: interrupted\n", "") or said.endswith("\nplait: interrupted\n")
    assert seconds < 1


@pytest.mark.parametrize("after", [0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1])
def test_an_interrupt_while_it_starts(after: float, tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yml").write_text(LOOP, "utf-8")
    # Python drops an interrupt that comes into a callback of its own, such as those of its import locks.
    status, _, said = interrupted("render -f a.yml", tmp_path, after + 0.05, again=3)
    # What Python says while it is not yet at plait's first line is Python's.
    assert "plait/" not in said
    assert status in (130, -signal.SIGINT, 1), said
