"""Calls from the host into the language."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def call(function: object, args: Sequence[object] = (), kwargs: Mapping[str, object] | None = None) -> object:
    """Call a function of the language, or a builtin. Raises StarlarkError with the trail of calls."""
    return function(*args, **(kwargs or {}))  # type: ignore[operator]
