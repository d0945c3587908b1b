"""How long `--watch` takes from a change of one file of 1,000 documents to the difference on the terminal.

    python benchmarks/watch.py [--runs N] [--json FILE]

Three projects: 100 templates of ten documents each, 1,000 templates of one with data values for 500 components, and 1,000
layered documents in files of their own, half of which inherit from the others. The clock runs from before the file is
written until the changed value has arrived at the other side of the terminal.
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
from collections.abc import Sequence

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


def layered_documents(top: pathlib.Path) -> pathlib.Path:
    """Write 500 documents, and for each one that inherits from it; one of them."""
    (top / "documents").mkdir()
    head = "schema: {schema}\nmetadata:\n  schema: metadata/{control}/v1\n  name: {name}\n"
    policy = head.format(schema="deckhand/LayeringPolicy/v1", control="Control", name="order")
    (top / "documents" / "policy.yml").write_text(f"{policy}data: {{layerOrder: [type, site]}}\n", "utf-8")
    layers = (
        ("type", "  labels: {{number: n{0}}}\n  layeringDefinition: {{layer: type, abstract: true}}\n"),
        (
            "site",
            "  layeringDefinition:\n    layer: site\n    parentSelector: {{number: n{0}}}\n    actions: [{{method: merge, path: .}}]\n",
        ),
    )
    for number in range(500):
        for layer, definition in layers:
            text = head.format(schema=f"example/Part{number}/v1", control="Document", name=f"{layer}-{number}")
            data = f"data:\n  limits: {{cpu: 500m}}\n  list: [1, 2, 3]\n  layers: {{{layer}: {number}}}\n"
            (top / "documents" / f"{layer}-{number}.yml").write_text(text + definition.format(number) + data, "utf-8")
    return top / "documents" / "site-3.yml"


_RENDER = ("render", "-f", "config", "-f", "overlays", "-d", "values.yml")
PROJECTS = {
    "100 templates": (large_templates, _RENDER),
    "1,000 templates": (small_templates, _RENDER),
    "1,000 layered documents": (layered_documents, ("layer", "documents")),
}


def answers(top: pathlib.Path, file: pathlib.Path, words: Sequence[str], runs: int) -> list[float]:
    """Seconds until each of so many changes is shown. words: the command."""
    outer, inner = pty.openpty()
    command = [sys.executable, "-m", "plait", *words, "--watch"]
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
    for name, (make, words) in PROJECTS.items():
        with tempfile.TemporaryDirectory() as directory:
            top = pathlib.Path(directory)
            seconds = answers(top, make(top), words, given.runs)
        figures[name] = seconds
        least, most = min(seconds) * 1000, max(seconds) * 1000
        print(f"{name:<24}{statistics.median(seconds) * 1000:>6.0f} ms  (least {least:.0f}, most {most:.0f})")
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1), "utf-8")


if __name__ == "__main__":
    main()
