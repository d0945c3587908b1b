"""Progress of a fleet, for its observers."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from plait.fleet.run_result import RunResult

    class FleetReporter(Protocol):
        """Receives the progress of a fleet."""

        def begin(self, total: int, up_to_date: int) -> None:
            """total: number of all runs. up_to_date: number of runs that are up to date."""
            ...

        def outcome(self, outcome: RunResult) -> None: ...

        def tick(self) -> None:
            """Called regularly, to update the displayed time."""
            ...

        def end(self, counts: Mapping[str, int], seconds: float) -> None: ...


class NullReporter:
    """Reports nothing."""

    def begin(self, total: int, up_to_date: int) -> None:
        pass

    def outcome(self, outcome: RunResult) -> None:
        pass

    def tick(self) -> None:
        pass

    def end(self, counts: Mapping[str, int], seconds: float) -> None:
        pass
