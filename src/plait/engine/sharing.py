"""Renders of a fleet: inputs that another run may have read, or that this one reads for others."""

from __future__ import annotations

from plait.ytt.workspace.phases import run
from plait.ytt.workspace.session import Session
from plait.ytt.workspace.shared_inputs import InputSet, SharedInputs, listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.tree.context import Context
    from plait.ytt.workspace.input_files import InputFile
    from plait.ytt.workspace.render_job import RenderJob, RenderResult


def with_shared(
    shared: SharedInputs,
    named: Sequence[object],
    context: Context,
    read: Callable[[], list[InputFile]],
    job_of: Callable[[list[InputFile]], RenderJob],
) -> RenderResult:
    """The result of a render that shares inputs with other evaluations.

    shared: the inputs that were already read. named: the uses that name the inputs. read: reads them. job_of: creates
    the job for them. Raises PlaitError.
    """
    key = tuple(named)
    common = shared.find(key)
    if common is None:
        files, directories = listed(read)
        job = job_of(files)
        common = InputSet(files, directories, job.library, Session(context))
        session = common.session
    else:
        job = job_of(common.files)
        job.library = common.library
        session = common.session.forked(context)
    result = run(job, context, session=session)
    # Warnings occur on reading, and each evaluation has to repeat them.
    if context.warnings:
        shared.forget(key)
    else:
        shared.keep(key, common)
    return result
