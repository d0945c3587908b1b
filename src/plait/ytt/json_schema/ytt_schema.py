"""Converts a JSON Schema to a schema of templates (docs/reference/json-schema.md).

A schema of templates has a default for each value. A property without a default is null unless it is required; a
required one has the empty value of its type. Each keyword without an equivalent is reported.
"""

from __future__ import annotations

import json
import re

from plait.base.errors import UsageError, warning
from plait.base.extensions import KEYS, REQUIRED
from plait.base.similar_names import counted
from plait.ytt.json_schema.keywords import UNKNOWN
from plait.ytt.json_schema.patterns import is_pattern, parts_of
from plait.ytt.json_schema.subschema import Subschema, only_alternative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.base.errors import Warning
    from plait.base.source import Position
    from plait.ytt.json_schema.values_schema import ValuesSchema

_EMPTY = {"string": '""', "integer": "0", "number": "0.0", "boolean": "false"}
_TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict}
# Keywords that `_Node` or `_Writer` handles, and those that say nothing about values.
_HANDLED = frozenset(
    [
        "$anchor",
        "$comment",
        "$defs",
        "$id",
        "$ref",
        "$schema",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "default",
        "definitions",
        "deprecated",
        "description",
        "enum",
        "example",
        "examples",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "externalDocs",
        "id",
        "items",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "nullable",
        "oneOf",
        "pattern",
        "properties",
        "readOnly",
        "required",
        "title",
        "type",
        "writeOnly",
        "xml",
        "x-kubernetes-int-or-string",
        "x-kubernetes-list-map-keys",
        "x-kubernetes-list-type",
        "x-kubernetes-map-type",
        "x-kubernetes-preserve-unknown-fields",
    ]
)
_REPORTED = frozenset({UNKNOWN, "x-kubernetes-validations"})
_BOUNDS = {
    "string": (("minLength", "min_len"), ("maxLength", "max_len")),
    "array": (("minItems", "min_len"), ("maxItems", "max_len")),
    "object": (("minProperties", "min_len"), ("maxProperties", "max_len")),
    "integer": (("minimum", "min"), ("maximum", "max")),
    "number": (("minimum", "min"), ("maximum", "max")),
}
_COMPARED = (("exclusiveMinimum", "minimum", ">", "more"), ("exclusiveMaximum", "maximum", "<", "less"))
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*(?<![.-])")
_SPECIAL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")
_WORDS = frozenset(["true", "false", "null", "yes", "no", "on", "off", "y", "n"])
_INDENT = "  "


def ytt_schema(schema: ValuesSchema, extensions: frozenset[str]) -> tuple[str, list[Warning]]:
    """The text of a schema document, and the rules that it does not express. extensions: the extensions that it may
    use.

    Raises UsageError for a schema whose root is not an object.
    """
    writer = _Writer(schema, extensions)
    return writer.document(), writer.warnings()


class _Node:
    """The keywords that apply to one value: those of the schema, of its `$ref`, of `allOf`, and of the only alternative
    other than null.
    """

    def __init__(self) -> None:
        self.at: Subschema | None = None
        # The identities of the schemas that it is made of.
        self.read: list[int] = []
        self.keywords: dict[str, object] = {}
        self.properties: dict[str, Subschema] = {}
        self.patterns: dict[str, Subschema] = {}
        self.required: set[str] = set()
        self.items: Subschema | None = None
        self.additional: Subschema | bool | None = None
        self.is_nullable = False
        self.is_any = False

    @property
    def type(self) -> str:
        """The type of the value; "" for any."""
        if self.is_any or self.keywords.get("x-kubernetes-int-or-string") is True:
            return ""
        given = self.keywords.get("type")
        types = {
            one for one in (given if isinstance(given, list) else [given]) if isinstance(one, str) and one != "null"
        }
        if not types:
            types = self._inferred()
        if types == {"integer", "number"}:
            types = {"number"}
        return types.pop() if len(types) == 1 else ""

    def _inferred(self) -> set[str]:
        if self.properties or (isinstance(self.additional, object) and self.additional is not None):
            return {"object"}
        if self.items is not None:
            return {"array"}
        values = self.choices() or ([self.keywords["default"]] if "default" in self.keywords else [])
        return {_type_of(value) for value in values if value is not None}

    def choices(self) -> list[object]:
        """The values of `enum` or `const`; empty without one."""
        if "const" in self.keywords:
            return [self.keywords["const"]]
        found = self.keywords.get("enum")
        return found if isinstance(found, list) else []


