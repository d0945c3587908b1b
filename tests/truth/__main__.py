"""The table for some projects: `python -m truth [--seed N] [--tries N] [--only ROW] REPOSITORY...`."""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import truth
from truth.projects import Subject, generated, opened
from truth.rows import HEAD, Row

Check = Callable[[Subject, int, int], Row]


def checks(only: list[str]) -> Iterator[Check]:
    """The functions `check` of the modules beside this one. only: names of modules, all by default."""
    for module in pkgutil.iter_modules(truth.__path__):
        if module.name.startswith("_") or (only and module.name not in only):
            continue
        check: Check | None = getattr(importlib.import_module(f"truth.{module.name}"), "check", None)
        if check is not None:
            yield check


def main() -> int:
    """Print the table, and a case for each claim that was false; 1 if there is one."""
    parser = argparse.ArgumentParser(prog="truth", description=__doc__)
    parser.add_argument(
        "projects",
        nargs="*",
        type=Path,
        metavar="REPOSITORY",
        help="a directory with a plait.yml, or a file of command lines",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tries", type=int, default=30, help="tries for each row and project")
    parser.add_argument("--generated", type=int, default=0, metavar="N", help="also try N generated projects")
    parser.add_argument("--most", type=int, default=2, help="environments of each matrix that are tried")
    parser.add_argument("--only", action="append", default=[], metavar="ROW", help="a module of tests/truth")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the rows of each project to a file")
    asked = parser.parse_args()
    rows: dict[str, Row] = {}
    failing: list[str] = []
    for project in [*asked.projects, *range(1, asked.generated + 1)]:
        with opened(project, asked.most) if isinstance(project, Path) else generated(project) as subject:
            failing += [f"{project}: {name} fails: {reason}" for name, reason in subject.failing.items()]
            for check in checks(asked.only) if subject.runs else ():
                row = check(subject, asked.seed, asked.tries)
                rows.setdefault(row.name, Row(row.name)).add(row)
                if asked.json is not None:
                    with asked.json.open("a", encoding="utf-8") as file:
                        file.write(json.dumps({"project": str(project), **row.data()}) + "\n")
    print(HEAD)
    for row in rows.values():
        print(row.line())
    for reason in failing:
        print(reason)
    for row in rows.values():
        for title, reasons in (("refused", row.refused), ("computed", row.computed)):
            for reason, count in reasons.most_common():
                print(f"{row.name}: {title} {count}: {reason}")
        for case in row.wrong:
            print(f"{row.name}: WRONG\n{case}")
    return 1 if any(row.wrong for row in rows.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
