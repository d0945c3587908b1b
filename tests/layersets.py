"""Sets of layered documents by chance, made so that most of them render: what laws of layering are tried on.

Paths lead where something was written, parents are above their children, patterns stand in texts. What is likely is where
documents meet: a map that is substituted and then written into, equal siblings of which one is deleted, replacements,
documents given twice.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from random import Random

_NAMES = ("fleet", "zone", "rack", "host")
_KEYS = "abcde"
_MARK = "PUT_X"


def layer_set(random: Random) -> list[dict[str, Any]]:
    """The documents of one set, with their policy, in any order."""
    return _Maker(random).made()


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.layers = _NAMES[: random.randint(2, 4)]
        self.documents: list[dict[str, Any]] = []
        self.replaced: set[int] = set()
        # What each document's data is about to become, by its place: paths that are chosen in it lead somewhere.
        self.rendered: list[Any] = []

    def made(self) -> list[dict[str, Any]]:
        random = self.random
        for number in range(random.randint(2, 7)):
            self.document(number)
        if random.random() < 0.04:
            self.documents.append(deepcopy(random.choice(self.documents)))
        for number in range(len(self.rendered)):
            if random.random() < 0.5:
                self.substitutions(number)
        policy = {
            "schema": "deckhand/LayeringPolicy/v1",
            "metadata": {"schema": "metadata/Control/v1", "name": "order"},
            "data": {"layerOrder": list(self.layers)},
        }
        found = [*self.documents, policy]
        if random.random() < 0.7:
            random.shuffle(found)
        return found

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def value(self, depth: int) -> Any:
        random = self.random
        kind = random.random()
        if depth and kind < 0.55:
            return {key: self.value(depth - 1) for key in random.sample(_KEYS, random.randint(1, 3))}
        if depth and kind < 0.68:
            return [self.value(depth - 1) for _ in range(random.randint(1, 3))]
        return random.choice([1, 1, 2, True, False, "t", "t", f"u:{_MARK}", f"{_MARK} {_MARK}", "", 0, 1.0, {}, "x.y"])

    def document(self, number: int) -> None:
        random = self.random
        layer = random.choice(self.layers)
        metadata: dict[str, Any] = {
            "schema": "metadata/Document/v1",
            "name": f"d{number}",
            "storagePolicy": "cleartext",
            "labels": {"id": f"d{number}", "all": "same"},
            "layeringDefinition": {"layer": layer, "abstract": self.chance(0.2)},
        }
        data: Any = {key: self.value(3) for key in random.sample(_KEYS, random.randint(1, 4))}
        if self.chance(0.06):
            data = random.choice(["text", 5, [1, {"a": 1}], f"all {_MARK}"])
        document = {"schema": random.choice(["demo/A/v1", "demo/A/v1", "demo/B/v1"]), "metadata": metadata}
        self.documents.append(document)
        self.rendered.append(data)
        above = [
            place
            for place, one in enumerate(self.documents[:-1])
            if self.layers.index(layer_of(one)) < self.layers.index(layer)
        ]
        if above and self.chance(0.7):
            place = random.choice(above)
            data = self.inherit(document, data, self.documents[place], self.rendered[place])
        if not self.chance(0.03):
            document["data"] = data

    def inherit(self, document: dict[str, Any], data: Any, parent: dict[str, Any], inherited: Any) -> Any:
        """Make it the parent's child; the data that the child has of its own."""
        metadata = document["metadata"]
        document["schema"] = parent["schema"]
        definition = metadata["layeringDefinition"]
        definition["parentSelector"] = {"id": parent["metadata"]["labels"]["id"]}
        if isinstance(data, dict) and isinstance(inherited, dict) and self.chance(0.6):
            # Data that has something in common with the parent's.
            data |= {key: self.altered(inner) for key, inner in inherited.items() if self.chance(0.6)}
        now = deepcopy(inherited)
        definition["actions"] = []
        for _ in range(self.random.randint(1, 3)):
            action = self.action(data, now)
            changed = acted(now, data, action)
            if changed is not None or self.chance(0.03):
                definition["actions"].append(action)
                now = changed if changed is not None else now
        definition["actions"] = definition["actions"] or [{"method": "merge", "path": "."}]
        self.rendered[-1] = now
        if self.chance(0.2) and not parent["metadata"].get("replacement") and id(parent) not in self.replaced:
            self.replaced.add(id(parent))
            metadata["replacement"] = True
            metadata["name"] = parent["metadata"]["name"]
        return data

    def altered(self, value: Any) -> Any:
        if isinstance(value, dict) and value and self.chance(0.7):
            return {key: self.altered(inner) for key, inner in value.items()} | (
                {self.random.choice(_KEYS): self.value(1)} if self.chance(0.3) else {}
            )
        return self.value(2) if self.chance(0.3) else deepcopy(value)

    def action(self, child: Any, parent: Any) -> dict[str, str]:
        method = self.random.choice(["merge", "merge", "replace", "delete", "delete"])
        path = self.path(parent if method == "delete" else child, root=0.3 if method == "merge" else 0.1)
        if self.chance(0.1):
            path = path.replace(".", ".data.", 1) if path != "." else ".data"
        if self.chance(0.1) and len(path) > 1:
            path = path.removeprefix(".")
        return {"method": method, "path": path}

    def path(self, data: Any, root: float = 0.1, new: float = 0.0) -> str:
        """A path to something in the data, or with `new` as the chance of it, to something that is not there."""
        random = self.random
        if self.chance(root) or not isinstance(data, (dict, list)):
            return random.choice([".", ".", "$"]) if new or root < 0.1 else "."
        way = ""
        while isinstance(data, (dict, list)) and data:
            if isinstance(data, dict):
                if self.chance(new):
                    way += f".{random.choice('vwxyz')}"
                    break
                key = random.choice(list(data))
                way += f".'{key}'" if self.chance(0.05) else f".{key}"
                data = data[key]
            else:
                index = random.randrange(len(data))
                way += f"[{index}]" if way else f".[{index}]"
                if self.chance(0.08):
                    way = way[: way.rindex("[")] + "[*]"
                data = data[index]
            if self.chance(0.35):
                break
        if self.chance(0.04):
            way = f"{way}[{random.randint(0, 2)}]"
        if self.chance(0.02):
            way = f"..{random.choice(_KEYS)}"
        if self.chance(0.02):
            way += ".*"
        return (f"${way}" if self.chance(0.1) else way) or "."

    def substitutions(self, number: int) -> None:
        random = self.random
        document = self.documents[number]
        found: list[dict[str, Any]] = []
        # Mostly from documents that were made before, so that few need each other in a circle.
        until = number if not self.chance(0.03) else len(self.rendered)
        others = [one for one in range(until) if one != number and self.concrete(self.documents[one])]
        for _ in range(random.randint(1, 4) if others else 0):
            now = self.rendered[number]
            place = random.choice(others)
            source, data = self.documents[place], self.rendered[place]
            path = self.path(data, root=0.2)
            src = {"schema": source["schema"], "name": source["metadata"]["name"], "path": path}
            if self.chance(0.15):
                src["deepcopy"] = True
            dest: dict[str, Any] = {"path": self.path(now, root=0.06, new=0.4)}
            value = data if not isinstance(data, dict) else at(data, path)
            if value is None and not self.chance(0.03):
                continue
            marked = [way for way in ways(now) if _MARK in str(at(now, way))]
            if marked and self.chance(0.35) and not isinstance(value, (dict, list)):
                dest = {"path": random.choice(marked), "pattern": random.choice([_MARK, "PUT_[A-Z]", "P.*X", _MARK])}
                if not isinstance(at(now, dest["path"]), str) or self.chance(0.1):
                    dest["recurse"] = {"depth": random.choice([-1, -1, 1, 2])}
            if isinstance(value, str) and value and self.chance(0.1):
                src["pattern"] = random.choice(["PUT_.", "(.)(.*)", "t", "zz"])
                src["match_group"] = 1 if "(" in src["pattern"] else 0
            whole = "pattern" not in dest
            if whole and not put(self.rendered[number], dest["path"], deepcopy(value)) and not self.chance(0.05):
                continue
            found.append({"src": src, "dest": [dest, {"path": ".also"}] if self.chance(0.1) else dest})
            if isinstance(value, (dict, list)) and self.chance(0.6) and whole:
                # Write into what was just put there.
                inner = self.path(value, root=0, new=0.2)
                other = random.choice(others)
                taken = self.path(self.rendered[other])
                value = at(self.rendered[other], taken)
                way = (dest["path"].rstrip(".") if dest["path"] != "$" else "") + inner.removeprefix("$")
                if value is None or inner in (".", "$") or not put(self.rendered[number], way, deepcopy(value)):
                    continue
                named = self.documents[other]
                src = {"schema": named["schema"], "name": named["metadata"]["name"], "path": taken}
                found.append({"src": src, "dest": {"path": way}})
        if found:
            document["metadata"]["substitutions"] = found

    def concrete(self, document: dict[str, Any]) -> bool:
        return not document["metadata"]["layeringDefinition"]["abstract"] or self.chance(0.03)


