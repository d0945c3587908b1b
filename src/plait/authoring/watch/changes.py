"""Finds files that changed since they were read.

Directories are watched, not files: an editor that saves by renaming replaces the file, and a missing file may be
created.
"""

from __future__ import annotations

import os
from time import time

from plait.base.content import open_regular
from plait.base.errors import UsageError
from plait.base.input_view import InputView

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from threading import Event

    from watchfiles import Change

# Milliseconds in which changes are combined into one. Short enough not to be noticed.
_STEP = 10
_TOGETHER = 200
_LOOK = 100
# Resolution of file times in seconds.
_COARSE = 0.02


def check_installed() -> None:
    """Raises UsageError if the library that watches files is not installed."""
    try:
        import watchfiles  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in {"watchfiles", "anyio"}:
            raise
        raise UsageError(
            "--watch needs an extra that is not installed",
            found=f"no module {error.name}",
            hint="pip install 'plait[watch]'",
            code="extra-not-installed",
        ) from None


def follow(
    work: Callable[[InputView, frozenset[str]], None], stop: Event | None = None, idle: Callable[[], None] | None = None
) -> None:
    """Runs some work, and repeats it whenever a file that it read changes, until `stop` is set or the user interrupts.

    work: receives an input view that records its reads, and the absolute paths that changed since the last time (none
    at first). It must record other reads in the view. idle: called once after each run of the work, when nothing has
    happened for a while. Raises the errors of the work, and UsageError if the watching library is not installed.
    """
    check_installed()
    changed: frozenset[str] = frozenset()
    watcher = _Watcher(stop, idle or (lambda: None))
    try:
        while stop is None or not stop.is_set():
            view = InputView(is_read_only=False)
            start = time()
            work(view, changed)
            changed = watcher.next_change(view, start)
    except KeyboardInterrupt:
        return


class _Watcher:
    """Reports changes in directories. It continues while work runs, so that changes in the meantime are reported after
    it.
    """

    def __init__(self, stop: Event | None, idle: Callable[[], None]) -> None:
        self._stop = stop
        self._idle = idle
        self._directories: frozenset[str] = frozenset()
        self._events: Iterator[set[tuple[Change, str]]] = iter(())

    def next_change(self, view: InputView, start: float) -> frozenset[str]:
        """Waits until the state of a path in a view changes. Returns the changed paths. start: when the work began."""
        directories = _existing(view)
        is_new = not directories <= self._directories
        if is_new:
            self._begin(directories)
        is_tidy = False
        for batch in self._events:
            if not batch and not is_tidy:
                self._idle()
                is_tidy = True
            paths = {path for _, path in batch}
            if is_new:
                # The system does not report changes before the watch started.
                paths.update(view.files)
                paths.update(path for path in directories if _modified(path) > start - _COARSE)
                is_new = False
            if not self._directories.isdisjoint(paths):
                self._directories = frozenset()  # a directory that is replaced must be watched again
            found = frozenset(path for path in paths if _has_changed(path, view))
            if found:
                return found
        return frozenset()

    def _begin(self, directories: frozenset[str]) -> None:
        from watchfiles import watch

        self._directories = directories
        self._events = watch(
            *directories,
            recursive=False,
            step=_STEP,
            debounce=_TOGETHER,
            stop_event=self._stop,
            rust_timeout=_LOOK,
            yield_on_timeout=True,
            watch_filter=None,
            ignore_permission_denied=True,
        )


def _modified(directory: str) -> float:
    """The modification time of a directory, or 0 if it does not exist."""
    try:
        return os.stat(directory).st_mtime
    except OSError:
        return 0.0


def _has_changed(path: str, view: InputView) -> bool:
    """True if a file's content, or the listing of its directory, differs from the last read."""
    if path in view.files:
        return _content(path) != view.files[path]
    directory = os.path.dirname(path)
    return directory in view.directories or path in view.directories


def _content(path: str) -> bytes | None:
    try:
        with open_regular(path) as file:
            return file.read()
    except OSError:
        return None


def _existing(view: InputView) -> frozenset[str]:
    """The directories in which relevant changes can happen: those of files, and listed ones with all their
    subdirectories.
    """
    found = {_nearest(path) for path in (*view.directories, *map(os.path.dirname, view.files))}
    for top in [*view.directories]:
        for directory, folders, _ in os.walk(top):
            found.add(directory)
            view.record_listing(directory)
            folders[:] = [name for name in folders if not os.path.islink(os.path.join(directory, name))]
    return frozenset(found)


def _nearest(path: str) -> str:
    """A directory, or its nearest existing ancestor."""
    while not os.path.isdir(path):
        above = os.path.dirname(path)
        if above == path:
            break
        path = above
    return path
