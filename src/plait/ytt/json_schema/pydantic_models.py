"""Writes the JSON Schema of data values as Pydantic models (docs/reference/json-schema.md).

A map is a class, its keys are fields with the defaults of the schema. A rule that fields have no constraint for is a
comment in the module, and is reported.

    db:              class Db(Values):
      port: 5432         port: int = 5432
"""

from __future__ import annotations

import re
from keyword import iskeyword, issoftkeyword
from math import isfinite

from plait.base.errors import warning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.base.errors import Warning
    from plait.tree.plain_data import Plain

    Schema = dict[str, Plain]

_HEAD = '''\
"""Models of the data values, written by `plait schema export`."""

{imports}from pydantic import {after}BaseModel, ConfigDict, Field


class {base}(BaseModel):
    """No value is converted to another type, and defaults are checked as well."""

    model_config = ConfigDict(extra="forbid", strict=True, validate_default=True)
'''
# Literal accepts True as 1.
_ONE_OF = '''

def one_of(*choices: object) -> AfterValidator:
    """Rejects every value but these."""

    def check(value: Any) -> Any:
        if value not in choices:
            raise ValueError(f"must be one of {choices}")
        return value

    return AfterValidator(check)
'''
_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
_CONSTRAINTS = {
    "string": {"minLength": "min_length", "maxLength": "max_length"},
    "array": {"minItems": "min_length", "maxItems": "max_length"},
    "integer": {"minimum": "ge", "maximum": "le"},
    "number": {"minimum": "ge", "maximum": "le"},
}
_DICT_CONSTRAINTS = {"minProperties": "min_length", "maxProperties": "max_length"}
# Keywords that become more than a constraint, or that say nothing about values.
_HANDLED = frozenset(
    [
        "$schema",
        "additionalProperties",
        "anyOf",
        "default",
        "deprecated",
        "description",
        "enum",
        "examples",
        "items",
        "oneOf",
        "patternProperties",
        "properties",
        "required",
        "title",
        "type",
    ]
)
_CLASS, _DICT = "class", "dict"
# Names that the module uses in the bodies of classes.
_USED = frozenset(
    ["Annotated", "Any", "ConfigDict", "Field", "Literal", "bool", "dict", "float", "int", "list", "one_of", "str"]
)
# Attributes of BaseModel; those that begin with model_ are told by their prefix.
_ATTRIBUTES = frozenset(
    [
        "construct",
        "copy",
        "dict",
        "from_orm",
        "json",
        "parse_file",
        "parse_obj",
        "parse_raw",
        "schema",
        "schema_json",
        "update_forward_refs",
        "validate",
    ]
)


def pydantic_models(schema: Plain) -> tuple[str, list[Warning]]:
    """The text of a module with models for the JSON Schema of data values, and the rules that it does not express."""
    writer = _Writer({*_keys(schema)})
    return writer.module(_map_of(schema)), writer.warnings


def _keys(schema: Plain) -> Iterator[str]:
    """All keys of maps, and more: classes get other names."""
    if isinstance(schema, dict):
        yield from map(str, schema)
        for one in schema.values():
            yield from _keys(one)
    elif isinstance(schema, list):
        for one in schema:
            yield from _keys(one)


class _Type:
    """The annotation of a value. form: _CLASS, _DICT, or "". constraints: arguments of Field for values other than
    null. untold: the rules that it does not express.
    """

    __slots__ = ("constraints", "form", "is_nullable", "text", "untold")

    def __init__(self, text: str, form: str = "") -> None:
        self.text = text
        self.form = form
        self.constraints: list[str] = []
        self.untold: list[str] = []
        self.is_nullable = False

    def inner(self) -> str:
        """The annotation with its constraints."""
        text = f"Annotated[{self.text}, Field({', '.join(self.constraints)})]" if self.constraints else self.text
        return f"{text} | None" if self.is_nullable and self.text != "Any" else text


