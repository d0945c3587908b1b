"""Many environments of one application: what `plait fleet` takes for them. Each figure has a command line of its own.

    python benchmarks/fleet.py each --count 1000 [--sample N] [--other COMMAND]
        one fleet, beside a process of `plait render`, and of another program, for each environment
    python benchmarks/fleet.py growth --counts 1250,2500,5000,10000
        how time grows with the number of environments, and how much memory the process takes that gives out work
    python benchmarks/fleet.py changed --count 10000
        a second fleet after one values file has changed, and whether it made what a whole one makes
    python benchmarks/fleet.py dask --count 2000 [--every 5]
        one worker, two workers, and two of which one is killed every five seconds

`--jobs` is how many processes there are at a time, two by default. `--json FILE` writes what was measured. Ratios are
taken within one run, so a machine that does other things as well changes them less than it changes seconds.
"""

from __future__ import annotations

import argparse
import filecmp
import json
import math
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PLAIT = [sys.executable, "-m", "plait"]
# The same, which says at the end how much memory it has had: kibibytes, on standard error.
MEASURED = """\
import resource, sys
from plait.cli import main
code = main(sys.argv[1:])
print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
sys.exit(code)
"""
COMPONENTS = 20
WORKLOAD = """\
#@ load("@ytt:data", "data")
#@ load("/names.lib.yml", "labels", "named")
#@ own = data.values.components.comp_{0}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: #@ named("comp-{0}")
  labels: #@ labels("comp-{0}")
spec:
  replicas: #@ own.replicas
  selector:
    matchLabels: #@ labels("comp-{0}")
  template:
    metadata:
      labels: #@ labels("comp-{0}")
    spec:
      containers:
      - name: main
        image: #@ data.values.registry + "/comp-{0}:" + own.tag
        env: #@ own.env
        ports: [{{containerPort: 8080}}]
        resources:
          limits:
            #@ if/end own.memory:
            memory: #@ own.memory
            cpu: 500m
"""
SERVICE = """\
#@ load("/names.lib.yml", "labels", "named")
---
apiVersion: v1
kind: Service
metadata:
  name: #@ named("comp-{0}")
spec:
  selector: #@ labels("comp-{0}")
  ports: [{{name: http, port: 80, targetPort: 8080}}]
"""
NAMES = """\
#@ load("@ytt:data", "data")
#@ def named(base):
#@   return base + "-" + data.values.environment
#@ end
#@ def labels(name):
app: #@ name
environment: #@ data.values.environment
#@ end
"""
OVERLAYS = """\
#@ load("@ytt:overlay", "overlay")
#@ load("@ytt:data", "data")
#@overlay/match by=overlay.all, expects="1+"
---
metadata:
  #@overlay/match missing_ok=True
  annotations: {owner: platform}
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
#@ if/end data.values.environment.endswith("7"):
#@overlay/match by=overlay.subset({"kind": "Service"}), expects="1+"
---
spec:
  #@overlay/match missing_ok=True
  type: LoadBalancer
"""
PROJECT = """\
runs:
  app:
    matrix: {axes: {env: {files: "envs/*.yml"}}, output: "{env}.yml"}
    render: {files: [config, overlays], data-values-file: "envs/{env}.yml"}
"""


def generate(top: pathlib.Path, count: int) -> list[str]:
    """Write the application; the names of its environments."""
    parts = "".join(
        f"  comp_{number}:\n    replicas: 1\n    tag: latest\n    #@schema/nullable\n    memory: 128Mi\n"
        '    env: [{name: "", value: ""}]\n'
        for number in range(COMPONENTS)
    )
    head = "#@data/values-schema\n---\nenvironment: dev\nregistry: registry.example.com\ncomponents:\n"
    files = {"config/schema.yml": head + parts, "config/names.lib.yml": NAMES, "overlays/all.yml": OVERLAYS}
    for number in range(COMPONENTS):
        files[f"config/comp-{number}/workload.yml"] = WORKLOAD.format(number)
        files[f"config/comp-{number}/service.yml"] = SERVICE.format(number)
    names = [f"e{number:05}" for number in range(count)]
    files |= {f"envs/{name}.yml": values(name) for name in names}
    for name, text in {**files, "plait.yml": PROJECT}.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return names


def values(name: str) -> str:
    """The values file of an environment."""
    return f"environment: {name}\ncomponents:\n" + "".join(
        f"  comp_{number}:\n    replicas: {number % 4 + 1}\n    tag: '1.{number}'\n"
        f"    env: [{{name: LEVEL, value: '{name}-{number}'}}]\n"
        for number in range(COMPONENTS)
    )


def seconds_of(argv: list[str], top: pathlib.Path) -> float:
    """How long a command takes. Raises CalledProcessError."""
    start = time.perf_counter()
    subprocess.run(argv, cwd=top, check=True, capture_output=True)
    return time.perf_counter() - start


def processes(program: list[str], names: list[str], top: pathlib.Path, jobs: int) -> float:
    """Seconds for one environment when each has a process of its own."""
    flags = ["-f", "config", "-f", "overlays", "--data-values-file"]
    start = time.perf_counter()
    with ThreadPoolExecutor(jobs) as threads:
        list(threads.map(lambda name: seconds_of([*program, *flags, f"envs/{name}.yml"], top), names))
    return (time.perf_counter() - start) / len(names)


