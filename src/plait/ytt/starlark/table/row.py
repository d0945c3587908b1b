"""A row of the table of builtins: a function, its signature, and facts for passes."""

from __future__ import annotations

from plait.base.errors import StarlarkError
from plait.ytt.starlark.arguments import wrong_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

ANY = -1  # any number of arguments; the function checks them itself

# The effect of a builtin on its arguments; `optimize.data_flow` derives the consequences for lists.
LOOKS = "looks"  # reads the arguments, and stores none
COPIES = "copies"  # creates a list of the elements of the first argument
SHARES = "shares"  # the result contains the elements of lists
KEEPS = "keeps"  # the arguments may escape
STORES = "stores"  # the last argument becomes an element of the receiver
EXTENDS = "extends"  # the elements of the first argument become elements of the receiver
GIVES = "gives"  # may return an element of the receiver


class Row:
    """One builtin.

    least, most: the number of positional arguments; `ANY`: it has named parameters. result: the type of its result, ""
    if that depends on the arguments (see `optimize.inferred_types`). effect: its effect on its arguments. calls: it
    calls the arguments with these names. The cost is not in the table: a builtin charges for the data it processes (see
    `step_budget`).
    """

    __slots__ = ("calls", "effect", "function", "kind", "least", "most", "name", "result", "words")

    def __init__(
        self,
        function: Callable[..., object],
        minimum: int,
        maximum: int,
        result: str = "",
        effect: str = KEEPS,
        *,
        words: tuple[str, str] = ("{}: unexpected keyword arguments", ""),
        calls: bool = False,
    ) -> None:
        self.name = self.kind = ""  # set by `named`
        self.function = function
        self.least = minimum
        self.most = maximum
        self.result = result
        self.effect = effect
        # Messages for arguments with names, and for a wrong number of arguments.
        self.words = words
        self.calls = calls

    def fits(self, count: int) -> bool:
        """True if the builtin accepts this number of positional arguments without further checks."""
        return self.most == ANY or self.least <= count <= self.most

    def check(self, count: int, named: object) -> None:
        """Checks the number and the names of arguments. Raises StarlarkError."""
        if self.most == ANY:
            return
        with_names, wrong = self.words
        if named:
            raise StarlarkError(with_names.format(self.name), code="unexpected-keyword")
        if not self.least <= count <= self.most:
            if wrong:
                raise StarlarkError(wrong.format(self.name, count), code="argument-count")
            raise wrong_count(self.name, count, self.least, self.most)

    def checked(self) -> Callable[..., object]:
        """The function as a value, which checks the arguments of any call."""
        function, check = self.function, self.check
        if self.most == ANY:
            called = function
        else:

            def called(*args: object, **named: object) -> object:
                check(len(args), named)
                return function(*args)

        called.__name__ = called.__qualname__ = self.name
        called.__dict__["builtin"] = function
        return called


def named(rows: dict[str, Row], kind: str = "") -> dict[str, Row]:
    """Rows with their names and the type of their receiver."""
    for name, row in rows.items():
        row.name, row.kind = name, kind
    return rows
