"""Fleets: all runs of a project, including those of its matrices, rendered together (docs/fleet.md).

    from plait.fleet import fleet

    fleet("plait.yml", processes=4).check()

`plan` lists the runs, `workshop` renders one, `pools` selects the processes, `driver` distributes the work, `book` is
the manifest, `results` the cache.
"""

from __future__ import annotations

from plait.base.lazy_exports import first_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.fleet.api import Report, fleet
    from plait.fleet.run_result import Outcome

__all__ = ["Outcome", "Report", "fleet"]

_HOMES = {"Outcome": "run_result", "Report": "api", "fleet": "api"}


def __getattr__(name: str) -> object:
    return first_use(__name__, _HOMES.get(name), name)
