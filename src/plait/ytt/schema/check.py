"""Checks data values against a schema. See docs/reference/schemas.md.

Structure comes first: if a value is a collection and another type is declared, nothing else is reported, because keys
and scalars below it would only repeat the mistake. Otherwise every unknown key and every scalar of a wrong type is
reported, in document order; the unknown keys of a map precede the faults inside it.
"""

from __future__ import annotations

from plait.base.errors import Finding
from plait.base.limits import current_budget
from plait.base.similar_names import did_you_mean
from plait.base.source import Quoted, Wording, public, quotation, suggested
from plait.tree.deferred_values import is_deferred
from plait.tree.nodes import COLLECTIONS, Array, ArrayItem, Document, Map, MapItem, key_id, kind_name
from plait.ytt.schema.types import MANY, AnyType, ArrayType, MapType, NullType, OneOfType, ScalarType
from plait.ytt.starlark.value_text import repr_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from plait.tree.nodes import Item, Value
    from plait.ytt.schema.types import Declaration, Type

# The search for similar names is quadratic in the number of keys, so it is limited to a few unknown keys.
_SUGGESTIONS = 20


def check(declaration: Declaration, document: Document, before: Document | None = None) -> list[Finding]:
    """The findings about a document's values, in document order; empty if all conform.

    before: an earlier, valid state of the document; values shared with it are not checked again.
    """
    return check_item(declaration.type, document, None if before is None else before.value)


def check_item(type_: Type, item: Item, before: Value = None) -> list[Finding]:
    """The findings about the value of an item, by its declared type."""
    structure: list[Finding] = []
    others: list[Finding] = []
    stack: list[tuple[Type, Item, Value]] = [(type_, item, before)]
    numbers: dict[int, str] = {}  # of the items of arrays that are on one line, by identity
    while stack:
        declared, item, before = stack.pop()
        value = item.value
        while type(declared) is NullType and value is not None:
            declared = declared.inner
        if isinstance(declared, (AnyType, NullType)) or is_deferred(value):
            continue
        if isinstance(declared, MapType) and type(value) is Map:
            if value is not before:
                _check_map(declared, value, before, stack, others, type_)
        elif isinstance(declared, ArrayType) and type(value) is Array:
            if value is not before:
                below = declared.item.type
                entries = [entry for entry in value.items if type(entry.value) not in below.kinds]
                if entries and entries[0].line == value.items[-1].line and len(value.items) > 1:
                    numbers.update((id(entry), f"{n} of {len(value.items)}") for n, entry in enumerate(value.items, 1))
                stack.extend([(below, entry, None) for entry in reversed(entries)])
        elif isinstance(declared, OneOfType):
            others += declared.findings(declared, item)
        elif not isinstance(declared, ScalarType) or type(value) not in declared.kinds:
            (structure if type(value) in COLLECTIONS else others).append(
                _wrong_type(declared, item, numbers.get(id(item), ""))
            )
    return structure or others


def _check_map(
    declared: MapType,
    value: Map,
    before: Value,
    stack: list[tuple[Type, Item, Value]],
    found: list[Finding],
    top: Type,
) -> None:
    declarations = declared.declarations
    earlier = before.items if type(before) is Map else ()
    pending: list[tuple[Type, Item, Value]] = []
    if len(value.items) > MANY:
        current_budget().check_time()
    for place, item in enumerate(value.items):
        key = item.key
        old: Value = None
        if place < len(earlier):  # overlays do not reorder items
            if earlier[place] is item:
                continue
            if type(key) is str and earlier[place].key == key:
                old = earlier[place].value
        declaration = declarations.get(key if type(key) is str else key_id(key))
        if declaration is None and declared.others:
            declaration = declared.other(key)
        if declaration is None:
            found.append(_unknown_key(declared, item, top, suggest=len(found) < _SUGGESTIONS))
        elif type(item.value) not in declaration.type.kinds:
            pending.append((declaration.type, item, old))
    if pending:
        pending.reverse()
        stack.extend(pending)


def reference() -> ModuleType:
    """The module with the texts of ytt. Loaded for a finding."""
    from plait.base.reference import schema

    return schema


