"""Prints types as a JSON Schema for values files (draft 2020-12), for completion and checks in editors.

Only `@schema/required` values are required, because a values file holds only differences from the defaults. Rules that
are functions have no form in JSON Schema; `$comment` describes them. JSON Schema counts lengths in characters,
`min_len` and `max_len` in bytes; they differ beyond ASCII.
"""

from __future__ import annotations

from plait.base.errors import LimitError
from plait.tree.nodes import Array, ArrayItem, Document, Map, MapItem, equal, from_plain
from plait.ytt.schema.ecmascript_regex import in_ecma, literal
from plait.ytt.schema.types import (
    AnyType,
    ArrayType,
    MapType,
    NullType,
    OneOfType,
    ScalarType,
    default_of,
    without_default,
)
from plait.ytt.yaml_fragments import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.nodes import Value
    from plait.ytt.schema.types import Declaration, Type, Validation

DRAFT = "https://json-schema.org/draft/2020-12/schema"

# The order of keys in a schema.
_ORDER = (
    "title",
    "description",
    "deprecated",
    "type",
    "enum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "minimum",
    "maximum",
    "properties",
    "required",
    "patternProperties",
    "additionalProperties",
    "oneOf",
    "anyOf",
    "not",
    "items",
    "examples",
    "default",
    "$comment",
)
_TYPES = {"string": "string", "integer": "integer", "float": "number", "boolean": "boolean"}
_LENGTHS = {"string": "Length", "array": "Items", "object": "Properties"}


def json_schema(declaration: Declaration) -> Document:
    """The JSON Schema of values files for a declaration. Raises LimitError."""
    try:
        described = _described(declaration)
    except RecursionError:
        raise LimitError("the schema is nested too deeply", at=declaration.position) from None
    top = without_default(described) if type(declaration.type) is MapType else described
    return Document(Map([MapItem("$schema", DRAFT), *top.items]))


def _described(declaration: Declaration, *, ruled: bool = True) -> Map:
    """The JSON Schema of a declaration. ruled: include rules and required keys."""
    said = _typed(declaration.type, declaration.default, ruled=ruled)
    if declaration.required:
        said.pop("default", None)
    if ruled and declaration.validation is not None:
        _add_rules(said, declaration.validation, declaration.type)
    return Map([MapItem(key, said[key]) for key in _ORDER if key in said])


def _typed(declared: Type, default: Value, *, ruled: bool) -> dict[str, Value]:
    """The JSON Schema of a type. default: the default of its node, possibly from an annotation."""
    said: dict[str, Value] = {}
    if type(declared) is NullType:
        said = _typed(declared.inner, default, ruled=ruled)
        if "type" in said:
            said["type"] = Array([ArrayItem(said["type"]), ArrayItem("null")])
        if type(several := said.get("anyOf", said.get("oneOf"))) is Array and "type" not in said:
            several.items.append(ArrayItem(from_plain({"type": "null"})))
        if default is None:
            said["default"] = None
    elif type(declared) is MapType:
        keyed = [one for one in declared.declarations.values() if type(one.key) is str]
        said = {"type": "object", **_entries(declared, keyed, ruled=ruled)}
        required = [ArrayItem(one.key) for one in keyed if one.required and ruled]
        if required:
            said["required"] = Array(required)
        if default is not None:  # a missing value exists, with the defaults of its keys
            said["default"] = Map([]) if equal(default, default_of(declared)) else default
        if len(keyed) == len(declared.declarations):  # JSON Schema cannot express other types of keys
            said.setdefault("additionalProperties", False)
    elif type(declared) is ArrayType:
        said = {"type": "array", "items": _described(declared.item, ruled=ruled), "default": default}
    elif type(declared) is OneOfType:
        said = {**_several(declared, ruled=ruled), "default": default}
    elif type(declared) is ScalarType:
        said = {"type": _TYPES[declared.name], "default": default}
    elif type(declared) is AnyType:
        said = {"default": default}
    documentation = declared.documentation
    if documentation is not None:
        said.update(documentation.said())
        if documentation.example is not None:
            said["examples"] = Array([ArrayItem(documentation.example[1])])
    return said


def _several(declared: OneOfType, *, ruled: bool) -> dict[str, Value]:
    """The JSON Schema of alternatives. Only the rules of the first matching alternative apply to a value."""
    found: list[ArrayItem] = []
    passed: list[ArrayItem] = []
    kinds: list[Value] = []
    for one in declared.alternatives:
        bare = _alternative(declared, one, ruled=False)
        held = _alternative(declared, one, ruled=True) if ruled else bare
        described = held
        if passed:
            described = described.with_items([*described.items, MapItem("not", _map_of("anyOf", Array(list(passed))))])
        found.append(ArrayItem(described))
        if not declared.by and not equal(bare, held):
            passed.append(ArrayItem(bare))
        kind = bare.find("type")
        kinds.append(None if kind is None else "number" if kind.value == "integer" else kind.value)
    return {"oneOf" if declared.by or len({*kinds}) == len(kinds) else "anyOf": Array(found)}


