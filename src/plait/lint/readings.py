"""What readers of YAML 1.1 and of YAML 1.2 take a plain scalar for.

YAML 1.1 is what PyYAML, go-yaml 2 and Ruby read, 1.2 what newer libraries read, by the core schema of its specification.
"""

from __future__ import annotations

import re

from plait.yaml.scalars import is_base60, is_timestamp

_BOOLEANS = re.compile(r"(yes|Yes|YES|on|On|ON|no|No|NO|off|Off|OFF)$")
_OCTAL_11 = re.compile(r"[-+]?0[0-7_]+$")
_OCTAL_12 = re.compile(r"[-+]?0o[0-7]+$")
_BINARY = re.compile(r"[-+]?0b[01_]+$")
_HEX = re.compile(r"[-+]?0x[0-9a-fA-F_]+$")
_GROUPED = re.compile(r"[-+]?([1-9][0-9]*|0)(_[0-9_]*)(\.[0-9_]*)?([eE][-+]?[0-9]+)?$")
# A number with an exponent that 1.1 has only with a point and a sign.
_EXPONENT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(?P<point>\.[0-9]*)?)[eE](?P<sign>[-+]?)[0-9]+$")
_LEADING = re.compile(r"[-+]?0[0-9]*[89][0-9]*$")

_STARTS = frozenset("yYnNoO0123456789+-.")


def readings(text: str) -> tuple[str, str] | None:
    """What a plain scalar is by YAML 1.1 and by 1.2, where these differ; None where they agree.

    >>> readings("012"), readings("yes"), readings("web")
    (('the integer 10', 'the integer 12'), ('true', 'the text "yes"'), None)
    """
    if text[:1] not in _STARTS or len(text) > 40:
        return None
    as_text = f'the text "{text}"'
    if _BOOLEANS.match(text):
        return ("true" if text.lower() in ("yes", "on") else "false"), as_text
    if not text[-1:].isalnum() and text[-1:] not in "._":
        return None
    if _OCTAL_12.match(text):
        return as_text, f"the integer {_signed(text.replace('0o', '', 1), 8)}"
    if _OCTAL_11.match(text) and text.strip("+-") != "0":
        value = _signed(text.replace("_", ""), 8)
        return f"the integer {value}", as_text if "_" in text else f"the integer {_signed(text, 10)}"
    if _BINARY.match(text):
        return f"the integer {_signed(text.replace('_', '').replace('0b', '', 1), 2)}", as_text
    if _HEX.match(text):
        value = _signed(text.replace("_", "").replace("0x", "", 1), 16)
        # The core schema of 1.2 has them too, without a sign; its JSON schema does not.
        return f"the integer {value}", as_text
    if _LEADING.match(text):
        return as_text, f"the integer {_signed(text, 10)}"
    if _GROUPED.match(text):
        kind = "integer" if "." not in text and "e" not in text.lower() else "number"
        return f"the {kind} {text.replace('_', '')}", as_text
    exponent = _EXPONENT.match(text)
    if exponent is not None and (
        (not exponent["point"] and not text.strip("+-").startswith(".")) or not exponent["sign"]
    ):
        return as_text, f"the number {float(text):g}"
    if is_base60(text):
        return f"the number {_sixties(text)}", as_text
    if is_timestamp(text):
        return "a date", as_text
    return None


def _signed(text: str, base: int) -> int:
    return int(text, base)


def _sixties(text: str) -> str:
    """A number to the base of sixty."""
    sign = "-" if text.startswith("-") else ""
    total = 0.0
    for part in text.strip("+-").replace("_", "").split(":"):
        total = total * 60 + float(part or 0)
    return f"{sign}{total:.10g}"
