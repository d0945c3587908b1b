"""Lines of a fleet's manifest (see `plait.fleet.manifest`). Other programs may have written them, so only valid parts are
read.
"""

from __future__ import annotations

import json

from plait.fleet.read_sets import ReadSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import TypeAlias

    from plait.fleet.run_result import Written

    Line: TypeAlias = dict[str, object]


def parsed(lines: Iterable[str]) -> Iterator[tuple[Line, str]]:
    """The lines that are JSON objects, each with its text. Others are skipped, because a killed fleet may cut one
    short.
    """
    for text in lines:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found, text.rstrip("\r\n")


def dumped(line: Line) -> str:
    """The text of a line, without a line break."""
    return json.dumps(line, ensure_ascii=True, separators=(", ", ": "))


def reads_of(line: Line) -> ReadSet:
    """The inputs that a line records."""
    return ReadSet(*(_digests(line.get(name)) for name in ("files", "directories", "variables", "stamps")))


def _digests(value: object) -> Mapping[str, str | None]:
    # A value that is not a digest equals none.
    return value if isinstance(value, dict) else {}


def written(line: Line) -> dict[str, Written]:
    """The files that the line of a run records as written, by path; empty if one of them is not valid."""
    files, times = line.get("outputs"), line.get("written")
    found: dict[str, Written] = {}
    for path, row in files.items() if isinstance(files, dict) else ():
        if not isinstance(row, list) or len(row) != 2 or not isinstance(row[1], int):
            return {}
        time = times.get(path) if isinstance(times, dict) else None
        found[path] = row[0] if isinstance(row[0], str) else None, row[1], time if isinstance(time, int) else None
    return found


def strings(line: Line, name: str) -> list[str]:
    """The list of strings with a name in a line; empty if missing."""
    value = line.get(name)
    return [str(one) for one in value] if isinstance(value, list) else []
