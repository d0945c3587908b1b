"""Subschema: the constraints on a value at one path."""

from __future__ import annotations

from plait.ytt.json_schema.patterns import matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TypeAlias

    from referencing._core import Resolver  # the class has no public name

    from plait.base.json_schema import Validator

    Plain: TypeAlias = "Mapping[str, object]"

# Schemas that match null only.
_NULLS = ({"type": "null"}, {"enum": [None]}, {"enum": [None], "nullable": True})
# Maximum number of references and alternatives followed at one position.
_MOST = 100


class Subschema:
    """The constraints on a value at one path. node: its keywords. resolver: resolves its `$ref`. is_kind: it belongs to
    a Kubernetes object, which rejects undeclared keys. checker: checks documents by the whole schema; None below the
    root. path: the file of the whole schema, or None.
    """

    __slots__ = ("_item", "_parts", "_properties", "checker", "is_kind", "node", "path", "resolver")

    def __init__(
        self, node: Plain, resolver: Resolver[Any], *, is_kind: bool, checker: Validator | None = None, path: str = ""
    ) -> None:
        self.node = node
        self.resolver = resolver
        self.is_kind = is_kind
        self.checker = checker
        self.path = path
        self._parts: list[Subschema] | None = None
        self._properties: dict[str, Subschema] | None = None
        self._item: Subschema | None = None

    def __repr__(self) -> str:
        return f"<Schema: {self.type_text()}>"

    def inner(self, node: object) -> Subschema | None:
        """A nested subschema with these keywords; None if `node` is not a map."""
        return Subschema(node, self.resolver, is_kind=self.is_kind) if isinstance(node, dict) else None

    def parts(self) -> list[Subschema]:
        """The subschema, the target of its `$ref`, and all schemas that apply or may apply, without duplicates."""
        if self._parts is None:
            self._parts = []
            todo: list[Subschema | None] = [self]
            seen: set[int] = set()
            while todo and len(seen) < _MOST:
                one = todo.pop(0)
                if one is None or id(one.node) in seen:
                    continue
                seen.add(id(one.node))
                self._parts.append(one)
                todo.append(one.referred())
                for name in ("allOf", "anyOf", "oneOf"):
                    several = one.node.get(name)
                    todo += [one.inner(node) for node in several] if isinstance(several, list) else []
                todo += [one.inner(one.node.get(name)) for name in ("then", "else")]
        return self._parts

    def certain(self) -> list[Subschema]:
        """The subschema and all that apply unconditionally (`$ref`, `allOf`), without duplicates.

        A branch of `anyOf` or `oneOf` counts only if the other one is `null`.
        """
        found: dict[int, Subschema] = {}
        todo: list[Subschema | None] = [self]
        while todo and len(found) < _MOST:
            one = todo.pop(0)
            if one is None or id(one.node) in found:
                continue
            found[id(one.node)] = one
            todo.append(one.referred())
            several = one.node.get("allOf")
            todo += [one.inner(node) for node in several] if isinstance(several, list) else []
            todo += [one.inner(only_alternative(one.node.get(name))) for name in ("anyOf", "oneOf")]
        return [*found.values()]

    def referred(self) -> Subschema | None:
        """The target of the `$ref` here, or None if there is none or it cannot be resolved."""
        reference = self.node.get("$ref")
        if not isinstance(reference, str):
            return None
        from referencing.exceptions import Unresolvable

        try:
            found = self.resolver.lookup(reference)
        except Unresolvable:
            return None  # relative to a part of the file with its own identifier
        node = found.contents
        return Subschema(node, found.resolver, is_kind=self.is_kind) if isinstance(node, dict) else None

    def properties(self) -> Mapping[str, Subschema]:
        """The schemas of a map's keys, by name."""
        if self._properties is None:
            found: dict[str, Subschema] = {}
            for part in self.parts():
                properties = part.node.get("properties")
                for name, node in properties.items() if isinstance(properties, dict) else ():
                    # A schema that allows any value still declares the key.
                    inner = part.inner({} if node is True else node)
                    if inner is not None:
                        found.setdefault(name, inner)
            self._properties = found
        return self._properties

    def below(self, key: str) -> Subschema | None:
        """The schema of a key's value, or None."""
        found = self.properties().get(key)
        if found is not None:
            return found
        for part in self.parts():
            patterns = part.node.get("patternProperties")
            for pattern, node in patterns.items() if isinstance(patterns, dict) else ():
                if isinstance(node, dict) and matches(pattern, key):
                    return part.inner(node)
        for part in self.parts():
            more = part.inner(part.node.get("additionalProperties"))
            if more is not None:
                return more
        return None

    def item(self) -> Subschema | None:
        """The schema of an array's items, or None."""
        if self._item is None:
            for part in self.parts():
                self._item = part.inner(part.node.get("items"))
                if self._item is not None:
                    break
        return self._item

    def at(self, keys: Sequence[str]) -> Subschema | None:
        """The subschema at a path of keys, or None. Arrays on the way are entered without a step."""
        found: Subschema | None = self
        for key in keys:
            found = None if found is None else found.inside().below(key)
        return found

    def inside(self) -> Subschema:
        """The subschema, or that of the items if it is an array."""
        found = self
        for _ in range(_MOST):
            inner = None if found.properties() else found.item()
            if inner is None:
                break
            found = inner
        return found

    def is_closed(self) -> bool:
        """True if a map here accepts only its declared keys."""
        has_properties = False
        for part in self.parts():
            if part.node.get("x-kubernetes-preserve-unknown-fields") or part.node.get("x-kubernetes-embedded-resource"):
                return False
            if part.node.get("patternProperties") or part.node.get("additionalProperties"):
                return False
            has_properties = has_properties or bool(part.node.get("properties"))
        return has_properties

    def types(self) -> list[str]:
        """The names of the types that a value here may have."""
        found: list[str] = []
        for part in self.parts():
            names = part.node.get("type")
            found += [names] if isinstance(names, str) else _texts(names)
            if part.node.get("x-kubernetes-int-or-string") or part.node.get("format") == "int-or-string":
                found += ["integer", "string"]
        return list(dict.fromkeys(found))

    def type_text(self) -> str:
        """The types as text."""
        return " or ".join(self.types()) or "any"

    def choices(self) -> list[object]:
        """The allowed values, if they are listed; for a boolean, both."""
        found: list[object] = []
        for part in self.parts():
            listed = part.node.get("enum", [part.node["const"]] if "const" in part.node else [])
            found += listed if isinstance(listed, list) else []
        if not found and self.types() == ["boolean"]:
            return [True, False]
        return [*{(type(one), repr(one)): one for one in found}.values()]

    def description(self) -> str:
        """The description, or ""."""
        for part in self.parts():
            said = part.node.get("description")
            if isinstance(said, str) and said:
                return said
        return ""


def only_alternative(several: object) -> object:
    """The only schema in a list besides that of null, or None."""
    others = [one for one in several if one not in _NULLS] if isinstance(several, list) else []
    return others[0] if len(others) == 1 else None


def _texts(value: object) -> list[str]:
    """The strings in a list; empty for any other value."""
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
