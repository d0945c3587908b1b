"""`python -m plait`."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]

# As in scripts/plait.
if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

from plait.cli import run

run()