def _type_of(value: object) -> str:
    return next(name for name in ("boolean", "integer", "number", "string", "array", "object") if _is(value, name))


def _is(value: object, name: str) -> bool:
    return isinstance(value, _TYPES[name]) and (name == "boolean" or not isinstance(value, bool))  # type: ignore[arg-type]


_ANNOTATION = "#@data/values-schema"


def _of_values(schema: ValuesSchema) -> UsageError:
    """The error for a map without a keyword of JSON Schema, such as a file of values."""
    at = schema.position
    lines = [] if at.source is None else at.source.text.split("\n")
    if _ANNOTATION in (line.strip() for line in lines):
        hint = "it is a schema of templates, which needs no import: plait render -f reads it"
    elif "---" in (line.strip() for line in lines[: at.line]):
        hint = f"values need no import: {_ANNOTATION} in a line above their --- makes them a schema of templates"
    else:
        hint = f"values need no import: two lines above them, {_ANNOTATION} and ---, make them a schema of templates"
    return UsageError(
        "this is a map of values, and no JSON Schema",
        at=at,
        expected="type, properties or another keyword of JSON Schema",
        found=", ".join([*map(str, schema.schema.node)][:_MOST_KEYS]),
        hint=hint,
        code="values-not-map",
    )


# Keys that a message names.
_MOST_KEYS = 5


