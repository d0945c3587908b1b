"""Writes trace files of lcov (`man geninfo`), which genhtml and most services read."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.authoring.coverage.summary import FileSummary, Summary


def to_lcov(summary: Summary) -> str:
    """A record per file: functions, branches, lines."""
    return "".join(f"{line}\n" for file in summary.files for line in _record(file))


def _record(file: FileSummary) -> Iterator[str]:
    yield "TN:"
    yield f"SF:{_path(file.name)}"
    # Functions with the same name in one file are distinguished by their lines.
    names = [name for _, name, _ in file.functions]
    functions = [
        (line, name if names.count(name) == 1 else f"{name}:{line}", count) for line, name, count in file.functions
    ]
    yield from (f"FN:{line},{name}" for line, name, _ in functions)
    yield from (f"FNDA:{count},{name}" for _, name, count in functions)
    yield f"FNF:{len(functions)}"
    yield f"FNH:{sum(bool(count) for _, _, count in functions)}"
    numbers: dict[int, int] = {}
    for branch in file.branches:
        number = numbers.get(branch.block, 0)
        numbers[branch.block] = number + 1
        # For an unused line, the counts of its branches are unknown.
        count = str(branch.count) if file.lines.get(branch.line) else "-"
        yield f"BRDA:{branch.line},{branch.block},{number},{count}"
    hit_lines, lines, hit_branches, branches = file.counts
    yield f"BRF:{branches}"
    yield f"BRH:{hit_branches}"
    yield from (f"DA:{line},{count}" for line, count in file.lines.items())
    yield f"LF:{lines}"
    yield f"LH:{hit_lines}"
    yield "end_of_record"


def _path(name: str) -> str:
    """A path on one line."""
    return name.replace("\r", " ").replace("\n", " ")
