"""Values that nobody else may see: their sources (`sources`), and the outermost part of a run that uses them (`telling`).

A run that uses secrets has `plait.tree.provenance.marks.Marks`, which decides for each value and each message whether it may be
shown. `uses_secrets` tells whether a run does.
"""

from __future__ import annotations

from plait.base.errors import HIDDEN
from plait.base.input_view import InputView
from plait.tree.context import Context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.provenance import Trace

__all__ = ["HIDDEN", "uses_secrets"]


def uses_secrets(of: Context | Trace | InputView | None) -> bool:
    """True if a run uses secrets: the one decision.

    of: the state of the run, what it recorded, or its view of the inputs; None for a run that recorded nothing, which
    uses none. The answer is known once the inputs are read, since each door by which secrets enter calls
    `plait.base.content.note_secrets`, `Context.use_secrets`, or `hide`, `hide_item` or `hide_lines` of the record. The first
    records the fact alone, for engines that compute marks only when values are to be shown: the view knows it then, and
    a record without marks is not enough to show values by (see `plait.insight.redaction`).
    """
    if isinstance(of, InputView):
        return of.uses_secrets
    trace = of.trace if isinstance(of, Context) else of
    return trace is not None and trace.marks is not None
