"""Run the conformance cases and compare the passes of each group with the figures reached so far.

    python .ci/conformance.py ../shared/conformance [--update] [--traced]

Exit status 1 when a group falls below its figure, or when the run was not complete. `--update` writes figures that rose;
`--traced` records every run, as if each were to be explained.
"""

from __future__ import annotations

import json
import pathlib
import re
import shlex
import subprocess
import sys
import sysconfig

FIGURES = pathlib.Path(__file__).with_name("conformance.json")
TRACED = pathlib.Path(__file__).parent.parent / "tests" / "traced.py"
COMMANDS = {"--ytt": "render", "--int": "patch", "--layer": "layer"}
ROW = re.compile(r"^(\S+/\S+) +(\d+) +(\d+) +(\d+)$", re.MULTILINE)


def main() -> int:
    cases = pathlib.Path(sys.argv[1])
    if not (cases / "run").is_file():
        print(f"no conformance cases in {cases}: nothing compared")
        return 0
    plait = shlex.quote(str(pathlib.Path(sysconfig.get_path("scripts")) / "plait"))
    if "--traced" in sys.argv:
        plait = shlex.join([sys.executable, str(TRACED)])
    arguments = [word for flag, command in COMMANDS.items() for word in (flag, f"{plait} {command}")]
    run = subprocess.run([sys.executable, str(cases / "run"), *arguments], capture_output=True, text=True, check=False)
    print(run.stdout)
    sys.stderr.write(run.stderr)
    return compared(run.stdout, FIGURES, update="--update" in sys.argv)


def compared(table: str, figures: pathlib.Path, *, update: bool) -> int:
    """Compare the passes in the table that a run printed with the figures in a file; the exit status."""
    passed = {group: int(count) for group, count, _, _ in ROW.findall(table)}
    if not passed:
        print("the conformance run gave no table")
        return 1
    reached: dict[str, int] = json.loads(figures.read_text("utf-8")) if figures.exists() else {}
    fallen = [
        f"{group}: {passed.get(group, 0)}, reached {count}"
        for group, count in reached.items()
        if passed.get(group, 0) < count
    ]
    risen = {group: count for group, count in passed.items() if count > reached.get(group, 0)}
    for line in fallen:
        print(f"fell: {line}")
    if risen:
        print("rose: " + ", ".join(f"{group} {reached.get(group, 0)} -> {count}" for group, count in risen.items()))
    if update:
        figures.write_text(json.dumps(dict(sorted((reached | risen).items())), indent=2) + "\n", "utf-8")
    print(f"conformance: {sum(passed.values())} passed, {sum(reached.values())} reached before")
    return 1 if fallen else 0


if __name__ == "__main__":
    sys.exit(main())
