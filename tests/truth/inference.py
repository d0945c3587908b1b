"""Inference: every run that is offered without a project file renders; what is rejected has a reason."""

from __future__ import annotations

import os
import subprocess
import sys

from patience import LONGEST
from plait.authoring.project.inference.runs import infer
from plait.authoring.project.run import Run
from plait.engine.flags import words_of
from truth.projects import Subject, copied
from truth.rows import Row

NAME = "inference"


def check(subject: Subject, seed: int, tries: int) -> Row:
    """Run the command lines of inferred runs in a copy of the repository, each as a process of its own."""
    del seed
    row = Row(NAME)
    with copied(subject.top) as copy:
        (copy / "plait.yml").unlink(missing_ok=True)
        found = infer(str(copy))
        for one in found.rejected:
            if not one.reason:
                row.wrong.append(f"{one.at}: {one.shown}: rejected without a reason")
            row.computed[one.reason] += 1
        for run in found.runs[:tries]:
            done = subprocess.run(
                [sys.executable, "-m", "plait", run.command, *_argv(run)],
                cwd=run.directory or os.curdir,
                capture_output=True,
                text=True,
                timeout=LONGEST,
                check=False,
            )
            if done.returncode == 0:
                row.held += 1
            else:
                row.wrong.append(f"{run.why}: {run.command} {' '.join(_argv(run))}\n{done.stderr[:600]}")
    return row


def _argv(run: Run) -> list[str]:
    """The words of a run in its directory, without what writes."""
    return [word for word in words_of(run.request("")) if not word.startswith(_WRITES)]


_WRITES = ("--output-files", "--dangerous-emptied-output-directory", "--source-map", "--vars-store")
