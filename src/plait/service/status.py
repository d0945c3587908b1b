"""`plait serve status`: the size of a database's contents, and if it accepts writes."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError

from plait.base.errors import PlaitError
from plait.service.api_errors import ApiError
from plait.service.database import reason_of, shown
from plait.service.tables import AUDIT, DOCUMENTS, ENTRIES, REVISIONS, SECRETS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.service.database import Database


def status_of(database: Database) -> dict[str, object]:
    """Numbers about the contents of a database, as plain data. Raises PlaitError if it cannot be read."""
    counts = {
        "revisions": select(func.count()).select_from(REVISIONS).where(REVISIONS.c.forgotten.is_(False)),
        "removed revisions": select(func.count()).select_from(REVISIONS).where(REVISIONS.c.forgotten.is_(True)),
        "newest revision": select(func.max(REVISIONS.c.id)),
        "created at": select(func.max(REVISIONS.c.created_at)),
        "documents": select(func.count()).select_from(ENTRIES).where(ENTRIES.c.until.is_(None)),
        "stored texts": select(func.count()).select_from(DOCUMENTS),
        "secrets": select(func.count()).select_from(SECRETS),
        "last write by": select(AUDIT.c.name).order_by(AUDIT.c.id.desc()).limit(1),
    }
    try:
        with database.reading() as connection:
            found: dict[str, object] = {"database": shown(database.engine.url)}
            found |= {name: connection.execute(query).scalar() for name, query in counts.items()}
    except SQLAlchemyError as error:
        raise PlaitError(f"the database cannot be read: {reason_of(error)}", code="database") from None
    try:
        database.check()
    except (SQLAlchemyError, ApiError) as error:
        reason = error.message if isinstance(error, ApiError) else reason_of(error)
        return found | {"writes": False, "reason": reason}
    return found | {"writes": True}
