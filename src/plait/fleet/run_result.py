"""The outcome of one run of a fleet."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plait.base.equal_errors import Key
    from plait.fleet.read_sets import ReadSet

    # The digest of a file's content, its size, and when it was written in nanoseconds; None for what is not known.
    Written = tuple[str | None, int, int | None]

RENDERED, CACHED, UP_TO_DATE, FAILED, SKIPPED = "rendered", "cached", "up to date", "failed", "skipped"


class RunResult:
    """The outcome of a run.

    name: of the run. status: `made`; `stored`, taken from the cache; `kept`, already in place; `failed`; or `left out`,
    because the fleet was stopped. seconds: duration. error: the message of a failed run.
    code: of the error. same: equal for equal errors. fault: equal for those that differ in nothing but values on axes.
    parts, reads: the files that were read, below known directories and elsewhere. news: parts that no earlier outcome of
    the same portion has. is_secret: the run uses secrets, so that nothing of it is cached. files: digest, size and time
    of each written file. texts: the files themselves, if the worker does not write. version: of the plait that
    evaluated it (`plait.fleet.identity.version`).
    """

    __slots__ = (
        "code",
        "error",
        "fault",
        "files",
        "is_secret",
        "name",
        "news",
        "parts",
        "reads",
        "same",
        "seconds",
        "status",
        "texts",
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
        code: str = "",
        same: Key = (),
        fault: Key = (),
        parts: Sequence[str] = (),
        news: Mapping[str, ReadSet] | None = None,
        reads: ReadSet | None = None,
        is_secret: bool = False,
        files: Mapping[str, Written] | None = None,
        texts: Mapping[str, str] | None = None,
        warnings: Sequence[str] = (),
        version: str = "",
    ) -> None:
        self.version = version
        self.name = name
        self.status = status
        self.seconds = seconds
        self.error = error
        self.code = code
        self.same = same or (error,)
        self.fault = fault or self.same
        self.parts = parts
        self.news = {} if news is None else news
        self.reads = reads
        self.is_secret = is_secret
        self.files = {} if files is None else files
        self.texts = texts
        self.warnings = warnings

    def __repr__(self) -> str:
        return f"<Outcome {self.name!r}: {self.status}>"

    @property
    def has_failed(self) -> bool:
        """True if the run failed."""
        return self.status == FAILED