class _Writer:
    def __init__(self, schema: ValuesSchema, extensions: frozenset[str]) -> None:
        self._schema = schema
        self._extensions = extensions
        self._is_resource = "openAPIV3Schema" in schema.pointer
        self._lines: list[str] = []
        self._notes: dict[str, list[Position]] = {}
        # The schemas around the current value, to detect recursion.
        self._open: list[int] = []
        self._uses_patterns = False

    def document(self) -> str:
        root = self._node(self._schema.schema)
        if root.type != "object":
            if not root.is_any and not root.keywords and not root.properties and self._schema.schema.node:
                raise _of_values(self._schema)
            raise UsageError(
                "data values must be a map",
                at=self._schema.position,
                expected="a schema of type object",
                found=root.type or "any type",
                hint="a schema of data values is {type: object, properties: {NAME: {type: string}}}",
                code="values-not-map",
            )
        self._describe(root, "")
        self._validate(root, "", "object", [])
        rules = self._lines
        self._lines = []
        self._members(root, "")
        load = ['#@ load("@ytt:regexp", "regexp")'] if self._uses_patterns else []
        return "\n".join([*load, "#@data/values-schema", *rules, "---", *(self._lines or ["{}"])]) + "\n"

    def warnings(self) -> list[Warning]:
        """One for each keyword that is not expressed, at its first position."""
        out = [*self._schema.notes]
        for text, places in self._notes.items():
            more = f" ({counted(len(places) - 1, 'more place')})" if len(places) > 1 else ""
            out.append(warning(text + more, code="schema-not-exported", at=places[0]))
        return out

    def _note(self, place: Subschema, keyword: str, text: str) -> None:
        self._notes.setdefault(f"{keyword}: {text}", []).append(self._schema.where(place.node, keyword))

    # Reading

    def _node(self, place: Subschema) -> _Node:
        out = _Node()
        out.at = place
        self._merge(place, out, [])
        return out

    def _merge(self, place: Subschema, out: _Node, seen: list[int]) -> None:
        node = place.node
        if id(node) in self._open or id(node) in seen:
            out.is_any = True
            self._note(place, "$ref", "the schema contains itself, so any value is accepted there")
            return
        seen = [*seen, id(node)]
        out.read.append(id(node))
        if isinstance(node.get("$ref"), str):
            target = place.referred()
            if target is None:
                out.is_any = True
                self._note(place, "$ref", "the reference is not resolved, so any value is accepted there")
            else:
                self._merge(target, out, seen)
        for inner in self._inner(place, "allOf"):
            self._merge(inner, out, seen)
        for keyword in ("anyOf", "oneOf"):
            self._alternatives(place, keyword, out, seen)
        self._own(place, out)

    def _inner(self, place: Subschema, keyword: str) -> Iterator[Subschema]:
        several = place.node.get(keyword)
        for one in several if isinstance(several, list) else ():
            inner = place.inner(one)
            if inner is not None:
                yield inner

    def _alternatives(self, place: Subschema, keyword: str, out: _Node, seen: list[int]) -> None:
        several = place.node.get(keyword)
        if not isinstance(several, list):
            return
        if (
            out.keywords.get("x-kubernetes-int-or-string") is True
            or place.node.get("x-kubernetes-int-or-string") is True
        ):
            self._note(place, "x-kubernetes-int-or-string", "any value is accepted")
            return
        only = only_alternative(several)
        inner = place.inner(only)
        if inner is not None:
            out.is_nullable = out.is_nullable or len(several) > 1
            self._merge(inner, out, seen)
            return
        # Alternatives that only require other keys leave the type as it is.
        if not all(isinstance(one, dict) and one.keys() <= {"required", "not", "properties"} for one in several):
            out.is_any = True
        self._note(
            place, keyword, "the alternatives are not checked" + (", any value is accepted" if out.is_any else "")
        )

    def _own(self, place: Subschema, out: _Node) -> None:
        node = place.node
        for keyword, value in node.items():
            if keyword == "properties" and isinstance(value, dict):
                for name, one in value.items():
                    inner = place.inner(one)
                    if inner is None or name in out.properties:
                        self._note(place, keyword, "a property has several schemas, or one that is not a map")
                    if inner is not None:
                        out.properties.setdefault(name, inner)
            elif keyword == "patternProperties" and isinstance(value, dict):
                out.patterns.update(
                    {name: inner for name, one in value.items() if (inner := place.inner(one)) is not None}
                )
                if KEYS not in self._extensions:
                    self._note(place, keyword, "not checked (--with keys checks it)")
            elif keyword == "required" and isinstance(value, list):
                out.required.update(map(str, value))
            elif keyword == "items" and (inner := place.inner(value)) is not None:
                out.items = inner
            elif keyword == "items":
                self._note(place, keyword, "items of several schemas are not checked")
            elif keyword == "additionalProperties":
                out.additional = place.inner(value) or value is True
            elif keyword in _REPORTED:  # by a warning of the schema
                pass
            elif keyword in _HANDLED:
                before = out.keywords.get(keyword, value)
                if before != value and keyword not in ("title", "description", "default", "type"):
                    self._note(place, keyword, "only one of several values is checked")
                out.keywords[keyword] = value
            else:
                self._note(place, keyword, "not checked")
        types = node.get("type")
        null_types = isinstance(types, list) and "null" in types
        choices = node.get("enum")
        if node.get("nullable") is True or null_types or (isinstance(choices, list) and None in choices):
            out.is_nullable = True
        if isinstance(types, list) and len([one for one in types if one != "null"]) > 1:
            self._note(place, "type", "any type is accepted in place of several")

    # Writing

    def _members(self, node: _Node, pad: str) -> None:
        """The keys of a map."""
        assert node.at is not None
        is_open = node.additional is True or isinstance(node.additional, Subschema)
        for name, place in node.properties.items():
            self._item(f"{_key(name)}:", place, pad, is_required=name in node.required)
        for name in sorted(node.required - node.properties.keys()):
            self._note(node.at, "required", f"{name} is not declared")
        examples = {*node.properties}
        for pattern, place in node.patterns.items() if KEYS in self._extensions else ():
            if self._is_supported(place, "patternProperties", pattern):
                # Keys match as a whole, and a pattern anywhere in the key.
                self._lines.append(f"{pad}#@schema/key {_starlark(f'(?s:.*(?:{pattern}).*)')}")
                self._item(f"{_free_key(examples)}:", place, pad, is_required=None)
        if isinstance(node.additional, Subschema) and KEYS in self._extensions:
            self._lines.append(f"{pad}#@schema/key")
            self._item(f"{_free_key(examples)}:", node.additional, pad, is_required=None)
        elif is_open or (node.additional is None and not self._is_resource and not node.patterns):
            self._note(node.at, "additionalProperties", "keys that the schema does not name are rejected")

    def _item(
        self, head: str, place: Subschema, pad: str, *, is_required: bool | None, is_in_array: bool = False
    ) -> None:
        node = self._node(place)
        around = self._open
        self._open = [*around, *node.read]
        self._lines_of(head, node, pad, is_required=is_required, is_in_array=is_in_array)
        self._open = around

    def _lines_of(self, head: str, node: _Node, pad: str, *, is_required: bool | None, is_in_array: bool) -> None:
        assert node.at is not None
        kind = node.type
        default = node.keywords.get("default")
        has_default = "default" in node.keywords
        choices = [one for one in node.choices() if one is not None]
        if not has_default and "const" in node.keywords:
            default, has_default = node.keywords["const"], True
        if has_default and default is not None and kind and not _is(default, kind):
            self._note(node.at, "default", "the default has a different type, and is ignored")
            has_default = False
        if kind == "object" and not node.properties and self._is_open(node):
            if node.additional is not None and not isinstance(node.additional, bool):
                self._note(node.at, "additionalProperties", "any map is accepted (--with keys checks its values)")
            kind = ""
        self._describe(node, pad)
        is_null = not has_default and is_required is False
        if not kind:
            self._lines.append(f"{pad}#@schema/type any=True")
            self._validate(node, pad, "", choices)
            value = _json(default) if has_default else "null" if is_null else '""'
            self._lines.append(f"{pad}{head} {value}")
            return
        if is_in_array and node.is_nullable:
            self._note(node.at, "nullable" if "nullable" in node.at.node else "type", "null as an item is rejected")
        elif is_null or node.is_nullable:
            self._lines.append(f"{pad}#@schema/nullable")
        if is_required and not has_default:
            if REQUIRED in self._extensions:
                self._lines.append(f"{pad}#@schema/required")
            else:
                self._note(node.at, "required", "the empty value is the default (--with required demands another)")
        is_collection = kind in ("array", "object")
        if is_in_array and is_collection and default not in (None, [], {}):
            self._note(node.at, "default", "items have no defaults of their own")
        elif has_default and default is not None and (is_collection or node.is_nullable) and default not in ([], {}):
            self._lines.append(f"{pad}#@schema/default {_starlark(default)}")
        self._validate(node, pad, kind, choices)
        if kind == "object":
            start = len(self._lines)
            self._lines.append(pad + head)
            self._members(node, pad + _INDENT)
            if len(self._lines) == start + 1:
                self._lines[start] += " {}"
        elif kind == "array":
            self._lines.append(pad + head)
            if node.items is None:
                self._lines += [f"{pad}{_INDENT}#@schema/type any=True", f'{pad}{_INDENT}- ""']
            else:
                self._item("-", node.items, pad + _INDENT, is_required=None, is_in_array=True)
        else:
            value = _EMPTY[kind]
            if has_default and default is not None:
                value = _json(float(default) if kind == "number" else default)  # type: ignore[arg-type]
            self._lines.append(f"{pad}{head} {value}")

    def _is_open(self, node: _Node) -> bool:
        """True for a map whose keys the schema does not name."""
        if node.patterns or isinstance(node.additional, Subschema):
            return KEYS not in self._extensions
        return node.additional is not False or node.keywords.get("x-kubernetes-preserve-unknown-fields") is True

    def _is_supported(self, place: Subschema, keyword: str, pattern: str) -> bool:
        """True if RE2 matches a pattern; a key needs one without look-ahead. Otherwise it is reported."""
        is_supported = is_pattern(pattern) and (keyword == "pattern" or len(parts_of(pattern)) == 1)
        if not is_supported:
            self._note(place, keyword, f"{pattern} is not a regular expression of RE2, and not checked")
        return is_supported

    def _describe(self, node: _Node, pad: str) -> None:
        for keyword, annotation in (("title", "title"), ("description", "desc")):
            text = node.keywords.get(keyword)
            if isinstance(text, str) and text:
                self._lines.append(f"{pad}#@schema/{annotation} {_starlark(text)}")
        if node.keywords.get("deprecated") is True:
            self._lines.append(f'{pad}#@schema/deprecated ""')

    def _validate(self, node: _Node, pad: str, kind: str, choices: list[object]) -> None:
        assert node.at is not None
        rules, arguments = [], []
        keywords = node.keywords
        names = dict(_BOUNDS.get(kind, ()))
        for exclusive, bound, sign, word in _COMPARED:
            value = keywords.get(exclusive)
            if value is True:
                value = keywords.get(bound)
                names.pop(bound, None)
            if _is_number(value):
                rules.append(f'("a value {word} than {value}", lambda v: v {sign} {value})')
        arguments += [
            f"{name}={keywords[keyword]}" for keyword, name in names.items() if _is_number(keywords.get(keyword))
        ]
        pattern = keywords.get("pattern")
        if isinstance(pattern, str) and kind == "string" and self._is_supported(node.at, "pattern", pattern):
            self._uses_patterns = True
            text = f"a string that matches {pattern}"
            parts = [
                f"{'' if wanted else 'not '}regexp.match({_starlark(one)}, v)" for one, wanted in parts_of(pattern)
            ]
            rules.append(f"({_starlark(text)}, lambda v: {' and '.join(parts)})")
        multiple = keywords.get("multipleOf")
        if _is_number(multiple):
            rules.append(f'("a multiple of {multiple}", lambda v: v % {multiple} == 0)')
        if choices:
            arguments.append(f"one_of={_starlark(choices)}")
        unchecked = [one for names in _BOUNDS.values() for one, _ in names if one in keywords]
        for keyword in unchecked if kind not in _BOUNDS else ():
            self._note(node.at, keyword, "not checked")
        if rules or arguments:
            self._lines.append(f"{pad}#@schema/validation {', '.join([*rules, *arguments])}")


def _is_number(value: object) -> bool:
    """True for a number that a literal can represent."""
    return isinstance(value, int | float) and not isinstance(value, bool) and value - value == 0


def _free_key(used: set[str]) -> str:
    """A name of an example key, which is added to the used ones."""
    name = "key"
    while name in used:
        name += "_"
    used.add(name)
    return name


def _key(name: str) -> str:
    is_plain = _PLAIN_KEY.fullmatch(name) is not None and name.lower() not in _WORDS
    return name if is_plain else _json(name)


def _json(value: object) -> str:
    """A value as JSON that is YAML on one line."""
    return _SPECIAL.sub(_escaped, json.dumps(value, ensure_ascii=False))


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def _starlark(value: object) -> str:
    """A literal of Starlark on one line."""
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_starlark, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_starlark(key)}: {_starlark(inner)}' for key, inner in value.items())}}}"
    if isinstance(value, str):
        text = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        # What ends a line of YAML must not end the comment.
        return '"' + _SPECIAL.sub(_escaped, text) + '"'
    return repr(value)
