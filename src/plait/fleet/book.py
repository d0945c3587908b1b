"""The manifest of a fleet: which runs there are, what each has read and written, and how it went; a line of JSON for each.

    {"fleet": 1, "plait": ..., "project": "plait.yml"}
    {"part": "0a1b...", "files": {"config/app.yml": "<sha256>"}, "directories": {...}}
    {"run": "app/eu/s1", "output": "eu/s1", "status": "made", "reads": ["0a1b..."], "files": {...}, "outputs": {...}}

What runs have read below a directory that their settings name is a part of its own, so that a thousand runs that share it
have it once. While a fleet goes on the lines are added to a journal, in the order in which runs end; when it has ended the
manifest takes the place of the one before, in the order of the project file. So a fleet that was killed has lost nothing
that it had made, and `fleet` finds it there.
"""

from __future__ import annotations

import json
import os

from plait.errors import ReadError, UsageError
from plait.fleet.identity import version
from plait.fleet.outcome import FAILED, KEPT, Outcome
from plait.fleet.placing import is_there
from plait.fleet.plan import MANIFEST, OWN
from plait.fleet.reads import Reads
from plait.output import make_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import IO, TypeAlias

    from plait.fleet.plan import Task
    from plait.fleet.reads import Disk

    Line: TypeAlias = dict[str, object]

_FORM = 1
# The lines for a run that say how it went this time, and not what came of it.
_JOURNAL = "journal.jsonl"
_LOCK = "lock"


class Book:
    """The manifest and the journal in a directory of results. Only one fleet at a time has them open."""

    def __init__(self, directory: str, project: str) -> None:
        """Raises ReadError when it cannot be written, UsageError when another fleet writes there."""
        self._directory = directory
        self._own = os.path.join(directory, OWN)
        self._path = os.path.join(directory, MANIFEST)
        self._head: Line = {"fleet": _FORM, "plait": version(), "project": project}
        self._parts: dict[str, Line] = {}
        self._old_parts: dict[str, Reads] = {}
        self._matching: dict[str, bool] = {}
        self._runs: dict[str, Line] = {}
        self._old: dict[str, Line] = {}
        self._journal: IO[str] | None = None
        try:
            make_directory(self._own)
            self._lock = _locked(os.path.join(self._own, _LOCK))
            self._read_old()
            self._clean()
            self._journal = open(os.path.join(self._own, _JOURNAL), "a", encoding="utf-8")  # noqa: SIM115 - until `close`
            self._note(self._head)
        except OSError as error:
            raise ReadError(f"cannot write in {directory}: {error.strerror}") from None

    def _read_old(self) -> None:
        """What earlier fleets have made: those that ended, and then one that did not."""
        for path in (self._path, os.path.join(self._own, _JOURNAL)):
            is_ours = False
            for line in _lines(path):
                if "fleet" in line:
                    # What another plait made is made again.
                    is_ours = line.get("fleet") == _FORM and line.get("plait") == self._head["plait"]
                elif is_ours and "part" in line:
                    self._old_parts[str(line["part"])] = _reads(line)
                    self._parts[str(line["part"])] = line
                elif "run" in line:
                    self._old[str(line["run"])] = line if is_ours else {"output": line.get("output")}

    def _clean(self) -> None:
        """Remove what a fleet that was killed has left half made."""
        from shutil import rmtree

        for name in os.listdir(self._own):
            path = os.path.join(self._own, name)
            if name not in (_JOURNAL, _LOCK):
                rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)

    def kept(self, task: Task, disk: Disk, *, resumed: bool) -> Outcome | None:
        """The outcome of a run that need not be made again: what it reads and what it wrote are as they were.

        resumed: also where that is not all that it depends on, since it goes on with a fleet that was stopped.
        """
        line = self._old.get(task.name)
        if line is None or line.get("definition") != task.definition or line.get("output") != task.place:
            return None
        if line.get("status") == FAILED or (line.get("secret") and not resumed):
            return None
        parts = line.get("reads")
        if not isinstance(parts, list) or not all(self._is_current(str(part), disk) for part in parts):
            return None
        files = _written(line.get("outputs"))
        reads = _reads(line)
        if not files or not (disk.has_stamps(reads) if line.get("secret") else disk.has(reads)):
            return None
        if not is_there(self._directory, task, files):
            return None
        self._runs[task.name] = line
        warnings = line.get("warnings")
        return Outcome(task.name, KEPT, files=files, warnings=warnings if isinstance(warnings, list) else ())

    def _is_current(self, part: str, disk: Disk) -> bool:
        found = self._matching.get(part)
        if found is None:
            reads = self._old_parts.get(part)
            found = self._matching[part] = reads is not None and disk.has(reads)
        return found

    def enter(self, task: Task, outcome: Outcome) -> None:
        """Note what came of a run, at once: whoever kills the process loses nothing that was made."""
        parts = []
        for reads in outcome.parts:
            name = reads.key()
            parts.append(name)
            if name not in self._parts:
                self._parts[name] = {"part": name, "files": reads.files, "directories": reads.directories}
                self._note(self._parts[name])
        line: Line = {"run": task.name, "output": task.place, "status": outcome.status}
        line["seconds"] = round(outcome.seconds, 4)
        line["definition"] = task.definition
        if task.choices:
            line["values"] = {axis: choice.value for axis, choice in task.choices.items()}
        if outcome.has_failed:
            line["error"] = outcome.error
            before = self._old.get(task.name)
            line["stays"] = before is not None and before.get("output") == task.place
        else:
            line["reads"] = parts
            reads = outcome.reads or Reads({}, {}, {})
            line["files"] = dict(reads.files)
            if reads.directories:
                line["directories"] = dict(reads.directories)
            if reads.variables:
                line["variables"] = dict(reads.variables)
            line["outputs"] = {path: list(written) for path, written in outcome.files.items()}
        if outcome.is_secret:
            line["secret"] = True
        if outcome.warnings:
            line["warnings"] = list(outcome.warnings)
        self._runs[task.name] = line
        self._note(line)

    def left_over(self, tasks: Iterable[Task]) -> list[str]:
        """Places of runs of earlier fleets that no run has any more."""
        places = {task.place for task in tasks}
        found = {str(line.get("output")) for line in self._old.values()}
        return sorted(place for place in found - places if os.path.lexists(os.path.join(self._directory, place)))

    def finish(self, tasks: Sequence[Task]) -> None:
        """Put the manifest in its place, and remove the journal. tasks: all runs of the project. Raises ReadError."""
        from plait.writing import write_file

        lines: list[Line] = []
        for task in tasks:
            line = self._runs.get(task.name) or self._old.get(task.name)
            if line is not None and line.get("run") == task.name:
                lines.append(line)
        used = {str(part) for line in lines for part in _texts(line.get("reads"))}
        parts = [self._parts[name] for name in sorted(used) if name in self._parts]
        try:
            write_file(self._path, (_dumped(line) for line in [self._head, *parts, *lines]), new_mode=0o600)
            if self._journal is not None:
                self._journal.close()
                self._journal = None
                os.unlink(os.path.join(self._own, _JOURNAL))
        except OSError as error:
            raise ReadError(f"cannot write {self._path}: {error.strerror}") from None

    def close(self) -> None:
        """Let others write in the directory."""
        if self._journal is not None:
            self._journal.close()
        self._lock.close()

    def _note(self, line: Line) -> None:
        if self._journal is not None:
            self._journal.write(_dumped(line).decode())
            self._journal.flush()


