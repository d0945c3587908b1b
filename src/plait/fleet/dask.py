"""Runs fleets on Dask: remote workers receive each input once, by content, and send back the results."""

from __future__ import annotations

import os
from importlib import import_module

from plait.base.errors import UsageError
from plait.fleet.bundle import packed, variables_of
from plait.fleet.fleet_worker import WorkerSetup
from plait.fleet.identity import version
from plait.fleet.pools import ExecutorPool
from plait.fleet.remote_files import is_url
from plait.fleet.scheduler import check_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Executor

    from plait.authoring.project.file import Project
    from plait.fleet.destinations import Destination
    from plait.fleet.fleet_worker import WorkerOptions
    from plait.fleet.plan import Task

_HINT = "pip install 'plait[dask]'"


def connect(address: str) -> object:
    """A client of the scheduler at an address such as tcp://host:8786. Raises UsageError."""
    try:
        make_client: Callable[..., object] = import_module("distributed").Client
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in {"distributed", "dask"}:
            raise
        raise UsageError(
            "the extra dask is not installed",
            found=f"no module {error.name}",
            hint=_HINT,
            code="extra-not-installed",
        ) from None
    try:
        return make_client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"cannot reach the scheduler at {address}", found=str(error).partition("\n")[0], code="fleet-workers"
        ) from None


def pool_of(
    client: object,
    source: tuple[str, str],
    project: Project,
    tasks: Sequence[Task],
    place: Destination,
    common: WorkerOptions,
) -> ExecutorPool:
    """The workers of a client, after sending the setup. Raises UsageError for another object, PlaitError."""
    scatter, get_executor = getattr(client, "scatter", None), getattr(client, "get_executor", None)
    if scatter is None or get_executor is None:
        raise UsageError(
            "this executor cannot render runs",
            expected="a concurrent.futures.Executor, or a client of dask.distributed",
            found=type(client).__name__,
            code="fleet-workers",
        )
    workers: dict[str, int] = client.ncores()  # type: ignore[attr-defined]
    if not workers:
        raise UsageError("the scheduler has no workers", code="fleet-workers")
    for name, found in sorted(_versions(client).items()):
        check_version(found, name)
    top = os.path.abspath(project.directory or os.curdir)
    # Workers cannot access a local directory, but a URL is the same everywhere.
    output = place.for_workers if is_url(place.for_workers) else ""
    setup = WorkerSetup(source, top, output, bundle=packed(project, tasks), environment=variables_of(project, tasks),
                  limits=common["limits"], permissions=project.permissions)  # fmt: skip
    return Cluster(get_executor(pure=False), sum(workers.values()), setup, scatter)


def _versions(client: object) -> dict[str, str]:
    """The version of plait on each worker. A worker that joins later is checked with its first result. Raises
    UsageError.
    """
    try:
        found: dict[str, str] = client.run(version)  # type: ignore[attr-defined]
    except (ImportError, AttributeError) as error:
        raise UsageError("a worker has no usable version of plait", found=str(error), code="fleet-workers") from None
    return found


class Cluster(ExecutorPool):
    """The workers of a Dask cluster. scatter: the method of its client, which sends the setup to each worker once."""

    def __init__(self, executor: Executor, width: int, setup: WorkerSetup, scatter: Callable[..., object]) -> None:
        super().__init__(width, setup, executor)
        self._setup = setup
        self._scatter = scatter
        self.sent = scatter(setup, broadcast=True)

    def renew(self) -> bool:
        """Sends the setup again if all workers with it have ended."""
        if getattr(self.sent, "status", "") == "finished":
            return False
        self.sent = self._scatter(self._setup, broadcast=True)
        return True
