"""Run the test suites of programs that call ytt or bosh, with plait in the place of both.

    python scripts/callers.py ytt=PATH kapp-controller=PATH cf-deployment=PATH

A PATH is the checkout of the project; it is copied, so nothing in it changes. The suites need Go, and the modules that a
project does not vendor. The table has the tests of each suite and those that passed. `--reference DIRECTORY` runs every
suite once more with the programs `ytt` and `bosh` of a directory, and prints the tests whose results differ.

Exit status 1 if a test passes with the reference program and fails with plait; without `--reference`, if one fails.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from typing import NamedTuple


class Suite(NamedTuple):
    """A suite. directory: where `go test` runs. packages: its arguments. programs: paths in the project that are ytt."""

    directory: str
    packages: tuple[str, ...]
    programs: tuple[str, ...] = ()


SUITES = {
    "ytt": Suite(".", ("./test/e2e/...",), programs=("ytt",)),
    "kapp-controller": Suite(".", ("./pkg/template/...", "./pkg/app/...", "./pkg/packageinstall/...")),
    "kctrl": Suite("cli", ("./pkg/kctrl/cmd/package/release/...", "./pkg/kctrl/cmd/app/...")),
    "cartographer": Suite(".", ("./pkg/templates/...", "./pkg/testing/...")),
    "cf-deployment": Suite("units", ("./tests/...",)),
    "bosh-cli": Suite(".", ("./integration/...",)),
}
# What a test ended with.
ENDS = ("pass", "fail", "skip")


def run(suite: Suite, source: pathlib.Path, programs: pathlib.Path, timeout: float) -> dict[str, str]:
    """The result of each test, by its name. programs: a directory with `ytt` and `bosh`."""
    with tempfile.TemporaryDirectory(prefix="callers-") as name:
        project = pathlib.Path(name) / "project"
        shutil.copytree(source, project, symlinks=True)
        for path in suite.programs:
            (project / path).unlink(missing_ok=True)
            (project / path).symlink_to(programs / "ytt")
        environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
        if (project / suite.directory / "vendor").is_dir():
            environment["GOFLAGS"] = "-mod=vendor"
        done = subprocess.run(
            ["go", "test", "-json", "-count=1", *suite.packages],
            cwd=project / suite.directory,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=timeout,
        )
    return results(done.stdout)


def results(output: str) -> dict[str, str]:
    """The result of each test that `go test -json` printed; of tests with parts, that of each part."""
    found: dict[str, str] = {}
    for line in output.splitlines():
        if not line.startswith("{"):
            continue
        event = json.loads(line)
        if event.get("Action") in ENDS and "Test" in event:
            found[f"{event['Package']}:{event['Test']}"] = event["Action"]
    return {name: end for name, end in found.items() if not any(other.startswith(f"{name}/") for other in found)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="+", metavar="SUITE=PATH", help=f"suites: {', '.join(SUITES)}")
    parser.add_argument("--plait", default="plait", help="the command (default: the one on PATH)")
    parser.add_argument("--reference", type=pathlib.Path, metavar="DIRECTORY", help="a directory with ytt and bosh")
    parser.add_argument("--timeout", type=float, default=3600, metavar="SECONDS", help="for one suite (default 3600)")
    given = parser.parse_args()
    status = 0
    with tempfile.TemporaryDirectory(prefix="shims-") as shims:
        subprocess.run([given.plait, "shims", shims], check=True, stdout=subprocess.DEVNULL)
        for one in given.suites:
            name, _, path = one.partition("=")
            if name not in SUITES or not pathlib.Path(path).is_dir():
                parser.error(f"{one}: not SUITE=PATH with one of {', '.join(SUITES)}")
            status |= report(name, pathlib.Path(path), pathlib.Path(shims), given.reference, given.timeout)
    return status


def report(name: str, source: pathlib.Path, shims: pathlib.Path, reference: pathlib.Path | None, timeout: float) -> int:
    """Run a suite and print what came of it; the exit status."""
    ours = run(SUITES[name], source, shims, timeout)
    passed = sum(end == "pass" for end in ours.values())
    print(f"{name:<16} {passed} of {len(ours)} passed with plait", end="")
    if reference is None:
        print()
        worse = sorted(test for test, end in ours.items() if end == "fail")
    else:
        theirs = run(SUITES[name], source, reference.resolve(), timeout)
        print(f", {sum(end == 'pass' for end in theirs.values())} of {len(theirs)} with the reference program")
        worse = sorted(test for test, end in theirs.items() if end == "pass" and ours.get(test) != "pass")
    for test in worse:
        print(f"  {test}")
    if not ours:
        print("  no test ran: is Go installed, and every module there?")
    return 1 if worse or not ours else 0


if __name__ == "__main__":
    sys.exit(main())