def _wrong_type(declared: Type, item: Item, number: str) -> Finding:
    return Finding(
        Wording("Given data value is not of the declared type", _calculated(item)),
        at=item.position,
        also=[declared.position.labelled("the declaration")],
        found=public(kind_name(item.value) + (f" (item {number})" if number else "")),
        expected=public(f"{declared.name} (by {declared.position})"),
        hint=_type_hint(declared, item),
        reference=reference().SchemaFailure(
            item.position,
            found=kind_name(item.value),
            expected=f"{declared.name} (by {declared.position})",
            calculated=_ytt_text(item),
        ),
        code="wrong-value-type",
    ).made_of(*_quoted(item))


def _type_hint(declared: Type, item: Item) -> Wording | None:
    """A hint for a value of a wrong type, if the fix is likely, else None."""
    value, name = item.value, declared.name
    meant = _named_type(declared)
    if meant is not None:
        return public(f"the value in the schema is the default, from which the type follows: write {meant}")
    flag = _collection_hint(item, name) or flag_hint(item, _UNQUOTED.get(name, ""))
    if flag is not None:
        return flag
    if value is None:
        return public("@schema/nullable in the schema allows null")
    if name == "map" and type(item) is Document and item.position == declared.position:
        return public('the data values of a library are a map: with_data_values({"NAME": VALUE})')
    if type(value) is str and (name in _UNQUOTED or name == "map"):
        from plait.ytt.schema.hints import of_string

        if type(item) is MapItem and item.source is not None and value and value == item.source.text:
            return public("all of the file is one string; a file of YAML has values of other types")
        meant = of_string(value, name)
        if meant is not None:
            return public(meant)
    if type(value) is str and name in _UNQUOTED:
        return public(f"write {_UNQUOTED[name]}, without quotes")
    if name == "string" and type(value) not in COLLECTIONS:
        return _string_hint(item) or public("put the value in quotes, then it is a string")
    if name == "map" and type(item) is ArrayItem:
        keys = [key_text(one.key) for one in declared.declarations.values()] if isinstance(declared, MapType) else []
        return public(f"each item is a map: - {keys[0] if keys else 'KEY'}: VALUE")
    if name == "map":
        return public("write KEY: VALUE lines, without dashes")
    return public('begin each item with "- "') if name == "array" else None


def _string_hint(item: Item) -> Wording | None:
    """A hint for a value that should be a string, from a flag, whose quotes the shell removes; else None."""
    source = item.source
    if source is None or source.flag not in ("data-value-yaml", "data-values-env-yaml") or type(item) is not MapItem:
        return None
    name, equals, _ = source.text.partition("=")
    if not equals or not name.endswith(key_text(item.key)):
        return None  # a value within the one of the flag
    argument = source.argument if source.private else source.line(1) or ""
    return public(f"--{source.flag.removesuffix('-yaml')} {argument} sets a string")


# Defaults by the names of types. Users write a name in place of the default.
_DEFAULTS = {
    **dict.fromkeys(("int", "integer", "number"), "0"),
    **dict.fromkeys(("bool", "boolean"), "false"),
    **dict.fromkeys(("float", "double"), "0.0"),
    **dict.fromkeys(("array", "list"), "an array with one example item"),
    **dict.fromkeys(("map", "object", "dict"), "a map of examples"),
}


def _named_type(declared: Type) -> str | None:
    """The default of the type that the default of a declaration names, or None."""
    text = declared.default if type(declared) is ScalarType else None
    return _DEFAULTS.get(text) if type(text) is str else None


def _collection_hint(item: Item, name: str) -> Wording | None:
    """A hint for a value from a flag where the schema declares a map or an array, else None."""
    if item.source is None or item.source.flag not in ("data-value", "data-value-yaml") or type(item) is not MapItem:
        return None
    # With the keys around it, and the library, as in the flag.
    key = (item.source.line(1) or "").partition("=")[0] or "KEY"
    if name == "map":
        return public(
            f"--data-value {key}.NAME=VALUE sets one of its values, --data-value-yaml '{key}={{NAME: VALUE}}' all"
        )
    written = f"{key}=[{item.value}]" if type(item.value) in (int, float, bool) else f"{key}=[VALUE, ...]"
    return quotation(f"--data-value-yaml '{written}'") if name == "array" else None


