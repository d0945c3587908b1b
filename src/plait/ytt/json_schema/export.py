"""Export of a data values schema, as `--data-values-schema-inspect` prints it.

A file in the requested format is printed unchanged. Otherwise the schema is converted, with everything that it refers
to.
"""

from __future__ import annotations

from plait.base.errors import Warning, warning
from plait.tree.nodes import Document, from_plain
from plait.ytt.json_schema.keyword_types import below
from plait.ytt.json_schema.keywords import UNKNOWN, without_effect
from plait.ytt.json_schema.schema_selection import OWN
from plait.ytt.schema.json_schema import DRAFT
from plait.ytt.schema.openapi import document_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from plait.ytt.json_schema.subschema import Subschema
    from plait.ytt.json_schema.values_schema import ValuesSchema

    Plain = dict[str, Any]

# Keywords that apply to a whole file, and keywords that move elsewhere.
_LEFT_OUT = ("$defs", "$id", "$schema", "definitions", "id", UNKNOWN)
_TITLE = "Schema for data values"
# Keywords that OpenAPI 3.0 does not have.
_NOT_IN_OPENAPI = (
    "$dynamicRef",
    "contains",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "if",
    "maxContains",
    "minContains",
    "patternProperties",
    "prefixItems",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
)


def described(schema: ValuesSchema, *, as_json: bool) -> tuple[Document, list[Warning]]:
    """The schema as a JSON Schema (as_json) or an OpenAPI document, and the keywords that this format cannot express."""
    contents = schema.contents
    is_openapi = isinstance(contents, dict) and "openapi" in contents
    written = schema.written()
    if written is not None and schema.is_whole and not schema.leads_out():
        if as_json and schema.pointer == "":
            return written, []
        if not as_json and is_openapi:
            return written, []
    bundle = _Bundle(schema, "#/$defs/" if as_json else "#/components/schemas/", _as_json if as_json else _as_openapi)
    top = bundle.of(schema.schema)
    if as_json:
        found: Plain = {"$schema": DRAFT, **top, **({"$defs": bundle.named} if bundle.named else {})}
        return Document(from_plain(found)), bundle.notes
    return document_of(from_plain({OWN: top, **bundle.named}), _TITLE), bundle.notes


class _Bundle:
    """A schema with all schemas that it refers to. named: the referenced schemas, by name. start: the prefix of
    references.
    """

    def __init__(self, schema: ValuesSchema, start: str, form: Callable[[Plain], list[str]]) -> None:
        self.named: Plain = {}
        self.notes: list[Warning] = []
        self._schema = schema
        self._start = start
        self._form = form
        own = "#" if start == "#/$defs/" else f"{start}{OWN}"
        self._without = without_effect(schema.contents)
        self._known: dict[int, str] = {id(schema.schema.node): own}
        self._names = {OWN}

    def of(self, place: Subschema) -> Plain:
        """One schema in the requested format."""
        node = place.node
        out = {key: value for key, value in node.items() if key not in _LEFT_OUT and not self._without(key, node)}
        for inner, steps in below(node):
            keyword = str(steps[0])
            if keyword not in out:
                continue
            below_it = place.inner(inner)
            new = self.of(below_it) if below_it is not None else self._plain(inner, keyword)
            if len(steps) == 1:
                out[keyword] = new
                continue
            if out[keyword] is node[keyword]:
                several: Any = node[keyword]
                out[keyword] = several.copy()
            out[keyword][steps[1]] = new  # type: ignore[index]
        if self._schema.is_ytts and node.get("type") == "object" and node is not self._schema.schema.node:
            out.setdefault("default", None if node.get("nullable") is True else {})
        if isinstance(node.get("$ref"), str):
            target = place.referred()
            if target is None:
                where = self._schema.where(node, "$ref")
                message = "the $ref is kept, but has no target in this format"
                self.notes.append(warning(message, code="schema-not-exported", at=where, word="$ref"))
            else:
                out["$ref"] = self._address(target, str(node["$ref"]))
        for keyword in self._form(out):
            at = self._schema.where(node, keyword)
            self.notes.append(
                warning(f"OpenAPI has no equivalent of {keyword}", code="schema-not-exported", at=at, word=keyword)
            )
        return out

    def _plain(self, inner: object, keyword: str) -> object:
        """The converted form of a value that is not an object. OpenAPI accepts true and false only as schemas for
        additional properties.
        """
        if self._form is _as_json or keyword == "additionalProperties" or not isinstance(inner, bool):
            return inner
        return {} if inner else {"not": {}}

    def _address(self, target: Subschema, reference: str) -> str:
        key = id(target.node)
        if key not in self._known:
            first = reference.rstrip("#/").rpartition("/")[2].rpartition("#")[2].removesuffix(".json") or "schema"
            name, number = first, 2
            while name in self._names:
                name, number = f"{first}{number}", number + 1
            self._names.add(name)
            self._known[key] = self._start + name
            self.named[name] = {}  # reserves its position in the order
            self.named[name] = self.of(target)
        return self._known[key]


