"""`GET /audit`: the author of each change. Each row was written in the transaction that it describes."""

from __future__ import annotations

from sqlalchemy import select

from plait.service.answers import Answer, answer
from plait.service.paging import part
from plait.service.policy import READ_AUDIT
from plait.service.route_arguments import PAGE
from plait.service.tables import AUDIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.service.route_arguments import Call

_COLUMNS = (AUDIT.c.id, AUDIT.c.at, AUDIT.c.name, AUDIT.c.action, AUDIT.c.path, AUDIT.c.revision, AUDIT.c.request)
_KEYS = ("id", "at", "user", "action", "path", "revision", "request")


def list_all(call: Call) -> Answer:
    """The requests that changed something; with `order=desc` the newest first. Raises ApiError."""
    call.identity.require(READ_AUDIT)
    window = call.window(PAGE)
    found = select(*_COLUMNS)
    for name, column in (("user", AUDIT.c.name), ("path", AUDIT.c.path)):
        texts = call.parameters(name)
        if texts:
            found = found.where(column.in_(texts))
    with call.service.database.reading() as connection:
        wanted = part(connection, found, [(AUDIT.c.id, call.parameter("order") == "desc")], window)
        rows, marker = window.taken(connection.execute(wanted), lambda row: row.id)
    return answer([dict(zip(_KEYS, row, strict=True)) for row in rows], marker=marker)