def fleet_of(jobs: int, *more: str) -> list[str]:
    """The command line of a fleet that nothing is known of."""
    return [*PLAIT, "fleet", "-j", str(jobs), "--quiet", "--no-cache", *more]


def each(top: pathlib.Path, given: argparse.Namespace) -> dict[str, float]:
    """Seconds of a fleet, and of a process for each environment, from a sample of them if one is asked for."""
    names = generate(top, given.count)
    sample = names[: given.sample or None]
    programs = {"plait render": [*PLAIT, "render"]} | ({given.other: shlex.split(given.other)} if given.other else {})
    found = {"fleet": seconds_of(fleet_of(given.jobs), top)}
    for name, program in programs.items():
        found[name] = processes(program, sample, top, given.jobs) * len(names)
        print(f"{name}: {found[name] / found['fleet']:.1f} times as long as the fleet")
    return found


def growth(top: pathlib.Path, given: argparse.Namespace) -> dict[str, float]:
    """Seconds and peak memory by the number of environments."""
    found: dict[str, float] = {}
    counts = [int(text) for text in given.counts.split(",")]
    for count in counts:
        place = top / str(count)
        generate(place, count)
        argv = [sys.executable, "-c", MEASURED, *fleet_of(given.jobs)[len(PLAIT) :]]
        start = time.perf_counter()
        done = subprocess.run(argv, cwd=place, check=True, capture_output=True, text=True)
        found[f"{count} seconds"] = time.perf_counter() - start
        found[f"{count} MiB"] = int(done.stderr.rpartition("peak ")[2]) / 1024
    few, many = counts[0], counts[-1]
    ratio = found[f"{many} seconds"] / found[f"{few} seconds"]
    print(f"time grows with the number of environments to the {math.log(ratio) / math.log(many / few):.3f}")
    return found


def changed(top: pathlib.Path, given: argparse.Namespace) -> dict[str, float]:
    """Seconds of a whole fleet, of one after a values file has changed, and of one after nothing has."""
    names = generate(top, given.count)
    argv = [*PLAIT, "fleet", "-j", str(given.jobs), "--quiet", "--cache", str(top / "kept")]
    found = {"whole": seconds_of(argv, top)}
    found["nothing changed"] = seconds_of(argv, top)
    (top / "envs" / f"{names[0]}.yml").write_text(values("changed"), "utf-8")
    found["one changed"] = seconds_of(argv, top)
    seconds_of(fleet_of(given.jobs, "--output", "afresh"), top)
    is_same = same(top / "out", top / "afresh")
    print(f"one changed: {found['one changed'] / found['whole']:.2%} of the whole; same bytes: {is_same}")
    return found


def dask(top: pathlib.Path, given: argparse.Namespace) -> dict[str, float]:
    """Seconds on clusters of one and of two workers, and of two of which one is killed now and then."""
    generate(top, given.count)
    found: dict[str, float] = {}
    for name, workers, every in (("one worker", 1, 0.0), ("two workers", 2, 0.0), ("killed", 2, given.every)):
        found[name], killed = on_cluster(top, top / name.replace(" ", "-"), workers, every)
        if every:
            print(f"{killed} workers were killed")
    print(f"two workers: {found['one worker'] / found['two workers']:.2f} times as fast as one")
    print(f"same bytes: {all(same(top / 'one-worker', top / other) for other in ('two-workers', 'killed'))}")
    return found


def on_cluster(top: pathlib.Path, output: pathlib.Path, workers: int, every: float) -> tuple[float, int]:
    """Seconds of a fleet on a cluster of this machine, and how many workers were killed meanwhile."""
    import distributed

    from plait.fleet.api import fleet

    options = {"n_workers": workers, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        ended = Event()
        killed: list[int] = []

        def kill() -> None:
            while every and not ended.wait(every):
                # A nanny starts another one in its place.
                pid = max(client.run(os.getpid).values())
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

        killer = Thread(target=kill)
        killer.start()
        try:
            start = time.perf_counter()
            fleet(top, output=output, executor=client).check()
            seconds = time.perf_counter() - start
        finally:
            ended.set()
            killer.join()
    return seconds, len(killed)


def same(left: pathlib.Path, right: pathlib.Path) -> bool:
    """Whether two directories have the same results."""
    names = [{path.name for path in one.glob("*.yml")} for one in (left, right)]
    return names[0] == names[1] and not any(filecmp.cmpfiles(left, right, names[0], shallow=False)[1:])


MEASURES: Mapping[str, Callable[[pathlib.Path, argparse.Namespace], dict[str, float]]] = {
    "each": each,
    "growth": growth,
    "changed": changed,
    "dask": dask,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measure", choices=MEASURES)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--counts", default="1250,2500,5000,10000")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--every", type=float, default=5.0)
    parser.add_argument("--other", default="")
    parser.add_argument("--json", type=pathlib.Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        found = MEASURES[given.measure](pathlib.Path(directory), given)
    for name, number in found.items():
        print(f"{name:<24}{number:>10.2f}")
    if given.json is not None:
        given.json.write_text(json.dumps({name: [number] for name, number in found.items()}), "utf-8")


if __name__ == "__main__":
    main()
