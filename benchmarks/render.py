"""How long rendering takes inside one process, by workload: `python benchmarks/render.py [--runs N] [--json FILE]`.

Inputs are made here, grow with `--size`, and are read, rendered and written each time.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import time
from collections.abc import Callable

from plait.tree.context import Context
from plait.yaml.output_formats import FORMATS
from plait.ytt.workspace.input_files import in_memory
from plait.ytt.workspace.phases import run
from plait.ytt.workspace.render_job import RenderJob

SERVICE = """\
---
apiVersion: v1
kind: Service
metadata:
  name: service-{n}
  labels: {{app: app-{n}, tier: backend}}
spec:
  selector:
    app: app-{n}
  ports:
  - name: http
    port: {port}
    targetPort: 8080
"""
OVERLAY = """\
#@ load("@ytt:overlay", "overlay")
#@overlay/match by=overlay.subset({"kind": "Service"}), expects="0+"
---
metadata:
  labels:
    #@overlay/match missing_ok=True
    team: platform
"""
LOOP = """\
#@ for n in range(%d):
---
name: #@ "item-{}".format(n)
even: #@ n %% 2 == 0
values:
#@ for m in range(5):
- #@ n * m
#@ end
#@ end
"""


def plain(size: int) -> dict[str, str]:
    return {"all.yml": "".join(SERVICE.format(n=n, port=8000 + n % 100) for n in range(size))}


def templated(size: int) -> dict[str, str]:
    text = "".join(SERVICE.format(n=n, port=f"#@ 8000 + {n % 100}") for n in range(size))
    return {"all.yml": text}


def overlaid(size: int) -> dict[str, str]:
    return plain(size) | {"overlay.yml": OVERLAY}


def loops(size: int) -> dict[str, str]:
    return {"loop.yml": LOOP % size}


WORKLOADS: dict[str, Callable[[int], dict[str, str]]] = {
    "plain": plain,
    "templated": templated,
    "overlaid": overlaid,
    "loops": loops,
}


def render(texts: dict[str, str]) -> str:
    files = [in_memory(path, text, order) for order, (path, text) in enumerate(texts.items(), 1)]
    return FORMATS["yaml"](run(RenderJob(files), Context()).documents)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--size", type=int, default=500)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    figures: dict[str, list[float]] = {}
    for name, make in WORKLOADS.items():
        texts = make(options.size)
        for _ in range(options.runs):
            start = time.perf_counter()
            render(texts)
            figures.setdefault(name, []).append(time.perf_counter() - start)
        print(f"{name:<24}{statistics.median(figures[name]) * 1000:>9.1f} ms  (least {min(figures[name]) * 1000:.1f})")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1), "utf-8")


if __name__ == "__main__":
    main()
