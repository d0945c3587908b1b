"""`/revisions` and `/rollback`: lists, shows and deletes revisions, and restores an earlier one."""

from __future__ import annotations

import json

from sqlalchemy import delete, select

from plait.service.answers import NOTHING, Answer, answer
from plait.service.paging import part
from plait.service.policy import CREATE_CLEARTEXT, CREATE_ENCRYPTED, DELETE_REVISIONS, LIST_REVISIONS, SHOW_REVISION
from plait.service.revision_store import NewDocument, add_revision, differing, existing, has_secrets, newest
from plait.service.route_arguments import LARGEST_PAGE
from plait.service.tables import ALL, REVISIONS, TAGS
from plait.service.validations import statuses
from plait.service.webhooks import forget_revisions
from plait.service.yaml_bodies import value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection, Select

    from plait.service.route_arguments import Call

_SORTED_BY = {"id": REVISIONS.c.id, "created_at": REVISIONS.c.created_at, "createdAt": REVISIONS.c.created_at}


def list_all(call: Call) -> Answer:
    """All revisions, or those with one of the given tags. Raises ApiError."""
    call.identity.require(LIST_REVISIONS)
    wanted = set(call.parameters("tag"))
    descends = call.parameter("order") == "desc"
    keys = [(_SORTED_BY[name], descends) for name in call.parameters("sort") if name in _SORTED_BY]
    window = call.window(LARGEST_PAGE, limits=False)
    found = select(REVISIONS).where(REVISIONS.c.forgotten.is_(False))
    if wanted:
        found = found.where(REVISIONS.c.id.in_(select(TAGS.c.revision).where(TAGS.c.tag.in_(wanted))))
    with call.service.database.reading() as connection:
        # A marker may name a deleted revision, because its row still exists.
        query = part(connection, found, [*keys, (REVISIONS.c.id, False)], window)
        rows, marker = window.taken(connection.execute(query), lambda row: row.id)
        tags: dict[int, list[str]] = {}
        for found_tag in connection.execute(_tags_of([row.id for row in rows])):
            tags.setdefault(found_tag.revision, []).append(found_tag.tag)
    results = [
        {
            "buckets": json.loads(row.buckets),
            "createdAt": row.created_at,
            "id": row.id,
            "tags": sorted(tags.get(row.id, ())),
        }
        for row in rows
    ]
    return answer({"count": len(results), "results": results}, marker=marker)


def _tags_of(revisions: Sequence[int]) -> Select[tuple[int, str]]:
    """A query for the tags of revisions. For many revisions, it selects the whole range from the first to the last."""
    found = select(TAGS.c.revision, TAGS.c.tag)
    if len(revisions) > _MANY:
        return found.where(TAGS.c.revision.between(min(revisions), max(revisions)))
    return found.where(TAGS.c.revision.in_(revisions))


_MANY = 500


def show(call: Call) -> Answer:
    """One revision. Raises ApiError."""
    call.identity.require(SHOW_REVISION)
    with call.service.database.reading() as connection:
        return answer(_shown(call, connection, existing(connection, call.path["revision"])))


def _shown(call: Call, connection: Connection, revision: int) -> dict[str, object]:
    row = connection.execute(select(REVISIONS).where(REVISIONS.c.id == revision)).one()
    tags = connection.execute(select(TAGS.c.tag, TAGS.c.data).where(TAGS.c.revision == revision).order_by(TAGS.c.tag))
    address = f"{call.service.address}/api/v1.0/revisions"
    policies = [
        {"name": name, "status": status, "url": f"{address}/{revision}/validations"}
        for name, status in statuses(connection, revision)
    ]
    is_success = all(policy["status"] == "success" for policy in policies)
    return {
        "buckets": json.loads(row.buckets),
        "createdAt": row.created_at,
        "id": revision,
        "status": "success" if is_success else "failed",
        "tags": {tag: value_of(data) for tag, data in tags},
        "url": f"{address}/{revision}",
        "validationPolicies": policies,
    }


def delete_all(call: Call) -> Answer:
    """Deletes all revisions; numbers start from 1 again. Raises ApiError."""
    call.identity.require(DELETE_REVISIONS)

    def work(connection: Connection) -> Answer:
        for table in ALL:
            connection.execute(delete(table))
        forget_revisions(connection)
        return NOTHING

    found = call.commit(work)
    call.service.renderer.forget()
    call.service.projects.forget()
    return found


def roll_back(call: Call) -> Answer:
    """Creates a revision with the documents of an earlier one. Raises ApiError."""
    call.identity.require(CREATE_CLEARTEXT)

    def work(connection: Connection) -> Answer:
        target = existing(connection, call.path["revision"], or_zero=True)
        before, wanted = reversed(differing(connection, target, newest(connection)))
        there, kept = (
            [NewDocument(one.bucket, one.identity, one.digest, one.trusted, one.kind) for one in side]
            for side in (before, wanted)
        )
        stay = set(there) & set(kept)
        gone = [one for one, draft in zip(before, there, strict=True) if draft not in stay]
        new = [draft for draft in kept if draft not in stay]
        if has_secrets(connection, target) or any(one.encrypted for one in gone):
            call.identity.require(CREATE_ENCRYPTED)
        buckets = {one.bucket for one in gone} | {one.bucket for one in new}
        revision, _ = add_revision(connection, buckets, gone, new)
        call.service.flows.check(connection, call.identity)
        return answer(_shown(call, connection, revision), 201)

    shown = call.commit(work)
    call.service.telemetry.count("plait.revisions", how="rollback")
    return shown
