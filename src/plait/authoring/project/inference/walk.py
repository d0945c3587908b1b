"""Walks through a repository of an untrusted author: within the limit `entries`, and to a maximum depth."""

from __future__ import annotations

import os

from plait.base.limits import current_budget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Directories whose files do not belong to the repository itself.
SKIPPED_DIRECTORIES = frozenset({"node_modules", "vendor", "third_party", "_vendir", "__pycache__", "testdata"})
# Levels of directories below the start of a walk. Repositories have less than 30; a path has at most about 2,000.
DEEPEST = 100


def walk(top: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """As `os.walk`, without directories that are nested more than DEEPEST levels. Raises LimitError."""
    visit = current_budget().visit
    start = top.count(os.sep)
    for here, folders, names in os.walk(top):
        for _ in range(len(folders) + len(names)):
            visit(top)
        if here.count(os.sep) - start >= DEEPEST:
            folders.clear()
        yield here, folders, names
