"""Keywords for checking documents: those of a draft of JSON Schema, and those of Kubernetes.

The library jsonschema does the checks. The keywords defined here replace its own: they name the key, match patterns in
linear time, or belong to OpenAPI and Kubernetes.
"""

from __future__ import annotations

import binascii
import json
from datetime import datetime
from functools import lru_cache
from ipaddress import ip_network
from re import ASCII
from re import compile as pattern_of
from threading import get_ident

from plait.base.json_schema import bounded
from plait.ytt.json_schema.patterns import matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from jsonschema import FormatChecker, ValidationError

    from plait.base.json_schema import Keyword, Validator, Violation

    Rules = Mapping[str, object]

# Keywords that report a missing key.
MISSING = frozenset({"required", "x-kubernetes-embedded-resource"})
# Keywords with plait's own messages, which name keys and no values.
WORDED = frozenset(
    {
        "additionalProperties",
        "dependentRequired",
        "patternProperties",
        "properties",
        "propertyNames",
        "required",
        "x-kubernetes-embedded-resource",
    }
)


# Marks schemas with a removed part. Whether a value matches them is unknown.
UNKNOWN = "plait:unknown"


def is_unknown(error: Violation) -> bool:
    """True if an error means "unknown", or depends on an error that does."""
    return str(error.validator) == UNKNOWN or any(map(is_unknown, getattr(error, "context", None) or ()))


@lru_cache(16)
def checker_class(draft: str, *, is_kind: bool) -> Callable[..., Validator]:
    """The validator class for a draft. draft: the URL of the draft; any other text selects the newest draft plus the
    keywords of OpenAPI and earlier drafts. is_kind: for Kubernetes objects.

    Raises ImportError if jsonschema is not installed.
    """
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for

    known = validator_for({"$schema": draft}, default=None) if draft else None  # type: ignore[arg-type] # the stubs want one
    keywords: dict[str, Keyword] = dict(_OWN)
    if is_kind or known is None:
        keywords.update(_legacy_keywords())
    if is_kind:
        keywords.update(_KUBERNETES)
    base = Draft202012Validator if is_kind or known is None else known
    keywords["$ref"] = _once(base.VALIDATORS["$ref"])
    for name in {"contains", "if", "not"} & base.VALIDATORS.keys():
        keywords[name] = _if_known(base.VALIDATORS[name], of_items=name == "contains")
    return bounded(base, keywords)


