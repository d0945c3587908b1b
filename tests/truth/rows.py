"""One row of the table: how many claims of a tool held on a project."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Row:
    """The tries of one check.

    held: claims that were true. refused: the tool rejected the request, with a reason; computed: the same, where no answer
    is possible, because a name is computed. wrong: claims that were false, each as a minimal case.
    """

    name: str
    held: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    computed: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    @property
    def tries(self) -> int:
        return self.held + self.refused.total() + self.computed.total() + len(self.wrong)

    def add(self, other: Row) -> None:
        """Count the tries of the same check on another project, too."""
        self.held += other.held
        self.refused += other.refused
        self.computed += other.computed
        self.wrong += other.wrong

    def data(self) -> dict[str, object]:
        """The row as plain data."""
        return {
            "row": self.name,
            "tries": self.tries,
            "held": self.held,
            "refused": dict(self.refused),
            "computed": dict(self.computed),
            "wrong": self.wrong,
        }

    def line(self) -> str:
        """The row as text."""
        counts = (self.tries, self.held, self.refused.total(), self.computed.total(), len(self.wrong))
        return f"{self.name:<24}" + "".join(f"{count:>10}" for count in counts)


HEAD = f"{'claim':<24}" + "".join(f"{title:>10}" for title in ("tries", "held", "refused", "computed", "wrong"))
