"""Results of templates, for a process that evaluates the same files repeatedly (`--watch`).

A template with the same text, equal data values and the same library files has the same result. Templates that read
other files or libraries, print, or warn are evaluated each time. The same holds for overlays, because their matchers
are functions of one run.
"""

from __future__ import annotations

from plait.starlark.step_budget import budget_of
from plait.tree.nodes import equal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.tree.context import Context
    from plait.tree.nodes import Value
    from plait.ytt.templates.outcome import TemplateResult
    from plait.ytt.workspace.input_files import InputFile
    from plait.ytt.workspace.render_job import RenderOptions


class TemplateCache:
    """The results of templates in the last run, by path and text."""

    __slots__ = ("_libraries", "_outcomes", "_values")

    def __init__(self) -> None:
        # Each entry has the text of its template and the number of steps.
        self._outcomes: dict[tuple[object, ...], tuple[str, TemplateResult, int]] = {}
        self._values: Value = None
        self._libraries: tuple[tuple[str, str], ...] = ()

    def begin(self, values: Value, libraries: tuple[tuple[str, str], ...]) -> None:
        """Sets the inputs of the following templates: the data values, and path and text of each library file."""
        if libraries != self._libraries or not equal(values, self._values):
            self._outcomes.clear()
        self._values, self._libraries = values, libraries

    def outcome(
        self, file: InputFile, options: RenderOptions, context: Context, run: Callable[[], tuple[TemplateResult, bool]]
    ) -> TemplateResult:
        """The result of a template. run: evaluates it, and returns if it read more than its inputs; its errors are raised."""
        key = (file.path, file.shown, file.type, file.is_plain, options.reading)
        text = file.text()
        known = self._outcomes.pop(key, None)
        if known is not None and known[0] == text:
            budget_of(context).charge(known[2])
            self._outcomes[key] = known
            return known[1]
        budget = budget_of(context)
        spent, warned = budget.spent, len(context.warnings)
        lines: list[str] = []
        context.print_line.recordings.append(lines)
        try:
            found, reached_out = run()
        finally:
            context.print_line.recordings.pop()
        said = bool(lines) or len(context.warnings) != warned
        if not said and not reached_out and _is_plain(found):
            self._outcomes[key] = (text, found, budget.spent - spent)
        return found


def _is_plain(outcome: TemplateResult) -> bool:
    """True if the result is documents without annotations."""
    return outcome.documents is not None and not any(one.annotations for one in outcome.documents.items)
