"""What lint says of scalars is what readers of YAML 1.1 and 1.2 take them for."""

from __future__ import annotations

import random
import re

import pytest
import yaml

from plait.authoring.lint.yaml_versions import readings

# The core schema of YAML 1.2, as its specification has it.
CORE = (
    (re.compile(r"(|~|null|Null|NULL)$"), "null"),
    (re.compile(r"(true|True|TRUE|false|False|FALSE)$"), "boolean"),
    (re.compile(r"[-+]?[0-9]+$"), "integer"),
    (re.compile(r"0o[0-7]+$"), "octal"),
    (re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$"), "number"),
    (re.compile(r"([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$"), "special"),
)


def by_core(text: str) -> object:
    """What a reader of YAML 1.2 makes of a plain scalar; hexadecimal numbers are texts, as in its JSON schema."""
    kind = next((kind for pattern, kind in CORE if pattern.match(text)), "text")
    if kind == "integer":
        return int(text)
    if kind == "octal":
        return int(text.removeprefix("0o"), base=8)
    return float(text) if kind == "number" else text if kind == "text" else yaml.safe_load(text)


def by_one_one(text: str) -> object:
    """What PyYAML makes of it, which reads YAML 1.1."""
    return yaml.safe_load(text)


def scalars(count: int) -> list[str]:
    pick = random.Random(1).choice
    made = ["".join(pick("0011278_.:eExob+-") for _ in range(1 + number % 6)) for number in range(count)]
    words = [
        "yes",
        "no",
        "on",
        "off",
        "Yes",
        "OFF",
        "y",
        "true",
        "null",
        "~",
        ".inf",
        "2001-12-14",
        "2001-1-1",
        "1:30:00",
    ]
    return [text for text in (*words, *made) if _is_plain(text)]


def _is_plain(text: str) -> bool:
    """Whether a text is a plain scalar that PyYAML makes something of."""
    try:
        event = next(one for one in yaml.parse(text) if isinstance(one, yaml.ScalarEvent))
        yaml.safe_load(text)
    except (StopIteration, yaml.YAMLError, ValueError):
        return False
    return event.value == text


def same(left: object, right: object) -> bool:
    return type(left) is type(right) and left == right


# Digits that are underscores alone: PyYAML fails, or makes something of them that nobody writes.
NO_NUMBER = re.compile(r"[-+]?[_.]*$|[-+]?0[bx]_*$")


@pytest.mark.parametrize("text", ["yes", "0o7", "012", "1:30", "74e3", "0x1F", "1_0", "2001-12-14", "089", "0b1"])
def test_known_ones_differ(text: str) -> None:
    assert readings(text) is not None


def test_they_differ_where_readers_do() -> None:
    wrong = []
    for text in scalars(20_000):
        differs = not same(by_one_one(text), by_core(text))
        if differs != (readings(text) is not None) and not NO_NUMBER.match(text):
            wrong.append((text, by_one_one(text), by_core(text), readings(text)))
    assert wrong == []
