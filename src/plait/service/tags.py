"""`/revisions/{revision}/tags`: names for revisions, each with a map of data."""

from __future__ import annotations

from sqlalchemy import and_, delete, insert, select

from plait.service.answers import NOTHING, Answer, answer
from plait.service.api_errors import ApiError
from plait.service.policy import CREATE_TAG, DELETE_TAG, DELETE_TAGS, LIST_TAGS, SHOW_TAG
from plait.service.revision_store import existing
from plait.service.room import check_room
from plait.service.tables import TAGS
from plait.service.yaml_bodies import text_of, value_of, value_of_body

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlalchemy import Connection

    from plait.service.route_arguments import Call


def create(call: Call) -> Answer:
    """Creates a tag of a revision, or replaces its data. Raises ApiError."""
    call.identity.require(CREATE_TAG)
    tag = call.name("tag")
    data = value_of_body(call.body)
    if data is not None and not isinstance(data, dict):
        raise ApiError("RevisionTagBadFormat", 400, "the data of a tag must be a map, or empty")
    text = text_of([data or {}])

    def work(connection: Connection) -> Answer:
        revision = existing(connection, call.path["revision"])
        connection.execute(delete(TAGS).where(and_(TAGS.c.revision == revision, TAGS.c.tag == tag)))
        check_room(connection, TAGS.c.revision, TAGS.c.data, revision, len(text), "the tags of")
        connection.execute(insert(TAGS), [{"revision": revision, "tag": tag, "data": text}])
        return answer({tag: data or {}}, 201)

    return call.commit(work)


def show(call: Call) -> Answer:
    """The data of a tag. Raises ApiError for an unknown tag."""
    call.identity.require(SHOW_TAG)
    tag = call.name("tag")
    with call.service.database.reading() as connection:
        revision = existing(connection, call.path["revision"])
        found = connection.execute(
            select(TAGS.c.data).where(and_(TAGS.c.revision == revision, TAGS.c.tag == tag))
        ).scalar()
    if found is None:
        raise _no_tag(tag, revision)
    return answer({tag: value_of(found)})


def list_all(call: Call) -> Answer:
    """All tags of a revision. Raises ApiError."""
    call.identity.require(LIST_TAGS)
    with call.service.database.reading() as connection:
        revision = existing(connection, call.path["revision"])
        rows = connection.execute(select(TAGS.c.tag, TAGS.c.data).where(TAGS.c.revision == revision)).all()
    return answer({tag: value_of(data) for tag, data in sorted(map(tuple, rows))})


def delete_one(call: Call) -> Answer:
    """Deletes a tag. Raises ApiError."""
    call.identity.require(DELETE_TAG)
    tag = call.name("tag")

    def work(connection: Connection) -> Answer:
        revision = existing(connection, call.path["revision"])
        done = connection.execute(delete(TAGS).where(and_(TAGS.c.revision == revision, TAGS.c.tag == tag)))
        if not done.rowcount:
            raise _no_tag(tag, revision)
        return NOTHING

    return call.commit(work)


def delete_all(call: Call) -> Answer:
    """Deletes all tags of a revision. Raises ApiError."""
    call.identity.require(DELETE_TAGS)

    def work(connection: Connection) -> Answer:
        revision = existing(connection, call.path["revision"])
        connection.execute(delete(TAGS).where(TAGS.c.revision == revision))
        return NOTHING

    return call.commit(work)


def _no_tag(tag: str, revision: int) -> ApiError:
    return ApiError("RevisionTagNotFound", 404, f"revision {revision} has no tag {tag}")
