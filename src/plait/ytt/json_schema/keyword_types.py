"""Types of the values of schema keywords, and the positions of subschemas."""

from __future__ import annotations

from plait.base.errors import UsageError
from plait.base.similar_names import listed, near
from plait.base.suggestions import replacing
from plait.ytt.json_schema.patterns import is_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from plait.base.errors import PlaitError
    from plait.base.suggestions import Hint
    from plait.ytt.json_schema.schema_files import Way

_SCHEMAS = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
]
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAPS = ("$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties")
_COUNTS = ("maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties")
_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")

_A_NUMBER = ((int, float), "a number")
_A_TEXT = ((str,), "a string")
# For each keyword, the types of its value, and their description.
_TAKES: Mapping[str, tuple[tuple[type, ...], str]] = {
    **dict.fromkeys(_SCHEMAS, ((dict, bool), "a schema")),
    "items": ((dict, bool, list), "a schema, or an array of schemas"),
    **dict.fromkeys(_LISTS, ((list,), "an array of schemas")),
    **dict.fromkeys(_MAPS, ((dict,), "an object with schemas")),
    **dict.fromkeys((*_COUNTS, "maxContains", "minContains", "maximum", "minimum", "multipleOf"), _A_NUMBER),
    **dict.fromkeys(("exclusiveMaximum", "exclusiveMinimum"), ((int, float, bool), "a number")),
    **dict.fromkeys(
        ("$anchor", "$dynamicAnchor", "$dynamicRef", "$id", "$ref", "$schema", "format", "id", "pattern"), _A_TEXT
    ),
    "dependentRequired": ((dict,), "an object with arrays of names"),
    "enum": ((list,), "an array"),
    "required": ((list,), "an array of names"),
    "type": ((str, list), f"one of {', '.join(_TYPES)}, or an array of them"),
}


# Names of types in programs.
_MEANT = {
    **dict.fromkeys(("int", "int32", "int64", "long"), "integer"),
    **dict.fromkeys(("decimal", "double", "float"), "number"),
    **dict.fromkeys(("dict", "map", "mapping", "struct"), "object"),
    **dict.fromkeys(("list", "sequence", "tuple"), "array"),
    **dict.fromkeys(("nil", "none", "nullable"), "null"),
    **dict.fromkeys(("char", "date", "str", "text"), "string"),
}


def meant_type(value: object) -> Hint | None:
    """A hint for the name of a type that is not one of JSON Schema, or None."""
    name = value.lower() if isinstance(value, str) else ""
    known = [_MEANT[name]] if name in _MEANT else near(name, [*_TYPES, *_MEANT])
    meant = list(dict.fromkeys(_MEANT.get(one, one) for one in ([name] if name in _TYPES else known)))
    return replacing(str(value), meant, f"did you mean {listed(meant, quote=chr(34))}?") if meant else None


def below(node: Mapping[str, object]) -> Iterator[tuple[object, Way]]:
    """The schemas inside a schema, each with its path."""
    for keyword in _SCHEMAS:
        inner = node.get(keyword)
        if isinstance(inner, list):
            yield from ((one, (keyword, number)) for number, one in enumerate(inner))
        elif inner is not None:
            yield inner, (keyword,)
    for keyword in _LISTS:
        several = node.get(keyword)
        for number, one in enumerate(several if isinstance(several, list) else ()):
            yield one, (keyword, number)
    for keyword in _MAPS:
        named = node.get(keyword)
        for name, one in named.items() if isinstance(named, dict) else ():
            yield one, (keyword, name)


def unfit(node: Mapping[str, object]) -> list[tuple[str, str]]:
    """The keywords of a schema with invalid values, each with its expectation."""
    found = []
    for keyword, value in node.items():
        takes = _TAKES.get(keyword)
        if takes is not None and not (_is_one(value, takes[0]) and _fits_within(keyword, value)):
            found.append((keyword, takes[1]))
    return found


def no_schema(inner: object, steps: Way) -> bool:
    """True if a value is not a valid schema but its position requires one. steps: its path."""
    return not isinstance(inner, (dict, bool)) and not (steps[0] == "dependencies" and isinstance(inner, list))


def _is_one(value: object, types: tuple[type, ...]) -> bool:
    return isinstance(value, types) and (bool in types or not isinstance(value, bool))


def _fits_within(keyword: str, value: object) -> bool:
    """True if the contents of a keyword's array or object are valid. Subschemas are checked separately."""
    if keyword == "type":
        return all(one in _TYPES for one in ([value] if isinstance(value, str) else _list(value)))
    if keyword == "required":
        return all(isinstance(one, str) for one in _list(value))
    if keyword == "dependentRequired" and isinstance(value, dict):
        return all(isinstance(one, list) for one in value.values())
    return keyword != "multipleOf" or (isinstance(value, (int, float)) and value > 0)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def unmatched(node: Mapping[str, object]) -> Iterator[tuple[str, PlaitError]]:
    """The keywords whose patterns cannot be matched in linear time."""
    pattern = node.get("pattern")
    if isinstance(pattern, str) and not is_pattern(pattern):
        yield "pattern", _no_pattern(pattern)
    patterns = node.get("patternProperties")
    wrong = [one for one in patterns if not is_pattern(one)] if isinstance(patterns, dict) else []
    if wrong:
        yield "patternProperties", _no_pattern(wrong[0])
        # A key that the schema does not name is treated as an additional key.
        for keyword in ("additionalProperties", "unevaluatedProperties"):
            if keyword in node:
                yield keyword, _no_pattern(wrong[0])


def _no_pattern(pattern: str) -> UsageError:
    return UsageError(
        f'the pattern "{pattern}" is not checked',
        expected="a regular expression that RE2 accepts",
        code="schema-not-checked",
    )
