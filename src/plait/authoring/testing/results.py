"""Results of cases, in a form that can be sent between processes."""

from __future__ import annotations

from dataclasses import dataclass, field

from plait.base.codes import CODES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.base.equal_errors import Key
    from plait.base.errors import Diagnostic


@dataclass(slots=True)
class ExpectationFailure:
    """A failed expectation, or an error of the run.

    diagnostic: the failure as data. lines: the failure as the command line prints it. file, line: the file and line of
    the expectation, or of the error. same: equal for equal errors; () for an expectation.
    """

    diagnostic: Diagnostic
    lines: Sequence[str]
    file: str = ""
    line: int = 0
    same: Key = ()

    @property
    def text(self) -> str:
        """The complete message, of any number of lines."""
        return "\n".join(self.lines)

    @property
    def code(self) -> str:
        """The number of the code, such as "E1003"; "" if an error only counts its findings."""
        found = CODES.get(self.diagnostic.code)
        return "" if found is None else found.code


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
