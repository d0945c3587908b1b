"""Lines of a fleet's manifest (see `plait.fleet.manifest`). Other programs may have written them, so only valid parts
are read.

In a local directory each line has a seal: a digest keyed with the user's secret. A manifest decides which files are
read again and which results are up to date, so a manifest from a checkout is ignored.
"""

from __future__ import annotations

import json
from contextlib import suppress
from hashlib import blake2b
from hmac import compare_digest

from plait.base.permissions import Need
from plait.base.warning_data import warning_from
from plait.fleet.read_sets import ReadSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import TypeAlias

    from plait.base.errors import Warning
    from plait.fleet.run_result import Written

    Line: TypeAlias = dict[str, object]


_SEAL = ', "seal": "'


def parsed(lines: Iterable[str], key: bytes | None) -> Iterator[tuple[Line, str]]:
    """The lines that contain a JSON object, each with its text. All others are skipped, because a killed fleet may
    truncate a line.

    key: the key of their seals; b"" if lines have no seals, None if no line is trusted.
    """
    for line in lines if key is not None else ():
        text = line.rstrip("\r\n")
        if key and not _is_sealed(text, key):
            continue
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            found.pop("seal", None)
            yield found, text


def dumped(line: Line, key: bytes | None) -> str:
    """The text of a line, without a line break. key: as in `parsed`."""
    text = json.dumps(line, ensure_ascii=True, separators=(", ", ": "))
    return f'{text[:-1]}{_SEAL}{_seal(text, key)}"}}' if key else text


def _is_sealed(text: str, key: bytes) -> bool:
    before, _, seal = text.rpartition(_SEAL)
    return compare_digest(seal.encode(), f'{_seal(f"{before}}}", key)}"}}'.encode())


def _seal(text: str, key: bytes) -> str:
    # The purpose is part of the key, because caches use the same secret.
    return blake2b(text.encode("utf-8", "replace"), digest_size=20, key=key, person=b"fleet manifest").hexdigest()


def reads_of(line: Line) -> ReadSet:
    """The inputs that a line records."""
    return ReadSet(*(_digests(line.get(name)) for name in ("files", "directories", "variables", "stamps")))


def _digests(value: object) -> Mapping[str, str | None]:
    # A value that is not a digest never equals one.
    return value if isinstance(value, dict) else {}


def accesses_of(line: Line) -> list[Need]:
    """The programs and servers that a line records, without those that are not valid."""
    found = line.get("accesses")
    return (
        [Need(str(row[0]), str(row[-1])) for row in found if isinstance(row, list) and row]
        if isinstance(found, list)
        else []
    )


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


def outputs(lines: Iterable[str], key: bytes | None) -> Iterator[tuple[str, dict[str, Written]]]:
    """The destination and the written files of each run that lines record. key: as for `parsed`."""
    for line, _ in parsed(lines, key):
        output = line.get("output")
        if isinstance(output, str):
            yield output, written(line)


def strings(line: Line, name: str) -> list[str]:
    """The list of strings with a name in a line; empty if missing."""
    value = line.get(name)
    return [str(one) for one in value] if isinstance(value, list) else []


def warnings_of(line: Line) -> list[Warning]:
    """The warnings in a line, without those that are not valid."""
    found = line.get("warnings")
    out = []
    for one in found if isinstance(found, list) else ():
        with suppress(ValueError):
            out.append(warning_from(one))
    return out
