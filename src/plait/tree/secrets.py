"""Secret values: determines if an evaluation uses secrets.

An evaluation with secrets has `plait.tree.provenance.marks.Marks`, which decides for each value and message if it may
be shown. See `uses_secrets`.
"""

from __future__ import annotations

from plait.base.input_view import InputView
from plait.base.source import HIDDEN
from plait.tree.context import Context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.provenance import Trace

__all__ = ["HIDDEN", "uses_secrets"]


def uses_secrets(of: Context | Trace | InputView | None) -> bool:
    """True if an evaluation uses secrets.

    of: the state, trace or input view of the evaluation; None if nothing was recorded, which means no secrets. The
    result is final once the inputs are read: every entry point of secrets calls `plait.base.content.note_secrets`,
    `Context.use_secrets`, or `hide`, `hide_item` or `hide_lines` of the trace. `note_secrets` records only the fact,
    for engines that compute marks on demand; then values must not be shown with a trace without marks (see
    `plait.insight.redaction`).
    """
    if isinstance(of, InputView):
        return of.uses_secrets
    trace = of.trace if isinstance(of, Context) else of
    return trace is not None and trace.marks is not None