def layer_of(document: dict[str, Any]) -> str:
    layer: str = document["metadata"]["layeringDefinition"]["layer"]
    return layer


def ways(data: Any, way: str = "") -> list[str]:
    """The path of everything in the data."""
    found = [way or "."]
    if isinstance(data, dict):
        for key, inner in data.items():
            found += ways(inner, f"{way}.{key}")
    elif isinstance(data, list):
        for index, inner in enumerate(data):
            found += ways(inner, f"{way or '.'}[{index}]")
    return found


def at(data: Any, path: str) -> Any:
    """What is at a simple path; None for one that is not, or leads nowhere."""
    for part in path.removeprefix("$").replace("[", ".[").split("."):
        if part.startswith("["):
            index = part.strip("[]")
            data = data[int(index)] if isinstance(data, list) and index.isdecimal() and int(index) < len(data) else None
        elif part:
            data = data.get(part.strip("'")) if isinstance(data, dict) else None
    return data


def put(data: Any, path: str, value: Any) -> bool:
    """Put a value at a simple path, in place; whether it could be done."""
    parts = [part for part in path.removeprefix("$").replace("[", ".[").split(".") if part]
    for number, part in enumerate(parts):
        last = number + 1 == len(parts)
        if part.startswith("["):
            index = part.strip("[]")
            if (
                not isinstance(data, list)
                or not index.isdecimal()
                or int(index) >= len(data)
                or isinstance(value, list)
            ):
                return False
            if last:
                data[int(index)] = value
            data = data[int(index)]
        else:
            key = part.strip("'")
            if not isinstance(data, dict) or key == "*":
                return False
            if last:
                data[key] = value
            data = data.setdefault(key, {})
    return bool(parts)


def acted(data: Any, child: Any, action: dict[str, str]) -> Any:
    """The data after an action, as far as it is simple; None if it cannot be done."""
    path = "." + action["path"].removeprefix("$").removeprefix(".data").removeprefix(".")
    if path == ".":
        both = isinstance(data, dict) and isinstance(child, dict)
        made = {"delete": {}, "replace": child, "merge": data | child if both else child}
        return deepcopy(made[action["method"]])
    if action["method"] != "delete":
        value = at(child, path)
        return data if value is not None and put(data, path, deepcopy(value)) else None
    if at(data, path) is None:
        return None
    around, _, key = path.rpartition(".")
    holder = at(data, around) if "[" not in key else None
    if isinstance(holder, dict):
        holder.pop(key.strip("'"), None)
    return data
