"""Addresses of lines of both sides on GitHub or GitLab, for the places in a comment."""

from __future__ import annotations

import re
from urllib.parse import quote

from plait.base.content import variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.review.result import Lines, Review

_URL = re.compile(r"https?://[A-Za-z0-9_.:/~-]+")


class FileLinks:
    """The addresses of lines. start: the URL of the repository's files, before the commit. last: the text before the
    last line of a range. base, head: the commits of both sides, or "" for files that no commit has.
    """

    def __init__(self, start: str, last: str, base: str, head: str) -> None:
        self._start = start
        self._last = last
        self._base = base
        self._head = head

    def of(self, lines: Sequence[Lines]) -> str:
        """The address of the first lines on HEAD's side, or on BASE's if all of them were removed; "" for none."""
        for one in lines:
            if one.new or (one.line and not one.old):
                start, end = one.new[0] if one.new else (one.line, one.line)
                return self.at(one.file, start, end)
        for one in lines:
            if one.old:
                return self.at(one.file, *one.old[0], is_base=True)
        return ""

    def at(self, file: str, start: int, end: int, *, is_base: bool = False) -> str:
        """The address of a range of lines; "" for none."""
        commit = self._base if is_base else self._head
        if not commit or not file:
            return ""
        rows = (f"#L{start}" + (f"{self._last}{end}" if end > start else "")) if start else ""
        return f"{self._start}/{commit}/{quote(file, errors='surrogateescape')}{rows}"


def links_of_job(review: Review) -> FileLinks | None:
    """The addresses on the service whose job this is; None outside of jobs."""
    server, name = variable("GITHUB_SERVER_URL"), variable("GITHUB_REPOSITORY")
    project = variable("CI_PROJECT_URL")
    if server and name and _URL.fullmatch(f"{server}/{name}"):
        return FileLinks(f"{server}/{name}/blob", "-L", *review.commits)
    if project and _URL.fullmatch(project):
        return FileLinks(f"{project}/-/blob", "-", *review.commits)
    return None
