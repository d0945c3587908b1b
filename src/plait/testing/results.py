"""What came of cases, in a form that other processes can be sent."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Failure:
    """One thing that does not hold. text: for a person, of any number of lines. file, line: where it is said, or done."""

    text: str
    file: str = ""
    line: int = 0


@dataclass(slots=True)
class Result:
    """What came of a case.

    id: its file, `::`, its name, and in brackets its parameters. file, line: where it stands. failures: what does not
    hold. printed: the lines that templates printed. seconds: how long it took. notes: what was done beside, such as a
    snapshot written.
    """

    id: str
    file: str
    line: int
    failures: list[Failure] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether all held."""
        return not self.failures

    @property
    def name(self) -> str:
        """The id without the file."""
        return self.id.partition("::")[2]
