"""Findings about a single file, for an editor."""

from __future__ import annotations

from plait.authoring.lint import ambiguous_scalars, ignoring, style
from plait.authoring.lint.layout import LintedFile
from plait.authoring.lint.yaml_versions import may_differ

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.authoring.analysis.file_facts import File
    from plait.authoring.lint.finding import LintFinding


def findings_in(file: File) -> list[LintFinding]:
    """The findings about a single file: style of its code, and ambiguous scalars.

    Suppressed findings are omitted, and so are plain comments, which the reader reports if they are mistakes.
    """
    text = file.source.text
    is_read = file.path.endswith((".yml", ".yaml")) and (may_differ(text) or "#@template/" in text)
    layout = LintedFile.of(file.path, text) if is_read else None
    found = [finding for finding in style.of_file(file, layout) if finding.code != "T605"]
    if layout is not None:
        found += ambiguous_scalars.of_file(layout, lambda _line: False)
    return sorted(
        ignoring.silenced(found, list(ignoring.comments_of(file.path, text))), key=lambda finding: finding.order
    )
