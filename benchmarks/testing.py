"""A thousand tests of an application of 20 documents: how long `plait test` takes.

    python benchmarks/testing.py [--cases N] [--jobs N] [--keep DIRECTORY]

Half of the cases set values of their own, so that each is an evaluation; the others are about one of ten runs. Each looks at
values by PATH, a tenth has a snapshot of the output. Prints seconds of the clock and of the processors.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

COMPONENTS = 10

HELPERS = """\
#@ load("@ytt:data", "data")
#@ def labels(name):
app: #@ name
env: #@ data.values.environment
#@ end
"""
DEPLOYMENT = """\
#@ load("@ytt:data", "data")
#@ load("/helpers.lib.yml", "labels")
#@ comp = data.values.components.{name}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}
  labels: #@ labels("{name}")
spec:
  replicas: #@ comp.replicas
  selector:
    matchLabels: #@ labels("{name}")
  template:
    metadata:
      labels: #@ labels("{name}")
    spec:
      containers:
      - name: main
        image: #@ "registry.example/{name}:{{}}".format(comp.tag)
        ports:
        - containerPort: 8080
        resources:
          limits:
            #@ if/end comp.memory:
            memory: #@ comp.memory
            cpu: 500m
"""
SERVICE = """\
#@ load("/helpers.lib.yml", "labels")
---
apiVersion: v1
kind: Service
metadata:
  name: {name}
spec:
  selector: #@ labels("{name}")
  ports:
  - {{name: http, port: 80, targetPort: 8080}}
"""
OVERLAYS = """\
#@ load("@ytt:overlay", "overlay")
#@overlay/match by=overlay.all, expects="1+"
---
metadata:
  #@overlay/match missing_ok=True
  annotations:
    #@overlay/match missing_ok=True
    owner: platform
#@overlay/match by=overlay.subset({"kind": "Deployment"}), expects="1+"
---
spec:
  template:
    spec:
      containers:
      #@overlay/match by="name"
      - name: main
        #@overlay/match missing_ok=True
        imagePullPolicy: Always
"""


def application(top: pathlib.Path, components: int = COMPONENTS) -> None:
    """Write the application: two documents for each component."""
    names = [f"comp{number}" for number in range(components)]
    schema = "".join(f"  {name}:\n    replicas: 1\n    tag: latest\n    memory: 128Mi\n" for name in names)
    texts = {
        "config/schema.yml": f"#@data/values-schema\n---\nenvironment: dev\ncomponents:\n{schema}",
        "config/helpers.lib.yml": HELPERS,
        "overlays/overlays.yml": OVERLAYS,
        "values.yml": "environment: prod\ncomponents:\n" + "".join(f"  {name}: {{replicas: 2}}\n" for name in names),
    }
    for name in names:
        texts[f"config/{name}/deployment.yml"] = DEPLOYMENT.format(name=name)
        texts[f"config/{name}/service.yml"] = SERVICE.format(name=name)
    settings = "{render: {files: [config, overlays], data-values-file: values.yml, set: {environment: env%d}}}"
    texts["plait.yml"] = "runs:\n" + "".join(f"  run{number}: {settings % number}\n" for number in range(10))
    for name, text in texts.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def tests(top: pathlib.Path, count: int) -> None:
    """Write the test files, a hundred cases each."""
    (top / "tests").mkdir()
    for first in range(0, count, 100):
        out = ["tests:\n"]
        for number in range(first, min(first + 100, count)):
            replicas = 2 if number % 2 else number + 3
            out.append(f"  case {number}:\n    run: run{number % 10}\n")
            if number % 2 == 0:
                out.append(f"    set: {{components: {{comp1: {{replicas: {replicas}}}}}}}\n")
            out.append(f"    equals: {{Deployment/comp1:spec.replicas: {replicas}}}\n")
            out.append('    has: [Service/comp2, "Deployment/*:spec.template.spec.containers[name=main].image"]\n')
            out.append('    lacks: "Deployment/*:spec.paused"\n    count: 20\n')
            out.append("    snapshot: true\n" if number % 10 == 0 else "")
        (top / "tests" / f"from{first}.test.yml").write_text("".join(out), "utf-8")


def timed(top: pathlib.Path, *words: str) -> tuple[float, float]:
    """Seconds of the clock and of the processors that `plait test` takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    command = [sys.executable, "-m", "plait", "test", *words]
    done = subprocess.run(command, cwd=top, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stdout + done.stderr
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        top = pathlib.Path(directory)
        application(top)
        tests(top, given.cases)
        timed(top, "--update")
        found = {}
        for jobs in dict.fromkeys((1, given.jobs)):
            clock, processors = timed(top, "-j", str(jobs))
            print(f"{given.cases} cases, {jobs} processes: {clock:.2f} s, of the processors {processors:.2f} s")
            found[f"{jobs} processes"] = clock
    if given.json:
        pathlib.Path(given.json).write_text(json.dumps(found) + os.linesep, "utf-8")


if __name__ == "__main__":
    main()