# The values of a type, which in quotes would be a string.
_UNQUOTED = {
    "integer": "an integer, such as 3",
    "float": "a float, such as 1.5",
    "boolean": "true or false",
}


def flag_hint(item: Item, expected: str = "") -> Wording | None:
    """A hint for a value from a flag that sets strings only, else None. expected: the values of the declared type."""
    flag = "" if item.source is None else item.source.flag
    if type(item.value) is str and flag in ("data-value", "data-values-env"):
        return public(f"--{flag} sets strings; --{flag}-yaml sets {expected or 'values of any type'}")
    return None


def _unknown_key(declared: MapType, item: MapItem, top: Type, *, suggest: bool) -> Finding:
    key = key_text(item.key)
    allowed: Sequence[str] = ()
    if suggest or len(declared.declarations) <= 9:
        allowed = sorted(key_text(declaration.key) for declaration in declared.declarations.values())
        allowed += [key_text(one) for other in declared.others if other.keys is not None for one in other.keys.allowed]
    others = [one.keys.described for one in declared.others if one.keys is not None and not one.keys.allowed]
    if others and not allowed:
        expected = f"{' or '.join(others)} (from {declared.position})"
        others = []
    elif len(allowed) == 1:
        expected = f'a map item with the key named "{allowed[0]}" (from {declared.position})'
    elif 1 < len(allowed) <= 9:  # maximum length, so that a hint stays readable
        expected = f"one of {{ {', '.join(allowed)} }} (from {declared.position})"
    else:
        expected = f"a key declared in map (from {declared.position})"
    expected = ", or ".join([expected, *others])
    hint: str | None = None
    if suggest:
        hint = _boolean(declared, item) or _nested(key, declared, item) or _outer(item, allowed)
        hint = hint or did_you_mean(key, allowed)
        hint = hint or _declared_elsewhere(key, declared, top)
        hint = hint or (None if declared.others else _to_declare(key, declared, allowed))
    also = [declared.position.labelled("the declaration")]
    meant = next((one.new for one in suggested((hint,))), "")
    also += [
        one.position.labelled("the nearest key") for one in declared.declarations.values() if key_text(one.key) == meant
    ]
    return Finding(
        Wording("Given data value is not declared in schema", _calculated(item)),
        at=item.position,
        also=also,
        found=public(key),
        expected=public(expected),
        hint=None if hint is None else public(hint),
        reference=reference().SchemaFailure(
            item.position,
            description="Given data value is not declared in schema",
            found=key,
            expected=expected,
            hints=reference().nearest(key, allowed) if suggest else (),
            calculated=_ytt_text(item),
        ),
        code="undeclared-value",
    ).made_of(*_quoted(item))


def _to_declare(key: str, declared: MapType, allowed: Sequence[str]) -> str:
    """The hint for a key that is similar to none: the place where to declare it."""
    owner = (declared.source.line(declared.line) or "").strip() if declared.source is not None else ""
    hint = f"declare {key} in the schema, {declared.position}"
    name, _, value = owner.partition(": ")
    is_alone = owner.endswith(":") or (value[:1] == "{" and value.count("{") == 1 and value.endswith("}"))
    if len(allowed) < _SEVERAL and is_alone and owner[:1] != "-":
        hint += f", or allow any keys there: #@schema/type any=True above {name.removesuffix(':')}"
    return hint


# From this number on, keys are no example for others.
_SEVERAL = 2
# What separates the levels of a name, by the flag that it is from.
_LEVELS = {"data-values-env": "__", "data-values-env-yaml": "__", "data-value": ".", "data-value-yaml": "."}
_PATHS_SEEN = 2000


def _inner(type_: Type) -> Type:
    """The type of values that are not null."""
    while type(type_) is NullType:
        type_ = type_.inner
    return type_


