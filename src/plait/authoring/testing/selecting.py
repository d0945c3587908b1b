"""`-k`: selects tests by an expression of parts of ids, with `and`, `or`, `not` and parentheses, as in pytest."""

from __future__ import annotations

import re

from plait.base.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Test = Callable[[str], bool]

_TOKENS = re.compile(r"\(|\)|[^\s()]+")


def selector(expression: str) -> Test:
    """A function that tests ids. A word matches a part of an id, ignoring case. Raises UsageError."""
    tokens = _TOKENS.findall(expression)
    reader = _Reader(tokens, expression)
    test = reader.either()
    if reader.tokens:
        raise reader.wrong()
    return lambda name: test(name.lower())


_SIGNS = frozenset(("and", "or", "not", "(", ")"))


class _Reader:
    """Parses an expression. `or` has the lowest precedence, then `and`, then `not`."""

    def __init__(self, tokens: list[str], expression: str) -> None:
        self.tokens = tokens
        self._expression = expression

    def wrong(self) -> UsageError:
        return UsageError(
            f'cannot read the expression "{self._expression}"',
            expected="parts of names, with and, or, not and parentheses",
            found=f'"{self.tokens[0]}"' if self.tokens else "its end",
            hint=self._hint(),
            code="test-expression",
        )

    def _hint(self) -> str | None:
        """A hint for words without a connection, or None."""
        words = _TOKENS.findall(self._expression)
        is_plain = not _SIGNS.intersection(words)
        return f"'{' and '.join(words)}' selects the tests with all of these" if is_plain and len(words) > 1 else None

    def either(self) -> Test:
        tests = [self._both()]
        while self.tokens[:1] == ["or"]:
            self.tokens.pop(0)
            tests.append(self._both())
        return lambda name: any(test(name) for test in tests)

    def _both(self) -> Test:
        tests = [self._primary()]
        while self.tokens[:1] == ["and"]:
            self.tokens.pop(0)
            tests.append(self._primary())
        return lambda name: all(test(name) for test in tests)

    def _primary(self) -> Test:
        if not self.tokens or self.tokens[0] in (")", "and", "or"):
            raise self.wrong()
        token = self.tokens.pop(0)
        if token == "not":  # noqa: S105 - a word of the expression
            inner = self._primary()
            return lambda name: not inner(name)
        if token == "(":  # noqa: S105
            inner = self.either()
            if self.tokens[:1] != [")"]:
                raise self.wrong()
            self.tokens.pop(0)
            return inner
        word = token.lower()
        return lambda name: word in name
