"""The command line with every run recorded, as if each were to be explained: `python tests/traced.py render -f config/`.

Nothing but what is recorded may depend on recording. So the suite (`pytest --traced`) and the conformance cases run this way too.
"""

from __future__ import annotations

import plait.cli.common_flags
from plait.tree.context import Context
from plait.tree.provenance import Trace


def record_every_run() -> None:
    """Make every Context keep a Trace, also where none is asked for."""
    slot = vars(Context)["trace"]

    def write(context: Context, trace: Trace | None) -> None:
        slot.__set__(context, Trace() if trace is None else trace)

    setattr(Context, "trace", property(slot.__get__, write))  # noqa: B010 - the type of the slot is another
    # `plait patch` has no Context; commands import this function when they are first run.
    setattr(plait.cli.common_flags, "trace_of", lambda _flags: Trace())  # noqa: B010


if __name__ == "__main__":
    record_every_run()

    from plait.cli import run

    run()
