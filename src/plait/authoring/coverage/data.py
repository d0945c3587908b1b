"""Coverage data: the points of files, and the number of runs that executed each branch.

A `Coverage` listens to evaluations and adds up: `with coverage.run(name)`. A branch counts once for each run that
executed it. Counts of several processes or days can be merged if the files have not changed.
"""

from __future__ import annotations

import os

from plait.authoring.coverage.report_paths import relative
from plait.authoring.coverage.summary import FileData, FileSummary, Summary, digest_of, read_text
from plait.base.errors import UsageError
from plait.base.events import listening

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from plait.authoring.coverage.summary import Key
    from plait.base.events import Point
    from plait.base.source import Source


_FORMAT = 1


class Coverage:
    """The counts by file. runs: the names of the runs, in order. changed: files dropped in a merge because their text
    has changed. secret_runs: runs that use secrets; only code that does not depend on secrets is counted for them.
    """

    def __init__(self) -> None:
        self.files: dict[str, FileData] = {}
        self.runs: list[str] = []
        self.secret_runs: list[str] = []
        self.changed: list[str] = []

    def run(self, name: str = "") -> _HitCounter:
        """`with coverage.run(name):` counts everything inside as one run, even if it fails."""
        return _HitCounter(self, name)

    def summary(self, directory: str = "") -> Summary:
        """Lines and branches, by file. directory: the base of paths; by default the working directory."""
        base = os.path.abspath(directory or os.curdir)
        files = [FileSummary(relative(path, base), file) for path, file in self.files.items()]
        files.sort(key=lambda file: file.name)
        return Summary(files, self.runs, sorted({relative(path, base) for path in self.changed}), self.secret_runs)

    def add_file(self, found: FileData) -> None:
        """Adds the counts of one file. Replaces counts of an earlier text."""
        known = self.files.get(found.path)
        if known is None or known.digest != found.digest:
            if known is not None:
                self.changed.append(found.path)
            known = self.files[found.path] = FileData(found.path, found.digest)
        known.add(found)

    def merge(self, other: Coverage) -> None:
        """Adds the counts of another process or an earlier day. For a changed file, the later counts are kept."""
        self.runs += other.runs
        self.secret_runs += other.secret_runs
        self.changed += other.changed
        for file in other.files.values():
            self.add_file(file)

    # ---- as plain data

    def to_json(self, directory: str) -> dict[str, object]:
        """Plain data, without texts. directory: the base of paths."""
        return {
            "plait": "coverage",
            "format": _FORMAT,
            "runs": self.runs,
            "secret": self.secret_runs,
            "files": {
                relative(path, directory): {
                    "digest": file.digest,
                    "private": sorted(file.private),
                    "points": [[*point, number, counts] for (point, number), counts in file.counts.items()],
                }
                for path, file in sorted(self.files.items())
            },
        }

    @staticmethod
    def from_json(data: object, name: str, directory: str) -> Coverage:
        """The coverage from data written by `to_json`. name: the name of its file, for messages. directory: the base of
        its paths.

        Raises UsageError for invalid data.
        """
        made = Coverage()
        try:
            if not isinstance(data, dict) or data["plait"] != "coverage" or data["format"] != _FORMAT:
                raise ValueError
            made.runs = [str(run) for run in data["runs"]]
            made.secret_runs = [str(run) for run in data.get("secret", ())]
            for path, found in data["files"].items():
                there = os.path.normpath(os.path.join(directory, path))
                path = there if os.path.lexists(there) else path
                file = made.files[path] = FileData(path, str(found["digest"]))
                file.private = {(int(first), int(after)) for first, after in found["private"]}
                for kind, lines, label, ways, number, counts in found["points"]:
                    point = str(kind), tuple(map(int, lines)), str(label), tuple(map(str, ways))
                    if not lines or len(ways) != len(counts):
                        raise ValueError
                    file.counts[point, int(number)] = [int(count) for count in counts]
        except (KeyError, TypeError, ValueError, AttributeError):
            raise UsageError(
                f'"{name}" contains no coverage data of plait',
                hint="create the file with plait coverage --report json:FILE",
                code="coverage-data",
            ) from None
        return made

    def forget_changed(self) -> None:
        """Drops files that changed since they were counted, and missing ones."""
        for path, file in [*self.files.items()]:
            if digest_of(read_text(path), file.private) != file.digest:
                del self.files[path]
                self.changed.append(path)


