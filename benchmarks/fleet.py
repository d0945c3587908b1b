"""Many environments of one application: `python benchmarks/fleet.py [--count 1000] [--sample 100] [--jobs 2] [--json FILE]`.

One fleet for all of them; then again with one values file changed; and a sample of them by a process of `plait render`
each, `--jobs` at a time. `--other COMMAND` measures another program for the sample in the same way: it is called with the
flags that `plait render` gets.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

PLAIT = [sys.executable, "-m", "plait"]
COMPONENTS = 20
APP = """\
#@ load("@ytt:data", "data")
#@ comp = data.values.components.comp_{0}
---
kind: Deployment
metadata:
  name: #@ "comp-{0}-" + data.values.environment
spec:
  replicas: #@ comp.replicas
  template:
    spec:
      containers:
      - name: main
        image: #@ "registry.example/comp-{0}:" + comp.tag
"""
OVERLAY = """\
#@ load("@ytt:overlay", "overlay")
#@overlay/match by=overlay.all, expects="1+"
---
metadata:
  #@overlay/match missing_ok=True
  annotations: {owner: platform}
"""
PROJECT = """\
runs:
  app:
    matrix: {axes: {env: {files: "envs/*.yml"}}, output: "{env}.yml"}
    render: {files: config, data-values-file: "envs/{env}.yml"}
"""


def generate(top: pathlib.Path, count: int) -> list[str]:
    """Write the application; the names of its environments."""
    parts = "".join(f"  comp_{number}: {{replicas: 1, tag: latest}}\n" for number in range(COMPONENTS))
    files = {"config/schema.yml": f"#@data/values-schema\n---\nenvironment: dev\ncomponents:\n{parts}"}
    files |= {f"config/comp-{number}.yml": APP.format(number) for number in range(COMPONENTS)}
    files |= {"config/overlay.yml": OVERLAY, "plait.yml": PROJECT}
    names = [f"e{number:05}" for number in range(count)]
    files |= {f"envs/{name}.yml": values(name) for name in names}
    for name, text in files.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return names


def values(name: str) -> str:
    parts = "".join(
        f"  comp_{number}: {{replicas: {number % 4 + 1}, tag: '1.{number}'}}\n" for number in range(COMPONENTS)
    )
    return f"environment: {name}\ncomponents:\n{parts}"


def seconds_of(argv: list[str], top: pathlib.Path) -> float:
    start = time.perf_counter()
    subprocess.run(argv, cwd=top, check=True, capture_output=True)
    return time.perf_counter() - start


def each(program: list[str], names: list[str], top: pathlib.Path, jobs: int) -> float:
    """Seconds for one environment when each has a process of its own."""
    start = time.perf_counter()
    with ThreadPoolExecutor(jobs) as threads:
        list(
            threads.map(
                lambda name: seconds_of([*program, "-f", "config", "--data-values-file", f"envs/{name}.yml"], top),
                names,
            )
        )
    return (time.perf_counter() - start) / len(names)


def measure(top: pathlib.Path, given: argparse.Namespace) -> dict[str, float]:
    names = generate(top, given.count)
    fleet = [*PLAIT, "fleet", "-j", str(given.jobs), "--cache", str(top / "kept"), "--quiet"]
    found = {"fleet": seconds_of(fleet, top)}
    (top / "envs" / f"{names[0]}.yml").write_text(values("changed"), "utf-8")
    found["one changed"] = seconds_of(fleet, top)
    sample = names[: given.sample]
    found["plait render"] = each([*PLAIT, "render"], sample, top, given.jobs) * given.count
    if given.other:
        found[given.other] = each(shlex.split(given.other), sample, top, given.jobs) * given.count
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--sample", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--other", default="")
    parser.add_argument("--json", type=pathlib.Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        found = measure(pathlib.Path(directory), given)
    for name, seconds in found.items():
        print(f"{name:<24}{seconds:>10.2f} s{seconds / found['fleet']:>10.3f}")
    if given.json is not None:
        given.json.write_text(json.dumps({name: [seconds] for name, seconds in found.items()}), "utf-8")


if __name__ == "__main__":
    main()
