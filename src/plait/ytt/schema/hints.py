"""Hints for malformed validations, and for values of a wrong type. Imported only for errors."""

from __future__ import annotations

import re

from plait.base.similar_names import did_you_mean, with_article
from plait.base.suggestions import replacing
from plait.tree.nodes import MapItem, kind_name
from plait.yaml.document_names import key_text
from plait.yaml.foreign_syntax import NO_BREAK_SPACE
from plait.yaml.scalars import TYPOGRAPHIC_QUOTES, resolve_plain
from plait.ytt.starlark.value_text import repr_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.base.errors import PlaitError
    from plait.tree.nodes import Item

# Names of the rules in JSON Schema and other languages.
_OTHER_NAMES = {
    "enum": "one_of",
    "maximum": "max",
    "maxitems": "max_len",
    "maxlength": "max_len",
    "minimum": "min",
    "minitems": "min_len",
    "minlength": "min_len",
    "notnone": "not_null",
}
# Those of a rule of one's own.
_PATTERNS = ("match", "matches", "pattern", "regex", "regexp")


# The Python types of scalars, by the names of their types.
_SCALARS = {"integer": (int,), "float": (int, float), "boolean": (bool,)}
_KEY = re.compile(r"[\w.-]{1,200}:[ \u00a0]*(?=[^\s/])")


def of_string(text: str, name: str) -> str | None:
    """The cause if a plain scalar was meant as a value of another type, or None. name: the declared type."""
    if name == "map":
        key = _KEY.match(text)
        if key is None:
            return None
        return NO_BREAK_SPACE if "\u00a0" in key[0] else "a space follows the colon after a key: KEY: VALUE"

    def is_meant(other: str) -> bool:
        return type(resolve_plain(other)) in _SCALARS.get(name, ())

    if "\u00a0" in text and is_meant(text.strip("\u00a0 ")):
        return NO_BREAK_SPACE
    value, mark, _ = text.partition("#")
    if mark and is_meant(value.rstrip()):
        return "a space precedes the # of a comment: VALUE # COMMENT"
    if text[0:1] in TYPOGRAPHIC_QUOTES and is_meant(text.strip(TYPOGRAPHIC_QUOTES)):
        return f"{text[0]} is not a quote in YAML: write the value without it"
    return None


def of_keyword(name: str, value: object, known: tuple[str, ...]) -> str:
    """The correct form of a keyword argument that is unknown or has a wrong type."""
    if name == "when":
        return 'when=lambda value, context: context["root"]["enabled"]'
    if name in ("min_len", "max_len"):
        return f"{name}={value if type(value) is str and value.isdecimal() else 1}"
    if name == "not_null":
        return "not_null=True"
    if name in ("one_not_null", "one_of"):
        parts = value.replace(",", " ").split() if type(value) is str else ["a", "b"]
        return f"{name}=[{', '.join(map(repr_of, parts))}]"
    if name == "required":
        return "for a string that is not empty, use min_len=1; not_null=True rejects only null, the default of #@schema/nullable"
    if name in _PATTERNS:
        pattern = repr_of(value if type(value) is str else "^[a-z]+$")
        return f'a rule of your own: ("a text that matches", lambda v: regexp.match({pattern}, v)), with #@ load("@ytt:regexp", "regexp")'
    other = _OTHER_NAMES.get(name.lower().replace("_", ""))
    near = did_you_mean(name, known) if other is None else replacing(name, [other], f'did you mean "{other}"?')
    return near or f"known are {', '.join(known)}"


def of_broken(errors: Sequence[PlaitError], item: Item) -> str | None:
    """The fault of the rules that cannot judge a value, or None. errors: their errors. item: that of the value."""
    codes = {error.code for error in errors if not error.stack}
    kind = kind_name(item.value)
    if "incomparable" in codes and kind == "string":
        declared = f"{key_text(item.key)}: 0" if type(item) is MapItem else "0"
        return (
            f"the value is a string, and the limit a number: declare a number, such as {declared}; "
            "min_len and max_len limit the length of a string"
        )
    if "incomparable" in codes:
        return f"the value is {with_article(kind)}: write a limit of this type, without quotes"
    if "not-iterable" in codes:
        return (
            f"the value is {with_article(kind)}, and min_len and max_len are for strings, arrays and maps; "
            "min and max limit a number"
        )
    if "argument-count" in codes:
        return "the function of a rule is called with the value alone: lambda v: ..."
    return None
