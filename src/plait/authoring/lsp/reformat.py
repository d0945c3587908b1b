"""The lines of a file that formatting changes."""

from __future__ import annotations

from plait.authoring.formatting.formatter import format_text
from plait.base.errors import PlaitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.authoring.lsp.state import ServerState


def changed_lines(state: ServerState, path: str, lines: tuple[int, int] | None = None) -> list[tuple[int, int, str]]:
    """The changes of formatting: ranges of lines (from 0, the end excluded), and their new text.

    lines: the first and the last line that may change, or None for all. Empty for a file that is not YAML or is
    invalid; its diagnostics show the reason.
    """
    text = state.texts.get(path)
    if text is None or not path.endswith((".yml", ".yaml")):
        return []

    try:
        made = format_text(text, path, lines=lines).text
    except PlaitError:
        return []
    before, after = text.split("\n"), made.split("\n")
    if len(before) == len(after):
        return [
            (number, number, new) for number, (old, new) in enumerate(zip(before, after, strict=True)) if old != new
        ]
    # Formatting adds and removes only blank lines at the end.
    same = min(len(before), len(after)) - 1
    changes = [(number, number, after[number]) for number in range(same) if before[number] != after[number]]
    return [*changes, (same, len(before) - 1, "\n".join(after[same:]))]
