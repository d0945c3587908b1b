"""Placeholders: `((name))` in a string (docs/reference/variables.md).

`((`, at most one space, an optional `!`, a name, at most one space, `))`. A name consists of letters, ASCII digits and
`_ - / .`. Any other text is plain.

    >>> names("((a)) (( b )) (((!c))) ((d e))")
    ['a', 'b', 'c']
"""

from __future__ import annotations

from plait.base.errors import OpsError, PlaitError
from plait.base.limits import current_budget, limit_error
from plait.base.source import CLAUSE
from plait.ops.scalar_text import scalar_text
from plait.ops.walk import go_type
from plait.tree.nodes import Array, Map, MapItem, kind_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from plait.tree.nodes import Item, Value

    Lookup: TypeAlias = Callable[[str], tuple[bool, Value]]

MARK = "(("
# The key of the root map that defines variables.
SECTION = "variables"
_SHORT = 1 << 10
_ASCII = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-/.")


def names(text: str) -> list[str]:
    """The names of all placeholders in a string, in order, without `!`."""
    out: list[str] = []
    at = text.find("((")
    while at >= 0:
        end = text.find("))", at + 2)
        if end < 0:
            break
        # Only the innermost "((" before "))" can start a placeholder, because names contain no parentheses.
        name = _name(text[text.rfind("((", at, end) + 2 : end])
        if name is not None:
            out.append(name)
            at = text.find("((", end + 2)
        else:
            at = text.find("((", end)
    return out


def _name(inside: str) -> str | None:
    inside = inside.removeprefix(" ").removeprefix("!").removesuffix(" ")
    if not inside:
        return None
    return inside if name_end(inside, 0) == len(inside) else None


def name_end(text: str, start: int) -> int:
    """The end of the name that starts at `start`."""
    for place in range(start, len(text)):
        char = text[place]
        if char not in _ASCII and not (char > "\x7f" and char.isalpha()):
            return place
    return len(text)


def marked(root: Value) -> list[tuple[Item, str]]:
    """The strings in a tree, including keys, that contain the start of a placeholder, with their items."""
    found: list[tuple[Item, str]] = []
    work = [root] if type(root) is Map or type(root) is Array else []
    for node in work:  # the list grows during the iteration
        for item in node.items:
            value = item.value
            if type(value) is str:
                if MARK in value:
                    found.append((item, value))
            elif type(value) is Map or type(value) is Array:
                work.append(value)
            if type(item) is MapItem and type(item.key) is str and MARK in item.key:
                found.append((item, item.key))
    return found


def defines_variables(root: Value) -> bool:
    """True if a document defines variables."""
    section = root.find(SECTION) if type(root) is Map else None
    return section is not None and section.value is not None


def is_whole(text: str) -> bool:
    """True if a string is exactly one placeholder, which is replaced by the value with its type."""
    return (
        text.startswith("((")
        and text.endswith("))")
        and text.find("))") == len(text) - 2
        and _name(text[2:-2]) is not None
    )


def fill(text: str, lookup: Lookup) -> Value:
    """Replaces the placeholders in a string by the values of `lookup`. If the whole string is one placeholder, returns
    the value itself.

    In a longer string only strings and integers are accepted, and only placeholders without spaces are replaced. A
    later name can replace text inserted for an earlier one. Raises OpsError for a value of another type.
    """
    found_names = names(text)
    # One pass suffices, unless an inserted text can form a placeholder.
    simple = text.count(MARK) == len(found_names)
    filled: set[str] = set()
    for name in found_names:
        if name in filled:
            continue
        try:
            found, value = lookup(name)
        except PlaitError as error:
            raise error.within("", role=CLAUSE, reference=f"Finding variable '{name}'") from None
        if not found:
            continue
        if is_whole(text):
            return value
        if type(value) is not str:
            if type(value) is not int:
                raise _wrong_type(name, value)
            value = str(value)
        if simple and "(" not in value and ")" not in value:
            filled.add(name)
        else:
            simple = False
            filled.clear()
        grown = len(text) + len(value) * (text.count(f"(({name}))") + text.count(f"((!{name}))"))
        if grown > _SHORT and grown > current_budget().limits.variables:
            raise limit_error(f"a text of {grown} characters", "variables", current_budget().limits.variables)
        text = text.replace(f"(({name}))", value).replace(f"((!{name}))", value)
    return text


def _hint_of(name: str, value: Value) -> str:
    """A hint for a value that cannot be part of a string: one of its keys, if one can."""
    for item in value.items if type(value) is Map else ():
        key = item.key
        if type(item.value) in (str, int) and type(key) is str and "." not in key and _name(key) == key:
            return f"one of its keys can: (({name}.{key}))"
    return "a value of another type must be the whole string"


def _wrong_type(name: str, value: Value) -> OpsError:
    from plait.ops.unmarshal import go_value

    shown = kind_name(value)
    if not isinstance(value, (Map, Array)) and value is not None:
        shown = f"the {shown} {scalar_text(value)}"
    return OpsError(
        f'variable "{name}" cannot be part of a string',
        expected="a string or an integer",
        found=shown,
        hint=_hint_of(name, value),
        word=name,
        reference=f"Invalid type '{go_type(value)}' for value '{go_value(value)}' and variable '{name}'. "
        "Supported types for interpolation within a string are integers and strings.",
        code="value-in-text",
    )
