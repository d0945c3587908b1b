"""The error for an unknown flag of a command line that contains a run, or another command. Loaded only for errors."""

from __future__ import annotations

from plait.base.errors import ReadError, UsageError
from plait.cli.commands import node_of
from plait.cli.tools import table
from plait.engine import DIALECTS
from plait.engine.options import SWITCH
from plait.engine.similar import flags_hint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.base.errors import PlaitError


def unknown_flag(argv: Sequence[str], error: PlaitError) -> PlaitError:
    """The error for the first flag of a command line that no command in it has; the given error if there is none.

    error: the error that the command reported. It reads flags only after it has found a run, or another command.
    """
    if not isinstance(error, UsageError | ReadError):
        return error
    node = node_of(argv[0])
    # A run, or an input, decides which dialect's flags may follow.
    nested = [table(name) for name in DIALECTS] if argv[0] == "run" or "run" in node.children else []
    tables = [node.command, *(one.command for one in node.children.values()), *nested]
    flags = [flag for one in tables for flag in (*one.flags, *one.request.shared)]
    names, letters = {one.name for one in flags}, {one.short for one in flags}
    valued = {form for one in flags if one.kind != SWITCH for form in (f"--{one.name}", f"-{one.short}")}
    words = iter(argv[1:])
    for word in words:
        if word == "--":
            break
        is_known = word.partition("=")[0][2:] in names if word[:2] == "--" else word[:1] != "-" or word[1:2] in letters
        if not is_known:
            try:
                node.command.read([word])
            except UsageError as unknown:
                unknown.hint = flags_hint(word.lstrip("-").partition("=")[0], sorted(names)) or unknown.hint
                return unknown
        if word in valued:
            next(words, None)
    return error