def _boolean(declared: MapType, item: MapItem) -> str | None:
    """A hint for a key without quotes that is a boolean, in the values or in the declaration; or None."""
    from plait.yaml.boolean_keys import among

    if type(item.key) is str:
        return among(item.key, ((one.key, one.source, one.line) for one in declared.declarations.values()))
    names = [name for name in declared.declarations if type(name) is str]
    hints = (among(name, [(item.key, item.source, item.line)]) for name in names)
    return next((hint for hint in hints if hint is not None), None)


def _nested(key: str, declared: MapType, item: MapItem) -> str | None:
    """A hint for a path written as one key, or None."""
    level = _LEVELS.get("" if item.source is None else item.source.flag)
    whole = declared.declarations.get(key.partition("[")[0]) if key.endswith("]") and level == "." else None
    if whole is not None and isinstance(_inner(whole.type), ArrayType):
        return f"an array is set as a whole: --data-value-yaml '{key.partition('[')[0]}=[VALUE, ...]'"
    for place, sign in enumerate(key):
        declaration = declared.declarations.get(key[:place]) if sign in "._-/" else None
        if declaration is None:
            continue
        first, rest = key[:place], key[place + 1 :]
        inner = _inner(declaration.type)
        if sign == "." and level is None:
            return f'a dot does not separate keys: "{rest}" is below "{first}"'
        if isinstance(inner, MapType) and rest in inner.declarations:
            return (
                f'"{rest}" is below "{first}"'
                if level is None
                else f'"{level}" separates the levels of a name: {first}{level}{rest}'
            )
    return None


def _declared_elsewhere(key: str, declared: MapType, top: Type) -> str | None:
    """A hint for a key that only another map declares, or None."""
    found: list[tuple[str, Declaration]] = []
    pending: list[tuple[str, Type]] = [("", _inner(top))]
    for path, type_ in pending:  # the list grows during the iteration
        if not isinstance(type_, MapType) or len(pending) > _PATHS_SEEN:
            continue
        if key in type_.declarations and type_ is not declared:
            found.append((path, type_.declarations[key]))
        for name, one in type_.declarations.items():
            if type(name) is str:
                pending.append((f"{path}.{name}" if path else name, _inner(one.type)))
    if len(found) != 1:
        return None
    path, declaration = found[0]
    if path == "properties":
        return "this schema has the form of JSON Schema; plait schema import FILE prints it as a schema of data values"
    where = f'below "{path}"' if path else "at the top"
    return f'"{key}" is declared {where} ({declaration.position}): move it there'


def _outer(item: MapItem, allowed: Sequence[str]) -> str | None:
    """A hint for a map around declared keys, or None."""
    inner = [key_text(one.key) for one in item.value.items] if type(item.value) is Map else []
    if not inner or not set(inner) <= set(allowed):
        return None
    return (
        f'the schema declares the keys within it: write {", ".join(inner[:9])} without "{key_text(item.key)}:" around'
    )


def _quoted(item: Item) -> Sequence[Item]:
    """The items that a message about a key or a type depends on: only a calculated value, because keys and types are
    not secret.
    """
    return [item] if item.source is None else []


def _calculated(item: Item) -> Wording:
    """A line that shows a calculated value, which has no source line."""
    if item.source is not None:
        return public("")
    value = kind_name(item.value) if type(item.value) in COLLECTIONS else repr_of(item.value)
    name = f"{key_text(item.key)}: " if isinstance(item, MapItem) else "- " if isinstance(item, ArrayItem) else ""
    return Wording("\ncalculated data value: ", public(name), Quoted(value))


def _ytt_text(item: Item) -> str:
    """A calculated item, as ytt shows it; "" for an item from a source."""
    if item.source is not None:
        return ""
    value = kind_name(item.value) if type(item.value) in COLLECTIONS else repr_of(item.value)
    return f"{key_text(item.key)}: {value}" if isinstance(item, MapItem) else f"- {value}"


def key_text(key: Value) -> str:
    """A key as messages show it."""
    if isinstance(key, str):
        return key
    if isinstance(key, bool):
        return "true" if key else "false"
    if key is None:
        return "null"
    return kind_name(key) if type(key) in COLLECTIONS else str(key)
