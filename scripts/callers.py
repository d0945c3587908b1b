"""Run the test suites of programs that call ytt or bosh, with plait in the place of both.

    python scripts/callers.py ytt=PATH kapp-controller=PATH cf-deployment=PATH

A PATH is the checkout of the project; it is copied, so nothing in it changes. The suites need Go, and the modules that a
project does not vendor. The table has the tests of each suite and those that passed. `--reference DIRECTORY` runs every
suite once more with the programs `ytt` and `bosh` of a directory, and prints the tests whose results differ.

The specs of bosh-cli call functions, not a program. In the copy, the functions are replaced by those of `callers_go`, which
run `bosh interpolate`. A few specs fail with every program: they inject errors that no command line has.

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
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Suite(NamedTuple):
    """A suite. directory: where `go test` runs. packages: its arguments. programs: paths in the project that are ytt.

    prepare: changes the copy of the project. specs: for suites of Ginkgo, a pattern of the specs that are run.
    """

    directory: str
    packages: tuple[str, ...]
    programs: tuple[str, ...] = ()
    prepare: Callable[[pathlib.Path], None] = lambda _project: None
    specs: str = ""


GO = pathlib.Path(__file__).parent / "callers_go"
# The functions of bosh-cli that are replaced, by file.
REPLACED = {
    "template.go": ["Template) Evaluate"],
    "static_vars.go": ["StaticVariables) Get", "StaticVariables) List"],
    "var_kv.go": ["VarKV) UnmarshalFlag"],
    "var_file_arg.go": ["VarFileArg) UnmarshalFlag"],
    "vars_env_arg.go": ["VarsEnvArg) UnmarshalFlag"],
    "vars_file_arg.go": ["VarsFileArg) UnmarshalFlag"],
}


def replace_in_bosh_cli(project: pathlib.Path) -> None:
    """Let the functions that the specs test run `bosh`."""
    package = project / "director" / "template"
    for name, functions in REPLACED.items():
        for function in functions:
            replace_once(package / name, function, function.replace(") ", ") Replaced"))
    specs = project / "integration" / "interpolate_test.go"
    text = specs.read_text("utf-8")
    for function in ("createCommand(", "createAndExecCommand("):
        text = text.replace(function, function.replace("Command", "ReplacedCommand"))
    specs.write_text(text, "utf-8")
    shutil.copy(GO / "bosh_template.go", package / "replaced.go")
    shutil.copy(GO / "bosh_integration.go", specs.with_name("replaced_test.go"))
    common = (GO / "bosh.go").read_text("utf-8")
    (package / "run_bosh.go").write_text(common.replace("PACKAGE", "template", 1), "utf-8")
    specs.with_name("run_bosh_test.go").write_text(common.replace("PACKAGE", "integration_test", 1), "utf-8")


def replace_once(file: pathlib.Path, old: str, new: str) -> None:
    """Raises ValueError if the text is not there once."""
    text = file.read_text("utf-8")
    if text.count(old) != 1:
        raise ValueError(f"{file.name}: {old} is there {text.count(old)} times")
    file.write_text(text.replace(old, new), "utf-8")


SUITES = {
    "ytt": Suite(".", ("./test/e2e/...",), programs=("ytt",)),
    "kapp-controller": Suite(".", ("./pkg/template/...", "./pkg/app/...", "./pkg/packageinstall/...")),
    "kctrl": Suite("cli", ("./pkg/kctrl/cmd/package/release/...", "./pkg/kctrl/cmd/app/...")),
    "cartographer": Suite(".", ("./pkg/templates/...", "./pkg/testing/...")),
    "cf-deployment": Suite("units", ("./tests/...",)),
    "bosh-cli": Suite(
        ".",
        ("./director/template/", "./cmd/", "./integration/"),
        prepare=replace_in_bosh_cli,
        specs=" (MultiVariables|StaticVariables|Template|VarFileArg|VarKV|VarsEnvArg|VarsFileArg|InterpolateCmd|interpolate command) ",
    ),
}
# What a test ended with.
ENDS = ("pass", "fail", "skip")
REPORT = "callers-specs.json"
SPEC_ENDS = {"passed": "pass", "failed": "fail", "panicked": "fail", "pending": "skip"}


def run(suite: Suite, source: pathlib.Path, programs: pathlib.Path, timeout: float) -> dict[str, str]:
    """The result of each test, by its name. programs: a directory with `ytt` and `bosh`."""
    with tempfile.TemporaryDirectory(prefix="callers-") as name:
        project = pathlib.Path(name) / "project"
        shutil.copytree(source, project, symlinks=True)
        for path in suite.programs:
            (project / path).unlink(missing_ok=True)
            (project / path).symlink_to(programs / "ytt")
        suite.prepare(project)
        environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
        if (project / suite.directory / "vendor").is_dir():
            environment["GOFLAGS"] = "-mod=vendor"
        report = ["-args", f"--ginkgo.json-report={REPORT}", f"--ginkgo.focus={suite.specs}"] if suite.specs else []
        done = subprocess.run(
            # The directory of the copy is a new one each time: with -trimpath, Go compiles a package once all the same.
            ["go", "test", "-trimpath", "-json", "-count=1", *suite.packages, *report],
            cwd=project / suite.directory,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=timeout,
        )
        if suite.specs:
            return spec_results(project)
    return results(done.stdout)


def spec_results(project: pathlib.Path) -> dict[str, str]:
    """The result of each spec in the reports that Ginkgo wrote into the directories of packages."""
    found = {}
    for file in sorted(project.rglob(REPORT)):
        for suite in json.loads(file.read_text("utf-8")):
            for spec in suite["SpecReports"]:
                end = SPEC_ENDS.get(spec["State"])
                if spec["LeafNodeType"] == "It" and end is not None:
                    words = [*(spec["ContainerHierarchyTexts"] or []), spec["LeafNodeText"]]
                    place = spec["LeafNodeLocation"]
                    found[f"{file.parent.name}:{' '.join(words)} (line {place['LineNumber']})"] = end
    return found


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
    try:
        ours = run(SUITES[name], source, shims, timeout)
        theirs = run(SUITES[name], source, reference.resolve(), timeout) if reference else None
    except subprocess.TimeoutExpired:
        print(f"{name:<16} no result within {timeout:g} s")
        return 1
    passed = sum(end == "pass" for end in ours.values())
    print(f"{name:<16} {passed} of {len(ours)} passed with plait", end="")
    if theirs is None:
        print()
        worse = sorted(test for test, end in ours.items() if end == "fail")
    else:
        print(f", {sum(end == 'pass' for end in theirs.values())} of {len(theirs)} with the reference program")
        worse = sorted(test for test, end in theirs.items() if end == "pass" and ours.get(test) != "pass")
    for test in worse:
        print(f"  {test}")
    if not ours:
        print("  no test ran: is Go installed, and every module there?")
    return 1 if worse or not ours else 0


if __name__ == "__main__":
    sys.exit(main())
