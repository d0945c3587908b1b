"""Errors about invalid arguments of API functions. Imported only if there is one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from plait.base.similar_names import with_article
from plait.base.source import Flag
from plait.base.uncaught_errors import show_facts
from plait.engine import DIALECTS, dialect, keywords_of
from plait.engine.common import LIMIT
from plait.engine.options import LISTS, SWITCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.base.errors import Finding, PlaitError

_PLAIN = "dict, list, str, int, float, bool and None"


def not_an_input(value: object) -> str:
    """The message about a value that is not an input, or not the text of a named one."""
    kind = type(value).__name__
    if hasattr(value, "read"):
        return f'an open file ({kind}) is not an input: pass its path, or its text with a name: {{"config.yml": file.read()}}'
    if isinstance(value, os.PathLike):
        return f"a path ({kind}) cannot have a name; to name the input, pass its text: path.read_text()"
    if isinstance(value, bytes):
        return 'an input must be a path, or a text with a name, not bytes: {"config.yml": data}'
    return ""


def strange_value(value: object, what: str) -> str | None:
    """The message about data that documents cannot represent, with the path to the first such value, or None.

    what: the name of the data.
    """
    for way, one in _values(value, what):
        if one is None or isinstance(one, str | int | float | Mapping):
            continue
        if isinstance(one, Sequence) and not isinstance(one, bytes | bytearray | memoryview):
            continue
        return f"{way} is {_a_kind(one)}: documents hold {_PLAIN}{_instead(one)}"
    return None


def _values(value: object, way: str) -> Iterator[tuple[str, object]]:
    pending = [(way, value)]
    while pending:
        way, one = pending.pop()
        yield way, one
        if isinstance(one, Mapping):
            pending += [(f"{way}[{key!r}]", inner) for key, inner in reversed([*one.items()])]
            pending += [(f"the key {key!r} of {way}", key) for key in one if not isinstance(key, str)]
        elif isinstance(one, Sequence) and not isinstance(one, str | bytes | bytearray | memoryview):
            pending += [(f"{way}[{place}]", inner) for place, inner in reversed([*enumerate(one)])]


def _a_kind(value: object) -> str:
    name = "function" if callable(value) and hasattr(value, "__name__") else type(value).__name__
    return with_article(name)


def _instead(value: object) -> str:
    """A hint about converting a value to plain data, or ""."""
    if isinstance(value, AbstractSet):
        return "; make it a list with sorted(...) or list(...)"
    if isinstance(value, bytes | bytearray):
        return "; make it a str with .decode()"
    if hasattr(value, "isoformat"):
        return "; make it a str with .isoformat()"
    if isinstance(value, os.PathLike):
        return "; make it a str with str(...)"
    if hasattr(value, "__dataclass_fields__"):
        return "; make it a dict with dataclasses.asdict(...)"
    if callable(value):
        return "; did you mean to call it?"
    if hasattr(value, "__float__") or hasattr(value, "__int__"):
        return "; convert it with int(...), float(...) or str(...)"
    return "; vars(...) may return its data as a dict" if hasattr(value, "__dict__") else ""


def keyword(flag: Flag) -> str:
    """An option as a keyword of the API, or as a flag if there is no keyword."""
    if flag.name == LIMIT.name:
        name, _, value = flag.value.partition("=")
        return f'limits={{"{name}": {value}}}'
    for cls in map(dialect, DIALECTS):
        for option in cls.options:
            if option.name == flag.name and option.attribute in keywords_of(cls):
                if option.kind == SWITCH:
                    return f"{option.attribute}={not option.is_negated}"
                return (
                    f'{option.attribute}=["{flag.value}"]'
                    if option.kind in LISTS
                    else f'{option.attribute}="{flag.value}"'
                )
    return str(flag)


def add_facts(error: PlaitError) -> None:
    """Adds the facts of an error to Python's traceback: position, source line, hint."""
    faults: list[PlaitError | Finding] = [error, *error.findings]
    for one in faults:
        one.keyword = keyword
    show_facts(error)
