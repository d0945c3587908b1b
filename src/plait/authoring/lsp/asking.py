"""Asks the user once to trust a project. Nothing is read, requested or started before the answer."""

from __future__ import annotations

import os

from lsprotocol import types

from plait.authoring.project import file as project_files
from plait.authoring.project.trusting.needs import needs_of
from plait.base.errors import PlaitError
from plait.base.trust import Decision, permissions_of, store, stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import TypeAlias

    Params: TypeAlias = types.ShowMessageRequestParams
    Answer: TypeAlias = types.MessageActionItem | None

YES, NO = "Grant", "Not in this session"
# Maximum number and length of accesses in a question. Only accesses that are shown completely can be granted.
_SHOWN, _LONGEST = 8, 200


async def ask(path: str, asked: set[str], answer_to: Callable[[Params], Awaitable[Answer]]) -> str | None:
    """Asks the user about the project of a file, if it needs undecided permissions.

    asked: the directories of projects that were asked about. Returns the project file if its permissions have changed.
    """
    found, directory = _project(path)
    if not found or directory in asked:
        return None
    needs = needs_of(found, permissions_of(found))
    if not needs:
        return None
    asked.add(directory)
    lines = [_plain(f"{one.access}: {one.name}") for one in needs]
    is_whole = len(lines) <= _SHOWN and all(len(line) <= _LONGEST for line in lines)
    answer = await answer_to(
        types.ShowMessageRequestParams(
            types.MessageType.Warning,
            _message(directory, lines),
            [types.MessageActionItem(one) for one in ((YES, NO) if is_whole else (NO,))],
        )
    )
    if is_whole and answer is not None and answer.title == YES:
        store(Decision(directory, [*stored(directory), *needs]))
        return found
    return None


def _project(path: str) -> tuple[str, str]:
    """The project file of a file, and the real path of its directory; "" if there is none, or if it belongs to another
    user.
    """
    try:
        found = project_files.find(path)
    except PlaitError:  # the file has a diagnostic for this
        return "", ""
    return ("", "") if found is None else (found, os.path.realpath(os.path.dirname(found)))


def _message(directory: str, lines: Sequence[str]) -> str:
    shown = [line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..." for line in lines[:_SHOWN]]
    more = [] if shown == lines else [f"{len(lines)} accesses in all; `plait trust` shows and grants them"]
    return "\n".join([f"{_plain(directory)} requests access beyond its repository:", *shown, *more])


def _plain(text: str) -> str:
    """A text without line breaks, direction marks and invisible characters."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
