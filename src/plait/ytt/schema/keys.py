"""Rules for keys of a map that its schema does not name: `@schema/key`.

A rule accepts every key, the keys that match a whole regular expression, or a list of keys.
"""

from __future__ import annotations

from plait.tree.nodes import key_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from plait.tree.nodes import Value

    class KeyPattern(Protocol):
        def fullmatch(self, text: str) -> object: ...


class KeyRule:
    """A rule for keys. pattern: a regular expression, or "". allowed: the listed keys. Without either, all keys are
    accepted.
    """

    __slots__ = ("_compiled", "_ids", "allowed", "pattern")

    def __init__(self, pattern: str = "", allowed: Sequence[Value] = ()) -> None:
        """Raises ValueError for an invalid regular expression, ImportError without RE2."""
        self.pattern = pattern
        self.allowed = allowed
        self._ids = frozenset(map(key_id, allowed))
        self._compiled = _compile(pattern) if pattern else None

    def takes(self, key: Value) -> bool:
        """True if the rule accepts the key."""
        if self._compiled is not None:
            return type(key) is str and _is_text(key) and self._compiled.fullmatch(key) is not None
        return not self._ids or key_id(key) in self._ids

    @property
    def described(self) -> str:
        """Describes the accepted keys."""
        if self.pattern:
            return f'keys that match "{self.pattern}"'
        return f"the keys {', '.join(map(str, self.allowed))}" if self._ids else "any key"


def _is_text(key: str) -> bool:
    """True if the key can be encoded as UTF-8, which RE2 requires."""
    return key.isascii() or not any("\ud800" <= char <= "\udfff" for char in key)


def _compile(pattern: str) -> KeyPattern:
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = 1 << 20
    try:
        compiled: KeyPattern = re2.compile(pattern, options)
    except (re2.error, UnicodeError) as error:
        reason = error.args[0] if error.args else ""
        raise ValueError(reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)) from None
    return compiled
