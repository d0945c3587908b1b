"""The table for some projects: `python -m truth [--seed N] [--tries N] [--only ROW] DIRECTORY...`."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import truth
from truth.rows import HEAD, Row

Check = Callable[[Path, int, int], Row]


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
    parser.add_argument("projects", nargs="+", type=Path, metavar="DIRECTORY", help="a directory with a plait.yml")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tries", type=int, default=30, help="tries for each row and project")
    parser.add_argument("--only", action="append", default=[], metavar="ROW", help="a module of tests/truth")
    asked = parser.parse_args()
    rows: list[Row] = []
    for check in checks(asked.only):
        found: Row | None = None
        for project in asked.projects:
            row = check(project.resolve(), asked.seed, asked.tries)
            if found is None:
                found = row
            else:
                found.add(row)
        rows += [] if found is None else [found]
    print(HEAD)
    for row in rows:
        print(row.line())
    for row in rows:
        for title, reasons in (("refused", row.refused), ("computed", row.computed)):
            for reason, count in reasons.most_common():
                print(f"{row.name}: {title} {count}: {reason}")
        for case in row.wrong:
            print(f"{row.name}: WRONG\n{case}")
    return 1 if any(row.wrong for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
