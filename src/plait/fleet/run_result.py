"""The result of one run of a fleet."""

from __future__ import annotations

from plait.insight.diagnostic_formats import message_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plait.base.equal_errors import Key
    from plait.base.errors import Warning
    from plait.fleet.read_sets import ReadSet
    from plait.insight.diagnostic_formats import Message

    # The digest of a file's content, its size, and its time in nanoseconds; None if unknown.
    Written = tuple[str | None, int, int | None]

RENDERED, CACHED, UP_TO_DATE, FAILED, SKIPPED = "rendered", "cached", "up to date", "failed", "skipped"


class RunResult:
    """The result of one run of a fleet.

    name: the name of the run. status: `rendered`; `cached`, copied from the cache; `up to date`, already at its
    destination; `failed`; or `skipped`, because the fleet was stopped. seconds: duration. error: the message of a
    failed run. messages: the error as data. same: equal for equal errors. fault: equal for errors that differ only in
    values of axes. parts, reads: the files that were read, below known directories and elsewhere. accesses: programs
    and origins of URLs that were used, as in `Need`. news: parts that no earlier result of the batch contains.
    is_secret: the run uses secrets, so its result is not cached. files: digest, size and time of each written file.
    contents: the contents of the files, if the worker does not write them. version: the version of the plait that
    evaluated the run (`plait.fleet.identity.version`). statistics: the numbers of reused and of new objects, by type.
    """

    __slots__ = (
        "accesses",
        "contents",
        "error",
        "fault",
        "files",
        "is_secret",
        "messages",
        "name",
        "news",
        "parts",
        "reads",
        "same",
        "seconds",
        "statistics",
        "status",
        "version",
        "warnings",
    )

    def __init__(
        self,
        name: str,
        status: str,
        *,
        seconds: float = 0.0,
        error: str = "",
        messages: Sequence[Message] = (),
        same: Key = (),
        fault: Key = (),
        parts: Sequence[str] = (),
        news: Mapping[str, ReadSet] | None = None,
        reads: ReadSet | None = None,
        accesses: Sequence[tuple[str, str]] = (),
        is_secret: bool = False,
        files: Mapping[str, Written] | None = None,
        contents: Mapping[str, bytes] | None = None,
        warnings: Sequence[Warning] = (),
        version: str = "",
    ) -> None:
        self.statistics: Mapping[str, tuple[int, int]] = {}
        self.version = version
        self.name = name
        self.status = status
        self.seconds = seconds
        self.error = error
        self.messages = messages
        self.same = same or (error,)
        self.fault = fault or self.same
        self.parts = parts
        self.news = {} if news is None else news
        self.reads = reads
        self.accesses = accesses
        self.is_secret = is_secret
        self.files = {} if files is None else files
        self.contents = contents
        self.warnings = warnings

    def __repr__(self) -> str:
        return f"<Outcome {self.name!r}: {self.status}>"

    @property
    def diagnostics(self) -> list[Message]:
        """The error and the warnings as data."""
        return [*self.messages, *(message_of(one.diagnostic) for one in self.warnings)]

    @property
    def has_failed(self) -> bool:
        """True if the run failed."""
        return self.status == FAILED
