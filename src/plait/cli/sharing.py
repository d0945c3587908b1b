"""Renders of a fleet: inputs that another run may have read, or that this one reads for others."""

from __future__ import annotations

from plait.events import current_listener
from plait.workspace.phases import run
from plait.workspace.session import Session
from plait.workspace.shared import Common, Shared, listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.context import Context
    from plait.workspace import InputFile, Job, Result


def is_recorded(context: Context) -> bool:
    """Whether somebody wants to know all that is done, also what an earlier run has done already."""
    return context.trace is not None or current_listener() is not None


def with_shared(
    shared: object,
    named: Sequence[str],
    context: Context,
    read: Callable[[], list[InputFile]],
    job_of: Callable[[list[InputFile]], Job],
) -> Result:
    """What a render makes whose inputs others may have read.

    shared: what runs have read. named: the words that name the inputs. read: reads them. job_of: the job with them.
    Raises PlaitError.
    """
    assert isinstance(shared, Shared)
    key = tuple(named)
    common = shared.find(key)
    if common is None:
        files, directories = listed(read)
        job = job_of(files)
        common = Common(files, directories, job.library, Session(context))
        session = common.session
    else:
        job = job_of(common.files)
        job.library = common.library
        session = common.session.forked(context)
    result = run(job, context, session=session)
    # A warning is given where something is read, which must be every run that warns of it.
    if context.warnings:
        shared.forget(key)
    else:
        shared.keep(key, common)
    return result