class _HitCounter:
    """Counts one run: listens to it, and adds the counts at its end."""

    def __init__(self, coverage: Coverage, name: str) -> None:
        self._coverage = coverage
        self._name = name
        self._programs: dict[Source, tuple[Sequence[Point], set[int]]] = {}
        self._counts: dict[Source, dict[Point, set[str]]] = {}
        self._private: dict[Source, set[tuple[int, int]]] = {}
        self.uses_secrets = False

    def __enter__(self) -> Coverage:
        self._heard = listening(self)
        self._heard.__enter__()
        return self._coverage

    def __exit__(self, *_: object) -> None:
        self._heard.__exit__()
        self._coverage.runs.append(self._name)
        if self.uses_secrets:
            self._coverage.secret_runs.append(self._name)
        by_path: dict[str, FileData] = {}
        for file in self._found():
            known = by_path.get(file.path)
            if known is None:
                by_path[file.path] = file
            else:
                # A run may read one file twice, or by several names.
                known.private |= file.private
                for key, counts in file.counts.items():
                    pairs = zip(known.counts.get(key, counts), counts, strict=True)
                    known.counts[key] = [max(x, y) for x, y in pairs]
        for file in by_path.values():
            self._coverage.add_file(file)

    def _found(self) -> Iterator[FileData]:
        for source in {**self._programs, **self._counts}:
            path = os.path.abspath(source.shown)
            is_file = os.path.isfile(path)
            if not is_file and source not in self._programs:
                continue  # text from a flag or a caller
            private = self._private.get(source, set())
            if source.private:
                private.add((source.first_line, _END))
            file = FileData(path if is_file else source.shown, digest_of(source.text, private), source.text)
            file.private = private
            for (point, number), counts in _numbered(*self._programs.get(source, ((), set()))):
                file.counts[point, number] = counts
            for point, gone in self._counts.get(source, {}).items():
                file.counts[point, 0] = [int(way in gone) for way in point[3]]
            yield file

    # ---- events of runs (see `plait.base.events.CoverageListener`)

    def program(self, source: Source, points: Sequence[Point]) -> Callable[[int], object]:
        known = self._programs.get(source)
        if known is None:
            known = self._programs[source] = points, set()
        return _BranchHits(self, known[1])

    def private(self, source: Source | None, first: int, after: int) -> None:
        if source is not None:
            self._private.setdefault(source, set()).add((first, after))

    def secrets(self) -> None:
        self.uses_secrets = True

    def _counts_point(self, point: Point) -> bool:
        """True if a point does not depend on the secrets of the run.

        Later results of a schema or an overlay may depend on secrets directly, through a condition, or because they are
        not reached. Layering executes its actions and substitutions whatever the data is.
        """
        return not self.uses_secrets or point[0] in _INDEPENDENT

    def there(self, source: Source | None, point: Point) -> None:
        if self._counts_point(point) and source is not None and point[1][0] > 0:
            self._counts.setdefault(source, {}).setdefault(point, set())

    def went(self, source: Source | None, point: Point, branch: str) -> None:
        if self._counts_point(point) and source is not None and point[1][0] > 0:
            self._counts.setdefault(source, {}).setdefault(point, set()).add(branch)


class _BranchHits:
    """The branches that a program executes. Once secrets enter the run, only branches that no secret decides are
    counted.
    """

    __slots__ = ("_counted", "independent")

    def __init__(self, counted: _HitCounter, gone: set[int]) -> None:
        self._counted = counted
        self.independent = gone.add

    def __call__(self, way: int) -> None:
        if not self._counted.uses_secrets:
            self.independent(way)


def _numbered(points: Sequence[Point], gone: set[int]) -> Iterator[tuple[Key, list[int]]]:
    """The points of a program with their counts in one run. Equal points are numbered."""
    alike: dict[Point, int] = {}
    way = 0
    for point in points:
        number = alike.get(point, 0)
        alike[point] = number + 1
        count = len(point[3])
        yield (point, number), [int(one in gone) for one in range(way, way + count)]
        way += count


# The end is after the last line.
_END = 1 << 60
# Types of points that do not depend on data.
_INDEPENDENT = frozenset({"action", "substitution"})
