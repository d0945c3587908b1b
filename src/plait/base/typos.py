"""Tells typos from similar names."""

from __future__ import annotations

from plait.base.similar_names import distance

# A shorter word is similar to others by accident.
_SHORTEST = 4
_DIGITS = "0123456789"


def is_typo(name: str, other: str) -> bool:
    """True if two different names are probably meant to be one: they differ in separators and case only, or by one edit
    in one word. `internal_ip` and `internal_gw`, or `az1` and `az2`, are two names.
    """
    words, others = _words(name), _words(other)
    if name == other or "".join(words) == "".join(others):
        return name != other
    if len(words) != len(others):
        return False
    differing = [
        (one.rstrip(_DIGITS), two.rstrip(_DIGITS)) for one, two in zip(words, others, strict=True) if one != two
    ]
    if len(differing) != 1:
        return False
    one, two = differing[0]
    return one != two and min(len(one), len(two)) >= _SHORTEST and distance(one, two, 1) == 1


def _words(name: str) -> list[str]:
    for separator in "-./":
        name = name.replace(separator, "_")
    return name.lower().split("_")
