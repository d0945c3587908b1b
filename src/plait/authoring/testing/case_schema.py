"""The JSON Schema of test files, derived from the tables that read them (docs/test.schema.json).

The settings of commands are described in the schema of the project file, in the same directory.
"""

from __future__ import annotations

from plait.authoring.project.settings import COMMANDS
from plait.authoring.testing.expectations import KINDS
from plait.authoring.testing.snapshots import SCHEMA as SNAPSHOT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from plait.authoring.project.project_schema import Schema

_TEXTS: Schema = {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}


def schema() -> dict[str, object]:
    """The schema, as plain data (JSON Schema 2020-12)."""
    subject = _subject()
    case = {
        "description": {"type": "string"},
        **subject,
        "snapshot": SNAPSHOT,
        **{name: described for name, (_, described) in KINDS.items()},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "plait tests",
        "type": "object",
        "additionalProperties": False,
        "required": ["tests"],
        "properties": {
            "defaults": {**_closed(case), "description": "defaults of all tests in the file"},
            "tests": {
                "description": "tests by name",
                "type": "object",
                "additionalProperties": {"$ref": "#/$defs/test"},
            },
        },
        "$defs": {
            "subject": _closed(subject),
            "parameter": _closed(case),
            "test": _closed({**case, "each": _each()}),
        },
    }


def _closed(properties: Mapping[str, object]) -> Schema:
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _subject() -> Schema:
    """The schema of the keys that select a subject."""
    return {
        "run": {"type": ["string", "null"], "description": "the name of a run of the project"},
        **{command: {"$ref": f"project.schema.json#/$defs/{command}"} for command in COMMANDS},
        "files": {**_TEXTS, "description": "inputs, instead of those of the run"},
        "ops": {**_TEXTS, "description": "operations files, instead of those of the run"},
        "set": {"type": "object", "description": "overrides data values of the run"},
        "vars": {"type": "object", "description": "overrides variables of the run"},
        "limit": {"type": ["object", "string", "array"], "description": "limits of the test, as in --limit"},
    }


def _each() -> Schema:
    return {
        "description": "parameters: a list of values for each, or names with different settings",
        "oneOf": [
            {"type": "array", "items": {"type": "object", "minProperties": 1}},
            {"type": "object", "additionalProperties": {"$ref": "#/$defs/parameter"}},
        ],
    }
