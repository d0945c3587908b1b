"""The pages of the documentation: next to the package in an installation or a single file, in docs/ of a checkout."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


def pages() -> Traversable:
    """The directory of the pages, which need not exist."""
    # Not by paths: a single file has no directories.
    package = files("plait")
    installed = package / "pages"
    return installed if installed.is_dir() else Path(str(package)).parents[1] / "docs"
