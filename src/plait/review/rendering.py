"""The output of HEAD's side as files, for a branch of rendered manifests."""

from __future__ import annotations

from plait.base.errors import PlaitError
from plait.base.excerpts import renamed
from plait.base.input_view import InputView
from plait.engine.incremental import Engine
from plait.fleet.output_contents import contents_of
from plait.review.result import RenderedSide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.fleet.plan import Task
    from plait.review.revisions import Sides


def rendered(sides: Sides, tasks: Sequence[Task]) -> RenderedSide:
    """Renders runs on HEAD's side. tasks: all runs, including unchanged ones, so that the files are complete."""
    made = RenderedSide()
    if not tasks:
        made.error = PlaitError("no output is written: HEAD's side has none of the runs", code="fleet-failed")
        return made
    sides.show(sides.head)
    project = sides.project()
    engine = Engine()
    for task in tasks:
        try:
            documents = task.run(project).evaluate(view=InputView(), limits={}, engine=engine)
            contents, warnings = contents_of(task, documents)
        except PlaitError as error:
            made.error = _failed(task, sides, error)
            return made
        made.files.update((f"{task.place}/{name}" if name else task.place, data) for name, data in contents.items())
        told = [renamed(one, sides.text) for one in warnings]
        made.warnings += [one for one in told if one not in made.warnings]
    return made


def _failed(task: Task, sides: Sides, error: PlaitError) -> PlaitError:
    failure = sides.failure("head", error, caused=None)
    return PlaitError(
        f"no output is written: {failure.message}",
        expected="runs that succeed on HEAD's side",
        found=f'the run "{task.name}" fails',
        code="fleet-failed",
    )
