"""The kinds that a file defines: custom resource definitions, and OpenAPI documents of version 2 and 3."""

from __future__ import annotations

from urllib.parse import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    # `apiVersion` and `kind` of objects, and the pointer of their schema in the file.
    Definition: TypeAlias = "tuple[str, str, str]"

# Quantities are strings that may be written as numbers.
_QUANTITY = "apimachinery.pkg.api.resource.Quantity"
_AMOUNT = [{"type": "string"}, {"type": "number"}]


def definitions(contents: object) -> Iterator[Definition]:
    """The kinds that a file defines, completed by the keys that every object has."""
    if not isinstance(contents, dict):
        return
    documents = contents.get("documents")
    if isinstance(documents, list):
        for number, document in enumerate(documents):
            for api_version, kind, pointer in definitions(document):
                yield api_version, kind, f"/documents/{number}{pointer}"
    elif contents.get("kind") == "CustomResourceDefinition":
        yield from _custom(contents.get("spec"))
    elif str(contents.get("kind")).endswith("List") and isinstance(contents.get("items"), list):
        for number, one in enumerate(contents["items"]):
            for api_version, kind, pointer in definitions(one):
                yield api_version, kind, f"/items/{number}{pointer}"
    else:
        contents.pop("paths", None)  # most schemas, which do not define objects
        components = contents.get("components")
        yield from _openapi(contents.get("definitions"), "/definitions")
        yield from _openapi(components.get("schemas") if isinstance(components, dict) else None, "/components/schemas")


def _openapi(schemas: object, pointer: str) -> Iterator[Definition]:
    for name, node in schemas.items() if isinstance(schemas, dict) else ():
        if not isinstance(node, dict):
            continue
        if str(name).endswith(_QUANTITY):
            node.pop("type", None)
            node["oneOf"] = _AMOUNT
        kinds = node.get("x-kubernetes-group-version-kind")
        for one in kinds if isinstance(kinds, list) else ():
            if isinstance(one, dict):
                group, version = one.get("group"), str(one.get("version"))
                yield (
                    f"{group}/{version}" if group else version,
                    str(one.get("kind")),
                    f"{pointer}/{_escaped(str(name))}",
                )


def _custom(spec: object) -> Iterator[Definition]:
    """The definitions of a custom resource definition, v1 or v1beta1."""
    names = spec.get("names") if isinstance(spec, dict) else None
    if not isinstance(spec, dict) or not isinstance(names, dict):
        return
    shared = _completed(spec.get("validation"))
    versions = spec.get("versions")
    several = versions if isinstance(versions, list) else [{"name": spec.get("version")}]
    for number, version in enumerate(several):
        if isinstance(version, dict):
            pointer = f"/spec/versions/{number}/schema" if _completed(version.get("schema")) else "/spec/validation"
            if shared or pointer != "/spec/validation":
                yield f"{spec.get('group')}/{version.get('name')}", str(names.get("kind")), f"{pointer}/openAPIV3Schema"


def _completed(parent: object) -> bool:
    """Adds the keys that every object has. Returns True if there is a schema."""
    schema = parent.get("openAPIV3Schema") if isinstance(parent, dict) else None
    if not isinstance(schema, dict):
        return False
    own = schema.get("properties")
    shared: dict[str, object] = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}}
    schema["properties"] = {**shared, **(own if isinstance(own, dict) else {}), "metadata": {"type": "object"}}
    return True


def _escaped(name: str) -> str:
    return quote(name.replace("~", "~0").replace("/", "~1"))
