"""Results of cases, in a form that can be sent between processes."""

from __future__ import annotations

from dataclasses import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.equal_errors import Key


@dataclass(slots=True)
class ExpectationFailure:
    """A failed expectation. text: the message, of any number of lines. file, line: of the expectation or the action.
    same: equal for equal errors; () if it is not an error.
    """

    text: str
    file: str = ""
    line: int = 0
    same: Key = ()


@dataclass(slots=True)
class CaseResult:
    """The result of a case.

    id: its file, `::`, its name, and its parameters in brackets. file, line: its position. failures: the failed
    expectations. printed: the lines that templates printed. seconds: its duration. notes: side effects, such as a
    written snapshot.
    """

    id: str
    file: str
    line: int
    failures: list[ExpectationFailure] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """True if there are no failures."""
        return not self.failures

    @property
    def name(self) -> str:
        """The id without the file."""
        return self.id.partition("::")[2]
