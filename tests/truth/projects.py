"""A project under test: its runs in the state of the language server, copies of it with edits, and what the copies make."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from plait import project as projects
from plait.analysis.symbols import Symbols
from plait.analysis.verifying import output_of
from plait.engine.flags import words_of
from plait.errors import PlaitError
from plait.lsp import claims
from plait.lsp.answers import Edit
from plait.lsp.state import State
from plait.project.choosing import choose
from plait.project.run import Run

_LONGEST = 120  # seconds


class Subject:
    """A project. runs: those that succeed, by name; outputs: the result of each, by plait and by the real program."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.file = str(top / "plait.yml")
        self.state = State(lambda: None)
        self.state.open(self.file, Path(self.file).read_text("utf-8"))
        end = time.monotonic() + _LONGEST
        while self.state.is_busy():
            assert time.monotonic() < end, "an evaluation does not end"
            time.sleep(0.01)
        self.runs = {run.name: run for run in runs_of(top)}
        self.outputs = {name: made(run) for name, run in self.runs.items()}
        self.real = {name: made_by_ytt(run, top) for name, run in self.runs.items()}

    def symbols(self) -> Symbols:
        """The names of all files that the runs read."""
        return Symbols(claims.runs_for(self.state, self.file, claims.budget(60)), self.state.file)

    def differences(self, edits: Iterable[Edit]) -> list[str]:
        """The runs that make something else from a copy of the project with edits, each with how."""
        return self.differences_with(claims.edited(self.state, edits))

    def differences_with(self, texts: dict[str, bytes]) -> list[str]:
        """The same, of files with other texts."""
        found = []
        with copied(self.top) as copy:
            for path, data in texts.items():
                (copy / Path(path).relative_to(self.top)).write_bytes(data)
            after = {run.name: run for run in runs_of(copy)}
            for name in self.runs:
                if name not in after:
                    found.append(f"{name}: the run is gone")
                elif made(after[name]) != self.outputs[name]:
                    found.append(f"{name}: plait makes something else: {_first(made(after[name]), self.outputs[name])}")
                elif self.real[name] is not None:
                    now = made_by_ytt(after[name], copy)
                    if now != self.real[name]:
                        found.append(f"{name}: ytt makes something else: {str(now)[:400]}")
        return found

    def close(self) -> None:
        self.state.shut_down()


def _first(after: str, before: str) -> str:
    pairs = zip(after.splitlines(), before.splitlines(), strict=False)
    return next((f"{one!r} for {other!r}" for one, other in pairs if one != other), after[:300])


def runs_of(top: Path) -> list[Run]:
    """The runs of a project; the first environments of a matrix."""
    return choose(projects.read(str(top / "plait.yml")), most=2).runs


def made(run: Run) -> str:
    """What a run makes, or why it fails."""
    try:
        return repr(output_of(run, run.evaluate()))
    except PlaitError as error:
        return f"fails: {error.message}"


def made_by_ytt(run: Run, top: Path) -> str | None:
    """What the real program makes of a run; None where it is not at hand or does not know the run."""
    program = os.environ.get("PLAIT_YTT")
    if program is None or run.command != "render" or run.given is not None:
        return None
    words = words_of(run.request(""))
    done = subprocess.run([program, *words], cwd=top, capture_output=True, text=True, timeout=_LONGEST, check=False)
    return done.stdout if done.returncode == 0 else f"fails: {done.stderr}" if done.stderr else None


@contextmanager
def copied(top: Path) -> Iterator[Path]:
    """A copy of a project, without its history."""
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory) / top.name
        shutil.copytree(top, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        yield copy


def sample(seed: int, among: Sequence[object], tries: int) -> list[int]:
    """The indexes of some of a sequence, the same for the same seed."""
    return random.Random(seed).sample(range(len(among)), min(tries, len(among)))
