"""Limits the size of the data about one revision, because each response about it reads all of it."""

from __future__ import annotations

from sqlalchemy import func, select

from plait.service.api_errors import ApiError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlalchemy import Connection

    from plait.service.database import Column

MOST, MOST_SIZE = 5_000, 4 << 20
"""Rows of a table about one revision, and the characters of their texts."""


def check_room(connection: Connection, revision: Column, text: Column, number: int, size: int, what: str) -> None:
    """Raises ApiError if one more row would exceed the maximum size of a revision's data.

    revision, text: columns of the table. number: the number of the revision. size: characters of the new text. what:
    names the rows in a message.
    """
    there = select(func.count(), func.coalesce(func.sum(func.length(text)), 0)).where(revision == number)
    count, total = connection.execute(there).one()
    if count >= MOST or total + size > MOST_SIZE:
        raise ApiError(
            "HTTPContentTooLarge", 413, f"{what} a revision: at most {MOST} with {MOST_SIZE} characters in all"
        )