def _as_json(node: Plain) -> list[str]:
    """Converts the keywords of OpenAPI and earlier drafts to those of the newest draft."""
    if node.pop("nullable", False) is True and "type" in node:
        types = node["type"] if isinstance(node["type"], list) else [node["type"]]
        node["type"] = [*types, *(["null"] if "null" not in types else [])]
    for bound in ("minimum", "maximum"):
        exclusive = f"exclusive{bound.capitalize()}"
        if node.get(exclusive) is True and bound in node:
            node[exclusive] = node.pop(bound)
        elif isinstance(node.get(exclusive), bool):
            del node[exclusive]
    if isinstance(node.get("items"), list):
        node["prefixItems"] = node.pop("items")
        if "additionalItems" in node:
            node["items"] = node.pop("additionalItems")
    for key, needed in node.pop("dependencies", {}).items():
        keyword = "dependentRequired" if isinstance(needed, list) else "dependentSchemas"
        node.setdefault(keyword, {})[key] = needed
    if "example" in node and "examples" not in node:
        node["examples"] = [node.pop("example")]
    return []


def _as_openapi(node: Plain) -> list[str]:
    """Converts the keywords of JSON Schema to those of OpenAPI 3.0. Returns those that OpenAPI lacks."""
    types = node.get("type")
    if types == "null":
        types = ["null"]
    if isinstance(types, list):
        others = [one for one in types if one != "null"]
        del node["type"]
        if len(others) == 1:
            node["type"] = others[0]
        elif not others and "enum" not in node:
            node["enum"] = [None]
        elif not others:
            node["allOf"] = [*node.get("allOf", []), {"enum": [None]}]
        else:
            nullable = {"nullable": True} if "null" in types else {}
            node["allOf"] = [*node.get("allOf", []), {"anyOf": [{"type": one, **nullable} for one in others]}]
        if "null" in types and len(others) == 1:
            node["nullable"] = True
    if "const" in node:
        node["enum"] = [node.pop("const")]
    for bound, nearer in (("minimum", max), ("maximum", min)):
        exclusive = f"exclusive{bound.capitalize()}"
        value = node.get(exclusive)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            node[exclusive] = nearer(value, node.get(bound, value)) == value
            node[bound] = nearer(value, node.get(bound, value))
    examples = node.pop("examples", None)
    if isinstance(examples, list) and examples:
        node.setdefault("example", examples[0])
    if "$ref" in node and len(node) > 1:
        node["allOf"] = [{"$ref": node.pop("$ref")}, *node.get("allOf", [])]
    left = [keyword for keyword in _NOT_IN_OPENAPI if keyword in node]
    for keyword in (*left, "then", "else"):
        node.pop(keyword, None)
    return left
