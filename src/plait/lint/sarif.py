"""Findings in SARIF 2.1.0, which code hosting services read."""

from __future__ import annotations

import os

from plait.lint.codes import CODES, DEAD, ORDER
from plait.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plait.lint.finding import Finding
    from plait.lint.subject import Subject

    Part = Mapping[str, object]

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
# What may be meant as it is, is a note.
_WARNINGS = frozenset({DEAD, ORDER})


def as_sarif(subject: Subject, findings: Sequence[Finding]) -> str:
    """One run of the tool with all findings."""
    from json import dumps

    used = sorted({finding.code for finding in findings})
    log = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "plait", "version": __version__, "rules": [_rule(code) for code in used]}},
                "columnKind": "unicodeCodePoints",
                "results": [_result(subject, finding, used.index(finding.code)) for finding in findings],
            }
        ],
    }
    return dumps(log, indent=1, ensure_ascii=False) + "\n"


def _rule(code: str) -> Part:
    row = CODES[code]
    return {
        "id": row.code,
        "name": row.name,
        "shortDescription": {"text": row.summary},
        "help": {"text": f"docs/reference/codes/{row.code}.md"},
        "properties": {"tags": [row.family]},
    }


def _result(subject: Subject, finding: Finding, index: int) -> Part:
    result: dict[str, object] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": "warning" if CODES[finding.code].family in _WARNINGS else "note",
        "message": {"text": finding.message + (f" ({finding.hint})" if finding.hint else "")},
        "locations": [
            _location(subject, finding.path, finding.line, startColumn=finding.column, endColumn=finding.end)
        ],
    }
    if finding.also:
        result["relatedLocations"] = [
            {**_location(subject, place.path, place.line), "message": {"text": place.words}} for place in finding.also
        ]
    if finding.edits:
        result["fixes"] = [_fix(subject, finding)]
    return result


def _location(subject: Subject, path: str, line: int, **columns: int) -> Part:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(subject, path)},
            "region": {"startLine": line, **columns},
        }
    }


def _fix(subject: Subject, finding: Finding) -> Part:
    by_path: dict[str, list[Part]] = {}
    for edit in finding.edits:
        by_path.setdefault(edit.path, []).append(
            {
                "deletedRegion": {"charOffset": edit.start, "charLength": edit.end - edit.start},
                "insertedContent": {"text": edit.new},
            }
        )
    return {
        "description": {"text": finding.hint or finding.message},
        "artifactChanges": [
            {"artifactLocation": {"uri": _uri(subject, path)}, "replacements": replacements}
            for path, replacements in by_path.items()
        ],
    }


def _uri(subject: Subject, path: str) -> str:
    """A path as a reference: relative where it can be."""
    from urllib.parse import quote

    shown = subject.shown(path).replace(os.sep, "/")
    text = quote(shown.encode("utf-8", "surrogateescape"))
    return f"file://{text}" if os.path.isabs(shown) else text