def without_effect(contents: object) -> Callable[[str, Rules], bool]:
    """Returns a test for keywords that the draft of a file ignores and the newest draft has."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for

    draft = contents.get("$schema") if isinstance(contents, dict) else None
    known = validator_for({"$schema": draft}, default=None) if isinstance(draft, str) else None  # type: ignore[arg-type] # the stubs want one
    if known is None:
        return lambda _keyword, _schema: False
    unknown = Draft202012Validator.VALIDATORS.keys() - known.VALIDATORS.keys()
    # Up to draft 7, a `$ref` replaces all keywords next to it.
    passed_over = () if "$vocabulary" in known.META_SCHEMA else known.VALIDATORS.keys() - {"$ref"}
    return lambda keyword, schema: keyword in unknown or ("$ref" in schema and keyword in passed_over)


@lru_cache(1)
def formats() -> FormatChecker:
    """The formats that are checked."""
    from jsonschema import FormatChecker

    found = FormatChecker(["date", "email", "ipv4", "ipv6", "uuid"])
    for name, check in _FORMATS.items():
        found.checkers[name] = check, ValueError
    return found


def _error(message: str, *path: str) -> ValidationError:
    from jsonschema import ValidationError

    return ValidationError(message, path=path)


def _missing(name: str) -> ValidationError:
    """The error for a missing key, whose name is the value of the keyword."""
    error = _error(f'the key "{name}" is missing')
    error.validator_value = name
    return error


def _once(refer: Keyword) -> Keyword:
    """A `$ref` keyword. A reference that leads directly to itself has no further effect."""
    going_on: set[tuple[int, int, int]] = set()

    def apply(validator: Validator, rule: object, instance: object, schema: Rules) -> Iterator[Violation]:
        key = get_ident(), id(schema), id(instance)
        if key in going_on:
            return
        going_on.add(key)
        try:
            yield from refer(validator, rule, instance, schema) or ()
        finally:
            going_on.discard(key)

    return apply


def _descend(
    validator: Validator, value: object, below: object, key: str, step: str | None = None
) -> Iterator[Violation]:
    """Yields the violations in the value of a key. step: the path to the schema if there are several."""
    if below is False:  # the library does not pass the key for these
        yield _error(f'the key "{key}" is not allowed here', key)
    else:
        yield from validator.descend(value, below, path=key, schema_path=step)


def _properties(validator: Validator, rule: object, instance: object, _schema: Rules) -> Iterator[Violation]:
    if isinstance(instance, dict) and isinstance(rule, dict):
        for key, below in rule.items():
            if key in instance:
                yield from _descend(validator, instance[key], below, key, key)


def _if_known(keyword: Keyword, *, of_items: bool) -> Keyword:
    """Wraps a keyword that requires values not to match a schema. It applies only if the schema can be evaluated."""

    def apply(validator: Validator, rule: object, instance: object, schema: Rules) -> Iterator[Violation]:
        values = instance if of_items and isinstance(instance, list) else [instance]
        if not any(is_unknown(error) for value in values for error in validator.descend(value, rule)):
            yield from keyword(validator, rule, instance, schema) or ()

    return apply


def _unknown(_validator: Validator, _rule: object, _instance: object, _schema: Rules) -> Iterator[Violation]:
    yield _error("")


def _required(_validator: Validator, rule: object, instance: object, _schema: Rules) -> Iterator[Violation]:
    if isinstance(instance, dict) and isinstance(rule, list):
        yield from (_missing(name) for name in rule if name not in instance)


def _dependent_required(_validator: Validator, rule: object, instance: object, _schema: Rules) -> Iterator[Violation]:
    if not isinstance(instance, dict) or not isinstance(rule, dict):
        return
    for name, needed in rule.items():
        for one in needed if name in instance and isinstance(needed, list) else ():
            if one not in instance:
                yield _error(f'the key "{one}", which "{name}" needs, is missing')


def _pattern(_validator: Validator, rule: object, instance: object, _schema: Rules) -> Iterator[Violation]:
    if isinstance(instance, str) and not matches(str(rule), instance):
        yield _error("")


def _pattern_properties(validator: Validator, rule: object, instance: object, _schema: Rules) -> Iterator[Violation]:
    if isinstance(instance, dict) and isinstance(rule, dict):
        for pattern, below in rule.items():
            for key, value in instance.items():
                if matches(pattern, key):
                    yield from _descend(validator, value, below, key, pattern)


def _additional_properties(validator: Validator, rule: object, instance: object, schema: Rules) -> Iterator[Violation]:
    if not isinstance(instance, dict):
        return
    named, patterns = schema.get("properties"), schema.get("patternProperties")
    for key, value in instance.items():
        if isinstance(named, dict) and key in named:
            continue
        if isinstance(patterns, dict) and any(matches(pattern, key) for pattern in patterns):
            continue
        if rule is False:
            yield _error(f'there is no key "{key}" here', key)
        else:
            yield from _descend(validator, value, rule, key)


def _property_names(validator: Validator, rule: object, instance: object, _schema: Rules) -> Iterator[Violation]:
    for key in instance if isinstance(instance, dict) else ():
        if any(not is_unknown(error) for error in validator.descend(key, rule)):
            yield _error(f'the key "{key}" is not allowed here', key)


def _unique_items(_validator: Validator, rule: object, instance: object, _schema: Rules) -> Iterator[Violation]:
    if rule is True and isinstance(instance, list) and len({_text(one) for one in instance}) < len(instance):
        yield _error("")


def _text(value: object) -> str:
    """A text that is the same for equal values: 1 and 1.0 are equal, 1 and true are not."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, dict):
        return f"{{{','.join(sorted(f'{json.dumps(key)}:{_text(inner)}' for key, inner in value.items()))}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_text, value))}]"
    return json.dumps(value)


_OWN: Mapping[str, Keyword] = {
    UNKNOWN: _unknown,
    "additionalProperties": _additional_properties,
    "dependentRequired": _dependent_required,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "properties": _properties,
    "propertyNames": _property_names,
    "required": _required,
    "uniqueItems": _unique_items,
}


