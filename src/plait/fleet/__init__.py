"""Fleets: all runs of a project, and those of its matrices, made in one go (docs/fleet.md).

    from plait.fleet import fleet

    fleet("plait.yml", processes=4).check()

`plan` lists the runs, `workshop` makes one, `pools` says in which processes, `driver` has them all made, `book` keeps the
manifest, `results` what earlier fleets made.
"""

from __future__ import annotations

from plait.lazy import first_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.fleet.api import Report, fleet
    from plait.fleet.outcome import Outcome

__all__ = ["Outcome", "Report", "fleet"]

_HOMES = {"Outcome": "outcome", "Report": "api", "fleet": "api"}


def __getattr__(name: str) -> object:
    return first_use(__name__, _HOMES.get(name), name)