def _alternative(declared: OneOfType, declaration: Declaration, *, ruled: bool) -> Map:
    described = without_default(_described(declaration, ruled=ruled))
    if not declared.by:
        return described
    said = {str(item.key): item.value for item in described.items}
    properties = said["properties"]
    assert type(properties) is Map
    told = _map_of("const", declared.discriminator(declaration))
    said["properties"] = properties.with_values(
        told if key.key == declared.by else key.value for key in properties.items
    )
    if declaration is not declared.alternatives[0]:  # the first alternative is the default's
        others = said.get("required")
        keys = [item.value for item in others.items] if type(others) is Array else []
        said["required"] = Array([ArrayItem(key) for key in dict.fromkeys([declared.by, *keys])])
    return Map([MapItem(key, said[key]) for key in _ORDER if key in said])


def _map_of(key: str, value: Value) -> Map:
    return Map([MapItem(key, value)])


def _entries(declared: MapType, keyed: list[Declaration], *, ruled: bool) -> dict[str, Value]:
    """The JSON Schema of a map's keys. keyed: the declarations with a name; listed keys are added."""
    said: dict[str, Value] = {}
    properties = [MapItem(one.key, _described(one, ruled=ruled)) for one in keyed]
    patterns: list[MapItem] = []
    # The first matching rule applies to a key, whereas a JSON Schema applies all.
    taken = [literal(str(item.key)) for item in properties]
    for number, one in enumerate(declared.others):
        described = without_default(_described(one, ruled=ruled))
        if one.keys is None or not (one.keys.pattern or one.keys.allowed):
            said["additionalProperties"] = described
            break
        if one.keys.pattern:
            pattern = in_ecma(one.keys.pattern)
            if pattern is None:  # the following rules cannot be expressed either
                rules = [rule.keys.described for rule in declared.others[number:] if rule.keys is not None]
                text = f"JSON Schema cannot express the types of {'; '.join(rules)}"
                said["additionalProperties"] = _map_of("$comment", text)
                break
            others = f"(?!(?:{'|'.join(taken)})$)" if taken else ""
            patterns.append(MapItem(f"^{others}(?:{pattern})$", described))
            taken.append(pattern)
        else:
            keys = [key for key in one.keys.allowed if type(key) is str and declared.find(key) is one]
            properties += [MapItem(key, described) for key in keys]
            taken += map(literal, keys)
    said["properties"] = Map(properties)
    if patterns:
        said["patternProperties"] = Map(patterns)
    return said


def _add_rules(said: dict[str, Value], validation: Validation, declared: Type) -> None:
    """Adds the rules of a validation: as keywords if JSON Schema has them, else as a description."""
    is_nullable = type(declared) is NullType
    while type(declared) is NullType:
        declared = declared.inner
    kind = "object" if type(declared) is MapType else "array" if type(declared) is ArrayType else declared.name
    untold = [text for text, _ in validation.rules]
    if validation.when is None:
        for name, text, value in validation.keywords:
            found = _keyword(name, value, kind, declared, is_nullable=is_nullable and not validation.not_null)
            if found:
                said.update(found)
                untold.remove(text)
        if validation.not_null and is_nullable and type(said.get("type")) is Array:
            said["type"] = said["type"].items[0].value  # type: ignore[union-attr]
            untold.remove("not null")
        elif validation.not_null and is_nullable:
            said["not"] = _map_of("type", "null")
            untold.remove("not null")
        elif validation.not_null and type(declared) not in (AnyType, OneOfType):  # such a value is never null
            untold.remove("not null")
    if untold:
        condition = "" if validation.when is None else "under a condition, "
        said["$comment"] = f"{condition}must be: {'; '.join(untold)}"


def _keyword(name: str, value: object, kind: str, declared: Type, *, is_nullable: bool) -> dict[str, Value]:
    """A rule as JSON Schema keywords; empty if there are none for a value of this type."""
    if name in ("min_len", "max_len") and kind in _LENGTHS:
        return {name[:3] + _LENGTHS[kind]: max(0, int(value))}  # type: ignore[call-overload]
    if name in ("min", "max") and kind in ("integer", "float") and type(value) in (int, float):
        return {f"{name}imum": value}  # type: ignore[dict-item]
    if name == "one_of":
        allowed = from_plain(plain(value))
        assert type(allowed) is Array
        extra = [ArrayItem(None)] if is_nullable and all(item.value is not None for item in allowed.items) else []
        return {"enum": Array([*allowed.items, *extra])}
    if name == "one_not_null" and type(declared) is MapType:
        keys = [*declared.declarations] if value is True else plain(value)
        return _one_of_keys(declared, keys if isinstance(keys, list) else [])
    return {}


def _one_of_keys(declared: MapType, keys: list[object]) -> dict[str, Value]:
    """The rule that exactly one key is not null, if all of them default to null."""
    found = []
    for key in keys:
        declaration = declared.declarations.get(key) if type(key) is str else None
        if declaration is None or declaration.default is not None:
            return {}
        given = {"required": [key], "properties": {key: {"not": {"type": "null"}}}}
        found.append(ArrayItem(from_plain(given)))
    return {"oneOf": Array(found)} if found else {}
