"""Messages for the library's validation errors. They name keys and expected types, never values."""

from __future__ import annotations

import json
from typing import NamedTuple

from plait.base.similar_names import near
from plait.ytt.json_schema.keywords import MISSING, WORDED, is_unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypeAlias

    from jsonschema import ValidationError

    # The keys and indexes of a path.
    Path: TypeAlias = "tuple[str | int, ...]"


class Violation(NamedTuple):
    """A violation at a path. meant: similar names. is_of_key: the position is that of the last key.

    schema, keyword: the violated rule. missing: the missing key, if that is the fault.
    """

    path: Path
    message: str
    meant: Sequence[str] = ()
    is_of_key: bool = False
    schema: Mapping[str, object] | None = None
    keyword: str = ""
    missing: str | None = None


_TYPES = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    type(None): "null",
    dict: "object",
    list: "array",
}
# The message for each keyword; {} is the keyword's value.
_WORDS = {
    "contains": "no item matches `contains`",
    "exclusiveMaximum": "the number is not less than {}",
    "exclusiveMinimum": "the number is not more than {}",
    "format": "the value is not a valid {}",
    "maxContains": "more than {} items match `contains`",
    "maximum": "the number is more than {}",
    "maxItems": "there are more than {} items",
    "maxLength": "the text is longer than {} characters",
    "maxProperties": "there are more than {} keys",
    "minContains": "fewer than {} items match `contains`",
    "minimum": "the number is less than {}",
    "minItems": "there are fewer than {} items",
    "minLength": "the text is shorter than {} characters",
    "minProperties": "there are fewer than {} keys",
    "multipleOf": "the number is not a multiple of {}",
    "not": "the value matches a schema under `not`",
    "pattern": 'the text does not match "{}"',
    "unevaluatedItems": "the schema does not allow an additional item here",
    "unevaluatedProperties": "the schema does not allow an additional key here",
    "uniqueItems": "duplicate item",
}
# What to write, for each keyword with such an answer; {} is the keyword's value.
_ADVICE = {
    "additionalProperties": "remove the key",
    "exclusiveMaximum": "write a number less than {}",
    "exclusiveMinimum": "write a number more than {}",
    "format": "write a value in the format {}",
    "maximum": "write a number of at most {}",
    "maxItems": "write at most {} items",
    "maxLength": "write at most {} characters",
    "maxProperties": "write at most {} keys",
    "minimum": "write a number of at least {}",
    "minItems": "write at least {} items",
    "minLength": "write at least {} characters",
    "minProperties": "write at least {} keys",
    "multipleOf": "write a multiple of {}",
    "pattern": 'write a text that matches "{}"',
    "properties": "remove the key",
    "uniqueItems": "remove one of the equal items",
}
_LISTED = 10
# Keywords whose messages are about the last key of the path.
_OF_KEYS = ("additionalProperties", "patternProperties", "properties", "propertyNames")


def told(error: ValidationError) -> Iterator[Violation]:
    """The violations for an error of the library: one, or those of the nearest alternative."""
    if is_unknown(error):
        return
    path = tuple(error.absolute_path)
    keyword = str(error.validator)
    if keyword in ("anyOf", "oneOf") and error.context:
        nearest = _nearest(error)
        if len(nearest) == 1:
            for one in nearest[0]:
                yield from told(one)
            return
        found = [next(told(errors[0])) for errors in nearest]
        if found and all(len(errors) == 1 for errors in nearest) and len({one.path for one in found}) == 1:
            messages = ", or ".join(dict.fromkeys(one.message for one in found))
            meant = [name for one in found for name in one.meant]
            yield Violation(found[0].path, messages, meant, schema=_schema(error), keyword=keyword)
        elif found:
            message = f"the value matches none of {len(found)} alternatives; the first: {found[0].message}"
            yield Violation(path, message, schema=_schema(error), keyword=keyword)
        else:
            message = f"{type_name(error.instance)} where {_expected(error)} is expected"
            yield Violation(path, message, schema=_schema(error), keyword=keyword)
        return
    message, names = _words(error, keyword)
    missing = str(error.validator_value) if keyword in MISSING else None
    yield Violation(path, message, names, keyword in _OF_KEYS, _schema(error), keyword, missing)


