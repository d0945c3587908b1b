"""The command line with every run recorded, as if each were to be explained: `python tests/traced.py render -f config/`.

Nothing but what is recorded may depend on recording. So the suite (`pytest --traced`) and the conformance cases run this way too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import plait.cli.common_flags
from plait.tree.context import Context
from plait.tree.provenance import Trace

_paused = False


def record_every_run() -> None:
    """Make every Context keep a Trace, also where none is asked for."""
    slot = vars(Context)["trace"]
    asked = plait.cli.common_flags.trace_of

    def write(context: Context, trace: Trace | None) -> None:
        slot.__set__(context, Trace() if trace is None and not _paused else trace)

    setattr(Context, "trace", property(slot.__get__, write))  # noqa: B010 - the type of the slot is another
    # `plait patch` has no Context; commands import this function when they are first run.
    setattr(plait.cli.common_flags, "trace_of", lambda flags: asked(flags) if _paused else Trace())  # noqa: B010


@contextmanager
def paused() -> Iterator[None]:
    """Within it, runs are recorded only where that is asked for."""
    global _paused
    _paused = True
    try:
        yield
    finally:
        _paused = False


if __name__ == "__main__":
    record_every_run()

    from plait.cli import run

    run()
