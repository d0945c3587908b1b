"""The annotations that an unknown one probably misspells. Imported only if there is one."""

from __future__ import annotations

from plait.base.similar_names import listed, near
from plait.ytt.templates import directives

# Rules of a validation that are written as annotations.
_RULES = {rule: rule for rule in ("max", "max_len", "min", "min_len", "one_of")} | {"enum": "one_of"}


def meant(name: str) -> tuple[list[str], str]:
    """The replacements of an unknown annotation, and the hint; "" if nothing is similar."""
    if name.startswith("data."):
        return [], f"code: #@ {name}"
    rule = _RULES.get(name.removeprefix("schema/"))
    alike = [f"schema/validation {rule}="] if rule else near(name, [known[1:] for known in directives.KNOWN_BY_NAME])
    return alike, f"did you mean {listed(alike, quote=chr(34))}?" if alike else ""
