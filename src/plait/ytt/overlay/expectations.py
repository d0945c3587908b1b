"""The number of left nodes an overlay item may match: `expects`, `missing_ok` and `when`. See
docs/reference/overlays.md.

The default is exactly one. `when` turns a failed check into "skip this item". `@overlay/match-child-defaults` passes
each of the three on separately, so a child's `expects` under an inherited `missing_ok` is a conflict.
"""

from __future__ import annotations

from plait.base.errors import OverlayError
from plait.base.numbers import number_of
from plait.ytt.starlark.calls import call
from plait.ytt.starlark.containers import List
from plait.ytt.starlark.values import is_callable, type_of
from plait.ytt.yaml_fragments import starlark_type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeAlias

    from plait.tree.nodes import Item

    # Calls a function with arguments.
    Ask: TypeAlias = Callable[[object, Sequence[object]], object]

# The keywords of a match annotation for the expected count; `MatchCount` stores them in this order.
KEYWORDS = ("expects", "missing_ok", "when")


class MatchCountError(Exception):
    """Raised for a wrong number of matches. message: ytt's message."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class MatchCount:
    """The values of the three keywords. A field is UNSET if its keyword is absent. Checked when an item is applied."""

    __slots__ = ("expects", "missing_ok", "none", "one", "when")

    def __init__(self, expects: object, missing_ok: object, when: object) -> None:
        self.expects = expects
        self.missing_ok = missing_ok
        self.when = when
        # True if exactly one match is always accepted: by default, and with missing_ok.
        self.one = expects is UNSET and when is UNSET and (missing_ok is UNSET or type(missing_ok) is bool)
        # True if no match is always accepted: with missing_ok.
        self.none = self.one and missing_ok is True

    def check(self, matches: Sequence[Item], ask: Ask = call) -> bool:
        """True if the item is applied to these matches; False if `when` is not satisfied. ask: calls functions.

        Raises MatchCountError if the count is wrong, and OverlayError for contradictory settings.
        """
        if (self.one and len(matches) == 1) or (self.none and not matches):
            return True
        expects, missing_ok, when = self.expects, self.missing_ok, self.when
        if missing_ok is not UNSET:
            if expects is not UNSET:
                raise _conflict("missing_ok", "expects")
            if when is not UNSET:
                raise _conflict("missing_ok", "when")
            if type(missing_ok) is not bool:
                raise OverlayError(
                    "Expected keyword argument 'missing_ok' to be a boolean",
                    found=f"{type_of(missing_ok)}",
                    hint="missing_ok=True",
                    code="overlay-argument",
                )
            if len(matches) != 1 and (matches or not missing_ok):
                raise MatchCountError(_sentence("be 1", matches))
            return True
        if when is not UNSET:
            if expects is not UNSET:
                raise _conflict("when", "expects")
            try:
                _check(when, "when", matches, ask)
            except MatchCountError:
                return False
            return True
        _check(1 if expects is UNSET else expects, "expects", matches, ask)
        return True


class _Unset:
    __slots__ = ()

    def __repr__(self) -> str:
        return "UNSET"


UNSET = _Unset()
ANY_DEFAULT = MatchCount(UNSET, UNSET, UNSET)


def expectation(kwargs: Mapping[str, object], defaults: MatchCount) -> MatchCount:
    """The settings of an annotation, completed by inherited settings."""
    expects, missing_ok, when = (
        kwargs.get(name, default)
        for name, default in zip(KEYWORDS, (defaults.expects, defaults.missing_ok, defaults.when), strict=True)
    )
    if expects is UNSET and missing_ok is UNSET and when is UNSET:
        return ANY_DEFAULT
    return MatchCount(expects, missing_ok, when)


def _conflict(first: str, second: str) -> OverlayError:
    return OverlayError(
        f"Expected only one of keyword arguments ('{first}', '{second}') specified",
        hint="keep one: missing_ok=True allows 0 or 1 matches, expects= sets the number; "
        "one of them may come from #@overlay/match-child-defaults above",
        code="overlay-argument",
    )


def _check(rule: object, keyword: str, matches: Sequence[Item], ask: Ask) -> None:
    if type(rule) is int:
        if rule != len(matches):
            raise MatchCountError(_sentence(f"be {rule}", matches))
    elif type(rule) is str:
        least = _least(rule)
        if len(matches) < least:
            raise MatchCountError(_sentence(f"be >= {least}", matches))
    elif type(rule) is List:
        _check_any(rule, keyword, matches, ask)
    elif is_callable(rule):
        answer = ask(rule, (len(matches),))
        if type(answer) is not bool:
            raise OverlayError(
                f"Expected keyword argument '{keyword}' to have a function that returns a boolean",
                found=type_of(answer),
                code="callback-result",
            )
        if not answer:
            raise MatchCountError("Expectation of number of matched nodes failed")
    else:
        raise OverlayError(
            f"Expected 'overlay/match' annotation keyword argument '{keyword}' to be either int, string or function, "
            f"but was {type_of(rule)}",
            reference=f"Expected 'overlay/match' annotation keyword argument '{keyword}' to be either int, string or "
            f"function, but was {starlark_type_name(rule)}",
            code="overlay-argument",
        )


def _check_any(rules: List, keyword: str, matches: Sequence[Item], ask: Ask) -> None:
    last: Exception | None = None
    for rule in rules:
        try:
            _check(rule, keyword, matches, ask)
        except (MatchCountError, OverlayError) as error:
            last = error
        else:
            return
    # An empty list is always satisfied.
    if last is not None:
        raise last


def _least(text: str) -> int:
    digits = text[:-1]
    unsigned = digits[1:] if digits[:1] in ("-", "+") else digits
    number = number_of(unsigned) if text.endswith("+") and text.isascii() else None
    if number is not None:
        return -number if digits.startswith("-") else number
    raise OverlayError(
        f"Expected '{text}' to be in format 'i+' where i is an integer",
        hint='expects=2, expects="1+" or expects=[1, 2]',
        code="overlay-argument",
    )


def _sentence(expected: str, matches: Sequence[Item]) -> str:
    lines = f" (lines: {', '.join(sorted(item.position.named for item in matches))})" if matches else ""
    return f"Expected number of matched nodes to {expected}, but was {len(matches)}{lines}"
