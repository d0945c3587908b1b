"""Runs a fleet: skips runs that are up to date, distributes the rest in batches, and records each result.

A batch takes about a quarter of a second, and there are at most two per worker. A fleet of any size therefore keeps
every worker busy, needs little memory, and stops quickly.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, wait

from plait.base.children.pool import WorkerEndedError
from plait.base.errors import PlaitError, UsageError, text_of
from plait.fleet.destinations import with_times
from plait.fleet.fleet_worker import perform
from plait.fleet.identity import version
from plait.fleet.run_result import FAILED, SKIPPED, RunResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Executor, Future

    from plait.fleet.destinations import Destination
    from plait.fleet.plan import Task
    from plait.fleet.pools import ExecutorPool

_PORTION = 0.25
_LARGEST = 64
# Attempts per run if its worker dies. The last attempt runs alone, so that another run's memory use is not the cause.
_ATTEMPTS = 3
# Seconds between checks while no task finishes.
_TICK = 0.5


class Batch:
    """Runs for one worker. attempt: the number of attempts."""

    __slots__ = ("attempt", "tasks")

    def __init__(self, tasks: Sequence[Task], attempt: int = 1) -> None:
        self.tasks = tasks
        self.attempt = attempt


class Scheduler:
    """Renders runs. report: receives each result.

    tick: called regularly. fail_fast: the first failure stops the others. output: the destination of results that
    processes send back. keep: receives these results with their reads.
    """

    def __init__(
        self,
        pool: ExecutorPool,
        output: Destination,
        *,
        fail_fast: bool,
        report: Callable[[Task, RunResult], None],
        tick: Callable[[], None],
        keep: Callable[[Task, RunResult], None] | None = None,
    ) -> None:
        self._pool = pool
        self._output = output
        self._fail_fast = fail_fast
        self._told = report
        self._tick = tick
        self._keep = keep
        self._waiting: deque[Batch] = deque()
        self._going: dict[Future[list[RunResult]], Batch] = {}
        # Seconds per run. An estimate until the first run has finished.
        self._each = _PORTION
        self._is_stopped = False
        self._has_made_any = False
        self._endings = 0

    def make(self, tasks: Sequence[Task]) -> None:
        """Renders these runs. Raises the errors of `report`, and KeyboardInterrupt after the started runs have
        finished.
        """
        rest = deque(tasks)
        executor = self._pool.open()
        ended = False
        try:
            while (rest or self._waiting or self._going) and not self._is_stopped:
                self._give_out(executor, rest)
                self._take_in()
            ended = True
        finally:
            for future in self._going:
                future.cancel()
            self._pool.close(at_once=not ended or self._is_stopped)
            # The started runs have finished and written their results.
            for future, portion in self._going.items():
                if future.done() and not future.cancelled() and future.exception() is None:
                    self._note(portion, future.result())
        for task in [*(task for portion in self._waiting for task in portion.tasks), *rest]:
            self._told(task, RunResult(task.name, SKIPPED))

    def _give_out(self, executor: Executor, rest: deque[Task]) -> None:
        while len(self._going) < self._room() and (self._waiting or rest):
            if self._waiting:
                portion = self._waiting.popleft()
            else:
                count = max(1, min(int(_PORTION / self._each), _LARGEST, len(rest) // (2 * self._pool.width) or 1))
                portion = Batch([rest.popleft() for _ in range(count)])
            try:
                # If the setup was sent in advance, only a reference to it is passed.
                future = executor.submit(perform, self._pool.sent, portion.tasks)  # type: ignore[arg-type]
            except BrokenExecutor:
                raise _useless() from None
            self._going[future] = portion

    def _room(self) -> int:
        """The maximum number of batches: one while a run is in its last attempt."""
        if any(portion.attempt >= _ATTEMPTS for portion in [*self._going.values(), *list(self._waiting)[:1]]):
            return 1
        return 1 if self._pool.width == 1 else 2 * self._pool.width

    def _take_in(self) -> None:
        done, _ = wait(self._going, timeout=_TICK, return_when=FIRST_COMPLETED)
        self._tick()
        is_lost = not done and self._pool.renew()
        for future in done:
            # A cluster cancels tasks whose inputs were lost.
            error = CancelledError("its inputs were lost") if future.cancelled() else future.exception()
            if isinstance(error, BrokenExecutor):
                raise _useless()
            portion = self._going.pop(future)
            if error is None:
                self._note(portion, future.result())
            elif isinstance(error, WorkerEndedError):
                self._ended()
                self._lost(portion, "its process ended")
            elif isinstance(error, PlaitError):
                raise error
            else:
                is_lost = self._pool.renew() or is_lost
                self._lost(portion, f"{type(error).__name__}: {error}")
        if is_lost:
            self._give_out_again()

    def _give_out_again(self) -> None:
        """Queues all batches of a discarded pool again. Their futures never complete, not even as failed."""
        portions = [*self._going.items()]
        self._going.clear()
        for future, portion in portions:
            if future.done() and not future.cancelled() and future.exception() is None:
                self._note(portion, future.result())
            else:
                future.cancel()
                self._waiting.append(portion)

    def _note(self, portion: Batch, outcomes: Sequence[RunResult]) -> None:
        self._has_made_any = True
        for task, outcome in zip(portion.tasks, outcomes, strict=True):
            # Checked before results are written or cached. Old versions of plait send no version.
            check_version(getattr(outcome, "version", ""))
            if outcome.contents is not None:
                if self._keep is not None:
                    self._keep(task, outcome)
                outcome = put(self._output, task, outcome)
            self._each += (max(outcome.seconds, 1e-4) - self._each) / 8
            self._told(task, outcome)
            self._is_stopped = self._is_stopped or (self._fail_fast and outcome.has_failed)

    def _ended(self) -> None:
        """Counts an ended process. Raises PlaitError if processes end before they have rendered a run."""
        self._endings += 1
        if self._endings > _ATTEMPTS and not self._has_made_any:
            raise _useless()

    def _lost(self, portion: Batch, why: str) -> None:
        """Queues runs again, each alone, or reports their failure after the last attempt."""
        for task in portion.tasks:
            if portion.attempt < _ATTEMPTS:
                self._waiting.append(Batch([task], portion.attempt + 1))
            else:
                self._told(task, RunResult(task.name, FAILED, error=f"{why}, {_ATTEMPTS} times"))
                self._is_stopped = self._is_stopped or self._fail_fast


def check_version(found: str, worker: str = "") -> None:
    """Raises UsageError for a worker with another version of plait, whose results may differ.

    worker: its name, or "".
    """
    if found != version():
        raise UsageError(
            "a worker and this process have different versions of plait or its libraries",
            found=f"{worker}: {found or 'an unknown version'}" if worker else found or "an unknown version",
            expected=version(),
            hint="install the same versions of plait, its libraries and Python on all workers",
            code="fleet-workers",
        )


def _useless() -> PlaitError:
    return PlaitError(
        "worker processes exit before finishing a run",
        hint="use -j 1 to render in this process",
        code="process-ended",
    )


def put(output: Destination, task: Task, outcome: RunResult) -> RunResult:
    """Writes a result sent by a worker. Returns it, or a failed result if it cannot be written."""
    assert outcome.contents is not None
    try:
        outcome.files = with_times(outcome.files, output.put(task, outcome.contents))
    except PlaitError as error:
        told = text_of(error)
        # Other outcomes refer to the same parts.
        return RunResult(task.name, FAILED, error=told, news=outcome.news)
    outcome.contents = None
    return outcome