class _Writer:
    def __init__(self, keys: set[str]) -> None:
        self.warnings: list[Warning] = []
        self._taken = {*keys, *_USED, "BaseModel"}
        self._classes: list[str] = []
        self._base = self._class_name("Values")

    def module(self, schema: Schema) -> str:
        # Without a schema the data values are any map.
        self._type(schema if "type" in schema else {"type": "object"}, (), "DataValues")
        body = "\n\n".join(["", *self._classes])
        if uses_choices := "one_of(" in body:
            body = _ONE_OF + body
        used = [name for name in ("Annotated", "Any", "Literal") if name in body]
        imports = f"from typing import {', '.join(used)}\n\n" if used else ""
        return _HEAD.format(base=self._base, imports=imports, after="AfterValidator, " * uses_choices) + body

    def _class_name(self, name: str) -> str:
        """A free name for a class."""
        found, number = name, 2
        while found in self._taken:
            found, number = f"{name}{number}", number + 1
        self._taken.add(found)
        return found

    def _untold(self, found: _Type, path: tuple[str, ...], text: str) -> None:
        found.untold.append(text)
        where = ".".join(path) or "the data values"
        self.warnings.append(warning(f"{where}: not in the models: {text}", code="schema-not-exported"))

    # Types

    def _type(self, schema: Schema, path: tuple[str, ...], name: str) -> _Type:
        """The annotation for the values of a schema. name: the name of its class, if it has one."""
        kinds = _listed(schema.get("type"))
        kind = next((str(one) for one in kinds if one != "null"), "")
        alternatives = _listed(schema.get("anyOf", schema.get("oneOf"))) if not kind else []
        if "const" in schema:
            found = _Type(type(schema["const"]).__name__)
        elif alternatives:
            found = self._alternatives(alternatives, path, name)
        elif kind == "object":
            found = self._map(schema, path, name)
        elif kind == "array":
            item = self._type(_map_of(schema.get("items")), (*path, "[]"), f"{name}Item")
            found = _Type(f"list[{item.inner()}]")
            found.untold += item.untold
        else:
            found = _Type(_SCALARS.get(kind, "Any"))
        found.is_nullable = found.is_nullable or "null" in kinds
        self._constrain(found, schema, kind, path)
        return found

    def _alternatives(self, alternatives: list[Plain], path: tuple[str, ...], name: str) -> _Type:
        found = _Type("")
        texts = []
        for number, one in enumerate(map(_map_of, alternatives), 1):
            if one == {"type": "null"}:
                found.is_nullable = True
                continue
            inner = self._type({key: value for key, value in one.items() if key != "not"}, path, f"{name}{number}")
            texts.append(inner.inner())
            found.untold += inner.untold
            if "not" in one:
                self._untold(found, path, "only the rules of the first alternative that fits apply to a value")
        found.text = "Any" if "Any" in texts else " | ".join(dict.fromkeys(texts))
        return found

    def _map(self, schema: Schema, path: tuple[str, ...], name: str) -> _Type:
        others = schema.get("additionalProperties")
        properties = _map_of(schema.get("properties"))
        patterns = _map_of(schema.get("patternProperties"))
        extra = ""
        if patterns or others is None:
            extra = "Any"
        elif isinstance(others, dict):
            other = self._type(others, (*path, "*"), f"{name}Other")
            extra = other.inner()
        if extra and not properties and path:
            found = _Type(f"dict[str, {extra}]", _DICT)
        else:
            cls = self._class_name(_CLASS_WORD.sub("", name) or "Model")
            self._class_of(cls, schema, path, extra=extra)
            found = _Type(cls, _CLASS)
        for pattern in patterns:
            self._untold(found, path, f"the type of keys that match {pattern}")
        if others is None and not patterns and (properties or path):
            self._untold(found, path, "keys that are not strings")
        return found

    def _constrain(self, found: _Type, schema: Schema, kind: str, path: tuple[str, ...]) -> None:
        """Adds the rules of a schema to its annotation."""
        words = _DICT_CONSTRAINTS if found.form == _DICT else _CONSTRAINTS.get(kind, {})
        for keyword, value in schema.items():
            if keyword in words:
                if isinstance(value, float) and not isfinite(value):
                    self._untold(found, path, f"{keyword} {value}")
                else:
                    found.constraints.append(f"{words[keyword]}={value!r}")
            elif keyword in ("enum", "const"):
                choices = [one for one in _listed(value) if one is not None]
                if {type(one) for one in choices} == {str} and found.text == "str":
                    found.text = f"Literal[{', '.join(map(_literal, choices))}]"
                elif choices and found.text in ("int", "float", "bool"):
                    found.text = f"Annotated[{found.text}, one_of({', '.join(map(_literal, choices))})]"
                else:
                    self._untold(found, path, f"one of {_literal(value)}")
            elif keyword == "$comment":
                self._untold(found, path, str(value))
            elif keyword == "oneOf" and kind == "object":
                self._untold(found, path, "exactly one of several keys is not null")
            elif keyword == "not":
                self._untold(found, path, "not null" if value == {"type": "null"} else "not")
            elif keyword not in _HANDLED:
                self._untold(found, path, f"{keyword} {_literal(value)}")

    # Classes

    def _class_of(self, name: str, schema: Schema, path: tuple[str, ...], *, extra: str) -> None:
        properties = _map_of(schema.get("properties"))
        required = _listed(schema.get("required"))
        lines: list[str] = []
        if not path and (said := schema.get("description") or schema.get("title")):
            lines += [_literal(said), ""]
        if extra:
            lines += ['model_config = ConfigDict(extra="allow")', f"__pydantic_extra__: dict[str, {extra}]"]
        names: set[str] = set()
        for key, one in properties.items():
            field = self._field_name(key, names)
            names.add(field)
            lines += self._field(field, key, _map_of(one), (*path, key), is_required=key in required)
        body = "".join(f"    {line}\n" if line else "\n" for line in lines or ["pass"])
        self._classes.append(f"class {name}({self._base}):\n{body}")

    def _field_name(self, key: str, names: set[str]) -> str:
        """The name of the field for a key: the key itself if Python and Pydantic accept it."""
        name = key if key.isascii() and key.isidentifier() else _NO_NAME.sub("_", key)
        if name.startswith(("_", "model_")) or not name.isidentifier():
            name = f"field_{name.strip('_')}"
        if iskeyword(name) or issoftkeyword(name) or name in _ATTRIBUTES or name in _USED:
            name += "_"
        while name in names:
            name += "_"
        return name

    def _field(
        self, field: str, key: str, schema: Schema, path: tuple[str, ...], *, is_required: bool
    ) -> Iterator[str]:
        default = schema.get("default", schema.get("const"))
        is_baked = isinstance(default, dict) and bool(default) and "properties" in schema
        if is_baked:
            schema = _with_defaults(schema, default)
        found = self._type(schema, path, "".join(map(_capitalized, path)))
        if is_baked and any(one not in _map_of(schema["properties"]) for one in _map_of(default)):
            self._untold(found, path, "defaults of keys that the schema does not name remain if other keys are set")
        arguments = []
        if not is_required and isinstance(default, dict) and found.form == _CLASS:
            arguments.append(f"default_factory={found.text}")
        elif not is_required and ("default" in schema or "const" in schema):
            arguments.append(f"default={_literal(default)}")
        if field != key:
            arguments.append(f"alias={_literal(key)}")
        arguments += [f"{word}={_literal(schema[word])}" for word in ("title", "description") if schema.get(word)]
        arguments += ["deprecated=True"] if schema.get("deprecated") is True else []
        arguments += [f"examples={_literal(schema['examples'])}"] if "examples" in schema else []
        if found.is_nullable:
            annotation = found.inner()
        else:
            annotation = found.text
            arguments += found.constraints
        for text in found.untold:
            yield f"# Not checked: {_NO_LINE.sub(' ', text)}"
        if not arguments:
            yield f"{field}: {annotation}"
        elif len(arguments) == 1 and arguments[0].startswith("default="):
            yield f"{field}: {annotation} = {arguments[0].removeprefix('default=')}"
        else:
            yield f"{field}: {annotation} = Field({', '.join(arguments)})"


