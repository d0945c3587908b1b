"""`/revisions/{a}/diff/{b}` and `/deepdiff/{b}`: changes of buckets, and of their rendered documents."""

from __future__ import annotations

from plait.service.answers import Answer, answer
from plait.service.api_errors import ApiError
from plait.service.deepdiff import changes
from plait.service.documents import top_of
from plait.service.policy import SHOW_DEEPDIFF, SHOW_DIFF
from plait.service.rendering import NOTHING
from plait.service.revision_store import buckets_of, differing, existing
from plait.tree.nodes import to_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Connection

    from plait.service.rendering import Layered, RenderedRevisionDocument
    from plait.service.revision_store import RevisionDocument
    from plait.service.route_arguments import Call, Service


def diff(call: Call) -> Answer:
    """The changes of each bucket between two revisions, in any order. Raises ApiError."""
    call.identity.require(SHOW_DIFF)
    with call.service.database.reading() as connection:
        revisions = _revisions(call, connection)
        first, second = sorted(revisions)
        older, newer = (_Side(buckets_of(connection, one)) for one in (first, second))
        older.entries, newer.entries = differing(connection, first, second)
    return answer(_compared(older, newer, from_nothing=0 in revisions))


def deep_diff(call: Call) -> Answer:
    """As `diff`, including changes in rendered documents, from the first revision to the second. Raises ApiError."""
    call.identity.require(SHOW_DEEPDIFF)
    service = call.service
    with service.database.reading() as connection:
        revisions = _revisions(call, connection)
        rendered = [_rendered(service, connection, one) for one in revisions]
        hidden = [service.flows.holders(connection, one) for one in revisions]
    first, second = rendered
    changed = service.renderer.differing(first, second)
    sides = [_Side(one.buckets, [one.documents[at].entry for at in changed if at in one.documents]) for one in rendered]
    older, newer = sides if revisions[0] <= revisions[1] else reversed(sides)
    result: dict[str, object] = dict(_compared(older, newer, from_nothing=0 in revisions))
    names = {entry.name for side in sides for entry in side.entries}
    found = [
        [_Document(shown, hides=shown.entry.id in hides) for shown in one.named(names)]
        for one, hides in zip(rendered, hidden, strict=True)
    ]
    for bucket in [name for name, status in result.items() if status == _MODIFIED]:
        before, after = ({one.identity: one for one in side if one.bucket == bucket} for side in found)
        result[f"{bucket} diff"] = _bucket_changes(before, after)
    return answer(result)


_CREATED, _DELETED, _MODIFIED, _UNMODIFIED = "created", "deleted", "modified", "unmodified"


class _Side:
    """One of two revisions. buckets: those with documents. entries: those that the other revision lacks."""

    def __init__(self, buckets: Iterable[str], entries: Sequence[RevisionDocument] = ()) -> None:
        self.buckets = frozenset(buckets)
        self.entries = entries

    def of_bucket(self, name: str) -> set[tuple[tuple[str, str, str], str]]:
        """The documents of a bucket that may differ: identity and digest."""
        return {(one.identity, one.digest) for one in self.entries if one.bucket == name}


def _revisions(call: Call, connection: Connection) -> tuple[int, int]:
    for name in ("revision", "other"):
        text = call.path[name]
        if not text.removeprefix("-").isdigit():
            raise ApiError("InvalidInputException", 400, f"a revision is an integer, not {text}")
    first, second = (existing(connection, call.path[name], or_zero=True) for name in ("revision", "other"))
    return first, second


def _rendered(service: Service, connection: Connection, revision: int) -> Layered:
    """The rendered documents of a revision."""
    return service.renderer.of_revision(connection, service.keys, revision, cleartext=False) if revision else NOTHING


def _compared(older: _Side, newer: _Side, *, from_nothing: bool) -> dict[str, str]:
    """The change of each bucket. from_nothing: one side is the empty state before the first revision."""
    result = {}
    for bucket in sorted(older.buckets | newer.buckets):
        if bucket not in older.buckets or from_nothing:
            result[bucket] = _CREATED
        elif bucket not in newer.buckets:
            result[bucket] = _DELETED
        else:
            result[bucket] = _UNMODIFIED if older.of_bucket(bucket) == newer.of_bucket(bucket) else _MODIFIED
    return result


class _Document:
    """A rendered document. identity: for comparison. hides: it may contain data of encrypted documents."""

    def __init__(self, shown: RenderedRevisionDocument, *, hides: bool) -> None:
        self.identity = (shown.entry.schema, shown.entry.name)
        self.bucket, self.digest = shown.entry.bucket, shown.entry.digest
        self.encrypted = shown.encrypted or hides
        self._text = shown.text

    def part(self, key: str) -> object:
        item = top_of(self._text).find(key)
        return to_plain(item.value) if item is not None else None


def _bucket_changes(
    first: Mapping[tuple[str, str], _Document], second: Mapping[tuple[str, str], _Document]
) -> dict[str, object]:
    """The changes in a bucket."""
    result: dict[str, object] = {}
    for key, left, right in (("document_deleted", first, second), ("document_added", second, first)):
        only = sorted(identity for identity in left if identity not in right)
        if only:
            result[key] = {"count": len(only), "details": [list(identity) for identity in only]}
    details = {
        # Deckhand's key is the Python form of a pair.
        str(identity): _document_changes(before, second[identity])
        for identity, before in sorted(first.items())
        if identity in second and before.digest != second[identity].digest
    }
    if details:
        result["document_changed"] = {"count": len(details), "details": details}
    return result


def _document_changes(before: _Document, after: _Document) -> dict[str, object]:
    data: dict[str, object] = (
        {"encrypted": True} if before.encrypted or after.encrypted else changes(before.part("data"), after.part("data"))
    )
    return {"data_changed": data, "metadata_changed": changes(before.part("metadata"), after.part("metadata"))}
