"""Selects the part of a file that is the schema of data values."""

from __future__ import annotations

from urllib.parse import quote

from plait.base.errors import UsageError, replacing
from plait.base.numbers import number_of
from plait.base.similar_names import did_you_mean
from plait.ytt.schema.openapi import TITLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# The name of the schema in `--data-values-schema-inspect -o openapi-v3`.
OWN = "dataValues"
_SHOWN = 6


def part_of(contents: object, pointer: str | None, name: str) -> str:
    """The pointer of the schema in a file. pointer: the requested one. name: the file, for messages.

    Raises UsageError if the part does not exist, or if there are several and none was requested.
    """
    if pointer is not None:
        is_pointer = not pointer or pointer.startswith("/")
        found = _at(contents, pointer) if is_pointer else None
        if not isinstance(found, dict):
            parent = pointer.rpartition("/")[0]
            siblings = _at(contents, parent) if is_pointer else None
            names = [one for one, _ in _candidates(contents, "")] + [
                f"{parent}/{key}" for key in (siblings if isinstance(siblings, dict) else ())
            ]
            names = list(dict.fromkeys(names))
            missing = did_you_mean(pointer, names)
            if missing is None and not is_pointer:
                missing = replacing(f"#{pointer}", [f"#/{pointer}"], f"a pointer begins with a slash: #/{pointer}")
            raise UsageError(
                f'there is no schema at "#{pointer}" in "{name}"',
                expected="a JSON pointer, such as #/components/schemas/NAME",
                found=", ".join(f"#{one}" for one in names[:_SHOWN]) or None,
                hint=missing,
                code="json-schema-reference",
            )
        return quote(pointer)
    several = [*_candidates(contents, "")]
    chosen = [one for one, is_it in several if is_it] or [one for one, _ in several]
    if not several and not _has_parts(contents):
        return ""
    if len(chosen) != 1:
        shown = ", ".join(f'"{name}#{one}"' for one in chosen[:_SHOWN]) + (", ..." if len(chosen) > _SHOWN else "")
        found = f"{len(chosen)} schemas" if chosen else "no schema"
        raise UsageError(
            f'"{name}" has {found}',
            expected="one schema, or a JSON pointer after the name of the file",
            found=shown or None,
            code="json-schema-file",
        )
    return quote(chosen[0])


def is_ytts(contents: object, pointer: str) -> bool:
    """True if the part was written by ytt's `-o openapi-v3`."""
    return pointer == f"/components/schemas/{OWN}" and _at(contents, "/info/title") == TITLE


def _has_parts(contents: object) -> bool:
    """True if the file is a container of schemas: OpenAPI, a CRD or a Carvel Package."""
    if not isinstance(contents, dict):
        return False
    return (
        "documents" in contents
        or contents.get("kind") in ("CustomResourceDefinition", "Package")
        or ("openapi" in contents or "swagger" in contents)
    )


def _candidates(contents: object, start: str) -> Iterator[tuple[str, bool]]:
    """The pointers of schemas in a file, each with True for the preferred one."""
    if not isinstance(contents, dict):
        return
    if isinstance(contents.get("documents"), list) and "kind" not in contents:
        for number, document in enumerate(contents["documents"]):
            yield from _candidates(document, f"{start}/documents/{number}")
        return
    if contents.get("kind") == "CustomResourceDefinition":
        versions = _at(contents, "/spec/versions")
        for number, version in enumerate(versions if isinstance(versions, list) else ()):
            if isinstance(_at(version, "/schema/openAPIV3Schema"), dict):
                yield f"{start}/spec/versions/{number}/schema/openAPIV3Schema", version.get("storage") is True
        if isinstance(_at(contents, "/spec/validation/openAPIV3Schema"), dict):
            yield f"{start}/spec/validation/openAPIV3Schema", False
    elif contents.get("kind") == "Package":
        if isinstance(_at(contents, "/spec/valuesSchema/openAPIv3"), dict):
            yield f"{start}/spec/valuesSchema/openAPIv3", True
    elif "openapi" in contents or "swagger" in contents:
        for way in ("/components/schemas", "/definitions"):
            named = _at(contents, way)
            for name, node in named.items() if isinstance(named, dict) else ():
                if isinstance(node, dict):
                    yield f"{start}{way}/{_escaped(str(name))}", name == OWN


def _at(contents: object, pointer: str) -> object:
    """The value at a JSON pointer, or None."""
    found = contents
    for step in _steps(pointer):
        if isinstance(found, dict):
            found = found.get(step)
        elif isinstance(found, list) and (number := number_of(step)) is not None and number < len(found):
            found = found[number]
        else:
            return None
    return found


def _steps(pointer: str) -> Sequence[str]:
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
