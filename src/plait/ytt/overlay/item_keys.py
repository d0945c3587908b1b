"""Item keys of arrays for merging plain documents: rules by path, declared or built in.

A path consists of the map keys that lead to an array. Arrays on the way are entered without a step.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from plait.base.errors import UsageError
from plait.tree.nodes import Map
from plait.ytt.overlay.matchers import REQUIRED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from plait.tree.nodes import Document, Value

    # Returns the rule for an array of a document, or None.
    Source: TypeAlias = "Callable[[Document, tuple[str, ...]], Rule | None]"


class Rule(NamedTuple):
    """The merge rule of an array. With keys, items are identified by them; each key has a default for items that lack
    it, or REQUIRED. Without keys, the array is a set of values, or one value that is replaced as a whole.
    """

    keys: tuple[tuple[str, object], ...] = ()
    is_set: bool = False


WHOLE = Rule()
SET = Rule(is_set=True)


class Rules:
    """The merge rules of a run, from several sources. The first source with a rule for an array is used."""

    __slots__ = ("_sources",)

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources

    def at(self, document: Document, path: tuple[str, ...]) -> Rule:
        """The rule for an array of a document; WHOLE if no source has one."""
        for source in self._sources:
            rule = source(document, path)
            if rule is not None:
                return rule
        return WHOLE


def declared(text: str) -> Source:
    """The rule that a `--merge-key` declares. Raises UsageError."""
    return _Declared(text).rule


_STEP = re.compile(r'"([^"]*)"|([^".:=]+)')
_FORM = "[KIND:]PATH=KEY, such as spec.rules=host or Service:spec.ports=port,protocol=TCP"


class _Declared:
    """A rule declared by the user: `[KIND:]PATH=KEY,KEY=DEFAULT`.

    A `*` in the path matches any key. A dot instead of keys declares a set of values. An empty value declares that the
    array is replaced as a whole.
    """

    __slots__ = ("_kind", "_path", "_rule")

    def __init__(self, text: str) -> None:
        self._kind: str | None = None
        path: list[str | None] = []
        place = 0
        while True:
            found = _STEP.match(text, place)
            if found is None:
                raise self._unreadable(text)
            place = found.end()
            mark = text[place : place + 1]
            place += 1
            key = found[2] if found[1] is None else found[1]
            if mark == ":" and not path and self._kind is None:
                self._kind = key
                continue
            path.append(None if found[0] == "*" else key)
            if mark == "=":
                break
            if mark != ".":
                raise self._unreadable(text)
        self._path = path
        self._rule = _rule(text, text[place:])

    @staticmethod
    def _unreadable(text: str) -> UsageError:
        return UsageError(f'cannot read the merge key "{text}"', expected=_FORM, code="invalid-value")

    def rule(self, document: Document, path: tuple[str, ...]) -> Rule | None:
        if len(path) != len(self._path) or any(
            mine is not None and mine != key for mine, key in zip(self._path, path, strict=True)
        ):
            return None
        if self._kind is not None and value_under(document.value, "kind") != self._kind:
            return None
        return self._rule


def _rule(text: str, keys: str) -> Rule:
    if not keys:
        return WHOLE
    if keys == ".":
        return SET
    found: list[tuple[str, object]] = []
    for one in keys.split(","):
        name, equals, default = one.partition("=")
        if not name or any(name == other for other, _ in found):
            raise _Declared._unreadable(text)
        found.append((name, default if equals else REQUIRED))
    return Rule(tuple(found))


def value_under(value: Value, key: str) -> Value:
    """The value under a key of a map. None if the key is absent or the value is not a map."""
    item = value.peek(key) if type(value) is Map else None
    return None if item is None else item.value
