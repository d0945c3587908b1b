"""Variables stores that another run of the project reads as plain files."""

from __future__ import annotations

from plait.authoring.analysis.source_paths import path_of
from plait.base.errors import PlaitError
from plait.tree.nodes import MapItem
from plait.tree.provenance import EVERY, Change, Contributor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from plait.authoring.project.run import Run
    from plait.base.input_view import InputView
    from plait.tree.provenance import Trace


def stores_of(runs: Iterable[Run]) -> set[str]:
    """The absolute paths of the variables stores of runs."""
    found: set[str] = set()
    for run in runs:
        for setting in run.settings:
            if setting.name == "vars-store":
                try:
                    found.update(run.paths(setting))
                except PlaitError:  # reported when the run is evaluated
                    continue
    return found


def hide_stores(trace: Trace, view: InputView, stores: Collection[str]) -> None:
    """Marks values from stores as secret in the trace of a run that reads them as other files."""
    if not stores or not any(path in stores for path in view.files):
        return
    sources = {
        one.source
        for change in trace.changes.values()
        for one in (change, *change.because)
        if isinstance(one, Change | Contributor | MapItem) and path_of(one.source) in stores
    }
    trace.hide_lines((source, 0, EVERY) for source in sources)
