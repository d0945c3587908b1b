"""Pages of lists: start, length, and the marker of the next page.

A list in memory is cut by index. A list of the database continues after the row that the marker names, so that each
page costs the same, and concurrent changes neither repeat nor hide other rows.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from sqlalchemy import and_, or_, select, true, union_all

from plait.service.api_errors import bad_parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sqlalchemy import ColumnElement, Connection

    from plait.service.database import Column, Query

    # A column, and True for descending order.
    Key = tuple[Column, bool]

T = TypeVar("T")


class PageWindow(NamedTuple):
    """A part of a list. marker: its start, 0 for the first part. most: maximum number of items."""

    marker: int
    most: int

    def of(self, items: Sequence[T]) -> tuple[Sequence[T], int | None]:
        """The part of a list in memory, and the marker of the next one, or None."""
        end = self.marker + self.most
        return items[self.marker : end], end if self.most and end < len(items) else None

    def taken(self, rows: Iterable[T], number_of: Callable[[T], int]) -> tuple[list[T], int | None]:
        """The rows of a part that `part` queries, and the marker of the next one. number_of: returns the unique number
        of a row.
        """
        found = list(rows)
        page = found[: self.most]
        return page, number_of(page[-1]) if page and len(found) > len(page) else None


def part(
    connection: Connection,
    query: Query,
    keys: Sequence[Key],
    window: PageWindow,
    *,
    seen: Sequence[ColumnElement[bool]] = (),
) -> Query:
    """A query for the rows of a part and the first one after it.

    keys: the order of the rows; the last one is the unique number that markers name, and no value is null. seen:
    conditions for rows that a marker may name. Raises ApiError for an unknown marker if the order requires its row.
    """
    if window.marker:
        query = query.where(_behind(keys, _values(connection, keys, window.marker, seen)))
    if [descends for _, descends in keys] == [True, False]:
        query = query.where(_at_the_end(connection, query, keys, window.most + 1))
    return ordered(query, keys).limit(window.most + 1)


def ordered(query: Query, keys: Sequence[Key]) -> Query:
    """The query with its rows in order."""
    return query.order_by(*(column.desc() if descends else column for column, descends in keys))


def _at_the_end(connection: Connection, query: Query, keys: Sequence[Key], maximum: int) -> ColumnElement[bool]:
    """The condition for the first rows in the order of descending values and ascending numbers, for which there is no
    index.

    Fewer than `maximum` rows have greater values; rows with the last value are in the order of an index.
    """
    (column, _), (number, _) = keys
    values = query.with_only_columns(column).order_by(column.desc()).offset(maximum - 1).limit(1)
    last = connection.execute(values).scalar()
    if last is None:
        return true()
    ids = query.with_only_columns(number)
    equal = ids.where(column == last).order_by(number).limit(maximum).subquery()
    return number.in_(union_all(ids.where(column > last), select(equal)))


def _values(
    connection: Connection, keys: Sequence[Key], marker: int, seen: Sequence[ColumnElement[bool]]
) -> list[object]:
    """The values of the row that a marker names. Raises ApiError."""
    *others, (number, _) = keys
    if not others:
        return [marker]  # the row itself may be missing
    row = connection.execute(select(*(column for column, _ in others)).where(number == marker, *seen)).one_or_none()
    if row is None:
        raise bad_parameter("marker", "the marker of a Link header")
    return [*row, marker]


def _behind(keys: Sequence[Key], values: Sequence[object]) -> ColumnElement[bool]:
    """The condition for rows after the row with these values."""
    (first, descends), known = keys[0], values[0]
    found: list[ColumnElement[bool]] = []
    for place, ((column, is_less), value) in enumerate(zip(keys, values, strict=True)):
        same = [other == there for (other, _), there in zip(keys[:place], values, strict=False)]
        found.append(and_(*same, column < value if is_less else column > value))
    # The first condition is implied by the rest; its form allows the use of an index.
    return and_(first <= known if descends else first >= known, or_(*found))
