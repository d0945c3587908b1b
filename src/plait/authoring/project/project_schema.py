"""The JSON Schema of the project file, generated from the tables of the command line (docs/project.schema.json)."""

from __future__ import annotations

from plait.authoring.project.settings import COMMANDS, options_of
from plait.engine.options import LISTS, MAP, NUMBER, SWITCH
from plait.engine.pipeline import KINDS
from plait.engine.pipeline import options_of as options_of_step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from plait.engine.options import Option

    # A JSON Schema.
    Schema = Mapping[str, object]

_TEXTS: Schema = {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
_SCALAR: Schema = {"type": ["string", "number", "boolean"]}
_NAME: Schema = {"type": "string", "description": "the name of the base run"}
_LINT: Schema = {
    "description": "settings of plait lint; codes are given as codes, prefixes, names or families",
    "type": ["object", "null"],
    "additionalProperties": False,
    "properties": {
        "select": {**_TEXTS, "description": "report only these"},
        "ignore": {**_TEXTS, "description": "do not report these"},
        "paths": {
            "description": "codes not reported for some files: path patterns, relative to the project file, with codes",
            "type": "object",
            "additionalProperties": _TEXTS,
        },
    },
}
_SCHEMAS: Schema = {
    "description": "resource schemas: files or directories",
    "type": ["array", "null"],
    "items": {
        "oneOf": [
            {"type": "string", "description": "JSON Schemas, custom resource definitions, or OpenAPI"},
            {
                "type": "object",
                "additionalProperties": False,
                "required": ["files", "schema"],
                "properties": {
                    "files": {"type": "string", "description": "a pattern of file names"},
                    "schema": {"type": "string", "description": "the JSON Schema of their documents"},
                },
            },
        ]
    },
}
_LISTS = frozenset({"files", "keys", "ops", "schemas", "secrets", "vars-files"})
_MAPS = frozenset({"set", "vars", "select", "repositories"})
_TEXT = frozenset({"file", "site"})


def schema() -> dict[str, object]:
    """The schema, as plain data (JSON Schema 2020-12)."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "plait project",
        "type": "object",
        "additionalProperties": False,
        "oneOf": [{"required": ["runs"]}, {"required": ["steps"]}],
        "properties": {
            "runs": {
                "description": "runs by name",
                "type": "object",
                "minProperties": 1,
                "additionalProperties": {"$ref": "#/$defs/run"},
            },
            "steps": {"$ref": "#/$defs/steps"},
            "lint": {"$ref": "#/$defs/lint"},
            "schemas": {"$ref": "#/$defs/schemas"},
            "tests": {"description": "tests by name, as in test files (docs/test.md)", "type": "object"},
        },
        "$defs": {
            "lint": _LINT,
            "schemas": _SCHEMAS,
            "run": _run(),
            "steps": {
                "description": "the steps, in order",
                "type": "array",
                "items": {"$ref": "#/$defs/step"},
            },
            "step": _step(),
            "matrix": _matrix(),
            **{command: _command(command) for command in COMMANDS},
        },
    }


def _run() -> Schema:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "base": _NAME,
            "abstract": {"type": "boolean", "description": "serves only as a base of other runs"},
            "description": {"type": "string"},
            "matrix": {"$ref": "#/$defs/matrix"},
            "output": {
                "type": "string",
                "description": "destination of the results in plait fleet, relative to its output directory",
            },
            "schemas": {"$ref": "#/$defs/schemas", "description": "replaces the project's"},
            "steps": {"$ref": "#/$defs/steps"},
            **{command: {"$ref": f"#/$defs/{command}"} for command in COMMANDS},
        },
    }


def _matrix() -> Schema:
    row: Schema = {"type": "object", "minProperties": 1, "additionalProperties": _SCALAR}
    source: Schema = {
        "type": "object",
        "additionalProperties": False,
        "minProperties": 1,
        "maxProperties": 1,
        "properties": {
            "directories": {"type": "string", "description": "a value for each subdirectory"},
            "files": {"type": "string", "description": "a value for each file that matches the pattern"},
        },
    }
    return {
        "description": "axes; each combination of their values is an environment with its own run",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "axes": {
                "description": "values by axis; {NAME} in a setting is replaced by the value",
                "type": "object",
                "additionalProperties": {"oneOf": [{"type": "array", "items": _SCALAR, "minItems": 1}, source]},
            },
            "environments": {
                "description": "maps from axes to values, or a file with them: a YAML list, or CSV",
                "oneOf": [{"type": "string"}, {"type": "array", "items": row}],
            },
            "exclude": {"type": "array", "items": row, "description": "excluded environments"},
            "include": {"type": "array", "items": row, "description": "additional environments"},
            "name": {"type": "string", "description": "name of each run; by default the values of its axes"},
            "output": {
                "type": "string",
                "description": "destination of its results, relative to the output directory of the fleet",
            },
        },
    }


def _command(command: str) -> Schema:
    properties = {name: _option(option) for name, option in options_of(command).items()}
    return {
        "description": f"settings of plait {command}",
        "type": ["object", "null"],
        "additionalProperties": False,
        "properties": properties,
    }


def _option(option: Option) -> Schema:
    described = {"description": option.help}
    if option.is_argument:
        return {**_TEXTS, **described}
    if option.kind == MAP:
        return {"type": "object", **described}
    if option.kind == SWITCH:
        return {"type": "boolean", **described}
    if option.kind == NUMBER:
        return {"type": "integer", **described}
    if option.kind not in LISTS:
        return {"enum": list(option.choices), **described} if option.choices else {**_SCALAR, **described}
    items: Schema = {"enum": list(option.choices)} if option.choices else _SCALAR
    forms: list[Schema] = [items, {"type": "array", "items": items}]
    if "=" in option.value:
        forms.append({"type": "object", "additionalProperties": _SCALAR})
    return {"oneOf": forms, **described}


def _step() -> Schema:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "name": {"type": "string"},
            **{
                kind: {
                    "type": ["object", "null", *(["string"] if kind == "compose" else [])],
                    "additionalProperties": False,
                    "properties": {
                        **{name: _step_setting(name) for name in names},
                        **{name: _step_option(option) for name, option in options_of_step(kind).items()},
                    },
                }
                for kind, (_, names) in KINDS.items()
            },
        },
        "minProperties": 1,
    }


def _step_option(option: Option) -> Schema:
    return {**({"type": "boolean"} if option.kind == SWITCH else _TEXTS), "description": option.help}


def _step_setting(name: str) -> Schema:
    if name in _LISTS:
        return _TEXTS
    if name in _MAPS:
        return {"type": "object"}
    return {"type": "string"} if name in _TEXT else {"type": "boolean"}
