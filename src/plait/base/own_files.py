"""Files that plait's tools read, and that are no inputs: project files, test files and their snapshots. Loaded only for
a mistake.
"""

from __future__ import annotations

import os

from plait.base.permissions import FILE_NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

TEST_ENDINGS = (".test.yml", ".test.yaml")
_SNAPSHOTS = ".test.snapshots"


def kind_of_own_file(path: str, keys: Container[object]) -> str | None:
    """The kind of a file of a tool, with its article; None for another file. keys: those of its first document whose
    values are maps: in the tests of Prometheus, `tests` is a list.
    """
    directory, name = os.path.split(path)
    if name in FILE_NAMES and "runs" in keys:
        return "a project file"
    if name.endswith(TEST_ENDINGS) and "tests" in keys:
        return "a test file"
    return "a snapshot of a test" if directory.endswith(_SNAPSHOTS) else None
