"""Print what plait runs on as a CycloneDX document: plait, and the distributions it needs as they are installed here."""

from __future__ import annotations

import json
import sys
from importlib.metadata import distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def needed(name: str, extras: set[str]) -> dict[str, str]:
    """The versions of a distribution and of all that it needs, by name."""
    found: dict[str, str] = {}
    pending = [(canonicalize_name(name), frozenset(extras))]
    while pending:
        one, wanted = pending.pop()
        if one in found:
            continue
        package = distribution(one)
        found[one] = package.version
        for text in package.requires or ():
            requirement = Requirement(text)
            if requirement.marker is None or any(
                requirement.marker.evaluate({"extra": extra}) for extra in ("", *wanted)
            ):
                pending.append((canonicalize_name(requirement.name), frozenset(requirement.extras)))
    return found


def document(versions: dict[str, str], name: str) -> dict[str, object]:
    parts = [
        {
            "type": "library",
            "name": one,
            "version": version,
            "purl": f"pkg:pypi/{one}@{version}",
            "bom-ref": f"{one}@{version}",
            "scope": "required",
        }
        for one, version in sorted(versions.items())
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": next(part for part in parts if part["name"] == name)},
        "components": [part for part in parts if part["name"] != name],
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(document(needed("plait", {"all"}), "plait"), indent=1) + "\n")
