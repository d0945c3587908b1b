"""Fleets: all runs of a project, including those of its matrices, rendered together (docs/fleet.md).

    from plait.fleet import fleet

    fleet("plait.yml", processes=4).check()

`plan` lists the runs, `fleet_worker` renders one, `pools` selects the processes, `scheduler` distributes the work,
`manifest` records the results, `cached_results` is the cache.
"""

from __future__ import annotations

from plait.base.lazy_exports import first_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.fleet.api import FleetReport, fleet
    from plait.fleet.run_result import RunResult

__all__ = ["FleetReport", "RunResult", "fleet"]

_HOMES = {"RunResult": "run_result", "FleetReport": "api", "fleet": "api"}


def __getattr__(name: str) -> object:
    return first_use(__name__, _HOMES.get(name), name)
