"""Equality of results."""

from __future__ import annotations

from plait.base.similar_names import no_attribute

TYPE_CHECKING = False


class Comparable:
    """Equality by type and contents. Not hashable, because instances are mutable."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            raise no_attribute(self, name)

    def _held(self) -> object:
        """The compared data: plain data, and other comparable objects."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        assert isinstance(other, Comparable)
        return _same(self._held(), other._held())


def _same(left: object, right: object) -> bool:
    """True if two values are equal and have the same types. 1, 1.0 and True print differently, so they differ. NaN
    equals itself.
    """
    pending = [(left, right)]
    while pending:
        one, other = pending.pop()
        if one is other:
            continue
        if type(one) is not type(other):
            return False
        if isinstance(one, Comparable):
            assert isinstance(other, Comparable)
            pending.append((one._held(), other._held()))
        elif isinstance(one, dict):
            assert isinstance(other, dict)
            pending.append((list(one.items()), list(other.items())))
        elif isinstance(one, list | tuple):
            assert isinstance(other, list | tuple)
            if len(one) != len(other):
                return False
            pending += zip(one, other, strict=True)
        elif one != other and (one == one or other == other):  # noqa: PLR0124 - of all values, only not a number is not itself
            return False
    return True
