"""The manifest of a fleet: each run with its reads, outputs and status, as one line of JSON.

{"fleet": 1, "plait": ..., "project": "plait.yml"} {"part": "0a1b...", "files": {"config/app.yml": "<sha256>"},
"directories": {...}} {"run": "app/eu/s1", "output": "eu/s1", "status": "rendered", "reads": ["0a1b..."], "files":
{...}, "outputs": {...}}

Reads inside an input directory are a separate part, so that a thousand runs that share the directory list it once.
While a fleet runs, lines are appended to a journal as runs end. At the end the manifest replaces the previous one, in
the order of the project file. A killed fleet therefore loses no finished run.
"""

from __future__ import annotations

from plait.base.warning_data import warning_data
from plait.fleet.identity import version
from plait.fleet.manifest_lines import accesses_of, dumped, parsed, reads_of, strings, warnings_of, written
from plait.fleet.read_sets import ReadSet
from plait.fleet.run_result import FAILED, UP_TO_DATE, RunResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.fleet.destinations import Destination
    from plait.fleet.manifest_lines import Line
    from plait.fleet.plan import Task
    from plait.fleet.read_sets import DiskState

_FORM = 1


class Manifest:
    """The manifest and the journal at a destination. Opened by one fleet at a time, if the destination supports
    locks.
    """

    def __init__(self, place: Destination, project: str) -> None:
        """Raises ReadError if it cannot be written, UsageError if another fleet writes there."""
        self._place = place
        self._head: Line = {"fleet": _FORM, "plait": version(), "project": project}
        self._parts: dict[str, Line] = {}
        self._old_parts: dict[str, ReadSet] = {}
        self._matching: dict[str, bool] = {}
        self._runs: dict[str, Line] = {}
        self._old: dict[str, Line] = {}
        self._old_texts: dict[str, str] = {}
        place.open()
        try:
            self._read_old()
            self._note(self._head)
        except BaseException:
            place.close()
            raise

    def _read_old(self) -> None:
        """Reads the records of earlier fleets: the completed ones, then an interrupted one."""
        for lines in self._place.lines():
            is_ours = False
            for line, text in parsed(lines, self._place.key):
                if "fleet" in line:
                    # Results of another version of plait are rendered again.
                    is_ours = line.get("fleet") == _FORM and line.get("plait") == self._head["plait"]
                elif is_ours and "part" in line:
                    self._old_parts[str(line["part"])] = reads_of(line)
                    self._parts[str(line["part"])] = line
                elif "run" in line:
                    self._old[str(line["run"])] = line if is_ours else {"output": line.get("output")}
                    self._old_texts[str(line["run"])] = text

    def kept(self, task: Task, disk: DiskState, *, resumed: bool) -> RunResult | None:
        """The result of a run that is up to date, or None. Its reads and outputs must be unchanged.

        resumed: the fleet continues an interrupted one, so runs that depend on more than files count, too.
        """
        line = self._old.get(task.name)
        if line is None or line.get("definition") != task.definition or line.get("output") != task.place:
            return None
        if line.get("status") == FAILED or (line.get("secret") and not resumed):
            return None
        if not disk.grants(accesses_of(line)):
            return None
        parts = line.get("reads")
        if not isinstance(parts, list) or not all(self._is_current(str(part), disk) for part in parts):
            return None
        files = written(line)
        reads = reads_of(line)
        if not files or not (disk.has_stamps(reads) if line.get("secret") else disk.has(reads)):
            return None
        if not self._place.is_there(task, files):
            return None
        self._runs[task.name] = line
        return RunResult(
            task.name, UP_TO_DATE, files=files, warnings=warnings_of(line), is_secret=bool(line.get("secret"))
        )

    def _is_current(self, part: str, disk: DiskState) -> bool:
        found = self._matching.get(part)
        if found is None:
            reads = self._old_parts.get(part)
            found = self._matching[part] = reads is not None and disk.has(reads)
        return found

    def enter(self, task: Task, outcome: RunResult) -> None:
        """Records a result immediately, so that a killed process loses no finished run."""
        for name, part in outcome.news.items():
            if name not in self._parts:
                self._parts[name] = {"part": name, "files": part.files, "directories": part.directories}
                self._note(self._parts[name])
        line: Line = {"run": task.name, "output": task.place, "status": outcome.status}
        line["seconds"] = round(outcome.seconds, 4)
        line["definition"] = task.definition
        if task.choices:
            line["values"] = {axis: choice.value for axis, choice in task.choices.items()}
        if outcome.has_failed:
            line["error"] = outcome.error
            line["diagnostics"] = [one.data() for one in outcome.messages]
            before = self._old.get(task.name)
            line["stays"] = before is not None and before.get("output") == task.place
        else:
            line["reads"] = list(outcome.parts)
            reads = outcome.reads or ReadSet({}, {}, {})
            line["files"] = dict(reads.files)
            if outcome.accesses:
                line["accesses"] = [*map(list, outcome.accesses)]
            if reads.stamps:
                line["stamps"] = dict(reads.stamps)
            if reads.directories:
                line["directories"] = dict(reads.directories)
            if reads.variables:
                line["variables"] = dict(reads.variables)
            line["outputs"] = {path: [found, size] for path, (found, size, _) in outcome.files.items()}
            line["written"] = {path: time for path, (*_, time) in outcome.files.items()}
        if outcome.is_secret:
            line["secret"] = True
        if outcome.warnings:
            line["warnings"] = [*map(warning_data, outcome.warnings)]
        self._runs[task.name] = line
        self._note(line)

    def left_over(self, tasks: Iterable[Task]) -> list[str]:
        """Destinations of runs of earlier fleets that no longer exist."""
        places = {task.place for task in tasks}
        found = {str(line.get("output")) for line in self._old.values()}
        return sorted(place for place in found - places if self._place.has(place))

    def finish(self, tasks: Sequence[Task]) -> None:
        """Writes the manifest, and removes the journal. tasks: all runs of the project. Raises ReadError."""
        lines: list[Line] = []
        for task in tasks:
            line = self._runs.get(task.name) or self._old.get(task.name)
            if line is not None and line.get("run") == task.name:
                lines.append(line)
        used = {str(part) for line in lines for part in strings(line, "reads")}
        parts = [self._parts[name] for name in sorted(used) if name in self._parts]
        texts = (self._text(line) for line in lines)
        heads = (dumped(line, self._place.key) for line in (self._head, *parts))
        self._place.finish(f"{text}\n".encode() for text in (*heads, *texts))

    def close(self) -> None:
        """Allows others to write there."""
        self._place.close()

    def _text(self, line: Line) -> str:
        """The text of a line; an unchanged line keeps its text."""
        name = str(line["run"])
        return self._old_texts[name] if self._old.get(name) is line else dumped(line, self._place.key)

    def _note(self, line: Line) -> None:
        self._place.note(f"{dumped(line, self._place.key)}\n")