def _legacy_keywords() -> dict[str, Keyword]:
    """Keywords whose form differs between the newest draft and earlier drafts or OpenAPI."""
    from jsonschema import Draft4Validator, Draft7Validator, Draft202012Validator

    old, middle, new = Draft4Validator.VALIDATORS, Draft7Validator.VALIDATORS, Draft202012Validator.VALIDATORS

    def either(name: str, is_new: Callable[[object, Rules], bool], other: Keyword | None) -> Keyword:
        def apply(validator: Validator, rule: object, instance: object, schema: Rules) -> Iterator[Violation]:
            keyword = new[name] if is_new(rule, schema) else other
            if keyword is not None:
                yield from keyword(validator, rule, instance, schema) or ()

        return apply

    found: dict[str, Keyword] = {
        "additionalItems": middle["additionalItems"],
        "dependencies": middle["dependencies"],
        "items": either("items", lambda rule, _: not isinstance(rule, list), middle["items"]),
        "type": either("type", lambda _, schema: schema.get("nullable") is not True, _nullable(new["type"])),
    }
    for name, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        found[name] = either(name, lambda _, schema, key=exclusive: schema.get(key) is not True, old[name])  # type: ignore[misc]
        found[exclusive] = either(exclusive, lambda rule, _: not isinstance(rule, bool), None)
    return found


def _nullable(plain: Keyword) -> Keyword:
    def apply(validator: Validator, rule: object, instance: object, schema: Rules) -> Iterator[Violation]:
        if instance is not None:
            yield from plain(validator, rule, instance, schema) or ()

    return apply


# ---- Kubernetes


def _nullable_properties(validator: Validator, rule: object, instance: object, schema: Rules) -> Iterator[Violation]:
    """As `_properties`; a null value counts as a missing key."""
    if isinstance(instance, dict):
        given = {key: value for key, value in instance.items() if value is not None}
        yield from _properties(validator, rule, given, schema)


def _type(validator: Validator, rule: object, instance: object, schema: Rules) -> Iterator[Violation]:
    names = [rule] if isinstance(rule, str) else rule
    assert isinstance(names, list)
    if schema.get("x-kubernetes-int-or-string") or schema.get("format") == "int-or-string":
        names = [*names, "integer", "string"]
    if schema.get("nullable") is True:
        names = [*names, "null"]
    if not any(validator.is_type(instance, name) for name in names):
        yield _error("")


def _int_or_string(validator: Validator, rule: object, instance: object, schema: Rules) -> Iterator[Violation]:
    if rule is True and "type" not in schema:
        yield from _type(validator, [], instance, schema)


def _embedded(_validator: Validator, rule: object, instance: object, _schema: Rules) -> Iterator[Violation]:
    if rule is True and isinstance(instance, dict):
        yield from (_missing(name) for name in ("apiVersion", "kind") if name not in instance)


_KUBERNETES: Mapping[str, Keyword] = {
    "properties": _nullable_properties,
    "type": _type,
    "x-kubernetes-embedded-resource": _embedded,
    "x-kubernetes-int-or-string": _int_or_string,
}


# ---- formats

_DATE_TIME = pattern_of(
    r"(\d{4}-\d\d-\d\d)[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)", ASCII
)
_URI = pattern_of(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]*", ASCII)
_HOST = pattern_of(
    r"(?=.{1,253}$)([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*", ASCII
)


def _is_date_time(value: object) -> bool:
    found = _DATE_TIME.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return not isinstance(value, str)
    datetime.strptime(found[1], "%Y-%m-%d")  # noqa: DTZ007 - for the number of days in the month
    return True


def _is_integer(bits: int) -> Callable[[object], bool]:
    def check(value: object) -> bool:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return not is_number or -(1 << bits - 1) <= value < 1 << bits - 1  # type: ignore[operator]

    return check


def _is_base64(value: object) -> bool:
    if isinstance(value, str):
        binascii.a2b_base64("".join(value.split()), strict_mode=True)
    return True


def _is_network(value: object) -> bool:
    if isinstance(value, str):
        ip_network(value, strict=False)
    return not isinstance(value, str) or "/" in value


_FORMATS: Mapping[str, Callable[[object], bool]] = {
    "byte": _is_base64,
    "cidr": _is_network,
    "date-time": _is_date_time,
    "hostname": lambda value: not isinstance(value, str) or _HOST.fullmatch(value) is not None,
    "int32": _is_integer(32),
    "int64": _is_integer(64),
    "uri": lambda value: not isinstance(value, str) or _URI.fullmatch(value) is not None,
}