def _schema(error: ValidationError) -> Mapping[str, object] | None:
    return error.schema if isinstance(error.schema, dict) else None


def _words(error: ValidationError, keyword: str) -> tuple[str, Sequence[str]]:
    rule = error.validator_value
    if keyword in WORDED:
        return error.message, _similar_keys(error)
    if keyword in ("type", "x-kubernetes-int-or-string"):
        return f"{type_name(error.instance)} where {_types(error.schema)} is expected", ()
    if keyword in ("const", "enum"):
        choices = _choices(keyword, rule)
        listed = _listed(choices)
        names = [one for one in choices if isinstance(one, str)]
        meant = near(error.instance, names) if isinstance(error.instance, str) else []
        return f"the value is not one of {listed}" if keyword == "enum" else f"the value is not {listed}", meant
    if keyword == "oneOf":
        return "the value matches more than one alternative of `oneOf`", ()
    if keyword == "None":
        return "no value is allowed here", ()
    return _WORDS.get(keyword, f'the value does not match "{keyword}"').format(rule), ()


def advice(keyword: str, schema: Mapping[str, object]) -> str | None:
    """A hint for a value that violates a keyword, or None. It depends on the schema alone, not on the value."""
    rule = schema.get(keyword)
    if keyword in ("const", "enum"):
        told = f"write {'one of ' if keyword == 'enum' else ''}{_listed(_choices(keyword, rule))}"
    elif keyword in ("type", "x-kubernetes-int-or-string"):
        told = f"write a value of the type {_types(schema)}"
    elif keyword in _ADVICE:
        told = _ADVICE[keyword].format(rule)
    else:
        return None
    return f"{told}, or change the schema"


def _choices(keyword: str, rule: object) -> list[object]:
    return rule if keyword == "enum" and isinstance(rule, list) else [rule]


def _listed(choices: Sequence[object]) -> str:
    return ", ".join(_shown(one) for one in choices[:_LISTED]) + (", ..." if len(choices) > _LISTED else "")


def _similar_keys(error: ValidationError) -> Sequence[str]:
    """Declared keys similar to an unknown key."""
    if error.validator != "additionalProperties" or not isinstance(error.schema, dict):
        return ()
    named = error.schema.get("properties")
    key = str(error.relative_path[-1])
    there = error.instance if isinstance(error.instance, dict) else {}
    return near(key, [name for name in named if name not in there]) if isinstance(named, dict) else ()


def _nearest(error: ValidationError) -> list[list[ValidationError]]:
    """The violations of the alternatives that a value is nearest to; empty if none has its type.

    Alternatives that match by type are nearest, then those that match by a constant, then those with fewer missing
    keys.
    """
    by_branch: dict[object, list[ValidationError]] = {}
    for one in error.context or ():
        # For a value that is not allowed at all, the library does not name the alternative.
        branch = one.relative_schema_path[0] if one.relative_schema_path else id(one)
        by_branch.setdefault(branch, []).append(one)
    branches = [errors for errors in by_branch.values() if not any(_is_other_type(one) for one in errors)]
    named = [errors for errors in branches if not any(_is_other_name(one) for one in errors)]
    branches = named or branches
    least = min(map(len, branches), default=0)
    return [errors for errors in branches if len(errors) == least]


def _is_other_type(error: ValidationError) -> bool:
    return error.validator in ("type", "x-kubernetes-int-or-string") and not error.relative_path


def _is_other_name(error: ValidationError) -> bool:
    return error.validator in ("const", "enum") and len(error.relative_path) < 2


def _expected(error: ValidationError) -> str:
    """The types of all alternatives as text."""
    found: dict[str, None] = {}
    for one in error.context or ():
        if _is_other_type(one):
            found.update(dict.fromkeys(_types(one.schema).split(" or ")))
    return " or ".join(found)


def _types(schema: object) -> str:
    """The types of a schema as text."""
    if not isinstance(schema, dict):
        return "another type"
    names = schema.get("type", [])
    found = [names] if isinstance(names, str) else [*names]
    if schema.get("x-kubernetes-int-or-string") or schema.get("format") == "int-or-string":
        found = [*dict.fromkeys((*found, "integer", "string"))]
    return " or ".join(found)


def type_name(value: object) -> str:
    """The schema name of a value's type."""
    return _TYPES.get(type(value), "value")


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
