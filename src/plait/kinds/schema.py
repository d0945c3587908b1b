"""A place in a JSON Schema: what a value there may be, and what is said of it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypeAlias

    Plain: TypeAlias = "Mapping[str, object]"

# So many references and alternatives are followed at one place.
_MOST = 100


class Schema:
    """A place in a schema. root: the whole file, which `$ref` leads into. node: the place."""

    __slots__ = ("node", "root")

    def __init__(self, root: Plain, node: Plain | None = None) -> None:
        self.root = root
        self.node = root if node is None else node

    def __repr__(self) -> str:
        return f"<Schema: {self.type_text()}>"

    def parts(self, *, alternatives: bool = True) -> Iterator[Plain]:
        """The place, what it refers to, and what else holds for it, each once. alternatives: of which one holds, too."""
        todo: list[object] = [self.node]
        seen: list[object] = []
        while todo and len(seen) < _MOST:
            one = todo.pop(0)
            if not isinstance(one, dict) or any(one is other for other in seen):
                continue
            seen.append(one)
            yield one
            todo.append(self._referred(one.get("$ref")))
            for name in ("allOf", "anyOf", "oneOf") if alternatives else ("allOf",):
                several = one.get(name)
                todo += several if isinstance(several, list) else []

    def _referred(self, reference: object) -> object:
        """What a `$ref` within the file leads to; None for one that leads elsewhere."""
        if not isinstance(reference, str) or not reference.startswith("#"):
            return None
        found: object = self.root
        for step in reference[1:].split("/")[1:]:
            found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
        return found

    def properties(self) -> dict[str, Schema]:
        """What is said of the keys of a map here, by name."""
        found: dict[str, Schema] = {}
        for part in self.parts():
            properties = part.get("properties")
            for name, node in properties.items() if isinstance(properties, dict) else ():
                if isinstance(node, dict):
                    found.setdefault(name, Schema(self.root, node))
        return found

    def below(self, key: str) -> Schema | None:
        """What is said of the value of a key; None if nothing is."""
        found = self.properties().get(key)
        if found is not None:
            return found
        for part in self.parts():
            more = part.get("additionalProperties")
            if isinstance(more, dict):
                return Schema(self.root, more)
        return None

    def item(self) -> Schema | None:
        """What is said of the items of an array here."""
        for part in self.parts():
            items = part.get("items")
            if isinstance(items, dict):
                return Schema(self.root, items)
        return None

    def at(self, keys: Sequence[str]) -> Schema | None:
        """What is said of the value below some keys, through arrays as if they were not there."""
        found: Schema | None = self
        for key in keys:
            while found is not None and not found.properties() and found.item() is not None:
                found = found.item()
            found = None if found is None else found.below(key)
        return found

    def inside(self) -> Schema:
        """The place, or that of the items if it is an array."""
        found = self
        while not found.properties() and (below := found.item()) is not None:
            found = below
        return found

    def is_closed(self) -> bool:
        """Whether a map here has the keys that are declared and no others."""
        has_properties = False
        for part in self.parts():
            if part.get("x-kubernetes-preserve-unknown-fields") or part.get("x-kubernetes-embedded-resource"):
                return False
            if part.get("patternProperties") or part.get("additionalProperties"):
                return False
            has_properties = has_properties or bool(part.get("properties"))
        return has_properties

    def types(self) -> list[str]:
        """The names of the types that a value here may have."""
        found: list[str] = []
        for part in self.parts():
            names = part.get("type")
            found += [names] if isinstance(names, str) else _texts(names)
            if part.get("x-kubernetes-int-or-string") or part.get("format") == "int-or-string":
                found += ["integer", "string"]
        return list(dict.fromkeys(found))

    def type_text(self) -> str:
        """The types, for people."""
        return " or ".join(self.types()) or "any"

    def choices(self, *, alternatives: bool = True) -> list[object]:
        """The values that there may be, if only some may; for a boolean both. alternatives: as of `parts`."""
        for part in self.parts(alternatives=alternatives):
            listed = part.get("enum")
            if isinstance(listed, list):
                return listed
            if "const" in part:
                return [part["const"]]
        return ["true", "false"] if self.types() == ["boolean"] else []

    def description(self) -> str:
        """What is said of it in words; empty if nothing is."""
        for part in self.parts():
            said = part.get("description")
            if isinstance(said, str) and said:
                return said
        return ""

    def required(self) -> set[str]:
        """The keys that a map here must have."""
        names: set[str] = set()
        node = self.node
        for one in (node, self._referred(node.get("$ref"))):
            names.update(_texts(one.get("required")) if isinstance(one, dict) else ())
        return names


def _texts(value: object) -> list[str]:
    """The texts of a list, whatever else it may be."""
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
