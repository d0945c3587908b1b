"""Parts of a program: pieces of code, and statements of the template layer between them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _ast
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    Piece: TypeAlias = "CodePart | TemplateStatement"
    # The arguments of `TemplateStatement.lower`: for one slot, and for all.
    Slot: TypeAlias = "_ast.expr | tuple[list[_ast.expr], list[_ast.keyword]]"
    Slots: TypeAlias = "list[Slot]"


class CodePart:
    """A piece of a program: text that may span lines. line, column: its start in the source."""

    __slots__ = ("column", "line", "text")

    def __init__(self, text: str, line: int = 1, column: int = 1) -> None:
        self.text = text
        self.line = line
        self.column = column


class ExprSlot:
    """A slot of a template statement for one expression; an empty slot is the empty tuple.

    deferred: `$node.defer` receives it as a function, because its value may not be known yet.
    """

    __slots__ = ("column", "deferred", "line", "text")

    def __init__(self, text: str, line: int, column: int = 1, *, deferred: bool = False) -> None:
        self.text = text
        self.line = line
        self.column = column
        self.deferred = deferred


class ArgsSlot(ExprSlot):
    """A slot of a template statement for the arguments of a call. deferred: only if they are one expression."""

    __slots__ = ()


class TemplateStatement:
    """A statement of the template layer between pieces of code.

    slots: the code it contains. lower: receives one value per slot (an expression; for an `ArgsSlot` the positional
    expressions and the keywords) and returns the Python statements to run. Nodes without a line get `line`.
    """

    __slots__ = ("line", "lower", "slots")

    def __init__(
        self,
        line: int,
        slots: Sequence[ExprSlot],
        lower: Callable[[Slots], list[_ast.stmt]],
    ) -> None:
        self.line = line
        self.slots = slots
        self.lower = lower
