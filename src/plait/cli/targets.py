"""The run of a query, for tools that evaluate it repeatedly with changed inputs."""

from __future__ import annotations

from plait.authoring.edit.target import Target
from plait.authoring.project.run import Run
from plait.base.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from plait.cli.questions import ExplainQuestion
    from plait.engine.options import Use


def check_inputs(uses: Iterable[Use]) -> None:
    """Raises UsageError for standard input."""
    if any(one.value == "-" or str(one.value).endswith("=-") for one in uses):
        raise UsageError("standard input can be read only once", hint="name a file", code="standard-input")


def target_of(question: ExplainQuestion[Any]) -> Target:
    """The run of a query. Raises UsageError for standard input."""
    check_inputs(question.request.uses)
    if question.of is not None:
        return Target(question.of, question.typed.uses)
    return Target(Run("", question.request.command, (), None, "", None, uses=question.request.uses))