def runs_of(directory: str) -> list[Line]:
    """What the manifest in a directory of results says of each run. Raises ReadError if there is none."""
    path = os.path.join(directory, MANIFEST)
    if not os.path.isfile(path):
        raise ReadError(f"there is no manifest of a fleet in {directory}", expected=path, hint="plait fleet makes one")
    return [line for line in _lines(path) if "run" in line]


def _locked(path: str) -> IO[str]:
    file = open(path, "a", encoding="utf-8")  # noqa: SIM115 - the lock ends when it is closed
    try:
        import fcntl
    except ImportError:
        return file
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise UsageError(
            "another fleet writes there",
            found=os.path.dirname(os.path.dirname(path)),
            hint="wait for it, or --output DIR",
        ) from None
    return file


def _lines(path: str) -> Iterable[Line]:
    """The lines of a manifest; one that was cut short, or is none, is passed over."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            for text in file:
                try:
                    found = json.loads(text)
                except (ValueError, RecursionError):
                    continue
                if isinstance(found, dict):
                    yield found
    except OSError:
        return


def _dumped(line: Line) -> bytes:
    return json.dumps(line, ensure_ascii=True, separators=(", ", ": ")).encode() + b"\n"


def _reads(line: Line) -> Reads:
    return Reads(*(_digests(line.get(name)) for name in ("files", "directories", "variables")))


def _digests(value: object) -> Mapping[str, str | None]:
    if not isinstance(value, dict):
        return {}
    return {str(path): found if isinstance(found, str) else None for path, found in value.items()}


def _written(value: object) -> dict[str, tuple[str | None, int]]:
    found: dict[str, tuple[str | None, int]] = {}
    for path, pair in value.items() if isinstance(value, dict) else ():
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[1], int):
            return {}
        found[str(path)] = (pair[0] if isinstance(pair[0], str) else None, pair[1])
    return found


def _texts(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []
