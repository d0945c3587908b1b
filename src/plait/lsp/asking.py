"""Asks once whether a project is trusted. Nothing is read, requested or started before the answer."""

from __future__ import annotations

import os

from lsprotocol import types

from plait import project as projects
from plait.errors import PlaitError
from plait.project.trusting.needs import needs_of
from plait.trust import Decision, permissions_of, store, stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.lsp.connection import Server
    from plait.permissions import Need

YES, NO = "Grant", "Not in this session"
# So many accesses are shown; `plait trust` shows all.
_SHOWN = 8


async def ask(server: Server, path: str) -> None:
    """Asks about the project of a file, if it needs permissions that are not granted and the question is open."""
    found, directory = _project(path) if server.has_disk else ("", "")
    if not found or directory in server.asked:
        return
    needs = needs_of(found, permissions_of(found))
    if not needs:
        return
    server.asked.add(directory)
    answer = await server.window_show_message_request_async(
        types.ShowMessageRequestParams(
            types.MessageType.Warning, _message(directory, needs), [types.MessageActionItem(one) for one in (YES, NO)]
        )
    )
    if answer is not None and answer.title == YES:
        store(Decision(directory, [*stored(directory), *needs]))
        server.state.touch(found)
        server.tell_all()


def _project(path: str) -> tuple[str, str]:
    """The project file of a file, and the real path of its directory; "" without one, and for one of another user."""
    try:
        found = projects.find(path)
    except PlaitError:  # which the file has a diagnostic of
        return "", ""
    return ("", "") if found is None else (found, os.path.realpath(os.path.dirname(found)))


def _message(directory: str, needs: Sequence[Need]) -> str:
    lines = [f"{one.access}: {one.name}" for one in needs[:_SHOWN]]
    more = [f"and {len(needs) - _SHOWN} more; plait trust shows all"] if len(needs) > _SHOWN else []
    return "\n".join([f"{directory} asks for more than its repository:", *lines, *more])
