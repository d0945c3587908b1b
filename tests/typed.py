"""Requests as they are typed, for tests that name flags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.cli.tools import table
from plait.engine.world import evaluate_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.engine.options import Use
    from plait.engine.results import Documents
    from plait.tree.context import Context


def uses(command: str, argv: Sequence[str]) -> Sequence[Use]:
    """The uses of options in a command line."""
    return table(command).parse(argv).uses


def evaluate(command: str, argv: Sequence[str], context: Context) -> Documents:
    """The result of a command line. Raises PlaitError."""
    return evaluate_in(context, table(command).parse(argv))
