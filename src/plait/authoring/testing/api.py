"""`plait.test`: the results of the tests of a project."""

from __future__ import annotations

import os

from plait.api.arguments import checked
from plait.api.isolation import with_error_facts
from plait.authoring.testing.running import run_tests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from plait.authoring.testing.results import CaseResult


@with_error_facts
@checked
def test(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),  # noqa: PT028 - not a test itself
    *,
    update: bool = False,  # noqa: PT028
) -> list[CaseResult]:
    """Runs tests of configuration, as `plait test` does. Returns their results, in order.

    paths: a test file, a directory or an id, or several; by default all below the working directory. update: rewrite
    snapshots.

    Raises PlaitError for test files that cannot be read.

    >>> import pathlib
    >>> import plait
    >>> _ = pathlib.Path("app.yml").write_text("port: 80")
    >>> _ = pathlib.Path("app.test.yml").write_text('''
    ... tests:
    ...   it listens on port 80:
    ...     render: {files: [app.yml]}
    ...     equals: {port: 80}
    ... ''')
    >>> [(one.id, one.passed) for one in plait.test()]
    [('app.test.yml::it listens on port 80', True)]
    """
    if isinstance(paths, str | os.PathLike):
        paths = [paths]
    return run_tests([os.fspath(path) for path in paths], update=update)


# Not a test itself.
test.__test__ = False  # type: ignore[attr-defined]
