"""`GET /audit`: who changed what. Each row was written in the transaction that it is about."""

from __future__ import annotations

from sqlalchemy import select

from plait.service.calls import PAGE, Answer, answer
from plait.service.policy import READ_AUDIT
from plait.service.tables import AUDIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.service.calls import Call

_COLUMNS = (AUDIT.c.id, AUDIT.c.at, AUDIT.c.name, AUDIT.c.action, AUDIT.c.path, AUDIT.c.revision, AUDIT.c.request)
_KEYS = ("id", "at", "user", "action", "path", "revision", "request")


def list_all(call: Call) -> Answer:
    """The requests that changed something, the newest first with `order=desc`. Raises Refusal."""
    call.identity.require(READ_AUDIT)
    window = call.window(PAGE)
    order = AUDIT.c.id.desc() if call.parameter("order") == "desc" else AUDIT.c.id
    found = select(*_COLUMNS).order_by(order).offset(window.start).limit(window.most + 1)
    for name, column in (("user", AUDIT.c.name), ("path", AUDIT.c.path)):
        wanted = call.parameters(name)
        if wanted:
            found = found.where(column.in_(wanted))
    with call.service.database.reading() as connection:
        rows, marker = window.taken(connection.execute(found))
    return answer([dict(zip(_KEYS, row, strict=True)) for row in rows], marker=marker)
