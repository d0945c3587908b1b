"""Compares the schemas of a CustomResourceDefinition: versions, fields and values that the new one excludes."""

from __future__ import annotations

from plait.review.rules import at, is_on_both, items_of, named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.review.rules import Data

CRD = "CustomResourceDefinition"
# Limits of a value, and whether a larger number excludes more.
_BOUNDS = {
    "maximum": False, "maxLength": False, "maxItems": False, "maxProperties": False,
    "minimum": True, "minLength": True, "minItems": True, "minProperties": True,
}  # fmt: skip
# Keywords any change of which may exclude values.
_CONDITIONS = ("pattern", "format", "multipleOf")


def stricter(old: Data, new: Data) -> Iterator[str]:
    """The places at which the new definition accepts less."""
    if not is_on_both(old, new):
        return
    after = named(at(new, "spec", "versions"))
    for name, version in named(at(old, "spec", "versions")).items():
        if at(version, "served") is not True:
            continue
        if at(after.get(name), "served") is not True:
            yield f"{name} is not served"
            continue
        way = ("schema", "openAPIV3Schema")
        yield from _narrower(at(version, *way), at(after[name], *way), str(name))


def _narrower(old: Data, new: Data, top: str) -> Iterator[str]:
    todo = [(old, new, top)]
    while todo:
        before, after, path = todo.pop()
        if not isinstance(before, dict) or not isinstance(after, dict):
            continue
        yield from (f"{path}: {text}" for text in _values(before, after))
        for key in _texts(at(after, "required")) - _texts(at(before, "required")):
            yield f"{path}.{key} is required"
        fields, left = at(before, "properties"), at(after, "properties")
        for key in fields if isinstance(fields, dict) else ():
            if isinstance(left, dict) and key in left:
                todo.append((at(fields, key), left[key], f"{path}.{key}"))
            elif not (after.get("x-kubernetes-preserve-unknown-fields") or after.get("additionalProperties")):
                yield f"{path}.{key} is removed"
        todo.append((before.get("items"), after.get("items"), f"{path}[]"))
        todo.append((before.get("additionalProperties"), after.get("additionalProperties"), f"{path}.*"))


def _values(before: dict[str, Data], after: dict[str, Data]) -> Iterator[str]:
    """The values that the new schema excludes, apart from its fields."""
    was, now = before.get("type"), after.get("type")
    if now is not None and was != now and not after.get("x-kubernetes-int-or-string"):
        yield f"type {was} → {now}" if was is not None else f"type {now}"
    allowed = after.get("enum")
    if isinstance(allowed, list):
        known = before.get("enum")
        if not isinstance(known, list):
            yield f"only {', '.join(map(str, allowed))}"
        elif gone := [str(one) for one in known if one not in allowed]:
            yield f"no longer {', '.join(gone)}"
    for key in _CONDITIONS:
        if key in after and before.get(key) != after[key]:
            yield f"another {key}"
    for key, is_least in _BOUNDS.items():
        wanted, known = after.get(key), before.get(key)
        if isinstance(wanted, int | float) and (
            not isinstance(known, int | float) or (wanted > known if is_least else wanted < known)
        ):
            yield f"{key} {wanted}"


def _texts(data: Data) -> set[str]:
    return {one for one in items_of(data) if isinstance(one, str)}
