"""`plait lint`: unused, fragile and ambiguous code (docs/lint.md).

subject     the runs of a project evaluated, with everything recorded, and their files
proving     renders the runs again with edits: what is said to have no part in them is taken out to see
dead, order, silent, reading, portable, style   what is found, a function each
ignoring    comments and settings that silence findings
fixing      edits made in files, if no output changes
reports     findings as text, JSON, SARIF and annotations
"""

from __future__ import annotations

from plait.base.lazy_exports import first_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.authoring.lint.finding import LintFinding, RelatedSpan
    from plait.authoring.lint.linter import lint

__all__ = ["LintFinding", "RelatedSpan", "lint"]

_HOMES = {"LintFinding": "finding", "RelatedSpan": "finding", "lint": "linter"}


def __getattr__(name: str) -> object:
    return first_use(__name__, _HOMES.get(name), name)
