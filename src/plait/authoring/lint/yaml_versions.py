"""Compares the types of plain scalars in YAML 1.1 and 1.2.

PyYAML, go-yaml 2 and Ruby implement YAML 1.1 with its type repository; newer libraries implement 1.2 with the core
schema of its specification. Hexadecimal numbers count as strings in 1.2, because its JSON schema does not have them.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    # The type of a scalar as a word, and its value.
    Reading = tuple[str, object]

_BOOLEANS = {
    word: value
    for text, value in {"yes": True, "on": True, "no": False, "off": False}.items()
    for word in (text, text.capitalize(), text.upper())
}
_STARTS = frozenset("yYnNoO0123456789+-.")
# Maximum length of an ambiguous scalar.
LONGEST = 40

_BASE_60_DIGITS = r"(:[0-5]?[0-9])+"


def _number(text: str) -> float:
    return float(text.replace("_", "") or "0")


def _base_60(text: str) -> float:
    """The value of a base-60 number, such as `190:20:30`."""
    sign = -1 if text.startswith("-") else 1
    total = 0.0
    for part in text.strip("+-").split(":"):
        total = total * 60 + _number(part)
    return sign * total


def _in_base(base: int) -> Callable[[str], int]:
    return lambda text: int(text.replace("_", ""), base)


_YAML_1_1: tuple[tuple[re.Pattern[str], str, Callable[[str], object]], ...] = (
    (re.compile(r"[-+]?0b_*[01][01_]*$"), "integer", _in_base(2)),
    (re.compile(r"[-+]?0x_*[0-9a-fA-F][0-9a-fA-F_]*$"), "integer", _in_base(16)),
    (re.compile(r"[-+]?0[0-7_]+$"), "integer", _in_base(8)),
    (re.compile(r"[-+]?(0|[1-9][0-9_]*)$"), "integer", _in_base(10)),
    (re.compile(rf"[-+]?[1-9][0-9_]*{_BASE_60_DIGITS}$"), "integer", _base_60),
    (re.compile(r"([-+]?[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)([eE][-+][0-9]+)?$"), "number", _number),
    (re.compile(rf"[-+]?[0-9][0-9_]*{_BASE_60_DIGITS}\.[0-9_]*$"), "number", _base_60),
    (
        re.compile(
            r"[0-9]{4}-([0-9]{2}-[0-9]{2}|[0-9]{1,2}-[0-9]{1,2}([Tt]|[ \t]+)"
            r"[0-9]{1,2}:[0-9]{2}:[0-9]{2}(\.[0-9]*)?([ \t]*(Z|[-+][0-9]{1,2}(:[0-9]{2})?))?)$"
        ),
        "date",
        str,
    ),
)
_YAML_1_2: tuple[tuple[re.Pattern[str], str, Callable[[str], object]], ...] = (
    (re.compile(r"[-+]?[0-9]+$"), "integer", int),
    (re.compile(r"0o[0-7]+$"), "integer", lambda text: int(text.removeprefix("0o"), base=8)),
    (re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$"), "number", float),
)


def readings(text: str) -> tuple[str, str] | None:
    """The types of a plain scalar in YAML 1.1 and 1.2 if they differ, else None.

    >>> readings("012"), readings("yes"), readings("web")
    (('the integer 10', 'the integer 12'), ('true', 'the text "yes"'), None)
    """
    if text[:1] not in _STARTS or len(text) > LONGEST:
        return None
    one = ("boolean", _BOOLEANS[text]) if text in _BOOLEANS else _read(text, _YAML_1_1)
    two = _read(text, _YAML_1_2)
    return None if one == two else (_reading_text(text, one), _reading_text(text, two))


# Matches words in YAML text that may be ambiguous.
_WORDS = re.compile(r"(?:^|(?<=[\s,\[{]))[-+.0-9yYnNoO][\w.:+-]{0,39}(?=[\s,\]}]|$)")


def may_differ(text: str) -> bool:
    """True if a YAML text may contain an ambiguous scalar. Most texts contain none and are not parsed."""
    return any(readings(word) is not None for word in set(_WORDS.findall(text)))


def _read(text: str, rules: tuple[tuple[re.Pattern[str], str, Callable[[str], object]], ...]) -> Reading:
    for pattern, kind, value in rules:
        if pattern.match(text):
            return kind, value(text)
    return "text", text


def _reading_text(text: str, reading: Reading) -> str:
    kind, value = reading
    if kind == "text":
        return f'the text "{text}"'
    if kind == "date":
        return "a date"
    if kind == "boolean":
        return "true" if value else "false"
    return f"the {kind} {value:.15g}" if isinstance(value, float) else f"the {kind} {value}"
