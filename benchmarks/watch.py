"""How long `plait render --watch` takes from a change of one file of 1,000 documents to the difference on the terminal.

    python benchmarks/watch.py [--runs N] [--json FILE]

Two projects: 100 templates of ten documents each, and 1,000 templates of one with data values for 500 components. The clock
runs from before the file is written until the changed value has arrived at the other side of the terminal.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import pty
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from testing import DEPLOYMENT, HELPERS, OVERLAYS, SERVICE, application

_BEGIN = '#@ load("@ytt:data", "data")\n#@ load("/helpers.lib.yml", "labels")\n#@ comp = data.values.components.main\n'


def large_templates(top: pathlib.Path) -> pathlib.Path:
    """Write 100 templates of ten documents each; one of them."""
    texts = {
        "config/schema.yml": "#@data/values-schema\n---\nenvironment: dev\ncomponents:\n"
        "  main:\n    replicas: 1\n    tag: latest\n    memory: 128Mi\n",
        "config/helpers.lib.yml": HELPERS,
        "overlays/overlays.yml": OVERLAYS,
        "values.yml": "environment: prod\n",
    }
    for number in range(100):
        names = [f"comp{number}-{part}" for part in range(5)]
        bodies = [text.format(name=name).partition("---\n")[2] for name in names for text in (DEPLOYMENT, SERVICE)]
        texts[f"config/comp{number}.yml"] = _BEGIN + "".join(f"---\n{body}" for body in bodies)
    for name, text in texts.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return top / "config" / "comp3.yml"


def small_templates(top: pathlib.Path) -> pathlib.Path:
    """Write 1,000 templates of one document each; one of them."""
    application(top, 500)
    return top / "config" / "comp3" / "deployment.yml"


def answers(top: pathlib.Path, file: pathlib.Path, runs: int) -> list[float]:
    """Seconds until each of so many changes is shown."""
    outer, inner = pty.openpty()
    command = [sys.executable, "-m", "plait", "render", "--watch", "-f", "config", "-f", "overlays", "-d", "values.yml"]
    environment = {**os.environ, "NO_COLOR": "1"}
    process = subprocess.Popen(command, cwd=top, stdin=inner, stdout=inner, stderr=inner, env=environment)
    text = file.read_text("utf-8")
    found = []
    try:
        _wait(outer, "Ctrl-C ends")
        for number in range(runs):
            time.sleep(0.5)
            start = time.perf_counter()
            file.write_text(text.replace("cpu: 500m", f"cpu: {1000 + number}m"), "utf-8")
            _wait(outer, f"{1000 + number}m")
            found.append(time.perf_counter() - start)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()
    return found


def _wait(terminal: int, wanted: str) -> None:
    text = ""
    while wanted not in text:
        assert select.select([terminal], [], [], 60)[0], text
        text += os.read(terminal, 1 << 16).decode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--json", type=pathlib.Path)
    given = parser.parse_args()
    figures = {}
    for name, make in (("100 templates", large_templates), ("1,000 templates", small_templates)):
        with tempfile.TemporaryDirectory() as directory:
            seconds = answers(pathlib.Path(directory), make(pathlib.Path(directory)), given.runs)
        figures[name] = seconds
        least, most = min(seconds) * 1000, max(seconds) * 1000
        print(f"{name:<18}{statistics.median(seconds) * 1000:>6.0f} ms  (least {least:.0f}, most {most:.0f})")
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1), "utf-8")


if __name__ == "__main__":
    main()