_CLASS_WORD = re.compile(r"^[0-9]+")
_NO_NAME = re.compile(r"[^0-9A-Za-z_]")
# What ends a line, for Python or for a reader, or has no place in a comment.
_NO_LINE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def _with_defaults(schema: Schema, default: Plain) -> Schema:
    """A schema whose properties have the defaults that its own default gives them."""
    given = _map_of(default)
    properties = {
        key: {**_map_of(one), "default": given[key]} if key in given else one
        for key, one in _map_of(schema.get("properties")).items()
    }
    return {**schema, "properties": properties}


def _capitalized(key: str) -> str:
    words = [word for word in _WORD_END.split(key) if word]
    return "".join(word[0].upper() + word[1:] for word in words)


_WORD_END = re.compile(r"[^0-9A-Za-z]+")


def _listed(value: Plain) -> list[Plain]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _map_of(value: Plain) -> Schema:
    return value if isinstance(value, dict) else {}


def _literal(value: Plain) -> str:
    """Plain data as Python, on one line, with the quotes that formatters prefer."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_literal(key)}: {_literal(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_literal, value)) + "]"
    if isinstance(value, float) and not isfinite(value):
        return f'float("{value}")'
    text = repr(value)
    return f'"{text[1:-1]}"' if isinstance(value, str) and text[0] == "'" and '"' not in text else text
